"""Cubist's tree: grown by the standard deviation of residuals, with models at all nodes, and pruned."""

from typing import Any, NamedTuple

import numpy as np

from treewright.kernels.cubist_kernels.cubist_fit import adjusted, fit_cubist, limited, said
from treewright.kernels.jit import inlined, kernel

NUMERIC, BINARY, NOMINAL, ORDERED, IGNORED = 1, 2, 3, 4, 0
_ALWAYS = 0.001  # added to every sum of squares
_LEAST_SCORE = -0.0001
_NEARLY = 0.999  # of the best score: an attribute of higher preference may win
_FEWEST = 3  # cases, or weight, of a branch
_SLACK = 1.005


class CubistTree(NamedTuple):
    """Nodes from the root on, the first branch before the second; those below v are v + 1 … last[v]."""

    start: Any  # int64: the cases of a node are order[start:stop]
    stop: Any
    attribute: Any  # int64, -1 at a leaf
    cut: Any  # float32
    left: Any
    right: Any
    parent: Any
    last: Any


@inlined
def spread_of(n, total, squares, overall):
    """The standard deviation of n weights; that of all cases if they are too few."""
    if n < 2.0:
        return overall
    variance = (squares - total * total / n + _ALWAYS) / (n - 1.0)
    return np.sqrt(variance) if variance >= 0.0 else np.nan


@inlined
def _beside_line(least, n, x, xx, r, rr, xr):
    """What the squares of residuals come to once the best line in x is subtracted, if its correlation is ``least``."""
    var_x, var_r = xx / n - (x / n) * (x / n), rr / n - (r / n) * (r / n)
    under = var_x * var_r + 1e-10
    if under < 0.0:
        return np.nan
    correlation = (xr - x * r / n) / (n * np.sqrt(under))
    if abs(correlation) < least:
        correlation = 0.0
    return (1.0 - correlation * correlation) * n * var_r


@kernel
def least_correlations(n):
    """From which absolute correlation on a line through 0, 1, 2, … n cases is significant; of few only a full one."""
    least = np.ones(n + 1)
    for k in range(6, n + 1):
        least[k] = np.tanh(1.96 / np.sqrt(k - 3.0))
    return least


@kernel
def best_cut(x, residual, w, cases, least, spread, overall, correlation):
    """The best cut of cases sorted by a numeric attribute: (score, place of the last case below; -1: none)."""
    n = len(cases)
    total_n, total_x, total_xx, total_r, total_rr, total_xr = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    for case in cases:
        weight, value, rest = w[case], np.float64(x[case]), np.float64(residual[case])
        total_n += weight
        total_x += weight * value
        total_xx += weight * value * value
        total_r += weight * rest
        total_rr += weight * rest * rest
        total_xr += weight * value * rest
    best, place = 0.0, -1
    low_n, low_x, low_xx, low_r, low_rr, low_xr = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    whole = total_n
    for i in range(n - least):
        case = cases[i]
        weight, value, rest = w[case], np.float64(x[case]), np.float64(residual[case])
        low_n += weight
        low_x += weight * value
        low_xx += weight * value * value
        low_r += weight * rest
        low_rr += weight * rest * rest
        low_xr += weight * value * rest
        total_n -= weight
        total_x -= weight * value
        total_xx -= weight * value * value
        total_r -= weight * rest
        total_rr -= weight * rest * rest
        total_xr -= weight * value * rest
        if i + 1 < least or not x[case] < x[cases[i + 1]]:
            continue
        below = spread_of(
            low_n, 0.0, _beside_line(correlation[i + 1], low_n, low_x, low_xx, low_r, low_rr, low_xr), overall
        )
        above = spread_of(
            total_n,
            0.0,
            _beside_line(correlation[n - i - 1], total_n, total_x, total_xx, total_r, total_rr, total_xr),
            overall,
        )
        score = spread - (low_n * below + total_n * above) / whole
        if score > best:
            best, place = score, i
    return best, place


