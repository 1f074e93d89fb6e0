"""Merge the levels of a column until groups are left that differ in the target (Kass 1980; Biggs et al. 1991).

Levels that occur at a node are *items* 0 … k-1 in the order of their codes. A group is known by one of its items, its
head; ``group[i]`` is the head of the group that item i is in, ``alive[i]`` whether i is a head. Of an ordered column
only neighbours may be merged, but missing values, then item 0, *float*: they may join any group, and take its place.

Every head i remembers the group after it that differs least from it, ``near[i]``, so that a merger costs one walk over
the groups and not one over all pairs.
"""

import math
from typing import NamedTuple

import numpy as np

from treewright.kernels.group_splitting import resplit
from treewright.kernels.group_tests import compare_all, compare_pair, log_p
from treewright.kernels.jit import kernel

_EQUAL = 1e-12  # logarithms of p-values this close are equal


class MergeRules(NamedTuple):
    test: int
    log_merge: float  # pairs of a larger p are merged
    log_resplit: float  # groups that come apart with a p up to this are split again; -inf: none is
    exhaustive: bool  # merge down to two groups and take the stage of the smallest p
    most_groups: int
    min_weight: float  # least weight of a group …
    small_share: float  # … or this share of the node's, if that is less
    scores: np.ndarray  # (n_classes,) float64: of ordered classes; empty for other tests
    unit: np.ndarray  # (n_stats,) float64: what one of the engine's integers is worth


class Items(NamedTuple):
    """Room for the items of one column at one node, and the groups made of them."""

    table: np.ndarray  # (k, s) float64: of the items
    sums: np.ndarray  # (k, s) float64: of the groups, at their heads
    weight: np.ndarray  # (k,) float64: of the groups
    alive: np.ndarray  # (k,) bool
    group: np.ndarray  # (k,) int64
    near: np.ndarray  # (k,) int64: -1 if there is no group after this one
    test: np.ndarray  # (k, 4) float64: log p, statistic and degrees of freedom of that pair
    kept: np.ndarray  # (k,) int64: the groups of the best stage so far
    sides: np.ndarray  # (2, s) float64: of the two parts of a group
    order: np.ndarray  # (k,) int64
    side: np.ndarray  # (k,) bool


def new_items(n_codes: int, n_sums: int) -> Items:
    """Room for every code there is."""
    k, ints, floats = n_codes, np.zeros(n_codes, np.int64), np.zeros((n_codes, n_sums))
    return Items(
        floats, floats.copy(), np.zeros(k), np.zeros(k, np.bool_), ints, ints.copy(), np.zeros((k, 4)), ints.copy(),
        np.zeros((2, n_sums)), ints.copy(), np.zeros(k, np.bool_),
    )  # fmt: skip


@kernel
def regroup(table, group, sums, weight, alive, numbers):
    """Sums of the groups from those of their items. ``numbers``: the weight is the first of the sums."""
    for i in range(group.shape[0]):
        alive[i] = group[i] == i
        weight[i] = 0.0
        for s in range(table.shape[1]):
            sums[i, s] = 0.0
    for i in range(group.shape[0]):
        for s in range(table.shape[1]):
            sums[group[i], s] += table[i, s]
            if s == 0 or not numbers:
                weight[group[i]] += table[i, s]


@kernel
def consider(test, sums, weight, heaviest, near, found, i, j):
    """Remember the pair (i, j) if it differs less than the one head i has in mind, and is not too heavy.

    p falls with the statistic and rises with its degrees of freedom (of F: falls with those within), so that most pairs
    need no p-value.
    """
    if weight[i] + weight[j] > heaviest:
        return
    statistic, freedom, within = compare_pair(test, sums, weight, i, j)
    if near[i] >= 0 and statistic >= found[i, 1] and freedom <= found[i, 2] and within >= found[i, 3]:
        return
    p = log_p(test, statistic, freedom, within)
    if near[i] < 0 or p > found[i, 0] + _EQUAL:
        near[i] = j
        found[i, 0], found[i, 1], found[i, 2], found[i, 3] = p, statistic, freedom, within


@kernel
def look_around(test, sums, weight, heaviest, alive, near, found, i, ordered, floating):
    """The group after head i that differs least from it."""
    near[i] = -1
    neighbours = ordered and not (floating and i == 0)
    for j in range(i + 1, alive.shape[0]):
        if alive[j]:
            consider(test, sums, weight, heaviest, near, found, i, j)
            if neighbours or (near[i] >= 0 and found[i, 0] >= 0.0):  # none differs less than not at all
                return


