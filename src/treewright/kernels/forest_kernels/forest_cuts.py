"""Cuts drawn at random, one for each drawn column of a node: where they are, and what they score.

Numbers of 32 bits need no table of ranks: their bits, turned so that they are in order, are codes as well.
"""

import numpy as np

from treewright.kernels.forest_kernels.forest_scan import CLASS_BITS, CLASSES, HALF, PACKED, score_of
from treewright.kernels.jit import borrowing, dividing, inlined_borrowing
from treewright.kernels.sorting.key_sort import LOW_HALF

FEW_ROWS = 64


@inlined_borrowing
def number_of(code, word, as_number):
    """The number that such a code stands for; ``word`` and ``as_number`` are the same four bytes."""
    bits = np.int64(code)
    word[0] = bits ^ 0x80000000 if bits >= 0x80000000 else bits ^ 0xFFFFFFFF
    return np.float64(as_number[0])


@inlined_borrowing
def last_code_up_to(threshold, word, as_number):
    """The code of the highest number of 32 bits that is not above the threshold."""
    as_number[0] = np.float32(threshold) + np.float32(0)  # no negative zero
    bits = np.int64(word[0])
    code = bits ^ 0xFFFFFFFF if bits >= 0x80000000 else bits ^ 0x80000000
    return code - 1 if np.float64(as_number[0]) > threshold else code


@inlined_borrowing
def last_code_below(threshold, highs, at, kept, slot, n, lowest, highest):
    """A code up to which the rows of the node have numbers up to the threshold, and above which none has. ``highs`` of
    ``at`` and more are the numbers of codes. To look up those of few rows is faster than to search them all."""
    codes, below = kept[slot], np.int64(lowest)
    if n <= FEW_ROWS:
        for i in range(n):
            code = np.int64(codes[i])
            below = max(below, code if highs[at + code] <= threshold else 0)
        return below
    above = np.int64(highest)
    while above - below > 1:
        middle = (below + above) // 2
        is_below = highs[at + middle] <= threshold
        below, above = (middle, above) if is_below else (below, middle)
    return below


@inlined_borrowing
def threshold_of(share, lowest, highest):
    """A number from the lowest up to the highest and below it; see ``ColumnDraws.thresholds``."""
    threshold = lowest + share * (highest - lowest)
    return threshold if lowest <= threshold and threshold < highest else lowest


@inlined_borrowing
def add_up_to(keys, known, cut, mode, labels, weights, moments, squares, stats):
    """Statistics of the keys up to a code, and how many there are; no key is branched upon, as in ``add_right``."""
    for s in range(stats.shape[0]):
        stats[s] = 0
    n, ceiling = np.int64(0), (np.uint64(cut) << HALF) | LOW_HALF
    if mode == PACKED:
        for i in range(known):
            carried, counts = np.int64(keys[i] & LOW_HALF), np.int64(keys[i] <= ceiling)
            stats[carried & (2**CLASS_BITS - 1)] += (carried >> CLASS_BITS) * counts
            n += counts
    elif mode == CLASSES:
        for i in range(known):
            carried, counts = np.int64(keys[i] & LOW_HALF), np.int64(keys[i] <= ceiling)
            stats[labels[carried]] += weights[carried] * counts
            n += counts
    else:
        weight, moment = np.int64(0), np.int64(0)
        for i in range(known):
            carried, counts = np.int64(keys[i] & LOW_HALF), np.int64(keys[i] <= ceiling)
            weight += weights[carried] * counts
            moment += moments[carried] * counts
            n += counts
        stats[0], stats[1] = weight, moment  # squares have no part in a score
    return n


