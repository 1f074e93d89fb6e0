"""All rows within a distance, and the four cases of a search: what the cell of a query alone would tell."""

import numpy as np

from treewright.kernels.jit import borrowing, kernel
from treewright.kernels.neighbor_kernels.nearest import ball_distance, block_powers, power_of, sink

_BLOCK = 64
_SLACK = 1e-10  # as in nearest.py


@borrowing
def may_reach(searched, v, child, query, limit, reach):
    """Whether a child of node v may hold rows within the limit (a power), whose distance is ``reach``."""
    if searched.centre.shape[0]:
        return not ball_distance(searched, child, query) > reach
    axis, weight = searched.cells.axis[v], searched.weights[searched.cells.axis[v]]
    off = query[axis] - searched.cells.below[v] if child == 2 * v + 1 else searched.cells.above[v] - query[axis]
    return not power_of(max(off, 0.0), weight, searched.p) > limit * (1 + _SLACK)


@kernel
def search_within(searched, rows, limits, reaches, first, last, start, powers, found):
    """The rows of each query whose power is within its limit, from ``start`` of the query on.

    Where ``found`` is empty they are only counted: ``start[i + 1]`` gets the number of query i.
    """
    cells, stack, scratch = searched.cells, np.empty(130, np.int64), np.empty(_BLOCK)
    for i in range(first, last):
        query, limit = rows[i], limits[i]
        stack[0] = 0
        n, n_found = 1, 0
        while n:
            n -= 1
            v = stack[n]
            if cells.axis[v] >= 0:
                for child in range(2 * v + 2, 2 * v, -1):
                    if may_reach(searched, v, child, query, limit, reaches[i]):
                        stack[n] = child
                        n += 1
                continue
            for a in range(cells.start[v], cells.end[v], _BLOCK):
                b = min(a + _BLOCK, cells.end[v])
                block_powers(searched.columns, a, b, query, searched.weights, searched.p, scratch)
                for j in range(b - a):
                    if scratch[j] <= limit:
                        if found.shape[0]:
                            powers[start[i] + n_found], found[start[i] + n_found] = scratch[j], searched.order[a + j]
                        n_found += 1
        if not found.shape[0]:
            start[i + 1] = n_found


@kernel
def search_cases(searched, rows, first, last, k, out):
    """The case of each query: whether the k-th nearest row of its own cell is nearer than the first cut t1, and than
    the nearest t2 of the other cuts on the way to the cell.

    1: nearer than both; 2: not nearer than t2; 3: not nearer than t1; 4: nearer than neither. Of balls, a cut is where
    the ball on its other side begins.
    """
    cells, p, scratch = searched.cells, searched.p, np.empty(_BLOCK)
    powers, nobody = np.empty(k), np.empty(k, np.int64)
    for i in range(first, last):
        query, v = rows[i], 0
        t1 = t2 = np.inf
        while cells.axis[v] >= 0:
            axis, x = cells.axis[v], query[cells.axis[v]]
            cut = cells.below[v] + (cells.above[v] - cells.below[v]) / 2
            child = 2 * v + 1 if x <= cut else 2 * v + 2
            if searched.centre.shape[0]:
                off = max(ball_distance(searched, child + 1 if child % 2 else child - 1, query), 0.0)
                off = off if p == np.inf else off**p
            else:
                off = power_of(x - cut, searched.weights[axis], p)
            if v == 0:
                t1 = off
            else:
                t2 = min(t2, off)
            v = child
        powers[:], nobody[:] = np.inf, 0
        for a in range(cells.start[v], cells.end[v], _BLOCK):
            b = min(a + _BLOCK, cells.end[v])
            block_powers(searched.columns, a, b, query, searched.weights, p, scratch)
            for j in range(b - a):
                if scratch[j] < powers[0]:
                    sink(powers, nobody, k, scratch[j], 0)
        out[i] = 1 + (0 if powers[0] < t2 else 1) + (0 if powers[0] < t1 else 2)
