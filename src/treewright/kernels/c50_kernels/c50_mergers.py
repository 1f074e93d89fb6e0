"""Groups of values that C5.0 merges: what each pair would lose by it, and the pair that loses least."""

from typing import NamedTuple

import numpy as np

from treewright.kernels.c50_kernels.c50_information import EPSILON, lg, single, total_information, x_lg_x_in_numpy
from treewright.kernels.jit import borrowing, inlined_borrowing

_ALIKE = 0.001  # difference of class shares


class Groups(NamedTuple):
    """Groups of values. A group keeps its number, and one that joins another is gone: numbers stay in order."""

    counts: np.ndarray  # (groups, classes)
    weights: np.ndarray
    information: np.ndarray  # H of the classes of each
    terms: np.ndarray  # w·lg w of its weight
    alive: np.ndarray  # int64: the groups that are left, in order
    member: np.ndarray  # (values + 1,) int64: the group of each value, -1: none
    size: np.ndarray  # (1,) int64: values + 1 of the column
    least_lost: np.ndarray  # the least information that merging each with a later one would lose


@inlined_borrowing
def row_information(table, row):
    """``total_information`` of a row."""
    total, parts = 0.0, 0.0
    for c in range(table.shape[1]):
        amount = single(table[row, c])
        parts += amount * lg(amount)
        total += amount
    return total * lg(total) - parts


@borrowing
def merge_alike(made, first, n_groups):
    """Merge groups of the same distribution; returns how many are left."""
    i = first
    while i < n_groups:
        j = i + 1
        while j < n_groups:
            if _alike(made, made.alive[i], made.alive[j]):
                merge(made, n_groups, i, j)
                n_groups -= 1
            else:
                j += 1
        i += 1
    return n_groups


@merge_alike.in_numpy
def merge_alike_in_numpy(made, first, n_groups):
    shares = made.counts[first:n_groups] / made.weights[first:n_groups, None].astype(np.float32)
    n_alike = (np.abs(shares[:, None] - shares).max(axis=2, initial=0.0) <= _ALIKE).sum()
    return n_groups if n_alike == len(shares) else merge_alike.function(made, first, n_groups)


@inlined_borrowing
def _alike(made, one, other):
    """Whether the class shares of two groups differ by no more than 0.001."""
    for c in range(made.counts.shape[1]):
        own = made.counts[one, c] / single(made.weights[one])
        if abs(own - made.counts[other, c] / single(made.weights[other])) > _ALIKE:
            return False
    return True


@borrowing
def merge(made, n_groups, i, j):
    """The group at place j joins the one at place i."""
    one, other = made.alive[i], made.alive[j]
    made.weights[one] += made.weights[other]
    for c in range(made.counts.shape[1]):
        made.counts[one, c] += made.counts[other, c]
    for k in range(j, n_groups - 1):
        made.alive[k] = made.alive[k + 1]
    for v in range(made.size[0]):
        if made.member[v] == other:
            made.member[v] = one
    made.information[one] = row_information(made.counts, one)
    weight = single(made.weights[one])
    made.terms[one] = weight * lg(weight)


@merge.in_numpy
def merge_in_numpy(made, n_groups, i, j):
    one, other = made.alive[i], made.alive[j]
    made.weights[one] += made.weights[other]
    made.counts[one] += made.counts[other]
    made.alive[j : n_groups - 1] = made.alive[j + 1 : n_groups]
    made.member[made.member == other] = one
    made.information[one] = total_information.plain(made.counts[one])
    weight = single.plain(made.weights[one])
    made.terms[one] = weight * lg.plain(weight)


@borrowing
def n_sizeable(made, n_groups, least):
    n = 0
    for i in range(n_groups):
        n += made.weights[made.alive[i]] >= least
    return n


@borrowing
def information_of_groups(made, unknown, n_groups, total):
    """H of the weights of unknown cases and groups, a case."""
    whole = single(unknown)
    parts = whole * lg(whole)
    for i in range(n_groups):
        parts += made.terms[made.alive[i]]
        whole += single(made.weights[made.alive[i]])
    return (whole * lg(whole) - parts) / total


