"""Winnowing: columns that do not help a trial tree on cases it has not seen are left out."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from treewright.c50.classification import NOTHING_HIDDEN, Flattened
from treewright.c50.node import C50Node
from treewright.c50.training import Training
from treewright.c50.tree_learner import relabel, tidy
from treewright.c50.tree_maker import TreeMaker
from treewright.engines.workers import Workers
from treewright.typing import Ints, Mask


@dataclass(frozen=True)
class Winnowed:
    """``keep``: the columns that stay. ``importance``: what errors would rise by without each of them."""

    keep: Mask
    importance: dict[int, float]


def halves(labels: Ints) -> tuple[Ints, Ints]:
    """Cases to build from and to measure on: those of each class go to the front and to the back in turn."""
    front: list[int] = []
    back: list[int] = []
    seen = np.zeros(int(labels.max(initial=0)) + 1, np.int64)
    for case, label in enumerate(labels.tolist()):
        (back if seen[label] % 2 else front).append(case)
        seen[label] += 1
    order = np.array(front + back[::-1], np.int64)
    return order[: len(labels) // 2], order[len(labels) // 2 :]


class Winnower:
    """``training_of(in_use, n_cases)`` makes a fresh training for trial trees."""

    def __init__(self, labels: Ints, training_of: Callable[[Mask, int], Training], workers: Workers) -> None:
        self.building, self.measuring = halves(labels)
        self.training_of, self.workers = training_of, workers

    def winnow(self, in_use: Mask) -> Winnowed:
        if not len(self.building):  # half of one case is none: a leaf, which tests no column
            return Winnowed(np.zeros(len(in_use), np.bool_), {})
        root, tested, training = self._trial(in_use)
        flat = Flattened(root)
        base = self._cost(flat, training)
        of_column = {column: self._cost(flat, training, column) for column in _tested(root)}
        harmful = [column for column, cost in of_column.items() if cost < base]
        keep = np.zeros(len(in_use), np.bool_)
        keep[list(tested)] = True
        if harmful:
            without = in_use.copy()
            without[harmful] = False
            other, _, training = self._trial(without)
            if self._cost(Flattened(other), training) <= base:
                keep[harmful] = False
        importance = {column: cost / base - 1 for column, cost in of_column.items() if keep[column] and base > 0}
        return Winnowed(keep & in_use, importance)

    def _trial(self, in_use: Mask) -> tuple[C50Node, set[int], Training]:
        """A trial tree, the columns tested before it was pruned, and its training."""
        training = self.training_of(in_use, len(self.building))
        maker = TreeMaker(training, self.workers)
        maker.grow(self.building)
        tested = maker.columns_tested()
        maker.prune(self.building)
        root = maker.root()
        if training.costs is not None:
            relabel(root, training)
        tidy(root, training, only_empty=False)
        return root, tested, training

    def _cost(self, flat: Flattened, training: Training, hidden: int = NOTHING_HIDDEN) -> float:
        """Errors on the cases to measure on, or what they cost."""
        found = flat.classify(training.table.values, self.measuring, hidden=hidden, costs=training.costs)
        truth = training.table.labels[self.measuring]
        if training.costs is None:
            return float((found.label != truth).sum())
        return float(training.costs[found.label, truth].sum())


def _tested(root: C50Node) -> set[int]:
    return {node.column for node in root.walk() if not node.is_leaf}
