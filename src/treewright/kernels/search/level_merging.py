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

from treewright.kernels.jit import inlined, kernel
from treewright.kernels.search.group_splitting import resplit
from treewright.kernels.search.group_tests import compare_all, compare_seen, log_p, note_classes

_EQUAL = 1e-12  # logarithms of p-values this close are equal
_FEW_CLASSES = (
    2.0  # degrees of freedom up to which only like shares have a p of 1: with more of them p is rounded to it
)
_MANY_CLASSES = 16  # of more than these most levels may lack most: a group lists those it has
_REFUSED = 64  # pairs, told apart by their degrees of freedom


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
    seen: np.ndarray  # (k, 1 + s) int32: how many classes a group has, and which; (k, 1) where there are few classes
    alive: np.ndarray  # (k,) bool
    group: np.ndarray  # (k,) int64
    near: np.ndarray  # (k,) int64: -1 if there is no group after this one
    test: np.ndarray  # (k, 4) float64: log p, statistic and degrees of freedom of that pair
    refused: np.ndarray  # (_REFUSED, 3) float64: tests of pairs that differ more than the one a head has in mind
    kept: np.ndarray  # (k,) int64: the groups of the best stage so far
    sides: np.ndarray  # (2, s) float64: of the two parts of a group
    order: np.ndarray  # (k,) int64
    side: np.ndarray  # (k,) bool


def new_items(n_codes: int, n_sums: int) -> Items:
    """Room for every code there is."""
    k, ints, floats = n_codes, np.zeros(n_codes, np.int64), np.zeros((n_codes, n_sums))
    seen = np.zeros((k, 1 + n_sums if n_sums > _MANY_CLASSES else 1), np.int32)
    return Items(
        floats, floats.copy(), np.zeros(k), seen, np.zeros(k, np.bool_), ints, ints.copy(), np.zeros((k, 4)),
        np.zeros((_REFUSED, 3)), ints.copy(), np.zeros((2, n_sums)), ints.copy(), np.zeros(k, np.bool_),
    )  # fmt: skip


@kernel
def regroup(table, group, sums, weight, seen, alive, numbers):
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
    for i in range(group.shape[0]):
        if alive[i]:
            note_classes(sums, seen, i)


@kernel
def consider(test, sums, weight, seen, heaviest, near, found, i, j):
    """Remember the pair (i, j) if it differs less than the one head i has in mind, and is not too heavy."""
    if weight[i] + weight[j] <= heaviest:
        statistic, freedom, within = compare_seen(test, sums, weight, seen, i, j)
        if near[i] < 0 or not differs_more(statistic, freedom, within, found[i, 1], found[i, 2], found[i, 3]):
            take_nearer(test, statistic, freedom, within, near, found, i, j)


@inlined
def differs_more(statistic, freedom, within, other, other_freedom, other_within):
    """Whether p is certainly no larger: it falls with the statistic and rises with its degrees of freedom (of F: falls
    with those within). So most pairs need no p-value."""
    return statistic >= other and freedom <= other_freedom and within >= other_within


@kernel
def take_nearer(test, statistic, freedom, within, near, found, i, j):
    """Remember the pair if its p is larger; whether it is."""
    p = log_p(test, statistic, freedom, within)
    if near[i] >= 0 and not p > found[i, 0] + _EQUAL:
        return False
    near[i] = j
    found[i, 0], found[i, 1], found[i, 2], found[i, 3] = p, statistic, freedom, within
    return True


@kernel
def look_around(test, sums, weight, seen, heaviest, alive, near, found, refused, i, ordered, floating):
    """The group after head i that differs least from it. Pairs whose p had to be computed and was too small are
    remembered, by their degrees of freedom: what differs more than they do needs no p."""
    near[i] = -1
    refused[:, 0] = np.inf
    neighbours = ordered and not (floating and i == 0)
    for j in range(i + 1, alive.shape[0]):
        if not alive[j]:
            continue
        if weight[i] + weight[j] <= heaviest:
            statistic, freedom, within = compare_seen(test, sums, weight, seen, i, j)
            if near[i] < 0 or not differs_more(statistic, freedom, within, found[i, 1], found[i, 2], found[i, 3]):
                known = refused[np.int64(freedom + within) % refused.shape[0]]
                if not differs_more(statistic, freedom, within, known[0], known[1], known[2]):
                    if not take_nearer(test, statistic, freedom, within, near, found, i, j):
                        known[0], known[1], known[2] = statistic, freedom, within
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
                if found[i, 0] >= 0.0:  # none differs less than not at all
                    return best
    return best


