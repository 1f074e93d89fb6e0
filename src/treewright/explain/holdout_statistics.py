"""A second set of rows at every node: what it counts there, and how wrong the tree is on it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from treewright.display import Displayed, Sheet
from treewright.errors import ModelFileError
from treewright.explain.node_text import NodeText
from treewright.explain.number_text import format_share
from treewright.tree.check import HINT, require
from treewright.tree.tree import Tree
from treewright.typing import Floats, Ints, Mask


@dataclass(frozen=True, repr=False)
class HoldOutStatistics(Displayed):
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

    def fact(self, answers: NodeText) -> str:
        """The error of the whole tree: ``hold-out error 11.1 %``."""
        return f"hold-out {answers.error_name} {answers.error_text(self.total)}"

    def text(self, answers: NodeText, v: int, *, before_sign: str = "") -> str:
        """``hold-out 72, 11% wrong``; ``before_sign`` stands between the number and the sign."""
        rows, error = int(self.rows[v]), float(self.error[v])
        if not rows or np.isnan(error):
            return "hold-out 0"
        if answers.classes:
            return f"hold-out {rows:,}, {format_share(error, before_sign)} wrong"
        return f"hold-out {rows:,}, {answers.error_name} {answers.number(error)}"

    def _sheet(self) -> Sheet:
        columns = {
            "node": list(range(len(self.rows))),
            "rows": self.rows.tolist(),
            "error": self.error.tolist(),
            "differs": ["*" if differs else "" for differs in self.differs],
        }
        return Sheet(columns, f"hold-out of {self.n_rows:,} rows", (f"error of the whole tree {self.total:.4g}",))


def statistics_to_json(statistics: HoldOutStatistics) -> dict[str, Any]:
    """As a model file has them: of as many nodes as the tree has, however many rows they were."""
    return {name: np.asarray(part).tolist() for name, part in vars(statistics).items()}


def statistics_from_json(data: Any, tree: Tree) -> HoldOutStatistics:
    """What ``statistics_to_json`` was given; ModelFileError if it is not of this tree."""
    n, n_stats = tree.n_nodes, tree.leaf.n_stats(tree.value.shape[1]) + 1 if tree.leaf.of_classes else 3
    shapes = {"rows": (n,), "stats": (n, n_stats), "error": (n,), "differs": (n,), "total": ()}
    kinds: dict[str, Any] = {"rows": np.int64, "differs": np.bool_}
    try:
        parts: dict[str, Any] = {name: np.asarray(data[name], kinds.get(name, np.float64)) for name in shapes}
    except (KeyError, TypeError, ValueError) as error:
        raise ModelFileError(f"the hold-out of the model does not make sense ({error})", HINT) from error
    require({name: part.shape for name, part in parts.items()} == shapes, "the hold-out is not of the tree's nodes")
    require(bool((parts["rows"] >= 0).all()), "the hold-out has less than no rows")
    return HoldOutStatistics(**{**parts, "total": float(parts["total"])})
