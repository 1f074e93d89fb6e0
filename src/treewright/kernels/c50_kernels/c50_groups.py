"""C5.0's tests of nominal and ordered columns, from a table of value × class.

Row 0 of the table is of unknown values, row 1 of those that are not applicable, the declared values follow.
"""

from typing import NamedTuple

import numpy as np

from treewright.kernels.c50_kernels.c50_information import EPSILON, lg, single, total_information
from treewright.kernels.jit import inlined, kernel

NOTHING = -1.0
_LARGEST = 1.797e308  # of 64-bit numbers


@kernel
def each_value(table, total, base, least, found):
    """A branch per value. ``found`` is given gain and information in 64 bits, known weight, known share, base."""
    found[0] = NOTHING
    n_values = table.shape[0] - 1
    weights = np.zeros(n_values + 1)
    for v in range(n_values + 1):
        weights[v] = table[v].sum()
    unknown = single(weights[0])
    known = single(total - unknown)
    if known <= 0.0:
        return
    share = single(1.0 - unknown / total)
    base = known_base(table, unknown, known, base)
    parts = 0.0
    for v in range(1, n_values + 1):
        if weights[v] > 0.0:
            parts += total_information(table[v])
    found[0] = max(0.0, share * (base - parts / known))
    found[1] = total_information(weights) / total
    found[2], found[3], found[4] = known, share, base


@kernel
def known_base(table, unknown, known, base):
    """Information of the cases whose value is known, a case; class sums are added in 32 bits."""
    if unknown == 0.0:
        return base
    sums = np.zeros(table.shape[1])
    for v in range(1, table.shape[0]):
        for c in range(table.shape[1]):
            sums[c] = single(sums[c] + table[v, c])
    return total_information(sums) / known


@kernel
def multiway(table, total, base, least, allowance, found):
    """The test of one branch per value, if two values are heavy enough."""
    heavy, occupied = 0, 0
    for v in range(1, table.shape[0]):
        weight = table[v].sum()
        heavy += weight >= least
        occupied += weight > 0.5
    found[0] = NOTHING
    if heavy < 2 or occupied > allowance + 1:
        return
    each_value(table, total, base, least, found)
    found[0], found[1] = single(found[0]), single(found[1])


@kernel
def ordered_cut(table, total, base, least, allowance, groups, found):
    """The best cut between ordered values: branches are not applicable, low and high."""
    found[0] = NOTHING
    n_values, n_classes = table.shape[0] - 1, table.shape[1]
    unknown, beside = single(table[0].sum()), table[1].sum()
    known = single(total - unknown)
    if known <= 0.0 or (3 if beside > 0.5 else 2) > allowance + 1:
        return
    share = single(1.0 - unknown / total)
    base = known_base(table, unknown, known, base)
    low, high = table[2].copy(), np.zeros(n_classes)
    for v in range(3, n_values + 1):
        high += table[v]
    best, best_at, tries, apart = 0.0, -1, 0, total_information(table[1])
    best_low, best_high = 0.0, 0.0
    for v in range(3, n_values + 1):
        if table[v].sum() > 0.0 and low.sum() >= least and high.sum() >= least:
            tries += 1
            gain = share * (base - (apart + total_information(low) + total_information(high)) / known)
            if gain > best:
                best, best_at, best_low, best_high = gain, v, low.sum(), high.sum()
        low += table[v]
        high -= table[v]
    if best_at < 0:
        return
    if tries > 1:
        best -= lg(np.float64(tries)) / total
    if best <= 0.0:
        return
    found[0] = single(best)
    found[1] = single(total_information(np.array([unknown, beside, best_low, best_high])) / total)
    groups[1] = 1
    for v in range(2, n_values + 1):
        groups[v] = 2 if v < best_at else 3


@kernel
def partitions(n):
    """The Stirling numbers of the second kind of n, by how many parts there are; infinite where they overflow."""
    row = np.zeros(n + 1)
    row[0] = 1.0
    for i in range(1, n + 1):
        for j in range(i, 0, -1):
            too_many = row[j] > (_LARGEST - row[j - 1]) / j
            row[j] = np.inf if too_many else row[j - 1] + j * row[j]
        row[0] = 0.0
    return row


@partitions.in_numpy
def partitions_in_numpy(n):
    row = np.zeros(n + 1)
    row[0] = 1.0
    j = np.arange(1, n + 1, dtype=np.float64)
    for _ in range(n):
        too_many = row[1:] > (_LARGEST - row[:-1]) / j
        with np.errstate(over="ignore"):
            row[1:] = np.where(too_many, np.inf, row[:-1] + j * row[1:])
        row[0] = 0.0
    return row


@inlined
def lg_partitions(numbers, n, k, more):
    """lg of how many ways there are to divide n in k parts; ``more`` is added to the exponent where that overflows."""
    return (n - k + more) * lg(np.float64(k)) if numbers[k] == np.inf else lg(numbers[k])


