"""Rows cut at medians into cells: the build of KD-trees and ball trees.

Node v has the children 2v + 1 and 2v + 2. Rows are compared by the value on the axis of the node, equal values by the
number of the row, so that a cell has the same rows whoever built it; within a leaf, rows are in the order of their
numbers.
"""

from typing import NamedTuple

import numpy as np

from treewright.kernels.jit import borrowing, inlined, kernel

_EQUAL = 1 + 1e-9  # variances nearer than this are the same: their sums depend on the order of the rows
LEAF = -1  # the axis of a node that is not cut
NOT_THERE = -2  # the axis of a number that no node has


class SpaceCells(NamedTuple):
    """A tree of cells, an entry per node. Leaf v holds the rows ``order[start[v] : end[v]]``."""

    axis: np.ndarray  # the column that is cut, LEAF or NOT_THERE
    below: np.ndarray  # the largest value of the left child on that axis
    above: np.ndarray  # the smallest of the right child
    start: np.ndarray
    end: np.ndarray
    same: np.ndarray  # of a leaf: its rows are known to be all equal


@kernel
def cut_nodes(points, order, first, last, n_levels, leaf_size, rotate, cells):
    """Cut the nodes ``first`` to ``last`` and ``n_levels`` below them. Rows of ``points`` and ``order`` are moved."""
    stack = np.empty(2 * n_levels + 2 + last - first, np.int64)
    levels = np.empty(len(stack), np.int64)
    for root in range(first, last):
        if cells.axis[root] == NOT_THERE:
            continue
        stack[0], levels[0] = root, n_levels
        n = 1
        while n:
            n -= 1
            v, left = stack[n], levels[n]
            cut_node(points, order, v, leaf_size, rotate, cells)
            if cells.axis[v] >= 0 and left > 1:
                stack[n], levels[n] = 2 * v + 2, left - 1
                stack[n + 1], levels[n + 1] = 2 * v + 1, left - 1
                n += 2


@kernel
def cut_node(points, order, v, leaf_size, rotate, cells):
    """Cut one node at the median, or sort the rows of a leaf. The left child has the middle row of an odd number."""
    a, b = cells.start[v], cells.end[v]
    axis = LEAF
    if b - a > leaf_size:
        axis = rotating_axis(points, a, b, v) if rotate else widest_axis(points, a, b)
    cells.axis[v] = axis
    if axis < 0:
        cells.same[v] = b - a > leaf_size
        sort_rows(points, order, a, b)
        return
    middle = a + (b - a + 1) // 2
    put_in_place(points, order, a, b, middle, axis)
    largest = points[a, axis]
    for i in range(a + 1, middle):
        largest = max(largest, points[i, axis])
    cells.below[v], cells.above[v] = largest, points[middle, axis]
    cells.start[2 * v + 1], cells.end[2 * v + 1] = a, middle
    cells.start[2 * v + 2], cells.end[2 * v + 2] = middle, b
    cells.axis[2 * v + 1] = cells.axis[2 * v + 2] = LEAF  # until they are cut themselves


@kernel
def rotating_axis(points, a, b, v):
    """The axis whose turn it is at the depth of node v, or the next one that has two values; LEAF if none has."""
    depth, level = 0, v + 1
    while level > 1:
        level //= 2
        depth += 1
    n_columns = points.shape[1]
    for step in range(n_columns):
        axis = (depth + step) % n_columns
        if varies(points, a, b, axis):
            return axis
    return LEAF


@kernel
def widest_axis(points, a, b):
    """The axis of greatest variance, the first of equals; LEAF if all rows are equal.

    Sums are about the first row, so that rows that are all equal have a variance of 0 exactly.
    """
    n_columns = points.shape[1]
    sums, squares = np.zeros(n_columns), np.zeros(n_columns)
    for i in range(a + 1, b):
        for j in range(n_columns):
            d = points[i, j] - points[a, j]
            sums[j] += d
            squares[j] += d * d
    best, widest = LEAF, 0.0
    for j in range(n_columns):
        variance = squares[j] - sums[j] * sums[j] / (b - a)
        if variance > widest * _EQUAL:
            best, widest = j, variance
    if best < 0 or not varies(points, a, b, best):  # differences whose squares are 0, or no numbers any more
        for j in range(n_columns):
            if varies(points, a, b, j):
                return j
        return LEAF
    return best


@borrowing
def varies(points, a, b, axis):
    for i in range(a + 1, b):
        if points[i, axis] != points[a, axis]:
            return True
    return False


@borrowing
def swap(points, order, i, j):
    order[i], order[j] = order[j], order[i]
    for c in range(points.shape[1]):
        kept = points[i, c]
        points[i, c] = points[j, c]
        points[j, c] = kept


@inlined
def precedes(x, row, y, other):
    return x < y or (x == y and row < other)


