"""Rows down many trees at once."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from treewright.engines.compiled.code_table import bits_in_order
from treewright.engines.workers import Workers, in_turn
from treewright.narrow_trees import NarrowTree, NarrowTrees
from treewright.prediction import apply, predicted_values
from treewright.tree.build import offsets, spans
from treewright.tree.tree import Tree
from treewright.typing import Array, Floats, Ints

_CHUNK = 65_536  # rows that go down a tree before they go down the next, which has to be fetched from memory
_SMALL = 2_048  # not shared out among threads
_PLAIN_SECONDS = 4e-8  # what a row takes longer for a level without compiled kernels


class ManyTrees:
    """Trees over the columns of one matrix, all with as many values.

    Trees whose nodes can be packed go down a kernel; where a row may reach several leaves, or surrogates are asked,
    all go one after the other. Sums do not depend on the number of threads.
    """

    def __init__(self, trees: Iterable[Tree]) -> None:
        self.trees = trees if isinstance(trees, NarrowTrees) else NarrowTrees(trees)

    def __len__(self) -> int:
        return len(self.trees)

    def sums(self, matrix: Array, n_jobs: int, weights: Floats | None = None) -> Floats:
        """(rows, values) what the trees predict, added up by their weights (None: 1)."""
        weights = np.ones(len(self)) if weights is None else np.asarray(weights, np.float64)
        sums = np.zeros((len(matrix), self.trees[0].value.shape[1]))
        if self.by_kernel(matrix):
            self._send(matrix, n_jobs, weights, sums, np.empty((0, 0), np.int32))
        else:
            for tree, weight in zip(self.trees, weights, strict=True):
                sums += weight * predicted_values(tree, matrix, n_jobs)
        return sums

    def leaves(self, matrix: Array, n_jobs: int) -> Array:
        """(rows, trees) the node that each row ends in, that of the largest share if there are several."""
        if not self.by_kernel(matrix):
            return np.stack([apply(tree, matrix, n_jobs) for tree in self.trees], axis=1)
        leaves = np.empty((len(matrix), len(self)), np.int32)
        self._send(matrix, n_jobs, np.ones(len(self)), np.empty((0, 0)), leaves)
        return leaves

    def by_kernel(self, matrix: Array) -> bool:
        from treewright.kernels import switch
        from treewright.kernels.row_routing.many_trees import send_down

        levels = sum(tree.n_nodes.bit_length() for tree in self.trees.kept)  # about
        seconds = _PLAIN_SECONDS * len(matrix) * levels
        return self.can_be_packed and switch.should_compile(seconds, send_down)

    @cached_property
    def can_be_packed(self) -> bool:
        return all(isinstance(tree, NarrowTree) and tree.goes_one_way for tree in self.trees.kept)

    @property
    def _narrow(self) -> Iterator[NarrowTree]:
        """The trees, all of which can be packed."""
        for tree in self.trees.kept:
            assert isinstance(tree, NarrowTree)
            yield tree

    def _send(self, matrix: Array, n_jobs: int, weights: Floats, sums: Floats, leaves: Array) -> None:
        packed, keys_of = self.packed_for(matrix)
        size = max(min(_CHUNK, -(-len(matrix) // n_jobs)), _SMALL)

        def send(chunk: int, worker: int) -> None:
            rows = slice(chunk * size, (chunk + 1) * size)
            packed.send(keys_of(matrix[rows]), rows.start, weights, sums, leaves)

        n_chunks = -(-len(matrix) // size)
        with Workers(min(n_jobs, max(n_chunks, 1))) as workers:
            workers.each(n_chunks, send)

    def packed_for(self, matrix: Array) -> tuple[PackedNodes, Any]:
        """Nodes and keys of all trees."""
        return (self._by_value if _is_short(matrix) else self._by_rank), self.forms_for(matrix)[1]

    def forms_for(self, matrix: Array) -> tuple[Callable[[NarrowTree], Array], Callable[[Array], Array]]:
        """How thresholds of a tree and rows become keys: numbers of 32 bits are compared as they are, others by their
        place among all thresholds."""
        if _is_short(matrix):
            return _edges_by_value, self._keys_by_value
        return self._edge_ranks, self._keys_by_rank

    # ---- keys --------------------------------------------------------------------------------------------------

    @cached_property
    def _level_columns(self) -> Ints:
        """Columns that are tested by levels."""
        by_level = [np.unique(tree.tested[~tree.is_by_order]) for tree in self._narrow]
        return np.unique(np.concatenate(by_level))

    def _keys_by_value(self, rows: Array) -> Array:
        keys = bits_in_order(rows.astype(np.float32))
        self._put_levels(rows, keys)
        return keys

    def _keys_by_rank(self, rows: Array) -> Array:
        keys = np.zeros(rows.shape, np.uint32)
        for j, edges in self._edges_by_column.items():
            numbers = rows[:, j]
            keys[:, j] = np.where(np.isnan(numbers), 0, np.searchsorted(edges, numbers) + 1)
        self._put_levels(rows, keys)
        return keys

    def _put_levels(self, rows: Array, keys: Array) -> None:
        for j in self._level_columns:
            keys[:, j] = np.nan_to_num(rows[:, j], nan=0.0)

    @cached_property
    def _edges_by_column(self) -> dict[int, Floats]:
        column = np.concatenate([tree.tested[tree.is_by_order] for tree in self._narrow])
        edges = np.concatenate([tree.edges for tree in self._narrow])
        return {int(j): np.unique(edges[column == j]) for j in np.unique(column)}

    # ---- nodes -------------------------------------------------------------------------------------------------

    @cached_property
    def _by_value(self) -> PackedNodes:
        return pack([_packed(tree, _edges_by_value(tree)) for tree in self._narrow])

    @cached_property
    def _by_rank(self) -> PackedNodes:
        return pack([_packed(tree, self._edge_ranks(tree)) for tree in self._narrow])

    def _edge_ranks(self, tree: NarrowTree) -> Ints:
        column, ranks = tree.tested[tree.is_by_order], np.empty(len(tree.edges), np.int64)
        for j in np.unique(column):
            mine = column == j
            ranks[mine] = np.searchsorted(self._edges_by_column[int(j)], tree.edges[mine]) + 1
        return ranks


class RowsOfTrees:
    """Rows of a matrix that go down the trees one by one: what is made of the rows is made once for all trees, and each
    tree is packed when it is asked for, so that no more than a few are in memory twice.

    ``cells`` are the rows in the form in which trees read them, (rows, columns): take some, exchange values of a
    column, and ask what a tree says.
    """

    def __init__(self, trees: ManyTrees, matrix: Array, n_jobs: int = 1) -> None:
        self.trees, self.cells = trees.trees, matrix
        self._edges_of: Callable[[NarrowTree], Array] | None = None
        if trees.by_kernel(matrix):
            self._edges_of, keys_of = trees.forms_for(matrix)
            self.cells = _by_parts(keys_of, matrix, n_jobs)

    def predictor(self, k: int) -> Callable[[Array], Floats]:
        """What tree k predicts for rows of such cells."""
        if self._edges_of is None:
            whole = self.trees[k]
            return lambda cells: predicted_values(whole, cells, 1)
        tree = self.trees.kept[k]
        assert isinstance(tree, NarrowTree)
        packed = _packed(tree, self._edges_of(tree))

        def predict(cells: Array) -> Floats:
            said = np.zeros((len(cells), packed.values.shape[1]))
            packed.send(cells, 0, np.ones(1), said, np.empty((0, 0), np.int32))
            return said

        return predict


def _by_parts(keys_of: Callable[[Array], Array], matrix: Array, n_jobs: int) -> Array:
    """The keys of rows, threads sharing the rows."""
    bounds = np.linspace(0, len(matrix), n_jobs + 1).astype(np.int64)
    keys_of(matrix[:0])  # what all parts need of the trees is made once
    return np.concatenate(list(in_turn(lambda k: keys_of(matrix[bounds[k] : bounds[k + 1]]), n_jobs, n_jobs)))


@dataclass(frozen=True)
class PackedNodes:
    """See kernels/row_routing/many_trees.py."""

    nodes: Array  # (nodes, 4) uint32
    roots: Ints
    branches: Array  # of levels that do not fit in a node
    values: Floats  # of leaves
    has_levels: bool

    def send(self, keys: Array, first_row: int, weights: Floats, sums: Floats, leaves: Array) -> None:
        """Rows down the trees; see ``send_down``."""
        from treewright.kernels.row_routing.many_trees import send_down

        send_down(
            keys, first_row, self.nodes, self.roots, self.has_levels, self.branches, weights, self.values, sums, leaves
        )


def pack(parts: Sequence[PackedNodes]) -> PackedNodes:
    """Trees end to end."""
    from treewright.kernels.row_routing.many_trees import BY_TABLE

    n_nodes, n_branches, n_leaves = (
        offsets(np.array([len(getattr(part, name)) for part in parts])) for name in ("nodes", "branches", "values")
    )
    nodes = np.concatenate([part.nodes for part in parts])
    for k in range(len(parts)):
        mine = nodes[n_nodes[k] : n_nodes[k + 1]]
        is_leaf, by_table = mine[:, 2] == np.arange(len(mine)), mine[:, 0] & 3 == BY_TABLE
        mine[:, 2] += np.uint32(n_nodes[k])
        mine[by_table, 1] += np.uint32(n_branches[k])
        mine[is_leaf, 3] += np.uint32(n_leaves[k])
    branches, values = (np.concatenate([getattr(part, name) for part in parts]) for name in ("branches", "values"))
    return PackedNodes(nodes, n_nodes[:-1], branches, values, any(part.has_levels for part in parts))


def _packed(tree: NarrowTree, edges: Array) -> PackedNodes:
    """One tree; ``edges`` are the keys of its thresholds."""
    from treewright.kernels.row_routing.many_trees import UP_TO_RIGHT

    n_nodes, is_leaf, inner, by_order = tree.n_nodes, tree.n_branches == 0, tree.inner, tree.is_by_order
    column, firsts = tree.tested, offsets(tree.code_sizes)[:-1]
    nodes, child = np.zeros((n_nodes, 4), np.uint32), np.arange(n_nodes)
    child[inner] = tree.first_children_of(inner)
    nodes[:, 1], nodes[:, 2] = 2**32 - 1, child
    nodes[is_leaf, 3] = np.arange(n_nodes - len(inner))
    numeric = np.flatnonzero(by_order)
    goes_right = tree.branch_of[firsts[numeric]].astype(np.int64)
    at_numbers = inner[numeric]
    nodes[at_numbers, 0] = 4 * column[numeric] + UP_TO_RIGHT * goes_right
    nodes[at_numbers, 1] = edges - goes_right
    branches = tree.branch_of[:0].astype(np.int32)
    if len(numeric) < len(inner):
        branches = _put_levels(nodes, tree, inner, np.flatnonzero(~by_order))
    return PackedNodes(nodes, np.zeros(1, np.int64), branches, tree.leaf_values, len(numeric) < len(inner))


def _put_levels(nodes: Array, tree: NarrowTree, inner: Ints, by_level: Ints) -> Array:
    """Write the nodes that test levels; returns the branches of those that do not fit in a node."""
    from treewright.kernels.row_routing.many_trees import BITS, BY_BITS, BY_TABLE

    sizes, column, firsts = tree.code_sizes, tree.tested, offsets(tree.code_sizes)[:-1]
    fits = (sizes[by_level] <= BITS) & (tree.n_branches[inner[by_level]] == 2)
    small, large = by_level[fits], by_level[~fits]
    nodes[inner[small], 0] = 4 * column[small] + BY_BITS
    nodes[inner[large], 0] = 4 * column[large] + BY_TABLE
    of_small = tree.branch_of[spans(firsts[small], sizes[small])]
    nodes[inner[small], 1], nodes[inner[small], 3] = _bits(of_small, sizes[small])
    nodes[inner[large], 1] = offsets(sizes[large])[:-1]
    return tree.branch_of[spans(firsts[large], sizes[large])].astype(np.int32)


def _bits(branch_of: Array, sizes: Ints) -> tuple[Array, Array]:
    """Branches 0 and 1 of the codes of nodes, end to end, as the low and the high 32 bits of one number each."""
    code = np.arange(len(branch_of)) - np.repeat(offsets(sizes)[:-1], sizes)
    bits = branch_of.astype(np.uint64) << code.astype(np.uint64)
    sums = np.add.reduceat(bits, offsets(sizes)[:-1]) if len(sizes) else bits
    return sums & np.uint64(2**32 - 1), sums >> np.uint64(32)


def _edges_by_value(tree: NarrowTree) -> Array:
    return bits_in_order(_up_to(tree.edges))


def _up_to(edges: Floats) -> Array:
    """The largest float of 32 bits that is not above each: what is not above the one is not above the other."""
    with np.errstate(over="ignore"):
        nearest = edges.astype(np.float32)
    return np.where(nearest > edges, np.nextafter(nearest, np.float32(-np.inf)), nearest)


def _is_short(matrix: Array) -> bool:
    """Whether all numbers are of 32 bits, so that no digit is lost."""
    if matrix.dtype == np.float32:
        return True
    with np.errstate(over="ignore"):
        return bool(np.array_equal(matrix.astype(np.float32), matrix, equal_nan=True))
