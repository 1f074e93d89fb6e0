"""Two sets of the levels of nominal columns at many visits; missing is a level like others."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from treewright.engines.choices.level_sets import ProposedColumn
from treewright.engines.choices.propose import propose
from treewright.engines.side_by_side.open_rows import CodeRuns, OpenRows, Visits
from treewright.engines.side_by_side.split_scores import first_ahead
from treewright.engines.side_by_side.visit_rules import VisitRules, side_scores
from treewright.engines.stores.node_cells import Cells
from treewright.recipe_parts.missing import Missing
from treewright.recipe_parts.recipe import Splits
from treewright.table import ratio
from treewright.tree.build import offsets, spans
from treewright.typing import Floats, Ints, Mask


@dataclass(frozen=True)
class LevelSides:
    """The levels that occur at some nodes, end to end, and which of them are on the right."""

    sizes: Ints
    code: Ints
    on_right: Mask

    def of(self, pick: Ints) -> LevelSides:
        here = spans(offsets(self.sizes)[pick], self.sizes[pick])
        return LevelSides(self.sizes[pick], self.code[here], self.on_right[here])

    @property
    def branch_of_missing(self) -> Ints:
        """Of every node; 0 where no value is missing."""
        missing_right = np.zeros(len(self.sizes), np.int64)
        node = np.repeat(np.arange(len(self.sizes)), self.sizes)
        missing_right[node[(self.code == 0) & self.on_right]] = 1
        return missing_right


@dataclass(frozen=True)
class FoundLevels:
    """Of every visit; the score is -inf where there is no split."""

    score: Floats
    sides: Callable[[Ints], LevelSides]  # of some visits that have one


def best_levels(rows: OpenRows, visits: Visits, rules: VisitRules) -> FoundLevels:
    """Of all cuts of the one order of the levels, or of the subsets that are tried where there is none."""
    cells = _cells(rows.visited(visits).in_order(), rules)
    if rules.recipe.criterion == "squared_error" or rules.totals.shape[1] == 2:
        return _cut_in_order(cells, rows, visits, rules)
    return _of_proposals(cells, rows, visits, rules)


def levels_at_random(rows: OpenRows, visits: Visits, rules: VisitRules) -> FoundLevels:
    """Of the one subset that is drawn for each visit."""
    cells, n = _cells(rows.visited(visits).in_order(), rules), len(visits.node)
    begin = cells.begins(n)
    place = np.arange(len(cells)) - begin[cells.node]
    on_left = rules.draws.is_on_left(visits.column, visits.node, np.diff(begin), cells.node, place)
    left = np.add.reduceat(np.column_stack([cells.rows, cells.stats]) * on_left[:, None], begin[:-1])
    return FoundLevels(side_scores(left, visits.node, rows.sizes, rules), lambda v: _sides(cells, begin, v, ~on_left))


def _cells(runs: CodeRuns, rules: VisitRules) -> Cells:
    """With the statistics that scores look at."""
    up_to, first = np.column_stack([runs.rows_up_to, *runs.sums_up_to(rules.n_scored)]), runs.begin[:-1]
    own = np.diff(up_to, axis=0, prepend=0)
    own[first] = up_to[first]
    return Cells(runs.visit, runs.code, own[:, 0], own[:, 1:])


def _sides(cells: Cells, begin: Ints, visits: Ints, on_right: Mask) -> LevelSides:
    sizes = np.diff(begin)[visits]
    here = spans(begin[visits], sizes)
    return LevelSides(sizes, cells.code[here], on_right[here])


def _cut_in_order(cells: Cells, rows: OpenRows, visits: Visits, rules: VisitRules) -> FoundLevels:
    weight = cells.stats[:, 0] if rules.recipe.criterion == "squared_error" else cells.stats.sum(-1)
    mean = ratio(cells.stats[:, 1].astype(np.float64), weight.astype(np.float64))
    ranked = cells[np.lexsort((mean, cells.node))]
    begin = ranked.begins(len(visits.node))
    own = np.column_stack([ranked.rows, ranked.stats])
    running = np.cumsum(own, axis=0)
    left = running - np.repeat((running - own)[begin[:-1]], np.diff(begin), axis=0)
    at = np.flatnonzero(np.arange(1, len(ranked) + 1) < begin[1:][ranked.node])  # not the last of its visit
    visit = ranked.node[at]
    score = side_scores(left[at], visits.node[visit], rows.sizes, rules)
    best = first_ahead(visit, score, rules.slack[visits.node])
    cut = np.append(at, 0)[best]
    return FoundLevels(
        _score_at(best, score),
        lambda chosen: _sides(ranked, begin, chosen, np.arange(len(ranked)) > cut[ranked.node]),
    )


def _of_proposals(cells: Cells, rows: OpenRows, visits: Visits, rules: VisitRules) -> FoundLevels:
    n, begin, n_codes = len(visits.node), cells.begins(len(visits.node)), int(cells.code.max()) + 1
    asked = ProposedColumn(False, n_codes, Missing.LEARNED, Splits.SUBSET, moments=False)
    proposed = propose(asked, cells, n).in_turn()
    left = np.column_stack([proposed.rows[:, 0], proposed.stats[:, 0]])
    score = side_scores(left, visits.node[proposed.node], rows.sizes, rules)
    best = first_ahead(proposed.node, score, rules.slack[visits.node])

    def sides(chosen: Ints) -> LevelSides:
        branch_of = proposed[best[chosen]].branches(n_codes, is_cut=False)
        sizes = np.diff(begin)[chosen]
        code = cells.code[spans(begin[chosen], sizes)]
        return LevelSides(sizes, code, branch_of[np.repeat(np.arange(len(chosen)), sizes), code] == 1)

    return FoundLevels(_score_at(best, score), sides)


def _score_at(best: Ints, score: Floats) -> Floats:
    return np.where(best >= 0, np.append(score, -np.inf)[best], -np.inf)