@kernel
def best_levels(x, residual, w, cases, n_levels, kind, spread, overall, second):
    """The best two groups of levels: their score. ``second`` marks the levels of the second group."""
    weight, total, squares = np.zeros(n_levels), np.zeros(n_levels), np.zeros(n_levels)
    whole = 0.0
    for case in cases:
        level, rest = np.int64(x[case]), np.float64(residual[case])
        weight[level] += w[case]
        total[level] += w[case] * rest
        squares[level] += w[case] * rest * rest
        whole += w[case]
    best = np.float32(-1e30)
    low_n, low_r, low_rr = weight.sum(), total.sum(), squares.sum()
    high_n, high_r, high_rr = 0.0, 0.0, 0.0
    moved = weight <= 0.0
    n_left = n_levels - moved.sum()
    in_second = np.zeros(n_levels, np.bool_)
    while n_left > 1:
        pick = -1
        for level in range(n_levels):
            if moved[level]:
                continue
            if kind == BINARY or kind == ORDERED:
                pick = level
            elif pick < 0 or total[level] / weight[level] > total[pick] / weight[pick]:
                pick = level
        moved[pick], in_second[pick] = True, True
        n_left -= 1
        high_n += weight[pick]
        high_r += total[pick]
        high_rr += squares[pick]
        low_n -= weight[pick]
        low_r -= total[pick]
        low_rr -= squares[pick]
        if low_n >= _FEWEST and high_n >= _FEWEST:
            score = (
                spread
                - (
                    low_n * spread_of(low_n, low_r, low_rr, overall)
                    + high_n * spread_of(high_n, high_r, high_rr, overall)
                )
                / whole
            )
            if score > best:
                best = np.float32(score)
                second[:] = in_second
    return best


@kernel
def _partition(rows, goes_right, moved):
    """Those that stay first, in order; returns how many."""
    n_left, n_right = 0, 0
    for i in range(len(rows)):
        case = rows[i]
        if goes_right[case]:
            moved[n_right] = case
            n_right += 1
        else:
            rows[n_left] = case
            n_left += 1
    rows[n_left:] = moved[:n_right]
    return n_left


@kernel
def grow_cubist(x, y, w, kind, n_levels, preference, order, sorted_rows, facts, tree):
    """Grow a tree of the cases in ``order``; returns how many nodes there are.

    ``sorted_rows`` has the cases by every numeric attribute. ``facts``: lowest and highest prediction, the spread of
    all cases, the unit of the target, the least size of a rule.
    """
    low, high = np.float32(facts[0]), np.float32(facts[1])
    overall, unit, least_rule = facts[2], facts[3], np.int64(facts[4])
    n_attributes, n = x.shape[0], len(order)
    residual, moved = np.zeros(x.shape[1], np.float32), np.empty(n, order.dtype)
    goes_right, best = np.zeros(x.shape[1], np.bool_), np.zeros(n_attributes + 1)
    tested, candidates = np.zeros(n_attributes, np.bool_), np.empty(n_attributes, np.int64)
    second, chosen = np.zeros(max(1, n_levels.max()), np.bool_), np.zeros(max(1, n_levels.max()), np.bool_)
    correlation = least_correlations(n)
    waiting = np.empty((n + 1, 4), np.int64)
    waiting[0, 0], waiting[0, 1], waiting[0, 2], waiting[0, 3] = 0, n, -1, 0
    depth, n_nodes = 1, 0
    while depth:
        depth -= 1
        start, stop, parent = waiting[depth, 0], waiting[depth, 1], waiting[depth, 2]
        v, n_nodes = n_nodes, n_nodes + 1
        tree.start[v], tree.stop[v], tree.parent[v], tree.attribute[v] = start, stop, parent, -1
        tree.left[v], tree.right[v] = -1, -1
        tested[:] = False
        if parent >= 0:
            if waiting[depth, 3]:
                tree.right[parent] = v
            else:
                tree.left[parent] = v
        u = parent
        while u >= 0:
            tested[tree.attribute[u]] = True
            u = tree.parent[u]
        cases = order[start:stop]
        if parent < 0:
            for case in cases:
                residual[case] = y[case]
        else:
            k = 0
            for j in range(n_attributes):
                if tested[j] and kind[j] == NUMERIC:
                    candidates[k] = j
                    k += 1
            fit_cubist(x, y, w, cases, candidates[:k], low, high, best)
            slope = best[candidates[:k] + 1]
            for case in cases:
                residual[case] = y[case] - limited(said(x, case, candidates[:k], slope, best[0]), low, high)
        weight, total, squares, largest = 0.0, 0.0, 0.0, 0.0
        for case in cases:
            rest = np.float64(residual[case])
            weight += w[case]
            total += w[case] * rest
            squares += w[case] * rest * rest
            largest = max(largest, abs(rest))
        if largest < unit / 2.0:
            continue
        spread = spread_of(weight, total, squares, overall)
        size, least = stop - start, _FEWEST
        if size >= 3 * least_rule:
            least = least_rule
        best_score, taken, cut = np.float32(0.0), -1, np.float32(0.0)
        for j in range(n_attributes):
            score, threshold = np.float32(-1e30), np.float32(0.0)
            if kind[j] == NUMERIC:
                if size < 6:
                    continue
                sorted_cases = sorted_rows[j, start:stop]
                found, place = best_cut(x[j], residual, w, sorted_cases, least, spread, overall, correlation)
                if place < 0:
                    continue
                score = np.float32(found)
                lower, upper = x[j, sorted_cases[place]], x[j, sorted_cases[place + 1]]
                threshold = np.float32(np.float32(0.5) * np.float32(lower + upper))
                if threshold >= upper:
                    threshold = lower
            elif kind[j] == IGNORED or (kind[j] == BINARY and tested[j]):
                continue
            else:
                score = best_levels(
                    x[j], residual, w, cases, n_levels[j], kind[j], spread, overall, second[: n_levels[j]]
                )
            if not score > _LEAST_SCORE:
                continue
            wins = taken < 0 or score > best_score
            if not wins and score > _NEARLY * np.float64(best_score) and preference[j] > preference[taken]:
                wins = True
            if wins:
                best_score, taken, cut = score, j, threshold
                chosen[:] = second
        if taken < 0:
            continue
        tree.attribute[v], tree.cut[v] = taken, cut
        for case in cases:
            if kind[taken] == NUMERIC:
                goes_right[case] = x[taken, case] > cut
            else:
                goes_right[case] = chosen[np.int64(x[taken, case])]
        n_left = _partition(cases, goes_right, moved)
        for j in range(n_attributes):
            if kind[j] == NUMERIC:
                _partition(sorted_rows[j, start:stop], goes_right, moved)
        waiting[depth, 0], waiting[depth, 1], waiting[depth, 2], waiting[depth, 3] = start + n_left, stop, v, 1
        depth += 1
        waiting[depth, 0], waiting[depth, 1], waiting[depth, 2], waiting[depth, 3] = start, start + n_left, v, 0
        depth += 1
    for v in range(n_nodes - 1, -1, -1):
        tree.last[v] = v if tree.attribute[v] < 0 else tree.last[tree.right[v]]
    return n_nodes


