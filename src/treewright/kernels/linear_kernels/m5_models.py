"""M5': a linear model at every inner node, pruning from the leaves up, and smoothing along the path."""

from typing import Any, NamedTuple

import numpy as np

from treewright.kernels.jit import kernel
from treewright.kernels.linear_kernels.least_squares import fit_terms, mean_of, squared_error

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


@kernel
def tested_below(grown, v, seen, out):
    """The columns that node v and those below it test, in order; returns how many."""
    count = 0
    for u in range(v, grown.last[v] + 1):
        if grown.column[u] >= 0:
            seen[grown.column[u]] = True
    for j in range(len(seen)):
        if seen[j]:
            out[count] = j
            count += 1
            seen[j] = False
    return count


@kernel
def count_terms(grown, n_nodes, n_columns):
    """How many terms all models together have at most."""
    seen, found, total = np.zeros(n_columns, np.bool_), np.empty(n_columns, np.int64), 0
    for v in range(n_nodes):
        if grown.column[v] >= 0:
            total += tested_below(grown, v, seen, found)
    return total


@kernel
def error_factor(n, parameters):
    return _NO_ROOM if n <= parameters else (n + 2.0 * parameters) / (n - parameters)


@kernel
def model_and_prune(x, y, w, order, grown, n_nodes, models, linear, prune, spread, is_leaf, own_error):
    """Fit the model of every node and, if it is to be pruned, mark those that become leaves; from the leaves up.

    ``own_error`` gets Σ w·e² of each node's model on its rows.
    """
    n_columns, used = x.shape[0], 0
    seen, candidates = np.zeros(n_columns, np.bool_), np.empty(n_columns, np.int64)
    columns, slope = np.empty(n_columns, np.int64), np.empty(n_columns)
    parameters, below = np.zeros(n_nodes), np.zeros(n_nodes)  # of the subtree as it stands
    for v in range(n_nodes - 1, -1, -1):
        rows = order[grown.start[v] : grown.stop[v]]
        inner = grown.column[v] >= 0
        kept, k = 0, 0
        if inner and linear:
            k = tested_below(grown, v, seen, candidates)
            kept, intercept = fit_terms(x, y, w, rows, candidates[:k], RIDGE, True, columns, slope)
        else:
            intercept = mean_of(y, w, rows)
        models.intercept[v], models.start[v], models.stop[v] = intercept, used, used + kept
        models.column[used : used + kept], models.slope[used : used + kept] = columns[:kept], slope[:kept]
        used += kept
        error = squared_error(x, y, w, rows, columns[:kept], slope[:kept], intercept)
        size = 1.0
        for i in range(kept):
            if slope[i] != 0.0:
                size += 1.0
        own_error[v], is_leaf[v] = error, not inner
        if not inner:
            below[v], parameters[v] = error, 1.0
            continue
        n = 0.0
        for row in rows:
            n += w[row]
        left, right = grown.left[v], grown.right[v]
        together, many = below[left] + below[right], parameters[left] + parameters[right] + 1.0
        as_leaf = np.sqrt(error / n) * error_factor(n, size)
        as_tree = np.sqrt(together / n) * error_factor(n, many)
        is_leaf[v] = prune and (as_leaf <= as_tree or as_leaf < _NOTHING * spread)
        below[v], parameters[v] = (error, size) if is_leaf[v] else (together, many)


@kernel
def smooth_model(grown, weight, models, v, smooth, dense):
    """The model of node v, smoothed with those of the nodes above, as a slope per column; returns the intercept."""
    dense[:] = 0.0
    for i in range(models.start[v], models.stop[v]):
        dense[models.column[i]] = models.slope[i]
    intercept = models.intercept[v]
    while smooth and grown.parent[v] >= 0:
        n, parent = weight[v], grown.parent[v]
        share = n / (n + _SMOOTHING)
        for j in range(len(dense)):
            dense[j] *= share
        intercept *= share
        share = _SMOOTHING / (n + _SMOOTHING)
        for i in range(models.start[parent], models.stop[parent]):
            dense[models.column[i]] += share * models.slope[i]
        intercept += share * models.intercept[parent]
        v = parent
    return intercept
