"""Nominal columns at one node of a forest's tree: two subsets of the levels that occur there.

The same splits as in levels.py, in the same order, over plain arrays: ``stats[code]`` and ``rows[code]`` are the counts
of the node, ``present[:n]`` the codes that occur, missing (0) being one of them. ``cut`` is the subset on the left as
bits, one for each level that occurs, or k·n + i for the first i + 1 of n levels in the order of class k.
"""

import numpy as np

from treewright.kernels.forest_kernels.forest_scan import CLASS_BITS, CLASSES, PACKED, score_of
from treewright.kernels.jit import borrowing, inlined_borrowing
from treewright.kernels.random_numbers import LEVEL, LEVELS, hashed
from treewright.kernels.search.count import sort_codes
from treewright.kernels.search.levels import EXHAUSTIVE_LEVELS, sort_by
from treewright.kernels.search.mass import ENTROPY, GINI, is_numeric, weight_of

MOST_BITS = 62
FEW_CODES = 4  # for each row of a node: then all are looked at, else those that occur are sorted


@borrowing
def count_levels(
    table, j, n_codes, rows, start, n_rows, bits, wide, sums, carried, mode, labels, weights, moments, squares, count,
    stats, present,
):  # fmt: skip
    """Fill the counts with column j of a node's rows; returns how many codes occur."""
    codes, first = table[j], np.uint64(start)
    if bits > 0 and n_codes <= FEW_CODES * n_rows:
        for i in range(np.uint64(n_rows)):
            sums[codes[rows[first + i]]] += wide[i]
        return spread_counts(n_codes, bits, sums, count, stats, present)
    n = 0
    for i in range(np.uint64(n_rows)):
        code = codes[rows[first + i]]
        if count[code] == 0:
            present[n] = code
            n += 1
        count[code] += 1
        if mode == PACKED:
            stats[code, carried[i] & np.uint32(2**CLASS_BITS - 1)] += carried[i] >> np.uint32(CLASS_BITS)
        elif mode == CLASSES:
            stats[code, labels[i]] += weights[i]
        else:
            stats[code, 0] += weights[i]
            stats[code, 1] += moments[i]
            stats[code, 2] += squares[i]
    sort_codes(present, count, n)
    return n


@inlined_borrowing
def spread_counts(n_codes, bits, sums, count, stats, present):
    """Counts of levels from those that stand side by side in one number, see ``widen``; these are emptied."""
    n, field = 0, (np.uint64(1) << np.uint64(bits)) - np.uint64(1)
    for code in range(n_codes):
        both = sums[code]
        if both != 0:
            present[n] = code
            n += 1
            for k in range(stats.shape[1]):
                stats[code, k] = np.int64(both & field)
                both >>= np.uint64(bits)
            count[code], sums[code] = np.int64(both), np.uint64(0)
    return n


@borrowing
def empty_levels(n, count, stats, present):
    for i in range(n):
        count[present[i]] = 0
        for s in range(stats.shape[1]):
            stats[present[i], s] = 0


@inlined_borrowing
def is_one_order(criterion, n_stats):
    return is_numeric(criterion) or (n_stats == 2 and (criterion == GINI or criterion == ENTROPY))


@borrowing
def split_levels(
    n, count, stats, present, order, shares, weight, n_rows, total, left, right, criterion, table, min_rows, min_weight,
    slack,
):  # fmt: skip
    """The best two subsets: score and ``cut``. ``order``, ``shares`` and ``weight`` are room for each level."""
    if n < 2:
        return -np.inf, 0
    if is_one_order(criterion, total.shape[0]):
        return cut_order(
            n, count, stats, present, order, shares, n_rows, total, left, right, criterion, table, min_rows,
            min_weight, slack,
        )  # fmt: skip
    if n <= EXHAUSTIVE_LEVELS:
        return every_subset(
            n, count, stats, present, n_rows, total, left, right, criterion, table, min_rows, min_weight, slack
        )
    best, cut = -np.inf, 0
    for i in range(n):
        weight[i] = weight_of(stats[present[i]], False)
    for k in range(total.shape[0]):
        if total[k] > 0:
            best, cut = cuts_by_share(
                k, n, count, stats, present, order, shares, weight, n_rows, total, left, right, criterion, table,
                min_rows, min_weight, slack, best, cut,
            )  # fmt: skip
    return best, cut


@borrowing
def order_levels(k, criterion, n, stats, present, order, shares):
    """Places of levels by the share of class k or by mean, equal ones by code."""
    for i in range(n):
        weight = np.int64(0)
        for s in range(1 if is_numeric(criterion) else stats.shape[1]):
            weight += stats[present[i], s]
        shares[i] = stats[present[i], k] / weight
        order[i] = i
    sort_by(shares[:n], order[:n])


