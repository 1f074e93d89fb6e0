"""Absolute error in the general engine: medians do not add up, so sets of rows are looked at and not tables."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from treewright.data.encoded import Encoded
from treewright.data.schema import Kind
from treewright.engines.absolute import units_of
from treewright.engines.best import Best, best_of
from treewright.engines.engine import Frontier
from treewright.engines.tables import Sent, TableEngine
from treewright.engines.target import MedianStats
from treewright.engines.workers import Workers
from treewright.kernels.median_sets import (
    AFTER,
    ALONE,
    BEFORE,
    REST,
    Members,
    Sets,
    chain_sets,
    new_sets,
    single_sets,
)
from treewright.kernels.medians import Ranked, branch_medians, rank_rows
from treewright.recipes.missing import Missing
from treewright.recipes.recipe import Recipe, Splits
from treewright.search.cells import Cases, Cells, cells_of, with_commonest
from treewright.search.levels import ordered_cells
from treewright.search.proposals import KNOWN_OR_NOT, NO_PLACE, Proposals
from treewright.tree.build import offsets
from treewright.typing import Floats, Ints


@dataclass(frozen=True)
class RankedCases:
    """Cases by group and then by y: ``order`` has those of group g from ``start[g]`` to ``start[g + 1]``."""

    order: Ints
    start: Ints
    ranked: Ranked


class AbsoluteTableEngine(TableEngine):
    """Finds and applies the splits of least absolute error, with every policy for missing values and constraints."""

    target: MedianStats

    def __init__(self, encoded: Encoded, recipe: Recipe, workers: Workers, policies: tuple[Missing, ...]) -> None:
        super().__init__(encoded, recipe, workers, policies)
        self._y = units_of(self.target, encoded)
        self._round = self._rank(self._open, self._open.node, 1)
        self._numbers = self._by_rank(self._round, self._open)

    def best(self, frontier: Frontier) -> Sent:
        self._round = self._rank(self._open, self._open.node, len(frontier))
        self._numbers = self._by_rank(self._round, self._open)
        return super().best(frontier)

    # ---- medians of groups of cases ----------------------------------------------------------------------------

    def _rank(self, cases: Cases, group: Ints, n_groups: int) -> RankedCases:
        by_value = np.argsort(self.encoded.y[cases.row], kind="stable")
        order = by_value[np.argsort(group[by_value], kind="stable")]
        start = offsets(np.bincount(group, minlength=n_groups))
        base, n_places = start[:-1] + 2 * np.arange(n_groups), len(cases) + 2 * n_groups
        weights, moments = np.zeros(n_places, np.int64), np.zeros(n_places, np.int64)
        ranked = Ranked(np.empty(len(cases), np.uint32), base, weights, moments, np.zeros(n_places))
        weight, moment = (np.ascontiguousarray(part) for part in cases.amounts.T[:2])
        rank_rows(order, start[:-1], start[1:], weight, moment, self._y, cases.row, ranked)
        return RankedCases(order, start, ranked)

    def _by_rank(self, here: RankedCases, cases: Cases) -> Floats:
        """The target as it is, at the places of ranks."""
        numbers = np.zeros(len(here.ranked.y))
        group = np.repeat(np.arange(len(here.start) - 1), np.diff(here.start))
        numbers[np.arange(len(here.order)) + 1 + 2 * group] = self.encoded.y[cases.row[here.order]]
        return numbers

    def _centres(self, cases: Cases, group: Ints, sums: Ints, centre: Floats) -> Floats:
        """Median of every group, distance from it, and distance from another centre."""
        here, n, found = self._rank(cases, group, len(sums)), len(sums), np.zeros((len(sums), 3))
        side, each = np.zeros(len(cases), np.uint8), np.arange(n)
        where = each, here.order, here.start[:-1], here.start[1:], side, np.arange(n + 1)
        branch_medians(*where, sums, here.ranked, self.encoded.y, cases.row, centre, found)
        return found

    def _kept(self, cases: Cases, sums: Ints, parent: Ints | None = None) -> Ints:
        centre = np.zeros(len(sums)) if parent is None else self.target.medians(parent) - self.target.centre
        stats = self.target.kept(sums, self._centres(cases, cases.node, sums, centre * self.target.y_unit))
        if parent is None:
            stats[:, -1] = stats[:, -2]  # the root has no parent
        return stats

    def _predicted(self, stats: Ints) -> Floats:
        return np.where(stats[..., 0] > 0, self.target.medians(stats), np.nan)

    # ---- search ------------------------------------------------------------------------------------------------

    def _search_column(self, j: int, cases: Cases, frontier: Frontier) -> Best:
        n, n_codes, policy = len(frontier), self.encoded.columns[j].n_codes, self.policies[j]
        codes = self._codes(j, cases)
        cells = cells_of(cases, codes, n, n_codes, self.target.n_stats)
        if policy is Missing.COMMON:
            stand_in = with_commonest(cells, n, ordered=self._kind(j) is not Kind.NOMINAL, moments=True)[1]
            codes = np.where(codes == 0, stand_in[cases.node], codes)
            cells = cells_of(cases, codes, n, n_codes, self.target.n_stats)
        chain, key = self._chain(j, cases, codes, cells)
        proposed = self._propose(j, cells, n, key)
        proposed = proposed[np.flatnonzero(self._is_admissible(proposed))]
        sets = self._sets(j, cases, codes, chain, n)
        found = self._branch_sets(j, proposed, chain, sets, cells.missing(n)[0])
        if self.constraints is not None:
            kept = np.flatnonzero(self._obeys(self.constraints, j, proposed, frontier, found[..., 1]))
            proposed, found = proposed[kept], found[kept]
        before = sets.of_known[:, 0] if policy.leaves_out else self.target.distances(frontier.stats)
        score = (before[proposed.node] - found[..., 0].sum(-1)) * self.target.gain_unit
        score = np.maximum(score / self.target.weights(frontier.stats)[proposed.node], 0.0)
        return best_of(proposed, score, frontier, self._seed(j))

    def _is_chain(self, j: int) -> bool:
        """Whether the branches are what is before and after a place among cells in order."""
        return self._kind(j) is not Kind.NOMINAL or self.recipe.splits is Splits.SUBSET

    def _chain(self, j: int, cases: Cases, codes: Ints, cells: Cells) -> tuple[Cells, Floats | None]:
        """The cells that a split puts apart, in order; and for subsets of levels the key of that order: the median, of
        equal medians the mean. That the best subset is a cut of this order is not certain, as it is for means."""
        if self._kind(j) is not Kind.NOMINAL:
            return cells.known, None
        level = ordered_cells(cells, self.policies[j], self.recipe.splits)
        if self.recipe.splits is not Splits.SUBSET:
            return level, None
        place = self._place(level, cases, codes, self.encoded.columns[j].n_codes)
        inside = np.flatnonzero(place >= 0)
        median = self._centres(cases[inside], place[inside], level.stats, np.zeros(len(level)))[:, 0]
        order = np.lexsort((level.code, level.stats[:, 1] / level.stats[:, 0], median, level.node))
        key = np.empty(len(level))
        key[order] = np.arange(len(level))
        return level[order], key

    @staticmethod
    def _place(cells: Cells, cases: Cases, codes: Ints, n_codes: int) -> Ints:
        """The cell of every case, -1 where it is in none."""
        names = cells.node * n_codes + cells.code
        order = np.argsort(names)
        wanted = cases.node * n_codes + codes
        if not len(names):
            return np.full(len(cases), -1)
        at = order[np.minimum(np.searchsorted(names, wanted, sorter=order), len(names) - 1)]
        return np.where(names[at] == wanted, at, -1)

    def _sets(self, j: int, cases: Cases, codes: Ints, chain: Cells, n_nodes: int) -> Sets:
        place = self._place(chain, cases, codes, self.encoded.columns[j].n_codes)
        order = np.lexsort((place, cases.node))
        n_missing = np.bincount(cases.node[place < 0], minlength=n_nodes)
        members = Members(self._round.start, n_missing, self._round.ranked.rank[order], place[order])
        sets = new_sets(len(chain), n_nodes)
        (chain_sets if self._is_chain(j) else single_sets)(members, self._round.ranked, self._numbers, sets)
        return sets

    def _branch_sets(self, j: int, proposed: Proposals, chain: Cells, sets: Sets, n_missing: Ints) -> Floats:
        """Distance and median of every branch of every proposal; (0, NaN) of branches that are empty."""
        found = np.zeros((*proposed.rows.shape, 2))
        found[..., 1] = np.nan
        node, takes_missing = proposed.node, proposed.number == proposed.missing_to[:, None]
        along = takes_missing & (self.policies[j] is Missing.LEARNED) & (n_missing[node] > 0)[:, None]
        if len(placed := np.flatnonzero(proposed.place >= 0)):
            for side, kind in enumerate((BEFORE, AFTER) if self._is_chain(j) else (ALONE, REST)):
                found[placed, side] = sets.of_cell[kind, along[placed, side].astype(int), proposed.place[placed]]
        row, branch = np.nonzero((proposed.place == NO_PLACE)[:, None] & (proposed.rows > 0))
        if len(row):  # one branch per level
            first = np.searchsorted(chain.node, np.arange(len(n_missing)))[node[row]]
            cell = np.minimum(first + branch, len(chain) - 1)  # a branch of missing values is last, and comes below
            found[row, branch] = sets.of_cell[ALONE, along[row, branch].astype(int), cell]
        if len(apart := np.flatnonzero(proposed.place == KNOWN_OR_NOT)):
            found[apart, 0], found[apart, 1] = sets.of_known[node[apart]], sets.of_missing[node[apart]]
        if self.policies[j] is Missing.BRANCH:
            row, branch = np.nonzero(takes_missing & (proposed.rows > 0))
            found[row, branch] = sets.of_missing[node[row]]
        return found
