"""The nearest rows of each query in a tree of cells.

Distances are kept as *powers*, which are cheaper and in the same order: Σ w·|d|ᵖ, or the greatest w·|d| where p is
infinite. A neighbour is nearer than another if its power is smaller, or the same with a smaller row number. The columns
are added in their order, so that a power does not depend on how a row was found.
"""

from typing import NamedTuple

import numpy as np

from treewright.kernels.jit import borrowing, inlined, inlined_borrowing, kernel
from treewright.kernels.neighbor_kernels.median_cells import SpaceCells

NOBODY = np.iinfo(np.int64).max  # the row where there is no neighbour
EVERY_PART = -1  # of a query that may find all rows
_BLOCK = 64  # rows whose distances are computed together
_SLACK = 1e-10  # beyond what rounding can do to the bound of a cell, relatively
_TINY = 1e-290  # the same where numbers lose digits for being small


class Searched(NamedTuple):
    """What is searched: rows in the order of the cells. A query does not find rows of its own part."""

    cells: SpaceCells
    columns: np.ndarray  # (columns, rows)
    order: np.ndarray  # the number of each row
    part: np.ndarray  # of each row, in the order of the cells; empty: all may be found
    low: np.ndarray  # the box around all rows
    high: np.ndarray
    centre: np.ndarray  # (nodes, columns) of balls; no rows: cells are boxes
    radius: np.ndarray
    weights: np.ndarray  # of the columns
    p: float


class Queries(NamedTuple):
    rows: np.ndarray
    turn: np.ndarray  # the order in which they are answered
    part: np.ndarray  # EVERY_PART, or the part whose rows are not found
    limit: float  # the largest power that is found


@inlined
def power_of(d, weight, p):
    """What one column adds."""
    if p == 2.0:
        return weight * (d * d)
    if p == 1.0 or p == np.inf:
        return weight * abs(d)
    return weight * abs(d) ** p


@inlined
def root_of(power, p):
    """The distance of a power."""
    if p == 2.0:
        return np.sqrt(power)
    if p == 1.0 or p == np.inf:
        return power
    return power ** (1 / p)


@borrowing
def block_powers(columns, a, b, query, weights, p, out):
    """Powers of the rows a … b-1, at most _BLOCK of them."""
    n = b - a
    for i in range(n):
        out[i] = 0.0
    if p == 2.0:
        add_squares(columns, a, b, query, weights, out)
        return
    for j in range(columns.shape[0]):
        x, w = query[j], weights[j]
        column = columns[j, a:b]
        if p == 1.0:
            for i in range(n):
                out[i] += w * abs(column[i] - x)
        elif p == np.inf:
            for i in range(n):
                out[i] = max(out[i], w * abs(column[i] - x))
        else:
            for i in range(n):
                out[i] += w * abs(column[i] - x) ** p


@inlined_borrowing
def add_squares(columns, a, b, query, weights, out):
    """Add the columns in their order, four in one pass over the rows, then those that are left."""
    n, n_columns, j = b - a, columns.shape[0], 0
    while j + 4 <= n_columns:
        one, two, three, four = columns[j, a:b], columns[j + 1, a:b], columns[j + 2, a:b], columns[j + 3, a:b]
        x, y, z, u = query[j], query[j + 1], query[j + 2], query[j + 3]
        wx, wy, wz, wu = weights[j], weights[j + 1], weights[j + 2], weights[j + 3]
        for i in range(n):
            d, e, f, g = one[i] - x, two[i] - y, three[i] - z, four[i] - u
            out[i] = (((out[i] + wx * (d * d)) + wy * (e * e)) + wz * (f * f)) + wu * (g * g)
        j += 4
    if j + 2 <= n_columns:
        one, two = columns[j, a:b], columns[j + 1, a:b]
        x, y, wx, wy = query[j], query[j + 1], weights[j], weights[j + 1]
        for i in range(n):
            d, e = one[i] - x, two[i] - y
            out[i] = (out[i] + wx * (d * d)) + wy * (e * e)
        j += 2
    if j < n_columns:
        one, x, wx = columns[j, a:b], query[j], weights[j]
        for i in range(n):
            d = one[i] - x
            out[i] += wx * (d * d)


@inlined
def is_nearer(power, row, other_power, other_row):
    return power < other_power or (power == other_power and row < other_row)


