"""C5.0's tests of nominal and ordered columns, from a table of value × class.

Row 0 of the table is of unknown values, row 1 of those that are not applicable, the declared values follow.
"""

from typing import NamedTuple

import numpy as np

from treewright.kernels.c50_kernels.c50_information import EPSILON, lg, single, total_information
from treewright.kernels.c50_kernels.c50_mergers import (
    Groups,
    best_pair,
    compare_again,
    compare_pairs,
    information_of_groups,
    merge,
    merge_alike,
    n_sizeable,
    row_information,
    set_shares_of,
)
from treewright.kernels.c50_kernels.c50_numbers import sum_of
from treewright.kernels.c50_kernels.c50_partitions import charge_of, fill_lg_partitions
from treewright.kernels.jit import borrowing, hot_loop, inlined_borrowing

NOTHING = -1.0


class GroupRoom(NamedTuple):
    """What is needed to group the values of a column. Its arrays are as long as a column has values, and one more."""

    own: np.ndarray  # weights of values
    informations: np.ndarray  # H of the classes of each
    terms: np.ndarray  # w·lg w of the weight of each, rounded to 32 bits
    numbers: np.ndarray  # int64: of groups, as they are numbered in the end
    answer: np.ndarray  # int64: ``member`` of the best groups so far
    charges: np.ndarray  # of partitions into so many groups, where there are more values than in the table of them
    sides: np.ndarray  # (2, classes): below a cut of ordered values and above it
    made: Groups


@inlined_borrowing
def sum_rows(table, own):
    """The weight of every value."""
    for v in range(table.shape[0]):
        own[v] = 0.0
        for c in range(table.shape[1]):
            own[v] += table[v, c]


@sum_rows.in_numpy
def sum_rows_in_numpy(table, own):
    own[: len(table)] = np.cumsum(table, axis=1)[:, -1]


@inlined_borrowing
def each_value(table, total, base, room, found):
    """A branch per value. ``found`` is given gain and information in 64 bits, known weight, known share.

    The room has the weights of values, and is given H of those that have some, and the terms of all.
    """
    own, informations, terms = room.own, room.informations, room.terms
    found[0] = NOTHING
    unknown = single(own[0])
    known = single(total - unknown)
    if known <= 0.0:
        return
    share = single(1.0 - unknown / total)
    base = known_base(table, unknown, known, base)
    parts, weight_parts, weight = 0.0, 0.0, 0.0
    for v in range(table.shape[0]):
        amount = single(own[v])
        terms[v] = amount * lg(amount)
        weight_parts += terms[v]
        weight += amount
        if v > 0 and own[v] > 0.0:
            informations[v] = row_information(table, v)
            parts += informations[v]
    found[0] = max(0.0, share * (base - parts / known))
    found[1] = (weight * lg(weight) - weight_parts) / total
    found[2], found[3] = known, share


@inlined_borrowing
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


@borrowing
def multiway(table, total, base, least, allowance, room, found):
    """The test of one branch per value, if two values are heavy enough."""
    own, heavy, occupied = room.own[: len(table)], 0, 0
    sum_rows(table, own)
    for v in range(1, len(own)):
        heavy += own[v] >= least
        occupied += own[v] > 0.5
    found[0] = NOTHING
    if heavy < 2 or occupied > allowance + 1:
        return
    each_value(table, total, base, room, found)
    found[0], found[1] = single(found[0]), single(found[1])


@borrowing
def ordered_cut(table, total, base, least, allowance, room, groups, found):
    """The best cut between ordered values: branches are not applicable, low and high."""
    found[0] = NOTHING
    n_values, amounts, low, high = table.shape[0] - 1, room.own, room.sides[0], room.sides[1]
    amounts[0], amounts[1] = single(sum_of(table[0])), sum_of(table[1])
    known = single(total - amounts[0])
    if known <= 0.0 or (3 if amounts[1] > 0.5 else 2) > allowance + 1:
        return
    share = single(1.0 - amounts[0] / total)
    base = known_base(table, amounts[0], known, base)
    low[:] = 0.0
    high[:] = 0.0
    move(table[2], 1.0, low)
    for v in range(3, n_values + 1):
        move(table[v], 1.0, high)
    best, best_at, tries, apart = 0.0, -1, 0, total_information(table[1])
    for v in range(3, n_values + 1):
        if sum_of(table[v]) > 0.0 and sum_of(low) >= least and sum_of(high) >= least:
            tries += 1
            gain = share * (base - (apart + total_information(low) + total_information(high)) / known)
            if gain > best:
                best, best_at, amounts[2], amounts[3] = gain, v, sum_of(low), sum_of(high)
        move(table[v], 1.0, low)
        move(table[v], -1.0, high)
    if best_at < 0:
        return
    if tries > 1:
        best -= lg(np.float64(tries)) / total
    if best <= 0.0:
        return
    found[0] = single(best)
    found[1] = single(total_information(amounts[:4]) / total)
    groups[1] = 1
    for v in range(2, n_values + 1):
        groups[v] = 2 if v < best_at else 3


