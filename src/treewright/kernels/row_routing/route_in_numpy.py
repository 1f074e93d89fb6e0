"""Send rows down a tree, all of them one level at a time: the numpy twins of ``routing.py``.

An *item* is a row at a node, and the part of the row that is there. Items are kept in the order in which ``routing.py``
visits them, row by row and first branch first, so that sums of floats come out the same to the last digit.
"""

from typing import NamedTuple

import numpy as np

from treewright.kernels.store_kernels.integer_sums import add_rows_in_numpy

# Marks in place of a branch, as in split.py.
EVERY_BRANCH = -1
STOP = -2
AS_MISSING = -3
NO_ANSWER = -4


class RowParts(NamedTuple):
    row: np.ndarray
    node: np.ndarray
    part: np.ndarray
    is_done: np.ndarray  # nowhere to go from here, or gone already


def apply_binary(matrix, first_row, last_row, tree, out):
    node = np.zeros(last_row - first_row, np.int64)
    rows = np.arange(first_row, last_row)
    while rows.size:
        v = node[rows - first_row]
        is_inner = tree.first_child[v] >= 0
        rows, v = rows[is_inner], v[is_inner]
        x, edge = matrix[rows, tree.column[v]], tree.edge[v]
        code = (x <= edge) + 2 * (x > edge)  # neither: missing
        node[rows - first_row] = tree.first_child[v] + tree.branches[v, code]
    out[first_row:last_row] = node


def apply_any(matrix, first_row, last_row, tree, out):
    node = np.zeros(last_row - first_row, np.int64)
    rows = np.arange(first_row, last_row)
    while rows.size:
        v = node[rows - first_row]
        is_inner = tree.n_branches[v] > 0
        rows, v = rows[is_inner], v[is_inner]
        branch = branches_at(tree, v, matrix, rows)
        moves = branch >= 0
        rows = rows[moves]
        node[rows - first_row] = tree.first_child[v[moves]] + branch[moves]
    out[first_row:last_row] = node


def spread(matrix, first_row, last_row, tree, root, share, leaves, values):
    ends = _followed(matrix, np.arange(first_row, last_row), tree, root, share, keeping=False)
    add_rows_in_numpy(ends.row, ends.part[:, None] * tree.value[ends.node, : values.shape[1]], values)
    by_part = np.lexsort((np.arange(ends.row.size), -ends.part, ends.row))
    is_first = np.diff(ends.row[by_part], prepend=-1) != 0
    heaviest = by_part[is_first]
    leaves[ends.row[heaviest]] = ends.node[heaviest]


def visit(matrix, tree, share, start, visited):
    items = _followed(matrix, np.arange(matrix.shape[0]), tree, 0, share, keeping=True)
    if visited.shape[0]:
        visited[:] = items.node
    else:
        start[1:] = np.bincount(items.row, minlength=matrix.shape[0])


def reach(matrix, tree, share, start, leaves, parts):
    ends = _followed(matrix, np.arange(matrix.shape[0]), tree, 0, share, keeping=False)
    if leaves.shape[0]:
        leaves[:], parts[:] = ends.node, ends.part
    else:
        start[1:] = np.bincount(ends.row, minlength=matrix.shape[0])


def branches_at(tree, v, matrix, rows):
    """The branch that each row takes at its node, or one of the marks of a missing value: EVERY_BRANCH, STOP."""
    x = matrix[rows, tree.column[v]]
    branch = _own_branches(tree, v, x).astype(np.int64)
    if tree.surrogates.start.shape[0]:
        asks = np.flatnonzero((branch == AS_MISSING) | np.isnan(x))
        branch[asks] = _stand_ins(tree, v[asks], matrix, rows[asks])
    return np.where(branch == AS_MISSING, tree.branch_of[tree.branch_start[v]], branch)


def _own_branches(tree, v, x):
    first, n_edges = tree.edge_start[v], tree.edge_start[v + 1] - tree.edge_start[v]
    is_known = ~np.isnan(x)
    code = np.where(is_known & (n_edges == 0), x, is_known).astype(np.int64)
    for k in range(n_edges.max(initial=0)):
        has_edge = np.flatnonzero(n_edges > k)
        code[has_edge] += x[has_edge] > tree.edges[first[has_edge] + k]
    return tree.branch_of[tree.branch_start[v] + code]


