"""Cubist's linear models: normal equations, terms dropped one after the other, and gross outliers once.

Values of attributes, the target, what a model says and errors are 32-bit numbers; sums and coefficients are 64-bit.
"""

from typing import Any, NamedTuple

import numpy as np

import treewright.kernels.cubist_kernels.cubist_fit_in_numpy as cubist_fit_in_numpy
from treewright.kernels.cubist_kernels.cubist_fit_in_numpy import LEAST_VARIANCE
from treewright.kernels.cubist_kernels.cubist_sums import (
    BLOCK,
    absolute_errors,
    column_sums,
    deviations,
    gather,
    model_errors,
    normal_equations,
)
from treewright.kernels.jit import borrowing, hot_loop, inlined, kernel, stepwise

_WORST = 1e10  # an adjusted error that no model is taken above
_LEAST_PIVOT = 1e-12
_UNBOUNDED = 1000.0  # times the target's spread: contributions above this are of a model that is not looked at
_OUTLYING = 5.0  # times the mean error


class FitScratch(NamedTuple):
    """Arrays that fits reuse; of k attributes and n cases at most."""

    x: Any  # float32 (k · n): the cases of a fit, one after the other
    y: Any  # float32 (n)
    w: Any  # float64 (n)
    error: Any  # float32 (n)
    row: Any  # float64 (k + 1, BLOCK)
    weighted: Any  # float64 (k + 1, BLOCK)
    value: Any  # float64 (BLOCK)
    errors: Any  # float64 (4, BLOCK)
    gram: Any  # float64 (k + 2, k + 2)
    right: Any  # float64 (k + 1)
    table: Any  # float64 (k + 1, k + 2), to solve in
    coefficient: Any  # float64 (k + 1)
    models: Any  # float64 (k + 1, k + 1): an intercept and slopes, of every number of terms
    parameters: Any  # float64 (k + 1): of each of these
    total: Any  # float64 (k + 1): the sum of their errors
    sums: Any  # float64 (k, 2)
    mean: Any  # float64 (k)
    spread: Any  # float64 (k)
    used: Any  # int64 (k)
    places: Any  # int64 (k + 1)
    active: Any  # bool (k)
    first_active: Any  # bool (k)


@kernel
def fit_scratch(k, n):
    return FitScratch(
        np.empty(k * n, np.float32),
        np.empty(n, np.float32),
        np.empty(n),
        np.empty(n, np.float32),
        np.empty((k + 1, BLOCK)),
        np.empty((k + 1, BLOCK)),
        np.empty(BLOCK),
        np.empty((4, BLOCK)),
        np.empty((k + 2, k + 2)),  # more than any part that is used: all parts have one layout, and hot loops one type
        np.empty(k + 1),
        np.empty((k + 1, k + 2)),
        np.empty(k + 1),
        np.empty((k + 1, k + 1)),
        np.empty(k + 1),
        np.empty(k + 1),
        np.empty((k, 2)),
        np.empty(k),
        np.empty(k),
        np.empty(k, np.int64),
        np.empty(k + 1, np.int64),
        np.empty(k, np.bool_),
        np.empty(k, np.bool_),
    )


@inlined
def adjusted(error, n, parameters):
    """What an error is worth of a model of so many parameters: e·(n + p) / (n − p)."""
    p = parameters if parameters < n else n - 1.0
    return error * (n + p) / (n - p)


@hot_loop(0.4)
@stepwise
def eliminate(gram, right, active, coefficient, places, table):
    """Solve for the intercept and the active attributes; those that others determine become inactive.

    An attribute that is 0 in all cases that are left has pivot 0, which is not below 0: coefficients are no numbers
    then, as in Cubist, and such a model is never the best.
    """
    k = len(active)
    places[0] = 0
    while True:
        m = 1
        for j in range(k):
            if active[j]:
                places[m] = j + 1
                m += 1
        for a in range(m):
            for b in range(m):
                table[a, b] = gram[places[a], places[b]]
            table[a, m] = right[places[a]]
        marked = False
        for c in range(m):
            row, largest = c, abs(table[c, c])
            for a in range(c + 1, m):
                if abs(table[a, c]) > largest:
                    row, largest = a, abs(table[a, c])
            if c > 0 and largest < m * _LEAST_PIVOT * abs(gram[places[c], places[c]]):
                active[places[c] - 1] = False
                marked = True
                continue
            if row != c:
                for b in range(m + 1):
                    table[c, b], table[row, b] = table[row, b], table[c, b]
            for a in range(c + 1, m):
                factor = table[a, c] / table[c, c]
                if factor != 0.0:
                    for b in range(c, m + 1):
                        table[a, b] -= factor * table[c, b]
        if not marked:
            break
    coefficient[:] = 0.0
    for c in range(m - 1, -1, -1):
        total = table[c, m]
        for b in range(c + 1, m):
            total -= table[c, b] * coefficient[places[b]]
        coefficient[places[c]] = total / table[c, c]


