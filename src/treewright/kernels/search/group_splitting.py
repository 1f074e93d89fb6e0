"""Groups of three or more merged levels may come apart again (Kass 1980, step 3)."""

import numpy as np

from treewright.kernels.jit import kernel
from treewright.kernels.search.group_tests import compare_pair, log_p

_EQUAL = 1e-12
_MOST_TRIED = 12  # levels that are split in every possible way; of more, only along the order of each class's share
_MEANS = 2  # tests from this one on compare means


@kernel
def resplit(table, group, alive, ordered, floating, wanted, sides, order, side):
    """Split the first group of three or more items whose best split in two is significant; whether there was one.

    ``wanted``: the test, the logarithm of the largest p, the least weight of a part.
    """
    for head in range(group.shape[0]):
        if alive[head]:
            m = 0
            for i in range(group.shape[0]):
                if group[i] == head:
                    order[m] = i
                    m += 1
            if m >= 3 and best_parts(table, order, m, ordered, floating, wanted, sides, side) <= wanted[1]:
                part(group, head, side, ordered and floating)
                return True
    return False


@kernel
def part(group, old, side, floating):
    """Make two groups of one. The head is the first item, missing values only where there is nothing else."""
    heads = np.full(2, -1, np.int64)
    for first in range(1 if floating else 0, group.shape[0] + 1):
        i = first % group.shape[0]
        if group[i] == old and heads[np.int64(side[i])] < 0:
            heads[np.int64(side[i])] = i
    for i in range(group.shape[0]):
        if group[i] == old:
            group[i] = heads[np.int64(side[i])]


@kernel
def best_parts(table, order, m, ordered, floating, wanted, sides, side):
    """The smallest log p of the items ``order[:m]`` in two parts; ``side`` says which part an item is in."""
    if ordered:
        if floating and order[0] == 0:
            apart = cuts(table, order, m, 1, True, np.inf, wanted, sides, side)
            return cuts(table, order, m, 1, False, apart, wanted, sides, side)
        return cuts(table, order, m, 0, False, np.inf, wanted, sides, side)
    classes = 2 if wanted[0] >= _MEANS else classes_among(table, order, m)
    if classes > 2 and m <= _MOST_TRIED:
        return subsets(table, order, m, wanted, sides, side)
    top = np.inf
    for key in range(1 if wanted[0] >= _MEANS else table.shape[1]):
        if wanted[0] >= _MEANS or occurs(table, order, m, key):
            sort_by_share(table, order, m, key, wanted[0])
            top = cuts(table, order, m, 0, False, top, wanted, sides, side)
            if classes <= 2:  # the best parts lie along the order of the one share, or of the means
                break
    return top


@kernel
def occurs(table, order, m, key):
    for t in range(m):
        if table[order[t], key] > 0:
            return True
    return False


@kernel
def classes_among(table, order, m):
    classes = 0
    for key in range(table.shape[1]):
        classes += occurs(table, order, m, key)
    return classes


@kernel
def sort_by_share(table, order, m, key, test):
    """Order the items by the share of one class, or by their means."""
    for t in range(1, m):
        item = order[t]
        share = share_of(table, item, key, test)
        place = t
        while place > 0 and share_of(table, order[place - 1], key, test) > share:
            order[place] = order[place - 1]
            place -= 1
        order[place] = item


@kernel
def share_of(table, item, key, test):
    if test >= _MEANS:
        return table[item, 1] / table[item, 0]
    total = 0.0
    for s in range(table.shape[1]):
        total += table[item, s]
    return table[item, key] / total


@kernel
def cuts(table, order, m, first, missing_left, top, wanted, sides, side):
    """Cut the items in their order: the left part grows by one item at a time, in front of it perhaps the missing."""
    empty_sides(sides)
    for t in range(m):
        add(table, order[t], sides, 0 if t < first and missing_left else 1, 1.0)
    for t in range(first, m):
        if t > first or (first and missing_left):
            p = apart(wanted, sides)
            if p < top - _EQUAL:
                top = p
                for u in range(m):
                    side[order[u]] = u >= t or (u < first and not missing_left)
        add(table, order[t], sides, 1, -1.0)
        add(table, order[t], sides, 0, 1.0)
    return top


@kernel
def subsets(table, order, m, wanted, sides, side):
    """Every way to make two parts; the last item is always in the second."""
    top = np.inf
    for subset in range(1, 1 << (m - 1)):
        empty_sides(sides)
        for t in range(m):
            add(table, order[t], sides, 0 if (subset >> t) & 1 else 1, 1.0)
        p = apart(wanted, sides)
        if p < top - _EQUAL:
            top = p
            for t in range(m):
                side[order[t]] = not (subset >> t) & 1
    return top


@kernel
def empty_sides(sides):
    for s in range(sides.shape[1]):
        sides[0, s] = 0.0
        sides[1, s] = 0.0


@kernel
def add(table, item, sides, to, sign):
    for s in range(table.shape[1]):
        sides[to, s] += sign * table[item, s]


@kernel
def apart(wanted, sides):
    """log p of the two parts; infinite where one is too light."""
    weight = np.zeros(2)
    for s in range(1 if wanted[0] >= _MEANS else sides.shape[1]):
        weight[0] += sides[0, s]
        weight[1] += sides[1, s]
    if min(weight[0], weight[1]) < max(wanted[2], 1e-9):
        return np.inf
    statistic, freedom, within = compare_pair(wanted[0], sides, weight, 0, 1)
    return log_p(wanted[0], statistic, freedom, within)