def _stand_ins(tree, v, matrix, rows):
    """The branch that the first surrogate names which has something to say, otherwise that of missing values."""
    surrogates = tree.surrogates
    branch = np.full(v.size, NO_ANSWER, np.int64)
    n_surrogates = surrogates.start[v + 1] - surrogates.start[v]
    for turn in range(n_surrogates.max(initial=0)):
        open_ = np.flatnonzero((branch == NO_ANSWER) & (n_surrogates > turn))
        k = surrogates.start[v[open_]] + turn
        x, edge = matrix[rows[open_], surrogates.column[k]], surrogates.edge[k]
        is_known = ~np.isnan(x)
        open_, k, x, edge = open_[is_known], k[is_known], x[is_known], edge[is_known]
        code = np.where(np.isnan(edge), x, 1 + (x > edge)).astype(np.int64)
        named = surrogates.branch_of[surrogates.branch_start[k] + code]
        branch[open_[named >= 0]] = named[named >= 0]
    return np.where(branch == NO_ANSWER, tree.branch_of[tree.branch_start[v]], branch)


def _parts_on_left(tree, v, x):
    """The part of each row that goes left at a soft threshold, 0 where it is not parted. It is a half at the edge."""
    left = np.zeros(x.size)
    if tree.bounds.shape[0] == 0:
        return left
    soft = np.flatnonzero(tree.edge_start[v + 1] > tree.edge_start[v])
    at, x = tree.edge_start[v[soft]], x[soft].astype(np.float64)
    lower, edge, upper = tree.bounds[at, 0], tree.edges[at], tree.bounds[at, 1]
    below, above = np.flatnonzero((lower < x) & (x <= edge)), np.flatnonzero((edge < x) & (x < upper))
    left[soft[below]] = 1 - (x[below] - lower[below]) / (edge[below] - lower[below]) / 2
    left[soft[above]] = (upper[above] - x[above]) / (upper[above] - edge[above]) / 2
    return left


def _followed(matrix, rows, tree, root, share, keeping):
    """Where the rows end, starting at ``root``; with ``keeping`` also the nodes that they come by."""
    items = RowParts(rows, np.full(rows.size, root), np.ones(rows.size), np.zeros(rows.size, np.bool_))
    while not items.is_done.all():
        items = _one_step(matrix, items, tree, share, keeping)
    return items


def _one_step(matrix, items, tree, share, keeping):
    """Every item that can go on is replaced by, or followed by, the items that it becomes."""
    goes = np.flatnonzero(~items.is_done & (tree.n_branches[items.node] > 0))
    row, v = items.row[goes], items.node[goes]
    left = _parts_on_left(tree, v, matrix[row, tree.column[v]])
    branch = np.where(left > 0, np.int64(STOP), branches_at(tree, v, matrix, row))
    moves, parts, shared = branch >= 0, left > 0, branch == EVERY_BRANCH
    # Three lists of what items become, each with the item that it comes from; sorted into one by that item.
    one = goes[moves], tree.first_child[v[moves]] + branch[moves], items.part[goes[moves]]
    two = _both_sides(tree, goes[parts], v[parts], left[parts], items.part)
    all_ = _all_children(tree, goes[shared], v[shared], share, items.part)
    source, node, part = (np.concatenate(found) for found in zip(one, two, all_))
    stays = np.ones(items.row.size, np.bool_)
    stays[goes[moves | parts | shared]] = keeping
    kept = np.flatnonzero(stays)
    source = np.concatenate([kept, source])
    order = np.argsort(source, kind="stable")
    return RowParts(
        items.row[source][order],
        np.concatenate([items.node[kept], node])[order],
        np.concatenate([items.part[kept], part])[order],
        np.repeat([True, False], [kept.size, node.size])[order],
    )


def _both_sides(tree, source, v, left, part):
    """Both children of soft thresholds, the left one first."""
    at = tree.branch_start[v]
    children = tree.first_child[v][:, None] + np.column_stack([tree.branch_of[at + 1], tree.branch_of[at + 2]])
    parts = part[source][:, None] * np.column_stack([left, 1 - left])
    return np.repeat(source, 2), children.ravel(), parts.ravel()


def _all_children(tree, source, v, share, part):
    """All children of nodes that any part of a missing row goes to."""
    counts = tree.n_branches[v].astype(np.int64)
    place = np.arange(counts.sum()) - np.repeat(np.cumsum(counts) - counts, counts)
    source, child = np.repeat(source, counts), np.repeat(tree.first_child[v], counts) + place
    some = share[child] > 0
    return source[some], child[some], part[source[some]] * share[child[some]]
