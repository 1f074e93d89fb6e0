"""Cases of a node divided among the branches of its test, as C5.0 moves them.

The cases of a node are neighbours in ``cases``. Those whose value is unknown stand first; then branch after branch is
brought to the front of what is left. Weights of unknown cases are multiplied in place, in 32 bits, by the share of the
branch, and divided back afterwards: they may drift by a unit in the last place.
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
def begin_division(column, cut, groups, cases, first, last, labels, weights, factors, has_factors, count, own, real):
    """Unknown cases brought to the front of [first:last]; returns where the others begin.

    The weights of unknown cases and of each branch are left in ``own``, and without class multipliers in ``real``.
    ``count``: every case is one, whatever it weighs.
    """
    begin = first
    for b in range(len(own)):
        own[b], real[b] = 0.0, 0.0
    for i in range(first, last):
        case = cases[i]
        branch = branch_of(column[case], cut, groups)
        if branch >= 0:
            weight = 1.0 if count else weights[case]
            own[branch] += weight
            if has_factors:
                real[branch] += weight / factors[labels[case]]
        if branch == UNKNOWN:
            cases[i], cases[begin] = cases[begin], cases[i]
            begin += 1
    if not has_factors:
        for b in range(len(own)):
            real[b] = own[b]
    return begin


@begin_division.in_numpy
def begin_division_in_numpy(
    column, cut, groups, cases, first, last, labels, weights, factors, has_factors, count, own, real
):  # fmt: skip
    here = cases[first:last]
    branches, begin = _branches_of(column[here], cut, groups), first
    found = here[branches >= 0]
    amounts = np.ones(len(found)) if count else weights[found]
    of = branches[branches >= 0]
    own[:] = np.bincount(of, amounts, minlength=len(own))
    real[:] = np.bincount(of, amounts / factors[labels[found]], minlength=len(own))
    order = here.tolist()
    for i in np.flatnonzero(branches == UNKNOWN).tolist():
        order[i], order[begin - first] = order[begin - first], order[i]
        begin += 1
    cases[first:last] = order
    return begin


def _branches_of(values, cut, groups):
    """``branch_of`` many values."""
    if len(groups):
        return np.where(np.isnan(values), UNKNOWN, groups[np.where(np.isnan(values), 0, values).astype(np.int64)])
    return np.select([np.isnan(values), values == -np.inf, values <= cut], [UNKNOWN, 1, 2], 3)


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
def _open(column, cut, groups, branch, cases, first, begin, last, weights, share):
    """Bring the cases of a branch to the front of [begin:last]; returns where they end.

    Unknown cases, [first:begin], are given their share of the weight, unless it is 0.
    """
    end = begin
    for i in range(begin, last):
        if branch_of(column[cases[i]], cut, groups) == branch:
            cases[i], cases[end] = cases[end], cases[i]
            end += 1
    if share > 0.0:
        for i in range(first, begin):
            weights[cases[i]] = single(weights[cases[i]] * share)
    return end


@_open.in_numpy
def _open_in_numpy(column, cut, groups, branch, cases, first, begin, last, weights, share):
    order, end = cases[begin:last].tolist(), 0
    for i in np.flatnonzero(_branches_of(column[cases[begin:last]], cut, groups) == branch).tolist():
        order[i], order[end] = order[end], order[i]
        end += 1
    cases[begin:last] = order
    if share > 0.0:
        unknown = cases[first:begin]
        weights[unknown] = np.float32(weights[unknown] * share)
    return begin + end


@inlined_borrowing
def _close(column, cut, groups, cases, first, end, weights, share):
    """Bring the unknown cases of [first:end] to its end, with the weight they had; returns where they begin."""
    begin = end
    for i in range(end - 1, first - 1, -1):
        if branch_of(column[cases[i]], cut, groups) == UNKNOWN:
            begin -= 1
            cases[i], cases[begin] = cases[begin], cases[i]
    if share > 0.0:
        for i in range(begin, end):
            weights[cases[i]] = single(weights[cases[i]] / share)
    return begin


@_close.in_numpy
def _close_in_numpy(column, cut, groups, cases, first, end, weights, share):
    order = cases[first:end].tolist()
    begin = len(order)
    for i in np.flatnonzero(np.isnan(column[cases[first:end]]))[::-1].tolist():
        begin -= 1
        order[i], order[begin] = order[begin], order[i]
    cases[first:end] = order
    if share > 0.0:
        unknown = cases[first + begin : end]
        weights[unknown] = np.float32(weights[unknown] / share)
    return first + begin


@inlined_borrowing
def _light_to_the_front(weights, cases, first, last):
    """Bring light cases to the front of [first:last]; returns where the others begin."""
    end = first
    for i in range(first, last):
        if weights[cases[i]] < LIGHT:
            cases[i], cases[end] = cases[end], cases[i]
            end += 1
    return end


@inlined_borrowing
def add_up(cases, first, last, labels, weights, sums):
    """Class weights in 64 bits."""
    for c in range(len(sums)):
        sums[c] = 0.0
    for i in range(first, last):
        sums[labels[cases[i]]] += weights[cases[i]]


@add_up.in_numpy
def add_up_in_numpy(cases, first, last, labels, weights, sums):
    here = cases[first:last]
    sums[:] = np.bincount(labels[here], weights[here], minlength=len(sums))


@inlined_borrowing
def sum_up(cases, first, last, labels, weights, n_classes, sums, found):
    """Class weights, summed in 64 bits and rounded once; then weight, class and errors of a node.

    The weight is rounded after each class. The class is that of the greatest sum before rounding: with costs, equal
    32-bit weights may differ.
    """
    add_up(cases, first, last, labels, weights, sums)
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
    column, cut, groups, cases, labels, weights, n_classes, own, shares, unknown, is_leaf, stops, without_light, state,
    found, sums,
):  # fmt: skip
    """Go on to the next branch that is no leaf and open it; returns its number, -1: there is none left.

    ``is_leaf`` tells the leaves; where it is empty, the tree is being grown, and ``stops`` tells. Leaves and empty
    branches are passed by, as if they had been opened. ``found`` is given the totals of every branch. ``sums`` is
    scratch, a number for each class.
    """
    n_branches = len(own) - 1
    while True:
        b = state[AT]
        if state[IS_OPEN] == 0:
            if b == n_branches:
                return -1
            weight = own[b + 1] + shares[b] * unknown
            share = shares[b] if weight >= EMPTY else 0.0
            first, begin = state[FIRST], state[BEGIN]
            state[END] = _open(column, cut, groups, b + 1, cases, first, begin, state[LAST], weights, share)
            state[START] = _light_to_the_front(weights, cases, first, begin) if without_light else first
            if weight >= EMPTY:
                sum_up(cases, state[START], state[END], labels, weights, n_classes, sums, found[b])
                final = is_leaf[b] if len(is_leaf) else is_final(found[b], n_classes, stops)
                if not final:
                    state[IS_OPEN] = 1
                    return b
        weight = own[b + 1] + shares[b] * unknown
        share = shares[b] if weight >= EMPTY else 0.0
        if state[BEGIN] > state[FIRST]:
            state[FIRST] = _close(column, cut, groups, cases, state[FIRST], state[END], weights, share)
        else:
            state[FIRST] = state[END]
        state[BEGIN] = state[END]
        state[AT], state[IS_OPEN] = b + 1, 0
