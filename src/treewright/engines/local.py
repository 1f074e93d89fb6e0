"""Rows in this machine's memory. Columns of many values are searched along sorted lists, all others by counting.

With every distinct value a code the search is exact; with binned codes the same engine is a histogram engine.
"""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np

from treewright.data.encoded import Encoded, EncodedColumn
from treewright.data.schema import Kind
from treewright.engines.engine import Found, Frontier
from treewright.engines.target import ClassStats, MomentStats, target_stats
from treewright.engines.workers import Workers
from treewright.kernels.count import new_tally, resolve_counted, search_counted
from treewright.kernels.groups import CUT, MULTIWAY, ONE_VS_REST, SUBSET
from treewright.kernels.mass import Criterion, masses, xlogx_table
from treewright.kernels.nodes import Finds, Meaning, OpenNodes, RowData, Rules
from treewright.kernels.partition import Taken, partition
from treewright.kernels.rng import hashed
from treewright.kernels.scan import (
    resolve_listed,
    search_listed_classes,
    search_listed_counts,
    search_listed_moments,
)
from treewright.recipes.recipe import Recipe, Splits
from treewright.typing import Array, Floats, Ints, Mask

_STYLE = {Splits.MULTIWAY: MULTIWAY, Splits.ONE_VS_REST: ONE_VS_REST, Splits.SUBSET: SUBSET}
_SMALL = 20_000  # cells below which a round is not worth waking other threads for


