"""C5.0's tests of nominal and ordered columns, from a table of value × class.

Row 0 of the table is of unknown values, row 1 of those that are not applicable, the declared values follow.
"""

from functools import cache
from typing import NamedTuple

import numpy as np

from treewright.kernels.c50_kernels.c50_information import EPSILON, lg, single, total_information
from treewright.kernels.jit import borrowing, inlined, kernel

NOTHING = -1.0
_MOST_IN_TABLE = 150  # values of a column, up to which Stirling numbers are kept
_LARGEST = 1.797e308  # of 64-bit numbers


@kernel
def row_sums(table):
    """The weight of every value."""
    own = np.zeros(table.shape[0])
    for v in range(table.shape[0]):
        for c in range(table.shape[1]):
            own[v] += table[v, c]
    return own


@row_sums.in_numpy
def row_sums_in_numpy(table):
    return np.cumsum(table, axis=1)[:, -1]


@inlined
def row_information(table, row):
    """``total_information`` of a row."""
    total, parts = 0.0, 0.0
    for c in range(table.shape[1]):
        amount = single(table[row, c])
        parts += amount * lg(amount)
        total += amount
    return total * lg(total) - parts


@kernel
def each_value(table, own, total, base, informations, found):
    """A branch per value. ``found`` is given gain and information in 64 bits, known weight, known share.

    ``own`` are the weights of values; ``informations`` is given H of those that have some.
    """
    found[0] = NOTHING
    unknown = single(own[0])
    known = single(total - unknown)
    if known <= 0.0:
        return
    share = single(1.0 - unknown / total)
    base = known_base(table, unknown, known, base)
    parts = 0.0
    for v in range(1, table.shape[0]):
        if own[v] > 0.0:
            informations[v] = row_information(table, v)
            parts += informations[v]
    found[0] = max(0.0, share * (base - parts / known))
    found[1] = total_information(own) / total
    found[2], found[3] = known, share


@kernel
def known_base(table, unknown, known, base):
    """Information of the cases whose value is known, a case; class sums are added in 32 bits."""
    if unknown == 0.0:
        return base
    total, parts = 0.0, 0.0
    for c in range(table.shape[1]):
        amount = 0.0
        for v in range(1, table.shape[0]):
            amount = single(amount + table[v, c])
        parts += amount * lg(amount)
        total += amount
    return (total * lg(total) - parts) / known


@kernel
def multiway(table, total, base, least, allowance, found):
    """The test of one branch per value, if two values are heavy enough."""
    own, heavy, occupied = row_sums(table), 0, 0
    for v in range(1, len(own)):
        heavy += own[v] >= least
        occupied += own[v] > 0.5
    found[0] = NOTHING
    if heavy < 2 or occupied > allowance + 1:
        return
    each_value(table, own, total, base, np.zeros(len(own)), found)
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


class Groups(NamedTuple):
    """Groups of values. A group keeps its number, and one that joins another is gone: numbers stay in order."""

    counts: np.ndarray  # (groups, classes)
    weights: np.ndarray
    information: np.ndarray  # H of the classes of each
    terms: np.ndarray  # w·lg w of its weight
    alive: np.ndarray  # int64: the groups that are left, in order
    member: np.ndarray  # (values + 1,) int64: the group of each value, -1: none
    lost: np.ndarray  # (groups, groups) information that a pair would lose by merging
    least_lost: np.ndarray  # the least of each row


@kernel
def grouped(table, total, base, least, allowance, beside_exists, partitions, groups, found):
    """Values in groups: equal distributions are merged, then the pair that loses least gain, down to two groups.

    ``partitions`` are the Stirling numbers of ``all_partitions``. ``groups`` is given the branch of every value from 1
    on, 0 where it has none. ``found`` is given gain, information and the number of branches.
    """
    own, informations = row_sums(table), np.zeros(table.shape[0])
    found[0] = NOTHING
    if not (own[1:] >= least).any():
        return
    each_value(table, own, total, base, informations, found)
    if found[0] < 0.0 or found[1] <= 0.0:
        found[0] = NOTHING
        return
    gain, information, known, share = found[0], found[1], found[2], found[3]
    ratio = gain / information
    made, n_groups, first = first_groups(table, own, informations, beside_exists)
    at_first, charges = n_groups, partitions_of(partitions, n_groups)
    answer, answer_gain, answer_information = made.member.copy(), gain, information
    n_groups = merge_alike(made, first, n_groups)
    if n_groups < at_first:
        information = information_of_groups(made, own[0], n_groups, total)
        charge = charge_of(charges, at_first, n_groups, 1)
        if n_groups >= 2 and n_sizeable(made, n_groups, least - EPSILON) >= 2:
            merged_ratio = (gain - charge / total) / information
            if merged_ratio >= ratio:
                answer[:] = made.member
                answer_gain, answer_information, ratio = gain - charge / known, information, merged_ratio
    compare_pairs(made, first, n_groups)
    while n_groups > 2:
        gain, one, other = best_pair(made, first, n_groups, least, gain, share / known)
        if one < 0:
            break
        gone = made.alive[other]
        merge(made, n_groups, one, other)
        n_groups -= 1
        compare_again(made, first, n_groups, one, other, gone)
        information = information_of_groups(made, own[0], n_groups, total)
        charge = charge_of(charges, at_first, n_groups, 0)
        if information > 0.0:
            merged_ratio = (gain - charge / total) / information
            if merged_ratio >= ratio:
                answer[:] = made.member
                answer_gain, answer_information, ratio = gain - charge / known, information, merged_ratio
    found[0], found[1], found[2] = single(answer_gain), single(answer_information), number_groups(answer, groups)
    if found[2] > allowance + 1:
        found[0] = NOTHING


