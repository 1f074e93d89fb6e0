"""Gain and split information of the best test of a column, on the cases whose value is known.

gain = (info before - info after on the known cases) / W,  W being the weight of all cases of the node: this is the gain
of the known cases times their share. Split information counts the missing cases as one more branch. All in bits.
"""

from typing import NamedTuple

import numpy as np

from treewright.kernels.jit import borrowing, inlined, inlined_borrowing, kernel
from treewright.kernels.search.count import empty, sort_codes

NO_GAIN = -np.inf


class RatioLimits(NamedTuple):
    """Numbers only."""

    unit: float  # what one unit of fixed-point weight is worth
    min_cases: float  # least weight of two branches
    slack: float  # a cut must gain this much more than one before it
    tolerance: float  # weights and gains this close to a limit have reached it
    resolution: float  # neighbouring numbers this close are not told apart
    mdl: bool  # numeric cuts pay log2(candidates) / W
    by_ratio: bool  # groups of levels are judged by the ratio, not by the gain
    narrow: bool  # where all weights are whole, figures are what sums of 32-bit numbers make them


class BestRatio(NamedTuple):
    """The best test of one column at every open node."""

    gain: np.ndarray  # float64, -inf where there is none
    info: np.ndarray  # float64
    cut: np.ndarray  # int64: last code on the left, or the code that stands alone
    above: np.ndarray  # int64: first code on the right


@inlined
def xlog2x(x):
    return x * np.log2(x) if x > 0 else 0.0


@inlined
def rounded(x, narrow):
    return np.float64(np.float32(x)) if narrow else x


@borrowing
def class_info(weights, unit, narrow):
    """Σ over the classes of -w·log2(w / Σw)."""
    total, inside = 0, 0.0
    for k in range(weights.shape[0]):
        total += weights[k]
        inside = rounded(inside + xlog2x(weights[k] * unit), narrow)
    return rounded(xlog2x(total * unit) - inside, narrow)


@borrowing
def info_before(weights, unit, known, ordered, narrow):
    """Information of the known cases, per case. C4.5 adds it up in 32 bits for numbers, in 64 for levels."""
    return rounded(class_info(weights, unit, narrow and ordered) / known, narrow) if known > 0 else 0.0


@borrowing
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


@borrowing
def info_of(apart, whole, narrow):
    """Split information per case; ``apart`` is the sum of w·log2(w) over the branches and the missing cases."""
    return rounded(rounded(xlog2x(whole) - apart, narrow) / whole, narrow)


@borrowing
def is_narrow(totals, rules):
    """Whether sums are rounded to 32 bits at a node. Sums of fractions depend on their order, so those are not."""
    if not rules.narrow:
        return False
    for k in range(totals.shape[0]):
        if totals[k] * rules.unit != np.rint(totals[k] * rules.unit):
            return False
    return True


@borrowing
def apart_of_two(left, known, whole, narrow):
    apart = rounded(rounded(xlog2x(whole - known), narrow) + xlog2x(left), narrow)
    return rounded(apart + xlog2x(known - left), narrow)


@inlined
def least_in_branch(known, n_classes, min_cases, tolerance):
    """A tenth of the average class, but at least ``min_cases`` and, where that is less, at most 25."""
    least = 0.1 * known / n_classes
    if least <= min_cases + tolerance:
        return min_cases
    return min(least, 25.0)


@inlined_borrowing
def no_test(best, f):
    best.gain[f], best.info[f], best.cut[f], best.above[f] = NO_GAIN, 0.0, 0, 0


@borrowing
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


@borrowing
def gain_between(left, right, before, known, whole, unit, narrow):
    """The gain of a cut from the classes on either side."""
    after = rounded(class_info(left, unit, narrow) + class_info(right, unit, narrow), narrow)
    return gain_of(before, after, known, whole, True, narrow)


@kernel
def tally_cases(codes, rows, weights, labels, start, stop, stats, counts, occurring):
    """Weight of each class by code; ``occurring`` gets the codes that occur, ascending. Returns how many."""
    n = 0
    for i in range(start, stop):
        code = codes[rows[i]]
        if counts[code] == 0:
            occurring[n] = code
            n += 1
        counts[code] += 1
        stats[code, labels[i]] += weights[i]
    sort_codes(occurring, counts, n)
    return n