@borrowing
def sink(powers, rows, k, power, row):
    """Put a neighbour in the place of the worst of k, which form a heap."""
    at = 0
    while 2 * at + 1 < k:
        child = 2 * at + 1
        if child + 1 < k and is_nearer(powers[child], rows[child], powers[child + 1], rows[child + 1]):
            child += 1
        if is_nearer(powers[child], rows[child], power, row):
            break
        powers[at], rows[at] = powers[child], rows[child]
        at = child
    powers[at], rows[at] = power, row


@borrowing
def in_order(powers, rows, k):
    """Make of the heap a list, the nearest first."""
    for last in range(k - 1, 0, -1):
        power, row = powers[last], rows[last]
        powers[last], rows[last] = powers[0], rows[0]
        sink(powers, rows, last, power, row)


@inlined_borrowing
def look_at(searched, a, b, same, query, part, powers, rows, k, scratch):
    """Compare the rows a … b-1 with the neighbours found so far. How many distances that took."""
    n_parts = searched.part.shape[0]
    if same:
        block_powers(searched.columns, a, a + 1, query, searched.weights, searched.p, scratch)
        power = scratch[0]
        for place in range(a, b):
            if n_parts and searched.part[place] == part:
                continue
            row = searched.order[place]
            if not is_nearer(power, row, powers[0], rows[0]):
                return 1
            sink(powers, rows, k, power, row)
        return 1
    for first in range(a, b, _BLOCK):
        last = min(first + _BLOCK, b)
        block_powers(searched.columns, first, last, query, searched.weights, searched.p, scratch)
        worst = powers[0]
        for i in range(last - first):
            if scratch[i] <= worst:
                row = searched.order[first + i]
                if (n_parts and searched.part[first + i] == part) or not is_nearer(scratch[i], row, worst, rows[0]):
                    continue
                sink(powers, rows, k, scratch[i], row)
                worst = powers[0]
    return b - a


@borrowing
def box_power(searched, query, offsets):
    """The power of the nearest corner or side of the box around all rows, and of each column alone."""
    bound, p = 0.0, searched.p
    for j in range(len(query)):
        outside = max(searched.low[j] - query[j], query[j] - searched.high[j], 0.0)
        offsets[j] = power_of(outside, searched.weights[j], p)
        bound = max(bound, offsets[j]) if p == np.inf else bound + offsets[j]
    return bound


@kernel
def search_boxes(searched, queries, first, last, powers, rows, taken):
    """The k nearest rows of some queries, by the boxes of a KD-tree (Friedman, Bentley & Finkel 1977).

    A cell is looked at if it may hold a row as near as the k-th found so far. How far off it begins is known from the
    columns that were cut on the way to it (Arya & Mount 1993). The nearer side of every cut comes first. ``taken`` is
    told how many distances and how many cells each query took.
    """
    cells, p, k = searched.cells, searched.p, powers.shape[1]
    scratch, offsets = np.empty(_BLOCK), np.empty(queries.rows.shape[1])
    size = 130
    node, bounds = np.empty(size, np.int64), np.empty(size)
    axes, terms = np.empty(size, np.int64), np.empty(size)
    for t in range(first, last):
        i = queries.turn[t]
        query, part = queries.rows[i], queries.part[i]
        power, found = powers[i], rows[i]
        power[:], found[:] = queries.limit, NOBODY
        node[0], bounds[0], axes[0], terms[0] = 0, box_power(searched, query, offsets), -1, 0.0
        n, n_distances, n_cells = 1, 0, 0
        while n:
            n -= 1
            v, bound = node[n], bounds[n]
            if v < 0:  # all below a far side is done: its column is as far off as before
                offsets[axes[n]] = terms[n]
                continue
            if bound > power[0] * (1 + _SLACK) + _TINY:
                continue
            if axes[n] >= 0:
                before = offsets[axes[n]]
                offsets[axes[n]] = terms[n]
                node[n], terms[n] = -1, before
                n += 1
            while cells.axis[v] >= 0:
                axis = cells.axis[v]
                x, below, above = query[axis], cells.below[v], cells.above[v]
                if x <= below or (x < above and x - below <= above - x):
                    far, term = 2 * v + 2, power_of(above - x, searched.weights[axis], p)
                    v = 2 * v + 1
                else:
                    far, term = 2 * v + 1, power_of(x - below, searched.weights[axis], p)
                    v = 2 * v + 2
                before = offsets[axis]
                term = max(term, before)
                farther = max(bound, term) if p == np.inf else bound + (term - before)
                if not farther > power[0] * (1 + _SLACK) + _TINY:
                    node[n], bounds[n], axes[n], terms[n] = far, farther, axis, term
                    n += 1
            n_cells += 1
            n_distances += look_at(
                searched, cells.start[v], cells.end[v], cells.same[v], query, part, power, found, k, scratch
            )
        taken[i, 0], taken[i, 1] = n_distances, n_cells
        in_order(power, found, k)


