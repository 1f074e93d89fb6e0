"""M5': the tree that is grown by fifth roots of variances, with sums over the rows in the order M5P has them."""

from typing import Any, NamedTuple

import numpy as np

import treewright.kernels.linear_kernels.m5_growth_in_numpy as m5_growth_in_numpy
from treewright.kernels.jit import borrowing, kernel
from treewright.kernels.linear_kernels.m5_cuts import best_split, cut_room
from treewright.kernels.sorting.unstable_sort import order_ties, unstable_sort

NEVER_EQUAL, SELDOM_EQUAL, OFTEN_EQUAL = range(3)  # the values of a column
_FEW_TWINS = 0.1  # of the rows: then most of them need no sorting
UNUSED = -2  # the column of a node that does not exist
_DEPTH = 128  # no tree is deeper: each branch has a fifth of the rows, and so at most four fifths


class GrownM5(NamedTuple):
    """Nodes from the root on, the left subtree before the right one. See ``closed_up``."""

    start: Any  # int32: the rows of a node are order[start:stop]
    stop: Any
    column: Any  # int32, -1 at a leaf
    cut: Any
    below: Any  # the value next below the cut
    gain: Any
    right: Any  # int32
    parent: Any


class Waiting(NamedTuple):
    """A node that is to be grown."""

    start: Any
    stop: Any
    node: Any  # its number
    parent: Any


class SortRoom(NamedTuple):
    """Room to sort the rows of a node."""

    keys: Any
    rows: Any
    twins: Any  # int32


@kernel
def spread_of(y, w, order, start, stop):
    """The standard deviation of the target, as M5P computes it."""
    n, total, squares = 0.0, 0.0, 0.0
    for i in range(start, stop):
        row = order[i]
        weight = 1.0 if w is None else w[row]
        n += weight
        total += weight * y[row]
        squares += weight * y[row] * y[row]
    if stop - start < 2 or n <= 0:
        return 0.0
    return np.sqrt(abs(squares - total * total / n) / n)


spread_of.in_numpy(m5_growth_in_numpy.spread_of)


@borrowing
def _find_twins(values, line, twins):
    """The places of a sorted line of which the next one has an equal value; returns how many."""
    count = 0
    for i in range(len(line) - 1):
        twins[count] = i
        count += not values[line[i]] < values[line[i + 1]]
    return count


@kernel
def _sort_node(values, line, is_sorted, before, room):
    """The rows of a node by a column; returns whether values are equal. Then it matters how rows stood before."""
    size, n_twins = len(line), 0
    if is_sorted:
        n_twins = _find_twins(values, line, room.twins)
        if n_twins == 0:
            return False
    for i in range(size):
        room.rows[i] = before[i]
        room.keys[i] = values[before[i]]
    if is_sorted and n_twins < _FEW_TWINS * size:
        order_ties(room.keys[:size], room.rows[:size], room.twins[:n_twins], line)
    else:
        unstable_sort(room.keys[:size], room.rows[:size])
        line[:] = room.rows[:size]
    return True


@borrowing
def _mark(values, cut, order, start, stop, goes_right):
    for i in range(start, stop):
        goes_right[order[i]] = not values[order[i]] <= cut


@borrowing
def _partition(rows, start, stop, goes_right, moved):
    """Rows that go left first, in order; returns where the others begin."""
    n_left, n_right = start, 0
    for i in range(start, stop):
        row = rows[i]
        right = np.int64(goes_right[row])
        rows[n_left] = row  # no branch: which way a row goes cannot be foreseen
        moved[n_right] = row
        n_right += right
        n_left += 1 - right
    for i in range(n_right):
        rows[n_left + i] = moved[i]
    return n_left


@kernel
def grow_m5(x, y, w, order, lines, ties, min_rows, least_spread, most_later, waiting, sorted_root, goes_right, grown):
    """Grow the tree below a node that waits, in the rows ``order[start:stop]``, which are put in order.

    Nodes of at most ``most_later`` rows are left waiting: ``waiting`` holds them at the end, and how many is returned.
    Numbers are given so that they fit without knowing what becomes of those: a node of n rows and all below it have
    n − 1 numbers, since a branch has two rows at least.

    ``x`` is columns × rows. ``lines[j]`` are the rows by column j, where its values are not OFTEN_EQUAL.
    ``sorted_root`` gets the rows as the searches at the root leave them.
    """
    n_columns, first, n_later = x.shape[0], waiting.start[0], 0
    n = waiting.stop[0] - first
    moved, twins = np.empty(n, order.dtype), np.empty(n + 1, np.int32)
    sort_room = SortRoom(np.empty(n), moved, twins)
    has_ties = np.empty((_DEPTH, n_columns), np.bool_)  # what the nodes above have not, those below have not either
    has_ties[0] = ties != NEVER_EQUAL
    room = cut_room(n_columns, n)
    open_nodes = np.empty((_DEPTH, 4), np.int64)
    open_nodes[0, 0], open_nodes[0, 1] = first, first + n
    open_nodes[0, 2], open_nodes[0, 3] = waiting.node[0], waiting.parent[0]
    depth = 1
    while depth:
        depth -= 1
        start, stop, v, parent = open_nodes[depth, 0], open_nodes[depth, 1], open_nodes[depth, 2], open_nodes[depth, 3]
        if stop - start <= most_later:
            waiting.start[n_later], waiting.stop[n_later] = start, stop
            waiting.node[n_later], waiting.parent[n_later] = v, parent
            n_later += 1
            continue
        grown.start[v], grown.stop[v], grown.parent[v], grown.column[v], grown.right[v] = start, stop, parent, -1, -1
        grown.gain[v] = 0.0
        if stop - start < min_rows or spread_of(y, w, order, start, stop) < least_spread:
            continue
        tied = has_ties[depth]
        for j in range(n_columns):
            if tied[j]:
                before = lines[j - 1, start:stop] if j else order[start:stop]
                tied[j] = _sort_node(x[j], lines[j, start:stop], ties[j] != OFTEN_EQUAL, before, sort_room)
        if n_columns:
            order[start:stop] = lines[n_columns - 1, start:stop]
        if v == 0:
            sorted_root[:] = order
        score, column, place = best_split(x, y, w, lines, start, stop, tied, room)
        if column < 0:
            continue
        below, above = x[column, lines[column, place]], x[column, lines[column, place + 1]]
        grown.column[v], grown.cut[v], grown.below[v], grown.gain[v] = column, 0.5 * (below + above), below, score
        _mark(x[column], grown.cut[v], order, start, stop, goes_right)
        middle = _partition(order, start, stop, goes_right, moved)
        for j in range(n_columns):
            if ties[j] != OFTEN_EQUAL:
                _partition(lines[j], start, stop, goes_right, moved)
        grown.right[v] = v + middle - start
        has_ties[depth + 1] = tied
        for side in range(2):
            here = depth + 1 - side  # the left one is taken first
            open_nodes[here, 0], open_nodes[here, 1] = (middle, stop) if side else (start, middle)
            open_nodes[here, 2], open_nodes[here, 3] = grown.right[v] if side else v + 1, v
        depth += 2
    return n_later


grow_m5.in_numpy(m5_growth_in_numpy.grow_m5)
