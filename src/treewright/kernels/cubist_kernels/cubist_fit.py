"""Cubist's linear models: normal equations, terms dropped one after the other, and gross outliers once.

Values of attributes, the target, what a model says and errors are 32-bit numbers; sums and coefficients are 64-bit.
"""

import numpy as np

from treewright.kernels.jit import inlined, kernel

_WORST = 1e10  # an adjusted error that no model is taken above
_LEAST_VARIANCE = 1e-6
_LEAST_PIVOT = 1e-12
_UNBOUNDED = 1000.0  # times the target's spread: contributions above this are of a model that is not looked at
_OUTLYING = 5.0  # times the mean error


@inlined
def adjusted(error, n, parameters):
    """What an error is worth of a model of so many parameters: e·(n + p) / (n − p)."""
    p = parameters if parameters < n else n - 1.0
    return error * (n + p) / (n - p)


@inlined
def said(x, case, attributes, slope, intercept):
    """What a model says of a case, not limited."""
    total = intercept
    for j in range(len(attributes)):
        total += slope[j] * x[attributes[j], case]
    return np.float32(total)


@inlined
def limited(value, low, high):
    return low if value < low else high if value > high else value


@kernel
def eliminate(gram, right, active, coefficient):
    """Solve for the intercept and the active attributes; those that others determine become inactive."""
    k = len(active)
    places, table = np.empty(k + 1, np.int64), np.empty((k + 1, k + 2))
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


@kernel
def mean_error(x, y, w, cases, of_weights, attributes, slope, intercept, low, high, weight):
    """The weighted mean of |y − what the model says|."""
    total = 0.0
    for i in range(len(cases)):
        case = cases[i]
        value = limited(said(x, case, attributes, slope, intercept), low, high)
        total += w[of_weights[i]] * abs(np.float64(np.float32(y[case] - value)))
    return total / weight


@kernel
def simplify(x, y, w, cases, of_weights, weight, used, gram, right, active, spread, spread_y, low, high, best):
    """Drop the term of least contribution until none is left; ``best`` gets the size of least adjusted error."""
    k = len(used)
    coefficient, attributes, slope = np.empty(k + 1), np.empty(k, np.int64), np.empty(k)
    eliminate(gram, right, active, coefficient)
    least_error = _WORST
    while True:
        count, parameters, least, least_at, fits = 0, 0.0, np.inf, -1, True
        for j in range(k):
            if active[j]:
                attributes[count], slope[count] = used[j], coefficient[j + 1]
                parameters += 1.0 if coefficient[j + 1] != 0.0 else 0.0
                count += 1
                contribution = abs(coefficient[j + 1]) * spread[j]
                if contribution > _UNBOUNDED * spread_y:
                    fits = False
                if contribution < least or least_at < 0:
                    least, least_at = contribution, j
        if fits and weight >= 2.0 * count:
            error = mean_error(
                x, y, w, cases, of_weights, attributes[:count], slope[:count], coefficient[0], low, high, weight
            )
            error = adjusted(error, weight, parameters)
            if error <= least_error:
                least_error = error
                best[:] = 0.0
                best[0] = coefficient[0]
                for j in range(k):
                    if active[j]:
                        best[used[j] + 1] = coefficient[j + 1]
        if least_at < 0:
            return
        active[least_at] = False
        eliminate(gram, right, active, coefficient)


@kernel
def fit_cubist(x, y, w, cases, candidates, low, high, best):
    """Fit a model of the cases on some of the candidate attributes.

    ``best[0]`` gets the intercept and ``best[1 + j]`` the slope of attribute j. Where no model is ever taken the one of
    the fit before stays, so ``best`` is handed from fit to fit.
    """
    n, weight, total = len(cases), 0.0, 0.0
    for case in cases:
        weight += w[case]
        total += w[case] * y[case]
    mean_y = total / weight
    used, mean, k = np.empty(len(candidates), np.int64), np.empty(len(candidates)), 0
    for j in candidates:
        first, second = 0.0, 0.0
        for case in cases:
            value = np.float64(x[j, case])
            first += w[case] * value
            second += w[case] * value * value
        average = first / weight
        if weight > 1.0 and (second - weight * average * average) / (weight - 1.0) >= _LEAST_VARIANCE:
            used[k], mean[k] = j, average
            k += 1
    used = used[:k]
    if k == 0 or weight < 2.0 * k:
        best[:] = 0.0
        best[0] = mean_y
        return
    spread, spread_y = np.zeros(k), 0.0
    gram, right = np.zeros((k + 1, k + 1)), np.zeros(k + 1)
    row = np.empty(k + 1)
    row[0] = 1.0
    for case in cases:
        weight_here, target = w[case], np.float64(y[case])
        spread_y += weight_here * abs(target - mean_y)
        for j in range(k):
            row[j + 1] = x[used[j], case]
            spread[j] += weight_here * abs(row[j + 1] - mean[j])
        for a in range(k + 1):
            weighted = weight_here * row[a]
            right[a] += weighted * target
            for b in range(a + 1):
                gram[a, b] += weighted * row[b]
    for a in range(k + 1):
        for b in range(a):
            gram[b, a] = gram[a, b]
    spread /= weight
    spread_y /= weight
    active = np.ones(k, np.bool_)
    coefficient = np.empty(k + 1)
    eliminate(gram, right, active, coefficient)
    first_active = active.copy()
    simplify(x, y, w, cases, cases, weight, used, gram, right, active, spread, spread_y, low, high, best)
    slope, has_slope = np.empty(k), False
    for j in range(k):
        slope[j] = best[used[j] + 1]
        has_slope = has_slope or slope[j] != 0.0
    if not has_slope:
        return
    error, bias, size = np.empty(n, np.float32), 0.0, 0.0
    for i in range(n):
        case = cases[i]
        error[i] = y[case] - limited(said(x, case, used, slope, best[0]), low, high)
        bias += w[case] * np.float64(error[i])
        size += w[case] * abs(np.float64(error[i]))
    best[0] += bias / weight
    size /= weight
    kept, m = np.empty(n, cases.dtype), 0
    for i in range(n):
        case = cases[i]
        if abs(np.float64(error[i])) <= _OUTLYING * size:
            kept[m] = case
            m += 1
            continue
        weight -= w[case]
        for j in range(k):
            row[j + 1] = x[used[j], case]
        for a in range(k + 1):
            weighted = w[case] * row[a]
            right[a] -= weighted * y[case]
            for b in range(k + 1):
                gram[a, b] -= weighted * row[b]
    if m < n:
        simplify(x, y, w, kept[:m], cases, weight, used, gram, right, first_active, spread, spread_y, low, high, best)