@kernel
def tidy(tree, n_nodes, least_rule, kept):
    """Which nodes stay once those with a branch of too few cases have become leaves; these lose their attribute."""
    kept[:] = False
    kept[0] = True
    for v in range(n_nodes):
        if not kept[v] or tree.attribute[v] < 0:
            continue
        left, right = tree.left[v], tree.right[v]
        if tree.stop[left] - tree.start[left] < least_rule or tree.stop[right] - tree.start[right] < least_rule:
            continue
        kept[left], kept[right] = True, True


@kernel
def model_nodes(x, y, w, kind, order, grown, nodes, facts, raw):
    """The model of every node in ``nodes``, on the numeric attributes tested above it, by it or anywhere below it."""
    low, high = np.float32(facts[0]), np.float32(facts[1])
    n_attributes = x.shape[0]
    tested, candidates = np.zeros(n_attributes, np.bool_), np.empty(n_attributes, np.int64)
    best = np.zeros(n_attributes + 1)
    for k in range(len(nodes)):
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
        fit_cubist(x, y, w, order[grown.start[v] : grown.stop[v]], candidates[:m], low, high, best)
        raw[k, :] = best


@kernel
def _errors(x, y, cases, attributes, model, low, high, error):
    slope = model[attributes + 1]
    for i in range(len(cases)):
        error[i] = y[cases[i]] - limited(said(x, cases[i], attributes, slope, model[0]), low, high)


@kernel
def _variance(error, w, cases, weight):
    first, second = 0.0, 0.0
    for i in range(len(cases)):
        e = np.float64(error[i])
        first += w[cases[i]] * e
        second += w[cases[i]] * e * e
    return max((second - first * first / weight) / (weight - 1.0), 1e-38)


@kernel
def _covariance(error, other, w, cases, weight):
    first, second, product = 0.0, 0.0, 0.0
    for i in range(len(cases)):
        a, b = np.float64(error[i]), np.float64(other[i])
        first += w[cases[i]] * a
        second += w[cases[i]] * b
        product += w[cases[i]] * a * b
    return (product - first * second / weight) / (weight - 1.0)