class LocalEngine:
    """Finds and applies the best splits of all open nodes of a round (see ``Engine``)."""

    def __init__(self, encoded: Encoded, recipe: Recipe, workers: Workers) -> None:
        self.encoded = encoded
        self.recipe = recipe
        self.workers = workers
        self.target: ClassStats | MomentStats = target_stats(encoded, recipe.criterion)
        self.data = RowData(self.target.bits, *self.target.row_arrays)
        least = int(np.ceil(recipe.stop.min_weight_fraction_leaf * self.target.weights(self.target.totals())))
        unit = encoded.weights is None  # then weights are rows
        self.rules = Rules(
            criterion=int(Criterion[recipe.criterion.upper()]),
            min_rows=max(recipe.stop.min_rows_leaf, least if unit else 1),
            min_weight=0 if unit else least,
            seed=-1 if recipe.tie == "first" else recipe.seed,
            table=self._logarithms(),
        )
        self.side = np.zeros(encoded.n_rows, np.uint8 if self._most_branches() <= 256 else np.uint32)
        self.entries: dict[int, Array] = {}
        workers.each(len(encoded.columns), self._list_entries, small=self._is_small(encoded.n_rows))
        self.row_entries = self._as_entries(np.arange(encoded.n_rows, dtype=np.uint32))
        self._scratch = [np.empty(0, self.row_entries.dtype) for _ in range(workers.n_jobs)]
        self._pending: Taken | None = None

    # ---- set-up ------------------------------------------------------------------------------------------------

    def _logarithms(self) -> Floats:
        """A table for whole counts; fixed-point weights are too large for one."""
        whole = isinstance(self.target, ClassStats) and self.target.weight is None
        return xlogx_table(self.encoded.n_rows if whole and self.recipe.criterion == "entropy" else 0)

    def _as_entries(self, rows: Array) -> Array:
        """Rows with their labels in the low bits."""
        bits = self.target.bits
        wide = self.encoded.n_rows << bits >= 2**32
        entries = rows.astype(np.int64 if wide else np.uint32)
        if bits:
            entries <<= bits
            entries |= self.target.labels[rows]
        return entries

    def _list_entries(self, j: int, worker: int) -> None:
        order = self.encoded.columns[j].order
        if order is not None:
            self.entries[j] = self._as_entries(order)

    def _style(self, j: int) -> int:
        return _STYLE[self.recipe.splits] if self.encoded.schema.columns[j].kind is Kind.NOMINAL else CUT

    def _is_numeric(self, j: int) -> bool:
        return self.encoded.schema.columns[j].kind is Kind.NUMERIC

    @cached_property
    def _n_branches(self) -> Ints:
        columns = enumerate(self.encoded.columns)
        return np.array([c.n_codes - 1 if self._style(j) == MULTIWAY else 2 for j, c in columns], np.int64)

    @cached_property
    def _n_branch_codes(self) -> Ints:
        columns = enumerate(self.encoded.columns)
        return np.array([3 if self._is_numeric(j) else c.n_codes for j, c in columns], np.int64)

    def _most_branches(self) -> int:
        return int(self._n_branches.max(initial=2))

    def _is_small(self, n_rows: int) -> bool:
        return n_rows * len(self.encoded.columns) < _SMALL

    def floats(self, stats: Ints) -> Floats:
        return self.target.floats(stats)

    # ---- one round ---------------------------------------------------------------------------------------------

    def root(self) -> Frontier:
        stats = self.target.totals()[None, :]
        zero = np.zeros(1, np.int64)
        n_rows = np.array([self.encoded.n_rows])
        return Frontier(zero, zero, n_rows, stats, zero, self.target.is_pure(stats))

    def best(self, frontier: Frontier) -> Found:
        """Search every column at every open node, choose, and say what the chosen splits mean."""
        nodes = OpenNodes(
            frontier.id, frontier.start, frontier.start + frontier.rows, frontier.stats, self.target.slack(frontier.stats)
        )
        small = self._is_small(int(frontier.rows.sum()))
        finds = self._search(nodes, small)
        column = self._select(finds, nodes)
        meaning, edge = self._resolve(column, finds, nodes, small)
        priority = self._gained(frontier.stats, meaning)
        gain = priority / self.target.weights(frontier.stats)
        column[~self.recipe.worth_taking(gain)] = -1
        return Found(
            column, gain / self.recipe.log_base, priority, edge, meaning.n_missing,
            meaning.child_start, meaning.stats, meaning.rows, meaning.branch_start, meaning.branch_of,
        )  # fmt: skip

    def _gained(self, stats: Ints, meaning: Meaning) -> Floats:
        """Mass of the branches less mass of the node, from the statistics themselves and not from a running sum."""
        before, after = np.empty(len(stats)), np.empty(len(meaning.stats))
        masses(stats, self.rules.criterion, self.rules.table, before)
        masses(meaning.stats, self.rules.criterion, self.rules.table, after)
        n_branches = np.diff(meaning.child_start)
        branches = np.bincount(np.repeat(np.arange(len(stats)), n_branches), after, minlength=len(stats))
        return np.where(n_branches > 0, branches - before, 0.0) * self.target.gain_unit

    def _search(self, nodes: Any, small: bool) -> Finds:
        shape = (len(self.encoded.columns), len(nodes.id))
        finds = Finds(np.empty(shape), np.empty(shape, np.int64), np.empty(shape, np.uint8), np.empty(shape, np.int64))
        pending, self._pending = self._pending, None
        if pending is not None:
            partition(self.row_entries, self._scratch_of(0, pending), self.data.bits, self.side, pending)

        def search(j: int, worker: int) -> None:
            column = self.encoded.columns[j]
            mine = Finds(*(part[j] for part in finds))
            if j not in self.entries:
                tally = new_tally(column.n_codes, self.target.n_stats)
                codes, style = column.codes, self._style(j)
                search_counted(j, codes, style, self.row_entries, nodes, self.data, self.rules, tally, mine)
                return
            if pending is not None:
                partition(self.entries[j], self._scratch_of(worker, pending), self.data.bits, self.side, pending)
            kernel = self._listed_kernel
            kernel(j, self.entries[j], column.codes, column.has_missing, nodes, self.data, self.rules, mine)

        self.workers.each(shape[0], search, small=small)
        return finds

    @cached_property
    def _listed_kernel(self) -> Any:
        if isinstance(self.target, MomentStats):
            return search_listed_moments
        plain = self.target.weight is None and self.recipe.criterion != "misclassification"
        return search_listed_counts if plain else search_listed_classes

    def _scratch_of(self, worker: int, pending: Taken) -> Array:
        """Room for the largest node to be sorted; one array per worker, kept for the next round."""
        needed = int((pending.stop - pending.start).max(initial=0))
        if len(self._scratch[worker]) < needed:
            self._scratch[worker] = np.empty(needed, self.row_entries.dtype)
        return self._scratch[worker]

    def _select(self, finds: Finds, nodes: Any) -> Ints:
        """The column of the best score at every node: the first of equals, or one drawn in proportion to its splits."""
        top = finds.score.max(0)
        equal = finds.score >= top - nodes.slack
        column = equal.argmax(0)
        if self.rules.seed >= 0:
            ties = np.where(equal, finds.ties, 0).cumsum(0)
            for f in np.flatnonzero((ties[-1] > 1) & (top > -np.inf)):
                drawn = int(hashed(self.rules.seed, nodes.id[f], -1, 0) % np.uint64(ties[-1, f]))
                column[f] = np.searchsorted(ties[:, f], drawn, side="right")
        return np.where(top > -np.inf, column, -1)

    def _resolve(self, column: Ints, finds: Finds, nodes: Any, small: bool) -> tuple[Meaning, Floats]:
        n = len(column)
        taken = column >= 0
        meaning = self._empty_meaning(column)
        edge = np.full(n, np.nan)
        columns = np.unique(column[taken])

        def resolve(k: int, worker: int) -> None:
            j = int(columns[k])
            chosen = np.flatnonzero(column == j)
            coded = self.encoded.columns[j]
            mine = Finds(*(part[j] for part in finds))
            if j in self.entries:
                listed, missing = self.entries[j], coded.has_missing
                cut, left = mine.cut, mine.missing_left
                resolve_listed(listed, coded.codes, missing, chosen, cut, left, nodes, self.data, self.side, meaning)
            else:
                tally = new_tally(coded.n_codes, self.target.n_stats)
                how, rows = (self._style(j), self._is_numeric(j)), self.row_entries
                resolve_counted(
                    j, coded.codes, *how, rows, chosen, nodes, self.data, self.rules, tally, mine, self.side, meaning
                )
            if self._is_numeric(j):
                edge[chosen] = _edges(coded, meaning.codes_at[chosen])

        self.workers.each(len(columns), resolve, small=small)
        return meaning, edge

    def _empty_meaning(self, column: Ints) -> Meaning:
        taken = column >= 0
        child_start = _offsets(np.where(taken, self._n_branches[column], 0))
        branch_start = _offsets(np.where(taken, self._n_branch_codes[column], 0))
        return Meaning(
            child_start,
            np.zeros((child_start[-1], self.target.n_stats), np.int64),
            np.zeros(child_start[-1], np.int64),
            branch_start,
            np.zeros(branch_start[-1], np.int32),
            np.zeros(len(column), np.int64),
            np.zeros((len(column), 2), np.int64),
        )

    def split(self, frontier: Frontier, found: Found, taken: Ints, first_id: int) -> Frontier:
        branches = _ranges(found.child_start, taken)
        n_branches = np.diff(found.child_start)[taken]
        stats = found.stats[branches]
        depth = np.repeat(frontier.depth[taken] + 1, n_branches)
        ids = np.arange(first_id, first_id + len(branches))
        return Frontier(ids, depth, found.rows[branches], stats, np.zeros_like(ids), self.target.is_pure(stats))

    def route(self, frontier: Frontier, found: Found, taken: Ints, children: Frontier, wanted: Mask) -> Frontier:
        """Lay the wanted children of each node side by side where the node was; the rows are moved with the next search."""
        first_child = _offsets(np.diff(found.child_start)[taken])
        kept_before = _offsets(np.where(wanted, children.rows, 0))
        parent_of = np.repeat(np.arange(len(taken)), np.diff(first_child))
        start = frontier.start[taken][parent_of] + kept_before[:-1] - kept_before[first_child[:-1]][parent_of]
        node_start = frontier.start[taken]
        self._pending = Taken(node_start, node_start + frontier.rows[taken], first_child, np.where(wanted, start, -1))
        placed = Frontier(children.id, children.depth, children.rows, children.stats, start, children.pure)
        return placed[np.flatnonzero(wanted)]


def _offsets(sizes: Ints) -> Ints:
    return np.concatenate([np.zeros(1, np.int64), np.cumsum(sizes)])


def _ranges(start: Ints, chosen: Ints) -> Ints:
    """The indices start[c] … start[c+1]-1 of every chosen c, end to end."""
    sizes = start[chosen + 1] - start[chosen]
    shift = start[chosen] - _offsets(sizes)[:-1]
    return np.arange(int(sizes.sum())) + np.repeat(shift, sizes)


def _edges(column: EncodedColumn, codes_at: Ints) -> Floats:
    """Midway between the values on either side of a cut; infinite where only missing rows are on the right."""
    below = column.highs[codes_at[:, 0] - 1]
    above = np.where(codes_at[:, 1] > 0, column.lows[codes_at[:, 1] - 1], np.inf)
    middle = below / 2 + above / 2
    return np.where((middle >= above) & (above < np.inf) | np.isnan(middle), below, middle)
