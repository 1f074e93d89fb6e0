"""New trees from old ones. The tree given is never changed."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from treewright.tree.build import offsets, reorder_splits
from treewright.tree.tree import Tree
from treewright.typing import Array, Mask


def levels(tree: Tree) -> Iterator[slice]:
    """Nodes by depth, the root first: nodes are numbered level by level, so each level is a slice."""
    start, stop = 0, 1
    while start < stop:
        yield slice(start, stop)
        start, stop = stop, stop + int(tree.n_branches[start:stop].sum())


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
    )


def _reachable(tree: Tree, is_cut: Mask) -> Mask:
    kept = np.ones(tree.n_nodes, np.bool_)
    for level in levels(tree):
        if level.start:
            parent = tree.parent[level]
            kept[level] = kept[parent] & ~is_cut[parent]
    return kept


def _without_splits(tree: Tree, bare: Mask) -> Tree:
    """Forget what the given nodes test."""
    edge_sizes, branch_sizes = np.diff(tree.edge_start), np.diff(tree.branch_start)
    return tree._replace(
        n_branches=np.where(bare, 0, tree.n_branches).astype(np.int32),
        column=np.where(bare, -1, tree.column).astype(np.int32),
        edges=tree.edges[np.repeat(~bare, edge_sizes)],
        edge_start=offsets(np.where(bare, 0, edge_sizes)),
        branch_of=tree.branch_of[np.repeat(~bare, branch_sizes)],
        branch_start=offsets(np.where(bare, 0, branch_sizes)),
        missing=np.where(bare, 0, tree.missing),
        gain=np.where(bare, 0.0, tree.gain),
    )
