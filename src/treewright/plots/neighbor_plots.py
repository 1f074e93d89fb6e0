"""Nearest neighbours as pictures: what they predict where, a search in a KD-tree, and the error against k."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from treewright.data.encode import make_schema, prediction_matrix
from treewright.data.frame import read_frame
from treewright.data.schema import Kind, Schema, Target
from treewright.errors import DataError, OptionError, shown
from treewright.explain.number_text import format_number, plural
from treewright.model.learners.knn_estimators import KNNClassifier
from treewright.model.learners.neighbors_model import NeighborsModel
from treewright.neighbors.search_studies import case_study, time_study
from treewright.neighbors.search_trace import SearchTrace
from treewright.neighbors.space_tree import KDTree
from treewright.plot_style import legend, new_axes, new_row, theme_of, title
from treewright.plots.plane import Plane, make_plane, place_of
from treewright.plots.region_plots import decision_regions
from treewright.prune.option_checks import check_whole
from treewright.typing import Floats

_LEAST_WORDS = 9.0  # points: the least height and an eighth of the least width of a cell with words in it


# ---- regions -----------------------------------------------------------------------------------------------------


def neighbour_regions(
    X: Any, y: Any, ks: Sequence[int] = (1, 2, 3, 5), columns: Any = None, *, axes: Any = None, **options: Any
) -> Any:
    """What k nearest neighbours predict over two columns, for several k side by side. Returns the axes.

    For k = 1 the cells are drawn within which one row is the nearest: the Voronoi diagram. ``columns``: two names, by
    default the first two; only they count. ``options`` are those of :class:`tw.KNNClassifier`, as ``metric``; numbers
    are not scaled unless ``scale`` says so.
    """
    wanted = [check_k(k) for k in ks]
    table, names = _two_columns(X, columns)
    sides = new_row(len(wanted), (3.4 * len(wanted) + 1.2, 3.4)) if axes is None else [new_axes(ax) for ax in axes]
    if len(sides) != len(wanted):
        raise OptionError(f"there are {len(sides)} axes for {len(wanted)} numbers of neighbours", "pass one for each")
    for k, side in zip(wanted, sides):
        model = KNNClassifier(**{"scale": None, **options, "k": k}).fit(table, y)
        decision_regions(model, table, y, names, ax=side)
        if side is not sides[-1] and side.get_legend() is not None:
            side.get_legend().remove()
        if k == 1:
            _draw_voronoi(side, model, names)
        title(side, f"k = {k}" + (", and who is nearest" if k == 1 else ""))
    return list(sides)


def check_k(k: Any) -> int:
    check_whole("k", k, least=1, hint="1 is the nearest neighbour alone")
    return int(k)


def _two_columns(X: Any, columns: Any) -> tuple[dict[str, Any], list[str]]:
    frame = read_frame(X)
    schema = make_schema(frame, Target("y"))
    matrix = np.asarray(prediction_matrix(frame, schema), np.float64)
    plane = make_plane(schema, matrix, columns, [])
    places = [plane.x.place, plane.y.place]
    names = [schema.columns[j].name for j in places]
    return {name: frame.raw[j] if frame.matrix is None else matrix[:, j] for name, j in zip(names, places)}, names


def _draw_voronoi(ax: Any, model: KNNClassifier, names: list[str]) -> None:
    """Lines between the places whose nearest rows differ."""
    from matplotlib.collections import LineCollection

    plane = make_plane(model.schema_, model.rows_, names, [])
    along_x, along_y, matrix = plane.cells()
    nearest = model._neighbours(model._searcher(), matrix, 1)[1].reshape(len(along_y), len(along_x))
    edges_x, edges_y = np.linspace(plane.x.low, plane.x.high, len(along_x) + 1), np.linspace(
        plane.y.low, plane.y.high, len(along_y) + 1)  # fmt: skip
    i, j = np.nonzero(nearest[:, 1:] != nearest[:, :-1])
    upright = [((edges_x[c + 1], edges_y[r]), (edges_x[c + 1], edges_y[r + 1])) for r, c in zip(i, j)]
    i, j = np.nonzero(nearest[1:] != nearest[:-1])
    level = [((edges_x[c], edges_y[r + 1]), (edges_x[c + 1], edges_y[r + 1])) for r, c in zip(i, j)]
    lines = LineCollection(upright + level, colors=theme_of(ax).soft, linewidths=0.6, zorder=1, gid="voronoi")
    ax.add_collection(lines, autolim=False)


# ---- a search ----------------------------------------------------------------------------------------------------


def kd_search(
    X: Any,
    query: Any = None,
    columns: Any = None,
    *,
    k: int = 1,
    leaf_size: int = 1,
    split: str = "rotate",
    metric: str = "euclidean",
    ax: Any = None,
) -> Any:
    """The cells of a KD-tree over two numeric columns, and which of them the search for the nearest rows looked at.

    ``query`` is a pair of numbers, or a mapping of the two columns; without it the middle of the rows is asked about.
    The cell of the query, others that were looked at and those that were skipped have their own colours; a skipped part
    says how far off it begins, which is farther than the k-th nearest row. Returns matplotlib's axes.
    """
    plane, points = _number_plane(X, columns)
    tree = KDTree(points, leaf_size, metric, split=split)
    tree.names = (plane.x.name, plane.y.name)
    trace = tree.trace(_asked(query, points, plane), k)
    axes = new_axes(ax, (7.4, 4.6))
    axes.grid(False)
    plane.dress(axes)
    _draw_cells(axes, tree, trace, plane)
    _draw_search(axes, tree, trace)
    words = {1: "stop", 2: "through t2", 3: "through t1", 4: "all"}[trace.case]
    distances = f"{trace.n_distances} of {plural(trace.n_rows, 'distance')}"
    cells = f"{len(trace.looked_at)} of {plural(tree.n_leaves, 'cell')}"
    title(axes, f"case {trace.case} ({words}): {distances}, {cells}")
    legend(axes, outside=True)
    return axes


def _number_plane(X: Any, columns: Any) -> tuple[Plane, Floats]:
    frame = read_frame(X)
    schema: Schema = make_schema(frame, Target("y"))
    matrix = np.asarray(prediction_matrix(frame, schema), np.float64)
    numeric = [j for j, column in enumerate(schema.columns) if column.kind is Kind.NUMERIC]
    plane = make_plane(schema, matrix, columns, numeric)
    if not (plane.x.is_numeric and plane.y.is_numeric):
        raise DataError("a KD-tree cuts numbers, and a column holds levels", "choose two numeric columns")
    points = matrix[:, [plane.x.place, plane.y.place]]
    points = points[np.isfinite(points).all(1)]
    if not len(points):
        raise DataError("no row has both numbers", "choose other columns")
    return plane, points


def _asked(query: Any, points: Floats, plane: Plane) -> Floats:
    """The place that is asked about."""
    if query is None:
        return np.asarray(points.mean(0))
    if isinstance(query, dict):
        places = [plane.x.place, plane.y.place]
        found = {place_of(plane.schema, name): value for name, value in query.items()}
        query = [found.get(place) for place in places]
    try:
        made = np.asarray(query, np.float64)
    except (TypeError, ValueError):
        made = np.empty(0)
    if made.shape != (2,) or not np.isfinite(made).all():
        raise OptionError(f"query={shown(query)} is not accepted", "it is a number for each of the two columns")
    return made


def _draw_cells(axes: Any, tree: KDTree, trace: SearchTrace, plane: Plane) -> None:
    from matplotlib.patches import Rectangle

    theme, looked, skipped = theme_of(axes), trace.looked_at, trace.skipped
    colours = (theme.tint(theme.line(1), 0.55), theme.tint(theme.line(0), 0.35))
    told: set[str] = set()
    waiting = [(0, (plane.x.low, plane.y.low, plane.x.high, plane.y.high), False)]
    while waiting:
        node, (left, bottom, right, top), under = waiting.pop()
        if node in skipped:
            _tell_skipped(axes, trace, node, (left, bottom, right, top))
        under = under or node in skipped
        axis = int(tree.cells.axis[node])
        if axis >= 0:
            cut = (float(tree.cells.below[node]) + float(tree.cells.above[node])) / 2
            first = (left, bottom, cut, top) if axis == 0 else (left, bottom, right, cut)
            second = (cut, bottom, right, top) if axis == 0 else (left, cut, right, top)
            waiting += [(2 * node + 1, first, under), (2 * node + 2, second, under)]
            continue
        words = "skipped" if under else "the query's own cell" if node == looked[0] else "looked at"
        fill = theme.paper if under else colours[0] if node == looked[0] else colours[1]
        axes.add_patch(
            Rectangle((left, bottom), right - left, top - bottom, facecolor=fill, edgecolor=theme.soft, linewidth=0.9,
                      hatch="" if not under else "....", zorder=0, label=None if words in told else words, gid=words)
        )  # fmt: skip
        told.add(words)


def _tell_skipped(axes: Any, trace: SearchTrace, node: int, box: tuple[float, float, float, float]) -> None:
    """In a part that was skipped, how far off it begins."""
    left, bottom, right, top = box
    place, inches = axes.get_position(), axes.get_figure().get_size_inches()
    across = 72 * inches[0] * place.width * (right - left) / np.diff(axes.get_xlim())[0]
    upward = 72 * inches[1] * place.height * (top - bottom) / np.diff(axes.get_ylim())[0]
    step = trace.skipped[node]
    words = f"{format_number(float(f'{step.off:.3g}'))} > {format_number(float(f'{step.reach:.3g}'))}"
    if across > _LEAST_WORDS * 8 and upward > _LEAST_WORDS:
        theme = theme_of(axes)
        axes.text((left + right) / 2, (bottom + top) / 2, words, ha="center", va="center", fontsize=8, color=theme.ink,
                  zorder=5, clip_on=True, bbox={"facecolor": theme.paper, "edgecolor": "none", "pad": 1.5})  # fmt: skip


def _draw_search(axes: Any, tree: KDTree, trace: SearchTrace) -> None:
    """Rows, those compared and those found, the query, and how far the k-th nearest row is."""
    theme, compared = theme_of(axes), [row for step in trace.steps for row in step.rows]
    rest = np.setdiff1d(np.arange(tree.n_rows), compared)
    small = 22 if tree.n_rows <= 100 else 8
    if len(rest):
        axes.scatter(*tree.data[rest].T, s=small, color=theme.soft, zorder=3, label="rows")
    axes.scatter(*tree.data[compared].T, s=small + 6, color=theme.line(0), edgecolors=theme.ink, linewidths=0.6,
                 zorder=3, marker="s", label="rows compared")  # fmt: skip
    axes.scatter(*tree.data[list(trace.rows)].T, s=120, facecolors="none", edgecolors=theme.ink, linewidths=1.6,
                 zorder=4, label="nearest")  # fmt: skip
    axes.scatter(*np.array([trace.query]).T, s=90, marker="*", color=theme.line(1), edgecolors=theme.ink,
                 linewidths=0.6, zorder=6, label="query")  # fmt: skip
    axes.plot(*_ball(trace, tree.metric.p), color=theme.ink, linewidth=1.2, linestyle="--", zorder=4,
              label=f"as far as the {'nearest' if trace.k == 1 else f'{trace.k} nearest'}")  # fmt: skip


def _ball(trace: SearchTrace, p: float) -> Floats:
    """The places that are as far from the query as the k-th nearest row."""
    angle = np.linspace(0, 2 * np.pi, 361)
    way = np.array([np.cos(angle), np.sin(angle)])
    length = np.abs(way).max(0) if p == np.inf else (np.abs(way) ** p).sum(0) ** (1 / p)
    return np.asarray(np.array(trace.query)[:, np.newaxis] + trace.distances[-1] * way / length)


# ---- numbers -----------------------------------------------------------------------------------------------------


def error_by_k(
    model: Any, X: Any, y: Any, X_val: Any = None, y_val: Any = None, *, max_k: int | None = None, cv: Any = None,
    ax: Any = None,
) -> Any:  # fmt: skip
    """The error of nearest neighbours against k, by cross-validation or on validation rows. Returns the axes.

    model: a ``tw.KNNClassifier`` or ``tw.KNNRegressor``, whose other options count. ``max_k`` is the largest k, 50
    unless it or the model says otherwise; ``cv`` the number of folds, or "loo".
    """
    from sklearn.base import clone

    if not isinstance(model, NeighborsModel):
        raise OptionError(f"neighbours are needed, got {shown(model)}", "pass tw.KNNClassifier()")
    asked = clone(model).set_params(k="auto", **({} if max_k is None else {"max_k": max_k}))
    fitted = asked.set_params(**({} if cv is None else {"cv": cv})).fit(X, y, X_val=X_val, y_val=y_val)
    return fitted.k_curve_.plot(ax)


def case_shares(*, k: int = 1, leaf_size: int = 16, ax: Any = None) -> Any:
    """How often a search must look at all cells, against the number of columns; see ``tw.neighbors.case_study``."""
    return case_study(k=k, leaf_size=leaf_size).plot(ax)


def search_times(*, k: int = 1, ax: Any = None) -> Any:
    """Seconds per query against rows × columns, measured now; see ``tw.neighbors.time_study``."""
    return time_study(k=k).plot(ax)
