"""C5.0's tests of nominal and ordered columns, from a table of value × class.

Row 0 of the table is of unknown values, row 1 of those that are not applicable, the declared values follow.
"""

import numpy as np

from treewright.kernels.c50_kernels.c50_information import EPSILON, lg, single, total_information
from treewright.kernels.jit import kernel

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
def lg_partitions(n):
    """lg of the Stirling numbers S(n, 0), S(n, 1) … of the second kind; infinite where one overflows."""
    row = np.zeros(n + 1)
    row[0] = 1.0
    for i in range(1, n + 1):
        for j in range(i, 0, -1):
            too_many = row[j] > (_LARGEST - row[j - 1]) / j
            row[j] = np.inf if too_many else row[j - 1] + j * row[j]
        row[0] = 0.0
    for k in range(n + 1):
        row[k] = lg(row[k])
    return row


@lg_partitions.in_numpy
def lg_partitions_in_numpy(n):
    row = np.zeros(n + 1)
    row[0] = 1.0
    j = np.arange(1, n + 1, dtype=np.float64)
    for _ in range(n):
        too_many = row[1:] > (_LARGEST - row[:-1]) / j
        with np.errstate(over="ignore"):
            row[1:] = np.where(too_many, np.inf, row[:-1] + j * row[1:])
        row[0] = 0.0
    return np.array([lg.plain(number) for number in row.tolist()])


@kernel
def charge_of(partitions, k, more):
    """Bits that tell one of the partitions into ``k`` groups; ``more`` is added where there are too many to count."""
    n = len(partitions) - 1
    return (n - k + more) * lg(np.float64(k)) if partitions[k] == np.inf else partitions[k]


@kernel
def _merge(weights, counts, member, n_groups, one, other):
    """Group ``other`` joins ``one``; later groups move down."""
    weights[one] += weights[other]
    counts[one] += counts[other]
    for g in range(other, n_groups - 1):
        weights[g] = weights[g + 1]
        counts[g] = counts[g + 1]
    for v in range(len(member)):
        if member[v] == other:
            member[v] = one
        elif member[v] > other:
            member[v] -= 1


@kernel
def _joint_information(one, other, weight):
    """H of two groups together: T is the rounded sum of the groups' weights."""
    parts = 0.0
    for c in range(len(one)):
        amount = single(single(one[c]) + single(other[c]))
        parts += amount * lg(amount)
    weight = single(weight)
    return weight * lg(weight) - parts


@kernel
def _alike(one, weight, other, other_weight):
    """Whether the class shares of two groups differ by no more than 0.001."""
    for c in range(len(one)):
        if abs(one[c] / single(weight) - other[c] / single(other_weight)) > 0.001:
            return False
    return True


@kernel
def _sizeable(weights, n_groups, least):
    n = 0
    for g in range(n_groups):
        n += weights[g] >= least
    return n


@kernel
def _information_of_groups(unknown, weights, n_groups, total):
    amounts = np.empty(n_groups + 1)
    amounts[0] = unknown
    amounts[1:] = weights[:n_groups]
    return total_information(amounts) / total


@kernel
def _lost(counts, weights, information, i, j):
    """Information that two groups lose by merging."""
    joint = _joint_information(counts[i], counts[j], weights[i] + weights[j])
    return joint - information[i] - information[j]


@kernel
def _best_pair(lost, weights, first, n_groups, least, gain, factor):
    """The gain that is left after the best merge, and the two groups; -1, -1: there is none."""
    two_left = _sizeable(weights, n_groups, least - EPSILON) == 2
    best, one, other = -EPSILON, -1, -1
    for i in range(first, n_groups):
        for j in range(i + 1, n_groups):
            if two_left and weights[i] >= least - EPSILON and weights[j] >= least - EPSILON:
                continue
            left = gain - factor * lost[i, j]
            if left > best + EPSILON:
                best, one, other = left, i, j
    return best, one, other


@kernel
def _move_pairs(lost, gone, n_groups):
    """A group has gone, and those behind it moved down by one."""
    for i in range(n_groups):
        for j in range(max(i + 1, gone), n_groups):
            lost[i, j] = lost[i + (i >= gone), j + 1]


@kernel
def grouped(table, total, base, least, allowance, beside_exists, groups, found):
    """Values in groups: equal distributions are merged, then the pair that loses least gain, down to two groups.

    ``groups`` is given the branch of every value from 1 on, 0 where it has none. ``found`` is given gain, information
    and the number of branches.
    """
    n_values, n_classes = table.shape[0] - 1, table.shape[1]
    own = np.zeros(n_values + 1)
    for v in range(n_values + 1):
        own[v] = table[v].sum()
    if _sizeable(own[1:], n_values, least) == 0:
        found[0] = NOTHING
        return
    each_value(table, total, base, least, found)
    if found[0] < 0.0 or found[1] <= 0.0:
        found[0] = NOTHING
        return
    gain, information, known, share, unknown = found[0], found[1], found[2], found[3], own[0]
    ratio = gain / information
    member, n_groups = np.full(n_values + 1, -1), 0
    weights, counts = np.zeros(n_values), np.zeros((n_values, n_classes))
    first = 0  # the first group that may be merged
    for v in range(1, n_values + 1):
        if own[v] > EPSILON or (v == 1 and beside_exists):
            member[v] = n_groups
            weights[n_groups], counts[n_groups] = own[v], table[v]
            n_groups += 1
            first += v == 1
    at_first = n_groups
    answer, answer_gain, answer_information = member.copy(), gain, information
    i = first
    while i < n_groups:
        j = i + 1
        while j < n_groups:
            if _alike(counts[i], weights[i], counts[j], weights[j]):
                _merge(weights, counts, member, n_groups, i, j)
                n_groups -= 1
            else:
                j += 1
        i += 1
    partitions = lg_partitions(at_first)
    if n_groups < at_first:
        information = _information_of_groups(unknown, weights, n_groups, total)
        charge = charge_of(partitions, n_groups, 1)
        if n_groups >= 2 and _sizeable(weights, n_groups, least - EPSILON) >= 2:
            merged_ratio = (gain - charge / total) / information
            if merged_ratio >= ratio:
                answer[:] = member
                answer_gain, answer_information, ratio = gain - charge / known, information, merged_ratio
    single_information = np.zeros(n_values)
    for g in range(n_groups):
        single_information[g] = total_information(counts[g])
    lost = np.empty((n_groups, n_groups))  # information that each pair would lose by merging
    for i in range(first, n_groups):
        for j in range(i + 1, n_groups):
            lost[i, j] = _lost(counts, weights, single_information, i, j)
    while n_groups > 2:
        gain, one, other = _best_pair(lost, weights, first, n_groups, least, gain, share / known)
        if one < 0:
            break
        _merge(weights, counts, member, n_groups, one, other)
        n_groups -= 1
        for g in range(other, n_groups):
            single_information[g] = single_information[g + 1]
        single_information[one] = total_information(counts[one])
        _move_pairs(lost, other, n_groups)
        for g in range(first, n_groups):
            if g != one:
                i, j = min(g, one), max(g, one)
                lost[i, j] = _lost(counts, weights, single_information, i, j)
        information = _information_of_groups(unknown, weights, n_groups, total)
        charge = charge_of(partitions, n_groups, 0)
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
