"""The best cut of a column whose cases are listed in sorted order, as C4.5 judges cuts (see ratio.py).

Most cuts are not the best by far, so they are judged by rough logarithms, and where there are two classes whole blocks
of cases are passed over.
"""

import numpy as np

from treewright.kernels.jit import borrowing, inlined_borrowing, kernel
from treewright.kernels.search.ratio import (
    class_info,
    finish_cut,
    gain_between,
    info_before,
    is_narrow,
    least_in_branch,
    no_test,
)

LOG_BITS = 11
LOGS = np.log2(1 + np.arange(2**LOG_BITS + 1) / 2**LOG_BITS)
ROUGH = 2e-7  # more than a gain from rough logarithms is off: 4.3e-8 per case and logarithm, of which there are two
BLOCK = 16  # cases of a list that are looked at together


@inlined_borrowing
def rough_xlog2x(x):
    """x·log2(x) from a table by the first bits of x, with a straight line between entries: off by at most 4.3e-8·x."""
    if x <= 0:
        return 0.0
    bits = np.float64(x).view(np.int64)
    rest = bits & ((1 << 52) - 1)
    at = rest >> (52 - LOG_BITS)
    between = (rest & ((1 << (52 - LOG_BITS)) - 1)) * 2.0 ** (LOG_BITS - 52)
    return x * ((bits >> 52) - 1023 + LOGS[at] + between * (LOGS[at + 1] - LOGS[at]))


@inlined_borrowing
def rounding_error(whole, n_classes):
    """How far sums of 32-bit numbers may take two gains of a node from each other."""
    return 2.5e-7 * (n_classes + 2) * np.log2(whole + 2)


@inlined_borrowing
def put_on_the_right(i, last, slots, codes, weights, labels, totals, left, right):
    """All cases are on the right but the missing ones, which stand first. Returns where the known ones begin."""
    for k in range(totals.shape[0]):
        left[k], right[k] = 0, totals[k]
    while i <= last and codes[i] == 0:
        right[labels[slots[i]]] -= weights[slots[i]]
        i += 1
    return i


@inlined_borrowing
def limits_of(totals, n_known, rules):
    """Weight of all cases and of the known ones, whether sums are rounded to 32 bits, the least weight of a branch, by
    how much a cut must be better, and how far off rough gains are."""
    whole, known, narrow = totals.sum() * rules.unit, n_known * rules.unit, is_narrow(totals, rules)
    least = least_in_branch(known, totals.shape[0], rules.min_cases, rules.tolerance) - rules.tolerance
    slack, doubt = 0.0 if narrow else rules.slack, ROUGH
    if narrow:
        doubt += rounding_error(whole, totals.shape[0])
    return whole, known, narrow, least, slack, doubt


@inlined_borrowing
def begin_terms(right, unit, terms):
    """The terms while nothing is on the left; returns their sum."""
    inside = 0.0
    for k in range(right.shape[0]):
        terms[k] = rough_xlog2x(right[k] * unit)
        inside += terms[k]
    return inside


@inlined_borrowing
def mark_moved(label, n_moved, moved, is_moved):
    """Note that a class has moved. Returns how many have since their terms were worked out."""
    if not is_moved[label]:
        is_moved[label] = True
        moved[n_moved] = label
        n_moved += 1
    return n_moved


@inlined_borrowing
def copy_to(target, values):
    for k in range(values.shape[0]):
        target[k] = values[k]


@inlined_borrowing
def update_terms(n_moved, moved, is_moved, left, right, unit, terms, inside):
    """Work out the terms of the classes that moved, roughly; returns the sum of all terms."""
    for m in range(n_moved):
        k = moved[m]
        is_moved[k] = False
        inside -= terms[k]
        terms[k] = rough_xlog2x(left[k] * unit) + rough_xlog2x(right[k] * unit)
        inside += terms[k]
    return inside


@inlined_borrowing
def are_apart(low, high, values, resolution, widest):
    """Whether there may be a cut between two codes. Codes ``widest`` apart are so by their values too: the values of a
    small node's codes lie far from each other in a long table, and looking them up takes longer than all the rest."""
    if high - low >= widest:
        return True
    return high > low and values[low] + resolution < values[high]


@borrowing
def exactly(gain, off, best_left, left, right, before, known, whole, unit, narrow, rest):
    """The gain of the best cut so far, worked out where it is known roughly; ``left`` and ``right`` are the classes at
    another cut of the node, ``rest`` is scratch."""
    if off == 0:
        return gain
    for k in range(rest.shape[0]):
        rest[k] = left[k] + right[k] - best_left[k]
    return gain_between(best_left, rest, before, known, whole, unit, narrow)


@inlined_borrowing
def rough_sides(left, right, unit):
    return rough_xlog2x(left * unit) + rough_xlog2x(right * unit)


@borrowing
def most_within(left, right, first, second, unit):
    """The most that cuts can save, roughly and besides the information before, while of two classes ``first`` and
    ``second`` go from the right to the left in whatever order: the gain is convex in the weights on the left, hence
    greatest at a corner of all the mixtures there can be."""
    most = -np.inf
    for corner in range(4):
        a, b = first if corner & 1 else 0, second if corner & 2 else 0
        one, other = rough_sides(left[0] + a, right[0] - a, unit), rough_sides(left[1] + b, right[1] - b, unit)
        both = rough_sides(left[0] + left[1] + a + b, right[0] + right[1] - a - b, unit)
        most = max(most, one + other - both)
    return most