@kernel
def smooth_and_round(x, y, w, order, start, stop, parent, facts, least, unit, raw, finished, leaf_error):
    """Mix the model of every node with those above it, round it, and set its median error to 0.

    ``least`` and ``unit`` are the least coefficient of every attribute and what it is rounded to. ``leaf_error`` gets
    the sum of absolute errors of each node as a leaf.
    """
    low, high, target_unit = np.float32(facts[0]), np.float32(facts[1]), facts[3]
    n_attributes = x.shape[0]
    n = stop[0] - start[0]
    error, other = np.empty(n, np.float32), np.empty(n, np.float32)
    used = np.empty(n_attributes, np.int64)
    model = np.empty(n_attributes + 1)
    for v in range(len(start)):
        cases, size = order[start[v] : stop[v]], stop[v] - start[v]
        weight = 0.0
        for case in cases:
            weight += w[case]
        model[:] = raw[v]
        k = _used(model, used)
        _errors(x, y, cases, used[:k], model, low, high, error)
        variance = _variance(error, w, cases, weight) if weight > 1.0 else 0.0
        if weight > 2.0 and variance > 1e-10:
            u = parent[v]
            while u >= 0:
                k = _used(raw[u], used)
                _errors(x, y, cases, used[:k], raw[u], low, high, other)
                above = _variance(other, w, cases, weight)
                covariance = _covariance(error, other, w, cases, weight)
                bottom = variance + above - 2.0 * covariance
                share = 1.0 if bottom <= 1e-12 else (above - covariance) / bottom
                if 0.0 < share < 1.0:
                    for j in range(n_attributes + 1):
                        model[j] = share * model[j] + (1.0 - share) * raw[u, j]
                    k = _used(model, used)
                    _errors(x, y, cases, used[:k], model, low, high, error)
                    variance = _variance(error, w, cases, weight)
                u = parent[u]
        for j in range(n_attributes):
            slope = model[j + 1]
            model[j + 1] = 0.0 if abs(slope) < least[j] else np.rint(slope / unit[j]) * unit[j]
        k = _used(model, used)
        slopes = model[used[:k] + 1]
        for i in range(size):
            error[i] = said(x, cases[i], used[:k], slopes, model[0]) - y[cases[i]]
        model[0] -= _lower_median(error[:size], w, cases, weight)
        model[0] = np.rint(model[0] / target_unit) * target_unit
        total = 0.0
        for case in cases:
            total += w[case] * abs(np.float64(np.float32(y[case] - said(x, case, used[:k], slopes, model[0]))))
        leaf_error[v] = total
        finished[v, :] = model


@kernel
def _used(model, used):
    k = 0
    for j in range(len(model) - 1):
        if model[j + 1] != 0.0:
            used[k] = j
            k += 1
    return k


@kernel
def _lower_median(error, w, cases, weight):
    """The smallest error up to which half of the weight lies."""
    place = np.argsort(error, kind="mergesort")
    reached = 0.0
    for i in place:
        reached += w[cases[i]]
        if reached >= weight / 2.0:
            return np.float64(error[i])
    return np.float64(error[place[-1]])


@kernel
def prune_cubist(left, right, parent, cost, own_parameters, leaf_error, n, most_leaves, is_leaf):
    """Make the weakest subtrees leaves. ``cost`` is what a node's test counts, 0 at a leaf."""
    n_nodes = len(left)
    tree_error, parameters = np.zeros(n_nodes, np.float32), np.zeros(n_nodes, np.float32)
    n_leaves = 0
    gone = np.zeros(n_nodes, np.bool_)
    for v in range(n_nodes - 1, -1, -1):
        if is_leaf[v]:
            tree_error[v], parameters[v] = leaf_error[v], own_parameters[v]
            n_leaves += 1
        else:
            tree_error[v] = np.float32(tree_error[left[v]] + tree_error[right[v]])
            parameters[v] = np.float32(cost[v] + np.float32(parameters[left[v]] + parameters[right[v]]))
    stage, limit = 1, 0.0
    while True:
        if stage == 1:
            limit = n * adjusted(np.float64(tree_error[0]) / n, n, np.float64(parameters[0]))
        weakest, least = -1, np.float32(np.inf)
        for v in range(n_nodes):
            if gone[v] or is_leaf[v]:
                continue
            extra = np.float32(leaf_error[v] - tree_error[v])
            if weakest >= 0 and not extra < least:
                continue
            if stage < 3:
                error = np.float64(tree_error[0]) + np.float64(extra)
                size = np.float64(parameters[0]) + np.float64(own_parameters[v]) - np.float64(parameters[v])
                if not n * adjusted(error / n, n, size) <= limit:
                    continue
            weakest, least = v, extra
        if weakest < 0:
            if stage == 1:
                limit *= _SLACK
                stage = 2
                continue
            if stage == 2 and n_leaves > most_leaves:
                stage = 3
                continue
            return
        v = weakest
        n_leaves -= _take_below(v, left, right, is_leaf, gone) - 1
        is_leaf[v] = True
        tree_error[v], parameters[v] = leaf_error[v], own_parameters[v]
        u = parent[v]
        while u >= 0:
            tree_error[u] = np.float32(tree_error[left[u]] + tree_error[right[u]])
            parameters[u] = np.float32(cost[u] + np.float32(parameters[left[u]] + parameters[right[u]]))
            u = parent[u]
        if stage == 3 and n_leaves <= most_leaves:
            return


@kernel
def _take_below(v, left, right, is_leaf, gone):
    """Mark all nodes below v; returns how many leaves there were."""
    waiting, depth, leaves = np.empty(len(left), np.int64), 2, 0
    waiting[0], waiting[1] = left[v], right[v]
    while depth:
        depth -= 1
        u = waiting[depth]
        gone[u] = True
        if is_leaf[u]:
            leaves += 1
        else:
            waiting[depth], waiting[depth + 1] = left[u], right[u]
            depth += 2
    return leaves
