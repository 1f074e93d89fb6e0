"""Sums over cases that Cubist's models need, several of them side by side.

Every single sum is taken in the order of the cases, because its rounding decides ties: only what does not depend on
the step before is computed at once. ``x`` holds cases one after the other, attributes × cases.
"""

import numpy as np

from treewright.kernels.jit import borrowing, inlined, kernel, stepwise
from treewright.kernels.ordered_sums import in_order

BLOCK = 256  # cases whose values stay in the first cache


@inlined
def limited(value, low, high):
    return low if value < low else high if value > high else value


@borrowing
def gather(values, cases, out):
    for i in range(len(cases)):
        out[i] = values[cases[i]]


@gather.in_numpy
def gather_in_numpy(values, cases, out):
    out[: len(cases)] = values[cases]


@borrowing
def column_sums(x, w, sums):
    """Σ w·x and Σ w·x² of every attribute into ``sums[j]``."""
    k, n = x.shape
    for first in range(0, k, 4):
        a, b, c, d = first, min(first + 1, k - 1), min(first + 2, k - 1), min(first + 3, k - 1)
        a1, b1, c1, d1, a2, b2, c2, d2 = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
        for i in range(n):
            weight = w[i]
            value = np.float64(x[a, i])
            a1 += weight * value
            a2 += weight * value * value
            value = np.float64(x[b, i])
            b1 += weight * value
            b2 += weight * value * value
            value = np.float64(x[c, i])
            c1 += weight * value
            c2 += weight * value * value
            value = np.float64(x[d, i])
            d1 += weight * value
            d2 += weight * value * value
        sums[d, 0], sums[d, 1] = d1, d2
        sums[c, 0], sums[c, 1] = c1, c2
        sums[b, 0], sums[b, 1] = b1, b2
        sums[a, 0], sums[a, 1] = a1, a2


@column_sums.in_numpy
def column_sums_in_numpy(x, w, sums):
    weighted = w * x.astype(np.float64)
    sums[: len(x), 0] = in_order(weighted)
    sums[: len(x), 1] = in_order(weighted * x)


@borrowing
def deviations(x, w, mean, spread):
    """Σ w·|x − mean| of every attribute."""
    k, n = x.shape
    for first in range(0, k, 4):
        a, b, c, d = first, min(first + 1, k - 1), min(first + 2, k - 1), min(first + 3, k - 1)
        mean_a, mean_b, mean_c, mean_d = mean[a], mean[b], mean[c], mean[d]
        of_a, of_b, of_c, of_d = 0.0, 0.0, 0.0, 0.0
        for i in range(n):
            of_a += w[i] * abs(np.float64(x[a, i]) - mean_a)
            of_b += w[i] * abs(np.float64(x[b, i]) - mean_b)
            of_c += w[i] * abs(np.float64(x[c, i]) - mean_c)
            of_d += w[i] * abs(np.float64(x[d, i]) - mean_d)
        spread[d], spread[c], spread[b], spread[a] = of_d, of_c, of_b, of_a


@deviations.in_numpy
def deviations_in_numpy(x, w, mean, spread):
    spread[: len(x)] = in_order(w * np.abs(x.astype(np.float64) - mean[: len(x), None]))


@kernel
def normal_equations(x, y, w, gram, right, row, weighted):
    """Σ w·x·x and Σ w·x·y of all attributes and, before them, of 1. ``row`` and ``weighted`` are room for a block."""
    k, n = x.shape
    size = k + 1
    gram[:size, :size] = 0.0
    right[:size] = 0.0
    for start in range(0, n, BLOCK):
        m = min(BLOCK, n - start)
        _weighted_block(x, w, start, m, row, weighted)
        for a in range(0, size, 2):
            also = min(a + 1, k)
            for b in range(0, also + 1, 4):
                _add_products(row, weighted, m, a, also, b, k, gram)
            _add_right(weighted, y, start, m, a, also, right)
    for a in range(size):
        for b in range(a):
            gram[b, a] = gram[a, b]


@normal_equations.in_numpy
def normal_equations_in_numpy(x, y, w, gram, right, row, weighted):
    values = np.vstack((np.ones((1, x.shape[1])), x.astype(np.float64)))
    for a, one in enumerate(values):
        gram[a, : a + 1] = gram[: a + 1, a] = in_order((w * one) * values[: a + 1])
        right[a] = in_order((w * one) * y.astype(np.float64))


@stepwise
def _weighted_block(x, w, start, m, row, weighted):
    weight = w[start : start + m]
    for i in range(m):
        row[0, i], weighted[0, i] = 1.0, weight[i]
    for j in range(x.shape[0]):
        here, out, of_weight = x[j, start : start + m], row[j + 1], weighted[j + 1]
        for i in range(m):
            value = np.float64(here[i])
            out[i] = value
            of_weight[i] = weight[i] * value


