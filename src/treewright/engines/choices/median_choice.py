"""The split of least absolute error. Medians do not add up, so rows are looked at beside the cells."""

from __future__ import annotations

import numpy as np

from treewright.data.encoded import Encoded
from treewright.data.schema import Kind
from treewright.engines.choices.choice import Best
from treewright.engines.choices.level_sets import ordered_cells
from treewright.engines.choices.proposals import KNOWN_OR_NOT, NO_PLACE, Proposals
from treewright.engines.choices.score_choice import ScoreChoice
from treewright.engines.paths import Paths
from treewright.engines.stores.case_medians import CaseMedians, RankedCases
from treewright.engines.stores.node_cells import Cases, Cells, cells_of, with_commonest
from treewright.engines.stores.plain_store import PlainStore
from treewright.engines.stores.store import Frontier, MedianStore
from treewright.engines.target_stats import MedianStats
from treewright.kernels.search.median_sets import (
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
from treewright.recipe_parts.missing import Missing
from treewright.recipe_parts.recipe import Recipe, Splits
from treewright.typing import Floats, Ints


class MedianChoice:
    """See ``Choice``. The mass of a node is -Σ w·|y − median|; all but the search is as by any score."""

    gain_is_known = True

    def __init__(
        self, encoded: Encoded, recipe: Recipe, target: MedianStats, paths: Paths | None, store: MedianStore
    ) -> None:
        self.encoded = encoded
        self.recipe = recipe
        self.target = target
        self.store = store
        self.by_score = ScoreChoice(encoded, recipe, target, paths)
        self.is_settled = self.by_score.is_settled
        self.select = self.by_score.select
        self.significance = self.by_score.significance
        self.accepts = self.by_score.accepts
        self.edges = self.by_score.edges
        self.gains = self.by_score.gains
        self.medians = CaseMedians(encoded, target)
        self._round: tuple[Cases, RankedCases, Floats] | None = None

    def predicted(self, stats: Ints) -> Floats:
        return np.where(stats[..., 0] > 0, self.target.medians(stats), np.nan)

    # ---- medians of groups of cases ----------------------------------------------------------------------------

    def _ranked_round(self, cases: Cases, n_nodes: int) -> tuple[RankedCases, Floats]:
        """The cases of the open nodes by y, and the target as it is at the places of ranks, which only constraints ask
        for. Threads that come first may both work it out: they arrive at the same."""
        if self._round is None or self._round[0] is not cases:
            here = self.medians.rank(cases, cases.node, n_nodes)
            numbers = np.zeros(0 if self.recipe.constraints is None else len(here.ranked.y))
            if len(numbers):
                group = np.repeat(np.arange(n_nodes), np.diff(here.start))
                numbers[np.arange(len(here.order)) + 1 + 2 * group] = self.encoded.y[cases.row[here.order]]
            self._round = cases, here, numbers
        return self._round[1:]

    # ---- search ------------------------------------------------------------------------------------------------

    def search(self, column: int, cells: Cells, nodes: Frontier) -> Best:
        n, n_codes, policy = len(nodes), self.encoded.columns[column].n_codes, self.recipe.missing[column]
        assert isinstance(self.store, PlainStore)  # rows are looked at one by one
        cases = self.store.cases
        codes = self.store.codes(column, cases.row)
        if policy is Missing.COMMON:
            ordered = self.by_score.kind(column) is not Kind.NOMINAL
            commonest = with_commonest(cells, n, ordered=ordered, moments=True)[1]
            codes = np.where(codes == 0, commonest[cases.node], codes)
            cells = cells_of(cases, codes, n, n_codes, self.target.n_stats)
        chain, key = self._chain(column, cases, codes, cells)
        proposed = self.by_score.propose(column, cells, n, key)
        proposed = proposed.where(self.by_score.is_admissible(proposed))
        sets = self._sets(column, cases, codes, chain, n)
        found = self._branch_sets(column, proposed, chain, sets, cells.missing(n)[0])
        if self.recipe.constraints is not None:
            fits = self.by_score.obeys(self.recipe.constraints, column, proposed, nodes, found[..., 1])
            kept = np.flatnonzero(fits)
            proposed, found = proposed[kept], found[kept]
        score = -found[..., 0].sum(-1)
        if policy.leaves_out:
            score = score + (sets.of_known[:, 0] - self.target.distances(nodes.stats))[proposed.node]
        return self.by_score.best_of(column, proposed, score, nodes)

    def _is_chain(self, column: int) -> bool:
        """Whether the branches are what is before and after a place among cells in order."""
        return self.by_score.kind(column) is not Kind.NOMINAL or self.recipe.splits is Splits.SUBSET

    def _chain(self, column: int, cases: Cases, codes: Ints, cells: Cells) -> tuple[Cells, Floats | None]:
        """The cells that a split puts apart, in order; and for subsets of levels the key of that order: the median, of
        equal medians the mean. That the best subset is a cut of this order is not certain, as it is for means."""
        if self.by_score.kind(column) is not Kind.NOMINAL:
            return cells.known, None
        level = ordered_cells(cells, self.recipe.missing[column], self.recipe.splits)
        if self.recipe.splits is not Splits.SUBSET:
            return level, None
        place = _place(level, cases, codes, self.encoded.columns[column].n_codes)
        inside = np.flatnonzero(place >= 0)
        median = self.medians.centres(cases[inside], place[inside], level.stats, np.zeros(len(level)))[:, 0]
        order = np.lexsort((level.code, level.stats[:, 1] / level.stats[:, 0], median, level.node))
        key = np.empty(len(level))
        key[order] = np.arange(len(level))
        return level[order], key

    def _sets(self, column: int, cases: Cases, codes: Ints, chain: Cells, n_nodes: int) -> Sets:
        here, numbers = self._ranked_round(cases, n_nodes)
        place = _place(chain, cases, codes, self.encoded.columns[column].n_codes)
        order = np.lexsort((place, cases.node))
        n_missing = np.bincount(cases.node[place < 0], minlength=n_nodes)
        members = Members(here.start, n_missing, here.ranked.rank[order], place[order])
        sets = new_sets(len(chain), n_nodes)
        (chain_sets if self._is_chain(column) else single_sets)(members, here.ranked, numbers, sets)
        return sets

    def _branch_sets(self, column: int, proposed: Proposals, chain: Cells, sets: Sets, n_missing: Ints) -> Floats:
        """Distance and median of every branch of every proposal; (0, NaN) of branches that are empty."""
        policy = self.recipe.missing[column]
        found = np.zeros((*proposed.rows.shape, 2))
        found[..., 1] = np.nan
        node, takes_missing = proposed.node, proposed.number == proposed.missing_to[:, None]
        along = takes_missing & (policy is Missing.LEARNED) & (n_missing[node] > 0)[:, None]
        if len(placed := np.flatnonzero(proposed.place >= 0)):
            for side, kind in enumerate((BEFORE, AFTER) if self._is_chain(column) else (ALONE, REST)):
                found[placed, side] = sets.of_cell[kind, along[placed, side].astype(int), proposed.place[placed]]
        row, branch = np.nonzero((proposed.place == NO_PLACE)[:, None] & (proposed.rows > 0))
        if len(row):  # one branch per level
            first = np.searchsorted(chain.node, np.arange(len(n_missing)))[node[row]]
            cell = np.minimum(first + branch, len(chain) - 1)  # a branch of missing values is last, and comes below
            found[row, branch] = sets.of_cell[ALONE, along[row, branch].astype(int), cell]
        if len(apart := np.flatnonzero(proposed.place == KNOWN_OR_NOT)):
            found[apart, 0], found[apart, 1] = sets.of_known[node[apart]], sets.of_missing[node[apart]]
        if policy is Missing.BRANCH:
            row, branch = np.nonzero(takes_missing & (proposed.rows > 0))
            found[row, branch] = sets.of_missing[node[row]]
        return found


def _place(cells: Cells, cases: Cases, codes: Ints, n_codes: int) -> Ints:
    """The cell of every case, -1 where it is in none."""
    names = cells.node * n_codes + cells.code
    order = np.argsort(names)
    wanted = cases.node * n_codes + codes
    if not len(names):
        return np.full(len(cases), -1)
    at = order[np.minimum(np.searchsorted(names, wanted, sorter=order), len(names) - 1)]
    return np.where(names[at] == wanted, at, -1)
