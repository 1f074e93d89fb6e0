"""Linear and logistic models at all nodes of a tree."""

import numpy as np

from treewright.kernels.jit import kernel
from treewright.kernels.linear_kernels.m5_models import cholesky_solve, fit_terms

ROWS_PER_TERM = 3  # a model has no more terms than a third of the weight of its rows
_MOST_STEPS = 200
_SMALL_STEP = 1e-7
_WALD = 2.0  # a term whose squared z is below this does not pay for itself by Akaike's number. Information is that
# of a model without terms: of separated classes the fitted one knows nothing (Hauck & Donner 1977).


@kernel
def _weight(w, start, stop):
    total = 0.0
    for i in range(start, stop):
        total += w[i]
    return total


@kernel
def strongest(x, y, w, start, stop, most, found):
    """The columns of greatest absolute correlation with the target, in the order of the columns; returns how many."""
    n_columns = x.shape[0]
    if n_columns <= most:
        for j in range(n_columns):
            found[j] = j
        return n_columns
    n, mean_y = 0.0, 0.0
    for i in range(start, stop):
        n += w[i]
        mean_y += w[i] * y[i]
    mean_y /= n
    strength = np.zeros(n_columns)
    for j in range(n_columns):
        mean = 0.0
        for i in range(start, stop):
            mean += w[i] * x[j, i]
        mean /= n
        together, own = 0.0, 0.0
        for i in range(start, stop):
            together += w[i] * (x[j, i] - mean) * (y[i] - mean_y)
            own += w[i] * (x[j, i] - mean) ** 2
        strength[j] = abs(together) / np.sqrt(own) if own > 0.0 else 0.0
    place = np.argsort(-strength, kind="mergesort")
    count = 0
    for j in np.sort(place[:most]):
        if strength[j] > 0.0:
            found[count] = j
            count += 1
    return count


@kernel
def linear_nodes(x, y, w, start, stop, ridge, eliminate, slopes, intercept, low, high):
    """A model of every node that has rows: intercept, a slope per column, and the least and greatest target."""
    n_columns = x.shape[0]
    candidates, columns, slope = np.empty(n_columns, np.int64), np.empty(n_columns, np.int64), np.empty(n_columns)
    for v in range(len(start)):
        slopes[v, :] = 0.0
        if stop[v] <= start[v]:
            continue
        rows = np.arange(start[v], stop[v])
        most = np.int64(_weight(w, start[v], stop[v]) / ROWS_PER_TERM)
        k = strongest(x, y, w, start[v], stop[v], most, candidates)
        kept, base = fit_terms(x, y, w, rows, candidates[:k], ridge, eliminate, columns, slope)
        intercept[v] = base
        for i in range(kept):
            slopes[v, columns[i]] = slope[i]
        low[v], high[v] = y[start[v]], y[start[v]]
        for i in range(start[v], stop[v]):
            low[v] = min(low[v], y[i])
            high[v] = max(high[v], y[i])


@kernel
def _shares(z, coefficient, n_classes, k, out):
    """The probability of every class of one row; the first class scores 0."""
    largest = 0.0
    for c in range(1, n_classes):
        total = coefficient[c, 0]
        for j in range(k):
            total += coefficient[c, j + 1] * z[j]
        out[c] = total
        largest = max(largest, total)
    out[0] = np.exp(-largest)
    total = out[0]
    for c in range(1, n_classes):
        out[c] = np.exp(out[c] - largest)
        total += out[c]
    for c in range(n_classes):
        out[c] /= total


