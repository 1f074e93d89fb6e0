"""Collect the nodes of a growing tree, round by round, and freeze them into a Tree."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from treewright.kernels.nodes_by_level import nodes_by_level
from treewright.split import Surrogate
from treewright.tree.tree import IN_FULL, NO_SURROGATES, NO_TESTS, LeafKind, Surrogates, Tree
from treewright.typing import Array, Floats, Ints


@dataclass(frozen=True)
class Round:
    """Splits taken in one round: node ids, what they test, and where their children start."""

    id: Ints
    first_child: Ints
    column: Ints
    edge_size: Ints
    edges: Floats
    below: Floats
    gain: Floats
    missing: Ints
    branch_size: Ints
    branch_of: Array
    test: Floats  # (splits, N_TEST), or without columns where nothing was tested


@dataclass
class TreeBuilder:
    """Nodes are numbered as they are made; ``freeze`` renumbers them level by level."""

    rows: list[Ints] = field(default_factory=list)
    stats: list[Ints] = field(default_factory=list)
    rounds: list[Round] = field(default_factory=list)
    surrogates: dict[int, tuple[Surrogate, ...]] = field(default_factory=dict)
    n_nodes: int = 0

    def add_nodes(self, rows: Ints, stats: Ints) -> None:
        self.rows.append(rows)
        self.stats.append(stats)
        self.n_nodes += len(rows)

    def add_splits(self, taken: Round) -> None:
        self.rounds.append(taken)

    def freeze(self, leaf: LeafKind) -> tuple[Tree, Ints]:
        """The tree, its statistics and values still to be set, and the engine's integer statistics of every node."""
        splits = self.all_splits()
        first_child, n_branches, split_at = np.full((3, self.n_nodes), -1, np.int64)
        first_child[splits.id] = splits.first_child
        n_branches[:] = 0
        n_branches[splits.id] = np.diff(splits.first_child, append=self.n_nodes)  # children come in the order of splits
        split_at[splits.id] = np.arange(len(splits.id))
        old = level_order(first_child, n_branches)
        rows = np.concatenate(self.rows)[old]
        tree = tree_of_splits(rows, n_branches[old], split_at[old], splits, leaf, self.surrogates)
        return tree, np.take(np.concatenate(self.stats), old, axis=0)

    def all_splits(self) -> Round:
        """All rounds as one."""
        if not self.rounds:
            none, nothing = np.empty(0, np.int64), np.empty(0)
            branches, tests = np.empty(0, np.int32), np.empty((0, 0))
            return Round(none, none, none, none, nothing, nothing, nothing, none, none, branches, tests)
        if len(self.rounds) == 1:
            return self.rounds[0]
        return Round(*(np.concatenate([getattr(r, name) for r in self.rounds]) for name in Round.__dataclass_fields__))


def tree_of_splits(
    rows: Ints,
    n_branches: Ints,
    split_at: Ints,
    splits: Round,
    leaf: LeafKind,
    stand_ins: Mapping[int, tuple[Surrogate, ...]],
) -> Tree:
    """A tree of nodes in level order, statistics and values still to be set; ``split_at`` says which split a node has,
    -1: none. ``stand_ins`` are the surrogates of splits, by the number of their node."""
    n_nodes = len(rows)
    inner = np.flatnonzero(split_at >= 0)
    order = split_at[inner]

    def at_nodes(values: Array, otherwise: float, dtype: type) -> Array:
        full: Array = np.full(n_nodes, otherwise, dtype)
        full[inner] = values[order]
        return full

    parent = np.full(n_nodes, -1, np.int32)
    parent[1:] = np.repeat(np.arange(n_nodes), n_branches)
    test = NO_TESTS
    if splits.test.size:
        test = np.zeros((n_nodes, splits.test.shape[1]))
        test[inner] = splits.test[order]
    surrogates = {}
    if stand_ins:
        surrogates = {int(v): stand_ins.get(int(splits.id[k]), ()) for v, k in zip(inner, order)}
    return Tree(
        parent=parent,
        first_child=np.where(split_at >= 0, offsets(n_branches)[:-1] + 1, -1).astype(np.int32),
        n_branches=n_branches.astype(np.int32),
        column=at_nodes(splits.column, -1, np.int32),
        edge_start=offsets(at_nodes(splits.edge_size, 0, np.int64)),
        edges=gather_ragged(splits.edges, splits.edge_size, order),
        below=gather_ragged(splits.below, splits.edge_size, order),
        branch_start=offsets(at_nodes(splits.branch_size, 0, np.int64)),
        branch_of=gather_ragged(splits.branch_of, splits.branch_size, order).astype(np.int32, copy=False),
        stats=np.empty((0, 0)),
        rows=rows,
        missing=at_nodes(splits.missing, 0, np.int64),
        gain=at_nodes(splits.gain, 0.0, np.float64),
        value=np.empty((0, 0)),
        leaf=leaf,
        test=test,
        surrogates=pack_surrogates(surrogates, n_nodes),
    )


