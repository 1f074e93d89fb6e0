"""Gain and split information of the best test of a column, on the cases whose value is known.

gain = (info before - info after on the known cases) / W,  W being the weight of all cases of the node: this is the gain
of the known cases times their share. Split information counts the missing cases as one more branch. All in bits.
"""

from typing import NamedTuple

import numpy as np
from numba import njit

from treewright.kernels.count import empty, sort_codes

NO_GAIN = -np.inf

LOG_BITS = 11
LOGS = np.log2(1 + np.arange(2**LOG_BITS + 1) / 2**LOG_BITS)
ROUGH = 2e-7  # more than a gain from rough logarithms is off: 4.3e-8 per case and logarithm, of which there are two


BLOCK = 16  # cases of a list that are looked at together


class RatioRules(NamedTuple):
    """Numbers only."""

    unit: float  # what one unit of fixed-point weight is worth
    min_cases: float  # least weight of two branches
    slack: float  # a cut must gain this much more than one before it
    tolerance: float  # weights and gains this close to a limit have reached it
    gap: float  # neighbouring numbers this close are not told apart
    mdl: bool  # numeric cuts pay log2(candidates) / W
    by_ratio: bool  # groups of levels are judged by the ratio, not by the gain
    narrow: bool  # where all weights are whole, figures are what sums of 32-bit numbers make them


class Best(NamedTuple):
    """The best test of one column at every open node."""

    gain: np.ndarray  # float64, -inf where there is none
    info: np.ndarray  # float64
    cut: np.ndarray  # int64: last code on the left, or the code that stands alone
    above: np.ndarray  # int64: first code on the right


@njit(nogil=True, cache=True, inline="always")
def xlog2x(x):
    return x * np.log2(x) if x > 0 else 0.0


@njit(nogil=True, cache=True, inline="always")
def rough_xlog2x(x):
    """x·log2(x) from a table by the first bits of x, with a straight line between entries: off by at most 4.3e-8·x."""
    if x <= 0:
        return 0.0
    bits = np.float64(x).view(np.int64)
    rest = bits & ((1 << 52) - 1)
    at = rest >> (52 - LOG_BITS)
    between = (rest & ((1 << (52 - LOG_BITS)) - 1)) * 2.0 ** (LOG_BITS - 52)
    return x * ((bits >> 52) - 1023 + LOGS[at] + between * (LOGS[at + 1] - LOGS[at]))


@njit(nogil=True, cache=True, inline="always")
def rounded(x, narrow):
    return np.float64(np.float32(x)) if narrow else x


@njit(nogil=True, cache=True)
def class_info(weights, unit, narrow):
    """Σ over the classes of -w·log2(w / Σw)."""
    total, inside = 0, 0.0
    for k in range(weights.shape[0]):
        total += weights[k]
        inside = rounded(inside + xlog2x(weights[k] * unit), narrow)
    return rounded(xlog2x(total * unit) - inside, narrow)


@njit(nogil=True, cache=True)
def info_before(weights, unit, known, ordered, narrow):
    """Information of the known cases, per case. C4.5 adds it up in 32 bits for numbers, in 64 for levels."""
    return rounded(class_info(weights, unit, narrow and ordered) / known, narrow) if known > 0 else 0.0


@njit(nogil=True, cache=True)
def gain_of(before, after, known, whole, ordered, narrow):
    """From the information before, per known case, and after, which is a sum over them.

    The share of missing cases is one less the share of the known for numbers, and counted for levels: in exact numbers
    there is no difference.
    """
    if known <= 0:
        return 0.0
    missing = rounded(1 - rounded(known / whole, narrow) if ordered else (whole - known) / whole, narrow)
    saved = rounded(before - rounded(after / known, narrow), narrow)
    return rounded(rounded(1 - missing, narrow) * saved, narrow)


@njit(nogil=True, cache=True)
def info_of(apart, whole, narrow):
    """Split information per case; ``apart`` is the sum of w·log2(w) over the branches and the missing cases."""
    return rounded(rounded(xlog2x(whole) - apart, narrow) / whole, narrow)


@njit(nogil=True, cache=True)
def is_narrow(totals, rules):
    """Whether sums are rounded to 32 bits at a node. Sums of fractions depend on their order, so those are not."""
    if not rules.narrow:
        return False
    for k in range(totals.shape[0]):
        if totals[k] * rules.unit != np.rint(totals[k] * rules.unit):
            return False
    return True


@njit(nogil=True, cache=True)
def apart_of_two(left, known, whole, narrow):
    apart = rounded(rounded(xlog2x(whole - known), narrow) + xlog2x(left), narrow)
    return rounded(apart + xlog2x(known - left), narrow)