@kernel
def _climb(z, y, w, weight, ridge, n_classes, coefficient):
    """Multinomial logistic regression by Böhning's bound (1992): every step climbs, and inverts one matrix for all.

    ``z`` is rows × columns, standardised. The ridge is on slopes; intercepts are drawn to 0 by a row of its weight that
    is as much of one class as of another, so that log-odds stay finite.
    """
    n, k = z.shape
    gram, used = np.zeros((k + 1, k + 1)), np.arange(k + 1)
    for i in range(n):
        for a in range(k + 1):
            left = w[i] * (1.0 if a == 0 else z[i, a - 1])
            for b in range(a + 1):
                gram[a, b] += left * (1.0 if b == 0 else z[i, b - 1])
    gram *= 0.5
    gram[0, 0] += 0.5 * ridge
    for a in range(1, k + 1):
        gram[a, a] += ridge * n_classes  # the bound is least for the sum over the classes
    factor, right, step = np.empty((k + 1, k + 1)), np.empty(k + 1), np.empty((n_classes, k + 1))
    solution, share = np.empty(k + 1), np.empty(n_classes)
    gradient, nowhere = np.empty((n_classes, k + 1)), np.zeros(k)
    for _ in range(_MOST_STEPS):
        gradient[:] = 0.0
        _shares(nowhere, coefficient, n_classes, k, share)
        for c in range(1, n_classes):
            gradient[c, 0] = ridge * (1.0 / n_classes - share[c])
            for j in range(k):
                gradient[c, j + 1] = -ridge * coefficient[c, j + 1]
        for i in range(n):
            _shares(z[i], coefficient, n_classes, k, share)
            for c in range(1, n_classes):
                rest = w[i] * ((1.0 if y[i] == c else 0.0) - share[c])
                gradient[c, 0] += rest
                for j in range(k):
                    gradient[c, j + 1] += rest * z[i, j]
        for c in range(1, n_classes):
            right[:] = gradient[c]
            cholesky_solve(gram, right, used, 1e-10 * weight, factor, solution)
            step[c] = solution
        largest = 0.0
        for j in range(k + 1):
            together = 0.0
            for c in range(1, n_classes):
                together += step[c, j]
            for c in range(1, n_classes):  # the inverse of the bound couples the classes
                coefficient[c, j] += step[c, j] + together
                largest = max(largest, abs(step[c, j] + together))
        if largest < _SMALL_STEP:
            break


@kernel
def fit_logistic(x, y, w, start, stop, candidates, n_classes, ridge, eliminate, slopes, intercept):
    """A multinomial model of the rows; slopes and intercepts of the first class are 0."""
    n, k = stop - start, len(candidates)
    weight = 0.0
    for i in range(start, stop):
        weight += w[i]
    mean, spread, used = np.zeros(k), np.zeros(k), np.empty(k, np.int64)
    m = 0
    for j in range(k):
        for i in range(start, stop):
            mean[m] += w[i] * x[candidates[j], i]
        mean[m] /= weight
        for i in range(start, stop):
            spread[m] += w[i] * (x[candidates[j], i] - mean[m]) ** 2
        spread[m] = np.sqrt(spread[m] / weight)
        if spread[m] > 1e-12 * (abs(mean[m]) + 1e-300):
            used[m] = candidates[j]
            m += 1
        else:
            mean[m], spread[m] = 0.0, 0.0
    coefficient, share = np.zeros((n_classes, m + 1)), np.zeros(n_classes)
    for i in range(start, stop):
        share[y[i]] += w[i] / weight
    for _ in range(2):
        z = np.empty((n, m))
        for j in range(m):
            for i in range(n):
                z[i, j] = (x[used[j], start + i] - mean[j]) / spread[j]
        coefficient = np.zeros((n_classes, m + 1))
        _climb(z, y[start:stop], w[start:stop], weight, ridge, n_classes, coefficient)
        if not eliminate or m == 0:
            break
        kept = 0
        for j in range(m):
            strong = False
            for c in range(1, n_classes):
                strong = strong or coefficient[c, j + 1] ** 2 * weight * share[c] * (1.0 - share[c]) >= _WALD
            if strong:
                used[kept], mean[kept], spread[kept] = used[j], mean[j], spread[j]
                kept += 1
        if kept == m:
            break
        m = kept
    for c in range(n_classes):
        slopes[c, :] = 0.0
        intercept[c] = coefficient[c, 0]
        for j in range(m):
            slopes[c, used[j]] = coefficient[c, j + 1] / spread[j]
            intercept[c] -= slopes[c, used[j]] * mean[j]


@kernel
def logistic_nodes(x, y, w, start, stop, n_classes, ridge, eliminate, slopes, intercept):
    """A model of every node that has rows: a slope per class and column, and an intercept per class."""
    n_columns = x.shape[0]
    candidates = np.empty(n_columns, np.int64)
    target, weight = np.zeros(len(y)), np.empty(n_classes)
    for v in range(len(start)):
        slopes[v, :, :] = 0.0
        if stop[v] <= start[v]:
            continue
        weight[:] = 0.0
        for i in range(start[v], stop[v]):
            weight[y[i]] += w[i]
        commonest = np.argmax(weight)
        for i in range(start[v], stop[v]):
            target[i] = 1.0 if y[i] == commonest else 0.0
        most = np.int64(_weight(w, start[v], stop[v]) / (ROWS_PER_TERM * max(1, n_classes - 1)))
        k = strongest(x, target, w, start[v], stop[v], most, candidates)
        fit_logistic(x, y, w, start[v], stop[v], candidates[:k], n_classes, ridge, eliminate, slopes[v], intercept[v])
