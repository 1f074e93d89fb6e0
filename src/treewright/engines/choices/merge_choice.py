"""CHAID's choice over cells: levels that do not differ are merged, and the column is split by whose groups differ most
significantly.

Under policies that leave missing values out, levels are merged and tested by the rows whose value is known. Missing
values with a branch of their own are a group that is never merged; they add no way of merging to the multiplier.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np

from treewright.criteria.bonferroni import FLOATING, NOMINAL, ORDINAL, adjusted
from treewright.criteria.masses import masses
from treewright.data.encoded import Encoding
from treewright.data.schema import Kind
from treewright.engines.choices.choice import Best
from treewright.engines.choices.proposals import NO_PLACE, Proposals, joined, known_or_not, missing_mark
from treewright.engines.stores.node_cells import Cells, with_commonest
from treewright.engines.stores.store import HEAVIEST, NO_ROWS, Frontier
from treewright.engines.target_stats import TargetStats
from treewright.kernels.search.group_tests import Difference
from treewright.kernels.search.level_merging import MergeRules, new_items
from treewright.kernels.search.merge_search import Merged, lay_out, merge_cells, new_merged
from treewright.recipe_parts.merging import AS_PUBLISHED, ByMerging, LevelsAtNode
from treewright.recipe_parts.missing import Missing
from treewright.recipe_parts.recipe import NEARLY, UNREACHED, Recipe
from treewright.ties import slack
from treewright.typing import Floats, Ints, Mask

SplitsOf = Callable[[Ints], Proposals]


@dataclass(frozen=True)
class MergeBest(Best):
    """The groups of one column at every open node. The score is -ln of the adjusted p, -inf where there are no two."""

    groups: Ints = field(kw_only=True)  # 0: none
    significance: Floats = field(kw_only=True)  # (nodes, N_TEST)


class MergeChoice:
    """See ``Choice``."""

    gain_is_known = False

    def __init__(self, encoded: Encoding, recipe: Recipe, target: TargetStats) -> None:
        assert isinstance(recipe.choice, ByMerging)
        self.encoded = encoded
        self.recipe = recipe
        self.target = target
        self.merging: ByMerging = recipe.choice
        self.moments = target.moments

    @cached_property
    def rules(self) -> MergeRules:
        """As kernels take them."""
        merging = self.merging
        resplit = math.log(merging.alpha_resplit) if merging.alpha_resplit else -math.inf
        most = 1 + max((column.n_codes for column in self.encoded.columns), default=2)
        most = min(merging.max_branches or most, most)
        return MergeRules(
            int(Difference[merging.test.upper()]), math.log(merging.alpha_merge), resplit, merging.exhaustive, most,
            float(min(merging.min_rows, UNREACHED)) * NEARLY, float(merging.small_share),
            np.array(merging.scores, np.float64), self.target.units(),
        )  # fmt: skip

    def is_settled(self, stats: Ints, rows: Ints) -> Mask:
        return self.target.is_pure(stats, rows)

    def is_ordered(self, column: int) -> bool:
        """Bins of numbers are levels in order."""
        return self.encoded.schema.columns[column].kind is not Kind.NOMINAL

    # ---- one column --------------------------------------------------------------------------------------------

    def search(self, column: int, cells: Cells, nodes: Frontier) -> MergeBest:
        found = self._merged(column, cells, len(nodes))
        if self.recipe.missing[column] is Missing.BRANCH:
            found = _more_significant(found, self._known_or_not(column, cells, len(nodes)))
        return found

    def _merged(self, column: int, cells: Cells, n_nodes: int) -> MergeBest:
        policy, ordered = self.recipe.missing[column], self.is_ordered(column)
        missing_rows, missing = cells.missing(n_nodes)
        commonest = np.zeros(n_nodes, np.int64)
        if policy is Missing.COMMON:
            cells, commonest = with_commonest(cells, n_nodes, ordered=ordered, moments=self.moments)
        elif policy not in (Missing.LEARNED, Missing.ERROR):
            cells = cells.known
        own = missing if policy is Missing.BRANCH else np.zeros_like(missing)
        if self.merging.program is None:
            group, merged = self._merge(column, cells, own, ordered)
        else:
            cells, group, merged = self._as_the_program_does(column, cells, n_nodes)
        of_levels = merged.groups - own.any(-1)  # a group that is never merged is no way of merging
        adjusted_p = self._adjusted(merged, of_levels, ordered)

        def splits(chosen: Ints) -> Proposals:
            parts = _Groups(cells.at(chosen, n_nodes), group[_mask_of(cells, chosen, n_nodes)])
            return parts.proposals(
                self.encoded.columns[column].n_codes, ordered, merged.groups[chosen], of_levels[chosen],
                (missing_rows[chosen], own[chosen]), commonest[chosen], missing_mark(policy),
            )  # fmt: skip

        return self._best(merged, merged.groups, adjusted_p, splits)

    def _best(self, merged: Merged, groups: Ints, adjusted_p: Floats, splits: SplitsOf) -> MergeBest:
        kind = np.full(len(groups), float(self.rules.test))
        parts = [kind, merged.statistic, merged.freedom, merged.within, merged.log_p, adjusted_p]
        score = np.where(groups > 0, -adjusted_p, -np.inf)
        return MergeBest(
            score, np.zeros(len(groups), np.int64), splits, groups=groups, significance=np.stack(parts, -1)
        )

    def _adjusted(self, merged: Merged, of_levels: Ints, ordered: bool) -> Floats:
        if not self.merging.bonferroni:
            return np.asarray(np.minimum(merged.log_p, 0.0))
        kind = np.where(merged.floating, FLOATING, ORDINAL if ordered else NOMINAL)
        return adjusted(merged.log_p, merged.levels, of_levels, kind, exhaustive=self.merging.exhaustive)

    def _merge(self, column: int, cells: Cells, own: Ints, ordered: bool) -> tuple[Ints, Merged]:
        """The head of every cell's group, counted from the first cell of its node, and what the groups come to."""
        n_nodes = len(own)
        n_sums = 3 if self.rules.scores.size else self.target.n_stats
        items = new_items(self.encoded.columns[column].n_codes + 1, n_sums)
        floating = np.zeros(n_nodes, np.bool_)
        floating[cells.node[cells.code == 0]] = True
        group, merged = np.zeros(len(cells), np.int64), new_merged(n_nodes)
        merge_cells(cells.begins(n_nodes), cells.stats, own, ordered, floating, self.rules, items, group, merged)
        return group, merged

    def _known_or_not(self, column: int, cells: Cells, n_nodes: int) -> MergeBest:
        """All known values against the missing ones, at nodes that have both."""
        proposed = known_or_not(cells, n_nodes, self.encoded.columns[column].n_codes, nominal=True)
        two = Cells(
            np.repeat(proposed.node, 2), np.tile(np.array([0, 1]), len(proposed)), proposed.rows.ravel(),
            proposed.stats.reshape(-1, self.target.n_stats),
        )  # fmt: skip
        _, merged = self._merge(column, two, np.zeros((n_nodes, self.target.n_stats), np.int64), ordered=False)
        place, groups = np.full(n_nodes, -1), np.zeros(n_nodes, np.int64)
        place[proposed.node] = np.arange(len(proposed))
        groups[proposed.node] = np.where(merged.groups[proposed.node] == 2, 2, 0)
        return self._best(merged, groups, np.minimum(merged.log_p, 0.0), lambda nodes: proposed[place[nodes]])

    # ---- programs that are followed ----------------------------------------------------------------------------

    def _keeps_empty_levels(self, column: int) -> bool:
        program = self.merging.program
        return program is not None and program.keeps_empty_levels and not self.is_ordered(column)

    def _as_the_program_does(self, column: int, cells: Cells, n_nodes: int) -> tuple[Cells, Ints, Merged]:
        """Cells, with those of absent levels if these are merged too, their groups, and what the groups come to."""
        program, ordered = self.merging.program, self.is_ordered(column)
        assert program is not None
        if self._keeps_empty_levels(column):
            cells = with_empty_levels(cells, n_nodes, self.encoded.columns[column].n_codes)
        merged, begins, group = new_merged(n_nodes), cells.begins(n_nodes), np.zeros(len(cells), np.int64)
        for f in range(n_nodes):
            here = slice(begins[f], begins[f + 1])
            levels = LevelsAtNode(cells.code[here], cells.stats[here] * self.rules.unit, ordered)
            merged.levels[f] = levels.counts.any(1).sum()
            merged.floating[f] = levels.is_floating
            heads = program.merge(levels, self.encoded.schema.columns[column], self.merging)
            if heads is AS_PUBLISHED:
                heads = self._as_published(column, cells[np.arange(begins[f], begins[f + 1])])
            if heads is not None:
                group[here] = heads
                tested = program.tested(np.array([levels.counts[heads == head].sum(0) for head in np.unique(heads)]))
                merged.groups[f], merged.statistic[f], merged.freedom[f], merged.log_p[f] = tested
        return cells, group, merged

    def _as_published(self, column: int, cells: Cells) -> Ints | None:
        """The groups of the levels of one node."""
        own = np.zeros((1, self.target.n_stats), np.int64)
        group, merged = self._merge(
            column, replace(cells, node=np.zeros_like(cells.node)), own, self.is_ordered(column)
        )
        return group if merged.groups[0] else None

    # ---- all columns -------------------------------------------------------------------------------------------

    def select(self, best: Sequence[Best], nodes: Frontier) -> tuple[Ints, Floats]:
        """The column of the smallest adjusted p at every node, the first of equals; none if it is not significant."""
        found = [one for one in best if isinstance(one, MergeBest)]
        column = self._most_significant(found) if found else np.full(len(nodes), -1)
        return column, self._left_out_gain(column, found, nodes)

    def _most_significant(self, found: Sequence[MergeBest]) -> Ints:
        if self.merging.program is not None:
            chosen = self.merging.program.choose(
                np.array([one.significance for one in found]), np.array([one.groups for one in found])
            )
            if chosen is not None:
                return chosen
        score = np.array([one.score for one in found])
        usable = np.where(score >= -math.log(self.merging.alpha_split), score, -np.inf)
        top = usable.max(0)
        return np.where(top > -np.inf, (usable >= top - slack(top)).argmax(0), -1)

    def _left_out_gain(self, column: Ints, found: Sequence[MergeBest], nodes: Frontier) -> Floats:
        """What splits gain by the rows whose value is known, where missing values are left out."""
        gain = np.zeros(len(column))
        for j in np.unique(column[column >= 0]):
            if self.recipe.missing[j].leaves_out and self.encoded.columns[j].has_missing:
                here = np.flatnonzero(column == j)
                stats = found[j].proposals(here).stats
                gained = self._mass(stats).sum(-1) - self._mass(stats.sum(1))
                gain[here] = gained * self.target.gain_unit / self.target.weights(nodes.stats[here])
        return gain

    def _mass(self, stats: Ints) -> Floats:
        return masses(stats, self.recipe.criterion)

    def significance(self, column: Ints, best: Sequence[Best]) -> Floats | None:
        tests = np.array([one.significance for one in best if isinstance(one, MergeBest)])
        return np.asarray(tests[column, np.arange(len(column))]) if len(tests) else np.zeros((len(column), 6))

    def accepts(self, gain: Floats) -> Mask:
        return self.recipe.is_acceptable(gain)

    def predicted(self, stats: Ints) -> Floats:
        raise TypeError("CHAID knows no constraints")

    def edges(self, column: int, cut: Ints, above: Ints) -> tuple[Floats, Floats]:
        raise TypeError("CHAID's branches are told by code")

    def gains(self, column: Ints, n_missing: Ints, stats: Ints, branches: Ints, found: Floats, sizes: Ints) -> Floats:
        """The decrease in impurity."""
        parent = np.repeat(np.arange(len(stats)), sizes)
        after = np.bincount(parent, self._mass(branches), minlength=len(stats))
        exact = (after - self._mass(stats)) * self.target.gain_unit / self.target.weights(stats)
        leaves_out = np.array([policy.leaves_out for policy in self.recipe.missing], np.bool_)[column]
        return np.where(sizes == 0, 0.0, np.where(leaves_out & (n_missing > 0), found, exact))