@inlined_borrowing
def count_block(i, slots, codes, values, widest, weights, labels, resolution):
    """Weight of both classes in the next cases of a list, and how many cuts there are after one of them."""
    second, whole, n_cuts = 0, 0, 0
    for at in range(i, i + BLOCK):
        slot = slots[at]
        weight = weights[slot]
        whole += weight
        second += weight * np.int64(labels[slot])
        n_cuts += are_apart(np.int64(codes[at]), np.int64(codes[at + 1]), values, resolution, widest)
    return whole - second, second, n_cuts


@inlined_borrowing
def pass_block(i, slots, codes, values, widest, weights, labels, rules, most, room, left, right, moved, is_moved):
    """Move a block of cases of two classes to the left if no cut within can save more than ``most``, and the block
    weighs no more than ``room``. Returns its weight, 0 if it has to be looked into, and how many cuts were passed."""
    first, second, n_cuts = count_block(i, slots, codes, values, widest, weights, labels, rules.resolution)
    weight = first + second
    if most_within(left, right, first, second, rules.unit) > most or weight * rules.unit > room:
        return 0, 0
    left[0] += first
    right[0] -= first
    left[1] += second
    right[1] -= second
    moved[0], moved[1], is_moved[0], is_moved[1] = 0, 1, True, True
    return weight, n_cuts


@kernel
def search_list(slots, codes, values, widest, weights, labels, start, stop, totals, rules, best):
    """Best cut of a column listed in sorted order, at every open node; missing cases stand first.

    The terms w·log2(w) of both sides are kept class by class, and only those of classes that moved are worked out
    again, roughly. ``gain`` is that of the best cut so far, true to ``off``: only where that leaves in doubt whether a
    cut is better are both worked out exactly. Where there are two classes, blocks of cases are passed over whole if no
    cut within can be better. ``widest``: see ``are_apart``.
    """
    n_classes, unit = totals.shape[1], rules.unit
    left, right, best_left = np.empty(n_classes, np.int64), np.empty(n_classes, np.int64), np.empty(n_classes, np.int64)
    rest = np.empty(n_classes, np.int64)
    terms, moved, is_moved = np.empty(n_classes), np.empty(n_classes, np.int64), np.zeros(n_classes, np.bool_)
    for f in range(start.shape[0]):
        no_test(best, f)
        last = stop[f] - 1
        i = put_on_the_right(start[f], last, slots, codes, weights, labels, totals[f], left, right)
        n_left, n_right, inside = 0, right.sum(), begin_terms(right, unit, terms)
        whole, known, narrow, least, slack, doubt = limits_of(totals[f], n_right, rules)
        before, per_case = class_info(right, unit, False), info_before(right, unit, known, True, narrow)
        gain, off, n_cuts, n_moved = 0.0, 0.0, 0, 0
        next_block = i
        while i < last:
            if n_classes == 2 and gain > 0 and i >= next_block and i + BLOCK <= last and n_left * unit >= least:
                next_block = i + BLOCK
                most, room = (gain + slack - doubt - off) * whole - before, n_right * unit - least
                weight, n_inside = pass_block(
                    i, slots, codes, values, widest, weights, labels, rules, most, room, left, right, moved, is_moved
                )
                if weight > 0:
                    n_left, n_right, n_cuts, n_moved = n_left + weight, n_right - weight, n_cuts + n_inside, 2
                    i = next_block
                    continue
            weight, label = weights[slots[i]], labels[slots[i]]
            n_left, n_right = n_left + weight, n_right - weight
            left[label] += weight
            right[label] -= weight
            n_moved = mark_moved(label, n_moved, moved, is_moved)
            i += 1
            if n_right * unit < least:
                break
            low, high = np.int64(codes[i - 1]), np.int64(codes[i])
            if n_left * unit < least or not are_apart(low, high, values, rules.resolution, widest):
                continue
            inside = update_terms(n_moved, moved, is_moved, left, right, unit, terms, inside)
            n_moved = 0
            n_cuts += 1
            rough = (before - rough_sides(n_left, n_right, unit) + inside) / whole
            if rough <= gain + slack - doubt - off:
                continue
            if rough > gain + slack + doubt + off:
                gain, off = rough, doubt
            else:
                gain, off = exactly(gain, off, best_left, left, right, per_case, known, whole, unit, narrow, rest), 0.0
                gained = gain_between(left, right, per_case, known, whole, unit, narrow)
                if gained <= gain + slack:
                    continue
                gain = gained
            best.cut[f], best.above[f] = low, high
            copy_to(best_left, left)
        gain = exactly(gain, off, best_left, left, right, per_case, known, whole, unit, narrow, rest)
        update_terms(n_moved, moved, is_moved, left, right, unit, terms, inside)
        finish_cut(f, gain, n_cuts, best_left.sum() * unit, known, whole, narrow, rules, best)
