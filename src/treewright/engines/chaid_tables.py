"""CHAID over tables of counts: any policy for missing values, column by column."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from treewright.data.encoded import Encoded
from treewright.data.schema import Kind
from treewright.engines.best import Best
from treewright.engines.chaid import merge_rules, most_significant, thresholds
from treewright.engines.engine import Frontier
from treewright.engines.tables import Sent, TableEngine
from treewright.engines.workers import Workers
from treewright.kernels.chaid import Merged, lay_out, merge_cells, new_merged
from treewright.kernels.merging import new_items
from treewright.recipes.chaid import FLOATING, NOMINAL, ORDINAL, adjusted
from treewright.recipes.missing import Missing
from treewright.recipes.recipe import Merging, Recipe
from treewright.search.cells import Cases, Cells, cells_of, with_commonest
from treewright.search.proposals import ABSENT, HEAVIEST, NO_PLACE, Proposals, joined, known_or_not, missing_mark
from treewright.split import Split
from treewright.tree.tree import SplitTest
from treewright.typing import Array, Floats, Ints, Mask

_NEARLY = 1 - 1e-9  # thirds of three rows are a row, though rounding leaves a little less


@dataclass(frozen=True)
class Tested(Best):
    """The groups of one column at every open node; ``score`` is what the split gains, -inf where there is none."""

    groups: Ints = field(kw_only=True)  # 0: none
    test: Floats = field(kw_only=True)  # (nodes, N_TEST)


class ChaidTableEngine(TableEngine):
    """Grows as the engine of CHAID does where missing values float.

    Under policies that leave them out, levels are merged and tested by the rows whose value is known. Missing values
    with a branch of their own are a group that is never merged; they add no way of merging to the multiplier.
    """

    def __init__(
        self,
        encoded: Encoded,
        recipe: Recipe,
        workers: Workers,
        policies: tuple[Missing, ...],
        min_rows_split: float,
    ) -> None:
        assert recipe.merging is not None
        super().__init__(encoded, recipe, workers, policies)
        self.merging: Merging = recipe.merging
        shared = any(p.is_shared and column.has_missing for p, column in zip(policies, encoded.columns))
        enough = _NEARLY if shared else 1.0
        self.min_rows_split = min_rows_split * enough
        most = max((column.n_codes for column in encoded.columns), default=2)
        nearly = replace(recipe.merging, min_rows=recipe.merging.min_rows * enough)
        self.merge_rules = merge_rules(nearly, self.target.units(), most)
        self._tests: Floats = np.empty((0, 0))

    def _kind(self, j: int) -> Kind:
        """Bins of numbers are levels in order."""
        return Kind.NOMINAL if super()._kind(j) is Kind.NOMINAL else Kind.ORDINAL

    def _is_settled(self, stats: Ints) -> Mask:
        known = self.target.floats(stats)
        weight = known[:, 0] if self.moments else known.sum(-1)
        return np.asarray(super()._is_settled(stats) | (weight < self.min_rows_split))

    # ---- one round ---------------------------------------------------------------------------------------------

    def best(self, frontier: Frontier) -> Sent:
        """Branches are found by code; the tree has them by edges."""
        sent = super().best(frontier)
        edge_start, edges, branch_start, branch_of = thresholds(
            self.encoded, sent.column, sent.branch_start, sent.branch_of
        )
        return replace(
            sent, edge_start=edge_start, edges=edges, branch_start=branch_start,
            branch_of=branch_of.astype(np.int32), test=self._tests,
        )  # fmt: skip

    def _choose(self, best: Sequence[Best], frontier: Frontier) -> tuple[Ints, Floats]:
        tested = [one for one in best if isinstance(one, Tested)]
        tests, groups = np.array([one.test for one in tested]), np.array([one.groups for one in tested])
        column = most_significant(tests[..., -1], groups, self.merging)
        nodes = np.arange(len(frontier))
        self._tests = tests[column, nodes]
        gain = np.where(column >= 0, np.array([one.score for one in tested])[column, nodes], 0.0)
        return np.where(self.recipe.worth_taking(gain), column, -1), gain

    def candidates(self) -> list[tuple[SplitTest, Split | None]]:
        """How every column would split all rows, significant or not; None: it has no two groups to split into."""
        found = [one for one in self._search(self._open, self.root()) if isinstance(one, Tested)]
        return [(SplitTest(*one.test[0].tolist()), self._split_by(j, one)) for j, one in enumerate(found)]

    def _split_by(self, j: int, one: Tested) -> Split | None:
        if not one.groups[0]:
            return None
        branches = self._branches(j, one.chosen)
        _, edges, _, branch_of = thresholds(
            self.encoded, np.array([j]), np.array([0, branches.shape[1]]), branches.ravel()
        )
        return Split(j, edges, branch_of)

    # ---- search ------------------------------------------------------------------------------------------------

    def _search_column(self, j: int, cases: Cases, frontier: Frontier) -> Tested:
        n_nodes, n_codes = len(frontier), self.encoded.columns[j].n_codes
        cells = cells_of(cases, self._codes(j, cases), n_nodes, n_codes, self.target.n_stats)
        found = self._merged(j, cells, n_nodes)
        if self.policies[j] is Missing.BRANCH:
            found = _more_significant(found, self._known_or_not(j, cells, n_nodes))
        gain = np.full(n_nodes, -np.inf)
        gain[found.chosen.node] = self._score(found.chosen, cells.missing(n_nodes)[1], self.policies[j])
        return replace(found, score=gain)

    def _merged(self, j: int, cells: Cells, n_nodes: int) -> Tested:
        policy, ordered = self.policies[j], self._kind(j) is not Kind.NOMINAL
        rows, missing = cells.missing(n_nodes)
        to = np.full(n_nodes, missing_mark(policy) or HEAVIEST)
        stand_in = np.zeros(n_nodes, np.int64)
        if policy is Missing.COMMON:
            cells, stand_in = with_commonest(cells, n_nodes, ordered=ordered, moments=self.moments)
        elif policy is not Missing.LEARNED:
            cells = cells.known
        own = missing if policy is Missing.BRANCH else np.zeros_like(missing)
        group, merged = self._merge(j, cells, own, ordered)
        of_levels = merged.groups - own.any(-1)  # a group that is never merged is no way of merging
        kind = np.where(merged.floating, FLOATING, ORDINAL if ordered else NOMINAL)
        log_adjusted = adjusted(merged.log_p, merged.levels, of_levels, kind, self.merging)
        branch_of = np.empty((n_nodes, self.encoded.columns[j].n_codes), np.int32)
        start = np.searchsorted(cells.node, np.arange(n_nodes + 1))
        lay_out(start, cells.code, group, ordered, ABSENT, branch_of)
        to = np.where(stand_in > 0, branch_of[np.arange(n_nodes), stand_in], to)
        to = np.where(own.any(-1), of_levels, to)
        proposed = _proposals(cells, merged.groups, branch_of, to, (rows, own))
        return _tested(proposed, merged, log_adjusted, float(self.merge_rules.test))

    def _merge(self, j: int, cells: Cells, own: Ints, ordered: bool) -> tuple[Ints, Merged]:
        n_nodes = len(own)
        n_sums = 3 if self.merge_rules.scores.size else self.target.n_stats
        items = new_items(self.encoded.columns[j].n_codes + 1, n_sums)
        start = np.searchsorted(cells.node, np.arange(n_nodes + 1))
        floating = np.zeros(n_nodes, np.bool_)
        floating[cells.node[cells.code == 0]] = True
        group, merged = np.zeros(len(cells), np.int64), new_merged(n_nodes)
        merge_cells(start, cells.stats, own, ordered, floating, self.merge_rules, items, group, merged)
        return group, merged

    def _known_or_not(self, j: int, cells: Cells, n_nodes: int) -> Tested:
        """All known values against the missing ones, at nodes that have both."""
        proposed = known_or_not(cells, n_nodes, self.encoded.columns[j].n_codes, nominal=True)
        two = Cells(
            np.repeat(proposed.node, 2), np.tile(np.array([0, 1]), len(proposed)), proposed.rows.ravel(),
            proposed.stats.reshape(-1, self.target.n_stats),
        )  # fmt: skip
        _, merged = self._merge(j, two, np.zeros((n_nodes, self.target.n_stats), np.int64), ordered=False)
        usable = proposed[np.flatnonzero(merged.groups[proposed.node] == 2)]
        log_p = np.minimum(merged.log_p, 0.0)
        return _tested(usable, merged, log_p, float(self.merge_rules.test))


def _proposals(cells: Cells, groups: Ints, branch_of: Array, to: Ints, own: tuple[Ints, Ints]) -> Proposals:
    """A proposal for every node of groups; ``own`` are rows and statistics of missing values that are one."""
    nodes = np.flatnonzero(groups)
    n, place = len(nodes), np.full(len(groups), -1)
    place[nodes] = np.arange(n)
    cells = cells[np.flatnonzero(place[cells.node] >= 0)]
    widest = int(groups.max(initial=2))
    stats, rows = np.zeros((n, widest, cells.n_stats), np.int64), np.zeros((n, widest), np.int64)
    at = place[cells.node], branch_of[cells.node, cells.code]
    np.add.at(stats, at, cells.stats)
    np.add.at(rows, at, cells.rows)
    apart = np.flatnonzero(own[1][nodes].any(-1))
    stats[apart, groups[nodes[apart]] - 1] = own[1][nodes[apart]]
    rows[apart, groups[nodes[apart]] - 1] = own[0][nodes[apart]]
    none, branches = np.zeros(n, np.int64), branch_of[nodes]
    return Proposals(
        nodes, stats, rows, np.tile(np.arange(widest), (n, 1)), groups[nodes], to[nodes], none, none,
        none + NO_PLACE, lambda chosen: branches[chosen].copy(),
    )  # fmt: skip


def _tested(proposed: Proposals, merged: Merged, log_adjusted: Floats, kind: float) -> Tested:
    n = len(merged.groups)
    place, groups = np.full(n, -1), np.zeros(n, np.int64)
    place[proposed.node], groups[proposed.node] = np.arange(len(proposed)), merged.groups[proposed.node]
    test = np.stack(
        [np.full(n, kind), merged.statistic, merged.freedom, merged.within, merged.log_p, log_adjusted], axis=-1
    )
    return Tested(np.full(n, -np.inf), np.zeros(n, np.int64), place, proposed, groups=groups, test=test)


def _more_significant(one: Tested, other: Tested) -> Tested:
    """Of every node the groups of smaller adjusted p, those of ``one`` where they are equal."""
    p = [np.where(found.groups > 0, found.test[:, -1], np.inf) for found in (one, other)]
    second = p[1] < p[0]
    mine, theirs = np.flatnonzero((one.groups > 0) & ~second), np.flatnonzero(second)
    chosen = joined([one.chosen[one.place[mine]], other.chosen[other.place[theirs]]])
    place = np.full(len(second), -1)
    place[chosen.node] = np.arange(len(chosen))
    return replace(
        one, place=place, chosen=chosen, groups=np.where(second, other.groups, one.groups),
        test=np.where(second[:, None], other.test, one.test),
    )  # fmt: skip
