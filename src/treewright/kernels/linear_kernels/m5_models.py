"""M5': a linear model at every inner node, pruning from the leaves up, and smoothing along the path."""

from typing import Any, NamedTuple

import numpy as np

from treewright.kernels.jit import borrowing, kernel
from treewright.kernels.linear_kernels.least_squares import fit_room, fit_terms, squared_error, weight_of

RIDGE = 1e-8
_NO_ROOM = 10.0  # the factor of errors where there are no more rows than parameters
_NOTHING = 1e-5  # of the target's spread: errors below this count as none
_SMOOTHING = 15.0


class NodeModels(NamedTuple):
    """A linear model per node; the terms of node v are [start[v], stop[v])."""

    start: Any  # int64
    stop: Any  # int64
    column: Any  # int64
    slope: Any
    intercept: Any
    error: Any  # Σ w·e² on the rows of the node
    weight: Any  # of these rows


@borrowing
def _tested_below(column, v, last, seen, out):
    """The columns that node v and those up to ``last`` test, in order; returns how many."""
    count = 0
    for u in range(v, last + 1):
        if column[u] >= 0:
            seen[column[u]] = True
    for j in range(len(seen)):
        if seen[j]:
            out[count] = j
            count += 1
            seen[j] = False
    return count


@kernel
def fit_nodes(x, y, w, grown, last, first, end, linear, models):
    """The models of nodes ``first`` to ``end``. Rows stand as the nodes have them: those of v are [start, stop).

    Only inner nodes have terms; with room for ``last - v`` of them from ``models.start`` on.
    """
    n_columns = x.shape[0]
    seen, candidates = np.zeros(n_columns, np.bool_), np.empty(n_columns, np.int64)
    columns, slope, room = np.empty(n_columns, np.int64), np.empty(n_columns), fit_room(n_columns)
    for v in range(first, end):
        k = _tested_below(grown.column, v, last[v], seen, candidates) if linear else 0
        kept, intercept, error = fit_terms(
            x, y, w, grown.start[v], grown.stop[v], candidates[:k], RIDGE, True, columns, slope, room
        )
        models.intercept[v], models.error[v] = intercept, error
        models.weight[v] = weight_of(w, grown.start[v], grown.stop[v])
        begin = models.start[v]
        models.stop[v] = begin + kept
        for i in range(kept):
            models.column[begin + i], models.slope[begin + i] = columns[i], slope[i]


@kernel
def error_factor(n, parameters):
    return _NO_ROOM if n <= parameters else (n + 2.0 * parameters) / (n - parameters)


@kernel
def prune_nodes(grown, models, prune, spread, is_leaf):
    """Mark the leaves: those of the grown tree and, if it is to be pruned, nodes that become leaves, from below."""
    n_nodes = len(is_leaf)
    parameters, below = np.zeros(n_nodes), np.zeros(n_nodes)  # of the subtree as it stands
    for v in range(n_nodes - 1, -1, -1):
        is_leaf[v] = grown.column[v] < 0
        if is_leaf[v]:
            below[v], parameters[v] = models.error[v], 1.0
            continue
        size = 1.0
        for i in range(models.start[v], models.stop[v]):
            if models.slope[i] != 0.0:
                size += 1.0
        n, left, right = models.weight[v], v + 1, grown.right[v]
        together, many = below[left] + below[right], parameters[left] + parameters[right] + 1.0
        as_leaf = np.sqrt(models.error[v] / n) * error_factor(n, size)
        as_tree = np.sqrt(together / n) * error_factor(n, many)
        is_leaf[v] = prune and (as_leaf <= as_tree or as_leaf < _NOTHING * spread)
        below[v], parameters[v] = (models.error[v], size) if is_leaf[v] else (together, many)


@kernel
def smooth_models(grown, weight, models, nodes, smooth, dense, start, term, slope, intercept):
    """The models of some nodes, smoothed with those of the nodes above.

    ``start``, ``term`` and ``slope`` get the slopes that are not 0, ``intercept`` a number per node.
    """
    n_terms = 0
    for k in range(len(nodes)):
        v = nodes[k]
        dense[:] = 0.0
        for i in range(models.start[v], models.stop[v]):
            dense[models.column[i]] = models.slope[i]
        level = models.intercept[v]
        while smooth and grown.parent[v] >= 0:
            n, parent = weight[v], grown.parent[v]
            share = n / (n + _SMOOTHING)
            for j in range(len(dense)):
                dense[j] *= share
            level *= share
            share = _SMOOTHING / (n + _SMOOTHING)
            for i in range(models.start[parent], models.stop[parent]):
                dense[models.column[i]] += share * models.slope[i]
            level += share * models.intercept[parent]
            v = parent
        intercept[k] = level
        for j in range(len(dense)):
            if dense[j] != 0.0:
                term[n_terms], slope[n_terms] = j, dense[j]
                n_terms += 1
        start[k + 1] = n_terms


@kernel
def path_errors(x, y, w, grown, nodes, start, term, slope, intercept, out):
    """Σ w·e² of the models by which some nodes predict."""
    room = fit_room(0)
    for k in range(len(nodes)):
        v, first, end = nodes[k], start[k], start[k + 1]
        out[k] = squared_error(
            x, y, w, grown.start[v], grown.stop[v], term[first:end], slope[first:end], intercept[k], room
        )  # fmt: skip
