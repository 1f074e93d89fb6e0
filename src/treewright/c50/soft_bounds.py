"""C5.0's soft thresholds: bounds between which a number takes both branches."""

from __future__ import annotations

import math

import numpy as np

from treewright.c50.classification import Flattened
from treewright.c50.node import C50Node, TestKind
from treewright.c50.rounding import single
from treewright.c50.training import Training
from treewright.typing import Floats, Ints, Mask


class Softener:
    """Gives the thresholds of a tree bounds, with the cases of a training, which it moves."""

    def __init__(self, training: Training, root: C50Node) -> None:
        self.training, self.root = training, root
        self.flat = Flattened(root)  # thresholds are still sharp here

    def soften(self) -> None:
        everything = np.flatnonzero(self.training.weights > 0)
        self._set_errors(self.root, 0, self.training.start(everything))
        self.training.keep_weights()
        self._soften(self.root, 0, self.training.start(everything))
        self.training.keep_weights()

    def _set_errors(self, node: C50Node, first: int, last: int) -> None:
        """Training errors below each node. Where a test has unknown cases the program counts none, and so do we."""
        if node.is_leaf:
            node.errors = node.wrong
            return
        column = self.training.column(node)[self.training.cases[first:last]]
        node.errors = 0.0
        if np.isnan(column).any() and not self.training.has_factors:
            return
        for branch in self.training.divided(node, first, last):
            if not branch.is_empty:
                child = node.branches[branch.number]
                self._set_errors(child, branch.first, branch.last)
                node.errors = float(single(node.errors + child.errors))

    def _soften(self, node: C50Node, first: int, last: int) -> None:
        if node.is_leaf:
            return
        if node.kind is TestKind.NUMBER:
            self._set_bounds(node, self.training.cases[first:last])
        for branch in self.training.divided(node, first, last):
            if not branch.is_empty:
                self._soften(node.branches[branch.number], branch.first, branch.last)

    def _set_bounds(self, node: C50Node, cases: Ints) -> None:
        training = self.training
        column = training.column(node)
        known = cases[~np.isnan(column[cases])]
        weight = float(training.moved_weights(known).sum())
        known = known[column[known] > -np.inf]
        known = known[np.argsort(column[known], kind="stable")]
        values = column[known].astype(np.float64)
        at = int(np.searchsorted(values, node.cut, side="right")) - 1
        if at < 0 or at + 1 >= len(known):
            return
        middle = float(single(0.5 * single(values[at] + values[at + 1])))
        limit = _limit(node.errors, weight)
        low, high = (self._wrong(node.branches[b], known) for b in (1, 2))
        weights = training.moved_weights(known)
        lower = _bound(values[at::-1], weights[at::-1], high[at::-1], low[at::-1], limit)
        upper = _bound(values[at + 1 :], weights[at + 1 :], low[at + 1 :], high[at + 1 :], limit)
        node.bounds = (min(middle, lower), middle, max(middle, upper))

    def _wrong(self, branch: C50Node, cases: Ints) -> Mask:
        """Which cases the branch misclassifies."""
        training = self.training
        found = self.flat.classify(training.table.values, cases, root=self.flat.place[branch], costs=training.costs)
        return np.asarray(found.label != training.table.labels[cases])


def _limit(errors: float, weight: float) -> float:
    if errors > weight:
        return math.inf
    return math.sqrt(errors * (weight - errors) / (weight + 0.001))


def _bound(values: Floats, weights: Floats, other: Mask, own: Mask, limit: float) -> float:
    """How far the bound can be moved away from the cut: ``other`` tells what the other branch gets wrong."""
    gone, lost, bound = 0.0, 0.0, float(values[0])
    for i in range(len(values) - 1):
        gone += weights[i] * other[i]
        lost += weights[i] * own[i]
        if values[i + 1] == values[i]:
            continue
        if gone > 2 * lost + 1 or gone - lost > limit:
            break
        bound = float(values[i + 1])
    return bound
