"""Linear and logistic models at all nodes of a tree."""

import numpy as np

from treewright.kernels.jit import kernel
from treewright.kernels.linear_kernels.cholesky import cholesky_factor, cholesky_invert
from treewright.kernels.linear_kernels.least_squares import fit_room, fit_terms, weight_of
from treewright.kernels.ordered_sums import in_order

ROWS_PER_TERM = 3  # a model has no more terms than a third of the weight of its rows
MOST_STEPS = 200
SMALL_STEP = 1e-7
WALD = 2.0  # a term whose squared z is below this does not pay for itself by Akaike's number. Information is that
# of a model without terms: of separated classes the fitted one knows nothing (Hauck & Donner 1977).


@kernel
def strongest(x, y, w, most, found):
    """The columns of greatest absolute correlation with the target, in the order of the columns; returns how many."""
    n_columns = x.shape[0]
    if n_columns <= most or most <= 0:
        n_found = n_columns if most > 0 else 0
        for j in range(n_found):
            found[j] = j
        return n_found
    strength = np.zeros(n_columns)
    _correlations(x, y, w, strength)
    place = np.argsort(-strength, kind="mergesort")
    count = 0
    for j in np.sort(place[:most]):
        if strength[j] > 0.0:
            found[count] = j
            count += 1
    return count


@kernel
def _correlations(x, y, w, strength):
    """Absolute correlations with the target, up to a factor that all share; 0 of a constant column."""
    n, mean_y = 0.0, 0.0
    for i in range(len(y)):
        n += w[i]
        mean_y += w[i] * y[i]
    mean_y /= n
    for j in range(len(x)):
        mean = 0.0
        for i in range(len(y)):
            mean += w[i] * x[j, i]
        mean /= n
        together, own = 0.0, 0.0
        for i in range(len(y)):
            together += w[i] * (x[j, i] - mean) * (y[i] - mean_y)
            own += w[i] * (x[j, i] - mean) ** 2
        strength[j] = abs(together) / np.sqrt(own) if own > 0.0 else 0.0


@_correlations.in_numpy
def _correlations_in_numpy(x, y, w, strength):
    n = in_order(w)
    mean_y, mean = in_order(w * y) / n, in_order(w * x) / n
    away = x - mean[:, None]
    together, own = in_order(w * away * (y - mean_y)), in_order(w * (away * away))
    varies = own > 0.0
    strength[varies] = np.abs(together[varies]) / np.sqrt(own[varies])


@kernel
def linear_nodes(x, y, w, start, stop, ridge, eliminate, slopes, intercept, low, high):
    """A model of every node that has rows: intercept, a slope per column, and the least and greatest target."""
    n_columns = x.shape[0]
    candidates, columns, slope = np.empty(n_columns, np.int64), np.empty(n_columns, np.int64), np.empty(n_columns)
    room = fit_room(n_columns)
    for v in range(len(start)):
        slopes[v, :] = 0.0
        first, end = start[v], stop[v]
        if end <= first:
            continue
        target = y[first:end]
        most = np.int64(weight_of(w, first, end) / ROWS_PER_TERM)
        k = strongest(x[:, first:end], target, w[first:end], most, candidates)
        kept, base, _ = fit_terms(x, y, w, first, end, candidates[:k], ridge, eliminate, columns, slope, room)
        intercept[v] = base
        for i in range(kept):
            slopes[v, columns[i]] = slope[i]
        low[v], high[v] = target.min(), target.max()


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
def _bound(z, w, weight, ridge, n_classes, factor):
    """Böhning's bound of the information, the same for all classes, as L of L·Lᵀ."""
    n, k = z.shape
    gram = np.zeros((k + 1, k + 1))
    for i in range(n):
        for a in range(k + 1):
            left = w[i] * (1.0 if a == 0 else z[i, a - 1])
            for b in range(a + 1):
                gram[a, b] += left * (1.0 if b == 0 else z[i, b - 1])
    _add_ridge(gram, weight, ridge, n_classes, factor)


@_bound.in_numpy
def _bound_in_numpy(z, w, weight, ridge, n_classes, factor):
    terms = np.column_stack((np.ones(len(z)), z))
    _add_ridge.plain((terms.T * w) @ terms, weight, ridge, n_classes, factor)


@kernel
def _add_ridge(gram, weight, ridge, n_classes, factor):
    k = len(gram) - 1
    gram *= 0.5
    gram[0, 0] += 0.5 * ridge
    for a in range(1, k + 1):
        gram[a, a] += ridge * n_classes  # the bound is least for the sum over the classes
    cholesky_factor(gram, np.arange(k + 1), 1e-10 * weight, factor)


