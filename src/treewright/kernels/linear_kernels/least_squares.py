"""Least squares on some columns of some rows: collinear columns go first, then terms that do not pay for themselves."""

from typing import Any, NamedTuple

import numpy as np

from treewright.kernels.jit import borrowing, inlined_borrowing, kernel, stepwise
from treewright.kernels.linear_kernels.cholesky import cholesky_solve
from treewright.kernels.ordered_sums import in_order

_COLLINEAR = 1.5  # standardised slopes above this are of columns that others nearly determine
_BLOCK = 128  # rows
_LANES = 4  # sums side by side


class FitRoom(NamedTuple):
    """Room for a model of up to so many columns."""

    number: Any  # (BLOCK): of every row of a block
    line: Any  # (BLOCK, columns, a multiple of LANES): rows of a block, standardised
    mean: Any  # (columns, a multiple of LANES)
    spread: Any
    gram: Any  # (columns, a multiple of LANES)
    right: Any
    factor: Any
    solution: Any
    used: Any  # int64: places among the candidates
    trial: Any  # int64: the same, one less
    trial_columns: Any  # int64
    trial_slope: Any


@kernel
def fit_room(n_columns):
    wide = (n_columns + _LANES - 1) // _LANES * _LANES
    return FitRoom(
        np.empty(_BLOCK),
        np.zeros((_BLOCK, wide)),
        np.empty(wide),
        np.empty(wide),
        np.empty((n_columns, wide)),
        np.empty(n_columns),
        np.empty((n_columns, n_columns)),
        np.empty(n_columns),
        np.empty(n_columns, np.int64),
        np.empty(n_columns, np.int64),
        np.empty(n_columns, np.int64),
        np.empty(n_columns),
    )


@inlined_borrowing
def _weight(w, row):
    if w is None:
        return 1.0
    return w[row]


@stepwise
def squared_error(x, y, w, start, stop, columns, slope, intercept, room):
    total = 0.0
    for first in range(start, stop, _BLOCK):
        m = min(_BLOCK, stop - first)
        value, target = room.number[:m], y[first : first + m]
        for i in range(m):
            value[i] = 0.0
        for j in range(len(columns)):
            column, factor = x[columns[j], first : first + m], slope[j]
            for i in range(m):
                value[i] += factor * column[i]
        for i in range(m):
            error = target[i] - (value[i] + intercept)
            total += _weight(w, first + i) * error * error
    return total


@squared_error.in_numpy
def squared_error_in_numpy(x, y, w, start, stop, columns, slope, intercept, room):
    value = np.zeros(stop - start)
    for j, factor in zip(columns, slope):
        value += factor * x[j, start:stop]
    error = y[start:stop] - (value + intercept)
    return in_order((error if w is None else w[start:stop] * error) * error)


@borrowing
def mean_of(y, w, start, stop):
    n, total = 0.0, 0.0
    for row in range(start, stop):
        n += _weight(w, row)
        total += _weight(w, row) * y[row]
    return total / n


@mean_of.in_numpy
def mean_of_in_numpy(y, w, start, stop):
    here = y[start:stop]
    return in_order(here if w is None else w[start:stop] * here) / weight_of_in_numpy(w, start, stop)


@borrowing
def weight_of(w, start, stop):
    if w is None:
        return np.float64(stop - start)
    n = 0.0
    for row in range(start, stop):
        n += _weight(w, row)
    return n


@weight_of.in_numpy
def weight_of_in_numpy(w, start, stop):
    return float(stop - start) if w is None else in_order(w[start:stop])


@borrowing
def _mean_and_spread(values, w, start, stop, n):
    """The spread of a sample: squares over n − 1."""
    mean, squares = 0.0, 0.0
    for row in range(start, stop):
        mean += _weight(w, row) * values[row]
    mean /= n
    for row in range(start, stop):
        squares += _weight(w, row) * (values[row] - mean) ** 2
    return mean, np.sqrt(squares / (n - 1)) if n > 1 else 0.0


@_mean_and_spread.in_numpy
def _mean_and_spread_in_numpy(values, w, start, stop, n):
    here, weight = values[start:stop], 1.0 if w is None else w[start:stop]
    mean = in_order(weight * here) / n
    away = here - mean
    return mean, np.sqrt(in_order(weight * (away * away)) / (n - 1)) if n > 1 else 0.0


