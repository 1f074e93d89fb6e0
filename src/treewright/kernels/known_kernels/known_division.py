"""The cases of the open nodes go down their splits: where each goes, what the branches hold, and their cells' order."""

from typing import NamedTuple

import numpy as np

from treewright.kernels.jit import borrowing, inlined_borrowing, kernel
from treewright.kernels.known_kernels.known_cases import IN_FULL, KnownCases, KnownNodes, add_case

TO_EVERY, NOWHERE, UNDECIDED = -1, -2, -3  # in place of a branch


class Division(NamedTuple):
    """Splits of the open nodes. The branches of node f are ``[first[f]:first[f + 1]]`` of the last arrays."""

    side: np.ndarray  # (cases,) int32: a branch, or one of those above
    policy: np.ndarray  # (n,) int64: of the column that is tested
    first: np.ndarray  # (n + 1,) int64
    known: np.ndarray  # (branches,) int64: weight of the cases whose value is known
    settled: np.ndarray  # (branches,) int64: cases that go there and nowhere else
    rows: np.ndarray  # (branches,) int64: with those that take every branch
    stats: np.ndarray  # (branches, n_stats) int64
    known_stats: np.ndarray  # (branches, n_stats) int64
    wanted: np.ndarray  # (branches,) uint8: whether they may be split in turn


@kernel
def new_division(n_nodes, n_cases, n_stats):
    """Room for splits in three at most."""
    return Division(
        np.empty(n_cases, np.int32),
        np.empty(n_nodes, np.int64),
        np.zeros(n_nodes + 1, np.int64),
        np.zeros(3 * n_nodes, np.int64),
        np.zeros(3 * n_nodes, np.int64),
        np.zeros(3 * n_nodes, np.int64),
        np.zeros((3 * n_nodes, n_stats), np.int64),
        np.zeros((3 * n_nodes, n_stats), np.int64),
        np.zeros(3 * n_nodes, np.uint8),
    )


@borrowing
def heaviest_of(known, first, last):
    """The branch of most known weight, the first of equals, and whether another weighs as much."""
    most, torn = first, False
    for child in range(first + 1, last):
        if known[child] > known[most]:
            most, torn = child, False
        elif known[child] == known[most]:
            torn = True
    return most, torn


@borrowing
def part_of(amount, child, known, first, last, most, in_full):
    """What a branch gets of an amount that is shared out; what rounding leaves over goes to the heaviest."""
    if in_full:
        return amount
    whole = np.int64(0)
    for other in range(first, last):
        whole += known[other]
    if child != most:
        return np.int64(np.rint(amount * (known[child] / whole)))
    rest = amount
    for other in range(first, last):
        if other != most and known[other] > 0:
            rest -= np.int64(np.rint(amount * (known[other] / whole)))
    return rest


@inlined_borrowing
def add_to_branch(case, f, branch, cases, division):
    child = division.first[f] + branch
    division.side[case] = branch
    division.settled[child] += 1
    division.rows[child] += 1
    add_case(cases, case, division.stats[child])


@borrowing
def share_case(case, f, cases, division):
    """A case that takes every branch of node f which others take."""
    first, last = division.first[f], division.first[f + 1]
    most, _ = heaviest_of(division.known, first, last)
    division.side[case] = TO_EVERY
    for child in range(first, last):
        if division.known[child] <= 0:
            continue
        division.rows[child] += 1
        for a in range(cases.amount.shape[1]):
            part = part_of(
                cases.amount[case, a], child, division.known, first, last, most, division.policy[f] == IN_FULL
            )
            if cases.label.shape[0]:
                division.stats[child, cases.label[case]] += part
            else:
                division.stats[child, a] += part


