"""Rows in this machine's memory. Columns of many values are searched along sorted lists, all others by counting.

With every distinct value a code the search is exact; with binned codes the same engine is a histogram engine.
"""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np

from treewright.data.encoded import Encoded
from treewright.data.schema import Kind
from treewright.engines.engine import Found, Frontier, Subtrees
from treewright.engines.paid import Paid
from treewright.engines.rows import RowStore
from treewright.engines.subtrees import SubtreeGrower
from treewright.engines.target_stats import TIE, ClassStats, MomentStats, target_stats
from treewright.engines.workers import Workers
from treewright.kernels.count import new_tally, resolve_cuts, search_cuts
from treewright.kernels.levels import (
    resolve_multiway,
    resolve_one_vs_rest,
    resolve_subsets,
    search_multiway,
    search_one_vs_rest,
    search_subsets,
)
from treewright.kernels.mass import NO_TABLE, Criterion, counts_table, masses
from treewright.kernels.nodes import Finds, Meaning, OpenNodes, Rules
from treewright.kernels.quick import search_listed_classes, search_listed_numbers
from treewright.kernels.rng import hashed
from treewright.kernels.scan import resolve_listed, search_listed
from treewright.recipe.missing import Missing
from treewright.recipe.recipe import Recipe, Splits
from treewright.search.proposals import missing_mark
from treewright.tree.build import offsets, spans
from treewright.typing import Floats, Ints, Mask

_NOMINAL: dict[Splits, tuple[Any, Any]] = {
    Splits.MULTIWAY: (search_multiway, resolve_multiway),
    Splits.ONE_VS_REST: (search_one_vs_rest, resolve_one_vs_rest),
    Splits.SUBSET: (search_subsets, resolve_subsets),
}
_NO_MATTER = (Missing.FRACTIONAL, Missing.EVERY, Missing.STOP, Missing.DROP, Missing.BRANCH)
_SMALL = 20_000  # cells below which a round is not worth waking other threads for
_SMALL_NODE = 8192  # rows up to which a node is grown to the end in one go
_GROWN_STATS = 2**20  # most statistics of the branches of such a node


