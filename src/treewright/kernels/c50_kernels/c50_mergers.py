"""Groups of values that C5.0 merges: what each pair would lose by it, and the pair that loses least."""

import math
from typing import NamedTuple

import numpy as np

from treewright.kernels.c50_kernels.c50_information import EPSILON, lg, single, total_information, x_lg_x_in_numpy
from treewright.kernels.jit import dividing, inlined_borrowing

_ALIKE = 0.001  # difference of class shares
_PINSKER = 0.5 / math.log(2.0)  # bits of divergence for the square of the difference of shares, at least
_OFF = 1e-5  # bits a case: more than rounding to 32 bits can take away


class Groups(NamedTuple):
    """Groups of values. A group keeps its number, and one that joins another is gone: numbers stay in order."""

    counts: np.ndarray  # (groups, classes)
    shares: np.ndarray  # (groups, classes): counts / weight, which is rounded to 32 bits
    weights: np.ndarray
    information: np.ndarray  # H of the classes of each
    terms: np.ndarray  # w·lg w of its weight
    alive: np.ndarray  # int64: the groups that are left, in order
    member: np.ndarray  # (values + 1,) int64: the group of each value, -1: none
    size: np.ndarray  # (1,) int64: values + 1 of the column
    lost: np.ndarray  # (groups, groups): the information that merging a pair would lose, or no less than it loses
    is_exact: np.ndarray  # (groups, groups) bool: which of the two
    least_lost: np.ndarray  # no more than what merging each with any later one would lose


@inlined_borrowing
def row_information(table, row):
    """``total_information`` of a row: 0 where there is one class, as in most rows of small nodes."""
    total, parts, n_classes = 0.0, 0.0, 0
    for c in range(table.shape[1]):
        n_classes += single(table[row, c]) != 0.0
    if n_classes < 2:
        return 0.0
    for c in range(table.shape[1]):
        amount = single(table[row, c])
        parts += amount * lg(amount)
        total += amount
    return total * lg(total) - parts


@inlined_borrowing
def merge_alike(made, first, n_groups):
    """Merge groups of the same distribution; returns how many are left."""
    i = first
    while i < n_groups:
        j, is_joined = i + 1, False
        while j < n_groups:
            if _alike(made, made.alive[i], made.alive[j]):
                join(made, n_groups, i, j)
                n_groups, is_joined = n_groups - 1, True
            else:
                j += 1
        if is_joined:
            measure_group(made, made.alive[i])
        i += 1
    return n_groups


@merge_alike.in_numpy
def merge_alike_in_numpy(made, first, n_groups):
    shares = made.shares[first:n_groups]
    n_alike = (np.abs(shares[:, None] - shares).max(axis=2, initial=0.0) <= _ALIKE).sum()
    return n_groups if n_alike == len(shares) else merge_alike.function(made, first, n_groups)


@inlined_borrowing
def _alike(made, one, other):
    """Whether the class shares of two groups differ by no more than 0.001."""
    for c in range(made.shares.shape[1]):
        if abs(made.shares[one, c] - made.shares[other, c]) > _ALIKE:
            return False
    return True


@inlined_borrowing
def merge(made, n_groups, i, j):
    """The group at place j joins the one at place i."""
    join(made, n_groups, i, j)
    measure_group(made, made.alive[i])


@inlined_borrowing
def join(made, n_groups, i, j):
    """The same; what is known of the one at place i is still of before."""
    one, other = made.alive[i], made.alive[j]
    made.weights[one] += made.weights[other]
    for c in range(made.counts.shape[1]):
        made.counts[one, c] += made.counts[other, c]
    for k in range(j, n_groups - 1):
        made.alive[k] = made.alive[k + 1]
    for v in range(made.size[0]):
        if made.member[v] == other:
            made.member[v] = one
    set_shares_of(made, one)


@inlined_borrowing
def measure_group(made, group):
    """The information of a group, and the term of its weight."""
    made.information[group] = row_information(made.counts, group)
    weight = single(made.weights[group])
    made.terms[group] = weight * lg(weight)


