"""Gain and split information of any splits, as C4.5 counts them: what falls into no branch of a split counts as one
more outcome, and the gain is that of the rest times its share."""

import numpy as np

from treewright.kernels.jit import kernel
from treewright.kernels.search.ratio import (
    class_info,
    gain_of,
    info_before,
    info_of,
    is_narrow,
    least_in_branch,
    rounded,
    xlog2x,
)


@kernel
def judge_splits(node, stats, totals, is_cut, ordered, among, rules, gain, info, large):
    """``stats[c, b]`` are the class weights of branch b of split c at node ``node[c]``, ``totals[f]`` those of node f.

    ``large[c]`` is how many of the first ``among`` branches weigh enough for a branch; cuts have a limit of their own.
    ``ordered`` is where C4.5 rounds its sums as it does for numbers.
    """
    n_splits, n_branches, n_classes = stats.shape
    unit, pooled = rules.unit, np.empty(n_classes, np.int64)
    for c in range(n_splits):
        total = totals[node[c]]
        whole, narrow = total.sum() * unit, is_narrow(total, rules)
        known, of_two = 0, 0
        for k in range(n_classes):
            pooled[k] = 0
            for b in range(n_branches):
                pooled[k] += stats[c, b, k]
                of_two += stats[c, b, k] if b < 2 else 0
            known += pooled[k]
        least = rules.min_cases
        if is_cut[c]:
            least = least_in_branch(of_two * unit, n_classes, rules.min_cases, rules.tolerance)
        before = info_before(pooled, unit, known * unit, ordered, narrow)
        after, apart, large[c] = 0.0, rounded(xlog2x(whole - known * unit), narrow), 0
        for b in range(n_branches):
            weight = stats[c, b].sum() * unit
            if b < among and weight >= least - rules.tolerance:
                large[c] += 1
            after = rounded(after + class_info(stats[c, b], unit, narrow), narrow)
            apart = rounded(apart + xlog2x(weight), narrow)
        gain[c] = gain_of(before, after, known * unit, whole, ordered, narrow)
        info[c] = info_of(apart, whole, narrow)


@kernel
def find_leaders(start, score, least, slack, place):
    """Of every node the split that is ahead of ``least`` and of all before it by more than ``slack[f]``; -1: none.

    The splits of node f are those from ``start[f]`` up to ``start[f + 1]``.
    """
    for f in range(place.shape[0]):
        place[f], top = -1, least
        for c in range(start[f], start[f + 1]):
            if score[c] > top + slack[f]:
                place[f], top = c, score[c]


@find_leaders.in_numpy
def find_leaders_plain(start, score, least, slack, place):
    scores = score.tolist()
    for f in range(len(place)):
        leader, top = -1, least
        for c in range(start[f], start[f + 1]):
            if scores[c] > top + slack[f]:
                leader, top = c, scores[c]
        place[f] = leader


@judge_splits.in_numpy
def judge_splits_in_numpy(node, stats, totals, is_cut, ordered, among, rules, gain, info, large):
    unit, (n_branches, n_classes) = rules.unit, stats.shape[1:]
    weights = totals * unit
    narrow = (rules.narrow & (weights == np.rint(weights)).all(-1))[node]
    whole, pooled = (totals.sum(-1) * unit)[node], stats.sum(1)
    known, of_two = pooled.sum(-1) * unit, stats[:, :2].sum((1, 2)) * unit
    least = 0.1 * of_two / n_classes
    least = np.where(least <= rules.min_cases + rules.tolerance, rules.min_cases, np.minimum(least, 25.0))
    least = np.where(is_cut, least, rules.min_cases)
    some = np.where(known > 0, known, 1.0)
    before = _narrowed(_class_info(pooled, unit, narrow & ordered) / some, narrow)
    after, apart = np.zeros(len(node)), _narrowed(_xlog2x(whole - known), narrow)
    large[:] = 0
    for b in range(n_branches):
        weight = stats[:, b].sum(-1) * unit
        large += (b < among) & (weight >= least - rules.tolerance)
        after = _narrowed(after + _class_info(stats[:, b], unit, narrow), narrow)
        apart = _narrowed(apart + _xlog2x(weight), narrow)
    missing = _narrowed(1 - _narrowed(known / whole, narrow) if ordered else (whole - known) / whole, narrow)
    saved = _narrowed(before - _narrowed(after / some, narrow), narrow)
    gain[:] = np.where(known > 0, _narrowed(_narrowed(1 - missing, narrow) * saved, narrow), 0.0)
    info[:] = _narrowed(_narrowed(_xlog2x(whole) - apart, narrow) / whole, narrow)


def _narrowed(x, narrow):
    return np.where(narrow, x.astype(np.float32), x)


def _xlog2x(x):
    return np.where(x > 0, x * np.log2(np.where(x > 0, x, 1.0)), 0.0)


def _class_info(counts, unit, narrow):
    """Σ over the classes of -w·log2(w / Σw), added up class by class as the loop does."""
    inside = np.zeros(len(counts))
    for k in range(counts.shape[1]):
        inside = _narrowed(inside + _xlog2x(counts[:, k] * unit), narrow)
    return _narrowed(_xlog2x(counts.sum(-1) * unit) - inside, narrow)
