"""The columns that training cases are asked for on their way down a C5.0 tree."""

import numpy as np

from treewright.kernels.c50_kernels.c50_division import UNKNOWN, branch_of
from treewright.kernels.c50_kernels.c50_information import EPSILON
from treewright.kernels.jit import inlined_borrowing, kernel

_FOLLOWED = 0.01  # the least part of a case that is sent down a branch of a numeric test


@kernel
def mark_asked(tree, values, cases, asked):
    """Mark in ``asked`` (columns × cases) every column that a case is asked for.

    Unknown values go down every branch, numbers between soft bounds down both.
    """
    nodes, parts = np.zeros(len(tree.column) + 1, np.int64), np.zeros(len(tree.column) + 1)
    for i in range(len(cases)):
        case = cases[i]
        nodes[0], parts[0], n = 0, 1.0, 1
        while n > 0:
            n -= 1
            node, part, column = nodes[n], parts[n], tree.column[nodes[n]]
            if column < 0:
                continue
            first, groups = tree.child_start[node], tree.groups[tree.group_start[node] : tree.group_start[node + 1]]
            least, value = 0.0 if len(groups) else _FOLLOWED, values[column, case]
            branch = branch_of(value, tree.cut[node], groups)
            asked[column, case] |= branch != UNKNOWN
            if branch == UNKNOWN:
                for k in range(first, tree.child_start[node + 1]):
                    below = part * share_of_unknown(tree, node, tree.children[k])
                    nodes[n], parts[n] = tree.children[k], below
                    n += below > 0.0 and below >= least
            elif len(groups) or branch == 1:
                nodes[n], parts[n] = tree.children[first + max(branch, 1) - 1], part
                n += branch > 0 and part >= least
            else:
                left = left_part(tree, node, np.float64(value))
                for k in range(2):
                    nodes[n], parts[n] = tree.children[first + k + 1], part * (left if k == 0 else 1.0 - left)
                    n += parts[n] >= least


@inlined_borrowing
def share_of_unknown(tree, node, child):
    return tree.weight[child] / tree.weight[node] if tree.weight[child] > EPSILON else 0.0


@inlined_borrowing
def left_part(tree, node, value):
    """The part of a number that goes to the branch up to the cut."""
    lower, middle, upper = tree.lower[node], tree.middle[node], tree.upper[node]
    if value <= lower or value >= upper:
        return 1.0 if value <= lower else 0.0
    if value <= middle:
        return 1.0 - 0.5 * (value - lower) / (middle - lower + 1e-6)
    return 0.5 - 0.5 * (value - middle) / (upper - middle + 1e-6)


@mark_asked.in_numpy
def mark_asked_in_numpy(tree, values, cases, asked):
    waiting = [(0, cases, np.ones(len(cases)))]
    while waiting:
        node, here, part = waiting.pop()
        column = tree.column[node]
        if column < 0 or not len(here):
            continue
        found = values[column][here]
        asked[column, here[~np.isnan(found)]] = True
        is_number = tree.group_start[node] == tree.group_start[node + 1]
        children = tree.children[tree.child_start[node] : tree.child_start[node + 1]].tolist()
        for child, share in zip(children, _parts_by_branch(tree, node, children, found)):
            below = part * share
            follows = (below > 0) & (below >= (_FOLLOWED if is_number else 0.0))
            waiting.append((child, here[follows], below[follows]))


def _parts_by_branch(tree, node, children, found):
    """The part of each value that goes down each branch."""
    known = ~np.isnan(found)
    of_unknown = [share_of_unknown.plain(tree, node, child) for child in children]
    groups = tree.groups[tree.group_start[node] : tree.group_start[node + 1]]
    if len(groups):
        taken = groups[np.where(known, found, 0).astype(np.int64)]
        return [np.where(known, taken == b + 1, share) for b, share in enumerate(of_unknown)]
    beside, left = found == -np.inf, _left_parts(tree, node, found.astype(np.float64))
    own = beside * 1.0, np.where(beside, 0.0, left), np.where(beside, 0.0, 1.0 - left)
    return [np.where(known, part, share) for part, share in zip(own, of_unknown)]


def _left_parts(tree, node, found):
    """``left_part`` of many values."""
    lower, middle, upper = tree.lower[node], tree.middle[node], tree.upper[node]
    below = 1.0 - 0.5 * (found - lower) / (middle - lower + 1e-6)
    above = 0.5 - 0.5 * (found - middle) / (upper - middle + 1e-6)
    between = np.where(found <= middle, below, above)
    return np.where(found <= lower, 1.0, np.where(found >= upper, 0.0, between))
