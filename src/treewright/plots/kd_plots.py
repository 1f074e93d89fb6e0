"""The cells of a k-d tree, which the notes compare decision trees with: it cuts at medians and asks no target."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from treewright.data.encode import make_schema, prediction_matrix
from treewright.data.frame import read_frame
from treewright.data.schema import Kind, Target
from treewright.errors import DataError
from treewright.explain.number_text import plural
from treewright.plot_style import new_axes, theme_of, title
from treewright.plots.plane import Plane, make_plane
from treewright.prune.option_checks import check_whole
from treewright.typing import Floats

Cell = tuple[int, int, float, float, float]  # depth, axis, threshold, and the ends of the cut


def kd_tree_cells(X: Any, columns: Any = None, *, leaf_size: int = 1, ax: Any = None) -> Any:
    """Rows in the plane of two numeric columns, cut at the median of one and the other in turn. Returns the axes.

    Cells of more than ``leaf_size`` rows are cut, down to rows that are equal in both columns. A cut is the thicker the
    earlier it is made.
    """
    check_whole("leaf_size", leaf_size, least=1, hint="1 gives every row a cell")
    frame = read_frame(X)
    schema = make_schema(frame, Target("y"))
    matrix = np.asarray(prediction_matrix(frame, schema), np.float64)
    numeric = [j for j, column in enumerate(schema.columns) if column.kind is Kind.NUMERIC]
    plane = make_plane(schema, matrix, columns, numeric)
    if not (plane.x.is_numeric and plane.y.is_numeric):
        raise DataError("a k-d tree cuts numbers, and a column holds levels", "choose two numeric columns")
    points = matrix[:, [plane.x.place, plane.y.place]]
    points = points[np.isfinite(points).all(1)]
    axes = new_axes(ax)
    theme = theme_of(axes)
    axes.grid(False)
    plane.dress(axes)
    n_cells = 1
    for depth, axis, at, low, high in _cells(points, _ends(plane), leaf_size):
        draw = axes.vlines if axis == 0 else axes.hlines
        draw(at, low, high, colors=theme.line(axis), linestyles="-" if axis == 0 else "--",
             linewidth=max(0.8, 2.6 - 0.4 * depth), zorder=1)  # fmt: skip
        n_cells += 1
    axes.scatter(*points.T, s=22, color=theme.soft, edgecolors=theme.ink, linewidths=0.6, zorder=3)
    title(axes, f"{plural(n_cells, 'cell')} of at most {plural(leaf_size, 'row')}")
    return axes


def _ends(plane: Plane) -> Floats:
    return np.array([[plane.x.low, plane.x.high], [plane.y.low, plane.y.high]])


def _cells(points: Floats, ends: Floats, leaf_size: int) -> Iterator[Cell]:
    waiting = [(points, ends, 0)]
    while waiting:
        inside, box, depth = waiting.pop()
        axis = depth % 2 if np.ptp(inside[:, depth % 2]) > 0 else 1 - depth % 2
        if len(inside) <= leaf_size or np.ptp(inside[:, axis]) == 0:
            continue
        at = median_cut(inside[:, axis])
        yield depth, axis, at, *box[1 - axis]
        for side, keep in ((1, inside[:, axis] <= at), (0, inside[:, axis] > at)):
            part = box.copy()
            part[axis, side] = at
            waiting.append((inside[keep], part, depth + 1))


def median_cut(values: Floats) -> float:
    """Midway between the two values in the middle, or the nearest place below the largest that parts the values.

    >>> median_cut(np.array([1.0, 2.0, 4.0, 8.0])), median_cut(np.array([1.0, 5.0, 5.0]))
    (3.0, 3.0)
    """
    ordered = np.unique(values)
    below = ordered[ordered <= np.quantile(values, 0.5, method="lower")][-1]
    place = min(int(np.searchsorted(ordered, below)), len(ordered) - 2)
    return float((ordered[place] + ordered[place + 1]) / 2)
