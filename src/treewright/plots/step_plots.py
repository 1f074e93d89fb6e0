"""A number against one column: the steps of a regression tree."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from treewright.data.schema import Kind
from treewright.errors import DataError, OptionError
from treewright.explain.condition_text import one_line
from treewright.plot_style import label_text, legend, new_axes, theme_of, title
from treewright.plots.plane import make_line, place_of, table_like
from treewright.plots.plane_rows import not_shown_text, plane_rows
from treewright.typing import Floats

_STEPS = 600  # of a model whose thresholds are not known


def regression_steps(
    model: Any, X: Any, y: Any = None, column: Any = None, *, at: Mapping[str, Any] | None = None, ax: Any = None
) -> Any:
    """The number a model predicts along one column, with the rows if ``y`` is given. Returns matplotlib's axes.

    Of a tree the steps are exact: they jump at its thresholds. column: the first numeric one that a tree tests, unless
    given. Other columns are held at their median or commonest level, or at the values in ``at``.
    """
    rows = plane_rows(model, X, y)
    if rows.classes is not None:
        raise OptionError("the model predicts classes, and steps are of numbers", "use decision_regions")
    place = _column_of(model, rows.schema, column)
    line = make_line(rows.schema, place, rows.matrix, at)
    edges = _edges(model, place, line.axis.low, line.axis.high)
    # A threshold belongs to the step on its left.
    matrix = line.rows_at(edges[1:])
    steps = np.asarray(model.predict(table_like(X, rows.schema, matrix)), np.float64)
    axes = new_axes(ax)
    theme = theme_of(axes)
    if rows.y is not None:
        axes.scatter(rows.matrix[:, place], rows.y, s=16, color=theme.soft, alpha=0.7, linewidths=0, label="rows")
    axes.stairs(steps, edges, baseline=None, color=theme.line(0), linewidth=2.2, label="prediction")
    axes.set_xlabel(line.axis.name)
    axes.set_ylabel(label_text(one_line(rows.target)))
    used = model.tree_.columns_used if hasattr(model, "tree_") else range(len(rows.schema.columns))
    told = (line.held_text(used), not_shown_text(rows, (place,)))
    title(axes, "; ".join(text for text in told if text))
    legend(axes)
    return axes


def _column_of(model: Any, schema: Any, column: Any) -> int:
    numeric = [j for j, c in enumerate(schema.columns) if c.kind is Kind.NUMERIC]
    if column is None:
        tested = model.tree_.column.tolist() if hasattr(model, "tree_") else []
        found = [j for j in (*tested, *numeric) if j in numeric]
        if not found:
            raise DataError("no column holds numbers, and steps are along numbers", "use decision_regions")
        return int(found[0])
    place = place_of(schema, column)
    if place not in numeric:
        raise OptionError(f"column {schema.columns[place].name!r} does not hold numbers", "choose a numeric column")
    return place


def _edges(model: Any, place: int, low: float, high: float) -> Floats:
    """Where steps begin and end: at the thresholds of a tree, else at many places."""
    if not hasattr(model, "tree_") or model.tree_.bounds.size:
        return np.linspace(low, high, _STEPS + 1)
    tree = model.tree_
    nodes = np.flatnonzero(tree.column == place)
    found = np.concatenate([np.empty(0), *(tree.edges[tree.edge_start[v] : tree.edge_start[v + 1]] for v in nodes)])
    return np.concatenate([[low], np.unique(found[(found > low) & (found < high)]), [high]])