@kernel
def join(test, sums, weight, seen, heaviest, alive, group, near, found, refused, i, ordered, floating):
    """Merge head i with the group nearest to it. Items of that group still say its old head: see ``name_heads``."""
    j = near[i]
    head, gone = (j, i) if ordered and floating and i == 0 else (i, j)
    alive[gone] = False
    weight[head] += weight[gone]
    for s in range(sums.shape[1]):
        sums[head, s] += sums[gone, s]
    note_classes(sums, seen, head)
    group[gone] = head
    still_floats = floating and alive[0]
    alike = not ordered and found[i, 1] == 0.0 and found[i, 2] <= _FEW_CLASSES and found[i, 3] == 0.0
    for k in range(head + 1 if head > gone else gone):
        if alive[k]:
            if k == head and alike and next_alike(test, sums, weight, seen, heaviest, alive, near, found, k, gone):
                continue
            if k == head or near[k] == head or near[k] == gone:
                look_around(test, sums, weight, seen, heaviest, alive, near, found, refused, k, ordered, still_floats)
            elif k < head and (not ordered or (still_floats and k == 0)):
                if near[k] < 0 or found[k, 0] < 0.0:  # else the one in mind does not differ at all
                    consider(test, sums, weight, seen, heaviest, near, found, k, head)


@kernel
def next_alike(test, sums, weight, seen, heaviest, alive, near, found, head, gone):
    """Whether a group after the one that is gone has the same shares of the classes: then it is the nearest. To merge
    like shares does not change them, so the groups before have others."""
    for j in range(gone + 1, alive.shape[0]):
        if alive[j] and weight[head] + weight[j] <= heaviest:
            statistic, freedom, within = compare_seen(test, sums, weight, seen, head, j)
            if statistic == 0.0:
                near[head] = j
                found[head, 0], found[head, 1], found[head, 2], found[head, 3] = 0.0, statistic, freedom, within
                return True
    return False


@kernel
def name_heads(group):
    """Let every item name the head of its group, and not one that has been merged since."""
    for i in range(group.shape[0]):
        head = i
        while group[head] != head:
            head = group[head]
        item = i
        while group[item] != head:  # all on the way know it now
            group[item], item = head, group[item]


@kernel
def merge(k, ordered, floating, rules, items):
    """Group the first k items; returns how many groups there are. 0: there are no two that are large enough."""
    table, sums, weight, alive = items.table[:k], items.sums[:k], items.weight[:k], items.alive[:k]
    seen = items.seen[:k]
    group, near, found, refused = items.group[:k], items.near[:k], items.test[:k], items.refused
    for i in range(k):
        group[i] = i
    regroup(table, group, sums, weight, seen, alive, rules.test >= 2)
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
                look_around(rules.test, sums, weight, seen, heaviest, alive, near, found, refused, i, ordered, floats)
        if rules.exhaustive:
            kept = items.kept[:k]
            return stages(
                table, sums, weight, seen, alive, group, near, found, refused, kept, ordered, floating, least,
                heaviest, rules,
            )  # fmt: skip
        while groups > 2:
            i = nearest(alive, near, found)
            if i < 0:
                return 0
            if found[i, 0] <= rules.log_merge and groups <= rules.most_groups and lightest(alive, weight) >= least:
                break
            floats = floating and alive[0]
            join(rules.test, sums, weight, seen, heaviest, alive, group, near, found, refused, i, ordered, floats)
            groups -= 1
        name_heads(group)
        if rules.log_resplit == -np.inf or groups >= rules.most_groups:
            break
        wanted = rules.test, rules.log_resplit, least
        if not resplit(table, group, alive, ordered, floating, wanted, items.sides, items.order[:k], items.side[:k]):
            break
        groups += 1
        regroup(table, group, sums, weight, seen, alive, rules.test >= 2)
    return groups if groups > 1 and lightest(alive, weight) >= least else 0


@kernel
def lightest(alive, weight):
    least = np.inf
    for i in range(alive.shape[0]):
        if alive[i] and weight[i] < least:
            least = weight[i]
    return least


@kernel
def stages(
    table, sums, weight, seen, alive, group, near, found, refused, kept, ordered, floating, least, heaviest, rules
):
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
        join(rules.test, sums, weight, seen, heaviest, alive, group, near, found, refused, i, ordered, floats)
        groups -= 1
    if best:
        for i in range(group.shape[0]):
            group[i] = kept[i]
        name_heads(group)
        regroup(table, group, sums, weight, seen, alive, rules.test >= 2)
    return best
