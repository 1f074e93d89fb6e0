"""Least squares on some columns of some rows: collinear columns go first, then terms that do not pay for themselves."""

import numpy as np

from treewright.kernels.jit import hot_loop, kernel
from treewright.kernels.ordered_sums import in_order

_COLLINEAR = 1.5  # standardised slopes above this are of columns that others nearly determine


@kernel
def cholesky_factor(gram, used, ridge, factor):
    """L of G + ridge·I = L·Lᵀ for the columns in ``used``; one that those before it determine has a diagonal of 0."""
    for i in range(len(used)):
        for j in range(i + 1):
            total = gram[used[i], used[j]] + (ridge if i == j else 0.0)
            for m in range(j):
                total -= factor[i, m] * factor[j, m]
            if i > j:
                factor[i, j] = total / factor[j, j] if factor[j, j] > 0 else 0.0
            else:
                factor[i, i] = np.sqrt(total) if total > 0 else 0.0


@cholesky_factor.in_numpy
def cholesky_factor_in_numpy(gram, used, ridge, factor):
    k = len(used)
    rest = gram[used[:, None], used]
    rest.flat[:: k + 1] += ridge
    for j in range(k):
        below = rest[j + 1 :, j]
        if rest[j, j] > 0:
            rest[j, j] = np.sqrt(rest[j, j])
            below /= rest[j, j]
            rest[j + 1 :, j + 1 :] -= below[:, None] * below
        else:
            rest[j:, j] = 0.0
    factor[:k, :k] = rest


@kernel
def cholesky_substitute(factor, right, solution):
    """Solve L·Lᵀ·b = r; columns that others determine get 0."""
    k = len(right)
    for i in range(k):
        total = right[i]
        for m in range(i):
            total -= factor[i, m] * solution[m]
        solution[i] = total / factor[i, i] if factor[i, i] > 0 else 0.0
    for i in range(k - 1, -1, -1):
        total = solution[i]
        for m in range(i + 1, k):
            total -= factor[m, i] * solution[m]
        solution[i] = total / factor[i, i] if factor[i, i] > 0 else 0.0


@cholesky_substitute.in_numpy
def cholesky_substitute_in_numpy(factor, right, solution):
    k = len(right)
    solution[:k] = right
    for i in range(k):
        solution[i] = solution[i] / factor[i, i] if factor[i, i] > 0 else 0.0
        solution[i + 1 : k] -= factor[i + 1 : k, i] * solution[i]
    for i in range(k - 1, -1, -1):
        terms = np.append(solution[i], factor[i + 1 : k, i] * solution[i + 1 : k])
        total = np.subtract.accumulate(terms)[-1]
        solution[i] = total / factor[i, i] if factor[i, i] > 0 else 0.0


@kernel
def cholesky_invert(factor, inverse):
    """The inverse of L·Lᵀ, 0 for columns that others determine."""
    k = len(factor)
    for j in range(k):
        unit = np.zeros(k)
        unit[j] = 1.0
        cholesky_substitute(factor, unit, inverse[j])


@cholesky_invert.in_numpy
def cholesky_invert_in_numpy(factor, inverse):
    known = np.flatnonzero(factor.diagonal() > 0)
    half = np.linalg.inv(np.tril(factor[known[:, None], known]))
    inverse[:] = 0.0
    inverse[known[:, None], known] = half.T @ half


@hot_loop(0.5)
def cholesky_solve(gram, right, used, ridge, factor, solution):
    """Solve (G + ridge·I)·b = r for the columns in ``used``; columns that others determine get 0."""
    cholesky_factor(gram, used, ridge, factor)
    cholesky_substitute(factor, right[used], solution)


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


@squared_error.in_numpy
def squared_error_in_numpy(x, y, w, rows, columns, slope, intercept):
    value = np.zeros(len(rows))
    for j, factor in zip(columns, slope):
        value += factor * x[j, rows]
    error = y[rows] - (value + intercept)
    return in_order(w[rows] * error * error)


@kernel
def mean_of(y, w, rows):
    n, total = 0.0, 0.0
    for row in rows:
        n += w[row]
        total += w[row] * y[row]
    return total / n


@mean_of.in_numpy
def mean_of_in_numpy(y, w, rows):
    weight = w[rows]
    return in_order(weight * y[rows]) / in_order(weight)


@kernel
def weight_of(w, rows):
    n = 0.0
    for row in rows:
        n += w[row]
    return n


@weight_of.in_numpy
def weight_of_in_numpy(w, rows):
    return in_order(w[rows])


@kernel
def _mean_and_spread(values, w, rows, n):
    """The spread of a sample: squares over n − 1."""
    mean, squares = 0.0, 0.0
    for row in rows:
        mean += w[row] * values[row]
    mean /= n
    for row in rows:
        squares += w[row] * (values[row] - mean) ** 2
    return mean, np.sqrt(squares / (n - 1)) if n > 1 else 0.0


@_mean_and_spread.in_numpy
def _mean_and_spread_in_numpy(values, w, rows, n):
    here, weight = values[rows], w[rows]
    mean = in_order(weight * here) / n
    away = here - mean
    return mean, np.sqrt(in_order(weight * (away * away)) / (n - 1)) if n > 1 else 0.0


@kernel
def _normal_equations(x, y, w, rows, columns, used, mean, spread, mean_y, gram, right):
    """Σ w·z·z of the used columns, standardised, below the diagonal, and Σ w·z·(y − mean)."""
    standardised = np.empty(len(columns))
    for row in rows:
        for a in used:
            standardised[a] = (x[columns[a], row] - mean[a]) / spread[a]
        for i in range(len(used)):
            a = used[i]
            weighted = w[row] * standardised[a]
            right[a] += weighted * (y[row] - mean_y)
            for j in range(i + 1):
                gram[a, used[j]] += weighted * standardised[used[j]]


@_normal_equations.in_numpy
def _normal_equations_in_numpy(x, y, w, rows, columns, used, mean, spread, mean_y, gram, right):
    standardised = (x[columns[used][:, None], rows] - mean[used, None]) / spread[used, None]
    away, weighted = y[rows] - mean_y, w[rows] * standardised
    for i, a in enumerate(used):
        right[a] = in_order(weighted[i] * away)
        gram[a, used[: i + 1]] = in_order(weighted[i] * standardised[: i + 1])


@kernel
def fit_terms(x, y, w, rows, candidates, ridge, eliminate, columns, slope):
    """A least-squares model of the rows on some of the candidate columns: (how many, intercept).

    Columns that others nearly determine go first. With ``eliminate`` the weakest term goes for as long as an
    Akaike-like number falls. ``columns`` and ``slope`` get the columns that are kept.
    """
    k = len(candidates)
    if len(rows) == 1 or k == 0:
        return 0, mean_of(y, w, rows)
    n = weight_of(w, rows)
    mean_y, spread_y = _mean_and_spread(y, w, rows, n)
    if spread_y == 0.0:
        return 0, mean_y
    mean, spread = np.zeros(k), np.zeros(k)
    used, n_used = np.empty(k, np.int64), 0
    for j in range(k):
        mean[j], spread[j] = _mean_and_spread(x[candidates[j]], w, rows, n)
        if spread[j] > 0.0:
            used[n_used] = j
            n_used += 1
    gram, right = np.zeros((k, k)), np.zeros(k)
    _normal_equations(x, y, w, rows, candidates, used[:n_used], mean, spread, mean_y, gram, right)
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
