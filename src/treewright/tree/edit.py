"""New trees from old ones. The tree given is never changed."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from treewright.split import EVERY_BRANCH
from treewright.tree.build import offsets, pack_surrogates, reorder_splits
from treewright.tree.tree import Tree
from treewright.typing import Array, Ints, Mask


def levels(tree: Tree) -> Iterator[slice]:
    """Nodes by depth, the root first: nodes are numbered level by level, so each level is a slice."""
    children_end = 1 + np.cumsum(tree.n_branches)  # of node v: the children of all nodes up to v come before it
    start, stop = 0, 1
    while start < stop:
        yield slice(start, stop)
        start, stop = stop, int(children_end[stop - 1])


def cut(tree: Tree, at: Array) -> Tree:
    """Turn nodes into leaves; what was below them is gone, their statistics and values stay.

    ``at`` holds node numbers or is a mask over the nodes.
    """
    is_cut = np.zeros(tree.n_nodes, np.bool_)
    is_cut[at] = True
    kept = _reachable(tree, is_cut)
    inner = kept & ~is_cut & (tree.n_branches > 0)
    order = np.flatnonzero(kept)
    new = np.cumsum(kept) - 1
    bare = _without_splits(tree, ~inner)
    return reorder_splits(bare, order)._replace(
        parent=np.where(order > 0, new[tree.parent[order]], -1).astype(np.int32),
        first_child=np.where(inner[order], new[tree.first_child[order]], -1).astype(np.int32),
        stats=tree.stats[order],
        value=tree.value[order],
        models=tree.models.take(order),
    )


def drop_unreachable(tree: Tree) -> Tree:
    """Take away last branches, empty leaves, whose levels are all excluded by tests of the same column above.

    Levels that are excluded no longer belong to a branch: they would take every one.
    """
    branch_of, gone = tree.branch_of.copy(), np.zeros(tree.n_nodes, np.bool_)
    for v, codes in _excluded(tree):
        here, last = branch_of[tree.branch_start[v] : tree.branch_start[v + 1]], int(tree.n_branches[v]) - 1
        here[codes] = EVERY_BRANCH
        gone[tree.first_child[v] + last] = last not in here
    return _without_leaves(tree._replace(branch_of=branch_of), gone)


def _excluded(tree: Tree) -> Iterator[tuple[int, Ints]]:
    """Nodes below another test of their nominal column, with the codes that cannot come by."""
    waiting: list[tuple[int, dict[int, Mask]]] = [(0, {})]
    while waiting:
        v, possible = waiting.pop()
        first, count, column = (int(part[v]) for part in (tree.first_child, tree.n_branches, tree.column))
        if not count or tree.edge_start[v] < tree.edge_start[v + 1]:
            waiting += [(first + branch, possible) for branch in range(count)]
            continue
        branches = tree.branch_of[tree.branch_start[v] : tree.branch_start[v + 1]]
        before = possible.get(column, np.ones(len(branches), np.bool_))
        if not before[1:].all():
            yield v, 1 + np.flatnonzero(~before[1:])
        waiting += [(first + branch, {**possible, column: before & (branches == branch)}) for branch in range(count)]


def _without_leaves(tree: Tree, gone: Mask) -> Tree:
    """The tree without some leaves that are their parents' last."""
    order, new = np.flatnonzero(~gone), np.cumsum(~gone) - 1
    fewer = np.bincount(tree.parent[gone], minlength=tree.n_nodes)
    kept = reorder_splits(tree._replace(n_branches=(tree.n_branches - fewer).astype(np.int32)), order)
    return kept._replace(
        parent=np.where(order > 0, new[tree.parent[order]], -1).astype(np.int32),
        first_child=np.where(tree.first_child[order] >= 0, new[tree.first_child[order]], -1).astype(np.int32),
        stats=tree.stats[order],
        value=tree.value[order],
        models=tree.models.take(order),
    )


def _reachable(tree: Tree, is_cut: Mask) -> Mask:
    passes = ~is_cut  # rows come to the node, and go on to its children
    for level in levels(tree):
        if level.start:
            passes[level] &= passes[tree.parent[level]]
    kept = passes[tree.parent]
    kept[0] = True
    return kept


def _without_splits(tree: Tree, bare: Mask) -> Tree:
    """Forget what the given nodes test."""
    edge_sizes, branch_sizes = np.diff(tree.edge_start), np.diff(tree.branch_start)
    tests = {int(v): tree.surrogates.of(int(v)) for v in np.flatnonzero(~bare)} if tree.surrogates.exist else {}
    return tree._replace(
        surrogates=pack_surrogates(tests, tree.n_nodes),
        n_branches=np.where(bare, 0, tree.n_branches).astype(np.int32),
        column=np.where(bare, -1, tree.column).astype(np.int32),
        edges=tree.edges[np.repeat(~bare, edge_sizes)],
        bounds=tree.bounds[np.repeat(~bare, edge_sizes)] if tree.bounds.size else tree.bounds,
        printed=tree.printed[np.repeat(~bare, edge_sizes)] if tree.printed.size else tree.printed,
        below=tree.below[np.repeat(~bare, edge_sizes)] if tree.below.size else tree.below,
        edge_start=offsets(np.where(bare, 0, edge_sizes)),
        branch_of=tree.branch_of[np.repeat(~bare, branch_sizes)],
        branch_start=offsets(np.where(bare, 0, branch_sizes)),
        missing=np.where(bare, 0, tree.missing),
        gain=np.where(bare, 0.0, tree.gain),
        test=np.where(bare[:, None], 0.0, tree.test) if tree.test.size else tree.test,
    )
