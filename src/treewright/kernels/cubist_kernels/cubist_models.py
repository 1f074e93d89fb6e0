"""The models of Cubist's nodes: fitted, mixed with those above them, and rounded."""

from typing import Any, NamedTuple

import numpy as np

from treewright.kernels.cubist_kernels.cubist_fit import fit_cubist, fit_scratch
from treewright.kernels.cubist_kernels.cubist_kinds import NUMERIC
from treewright.kernels.cubist_kernels.cubist_sums import BLOCK, gather, model_errors, model_values
from treewright.kernels.jit import borrowing, kernel, large_kernel, stepwise
from treewright.kernels.ordered_sums import in_order


class SmoothingRows(NamedTuple):
    """What models are smoothed and rounded with."""

    x: Any  # float32 (attributes × cases)
    y: Any
    w: Any
    order: Any
    start: Any  # of every node, the first branch before the second
    stop: Any
    parent: Any
    facts: Any
    least: Any  # the least coefficient of every attribute
    unit: Any  # what it is rounded to
    unweighted: bool


@kernel
def model_nodes(x, y, w, kind, order, grown, nodes, places, facts, raw):
    """The models of the nodes at ``places``, on the numeric attributes tested above them, by them or anywhere below.

    ``nodes`` are the numbers of nodes in the grown tree.
    """
    low, high = np.float32(facts[0]), np.float32(facts[1])
    n_attributes, most = x.shape[0], 0
    for k in places:
        most = max(most, grown.stop[nodes[k]] - grown.start[nodes[k]])
    scratch = fit_scratch(n_attributes, most)
    tested, candidates = np.zeros(n_attributes, np.bool_), np.empty(n_attributes, np.int64)
    best = np.zeros(n_attributes + 1)
    for k in places:
        v = nodes[k]
        tested[:] = False
        for u in range(v, grown.last[v] + 1):
            if grown.attribute[u] >= 0:
                tested[grown.attribute[u]] = True
        u = grown.parent[v]
        while u >= 0:
            tested[grown.attribute[u]] = True
            u = grown.parent[u]
        m = 0
        for j in range(n_attributes):
            if tested[j] and kind[j] == NUMERIC:
                candidates[m] = j
                m += 1
        fit_cubist(x, y, w, order[grown.start[v] : grown.stop[v]], candidates[:m], low, high, best, scratch)
        raw[k, :] = best


@borrowing
def _sum(w):
    total = 0.0
    for i in range(len(w)):
        total += w[i]
    return total


@_sum.in_numpy
def _sum_in_numpy(w):
    return in_order(w) if len(w) else 0.0


@borrowing
def _sums(error, w):
    first, second = 0.0, 0.0
    for i in range(len(error)):
        e = np.float64(error[i])
        first += w[i] * e
        second += w[i] * e * e
    return first, second


@_sums.in_numpy
def _sums_in_numpy(error, w):
    wide = error.astype(np.float64)
    return in_order(w * wide), in_order(w * wide * wide)


@borrowing
def _sums_beside(error, other, w):
    first, second, product = 0.0, 0.0, 0.0
    for i in range(len(error)):
        b = np.float64(other[i])
        first += w[i] * b
        second += w[i] * b * b
        product += w[i] * np.float64(error[i]) * b
    return first, second, product


@_sums_beside.in_numpy
def _sums_beside_in_numpy(error, other, w):
    a, b = error.astype(np.float64), other.astype(np.float64)
    return in_order(w * b), in_order(w * b * b), in_order(w * a * b)


@kernel
def _variance(first, second, weight):
    return max((second - first * first / weight) / (weight - 1.0), 1e-38)


@large_kernel(4.0)
def smooth_and_round(of, nodes, raw, finished, leaf_error):
    """Mix the models of nodes with those above them, round them, and set their median error to 0.

    ``leaf_error`` gets the sum of absolute errors of each node as a leaf.
    """
    low, high = np.float32(of.facts[0]), np.float32(of.facts[1])
    n_attributes, n = of.x.shape[0], 0
    for v in nodes:
        n = max(n, of.stop[v] - of.start[v])
    flat, target, weights = np.empty(n_attributes * n, np.float32), np.empty(n, np.float32), np.empty(n)
    error, other, value = np.empty(n, np.float32), np.empty(n, np.float32), np.empty(BLOCK)
    used, place = np.empty(n_attributes, np.int64), np.empty(n_attributes + 1, np.int64)
    model, above = np.empty(n_attributes + 1), np.empty(n_attributes + 1)
    place[0] = 0
    for v in nodes:
        size, k = of.stop[v] - of.start[v], _used_on_path(raw, of.parent, v, used)
        cases, here = of.order[of.start[v] : of.stop[v]], flat[: k * size].reshape((k, size))
        y, w = target[:size], weights[:size]
        gather(of.y, cases, y)
        gather(of.w, cases, w)
        weight = _sum(w)
        for j in range(k):
            gather(of.x[used[j]], cases, here[j])
            place[j + 1] = used[j] + 1
        now = model[: k + 1]
        for j in range(k + 1):
            now[j] = raw[v, place[j]]
        _mix(of, raw, v, place[: k + 1], here, y, w, weight, low, high, now, above[: k + 1], error, other, value)
        _round(of, used[:k], here, y, w, weight, now, error[:size], value)
        leaf_error[v] = _absolute_sum(here, y, w, now, value)
        finished[v, :] = 0.0
        for j in range(k + 1):
            finished[v, place[j]] = now[j]


