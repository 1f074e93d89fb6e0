"""What statistics are worth in every tree: each has fixed-point units of its own."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property

import numpy as np

from treewright.criteria import gain_ratio
from treewright.criteria.masses import masses, xlogx_table
from treewright.engines.side_by_side.split_scores import entropy_of
from treewright.engines.target_stats import TargetStats
from treewright.recipe_parts.recipe import Recipe
from treewright.table import Table
from treewright.ties import TIE
from treewright.typing import Array, Floats, Ints, Mask


class TreeUnits:
    """Trees of the same units are asked for together: mostly all."""

    def __init__(self, targets: Sequence[TargetStats], recipe: Recipe) -> None:
        self.recipe = recipe
        self.most_weight = max(int(target.int_weights(target.whole)) for target in targets)
        by_scale: dict[tuple[float, ...], int] = {}
        self.kind = np.array([by_scale.setdefault(target.scales, len(by_scale)) for target in targets])
        first = [int(np.flatnonzero(self.kind == k)[0]) for k in range(len(by_scale))]
        self.targets = [targets[i] for i in first]
        least = [recipe.stop.least_leaf_weight(float(one.weights(one.whole))) for one in targets]
        self.least_weight = np.array(least) if any(least) else None  # of a branch, by tree

    def is_pure(self, tree: Ints, stats: Ints, rows: Ints) -> Mask:
        return self._each(tree, lambda target, here: target.is_pure(stats[here], rows[here])).astype(np.bool_)

    def slack(self, tree: Ints, stats: Ints) -> Floats:
        """Scores this close are equal; a gain ratio is at most 1."""
        if self.recipe.criterion == "gain_ratio":
            return np.full(len(tree), TIE)
        return self._each(tree, lambda target, here: target.slack(stats[here])).astype(np.float64)

    def before(self, stats: Ints) -> Floats:
        """The entropy of nodes, where the gain ratio is asked for."""
        return entropy_of(stats.T, stats.sum(1)) if self.recipe.criterion == "gain_ratio" else np.empty(0)

    @cached_property
    def xlogx_table(self) -> Floats | None:
        """x·log x of all weights, where the gain ratio is asked for; None if they are too many."""
        asked = self.recipe.criterion == "gain_ratio"
        return xlogx_table(self.most_weight) if asked else None

    def gain(self, tree: Ints, stats: Ints, sides: Ints) -> Floats:
        if self.recipe.criterion == "gain_ratio":
            return gain_ratio(Table(sides.astype(np.float64)))
        mass = masses(stats, self.recipe.criterion)
        gained = masses(sides, self.recipe.criterion).sum(-1) - mass

        def of(target: TargetStats, here: Ints) -> Floats:
            unit = target.gain_unit / self.recipe.log_base
            return np.asarray(gained[here] * unit / target.weights(stats[here]))

        return self._each(tree, of).astype(np.float64)

    def _each(self, tree: Ints, of: Callable[[TargetStats, Ints], Array]) -> Array:
        kind = self.kind[tree]
        if len(self.targets) == 1:
            return of(self.targets[0], np.arange(len(tree)))
        made = np.zeros(len(tree))
        for k, target in enumerate(self.targets):
            here = np.flatnonzero(kind == k)
            if len(here):
                made[here] = of(target, here)
        return made