@inlined_borrowing
def set_shares_of(made, group):
    weight = single(made.weights[group])
    for c in range(made.counts.shape[1]):
        made.shares[group, c] = made.counts[group, c] / weight if weight > 0.0 else 0.0


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
    made.shares[one] = made.counts[one] / weight


@inlined_borrowing
def n_sizeable(made, n_groups, least):
    n = 0
    for i in range(n_groups):
        n += made.weights[made.alive[i]] >= least
    return n


@inlined_borrowing
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


@dividing
def _loses_at_least(made, one, other):
    """What two groups lose by merging, by Pinsker's inequality: no logarithm is needed to tell most pairs apart."""
    apart, weight, other_weight = 0.0, made.weights[one], made.weights[other]
    for c in range(made.shares.shape[1]):
        apart += abs(made.shares[one, c] - made.shares[other, c])
    both = weight + other_weight
    return _PINSKER * apart * apart * (weight * other_weight / both) - _OFF * both


@inlined_borrowing
def compare_pairs(made, first, n_groups):
    """What every pair would lose by merging, at least."""
    for i in range(first, n_groups):
        _compare_with_later(made, i, n_groups)


@inlined_borrowing
def _compare_with_later(made, i, n_groups):
    one, least = made.alive[i], np.inf
    for j in range(i + 1, n_groups):
        other = made.alive[j]
        made.lost[one, other], made.is_exact[one, other] = _loses_at_least(made, one, other), False
        least = min(least, made.lost[one, other])
    made.least_lost[one] = least


@compare_pairs.in_numpy
def compare_pairs_in_numpy(made, first, n_groups):
    alive = made.alive[first:n_groups]
    made.is_exact[alive] = True
    for k in range(len(alive) - 1):
        losses = _lost_in_numpy(made, alive[k : k + 1], alive[k + 1 :])
        made.lost[alive[k], alive[k + 1 :]] = losses
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


@inlined_borrowing
def compare_again(made, first, n_groups, place):
    """The same when a group has been merged into the one at ``place``."""
    merged = made.alive[place]
    for i in range(first, place):
        one = made.alive[i]
        made.lost[one, merged], made.is_exact[one, merged] = _loses_at_least(made, one, merged), False
        made.least_lost[one] = min(made.least_lost[one], made.lost[one, merged])
    _compare_with_later(made, place, n_groups)


@compare_again.in_numpy
def compare_again_in_numpy(made, first, n_groups, place):
    alive, merged = made.alive[first:n_groups], made.alive[place]
    before, after = alive[: place - first], alive[place - first + 1 :]
    made.lost[before, merged] = _lost_in_numpy(made, before, made.alive[place : place + 1])
    made.lost[merged, after] = _lost_in_numpy(made, made.alive[place : place + 1], after)
    for k in range(place - first + 1):
        made.least_lost[alive[k]] = made.lost[alive[k], alive[k + 1 :]].min(initial=np.inf)


@inlined_borrowing
def best_pair(made, first, n_groups, least, gain, factor):
    """The gain that is left after the best merge, and the places of the two groups; -1, -1: there is none.

    Only of pairs that may be the best it is computed what they lose.
    """
    two_left = n_sizeable(made, n_groups, least - EPSILON) == 2
    best, place, other_place = -EPSILON, -1, -1
    for i in range(first, n_groups - 1):
        one = made.alive[i]
        if gain - factor * made.least_lost[one] <= best + EPSILON:
            continue
        least_lost, is_sizeable = np.inf, made.weights[one] >= least - EPSILON
        for j in range(i + 1, n_groups):
            other = made.alive[j]
            if gain - factor * made.lost[one, other] > best + EPSILON:
                if not made.is_exact[one, other]:
                    made.lost[one, other], made.is_exact[one, other] = _lost(made, one, other), True
                left = gain - factor * made.lost[one, other]
                if left > best + EPSILON and not (two_left and is_sizeable and made.weights[other] >= least - EPSILON):
                    best, place, other_place = left, i, j
            least_lost = min(least_lost, made.lost[one, other])
        made.least_lost[one] = least_lost
    return best, place, other_place
