"""Trees of a forest, each grown by one call over the codes of the whole table."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import cached_property

import numpy as np

from treewright.data.encoded import Encoded
from treewright.data.schema import Kind
from treewright.engines.compiled.code_table import code_table
from treewright.engines.compiled.forest_trees import ForestTrees, Room
from treewright.engines.compiled.subtree_search import halt_of
from treewright.engines.target_stats import ClassStats, MomentStats, TargetStats, target_stats
from treewright.engines.workers import Workers
from treewright.kernels.forest_kernels.forest import INTERRUPTED, grow_tree
from treewright.kernels.forest_kernels.forest_scan import CLASS_BITS, CLASSES, NUMBERS, PACKED
from treewright.kernels.search.mass import ENTROPY, Criterion, counts_table
from treewright.narrow_trees import NarrowTree
from treewright.recipe_parts.column_draw import ColumnDraw
from treewright.recipe_parts.missing import Missing
from treewright.recipe_parts.recipe import ByScore, Recipe, Splits
from treewright.typing import Array, Floats, Ints

_CRITERIA = ("gini", "entropy", "squared_error")
_EXACT = 2**26  # weights up to which sums of their squares are exact floats
_NOTHING = np.empty(0, np.int64)
Carried = tuple[int, tuple[Array, ...]]  # how rows count, and what each does
Rows = tuple[TargetStats, Array, Carried]
MemberParts = tuple[int, Ints | None, Ints | None]  # key, counts and columns; see grow_many.py


def serves(encoded: Encoded, recipe: Recipe, criteria: tuple[str, ...] = _CRITERIA) -> bool:
    """Whether the kernel knows all that the recipe asks for; other trees are grown one after the other."""
    choice, stop = recipe.choice, recipe.stop
    if not isinstance(choice, ByScore) or choice.score is not None or choice.select is not None:
        return False
    asked = (recipe.constraints, recipe.test_costs, recipe.halt, recipe.prune, stop.max_leaves, stop.significance)
    plain = all(piece is None for piece in asked) and not choice.above_average and recipe.tie == "first"
    known = recipe.criterion in criteria and set(recipe.missing) <= {Missing.LEARNED, Missing.ERROR}
    nominal = any(column.kind is Kind.NOMINAL for column in encoded.schema.columns)
    by_subset = recipe.splits is Splits.SUBSET or not nominal
    return bool(plain and known and by_subset and stop.min_weight_split == 0 and encoded.columns)


def serves_side_by_side(encoded: Encoded, recipe: Recipe) -> bool:
    """The same of ``trees``."""
    return serves(encoded, recipe, (*_CRITERIA, "gain_ratio"))


class ForestSearch:
    """Grows the trees of one table by one recipe: ``tree`` by the kernel, or ``trees`` without. ``interrupt`` makes all
    calls that are at work end soon."""

    def __init__(self, encoded: Encoded, recipe: Recipe, workers: Workers, *, compiled: bool = True) -> None:
        self.encoded = encoded
        self.recipe = recipe
        self.draw = recipe.draw or ColumnDraw(len(encoded.columns))
        self.table = code_table(encoded, workers, random_cuts=compiled and self.draw.random_cuts)
        self.interrupted = np.zeros(1, np.uint8)

    @cached_property
    def criterion(self) -> int:
        return int(Criterion[self.recipe.criterion.upper()])

    @cached_property
    def counts(self) -> Floats:
        return counts_table(self.criterion, self.encoded.n_rows)

    def interrupt(self) -> None:
        self.interrupted[0] = 1

    @cached_property
    def _made(self) -> ForestTrees:
        return ForestTrees(self.encoded, self.recipe, self.table, self.draw.random_cuts)

    def tree(self, key: int, counts: Ints | None, columns: Ints | None) -> NarrowTree:
        target, rows, carried = self._all_rows if counts is None else self._rows_of(counts)
        room = self._room(target, len(rows), carried[0])
        n_splits, levels = self._grow(rows, target, carried, key, columns, room)
        if n_splits == INTERRUPTED:
            raise KeyboardInterrupt
        return self._made.tree(target, len(rows), room.first(n_splits), levels)

    @cached_property
    def _all_rows(self) -> Rows:
        """Made once for all trees."""
        return self._rows_of(None)

    def _rows_of(self, counts: Ints | None) -> Rows:
        rows = self._rows(counts)
        target = self._target(rows, counts)
        return target, rows, _carried_by(target, rows, self.encoded.n_rows)

    def _rows(self, counts: Ints | None) -> Array:
        if counts is None:
            return np.arange(self.encoded.n_rows, dtype=np.uint32)
        return np.flatnonzero(counts).astype(np.uint32)

    def _room(self, target: TargetStats, n_rows: int, mode: int) -> Room:
        """The kernel's gains are those of the plain pair to the last digit where all that is added up is exact."""
        exact = mode != CLASSES and self.criterion != ENTROPY
        return Room.of(n_rows, target.n_stats, random_cuts=self.draw.random_cuts, gains=exact)

    def _target(self, rows: Array, counts: Ints | None) -> TargetStats:
        """As of a table of these rows alone."""
        table = self.encoded
        if counts is not None:
            weights, often = table.weights, counts[rows]
            weights = None if weights is None else weights[rows]
            if not (often == 1).all():
                weights = often.astype(np.float64) if weights is None else weights * often
            table = replace(table, columns=(), y=table.y[rows], weights=weights)
        return target_stats(table, self.recipe.criterion)

    def _grow(
        self, rows: Array, target: TargetStats, carried: Carried, key: int, columns: Ints | None, room: Room
    ) -> tuple[int, Ints]:
        table, recipe = self.table, self.recipe
        least = recipe.stop.least_leaf_weight(float(target.weights(target.whole)))
        among, (mode, by_row) = self._among(columns), carried
        found = grow_tree(
            table.codes, table.nominal, table.by_bits, table.n_codes, table.lows, table.highs, table.value_start,
            rows.copy(), *by_row, mode, self.criterion, self.counts, target.whole, np.uint64(key), among,
            min(self.draw.columns, len(among)), self.draw.random_cuts, recipe.stop.min_rows_leaf, least,
            halt_of(recipe, target), self.interrupted, *room.arrays,
        )  # fmt: skip
        return int(found[0]), found[1]

    def trees(
        self, members: Sequence[MemberParts], report: Callable[[int], None] | None = None
    ) -> Iterator[NarrowTree]:
        """The trees of members that draw from equally many columns, grown side by side and without kernels."""
        from treewright.engines.side_by_side.tree_rounds import CodedRows, Root, TreeRounds, splits_of

        table = CodedRows(self.table.codes, self.table.nominal, self.table.bounds, self.recipe, self.draw)
        roots = []
        for key, counts, columns in members:
            rows = self._rows(counts)
            roots.append(Root(key, rows, self._target(rows, counts), self._among(columns)))
        if not roots:
            return
        taken, levels = TreeRounds(table, roots).grow(report or (lambda rows: None))
        for root, mine in zip(roots, splits_of(taken, len(roots))):
            branches = mine.branch_rows.ravel(), mine.branch_stats.reshape(-1, root.target.n_stats)
            room = Room(*mine[1:8], *branches, gain=np.empty(0))
            yield self._made.tree(root.target, len(root.rows), room, levels)

    def _among(self, columns: Ints | None) -> Ints:
        among = self.draw.among if columns is None else columns
        return np.arange(len(self.table.codes)) if among is None else np.sort(np.asarray(among, np.int64))


def _carried_by(target: TargetStats, rows: Array, n_rows: int) -> Carried:
    """How rows count, and what each does, at its place in the table: see kernels/forest_kernels/forest_scan.py."""

    def at_rows(values: Array, dtype: type) -> Array:
        spread: Array = np.empty(n_rows, dtype)
        spread[rows] = values
        return spread

    if isinstance(target, MomentStats):
        weight = np.ones(len(rows), np.int64) if target.weight is None else target.weight.values
        moments = (at_rows(values, np.int64) for values in (weight, target.moment.values, target.square.values))
        return NUMBERS, (np.empty(0, np.uint32), *moments)
    assert isinstance(target, ClassStats)
    whole = target.weight is None or target.weight.scale == 1
    if whole and target.n_classes <= 2**CLASS_BITS and target.whole.sum() < _EXACT:
        weight = np.ones(1, np.int64) if target.weight is None else target.weight.values
        return PACKED, (at_rows((weight << CLASS_BITS) | target.labels, np.uint32), _NOTHING, _NOTHING, _NOTHING)
    weight = np.ones(len(rows), np.int64) if target.weight is None else target.weight.values
    return CLASSES, (at_rows(target.labels, np.uint32), at_rows(weight, np.int64), _NOTHING, _NOTHING)