@stepwise
def _add_products(row, weighted, m, a, also, b, last, gram):
    """Two rows of the equations and four columns."""
    b1, b2, b3 = min(b + 1, last), min(b + 2, last), min(b + 3, last)
    row0, row1, row2, row3 = row[b, :m], row[b1, :m], row[b2, :m], row[b3, :m]
    of_a, of_also = weighted[a, :m], weighted[also, :m]
    s0, s1, s2, s3 = gram[a, b], gram[a, b1], gram[a, b2], gram[a, b3]
    t0, t1, t2, t3 = gram[also, b], gram[also, b1], gram[also, b2], gram[also, b3]
    for i in range(m):
        one, two = of_a[i], of_also[i]
        value = row0[i]
        s0 += one * value
        t0 += two * value
        value = row1[i]
        s1 += one * value
        t1 += two * value
        value = row2[i]
        s2 += one * value
        t2 += two * value
        value = row3[i]
        s3 += one * value
        t3 += two * value
    gram[a, b3], gram[a, b2], gram[a, b1], gram[a, b] = s3, s2, s1, s0
    gram[also, b3], gram[also, b2], gram[also, b1], gram[also, b] = t3, t2, t1, t0


@stepwise
def _add_right(weighted, y, start, m, a, also, right):
    s, t = right[a], right[also]
    of_a, of_also, values = weighted[a, :m], weighted[also, :m], y[start : start + m]
    for i in range(m):
        target = np.float64(values[i])
        s += of_a[i] * target
        t += of_also[i] * target
    right[also], right[a] = t, s


@stepwise
def add_term(x, slope, value):
    for i in range(len(x)):
        value[i] += slope * x[i]


@stepwise
def model_values(x, slope, intercept, start, m, value):
    """What a model says of a block of cases: attribute after attribute, all cases at once."""
    for i in range(m):
        value[i] = intercept
    for j in range(x.shape[0]):
        if slope[j] != 0.0:
            add_term(x[j, start : start + m], slope[j], value)


@model_values.in_numpy
def model_values_in_numpy(x, slope, intercept, start, m, value):
    value[:m] = intercept
    for j in np.flatnonzero(slope[: len(x)]):
        value[:m] += slope[j] * x[j, start : start + m]


@stepwise
def _subtract(y, value, start, m, low, high, error):
    target, out = y[start : start + m], error[start : start + m]
    for i in range(m):
        out[i] = target[i] - limited(np.float32(value[i]), low, high)


@_subtract.in_numpy
def _subtract_in_numpy(y, value, start, m, low, high, error):
    error[start : start + m] = y[start : start + m] - np.clip(value[:m].astype(np.float32), low, high)


@kernel
def model_errors(x, y, slope, intercept, low, high, value, error):
    """What cases are beyond what a model, limited, says of them; ``value`` is room for a block."""
    n = x.shape[1]
    for start in range(0, n, BLOCK):
        m = min(BLOCK, n - start)
        model_values(x, slope, intercept, start, m, value)
        _subtract(y, value, start, m, low, high, error)


@stepwise
def _absolute(y, w, value, start, m, low, high, error):
    target, weight = y[start : start + m], w[start : start + m]
    for i in range(m):
        beyond = target[i] - limited(np.float32(value[i]), low, high)
        error[i] = weight[i] * abs(np.float64(np.float32(beyond)))


@_absolute.in_numpy
def _absolute_in_numpy(y, w, value, start, m, low, high, error):
    beyond = y[start : start + m] - np.clip(value[:m].astype(np.float32), low, high)
    error[:m] = w[start : start + m] * np.abs(beyond.astype(np.float64))


@kernel
def absolute_errors(x, y, w, models, low, high, value, error, total):
    """Σ w·|error| of every model: a row of ``models`` is an intercept and slopes. ``error`` is room for 4 blocks."""
    n, n_models = x.shape[1], len(models)
    total[:n_models] = 0.0
    for start in range(0, n, BLOCK):
        m = min(BLOCK, n - start)
        for first in range(0, n_models, 4):
            for q in range(min(4, n_models - first)):
                model_values(x, models[first + q, 1:], models[first + q, 0], start, m, value)
                _absolute(y, w, value, start, m, low, high, error[q])
            _add_four(error, m, total[first : min(first + 4, n_models)])


@borrowing
def _add_four(error, m, total):
    last = len(total) - 1
    b, c, d = min(1, last), min(2, last), min(3, last)
    of_a, of_b, of_c, of_d = total[0], total[b], total[c], total[d]
    for i in range(m):
        of_a += error[0, i]
        of_b += error[b, i]
        of_c += error[c, i]
        of_d += error[d, i]
    total[d], total[c], total[b], total[0] = of_d, of_c, of_b, of_a


@_add_four.in_numpy
def _add_four_in_numpy(error, m, total):
    k = len(total)
    total[:] = np.cumsum(np.column_stack((total, error[:k, :m])), axis=1)[:, -1]
