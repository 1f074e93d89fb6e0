"""Collect the nodes of a growing tree, round by round, and freeze them into a Tree."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from treewright.split import Surrogate
from treewright.tree.tree import NO_SURROGATES, NO_TESTS, Surrogates, Tree
from treewright.typing import Array, Floats, Ints


@dataclass(frozen=True)
class Round:
    """Splits taken in one round: node ids, what they test, and where their children start."""

    id: Ints
    first_child: Ints
    column: Ints
    edge_size: Ints
    edges: Floats
    gain: Floats
    missing: Ints
    branch_size: Ints
    branch_of: Array
    test: Floats  # (splits, N_TEST), or without columns where nothing was tested


@dataclass
class TreeBuilder:
    """Nodes are numbered as they are made; ``freeze`` renumbers them level by level."""

    parent: list[Array] = field(default_factory=list)
    rows: list[Ints] = field(default_factory=list)
    stats: list[Ints] = field(default_factory=list)
    rounds: list[Round] = field(default_factory=list)
    surrogates: dict[int, tuple[Surrogate, ...]] = field(default_factory=dict)
    n_nodes: int = 0

    def add_nodes(self, parent: Array, rows: Ints, stats: Ints) -> None:
        self.parent.append(parent)
        self.rows.append(rows)
        self.stats.append(stats)
        self.n_nodes += len(parent)

    def add_splits(self, taken: Round) -> None:
        self.rounds.append(taken)

    def freeze(self) -> tuple[Tree, Ints]:
        """The tree, with its values still to be set, and the engine's integer statistics of every node."""
        parent, stats = np.concatenate(self.parent), np.concatenate(self.stats)
        splits = self._in_node_order()
        first_child = np.full(self.n_nodes, -1, np.int64)
        first_child[splits.id] = splits.first_child
        n_branches = np.bincount(parent[1:], minlength=self.n_nodes)
        tree = self._arrays(parent, first_child, n_branches, splits)
        if (np.diff(splits.first_child) > 0).all():  # grown level by level, so numbered level by level
            return tree, stats
        old = level_order(first_child, n_branches)
        return renumber_nodes(tree, old), stats[old]

    def _in_node_order(self) -> Round:
        """All rounds as one, sorted by node."""
        if not self.rounds:
            none, nothing = np.empty(0, np.int64), np.empty(0)
            branches, tests = np.empty(0, np.int32), np.empty((0, 0))
            return Round(none, none, none, none, nothing, nothing, none, none, branches, tests)
        parts = {name: np.concatenate([getattr(r, name) for r in self.rounds]) for name in Round.__dataclass_fields__}
        if (np.diff(parts["id"]) > 0).all():
            return Round(**parts)
        order = np.argsort(parts["id"])
        branch_of = _gather_ragged(parts.pop("branch_of"), parts["branch_size"], order)
        edges = _gather_ragged(parts.pop("edges"), parts["edge_size"], order)
        return Round(**{name: part[order] for name, part in parts.items()}, edges=edges, branch_of=branch_of)

    def _arrays(self, parent: Array, first_child: Ints, n_branches: Ints, splits: Round) -> Tree:
        def at_nodes(values: Array, otherwise: float, dtype: type) -> Array:
            full: Array = np.full(self.n_nodes, otherwise, dtype)
            full[splits.id] = values
            return full

        test = NO_TESTS
        if splits.test.size:
            test = np.zeros((self.n_nodes, splits.test.shape[1]))
            test[splits.id] = splits.test
        return Tree(
            parent=parent.astype(np.int32),
            first_child=first_child.astype(np.int32),
            n_branches=n_branches.astype(np.int32),
            column=at_nodes(splits.column, -1, np.int32),
            edge_start=offsets(at_nodes(splits.edge_size, 0, np.int64)),
            edges=splits.edges,
            branch_start=offsets(at_nodes(splits.branch_size, 0, np.int64)),
            branch_of=splits.branch_of.astype(np.int32),
            stats=np.empty((0, 0)),
            rows=np.concatenate(self.rows),
            missing=at_nodes(splits.missing, 0, np.int64),
            gain=at_nodes(splits.gain, 0.0, np.float64),
            value=np.empty((0, 0)),
            test=test,
            surrogates=pack_surrogates(self.surrogates, self.n_nodes),
        )


def level_order(first_child: Ints, n_branches: Ints) -> Ints:
    """Nodes level by level from the root, children in branch order."""
    levels = [np.zeros(1, np.int64)]
    while levels[-1].size:
        inner = levels[-1][n_branches[levels[-1]] > 0]
        sizes = n_branches[inner]
        shift = first_child[inner] - (np.cumsum(sizes) - sizes)
        levels.append(np.arange(int(sizes.sum())) + np.repeat(shift, sizes))
    return np.concatenate(levels)


def renumber_nodes(tree: Tree, old: Ints) -> Tree:
    """The same tree with node ``old[v]`` as node v."""
    new = np.empty_like(old)
    new[old] = np.arange(len(old))
    return reorder_splits(tree, old)._replace(
        parent=np.where(tree.parent >= 0, new[tree.parent], -1)[old].astype(np.int32),
        first_child=np.where(tree.first_child >= 0, new[tree.first_child], -1)[old].astype(np.int32),
    )


def reorder_splits(tree: Tree, order: Ints) -> Tree:
    """Put what nodes test and hold into the given order (parents and children are the caller's business)."""
    edge_sizes, branch_sizes = np.diff(tree.edge_start), np.diff(tree.branch_start)
    return tree._replace(
        n_branches=tree.n_branches[order],
        column=tree.column[order],
        edge_start=offsets(edge_sizes[order]),
        edges=_gather_ragged(tree.edges, edge_sizes, order),
        branch_start=offsets(branch_sizes[order]),
        branch_of=_gather_ragged(tree.branch_of, branch_sizes, order),
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
    listed = [surrogate for node in range(n_nodes) for surrogate in by_node.get(node, ())]
    return Surrogates(
        offsets(np.array([len(by_node.get(node, ())) for node in range(n_nodes)])),
        np.array([surrogate.split.column for surrogate in listed], np.int32),
        np.array([surrogate.split.edges[0] if surrogate.split.is_numeric else np.nan for surrogate in listed]),
        offsets(np.array([len(surrogate.split.branch_of) for surrogate in listed])),
        np.concatenate([surrogate.split.branch_of for surrogate in listed]).astype(np.int32),
        np.array([surrogate.agreement for surrogate in listed]),
        np.array([surrogate.adjusted for surrogate in listed]),
    )


def offsets(sizes: Ints) -> Ints:
    """Where pieces of these sizes start when they stand end to end, and where the last one ends."""
    return np.concatenate([np.zeros(1, np.int64), np.cumsum(sizes)])


def spans(start: Ints, sizes: Ints) -> Ints:
    """The indices start[i] … start[i] + sizes[i] - 1 of every i, end to end.

    >>> spans(np.array([5, 0]), np.array([2, 3])).tolist()
    [5, 6, 0, 1, 2]
    """
    return np.asarray(np.arange(int(sizes.sum())) + np.repeat(start - (np.cumsum(sizes) - sizes), sizes))


def _gather_ragged(values: Array, sizes: Ints, order: Ints) -> Array:
    """The pieces of ``values`` (piece i has ``sizes[i]`` items) in the given order, end to end."""
    return np.asarray(values[spans(offsets(sizes)[order], sizes[order])])