@njit(nogil=True, cache=True, inline="always")
def least_in_branch(known, n_classes, min_cases, tolerance):
    """A tenth of the average class, but at least ``min_cases`` and, where that is less, at most 25."""
    least = 0.1 * known / n_classes
    if least <= min_cases + tolerance:
        return min_cases
    return min(least, 25.0)


@njit(nogil=True, cache=True, inline="always")
def no_test(best, f):
    best.gain[f], best.info[f], best.cut[f], best.above[f] = NO_GAIN, 0.0, 0, 0


@njit(nogil=True, cache=True)
def finish_cut(f, gain, n_cuts, left, known, whole, narrow, rules, best):
    """Charge the best cut for the choice among ``n_cuts``; nothing is left of it or its split information is noted."""
    if n_cuts == 0:
        return
    if rules.mdl:
        gain = rounded(gain - rounded(np.log2(n_cuts) / whole, narrow), narrow)
    if gain <= rules.tolerance:
        return
    best.gain[f] = gain
    best.info[f] = info_of(apart_of_two(left, known, whole, narrow), whole, narrow)


@njit(nogil=True, cache=True, inline="always")
def rounding_error(whole, n_classes):
    """How far sums of 32-bit numbers may take two gains of a node from each other."""
    return 2.5e-7 * (n_classes + 2) * np.log2(whole + 2)


@njit(nogil=True, cache=True)
def gain_between(left, right, before, known, whole, unit, narrow):
    """The gain of a cut from the classes on either side."""
    after = rounded(class_info(left, unit, narrow) + class_info(right, unit, narrow), narrow)
    return gain_of(before, after, known, whole, True, narrow)


@njit(nogil=True, cache=True, inline="always")
def take_missing(i, last, slots, codes, weights, labels, right):
    """Missing cases stand first: they are taken off the right. Returns where the known ones begin."""
    while i <= last and codes[i] == 0:
        right[labels[slots[i]]] -= weights[slots[i]]
        i += 1
    return i


@njit(nogil=True, cache=True, inline="always")
def update_terms(n_moved, moved, is_moved, left, right, unit, terms, inside):
    """Work out the terms of the classes that moved, roughly; returns the sum of all terms."""
    for m in range(n_moved):
        k = moved[m]
        is_moved[k] = False
        inside -= terms[k]
        terms[k] = rough_xlog2x(left[k] * unit) + rough_xlog2x(right[k] * unit)
        inside += terms[k]
    return inside


@njit(nogil=True, cache=True, inline="always")
def are_apart(low, high, values, gap, widest):
    """Whether there may be a cut between two codes. Codes ``widest`` apart are so by their values too: the values of a
    small node's codes lie far from each other in a long table, and looking them up takes longer than all the rest."""
    if high - low >= widest:
        return True
    return high > low and values[low] + gap < values[high]


@njit(nogil=True, cache=True)
def gain_passed(best_left, left, right, before, known, whole, unit, narrow):
    """The gain of a cut passed before; ``left`` and ``right`` are the classes at another cut of the node."""
    return gain_between(best_left, left + right - best_left, before, known, whole, unit, narrow)


@njit(nogil=True, cache=True, inline="always")
def rough_sides(left, right, unit):
    return rough_xlog2x(left * unit) + rough_xlog2x(right * unit)


@njit(nogil=True, cache=True)
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


@njit(nogil=True, cache=True, inline="always")
def count_block(i, slots, codes, values, widest, weights, labels, gap):
    """Weight of both classes in the next cases of a list, and how many cuts there are after one of them."""
    second, whole, n_cuts = 0, 0, 0
    for at in range(i, i + BLOCK):
        slot = slots[at]
        weight = weights[slot]
        whole += weight
        second += weight * np.int64(labels[slot])
        n_cuts += are_apart(np.int64(codes[at]), np.int64(codes[at + 1]), values, gap, widest)
    return whole - second, second, n_cuts


@njit(nogil=True, cache=True, inline="always")
def move_both(first, second, left, right, moved, is_moved):
    """Move weight of both classes to the left. Returns how many classes have moved."""
    left[0] += first
    right[0] -= first
    left[1] += second
    right[1] -= second
    moved[0], moved[1], is_moved[0], is_moved[1] = 0, 1, True, True
    return 2