@borrowing
def ball_distance(searched, v, query):
    """At least how far any row of a ball is: |q − centre| − radius, and less what rounding does."""
    p, centre, weights, n = searched.p, searched.centre[v], searched.weights, len(query)
    power = 0.0
    if p == 2.0:
        one, two, j = 0.0, 0.0, 0
        while j + 1 < n:  # two sums that do not wait for each other; the last digits do not matter
            d, e = query[j] - centre[j], query[j + 1] - centre[j + 1]
            one += weights[j] * (d * d)
            two += weights[j + 1] * (e * e)
            j += 2
        if j < n:
            one += weights[j] * (query[j] - centre[j]) ** 2
        power = one + two
    else:
        for j in range(n):
            term = power_of(query[j] - centre[j], weights[j], p)
            power = max(power, term) if p == np.inf else power + term
    distance, radius = root_of(power, p), searched.radius[v]
    return distance - radius - _SLACK * (distance + radius)


@kernel
def search_balls(searched, queries, first, last, powers, rows, taken):
    """The same by the balls of a ball tree (Omohundro 1989): |q − x| ≥ |q − centre| − radius."""
    cells, p, k = searched.cells, searched.p, powers.shape[1]
    scratch = np.empty(_BLOCK)
    node, bounds = np.empty(130, np.int64), np.empty(130)
    for t in range(first, last):
        i = queries.turn[t]
        query, part = queries.rows[i], queries.part[i]
        power, found = powers[i], rows[i]
        power[:], found[:] = queries.limit, NOBODY
        node[0], bounds[0] = 0, 0.0
        n, n_distances, n_cells = 1, 0, 0
        while n:
            n -= 1
            v = node[n]
            reach = root_of(power[0], p) * (1 + _SLACK) + _TINY
            if bounds[n] > reach:
                continue
            while cells.axis[v] >= 0:
                left, right = ball_distance(searched, 2 * v + 1, query), ball_distance(searched, 2 * v + 2, query)
                v, far, near = (2 * v + 1, right, left) if left <= right else (2 * v + 2, left, right)
                if not far > reach:
                    node[n], bounds[n] = v + 1 if v % 2 else v - 1, far
                    n += 1
                if near > reach:
                    v = -1
                    break
            if v < 0:
                continue
            n_cells += 1
            n_distances += look_at(
                searched, cells.start[v], cells.end[v], cells.same[v], query, part, power, found, k, scratch
            )
        taken[i, 0], taken[i, 1] = n_distances, n_cells
        in_order(power, found, k)


@kernel
def enclose(searched, first, last, centre, radius):
    """Centre (mean) and radius of the balls ``first`` … ``last``-1."""
    cells, p = searched.cells, searched.p
    scratch = np.empty(_BLOCK)
    for v in range(first, last):
        if cells.axis[v] < -1:
            continue
        a, b = cells.start[v], cells.end[v]
        for j in range(searched.columns.shape[0]):
            centre[v, j] = searched.columns[j, a:b].sum() / (b - a)
        widest = 0.0
        for start in range(a, b, _BLOCK):
            stop = min(start + _BLOCK, b)
            block_powers(searched.columns, start, stop, centre[v], searched.weights, p, scratch)
            widest = max(widest, scratch[: stop - start].max())
        radius[v] = root_of(widest, p)


@kernel
def home_cells(searched, rows, first, last, out):
    """Where in the order of the cells the cell of each query begins: the one that its own values lead to."""
    cells = searched.cells
    for i in range(first, last):
        v = 0
        while cells.axis[v] >= 0:
            x, below, above = rows[i, cells.axis[v]], cells.below[v], cells.above[v]
            v = 2 * v + 1 if x <= below or (x < above and x - below <= above - x) else 2 * v + 2
        out[i] = v