@kernel
def _gradient(z, y, w, ridge, coefficient, gradient):
    """The slope of the likelihood, less the ridge, in every coefficient. That of the first class stays 0."""
    n, k = z.shape
    n_classes = len(coefficient)
    share, nowhere = np.empty(n_classes), np.zeros(k)
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


@kernel
def _climb(z, y, w, weight, ridge, n_classes, coefficient):
    """Multinomial logistic regression by Böhning's bound (1992): every step climbs, and inverts one matrix for all.

    ``z`` is rows × columns, standardised. The ridge is on slopes; intercepts are drawn to 0 by a row of its weight that
    is as much of one class as of another, so that log-odds stay finite.
    """
    size = z.shape[1] + 1
    factor, gradient = np.zeros((size, size)), np.zeros((n_classes, size))
    _bound(z, w, weight, ridge, n_classes, factor)
    inverse = np.zeros((size, size))
    cholesky_invert(factor, inverse)
    for _ in range(MOST_STEPS):
        _gradient(z, y, w, ridge, coefficient, gradient)
        if _step(inverse, gradient, coefficient) < SMALL_STEP:
            break


@kernel
def _step(inverse, gradient, coefficient):
    """Take a step; returns how much the coefficient that changes most does."""
    n_classes, size = coefficient.shape
    step, largest = np.zeros((n_classes, size)), 0.0
    for c in range(1, n_classes):
        for a in range(size):
            for b in range(size):
                step[c, b] += gradient[c, a] * inverse[a, b]
    for j in range(size):
        together = 0.0
        for c in range(1, n_classes):
            together += step[c, j]
        for c in range(1, n_classes):  # the inverse of the bound couples the classes
            coefficient[c, j] += step[c, j] + together
            largest = max(largest, abs(step[c, j] + together))
    return largest


@kernel
def _center_and_width(values, w, weight):
    """The mean and the standard deviation; a width of 0 where rounding alone makes values differ."""
    mean, squares = 0.0, 0.0
    for i in range(len(w)):
        mean += w[i] * values[i]
    mean /= weight
    for i in range(len(w)):
        squares += w[i] * (values[i] - mean) ** 2
    spread = np.sqrt(squares / weight)
    return mean, spread if spread > 1e-12 * (abs(mean) + 1e-300) else 0.0


@kernel
def _standardised(x, used, mean, spread):
    z = np.empty((x.shape[1], len(used)))
    for j in range(len(used)):
        for i in range(x.shape[1]):
            z[i, j] = (x[used[j], i] - mean[j]) / spread[j]
    return z


@kernel
def _class_weights(y, w, out):
    out[:] = 0.0
    for i in range(len(y)):
        out[y[i]] += w[i]


@kernel
def fit_logistic(x, y, w, candidates, n_classes, ridge, eliminate, slopes, intercept):
    """A multinomial model of the rows; slopes and intercepts of the first class are 0."""
    k, m = len(candidates), 0
    share = np.zeros(n_classes)
    _class_weights(y, w, share)
    weight = weight_of(w, 0, len(w))
    share /= weight
    mean, spread, used = np.zeros(k), np.zeros(k), np.empty(k, np.int64)
    for j in candidates:
        mean[m], spread[m] = _center_and_width(x[j], w, weight)
        if spread[m] > 0.0:
            used[m] = j
            m += 1
    coefficient = np.zeros((n_classes, m + 1))
    for turn in range(2):
        z = _standardised(x, used[:m], mean[:m], spread[:m])
        coefficient = np.zeros((n_classes, m + 1))
        _climb(z, y, w, weight, ridge, n_classes, coefficient)
        if turn == 1 or not eliminate or m == 0:
            break
        kept = 0
        for j in range(m):
            strong = False
            for c in range(1, n_classes):
                strong = strong or coefficient[c, j + 1] ** 2 * weight * share[c] * (1.0 - share[c]) >= WALD
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
    candidates, weight = np.empty(x.shape[0], np.int64), np.empty(n_classes)
    for v in range(len(start)):
        slopes[v, :, :] = 0.0
        first, end = start[v], stop[v]
        if end <= first:
            continue
        here, label, part = x[:, first:end], y[first:end], w[first:end]
        _class_weights(label, part, weight)
        target = (label == np.argmax(weight)).astype(np.float64)
        most = np.int64(weight_of(w, first, end) / (ROWS_PER_TERM * max(1, n_classes - 1)))
        k = strongest(here, target, part, most, candidates)
        fit_logistic(here, label, part, candidates[:k], n_classes, ridge, eliminate, slopes[v], intercept[v])