@inlined_borrowing
def _lost(made, one, other):
    """Information that two groups lose by merging. H of both: T is the rounded sum of the groups' weights."""
    parts = 0.0
    for c in range(made.counts.shape[1]):
        amount = single(single(made.counts[one, c]) + single(made.counts[other, c]))
        parts += amount * lg(amount)
    weight = single(made.weights[one] + made.weights[other])
    return weight * lg(weight) - parts - made.information[one] - made.information[other]


@borrowing
def compare_pairs(made, lost, first, n_groups):
    """What every pair would lose by merging."""
    for i in range(first, n_groups):
        one = made.alive[i]
        made.least_lost[one] = np.inf
        for j in range(i + 1, n_groups):
            other = made.alive[j]
            lost[one, other] = _lost(made, one, other)
            made.least_lost[one] = min(made.least_lost[one], lost[one, other])


@compare_pairs.in_numpy
def compare_pairs_in_numpy(made, lost, first, n_groups):
    alive = made.alive[first:n_groups]
    for k in range(len(alive) - 1):
        losses = _lost_in_numpy(made, alive[k : k + 1], alive[k + 1 :])
        lost[alive[k], alive[k + 1 :]] = losses
        made.least_lost[alive[k]] = losses.min()
    made.least_lost[alive[-1:]] = np.inf


def _lost_in_numpy(made, one, other):
    """``_lost`` of many pairs."""
    amounts = made.counts[one].astype(np.float32) + made.counts[other].astype(np.float32)
    parts = x_lg_x_in_numpy(amounts)
    added = parts[:, 0]
    for c in range(1, parts.shape[1]):
        added = added + parts[:, c]
    weights = (made.weights[one] + made.weights[other]).astype(np.float32)
    return x_lg_x_in_numpy(weights) - added - made.information[one] - made.information[other]


@borrowing
def compare_again(made, lost, first, n_groups, place, gone_place, gone):
    """The same when group ``gone`` of ``gone_place`` has been merged into the one at ``place``."""
    merged = made.alive[place]
    for i in range(first, n_groups):
        one = made.alive[i]
        if i < place:
            least, before = made.least_lost[one], lost[one, merged]
            lost[one, merged] = _lost(made, one, merged)
            if least == before or least == lost[one, gone]:
                _find_least(made, lost, i, n_groups)
            else:
                made.least_lost[one] = min(least, lost[one, merged])
        elif i > place:
            lost[merged, one] = _lost(made, merged, one)
            if i < gone_place and made.least_lost[one] == lost[one, gone]:
                _find_least(made, lost, i, n_groups)
    _find_least(made, lost, place, n_groups)


@compare_again.in_numpy
def compare_again_in_numpy(made, lost, first, n_groups, place, gone_place, gone):
    alive, merged = made.alive[first:n_groups], made.alive[place]
    before, after = alive[: place - first], alive[place - first + 1 :]
    lost[before, merged] = _lost_in_numpy(made, before, made.alive[place : place + 1])
    lost[merged, after] = _lost_in_numpy(made, made.alive[place : place + 1], after)
    for k in range(min(gone_place - first, len(alive))):
        made.least_lost[alive[k]] = lost[alive[k], alive[k + 1 :]].min(initial=np.inf)


@borrowing
def _find_least(made, lost, i, n_groups):
    one, least = made.alive[i], np.inf
    for j in range(i + 1, n_groups):
        least = min(least, lost[one, made.alive[j]])
    made.least_lost[one] = least


@borrowing
def best_pair(made, lost, first, n_groups, least, gain, factor):
    """The gain that is left after the best merge, and the places of the two groups; -1, -1: there is none."""
    two_left = n_sizeable(made, n_groups, least - EPSILON) == 2
    best, place, other_place = -EPSILON, -1, -1
    for i in range(first, n_groups - 1):
        one = made.alive[i]
        if gain - factor * made.least_lost[one] <= best + EPSILON:
            continue
        for j in range(i + 1, n_groups):
            other = made.alive[j]
            if two_left and made.weights[one] >= least - EPSILON and made.weights[other] >= least - EPSILON:
                continue
            left = gain - factor * lost[one, other]
            if left > best + EPSILON:
                best, place, other_place = left, i, j
    return best, place, other_place
