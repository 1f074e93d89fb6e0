"""The rows of one node of a forest's tree: what they count for, their codes, and the two sides of a split.

Loops are written so that many rows are looked at at once, and places in them have no sign: from others numba would
first tell whether they count from the end.
"""

import numpy as np

from treewright.kernels.forest_kernels.forest_cuts import apart
from treewright.kernels.forest_kernels.forest_scan import CLASS_BITS, CLASSES, NUMBERS, PACKED
from treewright.kernels.jit import borrowing, inlined_borrowing

AT_ONCE = 16  # codes


@borrowing
def copy_codes(table, j, rows, start, n, to):
    """The codes of column j. Places are numbers without a sign: from others numba would first tell whether they count
    from the end. A column is taken of the table by those that borrow: who holds it is counted elsewhere."""
    codes, out, first = table[j], to[j], np.uint64(start)
    for i in range(np.uint64(n)):
        out[i] = codes[rows[first + i]]


@inlined_borrowing
def copy_rows(rows, start, n, carried, weight, moment, square, mode, to_carried, to_weight, to_moment, to_square):
    for i in range(n):
        row = rows[start + i]
        if mode != NUMBERS:
            to_carried[i] = carried[row]
        if mode != PACKED:
            to_weight[i] = weight[row]
        if mode == NUMBERS:
            to_moment[i], to_square[i] = moment[row], square[row]


@borrowing
def look_up(rows, start, n, carried, weight, moment, square, mode, here, labels, weights, moments, squares):
    """What the rows of a node count for, side by side; ``here`` is what keys carry along."""
    first, last = np.uint64(start), np.uint64(n)
    if mode == PACKED:
        for i in range(last):
            here[i] = carried[rows[first + i]]
    elif mode == CLASSES:
        for i in range(last):
            here[i], weights[i], labels[i] = i, weight[rows[first + i]], carried[rows[first + i]]
    else:
        for i in range(last):
            row = rows[first + i]
            here[i], weights[i], moments[i], squares[i] = i, weight[row], moment[row], square[row]


@borrowing
def widen(here, n, total, mode, wide, n_fields):
    """Counts of all classes side by side in one number, so that they are added at once; one row more in the field
    behind them, if there is one. Returns the bits of a field; 0 where there are too few for the weight of the node."""
    n_classes, weight = total.shape[0], np.int64(0)
    bits = min(62, 64 // n_fields)
    for k in range(n_classes):
        weight += total[k]
    if mode != PACKED or weight >> bits > 0:
        return 0
    one_row = np.uint64(1) << np.uint64(n_classes * bits) if n_fields > n_classes else np.uint64(0)
    for i in range(n):
        of_class, times = here[i] & np.uint32(2**CLASS_BITS - 1), here[i] >> np.uint32(CLASS_BITS)
        wide[i] = (np.uint64(times) << (np.uint64(of_class) * np.uint64(bits))) + one_row
    return bits


@borrowing
def read_codes(table, j, rows, start, n, kept, slot):
    """The codes of column j of a node's rows; returns the lowest and the highest. Some of the first are written behind
    the last: so many are compared at once, and the processor need not tell beforehand which of the last ones is lower.
    """
    codes, out, first = table[j], kept[slot], np.uint64(start)
    for i in range(np.uint64(n)):
        out[i] = codes[rows[first + i]]
    for i in range(AT_ONCE):
        out[np.uint64(n) + np.uint64(i)] = out[0]
    lowest, highest = np.uint32(0xFFFFFFFF), np.uint32(0)
    for i in range(rounded_up(n)):
        lowest, highest = min(lowest, out[i]), max(highest, out[i])
    return lowest, highest


@inlined_borrowing
def rounded_up(n):
    return ((n + AT_ONCE - 1) // AT_ONCE) * AT_ONCE


@borrowing
def by_cut(kept, slot, n, cut, missing_left, goes_right):
    """Which rows go right; returns how many go left, and how many are missing."""
    codes, last, missing_right = kept[slot], np.uint32(cut), missing_left == 0
    n_right, n_missing = np.uint32(0), np.uint32(0)
    for i in range(n):
        is_missing = codes[i] == 0
        right = (codes[i] > last) | (is_missing & missing_right)
        n_missing += np.uint32(is_missing)
        n_right += np.uint32(right)
        goes_right[i] = right
    return n - np.int64(n_right), np.int64(n_missing)


@borrowing
def codes_beside(kept, slot, n, cut):
    """The highest code up to the cut and the lowest above it, 0 where there is none. Distances in the wrong direction
    wrap around and are the longest, so that nothing has to be chosen, and many are compared at once."""
    codes, last = kept[slot], np.uint32(cut)
    following, down, up = np.uint32(last + np.uint32(1)), np.uint32(0xFFFFFFFF), np.uint32(0xFFFFFFFF)
    for i in range(rounded_up(n)):
        down = min(down, np.uint32(last - codes[i]))
        up = min(up, np.uint32(codes[i] - following))
    below, above = np.uint32(last - down), np.uint32(following + up)
    return np.int64(below), np.int64(above) if above > last else np.int64(0)


@inlined_borrowing
def by_level(table, j, rows, start, n, side, goes_right):
    codes, n_right, n_missing, first = table[j], 0, 0, np.uint64(start)
    for i in range(np.uint64(n)):
        code = codes[rows[first + i]]
        right = side[code]
        goes_right[i] = right
        n_right += right
        n_missing += code == 0
    return n - n_right, n_missing


@borrowing
def add_right(goes_right, n, bits, wide, mode, here, labels, weights, moments, squares, stats):
    """Statistics of the rows that go right. No row is branched upon: the processor could not tell where it goes."""
    for s in range(stats.shape[0]):
        stats[s] = 0
    if bits > 0:
        counts = np.uint64(0)
        for i in range(n):
            counts += wide[i] & (np.uint64(0) - np.uint64(goes_right[i]))
        apart(counts, bits, stats)
    elif mode == PACKED:
        for i in range(n):
            stats[here[i] & np.uint32(2**CLASS_BITS - 1)] += np.int64(here[i] >> np.uint32(CLASS_BITS)) * goes_right[i]
    elif mode == CLASSES:
        for i in range(n):
            stats[labels[i]] += weights[i] * goes_right[i]
    else:
        weight, moment, square = np.int64(0), np.int64(0), np.int64(0)
        for i in range(n):
            weight += weights[i] * goes_right[i]
            moment += moments[i] * goes_right[i]
            square += squares[i] * goes_right[i]
        stats[0], stats[1], stats[2] = weight, moment, square


@borrowing
def part(rows, start, n, goes_right, spare):
    """Rows that go left first, in their order."""
    first, n_left, n_right = np.uint64(start), np.uint64(0), np.uint64(0)
    for i in range(np.uint64(n)):
        row, right = rows[first + i], np.uint64(goes_right[i])
        rows[first + n_left] = row
        spare[n_right] = row
        n_left += np.uint64(1) - right
        n_right += right
    for i in range(n_right):
        rows[first + n_left + i] = spare[i]
