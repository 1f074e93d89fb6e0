"""M5': the tree that is grown by fifth roots of variances, with sums over the rows in the order M5P has them."""

from typing import Any, NamedTuple

import numpy as np

from treewright.kernels.jit import kernel
from treewright.kernels.sorting.unstable_sort import unstable_sort

CLOSE = 1e-6  # values, and scores, that differ by less are equal
_NO_SCORE = -1e20


class GrownM5(NamedTuple):
    """Nodes from the root on, the left subtree before the right one; those below v are v + 1 … last[v]."""

    start: Any  # int32: the rows of a node are order[start:stop]
    stop: Any
    column: Any  # int32, -1 at a leaf
    cut: Any
    below: Any  # the value next below the cut
    gain: Any
    left: Any  # int32
    right: Any
    parent: Any
    last: Any


@kernel
def spread_of(y, w, order, start, stop):
    """The standard deviation of the target, as M5P computes it."""
    n, total, squares = 0.0, 0.0, 0.0
    for i in range(start, stop):
        row = order[i]
        n += w[row]
        total += w[row] * y[row]
        squares += w[row] * y[row] * y[row]
    if stop - start < 2 or n <= 0:
        return 0.0
    return np.sqrt(abs(squares - total * total / n) / n)


@kernel
def best_cut(keys, y, w, rows):
    """The cut of most decrease in the fifth root of the variance among rows sorted by ``keys``: (score, place).

    The place is that of the last row below the cut; -1: there is no cut.
    """
    n = len(rows)
    margin = n // 5 if n >= 5 else 1
    best, place = _NO_SCORE, -1
    if n < 4:
        return best, place
    left_n, left_sum, left_squares = 0.0, 0.0, 0.0
    for i in range(margin):
        weight, value = w[rows[i]], y[rows[i]]
        left_n += weight
        left_sum += weight * value
        left_squares += weight * value * value
    right_n, right_sum, right_squares = 0.0, 0.0, 0.0
    for i in range(margin, n):
        weight, value = w[rows[i]], y[rows[i]]
        right_n += weight
        right_sum += weight * value
        right_squares += weight * value * value
    whole = left_n + right_n
    total, squares = left_sum + right_sum, left_squares + right_squares
    mass = (abs(squares - total * total / whole) / whole) ** 0.2
    for i in range(margin, n - margin - 1):
        weight, value = w[rows[i]], y[rows[i]]
        left_n += weight
        left_sum += weight * value
        left_squares += weight * value * value
        right_n -= weight
        right_sum -= weight * value
        right_squares -= weight * value * value
        if keys[i + 1] - keys[i] >= CLOSE:
            left = (abs(left_n * left_squares - left_sum * left_sum) / (left_n * left_n)) ** 0.2
            right = (abs(right_n * right_squares - right_sum * right_sum) / (right_n * right_n)) ** 0.2
            score = mass - left_n / whole * left - right_n / whole * right
            if score > best:
                best, place = score, i
    return best, place


@kernel
def grow_m5(x, y, w, order, min_rows, least_spread, sorted_root, grown):
    """Grow a tree of the rows in ``order``, in place; returns how many nodes there are.

    ``x`` is columns × rows. ``sorted_root`` gets the rows as the searches at the root leave them.
    """
    n_columns, n = x.shape[0], len(order)
    keys, moved = np.empty(n), np.empty(n, order.dtype)
    waiting = np.empty((n + 1, 4), np.int64)  # start, stop, parent, whether it is the right child
    waiting[0, 0], waiting[0, 1], waiting[0, 2], waiting[0, 3] = 0, n, -1, 0
    depth, n_nodes = 1, 0
    while depth:
        depth -= 1
        start, stop, parent = waiting[depth, 0], waiting[depth, 1], waiting[depth, 2]
        v, n_nodes = n_nodes, n_nodes + 1
        grown.start[v], grown.stop[v], grown.parent[v], grown.column[v] = start, stop, parent, -1
        grown.left[v], grown.right[v], grown.gain[v] = -1, -1, 0.0
        if parent >= 0:
            if waiting[depth, 3]:
                grown.right[parent] = v
            else:
                grown.left[parent] = v
        size = stop - start
        if size >= min_rows and spread_of(y, w, order, start, stop) >= least_spread:
            best, column, cut, below = _NO_SCORE, -1, 0.0, 0.0
            rows = order[start:stop]
            for j in range(n_columns):
                values = keys[:size]
                for i in range(size):
                    values[i] = x[j, rows[i]]
                unstable_sort(values, rows)
                score, place = best_cut(values, y, w, rows)
                if place >= 0 and score > best + CLOSE:
                    best, column, below = score, j, values[place]
                    cut = 0.5 * (values[place] + values[place + 1])
            if v == 0:
                sorted_root[:] = order
            if column >= 0:
                grown.column[v], grown.cut[v], grown.below[v], grown.gain[v] = column, cut, below, best
                n_left, n_right = 0, 0
                for i in range(size):
                    if x[column, rows[i]] <= cut:
                        rows[n_left] = rows[i]
                        n_left += 1
                    else:
                        moved[n_right] = rows[i]
                        n_right += 1
                rows[n_left:] = moved[:n_right]
                waiting[depth, 0], waiting[depth, 1], waiting[depth, 2], waiting[depth, 3] = start + n_left, stop, v, 1
                depth += 1
                waiting[depth, 0], waiting[depth, 1], waiting[depth, 2], waiting[depth, 3] = start, start + n_left, v, 0
                depth += 1
    for v in range(n_nodes - 1, -1, -1):
        grown.last[v] = v if grown.column[v] < 0 else grown.last[grown.right[v]]
    return n_nodes
