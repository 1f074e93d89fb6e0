"""Which tests are paid for at the open nodes."""

from __future__ import annotations

import numpy as np

from treewright.recipes.prices import Prices
from treewright.typing import Floats, Ints, Mask


class Paid:
    """What has been tested on the way to every node so far, by the numbers of nodes."""

    def __init__(self, prices: Prices) -> None:
        self.prices = prices
        self.tested = np.zeros((1, len(prices.own)), np.bool_)

    def split(self, ids: Ints, columns: Ints, n_branches: Ints) -> None:
        """The nodes of these numbers test these columns; their children are the next nodes."""
        tested = self.tested[ids]
        tested[np.arange(len(ids)), columns] = True
        self.tested = np.concatenate([self.tested, np.repeat(tested, n_branches, axis=0)])

    def due(self, ids: Ints) -> Floats:
        """Columns × nodes."""
        return np.asarray(self.prices.due(self.tested[ids]).T)

    def worth(self, gain: Floats, ids: Ints) -> Floats:
        """Gains (columns × nodes) by what the tests still cost; -inf stays where there is no test."""
        is_test = gain > -np.inf
        worth = self.prices.worth(np.where(is_test, gain, 0.0), self.due(ids))
        return np.where(is_test, worth, -np.inf)

    def best(self, gain: Floats, ids: Ints, slack: float) -> Mask:
        """The tests that are worth most at each node, equal but for rounding; of these the cheapest by the rule, so
        that a test that gains nothing is at least cheap."""
        worth, factor = self.worth(gain, ids), self.prices.factor(self.due(ids))
        equal = worth >= worth.max(0) - slack
        return np.asarray(equal & (factor >= np.where(equal, factor, 0.0).max(0)))
