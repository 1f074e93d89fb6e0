"""CHAID's search of a column: merge the levels that were counted at every node, test the groups that are left."""

from typing import NamedTuple

import numpy as np

from treewright.kernels.jit import kernel
from treewright.kernels.search.group_tests import compare_all, log_p
from treewright.kernels.search.level_merging import merge


class Merged(NamedTuple):
    """What one column comes to at every open node."""

    levels: np.ndarray  # int64: that occur, missing values being one of them
    groups: np.ndarray  # int64: after merging; 0 if there are no two to split into
    floating: np.ndarray  # bool: missing values occur, in an ordered column
    statistic: np.ndarray  # float64
    freedom: np.ndarray  # float64
    within: np.ndarray  # float64: degrees of freedom within groups, of the F test
    log_p: np.ndarray  # float64


def new_merged(*shape: int) -> Merged:
    ints, floats = np.zeros(shape, np.int64), np.zeros(shape)
    return Merged(
        ints, ints.copy(), np.zeros(shape, np.bool_), floats, floats.copy(), floats.copy(), floats.copy()
    )  # fmt: skip


@kernel
def add_item(stats, rules, row):
    """What is known of a level. Classes with scores become the sums of w, w·score and w·score²."""
    if rules.scores.shape[0]:
        row[0], row[1], row[2] = 0.0, 0.0, 0.0
        for s in range(rules.scores.shape[0]):
            weight, score = stats[s] * rules.unit[s], rules.scores[s]
            row[0] += weight
            row[1] += weight * score
            row[2] += weight * score * score
    else:
        for s in range(row.shape[0]):
            row[s] = stats[s] * rules.unit[s]


@kernel
def number_branches(codes, n, group, branch_of):
    """Branches in the order of their first known level; missing values that stand alone have the last."""
    first = 1 if codes[0] == 0 else 0
    numbers = np.full(n, -1, np.int64)
    count = 0
    for t in range(first, n + first):
        i = t % n
        if numbers[group[i]] < 0:
            numbers[group[i]] = count
            count += 1
        branch_of[codes[i]] = numbers[group[i]]


@kernel
def place_empty_levels(rows, ordered, branch_of):
    """Levels that do not occur at the node: ordered ones go with the next that does, others as missing values do."""
    following = -1
    for code in range(rows.shape[0] - 1, 0, -1):
        if rows[code]:
            following = branch_of[code]
        elif ordered and following >= 0:
            branch_of[code] = following
        else:
            branch_of[code] = -1 if ordered else branch_of[0]
    if ordered:
        below = branch_of[0]
        for code in range(1, rows.shape[0]):  # beyond the last that occurs
            if branch_of[code] < 0:
                branch_of[code] = below
            below = branch_of[code]


@kernel
def merge_cells(start, stats, own, ordered, floating, rules, items, group, merged):
    """Merge counted levels, of node f the cells ``[start[f]:start[f + 1]]``, and test what is left.

    ``own[f]`` are the statistics of missing values that stay a group of their own, all 0 where there are none; it is
    one more, however light and however many there may be. ``floating[f]``: the first cell is that of missing values.
    ``group`` gets the head of every cell's group, counted from the node's first cell.
    """
    for f in range(start.shape[0] - 1):
        first, n = start[f], start[f + 1] - start[f]
        merged.levels[f], merged.groups[f], merged.floating[f] = n, 0, ordered and floating[f]
        merged.statistic[f], merged.freedom[f], merged.within[f], merged.log_p[f] = 0.0, 0.0, 0.0, 0.0
        apart = np.int64(own[f].any())
        for i in range(n):
            add_item(stats[first + i], rules, items.table[i])
        groups = merge(n, ordered, merged.floating[f], rules, items)
        if groups == 0:
            continue
        for i in range(n):
            group[first + i] = items.group[i]
        if apart:
            add_item(own[f], rules, items.sums[n])
            items.weight[n] = items.sums[n, 0] if rules.test >= 2 else items.sums[n].sum()
            items.alive[n] = True
        last = n + apart
        statistic, freedom, within = compare_all(rules.test, items.sums[:last], items.weight[:last], items.alive[:last])
        merged.groups[f] = groups + apart
        merged.statistic[f], merged.freedom[f], merged.within[f] = statistic, freedom, within
        merged.log_p[f] = log_p(rules.test, statistic, freedom, within)


@kernel
def lay_out(start, codes, group, ordered, default_branch, branch_of):
    """The branch of every code at every node; ``default_branch`` stands for codes about which nothing is known."""
    n_codes = branch_of.shape[1]
    occurs = np.empty(n_codes, np.int64)
    for f in range(start.shape[0] - 1):
        branch_of[f, :] = default_branch
        occurs[:] = 0
        here = codes[start[f] : start[f + 1]]
        for code in here:
            occurs[code] = 1
        if here.shape[0]:
            number_branches(here, here.shape[0], group[start[f] : start[f + 1]], branch_of[f])
            place_empty_levels(occurs, ordered, branch_of[f])