@dataclass(frozen=True)
class _Groups:
    """The cells of some nodes, and the head of each cell's group."""

    cells: Cells
    group: Ints

    def proposals(
        self,
        n_codes: int,
        ordered: bool,
        n_groups: Ints,
        of_levels: Ints,
        own: tuple[Ints, Ints],
        commonest: Ints,
        mark: int,
    ) -> Proposals:
        """A proposal for every node; ``own`` are rows and statistics of missing values that are a group."""
        n, cells = len(n_groups), self.cells
        branch_of = np.empty((n, n_codes), np.int32)
        lay_out(cells.begins(n), cells.code, self.group, ordered, NO_ROWS, branch_of)
        widest = int(n_groups.max(initial=2))
        stats, rows = np.zeros((n, widest, cells.n_stats), np.int64), np.zeros((n, widest), np.int64)
        at = cells.node, branch_of[cells.node, cells.code]
        np.add.at(stats, at, cells.stats)
        np.add.at(rows, at, cells.rows)
        apart = np.flatnonzero(own[1].any(-1))
        stats[apart, n_groups[apart] - 1], rows[apart, n_groups[apart] - 1] = own[1][apart], own[0][apart]
        to = np.full(n, mark or HEAVIEST)
        to = np.where(commonest > 0, branch_of[np.arange(n), commonest], to)
        to = np.where(own[1].any(-1), of_levels, to)
        none, numbers = np.zeros(n, np.int64), np.tile(np.arange(widest), (n, 1))
        return Proposals(
            np.arange(n), stats, rows, numbers, n_groups, to, none, none, none + NO_PLACE, none,
            lambda chosen: branch_of[chosen].copy(),
        )  # fmt: skip


