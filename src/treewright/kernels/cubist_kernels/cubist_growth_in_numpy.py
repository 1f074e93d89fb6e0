"""The growing of Cubist's trees without compiled kernels: all numeric attributes of a node at once."""

import numpy as np

from treewright.kernels.cubist_kernels.cubist_cuts import best_of_few
from treewright.kernels.cubist_kernels.cubist_fit import fit_scratch
from treewright.kernels.cubist_kernels.cubist_growth import (
    FEWEST,
    FEWEST_TO_CUT,
    NO_SCORE,
    chosen_attribute,
    gather_first,
    grow_cubist,
    mark_right,
    node_residuals,
)
from treewright.kernels.cubist_kernels.cubist_kinds import BINARY, IGNORED, NUMERIC, ORDERED
from treewright.kernels.cubist_kernels.cubist_levels import best_levels
from treewright.kernels.cubist_kernels.cubist_spreads import spread_of, spreads_in_numpy
from treewright.kernels.jit import hot_loop


@grow_cubist.in_numpy
def grow_cubist_in_numpy(of, first, stop_all, above, is_root, tree):
    n_attributes = len(of.x)
    fit, best = fit_scratch.plain(n_attributes, stop_all - first), np.zeros(n_attributes + 1)
    numbers, levels = np.flatnonzero(of.kind == NUMERIC), np.flatnonzero((of.kind != NUMERIC) & (of.kind != IGNORED))
    n_nodes = 0
    waiting = [(first, stop_all, -1, False, above.copy())]
    while waiting:
        start, stop, parent, is_right, tested = waiting.pop()
        v, n_nodes = n_nodes, n_nodes + 1
        tree.start[v], tree.stop[v], tree.parent[v], tree.attribute[v] = start, stop, parent, -1
        tree.left[v], tree.right[v] = -1, -1
        if parent >= 0:
            (tree.right if is_right else tree.left)[parent] = v
        candidates = numbers[tested[numbers]]
        spread = node_residuals.plain(of, start, stop, candidates, is_root and v == 0, best, fit)
        if spread == -1.0:
            continue
        scores, thresholds, second = _scores(of, numbers, levels, start, stop, tested, float(spread))
        taken = chosen_attribute.plain(scores, of.preference)
        if taken < 0:
            continue
        tree.attribute[v], tree.cut[v] = taken, thresholds[taken]
        mark_right.plain(of, start, stop, taken, thresholds[taken], second[taken])
        middle = start + gather_first.plain(of.order[start:stop], of.goes_right)
        _partition(of.sorted_rows, numbers, start, stop, of.goes_right)
        below = tested.copy()
        below[taken] = True
        waiting += [(middle, stop, v, True, below), (start, middle, v, False, below)]
    return n_nodes


def _scores(of, numbers, levels, start, stop, tested, spread):
    """What a division by every attribute is worth, its threshold, and the levels that go right by attribute."""
    n_attributes, size, least, overall = len(of.x), stop - start, FEWEST, float(of.facts[2])
    if size >= 3 * int(of.facts[4]):
        least = int(of.facts[4])
    scores, thresholds = np.full(n_attributes, NO_SCORE, np.float32), np.zeros(n_attributes, np.float32)
    second = np.zeros((n_attributes, max(1, of.n_levels.max())), np.bool_)
    if size >= FEWEST_TO_CUT and size - least >= least:
        score_numbers.plain(
            of.x, of.residual, of.uneven, of.sorted_rows, numbers, start, stop, least, spread, overall,
            of.correlation, scores, thresholds,
        )  # fmt: skip
    levels = levels[~tested[levels] | (of.kind[levels] != BINARY)]
    score_levels.plain(
        of.x, of.residual, of.w, of.order, levels, of.kind, of.n_levels, start, stop, spread, overall,
        np.empty((4, second.shape[1])), scores, second,
    )  # fmt: skip
    return scores, thresholds, second


