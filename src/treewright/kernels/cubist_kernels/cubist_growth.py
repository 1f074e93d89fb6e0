"""Cubist's tree: grown by the standard deviation of residuals."""

from typing import Any, NamedTuple

import numpy as np

from treewright.kernels.cubist_kernels.cubist_cuts import best_cut, cut_scratch
from treewright.kernels.cubist_kernels.cubist_fit import fit_cubist, fit_scratch
from treewright.kernels.cubist_kernels.cubist_kinds import BINARY, IGNORED, NUMERIC
from treewright.kernels.cubist_kernels.cubist_levels import best_levels
from treewright.kernels.cubist_kernels.cubist_spreads import spread_of
from treewright.kernels.cubist_kernels.cubist_sums import limited
from treewright.kernels.jit import borrowing, kernel, large_kernel
from treewright.kernels.ordered_sums import in_order

_LEAST_SCORE = -0.0001
_NEARLY = 0.999  # of the best score: an attribute of higher preference may win
FEWEST = 3  # cases of a branch
FEWEST_TO_CUT = 6
NO_SCORE = -1e30


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


class GrowingCases(NamedTuple):
    """Cases that a tree is grown from."""

    x: Any  # float32 (attributes × cases): levels by their place from 0
    y: Any  # float32
    w: Any  # float64
    kind: Any
    n_levels: Any
    preference: Any  # float32
    facts: Any  # lowest and highest prediction, spread of all cases, unit of the target, least size of a rule
    correlation: Any  # the least that is significant, by the number of cases
    order: Any  # int32: cases, node by node
    sorted_rows: Any  # int32 (attributes × cases): the same, in each node by a numeric attribute
    residual: Any  # float32, by case
    goes_right: Any  # bool, by case
    uneven: Any  # float64: the weights, or none where all are 1


@kernel
def node_residuals(of, start, stop, candidates, is_root, best, s):
    """Residuals of a node's cases; (its spread, or -1 where the residuals are too small to divide it).

    No node is divided where rounding of uneven weights has left no spread of all cases.

    At the root they are the target, elsewhere what the model of ``candidates``, attributes tested above, leaves.
    """
    cases, low, high = of.order[start:stop], np.float32(of.facts[0]), np.float32(of.facts[1])
    if is_root:
        of.residual[:] = of.y
    else:
        fit_cubist(of.x, of.y, of.w, cases, candidates, low, high, best, s)
        _subtract_model(of.x, of.y, cases, candidates, best, low, high, of.residual)
    weight, total, squares, largest = _moments_of(of.residual, of.w, cases)
    if largest < of.facts[3] / 2.0 or np.isnan(of.facts[2]):
        return -1.0
    return spread_of(weight, total, squares, of.facts[2])


@borrowing
def _moments_of(residual, w, cases):
    """Weight, sum and squares of the residuals, and the greatest of them."""
    weight, total, squares, largest = 0.0, 0.0, 0.0, 0.0
    for case in cases:
        rest = np.float64(residual[case])
        weight += w[case]
        total += w[case] * rest
        squares += w[case] * rest * rest
        largest = max(largest, abs(rest))
    return weight, total, squares, largest


@_moments_of.in_numpy
def _moments_of_in_numpy(residual, w, cases):
    rest, weight = residual[cases].astype(np.float64), w[cases]
    return in_order(weight), in_order(weight * rest), in_order(weight * rest * rest), np.abs(rest).max()


@borrowing
def _subtract_model(x, y, cases, candidates, best, low, high, residual):
    for case in cases:
        value = best[0]
        for j in candidates:
            value += best[j + 1] * x[j, case]
        residual[case] = y[case] - limited(np.float32(value), low, high)


@_subtract_model.in_numpy
def _subtract_model_in_numpy(x, y, cases, candidates, best, low, high, residual):
    value = np.full(len(cases), best[0])
    for j in candidates:
        value += best[j + 1] * x[j, cases]
    residual[cases] = y[cases] - np.clip(value.astype(np.float32), low, high)


