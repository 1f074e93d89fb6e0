"""M5': the tree that is grown by fifth roots of variances, with sums over the rows in the order M5P has them."""

from typing import Any, NamedTuple

import numpy as np

import treewright.kernels.linear_kernels.m5_growth_in_numpy as m5_growth_in_numpy
from treewright.kernels.jit import kernel
from treewright.kernels.linear_kernels.m5_cuts import best_cut, root_scratch
from treewright.kernels.linear_kernels.m5_growth_in_numpy import CLOSE, NO_SCORE
from treewright.kernels.sorting.unstable_sort import unstable_sort


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


spread_of.in_numpy(m5_growth_in_numpy.spread_of)


@kernel
def _sort_node(values, presorted, has_order, before, keys, rows):
    """The rows of a node by a column, and their values. Where values are equal it matters how rows stood before."""
    size, is_sorted = len(rows), has_order
    if has_order:
        for i in range(size):
            keys[i] = values[presorted[i]]
        for i in range(size - 1):
            is_sorted &= keys[i] < keys[i + 1]
    if is_sorted:
        rows[:] = presorted
        return
    rows[:] = before
    for i in range(size):
        keys[i] = values[rows[i]]
    unstable_sort(keys, rows)


@kernel
def _partition(values, cut, rows, goes_right, moved):
    """Rows up to the cut first, in order; returns how many. ``goes_right`` is told of all."""
    n_left, n_right = 0, 0
    for i in range(len(rows)):
        row = rows[i]
        right = not values[row] <= cut
        goes_right[row] = right
        rows[n_left] = row  # no branch: which way a row goes cannot be foreseen
        moved[n_right] = row
        n_right += right
        n_left += 1 - right
    rows[n_left:] = moved[:n_right]
    return n_left


@kernel
def _partition_alike(rows, goes_right, moved):
    n_left, n_right = 0, 0
    for i in range(len(rows)):
        row = rows[i]
        right = np.int64(goes_right[row])
        rows[n_left] = row
        moved[n_right] = row
        n_right += right
        n_left += 1 - right
    rows[n_left:] = moved[:n_right]


@kernel
def grow_m5(x, y, w, order, min_rows, least_spread, presorted, place, sorted_root, grown):
    """Grow a tree of the rows in ``order``, in place; returns how many nodes there are.

    ``x`` is columns × rows. ``presorted[place[j]]`` are the rows by column j, where nearly all of its values differ;
    it is used up. ``sorted_root`` gets the rows as the searches at the root leave them.
    """
    n_columns, n = x.shape[0], len(order)
    keys, moved, goes_right = np.empty(n), np.empty(n, order.dtype), np.empty(len(y), np.bool_)
    scratch = root_scratch(n)
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
            best, column, cut, below = NO_SCORE, -1, 0.0, 0.0
            rows, other, values = order[start:stop], moved[:size], keys[:size]
            before = rows
            for j in range(n_columns):
                now = rows if j % 2 else other
                _sort_node(x[j], presorted[max(place[j], 0), start:stop], place[j] >= 0, before, values, now)
                before = now
                score, at = best_cut(values, y, w, now, scratch)
                if at >= 0 and score > best + CLOSE:
                    best, column, below = score, j, values[at]
                    cut = 0.5 * (values[at] + values[at + 1])
            if n_columns % 2:
                rows[:] = other
            if v == 0:
                sorted_root[:] = order
            if column >= 0:
                grown.column[v], grown.cut[v], grown.below[v], grown.gain[v] = column, cut, below, best
                n_left = _partition(x[column], cut, rows, goes_right, moved)
                for j in range(n_columns):
                    if place[j] >= 0:
                        _partition_alike(presorted[place[j], start:stop], goes_right, moved)
                waiting[depth, 0], waiting[depth, 1], waiting[depth, 2], waiting[depth, 3] = start + n_left, stop, v, 1
                depth += 1
                waiting[depth, 0], waiting[depth, 1], waiting[depth, 2], waiting[depth, 3] = start, start + n_left, v, 0
                depth += 1
    for v in range(n_nodes - 1, -1, -1):
        grown.last[v] = v if grown.column[v] < 0 else grown.last[grown.right[v]]
    return n_nodes


grow_m5.in_numpy(m5_growth_in_numpy.grow_m5)
