"""M5': a linear model at every inner node, pruning from the leaves up, and smoothing along the path."""

from typing import Any, NamedTuple

import numpy as np

from treewright.kernels.jit import kernel

RIDGE = 1e-8
_COLLINEAR = 1.5  # standardised slopes above this are of columns that others nearly determine
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
def cholesky_solve(gram, right, used, ridge, factor, solution):
    """Solve (G + ridge·I)·b = r for the columns in ``used``; columns that others determine get 0."""
    k = len(used)
    for i in range(k):
        for j in range(i + 1):
            total = gram[used[i], used[j]] + (ridge if i == j else 0.0)
            for m in range(j):
                total -= factor[i, m] * factor[j, m]
            if i > j:
                factor[i, j] = total / factor[j, j] if factor[j, j] > 0 else 0.0
            else:
                factor[i, i] = np.sqrt(total) if total > 0 else 0.0
    for i in range(k):
        total = right[used[i]]
        for m in range(i):
            total -= factor[i, m] * solution[m]
        solution[i] = total / factor[i, i] if factor[i, i] > 0 else 0.0
    for i in range(k - 1, -1, -1):
        total = solution[i]
        for m in range(i + 1, k):
            total -= factor[m, i] * solution[m]
        solution[i] = total / factor[i, i] if factor[i, i] > 0 else 0.0


@kernel
def squared_error(x, y, w, rows, columns, slope, intercept):
    total = 0.0
    for row in rows:
        value = 0.0
        for j in range(len(columns)):
            value += slope[j] * x[columns[j], row]
        error = y[row] - (value + intercept)
        total += w[row] * error * error
    return total


@kernel
def mean_of(y, w, rows):
    n, total = 0.0, 0.0
    for row in rows:
        n += w[row]
        total += w[row] * y[row]
    return total / n


@kernel
def fit_terms(x, y, w, rows, candidates, ridge, eliminate, columns, slope):
    """A least-squares model of the rows on some of the candidate columns: (how many, intercept).

    Columns that others nearly determine go first. With ``eliminate`` the weakest term goes for as long as an
    Akaike-like number falls. ``columns`` and ``slope`` get the columns that are kept.
    """
    k = len(candidates)
    mean_y = mean_of(y, w, rows)
    if len(rows) == 1 or k == 0:
        return 0, mean_y
    n = 0.0
    for row in rows:
        n += w[row]
    mean, spread = np.zeros(k), np.zeros(k)
    for j in range(k):
        for row in rows:
            mean[j] += w[row] * x[candidates[j], row]
        mean[j] /= n
        for row in rows:
            spread[j] += w[row] * (x[candidates[j], row] - mean[j]) ** 2
        spread[j] = np.sqrt(spread[j] / (n - 1)) if n > 1 else 0.0
    spread_y = 0.0
    for row in rows:
        spread_y += w[row] * (y[row] - mean_y) ** 2
    spread_y = np.sqrt(spread_y / (n - 1)) if n > 1 else 0.0
    if spread_y == 0.0:
        return 0, mean_y
    used, n_used = np.empty(k, np.int64), 0
    for j in range(k):
        if spread[j] > 0.0:
            used[n_used] = j
            n_used += 1
    gram, right = np.zeros((k, k)), np.zeros(k)
    standardised = np.empty(k)
    for row in rows:
        for i in range(n_used):
            a = used[i]
            standardised[a] = (x[candidates[a], row] - mean[a]) / spread[a]
        for i in range(n_used):
            a = used[i]
            weighted = w[row] * standardised[a]
            right[a] += weighted * (y[row] - mean_y)
            for j in range(i + 1):
                gram[a, used[j]] += weighted * standardised[used[j]]
    factor, solution = np.empty((k, k)), np.zeros(k)
    trial, trial_slope, trial_columns = np.empty(k, np.int64), np.zeros(k), np.empty(k, np.int64)

    cholesky_solve(gram, right, used[:n_used], ridge, factor, solution)
    while n_used:
        worst, largest = -1, _COLLINEAR
        for i in range(n_used):
            size = abs(solution[i] / spread_y)
            if size > largest:
                worst, largest = i, size
        if worst < 0:
            break
        used[worst : n_used - 1] = used[worst + 1 : n_used].copy()
        n_used -= 1
        cholesky_solve(gram, right, used[:n_used], ridge, factor, solution)

    intercept = mean_y
    for i in range(n_used):
        columns[i] = candidates[used[i]]
        slope[i] = solution[i] / spread[used[i]]
        intercept -= slope[i] * mean[used[i]]
    parameters = n_used + 1
    first_error = squared_error(x, y, w, rows, columns[:n_used], slope[:n_used], intercept)
    best = (n - parameters) + 2.0 * parameters
    while eliminate and n_used and first_error > 0.0:
        least = 0
        for i in range(n_used):
            if abs(slope[i]) * spread[used[i]] < abs(slope[least]) * spread[used[least]]:
                least = i
        m = 0
        for i in range(n_used):
            if i != least:
                trial[m] = used[i]
                m += 1
        cholesky_solve(gram, right, trial[:m], ridge, factor, solution)
        trial_intercept = mean_y
        for i in range(m):
            trial_columns[i] = candidates[trial[i]]
            trial_slope[i] = solution[i] / spread[trial[i]]
            trial_intercept -= trial_slope[i] * mean[trial[i]]
        error = squared_error(x, y, w, rows, trial_columns[:m], trial_slope[:m], trial_intercept)
        score = error / first_error * (n - parameters) + 2.0 * (m + 1)
        if not score < best:
            break
        best, n_used, intercept = score, m, trial_intercept
        used[:m], columns[:m], slope[:m] = trial[:m], trial_columns[:m], trial_slope[:m]
    return n_used, intercept


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