class LocalEngine:
    """Finds and applies the best splits of all open nodes of a round (see ``Engine``)."""

    def __init__(self, encoded: Encoded, recipe: Recipe, workers: Workers, policies: tuple[Missing, ...] = ()) -> None:
        self.encoded = encoded
        self.recipe = recipe
        self.workers = workers
        self.moments = encoded.schema.target.classes is None
        self.target: ClassStats | MomentStats = target_stats(encoded, recipe.criterion)
        least = int(np.ceil(recipe.stop.min_weight_fraction_leaf * self.target.weights(self.target.totals())))
        unit = encoded.weights is None  # then weights are rows
        criterion = int(Criterion[recipe.criterion.upper()])
        self.rules = Rules(
            criterion=criterion,
            min_rows=max(recipe.stop.min_rows_leaf, least if unit else 1),
            min_weight=0 if unit else least,
            seed=-1 if recipe.tie == "first" else recipe.seed,
            table=self._table(criterion),
            unit=unit,
        )
        self.paid = None if recipe.prices is None else Paid(recipe.prices)
        self.rows = self._row_store()
        self._missing_mark = np.array([missing_mark(policy) for policy in policies], np.int64)
        counted = ((j, c.n_codes) for j, c in enumerate(encoded.columns) if j not in self.rows.listed)
        self._tallies = {j: new_tally(n_codes, self.target.n_stats) for j, n_codes in counted}

    @staticmethod
    def serves(encoded: Encoded, recipe: Recipe, policies: tuple[Missing, ...]) -> bool:
        """Whether criterion and policies are among those that kernels know: missing values go the way that scores
        better, or there are none, and then the policy only says what happens to them at prediction."""
        own = any(part is not None for part in (recipe.score, recipe.select, recipe.constraints))
        if own or recipe.criterion.upper() not in Criterion.__members__:
            return False
        every_level = recipe.splits is Splits.MULTIWAY
        columns = zip(encoded.schema.columns, encoded.columns, policies, strict=True)
        return all(
            policy in (Missing.LEARNED, Missing.ERROR)
            or (not coded.has_missing and policy in _NO_MATTER and (every_level or column.kind is not Kind.NOMINAL))
            for column, coded, policy in columns
        )

    # ---- set-up ------------------------------------------------------------------------------------------------

    def _row_store(self) -> RowStore:
        return RowStore(self.encoded, self.target, self.workers, int(self._n_branches.max(initial=2)))

    def _table(self, criterion: int) -> Floats:
        return NO_TABLE if self.encoded.weights is not None else counts_table(criterion, self.encoded.n_rows)

    def _kind(self, j: int) -> Kind:
        return self.encoded.schema.columns[j].kind

    @cached_property
    def _tied(self) -> list[bool]:
        """Whether several rows may share a value of the column."""
        return [column.has_missing or column.n_codes <= self.encoded.n_rows for column in self.encoded.columns]

    def _is_multiway(self, j: int) -> bool:
        return self.recipe.splits is Splits.MULTIWAY and self._kind(j) is Kind.NOMINAL

    @cached_property
    def _n_branches(self) -> Ints:
        columns = enumerate(self.encoded.columns)
        return np.array([c.n_codes - 1 if self._is_multiway(j) else 2 for j, c in columns], np.int64)

    @cached_property
    def _n_branch_codes(self) -> Ints:
        columns = enumerate(self.encoded.columns)
        return np.array([3 if self._kind(j) is Kind.NUMERIC else c.n_codes for j, c in columns], np.int64)

    def _is_small(self, n_rows: int) -> bool:
        return n_rows * len(self.encoded.columns) < _SMALL

    @cached_property
    def small_node(self) -> int:
        """Nodes of up to so many rows are grown to the end in one go; 0: none.

        There must be enough of them for all threads, and their blocks must take little memory beside the table.
        """
        n_rows, stop = self.encoded.n_rows, self.recipe.stop
        all_numbers = all(column.kind is Kind.NUMERIC for column in self.encoded.schema.columns)
        by_score = self.rules.seed < 0 and self.paid is None and stop.significance is None
        plain = self.recipe.halt is None and self.recipe.merging is None and stop.max_leaves is None
        plain = plain and not self._missing_mark.any()
        if not (all_numbers and by_score and plain):
            return 0
        most = n_rows if self._is_small(n_rows) else n_rows // (4 * self.workers.n_jobs)
        return min(most, _SMALL_NODE, _GROWN_STATS // self.target.n_stats)

    @cached_property
    def _grower(self) -> SubtreeGrower:
        given = self.encoded, self.target, self.recipe, self.rules, self.rows
        return SubtreeGrower(*given, self._edges, self.small_node)

    def floats(self, stats: Ints) -> Floats:
        return self.target.floats(stats)

    # ---- one round ---------------------------------------------------------------------------------------------

    def root(self) -> Frontier:
        stats = self.target.totals()[None, :]
        zero = np.zeros(1, np.int64)
        n_rows = np.array([self.encoded.n_rows])
        return Frontier(zero, zero, n_rows, stats, self.target.is_pure(stats))

    def best(self, frontier: Frontier) -> Found:
        """Search every column at every open node, choose, and say what the chosen splits mean."""
        self.rows.begin_round(frontier, all_open=self.recipe.stop.max_leaves is None)
        nodes = self._open_nodes(frontier)
        small = self._is_small(int(frontier.rows.sum()))
        finds = self._search(nodes, small)
        column = self._select(finds, nodes)
        meaning = self._resolve(column, finds, nodes, small)
        self._mark_missing(column, meaning)
        stats = self._branch_stats(frontier.stats, nodes, meaning)
        priority = self._gained(frontier.stats, stats, meaning.child_start)
        gain = priority / self.target.weights(frontier.stats)
        column[~self.recipe.worth_taking(gain)] = -1
        return Found(
            column, gain / self.recipe.log_base, priority, meaning.edge, meaning.n_missing,
            meaning.child_start, stats, meaning.rows, meaning.branch_start, meaning.branch_of,
        )  # fmt: skip

    def _open_nodes(self, frontier: Frontier) -> OpenNodes:
        start, stats, n = self.rows.start(frontier), frontier.stats, len(frontier)
        slack = self.target.slack(stats)
        # Drawing among equals needs all of them, and by its price a test can beat one that splits better.
        needs_all = self.rules.seed >= 0 or self.paid is not None
        ceiling = np.full(n, np.inf) if needs_all else self.target.ceiling(stats, self.recipe.criterion)
        settled = np.full(n, len(self.encoded.columns))
        return OpenNodes(frontier.id, start, start + frontier.rows, stats, slack, ceiling, settled)

    def _branch_stats(self, stats: Ints, nodes: Any, meaning: Meaning) -> Ints:
        """Statistics of the branches, as nodes have them."""
        return meaning.stats

    def _gained(self, stats: Ints, branches: Ints, child_start: Ints) -> Floats:
        """Mass of the branches less mass of the node, from the statistics themselves and not from a running sum."""
        before, after, n_branches = self._masses(stats), self._masses(branches), np.diff(child_start)
        together = np.bincount(np.repeat(np.arange(len(stats)), n_branches), after, minlength=len(stats))
        return np.where(n_branches > 0, together - before, 0.0) * self.target.gain_unit

    def _masses(self, stats: Ints) -> Floats:
        out = np.empty(len(stats))
        masses(stats, self.rules.criterion, self.rules.table, out)
        return out

    def _search(self, nodes: Any, small: bool) -> Finds:
        shape = (len(self.encoded.columns), len(nodes.id))
        finds = Finds(np.empty(shape), np.empty(shape, np.int64), np.empty(shape, np.uint8), np.empty(shape, np.int64))

        def search(j: int, worker: int) -> None:
            self.rows.column(j, worker)
            self._search_column(j, worker, nodes, Finds(*(part[j] for part in finds)))

        self.workers.each(shape[0], search, small=small)
        return finds

    def _search_column(self, j: int, worker: int, nodes: Any, mine: Finds) -> None:
        column, codes, data = self.encoded.columns[j], self.rows.codes[j], self.rows.data
        if j in self.rows.listed:
            kernel, entries = self._listed_kernel, self.rows.listed[j]
            kernel(j, entries, codes, column.has_missing, self._tied[j], nodes, data, self.rules, mine)
            return
        tally, entries = self._tallies[j], self.rows.in_row_order
        counting = _NOMINAL[self.recipe.splits][0] if self._kind(j) is Kind.NOMINAL else search_cuts
        counting(j, codes, entries, nodes, data, self.rules, tally, mine)

    @cached_property
    def _listed_kernel(self) -> Any:
        """The quick ones are for rows that count once, and take the first of equals."""
        quick = {
            "gini": search_listed_classes,
            "entropy": search_listed_classes,
            "squared_error": search_listed_numbers,
        }
        if self.encoded.weights is not None or self.recipe.tie != "first":
            return search_listed
        return quick.get(self.recipe.criterion, search_listed)

    def _select(self, finds: Finds, nodes: Any) -> Ints:
        """The column of the best score at every node: the first of equals, or one drawn in proportion to its splits."""
        top = finds.score.max(0)
        equal = finds.score >= top - nodes.slack if self.paid is None else self._best_by_price(finds, nodes, self.paid)
        column = equal.argmax(0)
        if self.rules.seed >= 0:
            ties = np.where(equal, finds.ties, 0).cumsum(0)
            for f in np.flatnonzero((ties[-1] > 1) & (top > -np.inf)):
                drawn = int(hashed(self.rules.seed, nodes.id[f], -1, 0) % np.uint64(ties[-1, f]))
                column[f] = np.searchsorted(ties[:, f], drawn, side="right")
        return np.where(top > -np.inf, column, -1)

    def _best_by_price(self, finds: Finds, nodes: Any, paid: Paid) -> Mask:
        gain = (finds.score - self._masses(nodes.totals)) * self.target.gain_unit / self.target.weights(nodes.totals)
        return paid.best(gain / self.recipe.log_base * self.recipe.bits, nodes.id, TIE)

    def _resolve(self, column: Ints, finds: Finds, nodes: Any, small: bool) -> Meaning:
        meaning = self._empty_meaning(column)
        columns = np.unique(column[column >= 0])

        def resolve(k: int, worker: int) -> None:
            j = int(columns[k])
            chosen = np.flatnonzero(column == j)
            coded = self.encoded.columns[j]
            mine = Finds(*(part[j] for part in finds))
            codes, data, side = self.rows.codes[j], self.rows.data, self.rows.side
            if j in self.rows.listed:
                listed = self.rows.listed[j], codes, coded.has_missing
                resolve_listed(*listed, chosen, mine.cut, mine.missing_left, nodes, data, side, meaning)
                meaning.edge[chosen] = self._edges(j, meaning.beside[chosen])
                return
            if self._kind(j) is Kind.NOMINAL:
                self._resolve_levels(j, worker, chosen, nodes, mine, meaning)
            else:
                ordered = codes, coded.lows, coded.highs, self.rows.in_row_order
                resolve_cuts(*ordered, chosen, nodes, data, self._tallies[j], mine, side, meaning)

        self.workers.each(len(columns), resolve, small=small)
        return meaning

    def _resolve_levels(self, j: int, worker: int, chosen: Ints, nodes: Any, mine: Finds, meaning: Meaning) -> None:
        kernel, tally, rows = _NOMINAL[self.recipe.splits][1], self._tallies[j], self.rows
        given = rows.codes[j], rows.in_row_order, chosen, nodes, rows.data, self.rules, tally
        kernel(j, *given, mine, rows.side, meaning)

    def _mark_missing(self, column: Ints, meaning: Meaning) -> None:
        """Where missing values do not go one way, say so."""
        if not len(self._missing_mark):
            return
        mark = np.where(column >= 0, self._missing_mark[column], 0)
        marked = np.flatnonzero(mark < 0)
        meaning.branch_of[meaning.branch_start[marked]] = mark[marked]

    def _edges(self, j: int, beside: Ints) -> Floats:
        """Midway between the numbers of the rows on either side of a cut; infinite where the right has only missing."""
        column = self.encoded.columns[j]
        if j in self.rows.listed:
            below, above = np.asarray(column.numbers)[self.rows.original[beside]].astype(np.float64).T
        else:
            low, high = self.rows.codes[j][beside].astype(np.int64).T - 1
            below, above = column.highs[low], column.lows[high]
        with np.errstate(invalid="ignore"):  # minus and plus infinity have no middle
            middle = below / 2 + above / 2
        edges = np.where((below <= middle) & (middle < above), middle, below)
        return np.where(beside[:, 1] < 0, np.inf, edges)

    def _empty_meaning(self, column: Ints) -> Meaning:
        taken = column >= 0
        child_start = offsets(np.where(taken, self._n_branches[column], 0))
        branch_start = offsets(np.where(taken, self._n_branch_codes[column], 0))
        return self._meaning(child_start, branch_start)

    def _meaning(self, child_start: Ints, branch_start: Ints) -> Meaning:
        n = len(child_start) - 1
        return Meaning(
            child_start,
            np.zeros((child_start[-1], self.target.n_stats), np.int64),
            np.zeros(child_start[-1], np.int64),
            branch_start,
            np.zeros(branch_start[-1], np.int32),
            np.zeros(n, np.int64),
            np.full(n, np.nan),
            np.zeros((n, 2), np.int64),
        )

    def finish(self, frontier: Frontier) -> tuple[Frontier, Frontier, Subtrees | None]:
        is_small = frontier.rows <= self.small_node
        small, large = frontier[np.flatnonzero(is_small)], frontier[np.flatnonzero(~is_small)]
        if not len(small):
            return large, small, None
        alone = self._is_small(int(small.rows.sum()))
        return large, small, self._grower.grow(small, self.workers, alone)

    def split(self, frontier: Frontier, found: Found, taken: Ints, first_id: int) -> Frontier:
        n_branches = np.diff(found.child_start)[taken]
        branches = spans(found.child_start[taken], n_branches)
        stats = found.stats[branches]
        depth = np.repeat(frontier.depth[taken] + 1, n_branches)
        ids = np.arange(first_id, first_id + len(branches))
        if self.paid is not None:
            self.paid.split(frontier.id[taken], found.column[taken], n_branches)
        return Frontier(ids, depth, found.rows[branches], stats, self.target.is_pure(stats))

    def route(self, frontier: Frontier, found: Found, taken: Ints, children: Frontier, wanted: Mask) -> Frontier:
        self.rows.route(frontier, found, taken, children, wanted)
        return children[np.flatnonzero(wanted)]
