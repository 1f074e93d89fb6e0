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
def weigh_branches(column, cut, groups, cases, labels, weights, factors, count, n_branches):
    """The weight of unknown cases and of each branch, as it is and without class multipliers.

    ``count``: every case is one, whatever it weighs.
    """
    found = np.zeros((2, n_branches + 1))
    for i in range(len(cases)):
        branch = branch_of(column[cases[i]], cut, groups)
        if branch >= 0:
            weight = 1.0 if count else weights[cases[i]]
            found[0, branch] += weight
            found[1, branch] += weight / factors[labels[cases[i]]]
    return found


@kernel
def gather(column, cut, groups, branch, cases, first, last):
    """Bring the cases of a branch to the front of [first:last]; returns where they end."""
    end = first
    for i in range(first, last):
        if branch_of(column[cases[i]], cut, groups) == branch:
            cases[i], cases[end] = cases[end], cases[i]
            end += 1
    return end


@kernel
def unknown_to_the_end(column, cut, groups, cases, first, last):
    """Bring unknown cases of [first:last] to its end; returns where they begin."""
    begin = last
    for i in range(last - 1, first - 1, -1):
        if branch_of(column[cases[i]], cut, groups) == UNKNOWN:
            begin -= 1
            cases[i], cases[begin] = cases[begin], cases[i]
    return begin


@kernel
def multiply(weights, cases, share):
    for i in range(len(cases)):
        weights[cases[i]] = single(weights[cases[i]] * share)


@kernel
def divide_back(weights, cases, share):
    for i in range(len(cases)):
        weights[cases[i]] = single(weights[cases[i]] / share)


@kernel
def light_to_the_front(weights, cases, first, last, limit):
    """Bring cases lighter than the limit to the front of [first:last]; returns where the others begin."""
    end = first
    for i in range(first, last):
        if weights[cases[i]] < limit:
            cases[i], cases[end] = cases[end], cases[i]
            end += 1
    return end