def _mask_of(cells: Cells, nodes: Ints, n_nodes: int) -> Mask:
    wanted = np.zeros(n_nodes, np.bool_)
    wanted[nodes] = True
    return np.asarray(wanted[cells.node])


def with_empty_levels(cells: Cells, n_nodes: int, n_codes: int) -> Cells:
    """A cell for every level at every node, and for missing values where there are some."""
    rows, stats = np.zeros((n_nodes, n_codes), np.int64), np.zeros((n_nodes, n_codes, cells.n_stats), np.int64)
    rows[cells.node, cells.code], stats[cells.node, cells.code] = cells.rows, cells.stats
    node, code = np.nonzero((rows > 0) | (np.arange(n_codes) > 0))
    return Cells(node, code, rows[node, code], stats[node, code])


def _more_significant(one: MergeBest, other: MergeBest) -> MergeBest:
    """Of every node the groups of smaller adjusted p, those of ``one`` where they are equal."""
    second = other.score > one.score

    def splits(nodes: Ints) -> Proposals:
        of_other = second[nodes]
        mine, theirs = one.proposals(nodes[~of_other]), other.proposals(nodes[of_other])
        ranked = replace(mine, node=np.flatnonzero(~of_other)), replace(theirs, node=np.flatnonzero(of_other))
        return joined(list(ranked)).in_turn()

    return replace(
        one, score=np.maximum(one.score, other.score), splits=splits,
        groups=np.where(second, other.groups, one.groups),
        significance=np.where(second[:, None], other.significance, one.significance),
    )  # fmt: skip