@borrowing
def _weakest_term(coefficient, spread, spread_y, active):
    """How many terms there are, how many of a slope that is not 0, the one of least contribution, whether none is too
    large."""
    count, parameters, least, least_at, fits = 0, 0.0, np.inf, -1, True
    for j in range(len(active)):
        if active[j]:
            count += 1
            parameters += 1.0 if coefficient[j + 1] != 0.0 else 0.0
            contribution = abs(coefficient[j + 1]) * spread[j]
            if contribution > _UNBOUNDED * spread_y:
                fits = False
            if contribution < least or least_at < 0:
                least, least_at = contribution, j
    return count, parameters, least_at, fits


@kernel
def _drop_terms(gram, right, weight, spread_y, active, s):
    """Drop the term of least contribution until none is left; the models on the way are kept in ``s``: how many.

    Those that are unbounded, or have too few cases for their terms, are not kept.
    """
    k, n_models = len(active), 0
    coefficient = s.coefficient[: k + 1]
    while True:
        eliminate(gram, right, active, coefficient, s.places, s.table)
        count, parameters, least_at, fits = _weakest_term(coefficient, s.spread, spread_y, active)
        if fits and weight >= 2.0 * count:
            s.models[n_models, : k + 1] = coefficient
            s.parameters[n_models] = parameters
            n_models += 1
        if least_at < 0:
            return n_models
        active[least_at] = False


@kernel
def _simplify(x, y, w, weight, gram, right, spread_y, active, low, high, best, s):
    """``best`` gets the model of least adjusted error, the smaller one of equals."""
    k = len(x)
    n_models = _drop_terms(gram, right, weight, spread_y, active, s)
    absolute_errors(x, y, w, s.models[:n_models, : k + 1], low, high, s.value, s.errors, s.total)
    least, taken = _WORST, -1
    for q in range(n_models):
        error = adjusted(s.total[q] / weight, weight, s.parameters[q])
        if error <= least:
            least, taken = error, q
    if taken >= 0:
        best[:] = 0.0
        best[0] = s.models[taken, 0]
        for j in range(k):
            best[s.used[j] + 1] = s.models[taken, j + 1]


@kernel
def fit_cubist(x, y, w, cases, candidates, low, high, best, s):
    """Fit a model of the cases on some of the candidate attributes.

    ``best[0]`` gets the intercept and ``best[1 + j]`` the slope of attribute j. Where no model is ever taken the one of
    the fit before stays, so ``best`` is handed from fit to fit.
    """
    n = len(cases)
    is_mean, mean_y = _is_mean(x, y, w, cases, candidates)
    if is_mean:
        best[:] = 0.0
        best[0] = mean_y
        return
    here, weight, mean_y = _local(x, y, w, cases, candidates, s)
    k = len(here)
    if k == 0 or weight < 2.0 * k:
        best[:] = 0.0
        best[0] = mean_y
        return
    target, weights = s.y[:n], s.w[:n]
    gram, right, active = s.gram[: k + 1, : k + 1], s.right[: k + 1], s.active[:k]
    deviations(here, weights, s.mean, s.spread)
    spread_y = _deviation(target, weights, mean_y) / weight
    for j in range(k):
        s.spread[j] /= weight
    normal_equations(here, target, weights, gram, right, s.row, s.weighted)
    active[:] = True
    eliminate(gram, right, active, s.coefficient[: k + 1], s.places, s.table)
    s.first_active[:k] = active
    _simplify(here, target, weights, weight, gram, right, spread_y, active, low, high, best, s)
    slope, has_slope = s.coefficient[:k], False
    for j in range(k):
        slope[j] = best[s.used[j] + 1]
        has_slope = has_slope or slope[j] != 0.0
    if not has_slope:
        return
    error = s.error[:n]
    model_errors(here, target, slope, best[0], low, high, s.value, error)
    bias, size = _bias_and_size(error, weights)
    best[0] += bias / weight
    m, weight = _without_outliers(here, target, weights, error, _OUTLYING * (size / weight), weight, gram, right)
    if m < n:
        # The errors are weighed with the first of all cases' weights, as Cubist does.
        _simplify(
            here[:, :m], target[:m], weights[:m], weight, gram, right, spread_y, s.first_active[:k], low, high, best, s
        )


