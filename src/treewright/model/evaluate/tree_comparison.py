"""Fitted trees side by side on the same rows: by error, then by size."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from treewright.data.labelled import labelled
from treewright.display import Displayed, DisplayedRecord
from treewright.errors import OptionError, shown
from treewright.explain.number_text import format_number
from treewright.typing import Array

_ROUNDING = 1e-12


@dataclass(frozen=True, repr=False)
class TreeRow(DisplayedRecord):
    """``error`` is the share of the weight that is wrong, of numbers the mean squared error. ``differ`` is the number
    of rows that the first tree predicts otherwise."""

    tree: str
    error: float
    leaves: int
    nodes: int
    depth: int
    differ: int


@dataclass(frozen=True, repr=False)
class TreeComparison(Displayed):
    """A table of trees; ``print`` shows it. ``best`` is the one of least error and, of equals, the smallest."""

    rows: list[TreeRow]

    def __getitem__(self, tree: str) -> TreeRow:
        return {row.tree: row for row in self.rows}[tree]

    @property
    def best(self) -> str:
        """Of least error; of equals the one of fewest nodes, then of least depth, then the first."""
        least = min(row.error for row in self.rows)
        close = [row for row in self.rows if row.error <= least + _ROUNDING * max(1.0, least)]
        return min(close, key=lambda row: (row.nodes, row.depth)).tree

    def to_dict(self) -> dict[str, list[Any]]:
        """Columns by name, as every dataframe takes them."""
        return {name: [asdict(row)[name] for row in self.rows] for name in TreeRow.__dataclass_fields__}

    def __str__(self) -> str:
        width = max(len("tree"), *(len(row.tree) for row in self.rows))
        lines = [f"{'tree'.ljust(width)}    error  leaves  nodes  depth  differ"]
        for row in self.rows:
            error = format_number(row.error, 4)
            lines.append(
                f"{row.tree.ljust(width)}  {error:>7}  {row.leaves:6}  {row.nodes:5}  {row.depth:5}  {row.differ:6}"
            )
        return "\n".join([*lines, f"least error, then fewest nodes: {self.best}"])


def compare_trees(trees: Any, X: Any, y: Any, sample_weight: Any = None) -> TreeComparison:
    """Compare fitted trees on rows by error and size; nothing is fitted anew, as ``tw.compare`` does.

    trees: fitted models by name, or a list of them.

    >>> import treewright as tw
    >>> table = tw.datasets.load("six_points")
    >>> small = tw.tree_by_hand({"x1 ≤ 0.5": "+", "else": {"x2 ≤ 1.5": "-", "else": "+"}}, table.X, table.y)
    >>> stump = tw.tree_by_hand({"x1 ≤ 0.5": "+", "else": "-"}, table.X, table.y)
    >>> print(compare_trees({"small": small, "stump": stump}, table.X, table.y))
    tree     error  leaves  nodes  depth  differ
    small        0       3      5      2       0
    stump   0.1667       2      3      1       1
    least error, then fewest nodes: small
    """
    named = _named(trees)
    first = next(iter(named.values()))
    rows = labelled(X, y, is_classifier=first.schema_.target.classes is not None, sample_weight=sample_weight)
    weights = np.ones(rows.n_rows) if rows.weights is None else rows.weights
    predicted = {name: model.predict(rows.frame) for name, model in named.items()}
    start = next(iter(predicted.values()))
    return TreeComparison([
        TreeRow(
            name, float(np.average(_losses(predicted[name], rows), weights=weights)), model.tree_.n_leaves,
            model.tree_.n_nodes, model.tree_.depth, int((predicted[name] != start).sum()),
        )
        for name, model in named.items()
    ])  # fmt: skip


def _losses(predicted: Array, rows: Any) -> Array:
    if rows.classes is None:
        return np.asarray((predicted - rows.y) ** 2)
    return np.array([a != b for a, b in zip(predicted.tolist(), rows.labels.tolist())], np.float64)


def _named(trees: Any) -> dict[str, Any]:
    named = dict(trees) if isinstance(trees, Mapping) else {f"tree {k}": t for k, t in enumerate(trees, start=1)}
    if not named:
        raise OptionError("there are no trees to compare", "pass fitted models by name")
    for name, model in named.items():
        if not hasattr(model, "tree_"):
            raise OptionError(f"{name!r} is no fitted tree, got {shown(model)}", "fit it first, or use tw.compare")
    if len({model.schema_.target.classes is None for model in named.values()}) > 1:
        raise OptionError("some trees predict classes and others numbers", "compare trees for one target")
    return {str(name): model for name, model in named.items()}
