"""Rows down many trees at once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from treewright.engines.workers import Workers
from treewright.prediction import apply, predicted_values
from treewright.tree.build import offsets
from treewright.tree.tree import Tree
from treewright.typing import Array, Floats, Ints

_CHUNK = 65_536  # rows that go down a tree before they go down the next, which has to be fetched from memory
_SMALL = 2_048  # not shared out among threads
_PLAIN_SECONDS = 4e-8  # what a row takes longer for a level without compiled kernels
_SIGN, _REST = np.int32(31), np.int32(0x7FFFFFFF)


class ManyTrees:
    """Trees over the columns of one matrix, all with as many values.

    Trees whose nodes can be packed go down a kernel; where a row may reach several leaves, or surrogates are asked,
    all go one after the other. Sums do not depend on the number of threads.
    """

    def __init__(self, trees: Sequence[Tree]) -> None:
        self.trees = tuple(trees)

    def __len__(self) -> int:
        return len(self.trees)

    def sums(self, matrix: Array, n_jobs: int, weights: Floats | None = None) -> Floats:
        """(rows, values) what the trees predict, added up by their weights (None: 1)."""
        weights = np.ones(len(self)) if weights is None else np.asarray(weights, np.float64)
        sums = np.zeros((len(matrix), self.trees[0].value.shape[1]))
        if self._by_kernel(matrix):
            self._send(matrix, n_jobs, weights, sums, np.empty((0, 0), np.int32))
        else:
            for tree, weight in zip(self.trees, weights, strict=True):
                sums += weight * predicted_values(tree, matrix, n_jobs)
        return sums

    def leaves(self, matrix: Array, n_jobs: int) -> Array:
        """(rows, trees) the node that each row ends in, that of the largest share if there are several."""
        if not self._by_kernel(matrix):
            return np.stack([apply(tree, matrix, n_jobs) for tree in self.trees], axis=1)
        leaves = np.empty((len(matrix), len(self)), np.int32)
        self._send(matrix, n_jobs, np.ones(len(self)), np.empty((0, 0)), leaves)
        return leaves

    def _by_kernel(self, matrix: Array) -> bool:
        from treewright.kernels import switch
        from treewright.kernels.row_routing.many_trees import send_down

        levels = sum(tree.n_nodes.bit_length() for tree in self.trees)  # about
        seconds = _PLAIN_SECONDS * len(matrix) * levels
        return self.can_be_packed and switch.should_compile(seconds, send_down)

    @cached_property
    def can_be_packed(self) -> bool:
        return all(_can_be_packed(tree) for tree in self.trees)

    def _send(self, matrix: Array, n_jobs: int, weights: Floats, sums: Floats, leaves: Array) -> None:
        from treewright.kernels.row_routing.many_trees import send_down

        packed, keys_of = self._packed_for(matrix)
        size = max(min(_CHUNK, -(-len(matrix) // n_jobs)), _SMALL)

        def send(chunk: int, worker: int) -> None:
            rows = slice(chunk * size, (chunk + 1) * size)
            keys = keys_of(matrix[rows])
            send_down(
                keys, rows.start, packed.nodes, packed.roots, packed.branches, weights, packed.values, sums, leaves
            )

        n_chunks = -(-len(matrix) // size)
        with Workers(min(n_jobs, max(n_chunks, 1))) as workers:
            workers.each(n_chunks, send)

    def _packed_for(self, matrix: Array) -> tuple[PackedNodes, Any]:
        """Nodes and keys: numbers of 32 bits are compared as they are, others by their place among all thresholds."""
        if matrix.dtype == np.float32 or _fits_float32(matrix):
            return self._by_value, self._keys_by_value
        return self._by_rank, self._keys_by_rank

    # ---- keys --------------------------------------------------------------------------------------------------

    @cached_property
    def _level_columns(self) -> Ints:
        """Columns that are tested by levels."""
        by_level = [np.unique(tree.column[_is_by_level(tree)]) for tree in self.trees]
        return np.unique(np.concatenate(by_level))

    def _keys_by_value(self, rows: Array) -> Array:
        keys = in_order(rows.astype(np.float32))
        self._put_levels(rows, keys)
        return keys

    def _keys_by_rank(self, rows: Array) -> Array:
        from treewright.kernels.row_routing.many_trees import MISSING

        keys = np.full(rows.shape, MISSING, np.int32)
        for j, edges in self._edges_by_column.items():
            numbers = rows[:, j]
            keys[:, j] = np.where(np.isnan(numbers), MISSING, np.searchsorted(edges, numbers))
        self._put_levels(rows, keys)
        return keys

    def _put_levels(self, rows: Array, keys: Array) -> None:
        for j in self._level_columns:
            keys[:, j] = np.nan_to_num(rows[:, j], nan=0.0)

    @cached_property
    def _edges_by_column(self) -> dict[int, Floats]:
        column = np.concatenate([tree.column[_is_by_order(tree)] for tree in self.trees])
        edges = np.concatenate([tree.edges for tree in self.trees])
        return {int(j): np.unique(edges[column == j]) for j in np.unique(column)}

    # ---- nodes -------------------------------------------------------------------------------------------------

    @cached_property
    def _by_value(self) -> PackedNodes:
        return pack([_packed(tree, in_order(_up_to(tree.edges))) for tree in self.trees])

    @cached_property
    def _by_rank(self) -> PackedNodes:
        return pack([_packed(tree, self._edge_ranks(tree)) for tree in self.trees])

    def _edge_ranks(self, tree: Tree) -> Ints:
        column, ranks = tree.column[_is_by_order(tree)], np.empty(len(tree.edges), np.int64)
        for j in np.unique(column):
            mine = column == j
            ranks[mine] = np.searchsorted(self._edges_by_column[int(j)], tree.edges[mine])
        return ranks


@dataclass(frozen=True)
class PackedNodes:
    """See kernels/row_routing/many_trees.py."""

    nodes: Array  # (nodes, 4) int32
    roots: Ints
    branches: Array  # of levels
    values: Floats  # of leaves


def pack(parts: Sequence[PackedNodes]) -> PackedNodes:
    """Trees end to end."""
    n_nodes, n_branches, n_leaves = (
        offsets(np.array([len(getattr(part, name)) for part in parts])) for name in ("nodes", "branches", "values")
    )
    nodes = np.concatenate([part.nodes for part in parts])
    for k in range(len(parts)):
        mine = nodes[n_nodes[k] : n_nodes[k + 1]]
        inner, by_level = mine[:, 2] >= 0, mine[:, 0] < 0
        mine[inner, 2] += n_nodes[k]
        mine[by_level, 1] += n_branches[k]
        mine[~inner, 1] += n_leaves[k]
    branches, values = (np.concatenate([getattr(part, name) for part in parts]) for name in ("branches", "values"))
    return PackedNodes(nodes, n_nodes[:-1], branches, values)


def _packed(tree: Tree, edges: Array) -> PackedNodes:
    """One tree; ``edges`` are the keys of its thresholds."""
    nodes = np.zeros((tree.n_nodes, 4), np.int32)
    inner, by_order, by_level = tree.n_branches > 0, _is_by_order(tree), _is_by_level(tree)
    leaves = np.flatnonzero(~inner)
    sizes = np.diff(tree.branch_start)
    nodes[:, 2] = tree.first_child
    nodes[by_order, 0], nodes[by_order, 1] = tree.column[by_order], edges
    nodes[by_order, 3] = tree.branch_of[tree.branch_start[:-1][by_order]]
    nodes[by_level, 0] = -1 - tree.column[by_level]
    nodes[by_level, 1] = offsets(np.where(by_level, sizes, 0))[:-1][by_level]
    nodes[leaves, 1], nodes[leaves, 3] = np.arange(len(leaves)), leaves
    branches = tree.branch_of[np.repeat(by_level, sizes)].astype(np.int32)
    return PackedNodes(nodes, np.zeros(1, np.int64), branches, tree.value[leaves])


def _is_by_order(tree: Tree) -> Array:
    return np.asarray(np.diff(tree.edge_start) > 0)


def _is_by_level(tree: Tree) -> Array:
    return np.asarray((tree.n_branches > 0) & ~_is_by_order(tree))


def _can_be_packed(tree: Tree) -> bool:
    """Every row goes one way, and by one threshold where a test has some: left up to it, right above."""
    if tree.surrogates.exist or tree.bounds.size or (tree.branch_of < 0).any():
        return False
    by_order, sizes = _is_by_order(tree), np.diff(tree.branch_start)
    if not (np.diff(tree.edge_start)[by_order] == 1).all() or not (sizes[by_order] == 3).all():
        return False
    first = tree.branch_start[:-1][by_order]
    return bool((tree.branch_of[first + 1] == 0).all() and (tree.branch_of[first + 2] == 1).all())


def in_order(numbers: Array) -> Array:
    """Whole numbers in the order of these floats of 32 bits, and the lowest there is for NaN.

    >>> in_order(np.array([-1.5, 0.0, 1.5, np.nan], np.float32)).tolist()
    [-1069547521, 0, 1069547520, -2147483648]
    """
    from treewright.kernels.row_routing.many_trees import MISSING

    bits = np.ascontiguousarray(numbers + np.float32(0)).view(np.int32)  # no negative zero
    keys = bits ^ ((bits >> _SIGN) & _REST)
    return np.asarray(np.where(np.isnan(numbers), np.int32(MISSING), keys))


def _up_to(edges: Floats) -> Array:
    """The largest float of 32 bits that is not above each: what is not above the one is not above the other."""
    with np.errstate(over="ignore"):
        nearest = edges.astype(np.float32)
    return np.where(nearest > edges, np.nextafter(nearest, np.float32(-np.inf)), nearest)


def _fits_float32(matrix: Array) -> bool:
    """Whether no digit is lost."""
    with np.errstate(over="ignore"):
        return bool(np.array_equal(matrix.astype(np.float32), matrix, equal_nan=True))