@borrowing
def _deviation(y, w, mean):
    total = 0.0
    for i in range(len(y)):
        total += w[i] * abs(np.float64(y[i]) - mean)
    return total


_deviation.in_numpy(cubist_fit_in_numpy.deviation)


@borrowing
def _bias_and_size(error, w):
    bias, size = 0.0, 0.0
    for i in range(len(error)):
        wide = np.float64(error[i])
        bias += w[i] * wide
        size += w[i] * abs(wide)
    return bias, size


_bias_and_size.in_numpy(cubist_fit_in_numpy.bias_and_size)


@kernel
def _local(x, y, w, cases, candidates, s):
    """The cases one after the other, of those candidates that vary: (their values, the weight, the mean target)."""
    n = len(cases)
    gather(y, cases, s.y)
    gather(w, cases, s.w)
    weight, total = _weight_and_total(s.y[:n], s.w[:n])
    k, here = len(candidates), s.x[: len(candidates) * n].reshape((len(candidates), n))
    for c in range(k):
        gather(x[candidates[c]], cases, here[c])
    column_sums(here, s.w[:n], s.sums)
    m = 0
    for c in range(k):
        first, second = s.sums[c, 0], s.sums[c, 1]
        average = first / weight
        if weight > 1.0 and (second - weight * average * average) / (weight - 1.0) >= LEAST_VARIANCE:
            s.used[m], s.mean[m] = candidates[c], average
            if m < c:
                here[m] = here[c]
            m += 1
    return here[:m], weight, total / weight


@borrowing
def _weight_and_total(y, w):
    weight, total = 0.0, 0.0
    for i in range(len(y)):
        weight += w[i]
        total += w[i] * y[i]
    return weight, total


_weight_and_total.in_numpy(cubist_fit_in_numpy.weight_and_total)


@borrowing
def _is_mean(x, y, w, cases, candidates):
    """Whether there are fewer cases than two for each candidate that varies, and the mean of the target."""
    weight, total, k = 0.0, 0.0, 0
    for case in cases:
        weight += w[case]
        total += w[case] * y[case]
    if weight >= 2.0 * len(candidates) > 0:
        return False, total / weight
    for j in candidates:
        first, second = 0.0, 0.0
        for case in cases:
            value = np.float64(x[j, case])
            first += w[case] * value
            second += w[case] * value * value
        average = first / weight
        if weight > 1.0 and (second - weight * average * average) / (weight - 1.0) >= LEAST_VARIANCE:
            k += 1
            if weight < 2.0 * k:
                break
    return k == 0 or weight < 2.0 * k, total / weight


_is_mean.in_numpy(cubist_fit_in_numpy.is_mean)


@borrowing
def _without_outliers(x, y, w, error, most, weight, gram, right):
    """Take cases of larger errors out of the equations, and the others to the front: (their number, their weight)."""
    k, n = x.shape
    m = 0
    for i in range(n):
        if abs(np.float64(error[i])) <= most:
            if m < i:
                y[m] = y[i]
                for j in range(k):
                    x[j, m] = x[j, i]
            m += 1
            continue
        weight -= w[i]
        for a in range(k + 1):
            weighted = w[i] * (1.0 if a == 0 else np.float64(x[a - 1, i]))
            right[a] -= weighted * y[i]
            for b in range(k + 1):
                gram[a, b] -= weighted * (1.0 if b == 0 else np.float64(x[b - 1, i]))
    return m, weight


_without_outliers.in_numpy(cubist_fit_in_numpy.without_outliers)