@kernel
def first_groups(table, own, informations, beside_exists):
    """A group for every value that has cases; returns them, how many there are, and the first that may be merged."""
    n_values, n_classes = table.shape[0] - 1, table.shape[1]
    n, first = 0, 0
    member, alive = np.full(n_values + 1, -1), np.empty(n_values, np.int64)
    for v in range(1, n_values + 1):
        if own[v] > EPSILON or (v == 1 and beside_exists):
            member[v], alive[n] = n, v
            n += 1
            first += v == 1
    counts, numbers, lost = np.empty((n, n_classes)), np.empty((4, n)), np.empty((n, n))
    for g in range(n):
        v = alive[g]
        alive[g], numbers[0, g], numbers[1, g] = g, own[v], informations[v]
        numbers[2, g] = single(own[v]) * lg(single(own[v]))
        for c in range(n_classes):
            counts[g, c] = table[v, c]
    return Groups(counts, numbers[0], numbers[1], numbers[2], alive, member, lost, numbers[3]), n, first


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


@inlined
def _alike(made, one, other):
    """Whether the class shares of two groups differ by no more than 0.001."""
    for c in range(made.counts.shape[1]):
        own = made.counts[one, c] / single(made.weights[one])
        if abs(own - made.counts[other, c] / single(made.weights[other])) > 0.001:
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
    for v in range(len(made.member)):
        if made.member[v] == other:
            made.member[v] = one
    made.information[one] = row_information(made.counts, one)
    weight = single(made.weights[one])
    made.terms[one] = weight * lg(weight)


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


@inlined
def _lost(made, one, other):
    """Information that two groups lose by merging. H of both: T is the rounded sum of the groups' weights."""
    parts = 0.0
    for c in range(made.counts.shape[1]):
        amount = single(single(made.counts[one, c]) + single(made.counts[other, c]))
        parts += amount * lg(amount)
    weight = single(made.weights[one] + made.weights[other])
    return weight * lg(weight) - parts - made.information[one] - made.information[other]


@borrowing
def compare_pairs(made, first, n_groups):
    """What every pair would lose by merging."""
    for i in range(first, n_groups):
        one = made.alive[i]
        made.least_lost[one] = np.inf
        for j in range(i + 1, n_groups):
            other = made.alive[j]
            made.lost[one, other] = _lost(made, one, other)
            made.least_lost[one] = min(made.least_lost[one], made.lost[one, other])


@borrowing
def compare_again(made, first, n_groups, place, gone_place, gone):
    """The same when group ``gone`` of ``gone_place`` has been merged into the one at ``place``."""
    merged = made.alive[place]
    for i in range(first, n_groups):
        one = made.alive[i]
        if i < place:
            least, before = made.least_lost[one], made.lost[one, merged]
            made.lost[one, merged] = _lost(made, one, merged)
            if least == before or least == made.lost[one, gone]:
                _find_least(made, i, n_groups)
            else:
                made.least_lost[one] = min(least, made.lost[one, merged])
        elif i > place:
            made.lost[merged, one] = _lost(made, merged, one)
            if i < gone_place and made.least_lost[one] == made.lost[one, gone]:
                _find_least(made, i, n_groups)
    _find_least(made, place, n_groups)


@borrowing
def _find_least(made, i, n_groups):
    one, least = made.alive[i], np.inf
    for j in range(i + 1, n_groups):
        least = min(least, made.lost[one, made.alive[j]])
    made.least_lost[one] = least


@borrowing
def best_pair(made, first, n_groups, least, gain, factor):
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
            left = gain - factor * made.lost[one, other]
            if left > best + EPSILON:
                best, place, other_place = left, i, j
    return best, place, other_place


@kernel
def number_groups(answer, groups):
    """Number the groups of an answer from 1 on, values without a group being one more; returns how many there are."""
    n, has_others, number = 0, False, np.zeros(len(answer), np.int64)
    for v in range(1, len(answer)):
        group = answer[v]
        if group >= 0 and number[group] == 0:
            n += 1
            number[group] = n
        groups[v] = 0 if group < 0 else number[group]
    for v in range(2, len(answer)):
        if answer[v] < 0:
            groups[v], has_others = n + 1, True
    return n + 1 if has_others else n


@kernel
def partitions_of(partitions, n):
    """The row of ``n`` values, computed where there are too many for the table."""
    return partitions[n] if n < len(partitions) else lg_partitions(n)


@cache
def all_partitions(most):
    """``lg_partitions`` of up to ``most`` values, but of no more than some hundred."""
    most = min(most, _MOST_IN_TABLE)
    table = np.zeros((most + 1, most + 1))
    for n in range(most + 1):
        table[n, : n + 1] = lg_partitions.plain(n)
    return table


@borrowing
def charge_of(partitions, n, k, more):
    """Bits that tell one of the partitions into ``k`` groups; ``more`` is added where there are too many to count."""
    return (n - k + more) * lg(np.float64(k)) if partitions[k] == np.inf else partitions[k]