@borrowing
def middle_of_three(points, order, i, j, k, axis):
    x, y, z = points[i, axis], points[j, axis], points[k, axis]
    if precedes(x, order[i], y, order[j]):
        if precedes(y, order[j], z, order[k]):
            return j
        return k if precedes(x, order[i], z, order[k]) else i
    if precedes(x, order[i], z, order[k]):
        return i
    return k if precedes(y, order[j], z, order[k]) else j


@borrowing
def pivot_of(points, order, a, b, axis):
    """The middle of three or, of many rows, of nine."""
    step = (b - a) // 8
    if step < 16:
        return middle_of_three(points, order, a, (a + b) // 2, b - 1, axis)
    i = middle_of_three(points, order, a, a + step, a + 2 * step, axis)
    j = middle_of_three(points, order, a + 3 * step, a + 4 * step, a + 5 * step, axis)
    k = middle_of_three(points, order, a + 6 * step, a + 7 * step, b - 1, axis)
    return middle_of_three(points, order, i, j, k, axis)


@borrowing
def put_in_place(points, order, a, b, place, axis):
    """Quickselect (Hoare 1961): the row that belongs at ``place`` is there, smaller ones before it, larger ones after.

    Where pivots keep being bad the rows in the middle are stirred; which rows end up where does not depend on it.
    """
    first, last = a, b
    shuffled = 0
    while last - first > 1:
        swap(points, order, first, pivot_of(points, order, first, last, axis))  # there it cannot end up last
        x, row = points[first, axis], order[first]
        i, j = first - 1, last
        while True:
            i += 1
            while precedes(points[i, axis], order[i], x, row):
                i += 1
            j -= 1
            while precedes(x, row, points[j, axis], order[j]):
                j -= 1
            if i >= j:
                break
            swap(points, order, i, j)
        # Rows up to j do not come after the pivot, rows from j + 1 on do not come before it.
        size = last - first
        if place <= j:
            last = j + 1
        else:
            first = j + 1
        if last - first > size - size // 16:
            shuffled += 1
            stir(points, order, first, last, shuffled)


@borrowing
def stir(points, order, first, last, seed):
    """Swap some rows that the pivot is chosen from with others from all over the range."""
    size, state = last - first, np.uint64(seed * 2654435761 + 12345)
    for t in range(9):
        state = state * np.uint64(6364136223846793005) + np.uint64(1442695040888963407)
        other = first + np.int64((state >> np.uint64(33)) % np.uint64(size))
        at = min(first + t * (size // 8), last - 1)
        swap(points, order, at, other)


@borrowing
def sort_rows(points, order, a, b):
    """The rows of a leaf by their numbers (Shell 1959): as good as sorting by insertion where a leaf is small."""
    step = 1
    while step < (b - a) // 9:
        step = 3 * step + 1
    while step > 0:
        for i in range(a + step, b):
            j = i
            while j - step >= a and order[j - step] > order[j]:
                swap(points, order, j - step, j)
                j -= step
        step //= 3


def cut_all_in_numpy(points: np.ndarray, order: np.ndarray, leaf_size: int, rotate: bool, cells: SpaceCells) -> None:
    """The same cells, by sorting every node."""
    waiting = [0]
    while waiting:
        v = waiting.pop()
        a, b = int(cells.start[v]), int(cells.end[v])
        axis = _axis_in_numpy(points[a:b], v, rotate) if b - a > leaf_size else LEAF
        cells.axis[v] = axis
        if axis < 0:
            cells.same[v] = b - a > leaf_size
            _take(points, order, a, b, np.argsort(order[a:b]))
            continue
        _take(points, order, a, b, np.lexsort((order[a:b], points[a:b, axis])))
        middle = a + (b - a + 1) // 2
        cells.below[v], cells.above[v] = points[middle - 1, axis], points[middle, axis]
        cells.start[2 * v + 1 : 2 * v + 3] = a, middle
        cells.end[2 * v + 1 : 2 * v + 3] = middle, b
        waiting += [2 * v + 2, 2 * v + 1]


def _take(points, order, a, b, by):
    points[a:b], order[a:b] = points[a:b][by], order[a:b][by]


def _axis_in_numpy(rows, v, rotate):
    n_columns = rows.shape[1]
    varying = [j for j in range(n_columns) if (rows[:, j] != rows[0, j]).any()]
    if not varying:
        return LEAF
    if rotate:
        turn = (v + 1).bit_length() - 1
        return min(varying, key=lambda j: (j - turn) % n_columns)
    with np.errstate(invalid="ignore", over="ignore"):
        apart = rows - rows[0]
        variance = (apart * apart).sum(0) - apart.sum(0) ** 2 / len(rows)
    best, widest = LEAF, 0.0
    for j in range(n_columns):
        if variance[j] > widest * _EQUAL:
            best, widest = j, variance[j]
    return best if best in varying else varying[0]
