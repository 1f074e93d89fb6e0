"""Random problems as tables that models take, and trees compared."""

from __future__ import annotations

from typing import Any

import numpy as np

from strategies import Problem


def table_of(problem: Problem) -> tuple[dict[str, list[Any]], list[str]]:
    """Columns x0, x1, … of numbers and of text, and classes of text."""
    columns: dict[str, list[Any]] = {}
    for j, column in enumerate(problem.columns):
        cells = [None if value != value else value for value in np.asarray(column.values, float).tolist()]
        columns[f"x{j}"] = cells if column.kind == "numeric" else [c and f"level {c:g}" for c in cells]
    return columns, [f"class {label}" for label in problem.y]


def is_same_tree(one: Any, other: Any) -> bool:
    """Whether two models test the same and their nodes have the same rows.

    The branches of missing values and of levels that do not occur are left out: they take the heaviest branch, and of
    branches that weigh the same rounding decides.
    """
    names = ("column", "edges", "first_child", "rows")
    return all(np.array_equal(getattr(one.tree_, name), getattr(other.tree_, name)) for name in names)