@njit(nogil=True, cache=True)
def search_list(slots, codes, values, widest, weights, labels, start, stop, totals, rules, best):
    """Best cut of a column listed in sorted order, at every open node; missing cases stand first.

    The terms w·log2(w) of both sides are kept class by class, and only those of classes that moved are worked out
    again, roughly. ``gain`` is that of the best cut so far, true to ``off``: only where that leaves in doubt whether a
    cut is better are both worked out exactly. Where there are two classes, blocks of cases are passed over whole if no
    cut within can be better. ``widest``: see ``are_apart``.
    """
    n_classes, unit = totals.shape[1], rules.unit
    left, right, best_left = np.empty(n_classes, np.int64), np.empty(n_classes, np.int64), np.empty(n_classes, np.int64)
    terms, moved, is_moved = np.empty(n_classes), np.empty(n_classes, np.int64), np.zeros(n_classes, np.bool_)
    for f in range(start.shape[0]):
        no_test(best, f)
        for k in range(n_classes):
            left[k], right[k] = 0, totals[f, k]
        last = stop[f] - 1
        i = take_missing(start[f], last, slots, codes, weights, labels, right)
        n_left, n_right, inside = 0, 0, 0.0
        for k in range(n_classes):
            n_right += right[k]
            terms[k] = rough_xlog2x(right[k] * unit)
            inside += terms[k]
        whole, known, narrow = totals[f].sum() * unit, n_right * unit, is_narrow(totals[f], rules)
        before, per_case = class_info(right, unit, False), info_before(right, unit, known, True, narrow)
        least = least_in_branch(known, n_classes, rules.min_cases, rules.tolerance) - rules.tolerance
        gain, off, n_cuts, n_moved, slack = 0.0, 0.0, 0, 0, 0.0 if narrow else rules.slack
        doubt = ROUGH + (rounding_error(whole, n_classes) if narrow else 0.0)
        next_block = i
        while i < last:
            if n_classes == 2 and gain > 0 and i >= next_block and i + BLOCK <= last and n_left * unit >= least:
                next_block = i + BLOCK
                first, second, n_inside = count_block(i, slots, codes, values, widest, weights, labels, rules.gap)
                saved = before + most_within(left, right, first, second, unit)
                if saved <= (gain + slack - doubt - off) * whole and (n_right - first - second) * unit >= least:
                    n_moved = move_both(first, second, left, right, moved, is_moved)
                    n_left += first + second
                    n_right -= first + second
                    n_cuts += n_inside
                    i = next_block
                    continue
            slot = slots[i]
            weight, label = weights[slot], labels[slot]
            left[label] += weight
            right[label] -= weight
            n_left += weight
            n_right -= weight
            if not is_moved[label]:
                is_moved[label] = True
                moved[n_moved] = label
                n_moved += 1
            i += 1
            if n_right * unit < least:
                break
            if n_left * unit < least:
                continue
            if not are_apart(np.int64(codes[i - 1]), np.int64(codes[i]), values, rules.gap, widest):
                continue
            inside = update_terms(n_moved, moved, is_moved, left, right, unit, terms, inside)
            n_moved = 0
            n_cuts += 1
            rough = (before - rough_xlog2x(n_left * unit) - rough_xlog2x(n_right * unit) + inside) / whole
            if rough <= gain + slack - doubt - off:
                continue
            if rough > gain + slack + doubt + off:
                gain, off = rough, doubt
            else:
                if off > 0:
                    gain, off = gain_passed(best_left, left, right, per_case, known, whole, unit, narrow), 0.0
                gained = gain_between(left, right, per_case, known, whole, unit, narrow)
                if gained <= gain + slack:
                    continue
                gain = gained
            best.cut[f], best.above[f] = codes[i - 1], codes[i]
            for k in range(n_classes):
                best_left[k] = left[k]
        if off > 0:
            gain = gain_passed(best_left, left, right, per_case, known, whole, unit, narrow)
        for m in range(n_moved):
            is_moved[moved[m]] = False
        finish_cut(f, gain, n_cuts, best_left.sum() * unit, known, whole, narrow, rules, best)


@njit(nogil=True, cache=True)
def tally_cases(codes, rows, weights, labels, start, stop, stats, counts, listed):
    """Weight of each class by code; ``listed`` gets the codes that occur, ascending. Returns how many."""
    n = 0
    for i in range(start, stop):
        code = codes[rows[i]]
        if counts[code] == 0:
            listed[n] = code
            n += 1
        counts[code] += 1
        stats[code, labels[i]] += weights[i]
    sort_codes(listed, counts, n)
    return n


