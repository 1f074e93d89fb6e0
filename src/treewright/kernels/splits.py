"""Gain and split information of any splits, as C4.5 counts them: what falls into no branch of a split counts as one
more outcome, and the gain is that of the rest times its share."""

import numpy as np

from treewright.kernels.jit import kernel
from treewright.kernels.ratio import (
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