@kernel
def nearest(alive, near, found):
    """The head of the pair that differs least; the first of equals; -1 if none is left."""
    best = -1
    for i in range(alive.shape[0]):
        if alive[i] and near[i] >= 0:
            if best < 0 or found[i, 0] > found[best, 0] + _EQUAL:
                best = i
    return best


@kernel
def join(test, sums, weight, heaviest, alive, group, near, found, i, ordered, floating):
    """Merge head i with the group nearest to it."""
    j = near[i]
    head, gone = (j, i) if ordered and floating and i == 0 else (i, j)
    alive[gone] = False
    weight[head] += weight[gone]
    for s in range(sums.shape[1]):
        sums[head, s] += sums[gone, s]
    for item in range(group.shape[0]):
        if group[item] == gone:
            group[item] = head
    still_floats = floating and alive[0]
    for k in range(head + 1 if head > gone else gone):
        if alive[k]:
            if k == head or near[k] == head or near[k] == gone:
                look_around(test, sums, weight, heaviest, alive, near, found, k, ordered, still_floats)
            elif k < head and (not ordered or (still_floats and k == 0)):
                consider(test, sums, weight, heaviest, near, found, k, head)


@kernel
def merge(k, ordered, floating, rules, items):
    """Group the first k items; returns how many groups there are. 0: there are no two that are large enough."""
    table, sums, weight, alive = items.table[:k], items.sums[:k], items.weight[:k], items.alive[:k]
    group, near, found = items.group[:k], items.near[:k], items.test[:k]
    for i in range(k):
        group[i] = i
    regroup(table, group, sums, weight, alive, rules.test >= 2)
    total = 0.0
    for i in range(k):
        total += weight[i]
    least = min(rules.min_weight, math.ceil(rules.small_share * total))
    heaviest = total - least  # a merger must not leave a rest that is too light
    groups = k
    for _ in range(k + 1):  # so many times may groups be split again
        for i in range(k):
            if alive[i]:
                floats = floating and alive[0]
                look_around(rules.test, sums, weight, heaviest, alive, near, found, i, ordered, floats)
        if rules.exhaustive:
            kept = items.kept[:k]
            return stages(
                table, sums, weight, alive, group, near, found, kept, ordered, floating, least, heaviest, rules
            )
        while groups > 2:
            i = nearest(alive, near, found)
            if i < 0:
                return 0
            if found[i, 0] <= rules.log_merge and groups <= rules.most_groups and lightest(alive, weight) >= least:
                break
            floats = floating and alive[0]
            join(rules.test, sums, weight, heaviest, alive, group, near, found, i, ordered, floats)
            groups -= 1
        if rules.log_resplit == -np.inf or groups >= rules.most_groups:
            break
        wanted = rules.test, rules.log_resplit, least
        if not resplit(table, group, alive, ordered, floating, wanted, items.sides, items.order[:k], items.side[:k]):
            break
        groups += 1
        regroup(table, group, sums, weight, alive, rules.test >= 2)
    return groups if groups > 1 and lightest(alive, weight) >= least else 0


@kernel
def lightest(alive, weight):
    least = np.inf
    for i in range(alive.shape[0]):
        if alive[i] and weight[i] < least:
            least = weight[i]
    return least


@kernel
def stages(table, sums, weight, alive, group, near, found, kept, ordered, floating, least, heaviest, rules):
    """Merge down to two groups; the stage whose groups, all of them large enough, have the smallest p."""
    groups, best, top = group.shape[0], 0, np.inf
    while groups > 1:
        if groups <= rules.most_groups and lightest(alive, weight) >= least:
            statistic, freedom, within = compare_all(rules.test, sums, weight, alive)
            p = log_p(rules.test, statistic, freedom, within)
            if best == 0 or p < top - _EQUAL:
                best, top = groups, p
                for i in range(group.shape[0]):
                    kept[i] = group[i]
        i = nearest(alive, near, found)
        if groups == 2 or i < 0:
            break
        floats = floating and alive[0]
        join(rules.test, sums, weight, heaviest, alive, group, near, found, i, ordered, floats)
        groups -= 1
    if best:
        for i in range(group.shape[0]):
            group[i] = kept[i]
        regroup(table, group, sums, weight, alive, rules.test >= 2)
    return best
