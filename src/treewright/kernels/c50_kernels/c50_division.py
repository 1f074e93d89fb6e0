"""Cases of a node divided among the branches of its test, as C5.0 moves them.

The cases of a node are neighbours in ``cases``. Those whose value is unknown stand first; then branch after branch is
brought to the front of what is left. Weights of unknown cases are multiplied in place, in 32 bits, by the share of the
branch, and divided back afterwards: they may drift by a unit in the last place.

What a case weighs stands beside its class, as both are asked for together: ``weighed`` is (cases, 2) float32. Whether a
value is unknown is also kept in bits, eight cases in a byte, which are near at hand when values are not.
"""

from typing import NamedTuple

import numpy as np

from treewright.kernels.c50_kernels.c50_information import single
from treewright.kernels.jit import borrowing, inlined_borrowing

UNKNOWN = 0  # the branch of unknown values; NOWHERE: of values that no branch takes
NOWHERE = -1
EMPTY = 0.05  # a branch of less weight holds nothing
LIGHT = 0.1  # unknown cases that weigh less may be left out of growing
ONE_CLASS = 0.999
AMOUNT, CLASS = range(2)  # of ``weighed``


@inlined_borrowing
def branch_of(value, cut, groups):
    """The branch of a value, from 1 on. Tests of numbers have no groups: not applicable, up to the cut, above it."""
    if np.isnan(value):
        return UNKNOWN
    if len(groups):
        return groups[np.int64(value)]
    if value == -np.inf:
        return 1
    return 2 if value <= cut else 3


@borrowing
def begin_division(
    column, cut, groups, cases, branches, first, last, weighed, factors, has_factors, count, own, real, sizes
):
    """Unknown cases brought to the front of [first:last]; returns where the others begin.

    ``branches`` is given the branch of the case at each place. The weights of unknown cases and of each branch are left
    in ``own``, without class multipliers in ``real``, and how many cases they are in ``sizes``. ``count``: every case
    is one, whatever it weighs.
    """
    for b in range(len(own)):
        own[b], real[b], sizes[b] = 0.0, 0.0, 0.0
    find_branches(column, cut, groups, cases, branches, first, last)
    if len(groups) or has_factors:
        sum_branches(cases, branches, first, last, weighed, factors, has_factors, count, own, real, sizes)
    else:
        sum_sides(cases, branches, first, last, weighed, count, own, sizes)
    if not has_factors:
        for b in range(len(own)):
            real[b] = own[b]
    begin = first
    for i in range(first, last if sizes[UNKNOWN] > 0.0 else first):
        if branches[i] == UNKNOWN:
            _swap(cases, branches, i, begin)
            begin += 1
    return begin


@borrowing
def sum_branches(cases, branches, first, last, weighed, factors, has_factors, count, own, real, sizes):
    """Weights and sizes of the branches."""
    for i in range(first, last):
        branch = branches[i]
        if branch >= 0:
            weight = 1.0 if count else np.float64(weighed[cases[i], AMOUNT])
            own[branch] += weight
            sizes[branch] += 1.0
            if has_factors:
                real[branch] += weight / factors[np.int64(weighed[cases[i], CLASS])]


@borrowing
def sum_sides(cases, branches, first, last, weighed, count, own, sizes):
    """The same of a test of numbers, without a way through memory between two cases. To add 0 changes nothing."""
    low, high, n_low, n_high = 0.0, 0.0, 0, 0
    for i in range(first, last):
        branch = branches[i]
        weight = 1.0 if count else np.float64(weighed[cases[i], AMOUNT])
        low += weight if branch == 2 else 0.0
        high += weight if branch == 3 else 0.0
        n_low += branch == 2
        n_high += branch == 3
        if branch < 2:
            own[branch] += weight
            sizes[branch] += 1.0
    own[2], own[3], sizes[2], sizes[3] = low, high, np.float64(n_low), np.float64(n_high)


@borrowing
def find_branches(column, cut, groups, cases, branches, first, last):
    """``branch_of`` the cases of [first:last], in a loop so short that many values are fetched at a time."""
    if len(groups):
        for i in range(first, last):
            value = column[cases[i]]
            branches[i] = UNKNOWN if np.isnan(value) else groups[np.int64(value)]
        return
    for i in range(first, last):
        value = column[cases[i]]
        branch = 2 if value <= cut else 3
        branch = 1 if value == -np.inf else branch
        branches[i] = UNKNOWN if np.isnan(value) else branch


@inlined_borrowing
def _swap(cases, branches, i, k):
    cases[i], cases[k] = cases[k], cases[i]
    branches[i], branches[k] = branches[k], branches[i]