@njit(nogil=True, cache=True)
def search_tallied_cuts(codes, values, cases, start, stop, totals, rules, tally, best):
    """Best cut of an ordered column of few codes, at every open node."""
    n_classes, unit = totals.shape[1], rules.unit
    left, right = np.empty(n_classes, np.int64), np.empty(n_classes, np.int64)
    best_left = np.empty(n_classes, np.int64)
    listed, stats = tally.codes, tally.stats
    for f in range(start.shape[0]):
        no_test(best, f)
        n = tally_cases(codes, cases.row, cases.weight, cases.label, start[f], stop[f], stats, tally.rows, listed)
        first = 1 if n and listed[0] == 0 else 0
        n_left, n_right = 0, 0
        for k in range(n_classes):
            left[k], right[k] = 0, totals[f, k] - (stats[0, k] if first else 0)
            n_right += right[k]
        whole, known, narrow = totals[f].sum() * unit, n_right * unit, is_narrow(totals[f], rules)
        per_case = info_before(right, unit, known, True, narrow)
        least = least_in_branch(known, n_classes, rules.min_cases, rules.tolerance) - rules.tolerance
        gain, n_cuts, slack = 0.0, 0, 0.0 if narrow else rules.slack
        for i in range(first, n - 1):
            code = listed[i]
            for k in range(n_classes):
                left[k] += stats[code, k]
                right[k] -= stats[code, k]
                n_left += stats[code, k]
                n_right -= stats[code, k]
            if n_right * unit < least:
                break
            if n_left * unit >= least and values[code] + rules.gap < values[listed[i + 1]]:
                n_cuts += 1
                gained = gain_between(left, right, per_case, known, whole, unit, narrow)
                if gained > gain + slack:
                    gain = gained
                    best.cut[f], best.above[f] = code, listed[i + 1]
                    best_left[:] = left
        finish_cut(f, gain, n_cuts, best_left.sum() * unit, known, whole, narrow, rules, best)
        empty(tally, n)


@njit(nogil=True, cache=True)
def search_levels(codes, cases, start, stop, totals, rules, tally, best):
    """A branch per level, at every open node."""
    n_classes, unit = totals.shape[1], rules.unit
    known_stats = np.empty(n_classes, np.int64)
    listed, stats = tally.codes, tally.stats
    for f in range(start.shape[0]):
        no_test(best, f)
        n = tally_cases(codes, cases.row, cases.weight, cases.label, start[f], stop[f], stats, tally.rows, listed)
        first = 1 if n and listed[0] == 0 else 0
        whole, narrow = totals[f].sum() * unit, is_narrow(totals[f], rules)
        known = whole - stats[0].sum() * unit if first else whole
        n_large, after, apart = 0, 0.0, rounded(xlog2x(whole - known), narrow)
        known_stats[:] = 0
        for i in range(first, n):
            branch = stats[listed[i]]
            for k in range(n_classes):
                known_stats[k] += branch[k]
            weight = branch.sum() * unit
            n_large += weight >= rules.min_cases - rules.tolerance
            after = rounded(after + class_info(branch, unit, narrow), narrow)
            apart = rounded(apart + xlog2x(weight), narrow)
        if n_large >= 2:
            before = info_before(known_stats, unit, known, False, narrow)
            best.gain[f] = gain_of(before, after, known, whole, False, narrow)
            best.info[f] = info_of(apart, whole, narrow)
        empty(tally, n)


@njit(nogil=True, cache=True)
def search_one_level(codes, cases, start, stop, totals, rules, tally, best):
    """One level against all others, by gain ratio, at every open node.

    Where tests are admissible but none gains, the gain is 0: the column counts among those that could be tested.
    """
    n_classes, unit = totals.shape[1], rules.unit
    known_stats, rest = np.empty(n_classes, np.int64), np.empty(n_classes, np.int64)
    listed, stats = tally.codes, tally.stats
    for f in range(start.shape[0]):
        no_test(best, f)
        n = tally_cases(codes, cases.row, cases.weight, cases.label, start[f], stop[f], stats, tally.rows, listed)
        first = 1 if n and listed[0] == 0 else 0
        for k in range(n_classes):
            known_stats[k] = totals[f, k] - (stats[0, k] if first else 0)
        whole, known, narrow = totals[f].sum() * unit, known_stats.sum() * unit, is_narrow(totals[f], rules)
        before = info_before(known_stats, unit, known, False, narrow)
        least, ratio = rules.min_cases - rules.tolerance, 0.0
        for i in range(first, n):
            alone = stats[listed[i]]
            weight = alone.sum() * unit
            if weight < least or known - weight < least:
                continue
            if best.gain[f] == NO_GAIN:
                best.gain[f] = 0.0
            for k in range(n_classes):
                rest[k] = known_stats[k] - alone[k]
            after = rounded(class_info(alone, unit, narrow) + class_info(rest, unit, narrow), narrow)
            gain = gain_of(before, after, known, whole, False, narrow)
            info = info_of(apart_of_two(weight, known, whole, narrow), whole, narrow)
            if info > 0 and gain / info > ratio + rules.slack:
                ratio = gain / info
                best.gain[f], best.info[f], best.cut[f] = gain, info, listed[i]
        empty(tally, n)