@borrowing
def add_codes_up_to(kept, slot, n, cut, bits, wide, mode, here, labels, weights, moments, stats):
    """The same of rows of which none is missing; their codes stand side by side, in the order of what they carry."""
    codes, last, n_left = kept[slot], np.uint32(cut), np.uint32(0)
    for i in range(n):
        n_left += np.uint32(codes[i] <= last)
    for s in range(stats.shape[0]):
        stats[s] = 0
    if bits > 0:
        counts = np.uint64(0)
        for i in range(n):
            counts += wide[i] & (np.uint64(0) - np.uint64(codes[i] <= last))
        apart(counts, bits, stats)
    elif mode == PACKED:
        for i in range(n):
            times = np.int64(here[i] >> np.uint32(CLASS_BITS)) * np.int64(codes[i] <= last)
            stats[here[i] & np.uint32(2**CLASS_BITS - 1)] += times
    elif mode == CLASSES:
        for i in range(n):
            stats[labels[i]] += weights[i] * np.int64(codes[i] <= last)
    else:
        weight, moment = np.int64(0), np.int64(0)
        for i in range(n):
            weight += weights[i] & -np.int64(codes[i] <= last)
            moment += moments[i] & -np.int64(codes[i] <= last)
        stats[0], stats[1] = weight, moment
    return np.int64(n_left)


@borrowing
def fields_up_to(kept, slot, n, cut, wide):
    """Rows of all classes, and how many, up to a code: as they stand side by side in one number, see ``widen``."""
    codes, last, counts = kept[slot], np.uint32(cut), np.uint64(0)
    for i in range(n):
        counts += wide[i] & (np.uint64(0) - np.uint64(codes[i] <= last))
    return counts


@dividing
def score_fields(fields, bits, n, total, min_rows, min_weight):
    """Gini of such rows against all others; sums of squares are exact, in whatever order they are added."""
    field, of_left, of_right = (np.uint64(1) << np.uint64(bits)) - np.uint64(1), np.int64(0), np.int64(0)
    a_left, a_right = np.int64(0), np.int64(0)
    for k in range(total.shape[0]):
        a = np.int64(fields & field)
        b = total[k] - a
        fields >>= np.uint64(bits)
        of_left, of_right, a_left, a_right = of_left + a * a, of_right + b * b, a_left + a, a_right + b
    n_left = np.int64(fields)
    if n_left < min_rows or n - n_left < min_rows or n_left == 0 or n_left == n or min(a_left, a_right) < min_weight:
        return -np.inf
    score = np.float64(of_left) / np.float64(a_left) if a_left > 0 else 0.0
    return score + (np.float64(of_right) / np.float64(a_right) if a_right > 0 else 0.0)


@inlined_borrowing
def apart(counts, bits, stats):
    """The counts of classes that stand side by side in one number; see ``widen``."""
    for k in range(stats.shape[0]):
        stats[k] = np.int64((counts >> np.uint64(k * bits)) & ((np.uint64(1) << np.uint64(bits)) - np.uint64(1)))


@inlined_borrowing
def score_sides(n_left, n, total, left, right, criterion, table, min_rows, min_weight):
    """The score of rows on the left against all others."""
    if n_left < min_rows or n - n_left < min_rows or n_left == 0 or n_left == n:
        return -np.inf
    for s in range(total.shape[0]):
        right[s] = total[s] - left[s]
    return score_of(left, right, criterion, table, min_weight)


@inlined_borrowing
def score_cut(
    keys, known, n, cut, of_missing, total, left, right, mode, labels, weights, moments, squares, criterion, table,
    min_rows, min_weight, slack,
):  # fmt: skip
    """The better of the two ways for missing rows, if there are some: codes up to the cut against those above it. Where
    all are up to the cut, missing rows are on the right."""
    n_missing = n - known
    n_left = add_up_to(keys, known, cut, mode, labels, weights, moments, squares, left)
    best, goes_left = -np.inf, 0
    for missing_left in range(2 if n_missing > 0 and n_left < known else 1):
        if missing_left:
            n_left += n_missing
            for s in range(total.shape[0]):
                left[s] += of_missing[s]
        score = score_sides(n_left, n, total, left, right, criterion, table, min_rows, min_weight)
        if score > best + slack:
            best, goes_left = score, missing_left
    return best, goes_left
