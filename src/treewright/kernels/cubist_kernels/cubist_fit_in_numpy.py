"""The loops of Cubist's fits over cases, without compiled kernels. Sums are taken in the same order."""

import numpy as np

from treewright.kernels.ordered_sums import in_order

LEAST_VARIANCE = 1e-6


def deviation(y, w, mean):
    return in_order(w * np.abs(y.astype(np.float64) - mean))


def bias_and_size(error, w):
    wide = error.astype(np.float64)
    return in_order(w * wide), in_order(w * np.abs(wide))


def weight_and_total(y, w):
    return in_order(w), in_order(w * y)


def is_mean(x, y, w, cases, candidates):
    here = w[cases]
    weight, total = weight_and_total(y[cases], here)
    if weight >= 2.0 * len(candidates) > 0:
        return False, total / weight
    k = 0
    if weight > 1.0 and len(candidates):
        value = x[candidates[:, None], cases].astype(np.float64)
        average = in_order(here * value) / weight
        variance = (in_order(here * value * value) - weight * average * average) / (weight - 1.0)
        k = np.count_nonzero(variance >= LEAST_VARIANCE)
    return k == 0 or weight < 2.0 * k, total / weight


def without_outliers(x, y, w, error, most, weight, gram, right):
    stays = np.abs(error.astype(np.float64)) <= most
    for i in np.flatnonzero(~stays).tolist():
        terms = np.append(1.0, x[:, i])
        weighted = w[i] * terms
        weight -= w[i]
        right -= weighted * y[i]
        gram -= weighted[:, None] * terms
    m = np.count_nonzero(stays)
    if m < len(stays):
        x[:, :m], y[:m] = x[:, stays], y[stays]
    return m, weight
