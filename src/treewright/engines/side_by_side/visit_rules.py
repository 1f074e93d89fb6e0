"""What every visit goes by: the limits of the recipe, the statistics of the nodes, and what is drawn at them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from treewright.engines.column_draws import ColumnDraws
from treewright.engines.side_by_side.split_scores import Pairs, near_best_ratios, pair_scores
from treewright.recipe_parts.recipe import Recipe
from treewright.typing import Floats, Ints

_FEW_SPLITS = 100


@dataclass(frozen=True)
class VisitRules:
    recipe: Recipe
    highest: tuple[Floats, ...]  # of every column: the highest number that each of its codes stands for
    lowest: tuple[Floats, ...]
    draws: ColumnDraws  # nodes are numbered by their place among the open ones
    totals: Ints  # (nodes, n_stats)
    before: Floats  # of nodes: the entropy, where the gain ratio is asked for
    xlogx_table: Floats | None  # x·log x of all weights, where the gain ratio is asked for and they are few
    slack: Floats  # of nodes: scores this close are equal
    least_weight: Ints | None  # of nodes: of a branch

    @property
    def n_scored(self) -> int:
        """Statistics that a score looks at."""
        return 2 if self.recipe.criterion == "squared_error" else self.totals.shape[1]

    def scores(self, pairs: Pairs, node: Ints) -> Floats:
        """Of splits at these nodes, by the statistics of their sides."""
        least = None if self.least_weight is None else self.least_weight[node]
        before = self.before[node] if self.recipe.criterion == "gain_ratio" else self.before
        return pair_scores(pairs, self.recipe.criterion, before, least)

    def near_best(self, pairs: Pairs, visit: Ints, node: Ints) -> tuple[Ints, list[tuple[Ints, Ints]]]:
        """The splits that may be the best of their visit, and their sides; all where to score them takes no longer."""
        sides = list(pairs)
        if self.xlogx_table is None or self.least_weight is not None or len(visit) < _FEW_SPLITS:
            return np.arange(len(visit)), sides
        pick = near_best_ratios(sides, visit, self.weight[node], self.mass[node], self.xlogx_table)
        return pick, [(left[pick], right[pick]) for left, right in sides]

    @cached_property
    def weight(self) -> Ints:
        return np.asarray(self.totals.sum(1))

    @cached_property
    def mass(self) -> Floats:
        assert self.xlogx_table is not None
        return np.asarray(self.xlogx_table[self.totals].sum(1) - self.xlogx_table[self.weight])


def side_scores(left: Ints, node: Ints, sizes: Ints, rules: VisitRules) -> Floats:
    """Of splits at these nodes with so many rows and statistics on the left, (splits, 1 + n_scored); -inf where a side
    has too few. ``sizes``: the rows of all open nodes."""
    pairs = ((part, rules.totals[node, k] - part) for k, part in enumerate(left[:, 1:].T))
    score = rules.scores(pairs, node)
    least = max(rules.recipe.stop.min_rows_leaf, 1)
    return np.where((left[:, 0] >= least) & (sizes[node] - left[:, 0] >= least), score, -np.inf)