@inlined_borrowing
def move(row, sign, side):
    """Add a row of the table to a side, or take it away."""
    for c in range(len(row)):
        side[c] += sign * row[c]


@borrowing
def grouped(table, total, base, least, allowance, beside_exists, partitions, room, groups, found):
    """Values in groups: equal distributions are merged, then the pair that loses least gain, down to two groups.

    ``partitions`` are the Stirling numbers of ``all_partitions``. ``groups`` is given the branch of every value from 1
    on, 0 where it has none. ``found`` is given gain, information and the number of branches.
    """
    n_groups = start_groups(table, total, base, least, beside_exists, room, found)
    if n_groups == 0:
        found[0] = NOTHING
        return
    if n_groups < len(partitions):
        charges = partitions[n_groups]
    else:
        charges = room.charges
        fill_lg_partitions(n_groups, charges)
    merge_groups(n_groups, total, least, charges, room, found)
    found[2] = number_groups(room.answer[: len(table)], room.numbers, groups)
    if found[2] > allowance + 1:
        found[0] = NOTHING


@inlined_borrowing
def start_groups(table, total, base, least, beside_exists, room, found):
    """A group for every value that has cases; returns how many there are, 0: the column gains nothing."""
    own, any_heavy = room.own[: len(table)], False
    sum_rows(table, own)
    for v in range(1, len(own)):
        any_heavy |= own[v] >= least
    if not any_heavy:
        return 0
    each_value(table, total, base, room, found)
    if found[0] < 0.0 or found[1] <= 0.0:
        return 0
    return first_groups(table, beside_exists, room)


@hot_loop(1.2)
@inlined_borrowing
def merge_groups(n_groups, total, least, charges, room, found):
    """Merge groups down to two, and leave the best of all stages in ``room.answer`` and ``found``."""
    gain, information, known, share = found[0], found[1], found[2], found[3]
    ratio, made, at_first = gain / information, room.made, n_groups
    unknown, first = room.own[0], 1 if made.member[1] == 0 else 0
    copy_members(made, room.answer)
    answer_gain, answer_information = gain, information
    n_groups = merge_alike(made, first, n_groups)
    if n_groups < at_first:
        information = information_of_groups(made, unknown, n_groups, total)
        charge = charge_of(charges, at_first, n_groups, 1)
        if n_groups >= 2 and n_sizeable(made, n_groups, least - EPSILON) >= 2:
            merged_ratio = (gain - charge / total) / information
            if merged_ratio >= ratio:
                copy_members(made, room.answer)
                answer_gain, answer_information, ratio = gain - charge / known, information, merged_ratio
    compare_pairs(made, first, n_groups)
    while n_groups > 2:
        gain, one, other = best_pair(made, first, n_groups, least, gain, share / known)
        if one < 0:
            break
        merge(made, n_groups, one, other)
        n_groups -= 1
        compare_again(made, first, n_groups, one)
        information = information_of_groups(made, unknown, n_groups, total)
        charge = charge_of(charges, at_first, n_groups, 0)
        if information > 0.0:
            merged_ratio = (gain - charge / total) / information
            if merged_ratio >= ratio:
                copy_members(made, room.answer)
                answer_gain, answer_information, ratio = gain - charge / known, information, merged_ratio
    found[0], found[1] = single(answer_gain), single(answer_information)


@inlined_borrowing
def copy_members(made, answer):
    for v in range(made.size[0]):
        answer[v] = made.member[v]


@inlined_borrowing
def first_groups(table, beside_exists, room):
    """A group for every value that has cases; returns how many there are."""
    made, own, n = room.made, room.own, 0
    made.size[0] = len(table)
    made.member[0] = -1
    for v in range(1, len(table)):
        made.member[v] = -1
        if own[v] > EPSILON or (v == 1 and beside_exists):
            made.member[v], made.alive[n] = n, n
            made.weights[n], made.information[n], made.terms[n] = own[v], room.informations[v], room.terms[v]
            for c in range(table.shape[1]):
                made.counts[n, c] = table[v, c]
            set_shares_of(made, n)
            n += 1
    return n


@inlined_borrowing
def number_groups(answer, number, groups):
    """Number the groups of an answer from 1 on, values without a group being one more; returns how many there are."""
    n, has_others = 0, False
    for v in range(len(answer)):
        number[v] = 0
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
