"""A tree of splits in two, all known at once: every array is written in its final order and type."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from treewright.tree.build import gather_ragged, level_order, offsets
from treewright.tree.tree import LeafKind, Tree
from treewright.typing import Array, Floats, Ints, Mask


@dataclass(frozen=True)
class PairSplits:
    """Splits in the order they were made, a parent before its children. Branch 2·s + b is branch b of split s."""

    owner: Ints  # the branch that is split; -1: the root
    column: Ints
    is_number: Mask
    edge: Floats  # of splits at a number, and the value next below it
    below: Floats
    missing: Ints
    branch_size: Ints
    branch_of: Array  # int32, those of all splits end to end
    branch_rows: Ints
    branch_stats: Ints


def tree_of_pairs(splits: PairSplits, n_rows: int, whole: Ints, leaf: LeafKind) -> tuple[Tree, Ints, Ints]:
    """The tree, its statistics, values and gains still to be set; its inner nodes; the statistics of every node."""
    order = _by_level(splits.owner)
    n_nodes = 1 + 2 * len(order)
    inner = _places(splits.owner, order)
    parent = np.full(n_nodes, -1, np.int32)
    parent[1:] = np.repeat(inner, 2)
    first_child, n_branches = np.full(n_nodes, -1, np.int32), np.zeros(n_nodes, np.int32)
    first_child[inner], n_branches[inner] = np.arange(1, n_nodes, 2), 2

    def at_nodes(values: Array, otherwise: int, dtype: type) -> Array:
        full: Array = np.full(n_nodes, otherwise, dtype)
        full[inner] = values
        return full

    is_number, sizes = splits.is_number[order], splits.branch_size
    numeric = order if is_number.all() else order[is_number]
    tree = Tree(
        parent=parent,
        first_child=first_child,
        n_branches=n_branches,
        column=at_nodes(splits.column[order], -1, np.int32),
        edge_start=offsets(at_nodes(is_number, 0, np.int64)),
        edges=splits.edge[numeric],
        below=splits.below[numeric],
        branch_start=offsets(at_nodes(sizes[order], 0, np.int64)),
        branch_of=gather_ragged(splits.branch_of, sizes, order),
        stats=np.empty((0, 0)),
        rows=_of_nodes(np.array([n_rows]), splits.branch_rows, order),
        missing=at_nodes(splits.missing[order], 0, np.int64),
        gain=np.empty(0),
        value=np.empty((0, 0)),
        leaf=leaf,
    )
    return tree, inner, _of_nodes(whole[None, :], splits.branch_stats, order)


def _by_level(owner: Ints) -> Ints:
    """Splits level by level, those of a level from left to right."""
    n_nodes = 1 + 2 * len(owner)
    first_child, n_branches, split_at = np.full(n_nodes, -1), np.zeros(n_nodes, np.int64), np.full(n_nodes, -1)
    first_child[1 + owner], n_branches[1 + owner] = np.arange(1, n_nodes, 2), 2
    split_at[1 + owner] = np.arange(len(owner))
    found = split_at[level_order(first_child, n_branches)]
    return np.asarray(found[found >= 0])


def _places(owner: Ints, order: Ints) -> Ints:
    """The nodes of these splits, in level order: branches of the i-th are the nodes 2·i + 1 and 2·i + 2."""
    rank = np.empty(len(order), np.int64)
    rank[order] = np.arange(len(order))
    of = owner[order]
    return np.asarray(np.where(of < 0, 0, 1 + 2 * rank[of >> 1] + (of & 1)))


def _of_nodes(of_root: Array, of_branches: Array, order: Ints) -> Array:
    """What is known of the root and of branches, node by node."""
    pairs = of_branches.reshape(len(order), 2, *of_branches.shape[1:])
    made = np.empty((1 + 2 * len(order), *of_branches.shape[1:]), of_branches.dtype)
    made[:1] = of_root
    np.take(pairs, order, axis=0, out=made[1:].reshape(pairs.shape))
    return made
