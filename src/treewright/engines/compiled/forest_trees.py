"""From the splits of a search to a tree, as ensembles keep it."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from treewright.data.encoded import Encoded
from treewright.data.schema import Kind
from treewright.engines.choices.score_choice import ScoreChoice
from treewright.engines.compiled.code_table import CodeTable, numbers_of
from treewright.engines.target_stats import TargetStats
from treewright.kernels.forest_kernels.pairs_by_level import pairs_by_level
from treewright.leaves import Leaf
from treewright.narrow_trees import NarrowTree
from treewright.recipe_parts.recipe import Recipe
from treewright.split import midway
from treewright.tree.build import offsets, spans
from treewright.tree.narrow_arrays import narrow
from treewright.tree.tree import IN_FULL, NO_TESTS
from treewright.typing import Array, Floats, Ints


@dataclass(frozen=True)
class Room:
    """Splits of one tree, as the kernel leaves them; see there."""

    owner: Array
    column: Array
    cut: Array
    above: Array
    threshold: Array
    missing: Array
    missing_branch: Array
    branch_rows: Array
    branch_stats: Array
    gain: Array  # empty: not known

    @staticmethod
    def of(n_rows: int, n_stats: int, *, random_cuts: bool, gains: bool) -> Room:
        """A tree of n rows has fewer than n splits. Pages that nothing is written to take no memory."""
        owner, column, cut, above, missing = (np.empty(n_rows, np.int64) for _ in range(5))
        threshold, branches = np.empty(n_rows if random_cuts else 0), np.empty(n_rows, np.int64)
        rows, stats = np.empty(2 * n_rows, np.int64), np.empty((2 * n_rows, n_stats), np.int64)
        gain = np.empty(n_rows if gains else 0)
        return Room(owner, column, cut, above, threshold, missing, branches, rows, stats, gain)

    @property
    def arrays(self) -> tuple[Array, ...]:
        return tuple(vars(self).values())

    def first(self, n_splits: int) -> Room:
        n_rows = max(len(self.owner), 1)
        return Room(*(part[: n_splits * (len(part) // n_rows)] for part in self.arrays))

    def by_level(self) -> tuple[Room, Ints]:
        """The same level by level, and the node of each split; that of whom a split is follows from these."""
        n_splits = len(self.owner)
        order, node = np.empty((2, n_splits), np.int64)
        pairs_by_level(self.owner, order, node)

        def ordered(part: Array) -> Array:
            pieces = part.reshape(n_splits, -1) if len(part) > n_splits else part
            return np.take(pieces, order, axis=0).reshape(part.shape) if len(part) else part

        return Room(*map(ordered, self.arrays)), node


@dataclass(frozen=True)
class ForestTrees:
    """Makes the trees of one table and recipe."""

    encoded: Encoded
    recipe: Recipe
    table: CodeTable
    random_cuts: bool

    def tree(self, target: TargetStats, n_rows: int, made: Room, levels: Ints) -> NarrowTree:
        """Every array is written in its final order, and never in a wider type than it is kept in. What is printed is
        still to be set."""
        found, inner = made.by_level()
        is_number = np.array([column.kind is Kind.NUMERIC for column in self.encoded.schema.columns])[found.column]
        sizes = np.where(is_number, 3, self.table.n_codes[found.column])
        to = np.where(found.missing > 0, found.missing_branch, self._heavier(target, found))
        edge, below = self._edges(found)
        counts = _with_root(target.whole[None, :], found.branch_stats)
        n_branches = np.zeros(len(counts), np.uint8)
        n_branches[inner] = 2
        tree = NarrowTree(
            leaf=self.recipe.leaf.kind,
            n_branches=n_branches,
            column=narrow(found.column),
            n_edges=narrow(is_number.astype(np.uint8)),
            edges=edge[is_number],
            n_codes=narrow(sizes),
            branch_of=narrow(self._branches(found, to, levels, is_number, sizes)),
            stats=narrow(counts if target.are_counts else target.floats(counts)),
            rows=narrow(_with_root(np.array([n_rows]), found.branch_rows)),
            missing=narrow(found.missing),
            gain=narrow(found.gain if len(found.gain) else self._gains(target, counts, inner)),
            value=None,
            printed=narrow(IN_FULL),
            below=narrow(below[is_number]),
            test=NO_TESTS,
        )
        return tree if self._values_follow else self._with_values(tree)

    def _gains(self, target: TargetStats, counts: Ints, inner: Ints) -> Floats:
        return ScoreChoice(self.encoded, self.recipe, target, None).gains_of_pairs(counts, inner)

    @property
    def _values_follow(self) -> bool:
        """Whether nodes predict what their statistics say, whatever these are."""
        return self.recipe.leaf == Leaf(self.recipe.leaf.kind) and self.encoded.schema.target.priors is None

    def _with_values(self, narrow_tree: NarrowTree) -> NarrowTree:
        tree = narrow_tree.tree()
        values = self.recipe.leaf.values(tree.stats, tree.parent, self.encoded.schema.target)
        return narrow_tree if np.array_equal(values, tree.value) else replace(narrow_tree, value=narrow(values))

    @staticmethod
    def _heavier(target: TargetStats, found: Room) -> Ints:
        """The branch of missing values where none were seen: the heavier, without what costs and priors make of it."""
        weigh = target.int_weights if target.are_counts else target.plain_weights
        weights = weigh(found.branch_stats)
        return (weights[1::2] > weights[::2]).astype(np.int64)

    def _edges(self, found: Room) -> tuple[Floats, Floats]:
        """Thresholds of ordered columns and the numbers below; infinite where only missing values are above."""
        below, above = np.empty((2, len(found.owner)))
        by_bits = self.table.by_bits[found.column]
        below[by_bits], above[by_bits] = numbers_of(found.cut[by_bits]), numbers_of(found.above[by_bits])
        by_table = ~(self.table.by_bits | self.table.nominal)
        for j in np.flatnonzero((np.bincount(found.column, minlength=len(by_table)) > 0) & by_table):
            mine, (low, high) = np.flatnonzero(found.column == j), self.table.bounds[j]
            below[mine], above[mine] = high[found.cut[mine]], low[found.above[mine]]
        edge = found.threshold.copy() if self.random_cuts else midway(below, above)
        if self.random_cuts:
            beyond = np.flatnonzero(~(edge < above))
            edge[beyond] = midway(below[beyond], above[beyond])
        only_missing = found.above == 0
        return np.where(only_missing, np.inf, edge), np.where(only_missing, np.inf, below)

    def _branches(self, found: Room, to: Ints, levels: Ints, is_number: Array, sizes: Ints) -> Array:
        """The branch of every code, of all splits end to end. Levels that do not occur go as missing values do."""
        start = offsets(sizes)[:-1]
        branch_of = np.repeat(to, sizes).astype(np.int32)
        branch_of[start[is_number] + 1], branch_of[start[is_number] + 2] = 0, 1
        nominal = self.table.nominal[found.column]
        some = np.flatnonzero(nominal)
        if len(some):
            mine = levels[spans(found.cut[some], found.above[some])]
            branch_of[np.repeat(start[some], found.above[some]) + (mine >> 1)] = mine & 1
            branch_of[start[some]] = to[some]
        for s in np.flatnonzero(~is_number & ~nominal):
            codes, cut = np.arange(1, sizes[s]), found.cut[s] if found.above[s] else sizes[s]
            branch_of[start[s] + codes] = codes > cut
        return branch_of


def _with_root(of_root: Array, of_branches: Array) -> Array:
    """What is known of the root and of branches, node by node."""
    return np.concatenate([of_root, of_branches])
