"""What lies on the way to a node: the columns tested there, the bounds that monotone columns set, and the key by which
columns are drawn."""

from __future__ import annotations

import numpy as np

from treewright.engines.column_draws import ColumnDraws
from treewright.recipe_parts.attribute_costs import AttributeCosts
from treewright.recipe_parts.constraints import Constraints
from treewright.ties import TIE
from treewright.typing import Floats, Ints, Mask


class Paths:
    """By the numbers of nodes: what has been tested on the way, and between which values a node may predict."""

    def __init__(self, n_columns: int, draws: ColumnDraws | None = None) -> None:
        self.draws = draws
        self.tested = np.zeros((1, n_columns), np.bool_)
        self.low, self.high = np.full(1, -np.inf), np.full(1, np.inf)

    def of(self, ids: Ints) -> Paths:
        """What lies on the way to some nodes, which are numbered anew."""
        some = Paths(self.tested.shape[1])
        some.tested, some.low, some.high = self.tested[ids], self.low[ids], self.high[ids]
        return some

    def split(self, ids: Ints, columns: Ints, n_branches: Ints) -> None:
        """The nodes of these numbers test these columns; their children are the next nodes."""
        if self.draws is not None:
            self.draws.split(ids, n_branches)
        tested = self.tested[ids]
        tested[np.arange(len(ids)), columns] = True
        self.tested = np.concatenate([self.tested, np.repeat(tested, n_branches, axis=0)])
        self.low = np.concatenate([self.low, np.repeat(self.low[ids], n_branches)])
        self.high = np.concatenate([self.high, np.repeat(self.high[ids], n_branches)])

    def bound(self, columns: Ints, first_child: Ints, predicted: Floats, constraints: Constraints) -> None:
        """Two branches of a monotone column meet halfway between what they predict; ``predicted`` is that of all
        children, which are the newest nodes."""
        first_id = len(self.low) - len(predicted)
        for column, left in zip(columns, first_child):
            sign = int(constraints.monotone[column])
            if sign:
                below, above = (left, left + 1) if sign > 0 else (left + 1, left)
                middle = (predicted[below] + predicted[above]) / 2
                if not np.isnan(middle):
                    self.high[first_id + below] = min(self.high[first_id + below], middle)
                    self.low[first_id + above] = max(self.low[first_id + above], middle)

    def admits(self, ids: Ints, predicted: Floats, sign: int) -> Mask:
        """Whether branches that predict this (proposals × branches, NaN: empty) stay in bounds and in order."""
        empty = np.isnan(predicted)
        inside = (predicted >= self.low[ids][:, None]) & (predicted <= self.high[ids][:, None])
        fits = (inside | empty).all(-1)
        if sign:
            fits &= empty[:, :2].any(-1) | (sign * (predicted[:, 1] - predicted[:, 0]) >= 0)
        return np.asarray(fits)

    # ---- test costs --------------------------------------------------------------------------------------------

    def due(self, ids: Ints, costs: AttributeCosts) -> Floats:
        """What the test of each column still costs at each node, columns × nodes."""
        return np.asarray(costs.due(self.tested[ids]).T)

    def gain_by_cost(self, gain: Floats, ids: Ints, costs: AttributeCosts) -> Floats:
        """Gains (columns × nodes) by what the tests still cost; -inf stays where there is no test."""
        is_test = gain > -np.inf
        by_cost = costs.gain_by_cost(np.where(is_test, gain, 0.0), self.due(ids, costs))
        return np.where(is_test, by_cost, -np.inf)

    def best_by_cost(self, gain: Floats, ids: Ints, costs: AttributeCosts) -> Mask:
        """The best tests of each node by gain and cost, equal but for rounding; of these the cheapest by the rule, so
        that a test that gains nothing is at least cheap."""
        by_cost, factor = self.gain_by_cost(gain, ids, costs), costs.factor(self.due(ids, costs))
        equal = by_cost >= by_cost.max(0) - TIE
        return np.asarray(equal & (factor >= np.where(equal, factor, 0.0).max(0)))