class Groups(NamedTuple):
    """Groups of values. Their rows in the arrays stay where they are; ``row[:n]`` are those of the groups, in order.

    ``classes[r, :n_classes[r]]`` are the classes that a group has, in order: where there are many it has few of them.
    ``apart[r, s]``: what the information grows by if the groups of rows r and s are merged; ``least[r]``: the smallest
    of these with a later group.
    """

    row: np.ndarray  # int64
    weights: np.ndarray
    counts: np.ndarray  # (values, classes)
    classes: np.ndarray  # (values, classes) int64
    n_classes: np.ndarray  # int64
    information: np.ndarray
    apart: np.ndarray  # (values, values)
    least: np.ndarray


@kernel
def _no_groups(n, n_classes, n_compared):
    return Groups(
        np.arange(n), np.zeros(n), np.zeros((n, n_classes)), np.empty((n, n_classes), np.int64), np.zeros(n, np.int64),
        np.zeros(n_compared), np.empty((n_compared, n_compared)), np.empty(n_compared),
    )  # fmt: skip


@kernel
def _only_groups(made, n_groups):
    """The same without rows that are of no group, and with room to compare them: that grows with their square."""
    kept = _no_groups(n_groups, made.counts.shape[1], n_groups)
    for g in range(n_groups):
        r = made.row[g]
        kept.weights[g], kept.counts[g], kept.classes[g] = made.weights[r], made.counts[r], made.classes[r]
        kept.n_classes[g] = made.n_classes[r]
    return kept


@kernel
def _list_classes(made, r):
    n = 0
    for c in range(made.counts.shape[1]):
        if made.counts[r, c] != 0.0:
            made.classes[r, n] = c
            n += 1
    made.n_classes[r] = n


@kernel
def _merge(made, member, n_groups, one, other):
    """Group ``other`` joins ``one``; later groups move down."""
    r, gone = made.row[one], made.row[other]
    made.weights[r] += made.weights[gone]
    for at in range(made.n_classes[gone]):
        c = made.classes[gone, at]
        made.counts[r, c] += made.counts[gone, c]
    _list_classes(made, r)
    for g in range(other, n_groups - 1):
        made.row[g] = made.row[g + 1]
    for v in range(len(member)):
        if member[v] == other:
            member[v] = one
        elif member[v] > other:
            member[v] -= 1


@kernel
def _joint_information(made, r, s):
    """H of two groups together: T is the rounded sum of the groups' weights."""
    one, other = made.counts[r], made.counts[s]
    i, j, parts = 0, 0, 0.0
    end = made.counts.shape[1]
    while i < made.n_classes[r] or j < made.n_classes[s]:
        c = made.classes[r, i] if i < made.n_classes[r] else end
        d = made.classes[s, j] if j < made.n_classes[s] else end
        i, j, c = i + (c <= d), j + (d <= c), min(c, d)
        amount = single(single(one[c]) + single(other[c]))
        parts += amount * lg(amount)
    weight = single(made.weights[r] + made.weights[s])
    return weight * lg(weight) - parts


@kernel
def _differ(made, r, s):
    """Whether a class of the first group has another share in the second, by more than 0.001."""
    for at in range(made.n_classes[r]):
        c = made.classes[r, at]
        if abs(made.counts[r, c] / single(made.weights[r]) - made.counts[s, c] / single(made.weights[s])) > 0.001:
            return True
    return False


@kernel
def _merge_alike(first, n_groups, made, member):
    """Merge groups of equal class shares; returns how many are left."""
    i = first
    while i < n_groups:
        j = i + 1
        while j < n_groups:
            r, s = made.row[i], made.row[j]
            if _differ(made, r, s) or _differ(made, s, r):
                j += 1
            else:
                _merge(made, member, n_groups, i, j)
                n_groups -= 1
        i += 1
    return n_groups


@kernel
def _sizeable(made, n_groups, least):
    n = 0
    for g in range(n_groups):
        n += made.weights[made.row[g]] >= least
    return n


@kernel
def _information_of_groups(unknown, made, n_groups, total):
    amounts = np.empty(n_groups + 1)
    amounts[0] = unknown
    for g in range(n_groups):
        amounts[g + 1] = made.weights[made.row[g]]
    return total_information(amounts) / total


@kernel
def _compare(made, r, s):
    """Group r comes before group s."""
    made.apart[r, s] = _joint_information(made, r, s) - made.information[r] - made.information[s]
    made.apart[s, r] = made.apart[r, s]


@kernel
def _find_least(i, n_groups, made):
    r, least = made.row[i], np.inf
    for j in range(i + 1, n_groups):
        least = min(least, made.apart[r, made.row[j]])
    made.least[r] = least


@kernel
def _compare_all(first, n_groups, made):
    for g in range(n_groups):
        made.information[made.row[g]] = total_information(made.counts[made.row[g]])
    for i in range(first, n_groups):
        for j in range(i + 1, n_groups):
            _compare(made, made.row[i], made.row[j])
        _find_least(i, n_groups, made)