@kernel
def score_attribute(of, j, start, stop, is_tested, spread, second, s):
    """What a division by attribute j is worth, and its threshold; ``second`` marks the levels that go right."""
    size, least, overall = stop - start, FEWEST, of.facts[2]
    if size >= 3 * np.int64(of.facts[4]):
        least = np.int64(of.facts[4])
    score, threshold = np.float32(NO_SCORE), np.float32(0.0)
    if of.kind[j] == NUMERIC:
        cases = of.sorted_rows[j, start:stop]
        found, place = best_cut(of.x[j], of.residual, of.uneven, cases, least, spread, overall, of.correlation, s)
        if place >= 0:
            score = np.float32(found)
            lower, upper = of.x[j, cases[place]], of.x[j, cases[place + 1]]
            threshold = np.float32(np.float32(0.5) * np.float32(lower + upper))
            if threshold >= upper:
                threshold = lower
    elif of.kind[j] != IGNORED and not (of.kind[j] == BINARY and is_tested):
        cases = of.order[start:stop]
        score = best_levels(
            of.x[j], of.residual, of.w, cases, of.n_levels[j], of.kind[j], spread, overall, second[: of.n_levels[j]]
        )
    return score, threshold


@kernel
def chosen_attribute(scores, preference):
    """The attribute of the best score, but for one that is nearly as good and preferred; -1: none."""
    best, taken = np.float32(0.0), -1
    for j in range(len(scores)):
        score = scores[j]
        if not score > _LEAST_SCORE:
            continue
        wins = taken < 0 or score > best
        if not wins and score > _NEARLY * np.float64(best) and preference[j] > preference[taken]:
            wins = True
        if wins:
            best, taken = score, j
    return taken


@kernel
def mark_right(of, start, stop, j, cut, second):
    """Which cases of a node go to its second branch."""
    if of.kind[j] == NUMERIC:
        _mark_above(of.x[j], of.order[start:stop], cut, of.goes_right)
    else:
        _mark_levels(of.x[j], of.order[start:stop], second, of.goes_right)


@borrowing
def _mark_above(values, cases, cut, goes_right):
    for case in cases:
        goes_right[case] = values[case] > cut


@borrowing
def _mark_levels(values, cases, second, goes_right):
    for case in cases:
        goes_right[case] = second[np.int64(values[case])]


@borrowing
def partition(rows, goes_right, moved):
    """Those that stay first, in order; returns how many."""
    n_left, n_right = 0, 0
    for i in range(len(rows)):
        case = rows[i]
        right = np.int64(goes_right[case])
        rows[n_left] = case  # no branch: which way a case goes cannot be foreseen
        moved[n_right] = case
        n_right += right
        n_left += 1 - right
    for i in range(n_right):
        rows[n_left + i] = moved[i]
    return n_left


@partition.in_numpy
def partition_in_numpy(rows, goes_right, moved):
    right = goes_right[rows]
    stay, go = rows[~right], rows[right]
    rows[: len(stay)], rows[len(stay) :] = stay, go
    return len(stay)


@borrowing
def gather_first(cases, goes_right):
    """Those of the first branch first, each exchanged with the first of the others; returns how many.

    With weights a model depends on which cases of a node come first.
    """
    n_left = 0
    for i in range(len(cases)):
        case = cases[i]
        if not goes_right[case]:
            cases[i], cases[n_left] = cases[n_left], case
            n_left += 1
    return n_left


