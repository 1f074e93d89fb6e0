"""Which cuts of a column may be the best of their node, found before they are written down as proposals.

A column of numbers has nearly as many cuts as rows, and a proposal is a row in a dozen arrays. So all cuts are scored
roughly, and only those near the best score of their node are proposed. They are scored anew, and ties are settled, as
if all had been proposed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, reduce

import numpy as np

from treewright.criteria.masses import MASS_CRITERIA, xlogx, xlogx_table
from treewright.engines.stores.node_cells import Cells, Sums, firsts
from treewright.engines.target_stats import MedianStats, TargetStats
from treewright.kernels.search.mass import GINI_BREAKS_TIES
from treewright.recipe_parts.missing import Missing
from treewright.recipe_parts.recipe import ByScore, Recipe
from treewright.table import ratio
from treewright.typing import Array, Floats, Ints, Mask

_NEAR = 3  # times as far below the best as equal scores: what is rounded differs by much less
_NEAR_RATIO = 1e-6  # gain ratios, which are quotients of differences of large numbers
_FEW_EQUALS = 4  # at a node
FEW_CELLS = 200  # have cuts that are all proposed in less time

Parts = Sequence[Ints]  # each of the statistics, one number per cut: numpy is quick along one dimension


class RunningSums:
    """Rows and each of the statistics up to every cell of its node."""

    def __init__(self, known: Cells) -> None:
        self.begin = np.flatnonzero(firsts(known.node))
        self.sizes = np.diff(self.begin, append=len(known))
        self.node = known.node[self.begin]
        self.rows = self._up_to_each(known.rows)
        self.stats = [self._up_to_each(part) for part in known.stats.T]

    def _up_to_each(self, values: Ints) -> Ints:
        running = np.cumsum(values)
        running -= self.of_cells(running[self.begin] - values[self.begin])
        return running

    def of_cells(self, of_nodes: Array) -> Array:
        """What nodes have, for each of their cells."""
        return np.repeat(of_nodes, self.sizes)

    @property
    def last(self) -> Ints:
        """Of the cells of every node."""
        return self.begin + self.sizes - 1

    def at(self, cells: Ints) -> Sums:
        return self.rows[cells], np.stack([part[cells] for part in self.stats], -1)


@dataclass(frozen=True)
class PromisingCuts:
    """Of one ordered column."""

    criterion: str
    min_rows: int
    first_of_equals: bool
    policy: Missing
    target: TargetStats

    def up_to_each(self, known: Cells, missing: Sums) -> tuple[Ints, Sums, Sums]:
        """As ``node_cells.up_to_each``, of these cuts alone. ``missing`` is what every node has besides."""
        sums = RunningSums(known)
        rows, stats = sums.at(sums.last)
        scores = self._scores(sums, (rows, stats), (missing[0][sums.node], missing[1][sums.node]))
        score = reduce(np.maximum, scores)
        score[sums.last] = -np.inf
        top, near = np.maximum.reduceat(score, sums.begin), self._near(stats + missing[1][sums.node])
        here = np.flatnonzero((score >= sums.of_cells(top - near)) & (score > -np.inf))
        if self.first_of_equals and len(here) > _FEW_EQUALS * len(sums.begin):
            place = sums.of_cells(np.arange(len(sums.begin)))[here]
            here = here[_leads(place, [one[here] for one in scores])]
        return here, sums.at(here), sums.at(sums.of_cells(sums.last)[here])

    def _near(self, stats: Ints) -> Floats:
        """Errors hardly tell cuts apart: a row of them, each as good as the one before, may rise by more than that."""
        if self.criterion == "misclassification" and self.first_of_equals:
            return np.full(len(stats), np.inf)
        is_ratio = self.criterion == "gain_ratio"
        return np.full(len(stats), _NEAR_RATIO) if is_ratio else _NEAR * self.target.slack(stats)

    def _scores(self, sums: RunningSums, total: Sums, missing: Sums) -> list[Floats]:
        """Of a cut after every cell, with missing values on the right and, if that is another cut, on the left."""
        if not missing[0].any():
            return [self._of_sides(sums, sums.rows, sums.stats, total)]
        if self.policy is not Missing.LEARNED:
            return [self._of_sides(sums, sums.rows, sums.stats, total, missing[1])]
        total = total[0] + missing[0], total[1] + missing[1]
        on_right = self._of_sides(sums, sums.rows, sums.stats, total)
        rows = sums.rows + sums.of_cells(missing[0])
        parts = [part + sums.of_cells(more) for part, more in zip(sums.stats, missing[1].T)]
        return [on_right, self._of_sides(sums, rows, parts, total)]

    def _of_sides(self, sums: RunningSums, rows: Ints, left: Parts, total: Sums, aside: Ints | None = None) -> Floats:
        """With this on the left and the rest on the right, -inf where a side has too few rows. ``aside``: statistics of
        missing values at every node, which are on neither side."""
        right = [sums.of_cells(whole) - part for whole, part in zip(total[1].T, left)]
        if self.criterion == "gain_ratio":
            score = self._ratio(sums, left, right, total[1], aside)
        else:  # what is aside adds the same to all cuts of a node
            score = self._mass(left) + self._mass(right)
        fewest = np.minimum(rows, sums.of_cells(total[0]) - rows)
        score[fewest < self.min_rows] = -np.inf
        return score

    def _mass(self, parts: Parts) -> Floats:
        """See ``masses``."""
        if self.criterion == "squared_error":
            return ratio(np.square(parts[1].astype(np.float64)), parts[0].astype(np.float64))
        weight = reduce(np.add, parts)
        if self.criterion in ("entropy", "gain_ratio"):
            return np.asarray(reduce(np.add, [self._xlogx(part) for part in parts]) - self._xlogx(weight))
        counts = [part.astype(np.float64) for part in parts]
        squares = ratio(reduce(np.add, [count * count for count in counts]), weight.astype(np.float64))
        return squares if self.criterion == "gini" else reduce(np.maximum, counts) + GINI_BREAKS_TIES * squares

    def _ratio(self, sums: RunningSums, left: Parts, right: Parts, total: Ints, aside: Ints | None) -> Floats:
        """Gain by split information, both times the weight of the node."""
        whole, apart, before = total.sum(1), np.zeros(len(total)), self._mass(total.T)
        if aside is not None:
            weight = aside.sum(1)
            whole, apart = whole + weight, self._xlogx(weight)
            if self.policy is Missing.BRANCH:
                before = self._mass((total + aside).T) - self._mass(aside.T)
        gained = self._mass(left) + self._mass(right) - sums.of_cells(before)
        sizes = self._xlogx(reduce(np.add, left)) + self._xlogx(reduce(np.add, right))
        info = sums.of_cells(self._xlogx(whole) - apart) - sizes
        return np.divide(gained, info, out=np.zeros(len(info)), where=info > 0)

    def _xlogx(self, weights: Ints) -> Floats:
        return xlogx(weights.astype(np.float64)) if self._xlogx_table is None else self._xlogx_table[weights]

    @cached_property
    def _xlogx_table(self) -> Floats | None:
        return xlogx_table(int(self.target.int_weights(self.target.whole)))


def _leads(place: Ints, scores: Sequence[Floats]) -> Mask:
    """Cuts that score more than all before them at their node, those on the right coming first: of others none can be
    the first of equals. ``place`` is that of the node of each cut, and rises."""
    ranks = np.unique(np.concatenate(scores), return_inverse=True)[1].reshape(len(scores), -1)
    rising = ranks + place * (int(ranks.max()) + 1)  # above all that is at nodes before
    found, begin, before = np.zeros(len(place), np.bool_), np.flatnonzero(firsts(place)), np.full(len(place), -1)
    for mine in rising:
        highest = np.maximum.accumulate(mine)
        found |= mine > np.maximum(before, np.append(-1, highest[:-1]))
        before = np.maximum(before, np.maximum.reduceat(mine, begin)[np.cumsum(firsts(place)) - 1])
    return found


def promising_cuts(recipe: Recipe, target: TargetStats) -> dict[Missing, PromisingCuts]:
    """For each policy of missing values; none where a cut is judged by more than its score."""
    choice, stop = recipe.choice, recipe.stop
    is_known = recipe.criterion == "gain_ratio" or recipe.criterion in MASS_CRITERIA
    judged_otherwise = recipe.constraints is not None or recipe.draw is not None or recipe.criterion == "poisson"
    if not isinstance(choice, ByScore) or choice.score is not None or not is_known or judged_otherwise:
        return {}
    if isinstance(target, MedianStats) or stop.least_leaf_weight(float(target.weights(target.whole))) > 0:
        return {}
    asked = recipe.criterion, stop.min_rows_leaf, recipe.tie == "first"
    return {policy: PromisingCuts(*asked, policy, target) for policy in set(recipe.missing)}