@hot_loop(0.6)
def score_levels(x, residual, w, order, levels, kinds, n_levels, start, stop, spread, overall, room, scores, second):
    """Scores of the attributes of levels, and which levels go right, as ``best_levels`` finds them one by one."""
    for j in levels:
        k, whole, low_n, low_r, low_rr = n_levels[j], 0.0, 0.0, 0.0, 0.0
        for level in range(k):
            room[0, level], room[1, level], room[2, level], room[3, level] = 0.0, 0.0, 0.0, -1.0
        for i in range(start, stop):
            case = order[i]
            level, rest, weight = np.int64(x[j, case]), np.float64(residual[case]), w[case]
            room[0, level] += weight
            room[1, level] += weight * rest
            room[2, level] += weight * rest * rest
            whole += weight
        n_left = 0
        for level in range(k):
            low_n += room[0, level]
            low_r += room[1, level]
            low_rr += room[2, level]
            n_left += room[0, level] > 0.0
        in_order, turn, best_turn = kinds[j] == BINARY or kinds[j] == ORDERED, 0.0, -1.0
        high_n, high_r, high_rr = 0.0, 0.0, 0.0
        while n_left > 1:
            pick, most = -1, 0.0
            for level in range(k):
                if room[0, level] > 0.0 and room[3, level] < 0.0:
                    mean = room[1, level] / room[0, level]
                    if in_order or pick < 0 or mean > most:
                        pick, most = level, mean
            room[3, pick] = turn
            n_left -= 1
            high_n += room[0, pick]
            high_r += room[1, pick]
            high_rr += room[2, pick]
            low_n -= room[0, pick]
            low_r -= room[1, pick]
            low_rr -= room[2, pick]
            if low_n >= FEWEST and high_n >= FEWEST:
                low, high = spread_of(low_n, low_r, low_rr, overall), spread_of(high_n, high_r, high_rr, overall)
                score = spread - (low_n * low + high_n * high) / whole
                if score > scores[j]:
                    scores[j], best_turn = score, turn
            turn += 1.0
        for level in range(k):
            second[j, level] = 0.0 <= room[3, level] <= best_turn


@score_levels.in_numpy
def score_levels_in_numpy(
    x, residual, w, order, levels, kinds, n_levels, start, stop, spread, overall, room, scores, second
):
    cases = order[start:stop]
    for j in levels:
        scores[j] = best_levels.plain(
            x[j], residual, w, cases, n_levels[j], kinds[j], spread, overall, second[j, : n_levels[j]]
        )


@hot_loop(0.5)
def score_numbers(
    x, residual, w, sorted_rows, numbers, start, stop, least, spread, overall, correlation, scores, thresholds
):
    """Scores and thresholds of the numeric attributes that have a cut."""
    for j in numbers:
        cases, values = sorted_rows[j, start:stop], x[j]
        found, place = best_of_few(values, residual, w, cases, least, spread, overall, correlation)
        if place >= 0:
            lower, upper = values[cases[place]], values[cases[place + 1]]
            threshold = np.float32(np.float32(0.5) * np.float32(lower + upper))
            scores[j], thresholds[j] = np.float32(found), lower if threshold >= upper else threshold


@score_numbers.in_numpy
def score_numbers_in_numpy(
    x, residual, w, sorted_rows, numbers, start, stop, least, spread, overall, correlation, scores, thresholds
):
    cases, n = sorted_rows[numbers, start:stop], stop - start
    narrow = np.take_along_axis(x[numbers], cases, axis=1)
    value, rest = narrow.astype(np.float64), residual[cases].astype(np.float64)
    weight = w[cases] if len(w) else np.ones(cases.shape)
    terms = np.empty((6, *cases.shape))
    terms[0], terms[1], terms[3] = weight, weight * value, weight * rest
    terms[2], terms[4], terms[5] = terms[1] * value, terms[3] * rest, terms[1] * rest
    low = np.cumsum(terms, axis=2)
    high = np.subtract.accumulate(np.concatenate((low[:, :, -1:], terms), axis=2), axis=2)[:, :, 1:]
    tried = slice(least - 1, n - least)
    sides = np.stack((low[:, :, tried], high[:, :, tried]), axis=1)
    i = np.arange(n)[tried]
    limits = correlation[np.stack((i + 1, n - i - 1))][:, None]
    below, above = sides[0] * spreads_in_numpy(sides, limits, overall)
    score = spread - (below + above) / low[0, :, -1:]
    is_cut = value[:, least - 1 : n - least] < value[:, least : n - least + 1]
    score = np.where(is_cut & (score > 0.0), score, 0.0)  # also where it is no number
    best = score.argmax(axis=1)
    for k in np.flatnonzero(score.max(axis=1) > 0.0).tolist():
        lower, upper = narrow[k, i[best[k]]], narrow[k, i[best[k]] + 1]
        threshold = np.float32(np.float32(0.5) * np.float32(lower + upper))
        thresholds[numbers[k]] = lower if threshold >= upper else threshold
        scores[numbers[k]] = np.float32(score[k, best[k]])


def _partition(sorted_rows, numbers, start, stop, goes_right):
    """Of every attribute the cases of the first branch first, in order."""
    if not len(numbers):
        return
    rows = sorted_rows[numbers, start:stop]
    right = goes_right[rows]
    parts = rows[~right].reshape(len(numbers), -1), rows[right].reshape(len(numbers), -1)
    sorted_rows[numbers, start:stop] = np.concatenate(parts, axis=1)
