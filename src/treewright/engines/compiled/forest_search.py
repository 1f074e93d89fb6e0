"""Trees of a forest, each grown by one call over the codes of the whole table."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from treewright.data.encoded import CodedColumn, Encoded
from treewright.data.numeric import Workspace
from treewright.data.schema import Kind
from treewright.engines.choices.score_choice import ScoreChoice
from treewright.engines.compiled.subtree_search import halt_of
from treewright.engines.target_stats import ClassStats, MomentStats, TargetStats, target_stats
from treewright.engines.workers import Workers
from treewright.kernels.forest_kernels.forest import INTERRUPTED, grow_tree
from treewright.kernels.forest_kernels.forest_scan import CLASS_BITS, CLASSES, NUMBERS, PACKED
from treewright.kernels.search.mass import Criterion, counts_table
from treewright.recipe_parts.column_draw import ColumnDraw
from treewright.recipe_parts.missing import Missing
from treewright.recipe_parts.recipe import ByScore, Recipe, Splits
from treewright.split import midway
from treewright.tree.build import offsets, spans
from treewright.tree.build_pairs import PairSplits, tree_of_pairs
from treewright.tree.tree import Tree
from treewright.typing import Array, Floats, Ints

_CRITERIA = ("gini", "entropy", "squared_error")
_EXACT = 2**26  # weights up to which sums of their squares are exact floats
_NOTHING = np.empty(0, np.int64)
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


@dataclass(frozen=True)
class CodeTable:
    """All columns of a table as the kernel reads them."""

    codes: Array  # (columns, rows) uint32
    nominal: Array
    by_bits: Array  # columns whose codes are the bits of their numbers, in order
    n_codes: Ints
    bounds: tuple[tuple[Floats, Floats], ...]  # of every ordered column: the numbers that its codes stand for
    lows: Floats  # the same end to end, for cuts at random
    highs: Floats
    value_start: Ints


def code_table(encoded: Encoded, workers: Workers, *, random_cuts: bool) -> CodeTable:
    columns, described = encoded.columns, encoded.schema.columns
    codes = np.empty((len(columns), encoded.n_rows), np.uint32)
    bounds: dict[int, tuple[Floats, Floats]] = {}
    by_bits = np.zeros(len(columns), np.bool_)
    workspaces = [Workspace() for _ in range(workers.n_jobs)]

    def read(j: int, worker: int) -> None:
        kind = described[j].kind
        if random_cuts and kind is Kind.NUMERIC and columns[j].is_sorted and _fits_32_bits(columns[j].numbers):
            by_bits[j], bounds[j] = True, (np.empty(0), np.empty(0))
            codes[j] = bits_in_order(np.asarray(columns[j].numbers).astype(np.float32))
        else:
            bounds[j] = _read(columns[j], kind, codes[j], workspaces[worker])

    workers.each(len(columns), read, cells=codes.size)
    kept = tuple(bounds[j] for j in range(len(columns)))
    lows, highs = (np.concatenate(part) if random_cuts else np.empty(0) for part in zip(*kept))
    n_codes = np.array([len(low) for low, _ in kept], np.int64)
    nominal = np.array([column.kind is Kind.NOMINAL for column in described], np.bool_)
    return CodeTable(codes, nominal, by_bits, n_codes, kept, lows, highs, offsets(n_codes)[:-1])


def _fits_32_bits(numbers: Array | None) -> bool:
    """Whether no digit is lost."""
    if numbers is None:
        return False
    with np.errstate(over="ignore"):
        return bool(np.array_equal(numbers.astype(np.float32), numbers, equal_nan=True))


def bits_in_order(numbers: Array) -> Array:
    """Codes in the order of these floats of 32 bits; 0 is missing."""
    bits = np.ascontiguousarray(numbers + np.float32(0)).view(np.uint32)  # no negative zero
    codes = np.where(bits >> np.uint32(31), ~bits, bits | np.uint32(1 << 31))
    return np.asarray(np.where(np.isnan(numbers), np.uint32(0), codes))


def numbers_of(codes: Array) -> Floats:
    """What such codes stand for.

    >>> numbers_of(bits_in_order(np.array([-np.inf, -1.5, 0.0, 2.5], np.float32))).tolist()
    [-inf, -1.5, 0.0, 2.5]
    """
    codes = codes.astype(np.uint32)
    bits = np.where(codes >> np.uint32(31), codes ^ np.uint32(1 << 31), ~codes)
    return bits.astype(np.uint32).view(np.float32).astype(np.float64)


def _read(column: CodedColumn, kind: Kind, codes: Array, workspace: Workspace) -> tuple[Floats, Floats]:
    """Write the codes; returns the numbers that they stand for. Levels are numbers by their codes."""
    if kind is not Kind.NUMERIC:
        codes[:] = column.codes
        numbers = np.arange(column.n_codes, dtype=np.float64)
        return numbers, numbers
    if not column.is_sorted or column.lows.size:
        codes[:] = column.codes
        return column.bounds
    ranks = column.new_ranks(workspace)
    codes[:] = ranks.codes
    numbers = np.full(ranks.n_codes, -np.inf)
    numbers[codes] = column.numbers
    return numbers, numbers


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

    def tree(self, key: int, counts: Ints | None, columns: Ints | None) -> Tree:
        rows = np.arange(self.encoded.n_rows, dtype=np.uint32) if counts is None else _rows_of(counts)
        target = self._target(rows, counts)
        room = Room.of(len(rows), target.n_stats, random_cuts=self.draw.random_cuts)
        n_splits, levels = self._grow(rows, target, key, columns, room)
        if n_splits == INTERRUPTED:
            raise KeyboardInterrupt
        return self._tree(target, len(rows), room.first(n_splits), levels)

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

    def _grow(self, rows: Array, target: TargetStats, key: int, columns: Ints | None, room: Room) -> tuple[int, Ints]:
        table, recipe, numeric = self.table, self.recipe, isinstance(target, MomentStats)
        least = recipe.stop.least_leaf_weight(float(target.weights(target.whole)))
        among = self._among(columns)
        mode, by_row = _carried_by(target, rows, self.encoded.n_rows)
        found = grow_tree(
            table.codes, table.nominal, table.by_bits, table.n_codes, table.lows, table.highs, table.value_start,
            rows.copy(), *by_row, mode, self.criterion, self.counts, target.whole, np.uint64(key), among,
            min(self.draw.columns, len(among)), self.draw.random_cuts, recipe.stop.min_rows_leaf, least,
            halt_of(recipe, target), self.interrupted, *room.arrays,
        )  # fmt: skip
        assert numeric == (mode == NUMBERS)
        return int(found[0]), found[1]

    def trees(self, members: Sequence[MemberParts], report: Callable[[int], None] | None = None) -> Iterator[Tree]:
        """The trees of members that draw from equally many columns, grown side by side and without kernels."""
        from treewright.engines.side_by_side.tree_rounds import CodedRows, Root, TreeRounds, splits_of

        table = CodedRows(self.table.codes, self.table.nominal, self.table.bounds, self.recipe, self.draw)
        roots = []
        for key, counts, columns in members:
            rows = np.arange(self.encoded.n_rows, dtype=np.uint32) if counts is None else _rows_of(counts)
            roots.append(Root(key, rows, self._target(rows, counts), self._among(columns)))
        if not roots:
            return
        taken, levels = TreeRounds(table, roots).grow(report or (lambda rows: None))
        for root, mine in zip(roots, splits_of(taken, len(roots))):
            branches = mine.branch_rows.ravel(), mine.branch_stats.reshape(-1, root.target.n_stats)
            yield self._tree(root.target, len(root.rows), Room(*mine[1:8], *branches), levels)

    def _among(self, columns: Ints | None) -> Ints:
        among = self.draw.among if columns is None else columns
        return np.arange(len(self.table.codes)) if among is None else np.sort(np.asarray(among, np.int64))

    # ---- from splits to a tree ---------------------------------------------------------------------------------

    def _tree(self, target: TargetStats, n_rows: int, found: Room, levels: Ints) -> Tree:
        to = np.where(found.missing > 0, found.missing_branch, self._heavier(target, found))
        edge, below = self._edges(found)
        is_number = np.array([column.kind is Kind.NUMERIC for column in self.encoded.schema.columns])[found.column]
        branch_size = np.where(is_number, 3, self.table.n_codes[found.column])
        splits = PairSplits(
            owner=found.owner,
            column=found.column,
            is_number=is_number,
            edge=edge,
            below=below,
            missing=found.missing,
            branch_size=branch_size,
            branch_of=self._branches(found, to, levels, is_number, branch_size),
            branch_rows=found.branch_rows,
            branch_stats=found.branch_stats,
        )
        tree, inner, counts = tree_of_pairs(splits, n_rows, target.whole, self.recipe.leaf.kind)
        stats = target.floats(counts)
        value = self.recipe.leaf.values(stats, tree.parent, self.encoded.schema.target)
        gain, choice = np.zeros(tree.n_nodes), ScoreChoice(self.encoded, self.recipe, target, None)
        gain[inner] = choice.gains_of_pairs(counts, inner)
        return tree._replace(stats=stats, value=value, gain=gain)

    @staticmethod
    def _heavier(target: TargetStats, found: Room) -> Ints:
        """The branch of missing values where none were seen: the heavier, without what costs and priors make of it."""
        weights = target.plain_weights(found.branch_stats)
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
        edge = midway(below, above)
        if self.draw.random_cuts:
            edge = np.where(found.threshold < above, found.threshold, edge)
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

    @staticmethod
    def of(n_rows: int, n_stats: int, *, random_cuts: bool) -> Room:
        """A tree of n rows has fewer than n splits. Pages that nothing is written to take no memory."""
        owner, column, cut, above, missing = (np.empty(n_rows, np.int64) for _ in range(5))
        threshold, branches = np.empty(n_rows if random_cuts else 0), np.empty(n_rows, np.int64)
        stats = np.empty((2 * n_rows, n_stats), np.int64)
        return Room(owner, column, cut, above, threshold, missing, branches, np.empty(2 * n_rows, np.int64), stats)

    @property
    def arrays(self) -> tuple[Array, ...]:
        return tuple(vars(self).values())

    def first(self, n_splits: int) -> Room:
        n_rows = max(len(self.owner), 1)
        return Room(*(part[: n_splits * (len(part) // n_rows)] for part in self.arrays))


def _rows_of(counts: Ints) -> Array:
    return np.flatnonzero(counts).astype(np.uint32)


def _carried_by(target: TargetStats, rows: Array, n_rows: int) -> tuple[int, tuple[Array, ...]]:
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
