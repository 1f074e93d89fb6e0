"""Cases down the tests of a tree, all cases of a node at a time: the numpy twins of ``subtree_raising.py``.

Weights are integers, so the order in which they are added does not matter; cases keep their order within a branch.
"""

import numpy as np

from treewright.kernels.row_routing.route_in_numpy import EVERY_BRANCH, branches_at


def count_classes(stack, start, stop, labels, out):
    out[:] = 0
    np.add.at(out, labels[stack.row[start:stop]], stack.weight[start:stop])


def take_sides(t, start, stop, rows, tree, stack, known, ends):
    n_branches, row = tree.n_branches[t], stack.row[start:stop]
    branch = branches_at(tree, np.full(len(row), t), rows.cells.T, row)
    stack.side[start:stop] = branch
    going = np.flatnonzero(branch >= 0)
    ends[:n_branches] = np.bincount(branch[going], minlength=n_branches)
    known[:n_branches] = 0
    np.add.at(known, branch[going], stack.weight[start:stop][going])
    n_shared = int(np.count_nonzero(branch == EVERY_BRANCH))
    n_missing = int(np.count_nonzero(np.isnan(rows.cells[tree.column[t]][row])))
    return n_missing, n_shared, len(row) - len(going) - n_shared


def place_cases(start, stop, begin, n_shared, known, ends, most, in_full, stack):
    side = stack.side[start:stop]
    going = np.flatnonzero(side >= 0)
    going = start + going[np.argsort(side[going], kind="stable")]
    first = begin + np.where(known > 0, n_shared, 0)
    sizes = np.bincount(stack.side[going], minlength=len(begin))
    to = np.arange(len(going)) + np.repeat(first - np.cumsum(sizes) + sizes, sizes)
    stack.row[to], stack.weight[to] = stack.row[going], stack.weight[going]
    ends[: len(begin)] = first + sizes
    if n_shared:
        _share_out(start + np.flatnonzero(side == EVERY_BRANCH), begin, known, most, in_full, stack)


def _share_out(shared, begin, known, most, in_full, stack):
    row, weight, whole = stack.row[shared], stack.weight[shared], known.sum()
    rest = weight.copy()
    for b in np.flatnonzero(known > 0):
        if b != most:
            part = weight if in_full else np.rint(weight * (known[b] / whole)).astype(np.int64)
            rest -= 0 if in_full else part
            stack.row[begin[b] : begin[b] + len(row)], stack.weight[begin[b] : begin[b] + len(row)] = row, part
    stack.row[begin[most] : begin[most] + len(row)], stack.weight[begin[most] : begin[most] + len(row)] = row, rest