@begin_division.in_numpy
def begin_division_in_numpy(
    column, cut, groups, cases, branches, first, last, weighed, factors, has_factors, count, own, real, sizes
):
    here = cases[first:last]
    of = _branches_of(column[here], cut, groups)
    branches[first:last] = of
    has_branch = of >= 0
    found, of = here[has_branch], of[has_branch]
    amounts = np.ones(len(found)) if count else weighed[found, AMOUNT]
    labels = weighed[found, CLASS].astype(np.int64)
    own[:] = np.bincount(of, amounts, minlength=len(own))
    sizes[:] = np.bincount(of, minlength=len(own))
    real[:] = np.bincount(of, amounts / factors[labels], minlength=len(own)) if has_factors else own
    return first + _bring_in_numpy(UNKNOWN, here, branches[first:last])


def _bring_in_numpy(branch, cases, branches):
    """Bring the cases of a branch to the front, each changing places with the first that is not yet placed."""
    found = np.flatnonzero(branches == branch).tolist()
    if found and found[-1] >= len(found):
        order = list(range(len(cases)))
        for end, i in enumerate(found):
            order[i], order[end] = order[end], order[i]
        cases[:], branches[:] = cases[order], branches[order]
    return len(found)


def _branches_of(values, cut, groups):
    """``branch_of`` many values."""
    if len(groups):
        return groups[np.where(np.isnan(values), 0, values).astype(np.int64)] * ~np.isnan(values)
    return np.where(np.isnan(values), UNKNOWN, 2 + (values > cut) - (values == -np.inf))


@inlined_borrowing
def set_shares(real, total, has_factors, shares):
    """The share of each branch for unknown cases; returns their weight. ``total`` is the weight of the node."""
    unknown, known = single(real[0]), 0.0
    if has_factors:
        for b in range(1, len(real)):
            known += real[b]
    else:
        known = single(total - unknown)
    for b in range(len(shares)):
        shares[b] = 0.0 if unknown <= 0.0 or known <= 0.0 else single(single(real[b + 1]) / known)
    return unknown


@inlined_borrowing
def _open(branch, size, cases, branches, moves, first, begin, last, weighed, share):
    """Bring the cases of a branch, which are ``size``, to the front of [begin:last]; returns where they end.

    Where they stand is found before any is moved: a loop without a condition, as whether the next case is one of them
    cannot be foreseen. Unknown cases, [first:begin], are given their share of the weight, unless it is 0.
    """
    if 0 < size < last - begin:
        n, i = 0, begin
        while n < size:
            moves[n] = i
            n += branches[i] == branch
            i += 1
        if i > begin + n:
            for k in range(n):
                _swap(cases, branches, moves[k], begin + k)
    if share > 0.0:
        for i in range(first, begin):
            weighed[cases[i], AMOUNT] = single(weighed[cases[i], AMOUNT] * share)
    return begin + size


@_open.in_numpy
def _open_in_numpy(branch, size, cases, branches, moves, first, begin, last, weighed, share):
    if share > 0.0:
        unknown = cases[first:begin]
        weighed[unknown, AMOUNT] = np.float32(weighed[unknown, AMOUNT] * share)
    return begin + _bring_in_numpy(branch, cases[begin:last], branches[begin:last])


@inlined_borrowing
def _close(is_unknown, cases, is_moved, first, begin, end, weighed, share):
    """Bring the unknown cases of [first:end] to its end, with the weight they had; returns where they begin.

    They stand in [first:begin], unless cases have been moved since the branch was opened.
    """
    place = end
    for i in range((end if is_moved else begin) - 1, first - 1, -1):
        if not is_moved or (is_unknown[cases[i] >> 3] >> (cases[i] & 7)) & 1 == 1:
            place -= 1
            cases[i], cases[place] = cases[place], cases[i]
            if end - place == begin - first:
                break
    if share > 0.0:
        for i in range(place, end):
            weighed[cases[i], AMOUNT] = single(weighed[cases[i], AMOUNT] / share)
    return place


@_close.in_numpy
def _close_in_numpy(is_unknown, cases, is_moved, first, begin, end, weighed, share):
    here = cases[first:end]
    found = np.flatnonzero((is_unknown[here >> 3] >> (here & 7)) & 1) if is_moved else np.arange(begin - first)
    order, place = cases[first:end].tolist(), end - first
    for i in found[::-1].tolist():
        place -= 1
        order[i], order[place] = order[place], order[i]
    cases[first:end] = order
    if share > 0.0:
        unknown = cases[first + place : end]
        weighed[unknown, AMOUNT] = np.float32(weighed[unknown, AMOUNT] / share)
    return first + place


@inlined_borrowing
def _light_to_the_front(weighed, cases, first, last):
    """Bring light cases to the front of [first:last]; returns where the others begin."""
    end = first
    for i in range(first, last):
        if weighed[cases[i], AMOUNT] < LIGHT:
            cases[i], cases[end] = cases[end], cases[i]
            end += 1
    return end