@stepwise
def _means_and_spreads(x, w, start, stop, n, candidates, room):
    """The same of every candidate column; several are added up side by side, since each sum waits for its last one."""
    k = len(candidates)
    for j in range(0, k, _LANES):
        first, second = x[candidates[j], start:stop], x[candidates[min(j + 1, k - 1)], start:stop]
        third, fourth = x[candidates[min(j + 2, k - 1)], start:stop], x[candidates[min(j + 3, k - 1)], start:stop]
        sum_0, sum_1, sum_2, sum_3 = 0.0, 0.0, 0.0, 0.0
        for i in range(stop - start):
            weight = _weight(w, start + i)
            sum_0 += weight * first[i]
            sum_1 += weight * second[i]
            sum_2 += weight * third[i]
            sum_3 += weight * fourth[i]
        mean_0, mean_1, mean_2, mean_3 = sum_0 / n, sum_1 / n, sum_2 / n, sum_3 / n
        sum_0, sum_1, sum_2, sum_3 = 0.0, 0.0, 0.0, 0.0
        for i in range(stop - start):
            weight = _weight(w, start + i)
            sum_0 += weight * (first[i] - mean_0) ** 2
            sum_1 += weight * (second[i] - mean_1) ** 2
            sum_2 += weight * (third[i] - mean_2) ** 2
            sum_3 += weight * (fourth[i] - mean_3) ** 2
        room.mean[j], room.mean[j + 1], room.mean[j + 2], room.mean[j + 3] = mean_0, mean_1, mean_2, mean_3
        room.spread[j], room.spread[j + 1], room.spread[j + 2], room.spread[j + 3] = sum_0, sum_1, sum_2, sum_3
    for j in range(k):
        room.spread[j] = np.sqrt(room.spread[j] / (n - 1)) if n > 1 else 0.0


@_means_and_spreads.in_numpy
def _means_and_spreads_in_numpy(x, w, start, stop, n, candidates, room):
    for j, column in enumerate(candidates):
        room.mean[j], room.spread[j] = _mean_and_spread_in_numpy(x[column], w, start, stop, n)


@stepwise
def _standardise(x, first, m, candidates, room):
    """Some rows into lines, every column less its mean, over its spread. A constant column is 0."""
    here = room.number[:m]
    for a in range(len(candidates)):
        column, mean, spread = x[candidates[a], first : first + m], room.mean[a], room.spread[a]
        divisor = spread if spread > 0.0 else np.inf
        for i in range(m):
            here[i] = (column[i] - mean) / divisor
        for i in range(m):
            room.line[i, a] = here[i]


@borrowing
def _normal_equations(x, y, w, start, stop, candidates, mean_y, room):
    """Σ w·z·z of the standardised columns, and Σ w·z·(y − mean). What stands above the diagonal means nothing."""
    k = len(candidates)
    for a in range(k):
        room.right[a] = 0.0
        for b in range(room.gram.shape[1]):
            room.gram[a, b] = 0.0
    for first in range(start, stop, _BLOCK):
        m = min(_BLOCK, stop - first)
        _standardise(x, first, m, candidates, room)
        for a in range(k):
            total = room.right[a]
            for i in range(m):
                total += _weight(w, first + i) * room.line[i, a] * (y[first + i] - mean_y)
            room.right[a] = total
            for b in range(0, a + 1, _LANES):
                sum_0, sum_1, sum_2, sum_3 = (
                    room.gram[a, b],
                    room.gram[a, b + 1],
                    room.gram[a, b + 2],
                    room.gram[a, b + 3],
                )
                for i in range(m):
                    line = room.line[i]
                    weighted = _weight(w, first + i) * line[a]
                    sum_0 += weighted * line[b]
                    sum_1 += weighted * line[b + 1]
                    sum_2 += weighted * line[b + 2]
                    sum_3 += weighted * line[b + 3]
                room.gram[a, b], room.gram[a, b + 1] = sum_0, sum_1
                room.gram[a, b + 2], room.gram[a, b + 3] = sum_2, sum_3


@_normal_equations.in_numpy
def _normal_equations_in_numpy(x, y, w, start, stop, candidates, mean_y, room):
    k = len(candidates)
    divisor = np.where(room.spread[:k] > 0, room.spread[:k], np.inf)
    standardised = (x[candidates, start:stop] - room.mean[:k, None]) / divisor[:, None]
    away, weighted = y[start:stop] - mean_y, standardised if w is None else w[start:stop] * standardised
    for a in range(k):
        room.right[a] = in_order(weighted[a] * away)
        room.gram[a, : a + 1] = in_order(weighted[a] * standardised[: a + 1])