def level_order(first_child: Ints, n_branches: Ints) -> Ints:
    """Nodes level by level from the root, children in branch order; those that are not below it are left out."""
    order = np.empty(len(first_child), np.int64)
    return order[: nodes_by_level(first_child, n_branches, order)]


def reorder_splits(tree: Tree, order: Ints) -> Tree:
    """Put what nodes test and hold into the given order (parents and children are the caller's business)."""
    edge_sizes, branch_sizes = np.diff(tree.edge_start), np.diff(tree.branch_start)
    edges = gather_ragged(np.arange(len(tree.edges)), edge_sizes, order)
    return tree._replace(
        n_branches=tree.n_branches[order],
        column=tree.column[order],
        edge_start=offsets(edge_sizes[order]),
        edges=tree.edges[edges],
        bounds=tree.bounds[edges] if tree.bounds.size else tree.bounds,
        printed=tree.printed[edges] if tree.printed.size else tree.printed,
        below=tree.below[edges] if tree.below.size else tree.below,
        branch_start=offsets(branch_sizes[order]),
        branch_of=gather_ragged(tree.branch_of, branch_sizes, order),
        rows=tree.rows[order],
        missing=tree.missing[order],
        gain=tree.gain[order],
        test=tree.test[order] if tree.test.size else tree.test,
        surrogates=pack_surrogates({new: tree.surrogates.of(old) for new, old in enumerate(order)}, len(order))
        if tree.surrogates.exist
        else tree.surrogates,
    )


def pack_surrogates(by_node: Mapping[int, tuple[Surrogate, ...]], n_nodes: int) -> Surrogates:
    """The surrogates of all nodes end to end."""
    if not any(by_node.values()):
        return NO_SURROGATES
    items = [surrogate for node in range(n_nodes) for surrogate in by_node.get(node, ())]
    return Surrogates(
        offsets(np.array([len(by_node.get(node, ())) for node in range(n_nodes)])),
        np.array([surrogate.split.column for surrogate in items], np.int32),
        np.array([surrogate.split.edges[0] if surrogate.split.is_numeric else np.nan for surrogate in items]),
        offsets(np.array([len(surrogate.split.branch_of) for surrogate in items])),
        np.concatenate([surrogate.split.branch_of for surrogate in items]).astype(np.int32),
        np.array([surrogate.agreement for surrogate in items]),
        np.array([surrogate.adjusted for surrogate in items]),
        _printed(items),
    )


def _printed(items: list[Surrogate]) -> Floats:
    if any(surrogate.split.is_numeric and surrogate.split.printed is None for surrogate in items):
        return IN_FULL
    numbers = (surrogate.split.printed for surrogate in items)
    return np.array([np.nan if printed is None else printed[0] for printed in numbers])


def offsets(sizes: Ints) -> Ints:
    """Where pieces of these sizes start when they stand end to end, and where the last one ends."""
    starts = np.zeros(len(sizes) + 1, np.int64)
    np.cumsum(sizes, out=starts[1:])
    return starts


def spans(start: Ints, sizes: Ints) -> Ints:
    """The indices start[i] … start[i] + sizes[i] - 1 of every i, end to end.

    >>> spans(np.array([5, 0]), np.array([2, 3])).tolist()
    [5, 6, 0, 1, 2]
    """
    return np.asarray(np.arange(int(sizes.sum())) + np.repeat(start - (np.cumsum(sizes) - sizes), sizes))


def gather_ragged(values: Array, sizes: Ints, order: Ints) -> Array:
    """The pieces of ``values`` (piece i has ``sizes[i]`` items) in the given order, end to end."""
    if len(sizes) and (sizes == sizes[0]).all():  # as in a tree of numeric tests
        return np.asarray(values.reshape(len(sizes), -1)[order].ravel())
    return np.asarray(values[spans(offsets(sizes)[order], sizes[order])])
