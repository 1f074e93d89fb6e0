"""Trees whose nodes may keep several splits, one of which is to be chosen: a node is an "or" over its splits, and a
split an "and" over its branches."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np

from treewright.kernels.pruning.and_or import SplitLists
from treewright.tree.build import Round, gather_ragged, level_order, offsets, spans, tree_of_splits
from treewright.tree.tree import IN_FULL, LeafKind, Tree
from treewright.typing import Array, Floats, Ints, Mask


@dataclass(frozen=True, eq=False)
class AndOrTree:
    """Nodes and their splits, as arrays. Node 0 is the root, and children have higher numbers than their node. Splits
    are in the order of their nodes and, at a node, of what they gain.

    Trees that have grown side by side are one of several roots, which are the first nodes."""

    rows: Ints
    stats: Floats
    parent: Ints  # -1 at a root
    splits: Round
    n_branches: Ints  # of every split
    leaf: LeafKind
    printed: Floats = field(default_factory=lambda: IN_FULL)  # what is printed for each edge of the splits

    @property
    def n_nodes(self) -> int:
        return len(self.rows)

    @cached_property
    def n_roots(self) -> int:
        return int((self.parent < 0).sum())

    @cached_property
    def root(self) -> Ints:
        """Of every node."""
        above = np.where(self.parent < 0, np.arange(self.n_nodes), self.parent)
        while not np.array_equal(further := above[above], above):
            above = further
        return np.asarray(above)

    @cached_property
    def split_start(self) -> Ints:
        """The splits of node v are ``split_start[v] … split_start[v+1]-1``."""
        return offsets(np.bincount(self.splits.id, minlength=self.n_nodes))

    @cached_property
    def lists(self) -> SplitLists:
        """As kernels are given them."""
        splits = self.splits
        return SplitLists(
            self.split_start, splits.first_child, self.n_branches, splits.column, offsets(splits.edge_size),
            splits.edges, offsets(splits.branch_size), splits.branch_of,
        )  # fmt: skip

    def tree(self, chosen: Array) -> tuple[Tree, Ints]:
        """The tree in which node v has its split ``chosen[v]``, counted from 0, or is a leaf (-1), without values; and
        the nodes here that those of the tree are."""
        split_at = np.where(chosen >= 0, self.split_start[:-1] + chosen, -1)
        inner = np.flatnonzero(split_at >= 0)
        first_child, n_branches = np.full(self.n_nodes, -1, np.int64), np.zeros(self.n_nodes, np.int64)
        first_child[inner], n_branches[inner] = (
            self.splits.first_child[split_at[inner]],
            self.n_branches[split_at[inner]],
        )
        nodes = level_order(first_child, n_branches)
        tree = tree_of_splits(self.rows[nodes], n_branches[nodes], split_at[nodes], self.splits, self.leaf, {})
        used = split_at[nodes][split_at[nodes] >= 0]
        printed = gather_ragged(self.printed, self.splits.edge_size, used) if self.printed.size else IN_FULL
        return tree._replace(stats=self.stats[nodes], printed=printed), nodes

    def of_root(self, root: int) -> AndOrTree:
        """The tree of one of the roots."""
        return self if self.n_roots == 1 else self.of_splits(self.root[self.splits.id] == root, root)[0]

    def of_splits(self, wanted: Mask, root: int = 0) -> tuple[AndOrTree, Ints, Ints]:
        """The part that is left of some splits below a root, whose nodes hang together; the nodes here that it has; and
        of every split here its place at its node there, -1 where it is gone."""
        picked = np.flatnonzero(wanted)
        kept = np.zeros(self.n_nodes, np.bool_)
        kept[root] = True
        kept[spans(self.splits.first_child[picked], self.n_branches[picked])] = True
        new, nodes = np.cumsum(kept) - 1, np.flatnonzero(kept)
        splits = reordered(self.splits, picked)
        splits = replace(splits, id=new[splits.id], first_child=new[splits.first_child])
        printed = gather_ragged(self.printed, self.splits.edge_size, picked) if self.printed.size else IN_FULL
        parent = np.where(self.parent[nodes] >= 0, new[self.parent[nodes]], -1)
        part = AndOrTree(
            self.rows[nodes], self.stats[nodes], parent, splits, self.n_branches[picked], self.leaf, printed
        )
        rank = np.full(len(wanted), -1)
        rank[picked] = np.arange(len(picked)) - part.split_start[splits.id]
        return part, nodes, rank


def reordered(splits: Round, order: Ints) -> Round:
    """Some of the splits, in this order."""
    return Round(
        splits.id[order], splits.first_child[order], splits.column[order], splits.edge_size[order],
        gather_ragged(splits.edges, splits.edge_size, order), gather_ragged(splits.below, splits.edge_size, order),
        splits.gain[order], splits.missing[order], splits.branch_size[order],
        gather_ragged(splits.branch_of, splits.branch_size, order), splits.test[order],
    )  # fmt: skip


@dataclass
class AndOrBuilder:
    """Nodes are numbered as they come, children after their parents."""

    rows: list[Ints] = field(default_factory=list)
    stats: list[Floats] = field(default_factory=list)
    parent: list[Ints] = field(default_factory=list)
    splits: list[Round] = field(default_factory=list)
    n_branches: list[Ints] = field(default_factory=list)
    n_nodes: int = 0

    def add_nodes(self, rows: Ints, stats: Floats, parent: Ints) -> Ints:
        """Their numbers."""
        self.rows.append(rows)
        self.stats.append(stats)
        self.parent.append(parent)
        self.n_nodes += len(rows)
        return np.arange(self.n_nodes - len(rows), self.n_nodes)

    def add_splits(self, splits: Round, n_branches: Ints) -> None:
        self.splits.append(splits)
        self.n_branches.append(n_branches)

    def freeze(self, leaf: LeafKind) -> AndOrTree:
        whole = Round(*(np.concatenate([getattr(s, name) for s in self.splits]) for name in Round.__dataclass_fields__))
        order = np.argsort(whole.id, kind="stable")
        n_branches = np.concatenate(self.n_branches)[order]
        rows, parent = np.concatenate(self.rows), np.concatenate(self.parent)
        return AndOrTree(rows, np.concatenate(self.stats), parent, reordered(whole, order), n_branches, leaf)