@borrowing
def _solve_without_collinear(n_used, spread_y, ridge, room):
    """Solve for the used columns, those that others nearly determine left out; returns how many stay."""
    used, solution = room.used, room.solution
    cholesky_solve(room.gram, room.right, used[:n_used], ridge, room.factor, solution)
    while n_used:
        worst, largest = -1, _COLLINEAR
        for i in range(n_used):
            size = abs(solution[i] / spread_y)
            if size > largest:
                worst, largest = i, size
        if worst < 0:
            break
        n_used -= 1
        for i in range(worst, n_used):
            used[i] = used[i + 1]
        cholesky_solve(room.gram, room.right, used[:n_used], ridge, room.factor, solution)
    return n_used


@borrowing
def _slopes(used, mean_y, room, slope):
    """The slopes of a solution in the units of the columns; returns the intercept."""
    intercept = mean_y
    for i in range(len(used)):
        slope[i] = room.solution[i] / room.spread[used[i]]
        intercept -= slope[i] * room.mean[used[i]]
    return intercept


@borrowing
def _drop_weak_terms(x, y, w, start, stop, candidates, n, n_used, mean_y, ridge, intercept, error, slope, room):
    """Leave out the weakest term for as long as an Akaike-like number falls: (how many stay, intercept, error)."""
    used, trial, trial_columns, trial_slope = room.used, room.trial, room.trial_columns, room.trial_slope
    spread = room.spread
    parameters, first_error = n_used + 1, error
    best = (n - parameters) + 2.0 * parameters
    while n_used and first_error > 0.0:
        least = 0
        for i in range(n_used):
            if abs(slope[i]) * spread[used[i]] < abs(slope[least]) * spread[used[least]]:
                least = i
        m = n_used - 1
        for i in range(m):
            trial[i] = used[i] if i < least else used[i + 1]
            trial_columns[i] = candidates[trial[i]]
        cholesky_solve(room.gram, room.right, trial[:m], ridge, room.factor, room.solution)
        trial_intercept = _slopes(trial[:m], mean_y, room, trial_slope)
        trial_error = squared_error(x, y, w, start, stop, trial_columns[:m], trial_slope[:m], trial_intercept, room)
        score = trial_error / first_error * (n - parameters) + 2.0 * (m + 1)
        if not score < best:
            break
        best, n_used, intercept, error = score, m, trial_intercept, trial_error
        for i in range(m):
            used[i], slope[i] = trial[i], trial_slope[i]
    return n_used, intercept, error


@kernel
def fit_terms(x, y, w, start, stop, candidates, ridge, eliminate, columns, slope, room):
    """A least-squares model of some rows on some of the candidate columns: (how many, intercept, squared error).

    Columns that others nearly determine go first. With ``eliminate`` the weakest term goes for as long as an
    Akaike-like number falls. ``columns`` and ``slope`` get the columns that are kept.
    """
    k = len(candidates)
    if stop - start == 1 or k == 0:
        intercept = mean_of(y, w, start, stop)
        return 0, intercept, squared_error(x, y, w, start, stop, columns[:0], slope[:0], intercept, room)
    n = weight_of(w, start, stop)
    mean_y, spread_y = _mean_and_spread(y, w, start, stop, n)
    if spread_y == 0.0:
        return 0, mean_y, squared_error(x, y, w, start, stop, columns[:0], slope[:0], mean_y, room)
    _means_and_spreads(x, w, start, stop, n, candidates, room)
    n_used, used = 0, room.used
    for j in range(k):
        if room.spread[j] > 0.0:
            used[n_used] = j
            n_used += 1
    _normal_equations(x, y, w, start, stop, candidates, mean_y, room)
    n_used = _solve_without_collinear(n_used, spread_y, ridge, room)
    intercept = _slopes(used[:n_used], mean_y, room, slope)
    for i in range(n_used):
        columns[i] = candidates[used[i]]
    error = squared_error(x, y, w, start, stop, columns[:n_used], slope[:n_used], intercept, room)
    if eliminate:
        n_used, intercept, error = _drop_weak_terms(
            x, y, w, start, stop, candidates, n, n_used, mean_y, ridge, intercept, error, slope, room
        )
    for i in range(n_used):
        columns[i] = candidates[used[i]]
    return n_used, intercept, error