@borrowing
def _used_on_path(raw, parent, v, used):
    """The attributes that the model of a node or of one above it uses, in order; returns how many."""
    k = 0
    for j in range(raw.shape[1] - 1):
        u = v
        while u >= 0:
            if raw[u, j + 1] != 0.0:
                used[k] = j
                k += 1
                break
            u = parent[u]
    return k


@kernel
def _mix(of, raw, v, place, here, y, w, weight, low, high, model, above, error, other, value):
    """Mix the model of a node with the raw ones above it, each with the share of least variance."""
    size = here.shape[1]
    mine, theirs = error[:size], other[:size]
    model_errors(here, y, model[1:], model[0], low, high, value, mine)
    if weight <= 2.0:
        return
    first, second = _sums(mine, w)
    variance = _variance(first, second, weight)
    if not variance > 1e-10:
        return
    u = of.parent[v]
    while u >= 0:
        for j in range(len(place)):
            above[j] = raw[u, place[j]]
        model_errors(here, y, above[1:], above[0], low, high, value, theirs)
        first_above, second_above, product = _sums_beside(mine, theirs, w)
        variance_above = _variance(first_above, second_above, weight)
        covariance = (product - first * first_above / weight) / (weight - 1.0)
        bottom = variance + variance_above - 2.0 * covariance
        share = 1.0 if bottom <= 1e-12 else (variance_above - covariance) / bottom
        if 0.0 < share < 1.0:
            for j in range(len(place)):
                model[j] = share * model[j] + (1.0 - share) * above[j]
            model_errors(here, y, model[1:], model[0], low, high, value, mine)
            first, second = _sums(mine, w)
            variance = _variance(first, second, weight)
        u = of.parent[u]


@kernel
def _round(of, used, here, y, w, weight, model, error, value):
    """Round slopes, then take the median error off the intercept and round that."""
    for j in range(len(used)):
        slope, unit = model[j + 1], of.unit[used[j]]
        model[j + 1] = 0.0 if abs(slope) < of.least[used[j]] else np.rint(slope / unit) * unit
    for start in range(0, len(error), BLOCK):
        m = min(BLOCK, len(error) - start)
        model_values(here, model[1:], model[0], start, m, value)
        _too_much(y, value, start, m, error)
    median = _lower_median_alike(error) if of.unweighted else _lower_median(error, w, weight)
    model[0] -= median
    model[0] = np.rint(model[0] / of.facts[3]) * of.facts[3]


@stepwise
def _too_much(y, value, start, m, error):
    target, out = y[start : start + m], error[start : start + m]
    for i in range(m):
        out[i] = np.float32(value[i]) - target[i]


@kernel
def _lower_median_alike(error):
    """The smallest error up to which half of the cases lie."""
    place = (len(error) + 1) // 2 - 1
    return np.float64(np.partition(error, place)[place])


@kernel
def _lower_median(error, w, weight):
    """The smallest error up to which half of the weight lies."""
    place = np.argsort(error, kind="mergesort")
    reached = 0.0
    for i in place:
        reached += w[i]
        if reached >= weight / 2.0:
            return np.float64(error[i])
    return np.float64(error[place[-1]])


@kernel
def _absolute_sum(here, y, w, model, value):
    total = 0.0
    for start in range(0, len(y), BLOCK):
        m = min(BLOCK, len(y) - start)
        model_values(here, model[1:], model[0], start, m, value)
        total = _add_absolute(y, w, value, start, m, total)
    return total


@borrowing
def _add_absolute(y, w, value, start, m, total):
    for i in range(m):
        total += w[start + i] * abs(np.float64(np.float32(y[start + i] - np.float32(value[i]))))
    return total


@_add_absolute.in_numpy
def _add_absolute_in_numpy(y, w, value, start, m, total):
    beyond = y[start : start + m] - value[:m].astype(np.float32)
    return in_order(np.append(total, w[start : start + m] * np.abs(beyond.astype(np.float64))))