@kernel
def search_tallied_cuts(codes, values, cases, start, stop, totals, rules, tally, best):
    """Best cut of an ordered column of few codes, at every open node."""
    n_classes, unit = totals.shape[1], rules.unit
    left, right = np.empty(n_classes, np.int64), np.empty(n_classes, np.int64)
    best_left = np.empty(n_classes, np.int64)
    occurring, stats = tally.codes, tally.stats
    for f in range(start.shape[0]):
        no_test(best, f)
        n = tally_cases(codes, cases.row, cases.weight, cases.label, start[f], stop[f], stats, tally.rows, occurring)
        first = 1 if n and occurring[0] == 0 else 0
        n_left, n_right = 0, 0
        for k in range(n_classes):
            left[k], right[k] = 0, totals[f, k] - (stats[0, k] if first else 0)
            n_right += right[k]
        whole, known, narrow = totals[f].sum() * unit, n_right * unit, is_narrow(totals[f], rules)
        per_case = info_before(right, unit, known, True, narrow)
        least = least_in_branch(known, n_classes, rules.min_cases, rules.tolerance) - rules.tolerance
        gain, n_cuts, slack = 0.0, 0, 0.0 if narrow else rules.slack
        for i in range(first, n - 1):
            code = occurring[i]
            for k in range(n_classes):
                left[k] += stats[code, k]
                right[k] -= stats[code, k]
                n_left += stats[code, k]
                n_right -= stats[code, k]
            if n_right * unit < least:
                break
            if n_left * unit >= least and values[code] + rules.resolution < values[occurring[i + 1]]:
                n_cuts += 1
                gained = gain_between(left, right, per_case, known, whole, unit, narrow)
                if gained > gain + slack:
                    gain = gained
                    best.cut[f], best.above[f] = code, occurring[i + 1]
                    best_left[:] = left
        finish_cut(f, gain, n_cuts, best_left.sum() * unit, known, whole, narrow, rules, best)
        empty(tally, n)


@kernel
def search_levels(codes, cases, start, stop, totals, rules, tally, best):
    """A branch per level, at every open node."""
    n_classes, unit = totals.shape[1], rules.unit
    known_stats = np.empty(n_classes, np.int64)
    occurring, stats = tally.codes, tally.stats
    for f in range(start.shape[0]):
        no_test(best, f)
        n = tally_cases(codes, cases.row, cases.weight, cases.label, start[f], stop[f], stats, tally.rows, occurring)
        first = 1 if n and occurring[0] == 0 else 0
        for k in range(n_classes):
            known_stats[k] = totals[f, k] - (stats[0, k] if first else 0)
        whole, known, narrow = totals[f].sum() * unit, known_stats.sum() * unit, is_narrow(totals[f], rules)
        n_large, after, apart = 0, 0.0, rounded(xlog2x(whole - known), narrow)
        for i in range(first, n):
            branch = stats[occurring[i]]
            weight = branch.sum() * unit
            n_large += weight >= rules.min_cases - rules.tolerance
            after = rounded(after + class_info(branch, unit, narrow), narrow)
            apart = rounded(apart + xlog2x(weight), narrow)
        if n_large >= 2:
            before = info_before(known_stats, unit, known, False, narrow)
            best.gain[f] = gain_of(before, after, known, whole, False, narrow)
            best.info[f] = info_of(apart, whole, narrow)
        empty(tally, n)


@kernel
def search_one_level(codes, cases, start, stop, totals, rules, tally, best):
    """One level against all others, by gain ratio, at every open node.

    Where tests are admissible but none gains, the gain is 0: the column counts among those that could be tested.
    """
    n_classes, unit = totals.shape[1], rules.unit
    known_stats, rest = np.empty(n_classes, np.int64), np.empty(n_classes, np.int64)
    occurring, stats = tally.codes, tally.stats
    for f in range(start.shape[0]):
        no_test(best, f)
        n = tally_cases(codes, cases.row, cases.weight, cases.label, start[f], stop[f], stats, tally.rows, occurring)
        first = 1 if n and occurring[0] == 0 else 0
        for k in range(n_classes):
            known_stats[k] = totals[f, k] - (stats[0, k] if first else 0)
        whole, known, narrow = totals[f].sum() * unit, known_stats.sum() * unit, is_narrow(totals[f], rules)
        before = info_before(known_stats, unit, known, False, narrow)
        least, ratio = rules.min_cases - rules.tolerance, 0.0
        for i in range(first, n):
            alone = stats[occurring[i]]
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
                best.gain[f], best.info[f], best.cut[f] = gain, info, occurring[i]
        empty(tally, n)