@kernel
def _compare_merged(first, n_groups, one, gone, made):
    """What has changed since the group of row ``gone`` joined group ``one``."""
    r = made.row[one]
    made.information[r] = total_information(made.counts[r])
    for i in range(first, n_groups):
        s = made.row[i]
        if i == one:
            continue
        before = made.apart[s, r]
        was_least = before == made.least[s] or made.apart[s, gone] == made.least[s]
        if i < one:
            _compare(made, s, r)
        else:
            _compare(made, r, s)
        if was_least:
            _find_least(i, n_groups, made)
        elif i < one:
            made.least[s] = min(made.least[s], made.apart[s, r])
    _find_least(one, n_groups, made)


@kernel
def _best_pair(first, n_groups, gain, per_bit, least, made):
    """The pair that loses least of the gain, and the gain that is left; -1 where none is left.

    ``least``: two groups that weigh so much are not merged where there are no others. A row of which not even the
    least loss leaves more than the best so far has no better pair: so few pairs are looked at.
    """
    two_left = _sizeable(made, n_groups, least) == 2
    best, one, other = -EPSILON, -1, -1
    for i in range(first, n_groups - 1):
        r = made.row[i]
        if not gain - per_bit * made.least[r] > best + EPSILON:
            continue
        for j in range(i + 1, n_groups):
            s = made.row[j]
            left = gain - per_bit * made.apart[r, s]
            if left > best + EPSILON and not (two_left and made.weights[r] >= least and made.weights[s] >= least):
                best, one, other = left, i, j
    return one, other, best


@kernel
def grouped(table, total, base, least, allowance, beside_exists, groups, found):
    """Values in groups: equal distributions are merged, then the pair that loses least gain, down to two groups.

    ``groups`` is given the branch of every value from 1 on, 0 where it has none. ``found`` is given gain, information
    and the number of branches.
    """
    n_values = table.shape[0] - 1
    own = np.zeros(n_values + 1)
    for v in range(n_values + 1):
        own[v] = table[v].sum()
    found[0] = NOTHING
    if not (own[1:] >= least).any():
        return
    each_value(table, total, base, least, found)
    if found[0] < 0.0 or found[1] <= 0.0:
        found[0] = NOTHING
        return
    gain, information, known, share, unknown = found[0], found[1], found[2], found[3], own[0]
    ratio = gain / information
    n_occurring = 0
    for v in range(1, n_values + 1):
        n_occurring += own[v] > EPSILON or (v == 1 and beside_exists)
    made = _no_groups(n_occurring, table.shape[1], 0)
    member, n_groups = np.full(n_values + 1, -1), 0
    first = 0  # the first group that may be merged
    for v in range(1, n_values + 1):
        if own[v] > EPSILON or (v == 1 and beside_exists):
            member[v] = n_groups
            made.weights[n_groups], made.counts[n_groups] = own[v], table[v]
            _list_classes(made, n_groups)
            n_groups += 1
            first += v == 1
    at_first = n_groups
    numbers = partitions(at_first)
    answer, answer_gain, answer_information = member.copy(), gain, information
    n_groups = _merge_alike(first, n_groups, made, member)
    if n_groups < at_first:
        information = _information_of_groups(unknown, made, n_groups, total)
        charge = lg_partitions(numbers, at_first, n_groups, 1)
        if n_groups >= 2 and _sizeable(made, n_groups, least - EPSILON) >= 2:
            merged_ratio = (gain - charge / total) / information
            if merged_ratio >= ratio:
                answer[:] = member
                answer_gain, answer_information, ratio = gain - charge / known, information, merged_ratio
    if n_groups > 2:
        made = _only_groups(made, n_groups)
        _compare_all(first, n_groups, made)
    while n_groups > 2:
        one, other, left = _best_pair(first, n_groups, gain, share / known, least - EPSILON, made)
        if one < 0:
            break
        gone = made.row[other]
        _merge(made, member, n_groups, one, other)
        n_groups -= 1
        _compare_merged(first, n_groups, one, gone, made)
        gain = left
        information = _information_of_groups(unknown, made, n_groups, total)
        charge = lg_partitions(numbers, at_first, n_groups, 0)
        if information > 0.0:
            merged_ratio = (gain - charge / total) / information
            if merged_ratio >= ratio:
                answer[:] = member
                answer_gain, answer_information, ratio = gain - charge / known, information, merged_ratio
    last = answer.max() + 1
    has_others = False
    for v in range(1, n_values + 1):
        groups[v] = answer[v] + 1
        if answer[v] < 0 and v > 1:
            groups[v], has_others = last + 1, True
    found[0], found[1] = single(answer_gain), single(answer_information)
    found[2] = last + 1 if has_others else last
    if found[2] > allowance + 1:
        found[0] = NOTHING