@kernel
def next_level(cases, nodes, first_id, division, most_cases):
    """The cases and nodes of the next level: the branches that are wanted. First of all whether there are so many cases
    that this is to be given up."""
    n_nodes, n_columns = nodes.id.shape[0], cases.order.shape[0]
    n_open, n_cases = 0, 0
    for child in range(division.first[n_nodes]):
        if division.wanted[child]:
            n_open, n_cases = n_open + 1, n_cases + division.rows[child]
    fits = n_cases <= most_cases
    if not fits:
        n_open, n_cases = 0, 0
    ahead = KnownCases(
        np.empty(n_cases, np.int32),
        np.empty(n_cases if cases.label.shape[0] else 0, np.int32),
        np.empty((n_cases, cases.amount.shape[1]), np.int64),
        np.empty((n_columns, n_cases), np.int32),
    )
    opened = KnownNodes(
        np.empty(n_open, np.int64), np.zeros(n_open + 1, np.int64), np.empty((n_open, nodes.totals.shape[1]), np.int64)
    )
    if fits:
        begin = open_branches(nodes, first_id, division, opened)
        move_cases(cases, nodes, division, begin, ahead)
    return fits, ahead, opened


@kernel
def open_branches(nodes, first_id, division, opened):
    """Fill in the nodes of the wanted branches; returns where the cases of each branch begin, -1: not wanted."""
    begin = np.empty(division.wanted.shape[0], np.int64)
    n, place = 0, 0
    for child in range(division.first[nodes.id.shape[0]]):
        if not division.wanted[child]:
            begin[child] = -1
            continue
        begin[child], opened.id[n] = place, first_id + child
        place += division.rows[child]
        for s in range(opened.totals.shape[1]):
            opened.totals[n, s] = division.stats[child, s]
        n += 1
        opened.start[n] = place
    return begin


@kernel
def move_cases(cases, nodes, division, begin, ahead):
    """Copy the cases of the wanted branches: those that go one way, and then those that take every branch; then the
    order of every column."""
    moved, at = np.empty(cases.row.shape[0], np.int32), np.empty(3, np.int64)
    for f in range(nodes.id.shape[0]):
        first, last = division.first[f], division.first[f + 1]
        if first == last:
            continue
        shared = 0
        for b in range(last - first):
            at[b] = 0
        for case in range(nodes.start[f], nodes.start[f + 1]):
            side = division.side[case]
            if side >= 0:
                child = first + side
                if begin[child] >= 0:
                    moved[case] = begin[child] + at[side]
                    at[side] += 1
                    copy_case(cases, case, ahead, moved[case])
            elif side == TO_EVERY:
                copy_parts(cases, case, f, division, begin, shared, ahead)
                moved[case] = shared
                shared += 1
        for column in range(cases.order.shape[0]):
            for b in range(last - first):
                at[b] = begin[first + b]
            keep_order(cases.order[column], nodes.start[f], nodes.start[f + 1], f, moved, division, begin, at,
                       ahead.order[column])  # fmt: skip


@inlined_borrowing
def copy_case(cases, case, ahead, place):
    ahead.row[place] = cases.row[case]
    if cases.label.shape[0]:
        ahead.label[place] = cases.label[case]
    for a in range(cases.amount.shape[1]):
        ahead.amount[place, a] = cases.amount[case, a]


@borrowing
def copy_parts(cases, case, f, division, begin, shared, ahead):
    first, last = division.first[f], division.first[f + 1]
    most, _ = heaviest_of(division.known, first, last)
    for child in range(first, last):
        if begin[child] < 0 or division.known[child] <= 0:
            continue
        place = begin[child] + division.settled[child] + shared
        copy_case(cases, case, ahead, place)
        for a in range(cases.amount.shape[1]):
            ahead.amount[place, a] = part_of(
                cases.amount[case, a], child, division.known, first, last, most, division.policy[f] == IN_FULL
            )


@borrowing
def keep_order(order, start, stop, f, moved, division, begin, at, ahead):
    """The cases of every branch in the order that they had at the node."""
    first, last = division.first[f], division.first[f + 1]
    for i in range(start, stop):
        case = order[i]
        side = division.side[case]
        if side >= 0:
            if begin[first + side] >= 0:
                ahead[at[side]] = moved[case]
                at[side] += 1
        elif side == TO_EVERY:
            for child in range(first, last):
                if begin[child] >= 0 and division.known[child] > 0:
                    ahead[at[child - first]] = begin[child] + division.settled[child] + moved[case]
                    at[child - first] += 1
