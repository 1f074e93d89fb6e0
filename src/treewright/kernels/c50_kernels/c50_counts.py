"""What is counted at a node: class weights of the values of all columns of levels, in one pass over its cases."""

from typing import NamedTuple

import numpy as np

from treewright.kernels.jit import borrowing

_AT_ONCE = 256  # cases


class NodeCounts(NamedTuple):
    """Tables of value × class, those of all columns below each other; row 0 of a table is of unknown values.

    The values of a case stand side by side: to fetch one from memory takes longer than to count it.
    """

    columns: np.ndarray  # (tables,) int64: the columns of levels that may be tested
    rows_of: np.ndarray  # (cases, tables) uint32: where in ``flat`` the row of its value begins
    starts: np.ndarray  # (tables + 1,) int64: the first row of each table
    cells: np.ndarray  # (rows, classes)
    flat: np.ndarray  # the same memory, row after row
    places: np.ndarray  # (cases, numbers) int32, of ``SortedColumns``
    sides: np.ndarray  # (numbers, 2, classes): of cases without a number, unknown ones and not applicable
    touched: np.ndarray  # (1,) int64: written so that ``touch`` is not left out as useless


@borrowing
def count_levels(counts, here, n, first, last):
    """Fill the tables from ``first`` to ``last``."""
    rows_of, flat, n_classes = counts.rows_of, counts.flat, counts.cells.shape[1]
    flat[counts.starts[first] * n_classes : counts.starts[last] * n_classes] = 0.0
    for begin in range(0, n if first < last else 0, _AT_ONCE):
        end = min(n, begin + _AT_ONCE)
        counts.touched[0] = touch(rows_of, here.cases, begin, end, first)
        for i in range(begin, end):
            case, label, weight = here.cases[i], np.uint64(here.labels[i]), here.weights[i]
            for t in range(first, last):
                flat[rows_of[case, t] + label] += weight


@borrowing
def touch(rows, cases, begin, end, column):
    """Read a number of the row of each case, so that many rows are fetched at a time before they are worked on."""
    total = 0
    for i in range(begin, end):
        total += rows[cases[i], column]
    return total


@count_levels.in_numpy
def count_levels_in_numpy(counts, here, n, first, last):
    begins = (counts.starts * counts.cells.shape[1]).tolist()
    keys = counts.rows_of[here.cases[:n]].astype(np.int64) + here.labels[:n, None]
    for q in range(first, last):
        table = counts.flat[begins[q] : begins[q + 1]]
        table[:] = np.bincount(keys[:, q] - begins[q], here.weights[:n], table.size)


@borrowing
def count_sides(counts, here, n, first, last):
    """The same of cases without a number, of the columns of numbers from ``first`` to ``last``."""
    places, sides = counts.places, counts.sides
    for p in range(first, last):
        for c in range(sides.shape[2]):
            sides[p, 0, c], sides[p, 1, c] = 0.0, 0.0
    for begin in range(0, n if first < last else 0, _AT_ONCE):
        end = min(n, begin + _AT_ONCE)
        counts.touched[0] = touch(places, here.cases, begin, end, first)
        for i in range(begin, end):
            case = here.cases[i]
            for p in range(first, last):
                if places[case, p] < 0:
                    sides[p, -1 - places[case, p], here.labels[i]] += here.weights[i]


@count_sides.in_numpy
def count_sides_in_numpy(counts, here, n, first, last):
    places, n_classes = counts.places[here.cases[:n]], counts.sides.shape[2]
    if not len(places) or places.min(initial=0) >= 0:
        counts.sides[first:last] = 0.0
        return
    for p in range(first, last):
        apart = np.flatnonzero(places[:, p] < 0)
        keys = (-1 - places[apart, p].astype(np.int64)) * n_classes + here.labels[apart]
        counts.sides[p] = np.bincount(keys, here.weights[apart], 2 * n_classes).reshape(2, n_classes)