@large_kernel(12.0)
def grow_cubist(of, first, stop_all, above, is_root, tree):
    """Grow the tree of the cases in order[first:stop_all]; returns how many nodes it has.

    ``above`` are the attributes tested above. Nodes are numbered from 0 on, and their cases are places in the order.
    """
    n_attributes, n = of.x.shape[0], stop_all - first
    fit, cut = fit_scratch(n_attributes, n), cut_scratch(n)
    moved, best = np.empty(n, of.order.dtype), np.zeros(n_attributes + 1)
    tested, candidates = np.zeros(n_attributes, np.bool_), np.empty(n_attributes, np.int64)
    second = np.zeros((n_attributes, max(1, of.n_levels.max())), np.bool_)
    scores, thresholds = np.empty(n_attributes, np.float32), np.empty(n_attributes, np.float32)
    waiting = np.empty((n + 1, 4), np.int64)
    waiting[0, 0], waiting[0, 1], waiting[0, 2], waiting[0, 3] = first, stop_all, -1, 0
    depth, n_nodes = 1, 0
    while depth:
        depth -= 1
        start, stop, parent = waiting[depth, 0], waiting[depth, 1], waiting[depth, 2]
        v, n_nodes = n_nodes, n_nodes + 1
        tree.start[v], tree.stop[v], tree.parent[v], tree.attribute[v] = start, stop, parent, -1
        tree.left[v], tree.right[v] = -1, -1
        if parent >= 0:
            if waiting[depth, 3]:
                tree.right[parent] = v
            else:
                tree.left[parent] = v
        tested[:] = above
        u = parent
        while u >= 0:
            tested[tree.attribute[u]] = True
            u = tree.parent[u]
        k = 0
        for j in range(n_attributes):
            if tested[j] and of.kind[j] == NUMERIC:
                candidates[k] = j
                k += 1
        spread = node_residuals(of, start, stop, candidates[:k], is_root and v == 0, best, fit)
        if spread == -1.0:
            continue
        for j in range(n_attributes):
            if of.kind[j] == NUMERIC and stop - start < FEWEST_TO_CUT:
                scores[j] = NO_SCORE
                continue
            scores[j], thresholds[j] = score_attribute(of, j, start, stop, tested[j], spread, second[j], cut)
        taken = chosen_attribute(scores, of.preference)
        if taken < 0:
            continue
        tree.attribute[v], tree.cut[v] = taken, thresholds[taken]
        mark_right(of, start, stop, taken, thresholds[taken], second[taken])
        middle = start + gather_first(of.order[start:stop], of.goes_right)
        for j in range(n_attributes):
            if of.kind[j] == NUMERIC:
                partition(of.sorted_rows[j, start:stop], of.goes_right, moved)
        waiting[depth, 0], waiting[depth, 1], waiting[depth, 2], waiting[depth, 3] = middle, stop, v, 1
        depth += 1
        waiting[depth, 0], waiting[depth, 1], waiting[depth, 2], waiting[depth, 3] = start, middle, v, 0
        depth += 1
    return n_nodes


@kernel
def large_residuals(of, start, stop, candidates, is_root):
    """The residuals of a node that is divided by itself, as ``node_residuals``."""
    scratch = fit_scratch(len(candidates), 0 if is_root else stop - start)
    return node_residuals(of, start, stop, candidates, is_root, np.zeros(of.x.shape[0] + 1), scratch)


@kernel
def score_large(of, j, start, stop, is_tested, spread, second):
    return score_attribute(of, j, start, stop, is_tested, spread, second, cut_scratch(stop - start))


@kernel
def partition_large(rows, goes_right):
    return partition(rows, goes_right, np.empty(len(rows), rows.dtype))


@kernel
def link_nodes(tree):
    """Children, parents and the last node below each, from which nodes have an attribute."""
    for v in range(len(tree.start) - 1, -1, -1):
        if tree.attribute[v] < 0:
            tree.last[v] = v
            continue
        left, right = v + 1, tree.last[v + 1] + 1
        tree.left[v], tree.right[v], tree.last[v] = left, right, tree.last[right]
        tree.parent[left], tree.parent[right] = v, v


@kernel
def tidy(tree, n_nodes, least_rule, kept):
    """Which nodes stay once those with a branch of too few cases have become leaves."""
    kept[:] = False
    kept[0] = True
    for v in range(n_nodes):
        if not kept[v] or tree.attribute[v] < 0:
            continue
        left, right = tree.left[v], tree.right[v]
        if tree.stop[left] - tree.start[left] < least_rule or tree.stop[right] - tree.start[right] < least_rule:
            continue
        kept[left], kept[right] = True, True