@borrowing
def cut_order(
    n, count, stats, present, order, shares, n_rows, total, left, right, criterion, table, min_rows, min_weight, slack
):
    """All cuts of the levels in the one order."""
    order_levels(1, criterion, n, stats, present, order, shares)
    for s in range(total.shape[0]):
        left[s], right[s] = 0, total[s]
    best, cut, n_left = -np.inf, 0, 0
    for i in range(n - 1):
        code = present[order[i]]
        n_left += count[code]
        for s in range(total.shape[0]):
            left[s] += stats[code, s]
            right[s] -= stats[code, s]
        if n_left >= min_rows and n_rows - n_left >= min_rows:
            score = score_of(left, right, criterion, table, min_weight)
            if score > best + slack:
                best, cut = score, n + i
    return best, cut


@borrowing
def cuts_by_share(
    k, n, count, stats, present, order, shares, weight, n_rows, total, left, right, criterion, table, min_rows,
    min_weight, slack, best, cut,
):  # fmt: skip
    """Cuts of the levels ordered by the share of class k, from the top down between levels of different share. Levels
    without the class stay on the left: of many classes most levels have few, so few cuts are tried."""
    n_with = 0
    for i in range(n):
        if stats[present[i], k] > 0:
            shares[i], order[n_with] = stats[present[i], k] / weight[i], i
            n_with += 1
    sort_by(shares, order[:n_with])
    for s in range(total.shape[0]):
        left[s], right[s] = total[s], 0
    n_left = n_rows
    for p in range(n_with - 1, -1, -1):
        code, place = present[order[p]], n - n_with + p - 1
        n_left -= count[code]
        for s in range(total.shape[0]):
            left[s] -= stats[code, s]
            right[s] += stats[code, s]
        if place < 0 or (p > 0 and shares[order[p]] == shares[order[p - 1]]):
            continue
        if n_left >= min_rows and n_rows - n_left >= min_rows:
            score = score_of(left, right, criterion, table, min_weight)
            if score > best + slack:
                best, cut = score, k * n + place
    return best, cut


@borrowing
def every_subset(n, count, stats, present, n_rows, total, left, right, criterion, table, min_rows, min_weight, slack):
    """Every way to cut the levels in two, walked in Gray code order: one level changes sides at each step."""
    for s in range(total.shape[0]):
        left[s], right[s] = 0, total[s]
    best, cut, n_left, subset = -np.inf, 0, 0, 0
    for step in range(1, 1 << (n - 1)):
        level = 0
        while not (step >> level) & 1:
            level += 1
        subset ^= 1 << level
        code, sign = present[level], 1 if (subset >> level) & 1 else -1
        n_left += sign * count[code]
        for s in range(total.shape[0]):
            left[s] += sign * stats[code, s]
            right[s] -= sign * stats[code, s]
        if n_left >= min_rows and n_rows - n_left >= min_rows:
            score = score_of(left, right, criterion, table, min_weight)
            if score > best + slack:
                best, cut = score, subset
    return best, cut


@borrowing
def is_level_on_left(key, column, n, place):
    """Whether a level is in the subset of the draw; see ``ColumnDraws.is_on_left``."""
    if place >= MOST_BITS:
        return hashed(key, column, place, LEVEL) & np.uint64(1) == np.uint64(1)
    subsets = (np.uint64(1) << np.uint64(min(n, MOST_BITS))) - np.uint64(2)
    subset = np.uint64(1) + hashed(key, column, 0, LEVELS) % subsets
    return (subset >> np.uint64(place)) & np.uint64(1) == np.uint64(1)


@borrowing
def score_random_levels(
    key, column, n, count, stats, present, n_rows, total, left, right, criterion, table, min_rows, min_weight
):
    """The subset of the draw against the rest."""
    if n < 2:
        return -np.inf
    for s in range(total.shape[0]):
        left[s] = 0
    n_left = 0
    for i in range(n):
        if is_level_on_left(key, column, n, i):
            n_left += count[present[i]]
            for s in range(total.shape[0]):
                left[s] += stats[present[i], s]
    for s in range(total.shape[0]):
        right[s] = total[s] - left[s]
    if n_left < min_rows or n_rows - n_left < min_rows or n_left == 0 or n_left == n_rows:
        return -np.inf
    return score_of(left, right, criterion, table, min_weight)


@borrowing
def note_sides(
    key, column, random_cuts, cut, is_ordered, n, stats, present, order, shares, criterion, sides
):  # fmt: skip
    """``sides``: 2 · code of every level that occurs, + 1 where it is on the right. ``is_ordered``: the levels are
    still in the order they were cut in."""
    in_order = is_one_order(criterion, stats.shape[1]) or n > EXHAUSTIVE_LEVELS
    if in_order and not random_cuts and not (is_ordered and is_one_order(criterion, stats.shape[1])):
        order_levels(cut // n, criterion, n, stats, present, order, shares)
    for i in range(n):
        if random_cuts:
            sides[i] = 2 * present[i] + (0 if is_level_on_left(key, column, n, i) else 1)
        elif in_order:
            sides[i] = 2 * present[order[i]] + (0 if i <= cut % n else 1)
        else:
            sides[i] = 2 * present[i] + (0 if (cut >> i) & 1 else 1)
