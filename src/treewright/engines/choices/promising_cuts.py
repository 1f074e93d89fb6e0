"""Which cuts of a column may be the best of their node, found before they are written down as proposals.

A column of numbers has nearly as many cuts as rows, and a proposal is a row in a dozen arrays. So all cuts are scored
roughly, and only those near the best score of their node are proposed. They are scored anew, and ties are settled, as
if all had been proposed.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import reduce

import numpy as np

from treewright.criteria.masses import MASS_CRITERIA, masses, xlogx_of
from treewright.engines.stores.node_cells import Sums, firsts
from treewright.engines.target_stats import MedianStats, TargetStats
from treewright.recipe_parts.missing import Missing
from treewright.recipe_parts.recipe import ByScore, Recipe
from treewright.table import added
from treewright.typing import Floats, Ints

_NEAR = 1000  # times as far apart as equal scores: far more than they are rounded by
_NEAR_RATIO = 1e-6  # gain ratios, which are quotients of differences of large numbers
_FEW_CUTS = 200  # are all proposed in less time


@dataclass(frozen=True)
class PromisingCuts:
    """Of one ordered column."""

    criterion: str
    min_rows: int
    policy: Missing
    target: TargetStats

    def pick(self, node: Ints, left: Sums, total: Sums, missing: Sums) -> Ints:
        """Places of the cuts that are near the best of their node. ``node`` rises; ``left`` is what is up to each cut,
        ``total`` what is known at its node, and ``missing`` of every node what is not."""
        if len(node) <= _FEW_CUTS:
            return np.arange(len(node))
        begin = np.flatnonzero(firsts(node))
        score = self._scores(node, left, total, missing)
        least = np.maximum.reduceat(score, begin) - self._near(total[1][begin] + missing[1][node[begin]])
        least = np.repeat(least, np.diff(begin, append=len(node)))
        return np.flatnonzero((score > -np.inf) & (score >= least))

    def _near(self, stats: Ints) -> Floats | float:
        return _NEAR_RATIO if self.criterion == "gain_ratio" else _NEAR * self.target.slack(stats)

    def _scores(self, node: Ints, left: Sums, total: Sums, missing: Sums) -> Floats:
        """With missing values on the side where they score more, -inf where a side has too few rows."""
        right = total[0] - left[0], total[1] - left[1]
        if not missing[0].any():
            return self._of_sides(left, right, None)
        mine = missing[0][node], missing[1][node]
        if self.policy is not Missing.LEARNED:
            return self._of_sides(left, right, mine[1])
        score, some = self._of_sides(left, _both(right, mine), None), np.flatnonzero(mine[0])
        on_left = self._of_sides(_both(at(left, some), at(mine, some)), at(right, some), None)
        score[some] = np.maximum(score[some], on_left)
        return score

    def _of_sides(self, left: Sums, right: Sums, aside: Ints | None) -> Floats:
        """``aside`` are statistics of missing values that are on neither side."""
        if self.criterion == "gain_ratio":
            score = self._ratio(left[1], right[1], aside)
        else:  # what is aside adds the same to all cuts of a node
            score = masses(left[1], self.criterion) + masses(right[1], self.criterion)
        return np.where(np.minimum(left[0], right[0]) >= self.min_rows, score, -np.inf)

    def _ratio(self, left: Ints, right: Ints, aside: Ints | None) -> Floats:
        """Gain by split information, both times the weight of the node."""
        sizes, both = [added(side, -1) for side in (left, right)], left + right
        gained = masses(left, "entropy") + masses(right, "entropy")
        if aside is not None:
            sizes.append(added(aside, -1))
            if self.policy is Missing.BRANCH:
                gained, both = gained + masses(aside, "entropy"), both + aside
        gained -= masses(both, "entropy")
        whole: Ints = reduce(np.add, sizes)
        info = xlogx_of(whole) - reduce(np.add, [xlogx_of(size) for size in sizes])
        return np.divide(gained, info, out=np.zeros(len(info)), where=info > 0)


def _both(one: Sums, other: Sums) -> Sums:
    return one[0] + other[0], one[1] + other[1]


def at(sums: Sums, pick: Ints) -> Sums:
    return sums[0][pick], sums[1][pick]


def promising_cuts(recipe: Recipe, target: TargetStats) -> dict[Missing, PromisingCuts]:
    """For each policy of missing values; none where a cut is judged by more than its score."""
    choice, stop = recipe.choice, recipe.stop
    is_known = recipe.criterion == "gain_ratio" or recipe.criterion in MASS_CRITERIA
    judged_otherwise = recipe.constraints is not None or recipe.draw is not None or recipe.criterion == "poisson"
    if not isinstance(choice, ByScore) or choice.score is not None or not is_known or judged_otherwise:
        return {}
    if isinstance(target, MedianStats) or stop.least_leaf_weight(float(target.weights(target.whole))) > 0:
        return {}
    rows = stop.min_rows_leaf
    return {policy: PromisingCuts(recipe.criterion, rows, policy, target) for policy in set(recipe.missing)}
