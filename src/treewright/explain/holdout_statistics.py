"""A second set of rows at every node: what it counts there, and how wrong the tree is on it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from treewright.explain.node_text import NodeText
from treewright.explain.number_text import format_share
from treewright.tree.tree import Tree
from treewright.typing import Floats, Ints, Mask


@dataclass(frozen=True)
class HoldOutStatistics:
    """Rows that were not learned from, at every node of a tree.

    ``stats`` has a column for each class, and one more for classes the tree does not know; or the moments Σ w, Σ w·y
    and Σ w·y². ``error`` is what the node would get wrong as a leaf: a share, the root mean squared error, or the mean
    absolute one of medians; NaN where no row comes by. ``differs`` marks nodes whose training value lies outside the
    95 % interval of the hold-out: the error rate of classes, the mean of numbers. ``total`` is the error of the whole
    tree.
    """

    rows: Ints
    stats: Floats
    error: Floats
    differs: Mask
    total: float

    @property
    def n_rows(self) -> int:
        return int(self.rows[0])

    def text(self, answers: NodeText, v: int) -> str:
        """``hold-out 72, 11% wrong``."""
        rows, error = int(self.rows[v]), float(self.error[v])
        if not rows or np.isnan(error):
            return "hold-out 0"
        if answers.classes:
            return f"hold-out {rows:,}, {format_share(error)} wrong" if error > 0 else f"hold-out {rows:,}"
        return f"hold-out {rows:,}, {answers.error_name} {answers.number(error)}"


def fits(statistics: HoldOutStatistics | None, tree: Tree) -> bool:
    """Whether the statistics are of this tree's nodes."""
    return statistics is not None and len(statistics.rows) == tree.n_nodes
