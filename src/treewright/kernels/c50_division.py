"""Cases of a node divided among the branches of its test, as C5.0 moves them.

The cases of a node are neighbours in ``cases``. Those whose value is unknown stand first; then branch after branch is
brought to the front of what is left. Weights of unknown cases are multiplied in place, in 32 bits, by the share of the
branch, and divided back afterwards: they may drift by a unit in the last place.
"""

import numpy as np

from treewright.kernels.c50_information import single
from treewright.kernels.jit import inlined, kernel

UNKNOWN = 0  # the branch of unknown values; NOWHERE: of values that no branch takes
NOWHERE = -1


@inlined
def branch_of(value, cut, groups):
    """The branch of a value, from 1 on. Tests of numbers have no groups: not applicable, up to the cut, above it."""
    if np.isnan(value):
        return UNKNOWN
    if len(groups):
        return groups[np.int64(value)]
    if value == -np.inf:
        return 1
    return 2 if value <= cut else 3


@kernel
def begin_division(column, cut, groups, cases, first, last, labels, weights, factors, count, n_branches):
    """Unknown cases brought to the front of [first:last]; returns the weights of branches, and where the others begin.

    Weights are those of unknown cases and of each branch, as they are (row 0) and without class multipliers (row 1).
    ``count``: every case is one, whatever it weighs.
    """
    found, begin = np.zeros((2, n_branches + 1)), first
    for i in range(first, last):
        case = cases[i]
        branch = branch_of(column[case], cut, groups)
        if branch >= 0:
            weight = 1.0 if count else weights[case]
            found[0, branch] += weight
            found[1, branch] += weight / factors[labels[case]]
        if branch == UNKNOWN:
            cases[i], cases[begin] = cases[begin], cases[i]
            begin += 1
    return found, begin


@kernel
def open_branch(column, cut, groups, branch, cases, first, begin, last, weights, share):
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


@kernel
def close_branch(column, cut, groups, cases, first, end, weights, share):
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


@kernel
def light_to_the_front(weights, cases, first, last, limit):
    """Bring cases lighter than the limit to the front of [first:last]; returns where the others begin."""
    end = first
    for i in range(first, last):
        if weights[cases[i]] < limit:
            cases[i], cases[end] = cases[end], cases[i]
            end += 1
    return end