@inlined_borrowing
def _sums_of_two(cases, first, last, weighed):
    """The weights of two classes, without a way through memory between two cases. To add 0 changes nothing."""
    zero, one = 0.0, 0.0
    for i in range(first, last):
        weight, is_one = np.float64(weighed[cases[i], AMOUNT]), np.float64(weighed[cases[i], CLASS])
        zero += weight * (1.0 - is_one)
        one += weight * is_one
    return zero, one


@inlined_borrowing
def add_up(cases, first, last, weighed, sums):
    """Class weights in 64 bits."""
    if len(sums) == 2:
        sums[0], sums[1] = _sums_of_two(cases, first, last, weighed)
        return
    for c in range(len(sums)):
        sums[c] = 0.0
    for i in range(first, last):
        sums[np.int64(weighed[cases[i], CLASS])] += np.float64(weighed[cases[i], AMOUNT])


@add_up.in_numpy
def add_up_in_numpy(cases, first, last, weighed, sums):
    here = weighed[cases[first:last]]
    sums[:] = np.bincount(here[:, CLASS].astype(np.int64), here[:, AMOUNT], minlength=len(sums))


@inlined_borrowing
def sum_up(cases, first, last, weighed, n_classes, sums, found):
    """Class weights, summed in 64 bits and rounded once; then weight, class and errors of a node.

    The weight is rounded after each class. The class is that of the greatest sum before rounding: with costs, equal
    32-bit weights may differ.
    """
    add_up(cases, first, last, weighed, sums)
    weight, best = 0.0, 0
    for c in range(n_classes):
        weight = single(weight + sums[c])
        found[c] = single(sums[c])
        if sums[c] > sums[best]:
            best = c
    found[n_classes], found[n_classes + 1] = weight, best
    found[n_classes + 2] = single(weight - found[best])


class Stops(NamedTuple):
    """When a new node is not divided."""

    least: float  # weight of a branch
    leaves_per_case: float  # -1: no limit


@inlined_borrowing
def is_final(found, n_classes, stops):
    """Whether a new node is a leaf: of one class, too light, or out of leaves."""
    weight = found[n_classes]
    if found[np.int64(found[n_classes + 1])] >= ONE_CLASS * weight or weight < 2.0 * stops.least:
        return True
    return stops.leaves_per_case >= 0.0 and np.rint(single(stops.leaves_per_case * weight)) < 2.0


# what ``next_branch`` remembers between calls
AT, FIRST, BEGIN, LAST, END, START, IS_OPEN = range(7)


@borrowing
def next_branch(
    is_unknown, cases, branches, moves, weighed, n_classes, own, sizes, shares, unknown, is_leaf, stops, without_light,
    state, found, sums,
):  # fmt: skip
    """Go on to the next branch that is no leaf and open it; returns its number, -1: there is none left.

    ``sizes`` tells how many cases each branch has, and ``is_leaf`` the leaves; where it is empty, the tree is being
    grown, and ``stops`` tells. Leaves and empty branches are passed by, as if they had been opened. ``branches`` has
    the branch of the case at each place, for those not yet opened. ``found`` is given the totals of every branch.
    ``moves`` is scratch, a place for each case, and so is ``sums``, a number for each class. ``is_unknown``: the bits
    of the column that is tested.
    """
    n_branches, is_moved = len(own) - 1, state[IS_OPEN] == 1
    while True:
        b = state[AT]
        if state[IS_OPEN] == 0:
            if b == n_branches:
                return -1
            weight = own[b + 1] + shares[b] * unknown
            share = shares[b] if weight >= EMPTY else 0.0
            first, begin = state[FIRST], state[BEGIN]
            size, last = np.int64(sizes[b + 1]), state[LAST]
            state[END] = _open(b + 1, size, cases, branches, moves, first, begin, last, weighed, share)
            state[START] = _light_to_the_front(weighed, cases, first, begin) if without_light else first
            if weight >= EMPTY:
                sum_up(cases, state[START], state[END], weighed, n_classes, sums, found[b])
                final = is_leaf[b] if len(is_leaf) else is_final(found[b], n_classes, stops)
                if not final:
                    state[IS_OPEN] = 1
                    return b
        weight = own[b + 1] + shares[b] * unknown
        share = shares[b] if weight >= EMPTY else 0.0
        if state[BEGIN] > state[FIRST]:
            state[FIRST] = _close(is_unknown, cases, is_moved, state[FIRST], state[BEGIN], state[END], weighed, share)
        else:
            state[FIRST] = state[END]
        state[BEGIN] = state[END]
        state[AT], state[IS_OPEN], is_moved = b + 1, 0, False
