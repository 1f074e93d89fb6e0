"""The plane of two columns: what a model predicts where, the cuts of a tree, and the place of one node."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from treewright.errors import OptionError
from treewright.explain.condition_text import phrase
from treewright.explain.node_text import NodeText
from treewright.explain.number_text import format_share, plural
from treewright.leaves import decided
from treewright.model.column_reports.column_importance import column_importance
from treewright.model.column_reports.competitors import check_node
from treewright.palette import Palette
from treewright.plot_style import colour_map, ink_on, label_text, legend, new_axes, new_row, theme_of, title
from treewright.plots.class_marks import ClassMarks, class_marks
from treewright.plots.node_boxes import NodeBox, Rectangle, box_of, cuts, node_boxes
from treewright.plots.plane import Plane, make_plane, place_of, table_like
from treewright.plots.plane_rows import (
    PlaneRows,
    colour_bar,
    marks_for,
    not_shown_text,
    plane_rows,
    scatter_classes,
    scatter_numbers,
)
from treewright.prediction import decision_path, predicted_values
from treewright.prune.refit import check_fitted_tree
from treewright.tree.tree import Tree
from treewright.typing import Floats, Mask

_LETTER, _LINE = 4.6, 12.0  # points: the width of a letter and the height of a line of words in a region
_THICKEST, _THINNEST = 2.6, 0.8  # points: the cut of the root, and those far below


def decision_regions(
    model: Any, X: Any, y: Any = None, columns: Any = None, *, at: Mapping[str, Any] | None = None, ax: Any = None
) -> Any:
    """What a model predicts over two columns, with the rows if ``y`` is given. Returns matplotlib's axes.

    model: a tree, a rule set, or any fitted estimator with scikit-learn's interface, for classes or numbers. columns:
    two names, numeric or nominal in any combination; unless given those a tree gains most by, else the first two. The
    other columns are held at their median or commonest level, or at the values in ``at``.
    """
    rows = plane_rows(model, X, y)
    plane = make_plane(rows.schema, rows.matrix, columns, _likely(model), at)
    axes = new_axes(ax)
    along_x, along_y, matrix = plane.cells()
    predicted = np.asarray(model.predict(table_like(X, rows.schema, matrix)))
    grid = predicted.reshape(len(along_y), len(along_x))
    if rows.classes is None:
        _draw_numbers(axes, plane, rows, grid.astype(np.float64))
    else:
        _draw_classes(axes, plane, rows, _codes_of(grid, rows.classes))
    plane.dress(axes)
    used = model.tree_.columns_used if hasattr(model, "tree_") else range(len(rows.schema.columns))
    title(axes, _plane_title(plane, rows, used))
    return axes


def _plane_title(plane: Plane, rows: PlaneRows | None, used: Any) -> str:
    """What the plane does not show: where other columns are held, and rows without a place."""
    told = (plane.held_text(used), not_shown_text(rows, (plane.x.place, plane.y.place)))
    return "; ".join(text for text in told if text)


def _codes_of(labels: Any, classes: tuple[Any, ...]) -> Any:
    place = {label: code for code, label in enumerate(classes)}
    return np.array([place[label] for label in labels.ravel().tolist()]).reshape(labels.shape)


def _image(axes: Any, plane: Plane, values: Any, **options: Any) -> Any:
    ends = (plane.x.low, plane.x.high, plane.y.low, plane.y.high)
    return axes.imshow(values, origin="lower", extent=ends, aspect="auto", interpolation="nearest", zorder=0, **options)


def _draw_classes(axes: Any, plane: Plane, rows: PlaneRows, codes: Any) -> None:
    from matplotlib.colors import ListedColormap

    theme = theme_of(axes)
    marks = marks_for(rows, theme)
    tints = ListedColormap([theme.tint(colour) for colour in marks.colours])
    _image(axes, plane, marks.group[codes], cmap=tints, vmin=-0.5, vmax=len(marks.colours) - 0.5)
    axes.grid(False)
    seen = codes.ravel()
    if rows.y is not None:
        scatter_classes(axes, plane, rows, marks)
        seen = np.concatenate([seen, rows.y[rows.y >= 0]])
    marks.legend(axes, theme, rows.target, seen)


def _draw_numbers(axes: Any, plane: Plane, rows: PlaneRows, numbers: Floats) -> None:
    from matplotlib.colors import Normalize

    known = numbers if rows.y is None else np.concatenate([numbers.ravel(), rows.y])
    norm, ramp = Normalize(float(np.nanmin(known)), float(np.nanmax(known))), colour_map(theme_of(axes))
    image = _image(axes, plane, numbers, cmap=ramp, norm=norm)
    axes.grid(False)
    if rows.y is not None:
        scatter_numbers(axes, plane, rows, norm, ramp)
    colour_bar(axes, image, rows.target)


def _likely(model: Any) -> list[int]:
    """The columns of a tree, those it gains most by first."""
    if not hasattr(model, "tree_"):
        return []
    shares = column_importance(model.tree_, model.schema_, getattr(model, "criterion", None))
    return [int(j) for j in np.argsort(-shares, kind="stable") if j in model.tree_.columns_used]


# ---- trees -------------------------------------------------------------------------------------------------------


def tree_regions(
    model: Any,
    X: Any = None,
    y: Any = None,
    columns: Any = None,
    *,
    at: Mapping[str, Any] | None = None,
    labels: bool = True,
    ax: Any = None,
) -> Any:
    """The regions into which a tree cuts two of its columns, exactly, and the cuts. Returns matplotlib's axes.

    Every region has the colour and the words of its leaf, with the leaf's number; a cut is the thicker the nearer its
    node is to the root. A soft threshold is cut at its middle. Other columns are held as in :func:`decision_regions`.
    Without X the axes end around the cuts.
    """
    check_fitted_tree(model)
    rows = _rows_or_none(model, X, y)
    plane = _tree_plane(model, rows, columns, at)
    axes = new_axes(ax)
    _draw_tree(axes, model, plane, rows, labels=labels)
    title(axes, _plane_title(plane, rows, model.tree_.columns_used))
    return axes


def pruned_regions(
    model: Any,
    pruned: Any,
    X: Any,
    y: Any,
    columns: Any = None,
    *,
    names: tuple[str, str] = ("T", "T′"),
    axes: Any = None,
) -> Any:
    """A tree and a pruned one side by side on the same rows, as the notes show T and T′ on V. Returns both axes.

    X, y: rows to validate on. Those that a tree gets wrong are in a ring, and counted above it.
    """
    for tree in (model, pruned):
        check_fitted_tree(tree)
    rows = plane_rows(model, X, y)
    plane = _tree_plane(model, rows, columns, None)
    sides = new_row(2, (9.6, 4.0)) if axes is None else [new_axes(ax) for ax in axes]
    for name, tree, side in zip(names, (model, pruned), sides, strict=True):
        wrong = _wrong(tree, rows)
        _draw_tree(side, tree, plane, rows, wrong=wrong, with_legend=side is sides[-1])
        told = (
            f"{int(wrong.sum())} of {len(wrong)} wrong" if rows.classes else f"squared error {_squared(tree, rows):.4g}"
        )
        used = np.union1d(model.tree_.columns_used, pruned.tree_.columns_used).tolist()
        held = _plane_title(plane, rows, used)
        title(side, f"{label_text(name)}: {told}" + (f"\n{held}" if held and side is sides[0] else ""))
    return sides


def _predictions(model: Any, rows: PlaneRows) -> Any:
    """Class codes or numbers."""
    values = predicted_values(model.tree_, rows.matrix, 1)
    return values[:, 0] if rows.classes is None else decided(values, model.schema_.target)


def _wrong(model: Any, rows: PlaneRows) -> Mask:
    """Which rows are predicted wrongly; of numbers none is marked."""
    if rows.classes is None:
        return np.zeros(len(rows.matrix), np.bool_)
    return np.asarray(_predictions(model, rows) != rows.y)


def _squared(model: Any, rows: PlaneRows) -> float:
    return float(np.mean((_predictions(model, rows) - rows.y) ** 2))


def _rows_or_none(model: Any, X: Any, y: Any) -> PlaneRows | None:
    if X is None and y is not None:
        raise OptionError("y is given without the rows it belongs to", "pass X as well")
    return None if X is None else plane_rows(model, X, y)


def _tree_plane(
    model: Any, rows: PlaneRows | None, columns: Any, at: Mapping[str, Any] | None, likely: list[int] | None = None
) -> Plane:
    tree, schema = model.tree_, model.schema_
    edges = {j: _edges_of(tree, j) for j in range(len(schema.columns))}
    matrix = None if rows is None else rows.matrix
    plane = make_plane(schema, matrix, columns, _likely(model) if likely is None else likely, at, edges)
    shown = {plane.x.place, plane.y.place, *(place_of(schema, name) for name in at or ())}
    more = [schema.columns[j].name for j in tree.columns_used if j not in shown]
    if rows is None and more and likely is None:
        raise OptionError(
            f"the tree also tests {more[0]!r}, which the plane does not show", "pass X, or its value in at={…}"
        )
    return plane


def _edges_of(tree: Tree, column: int) -> Floats:
    nodes = np.flatnonzero(tree.column == column)
    return np.concatenate([np.empty(0), *(tree.edges[tree.edge_start[v] : tree.edge_start[v + 1]] for v in nodes)])


def _draw_tree(
    axes: Any,
    model: Any,
    plane: Plane,
    rows: PlaneRows | None,
    *,
    labels: bool = True,
    wrong: Mask | None = None,
    with_legend: bool = True,
) -> None:
    """Regions of the leaves, cuts of the inner nodes, rows."""
    from matplotlib.collections import LineCollection, PolyCollection

    boxes = list(node_boxes(model.tree_, model.schema_, plane))
    axes.grid(False)
    plane.dress(axes)
    fill = _fill_of(axes, model, rows)
    parts = [(box.node.id, part) for box in boxes if box.node.is_leaf for part in box.rectangles(plane)]
    corners = [[(left, low), (right, low), (right, high), (left, high)] for _, (left, low, right, high) in parts]
    colours = [fill.of(leaf) for leaf, _ in parts]
    axes.add_collection(PolyCollection(corners, facecolors=colours, zorder=0, gid="regions"), autolim=False)
    inner = [(segment, box.depth) for box in boxes for segment in _cut_segments(box, plane)]
    widths = [max(_THINNEST, _THICKEST - 0.5 * depth) for _, depth in inner]
    ends = [segment for segment, _ in inner]
    ink = theme_of(axes).ink
    axes.add_collection(LineCollection(ends, colors=ink, linewidths=widths, zorder=1, gid="cuts"), autolim=False)
    if labels:
        _tell_leaves(axes, model, plane, parts, colours)
    fill.finish(axes, plane, rows, wrong, with_legend)


@dataclass(frozen=True)
class _ClassFill:
    """Regions by the class of their leaf."""

    model: Any
    marks: ClassMarks
    theme: Palette

    def of(self, leaf: int) -> Any:
        return self.theme.tint(self.marks.colours[self.marks.group[self._code(leaf)]])

    def _code(self, leaf: int) -> int:
        return int(decided(self.model.tree_.value[leaf : leaf + 1], self.model.schema_.target)[0])

    def finish(self, axes: Any, plane: Plane, rows: PlaneRows | None, wrong: Mask | None, with_legend: bool) -> None:
        if rows is not None and rows.y is not None:
            scatter_classes(axes, plane, rows, self.marks, wrong=wrong)
        if with_legend:
            self.marks.legend(axes, self.theme, self.model.schema_.target.name, rings=wrong is not None)


@dataclass(frozen=True)
class _NumberFill:
    """Regions by the number their leaf predicts."""

    model: Any
    norm: Any
    ramp: Any

    def of(self, leaf: int) -> Any:
        return self.ramp(self.norm(self.model.tree_.value[leaf, 0]))

    def finish(self, axes: Any, plane: Plane, rows: PlaneRows | None, wrong: Mask | None, with_legend: bool) -> None:
        from matplotlib.cm import ScalarMappable

        if rows is not None and rows.y is not None:
            scatter_numbers(axes, plane, rows, self.norm, self.ramp)
        if with_legend:
            colour_bar(axes, ScalarMappable(self.norm, self.ramp), self.model.schema_.target.name)


def _fill_of(axes: Any, model: Any, rows: PlaneRows | None) -> _ClassFill | _NumberFill:
    from matplotlib.colors import Normalize

    theme, tree, classes = theme_of(axes), model.tree_, model.schema_.target.classes
    if classes is not None:
        return _ClassFill(model, class_marks(classes, tree.stats[0], theme), theme)
    known = tree.value[:, 0] if rows is None or rows.y is None else np.concatenate([tree.value[:, 0], rows.y])
    return _NumberFill(model, Normalize(float(known.min()), float(known.max())), colour_map(theme))


def _tell_leaves(axes: Any, model: Any, plane: Plane, parts: list[tuple[int, Rectangle]], colours: list[Any]) -> None:
    """What the leaves say, and their numbers, in the regions that have room for it."""
    text, place, inches = NodeText(model.tree_, model.schema_), axes.get_position(), axes.get_figure().get_size_inches()
    across = 72 * inches[0] * place.width / (plane.x.high - plane.x.low)
    upward = 72 * inches[1] * place.height / (plane.y.high - plane.y.low)
    for (leaf, (left, bottom, right, top)), colour in zip(parts, colours):
        if (right - left) * across < _LETTER * 5 or (top - bottom) * upward < _LINE:
            continue
        words = f"{label_text(text.text(leaf), 14)} [{leaf}]"
        if (right - left) * across > _LETTER * (len(words) + 1):
            axes.annotate(words, (left, top), (4, -3), textcoords="offset points", va="top", ha="left", fontsize=7.5,
                          color=ink_on(colour), zorder=5, annotation_clip=True)  # fmt: skip


def _cut_segments(box: NodeBox, plane: Plane) -> list[list[tuple[float, float]]]:
    """The ends of a line per cut across the region of its node."""
    across, upward = (axis.segments(box.regions.get(axis.place)) for axis in (plane.x, plane.y))
    upright = [[(at, low), (at, high)] for at in cuts(box, plane.x).tolist() for low, high in upward]
    return upright + [[(low, at), (high, at)] for at in cuts(box, plane.y).tolist() for low, high in across]


# ---- one node ----------------------------------------------------------------------------------------------------


def node_region(model: Any, node: int, X: Any = None, y: Any = None, columns: Any = None, *, ax: Any = None) -> Any:
    """The part of two columns that leads to one node, and the rows that reach it. Returns matplotlib's axes.

    columns: unless given those tested on the way to the node. Tests on other columns are named above the axes; rows
    that fail them are faint even where the region has them.
    """
    check_fitted_tree(model)
    check_node(node, model.tree_)
    box = box_of(model.tree_, model.schema_, node)
    rows = _rows_or_none(model, X, y)
    plane = _tree_plane(model, rows, columns, None, likely=[*box.regions, *_likely(model)])
    axes = new_axes(ax)
    axes.grid(False)
    plane.dress(axes)
    fill = _fill_of(axes, model, rows)
    _draw_node(axes, plane, box, fill.of(node))
    if rows is not None:
        _draw_reaching(axes, model, plane, rows, node)
    title(axes, _node_title(model, box))
    return axes


def _draw_node(axes: Any, plane: Plane, box: NodeBox, colour: Any) -> None:
    from matplotlib import patches

    for left, bottom, right, top in box.rectangles(plane):
        patch = patches.Rectangle((left, bottom), right - left, top - bottom, facecolor=colour, linewidth=2,
                                  edgecolor=theme_of(axes).ink, zorder=1, clip_on=False)  # fmt: skip
        patch.set_gid(f"node {box.node.id}")
        axes.add_patch(patch)


def _draw_reaching(axes: Any, model: Any, plane: Plane, rows: PlaneRows, node: int) -> None:
    nodes, start = decision_path(model.tree_, rows.matrix, 1)
    row_of = np.repeat(np.arange(len(rows.matrix)), np.diff(start))
    here = np.zeros(len(rows.matrix), np.bool_)
    here[row_of[nodes == node]] = True
    x, y = (axis.positions(rows.matrix[:, axis.place]) for axis in (plane.x, plane.y))
    theme = theme_of(axes)
    axes.scatter(x[~here], y[~here], s=9, color=theme.soft, alpha=0.45, linewidths=0, zorder=2, label="other rows")
    if rows.y is None or rows.classes is None:
        axes.scatter(x[here], y[here], s=26, color=theme.line(0), edgecolors=theme.ink, linewidths=0.6, zorder=3,
                     label="rows of the node")  # fmt: skip
        legend(axes, outside=True)
        return
    marks = class_marks(rows.classes, model.tree_.stats[0], theme)
    positioned = replace(rows, matrix=rows.matrix[here], y=rows.y[here])
    scatter_classes(axes, plane, positioned, marks)
    marks.legend(axes, theme, rows.target, positioned.y)


def _node_title(model: Any, box: NodeBox) -> str:
    tree, text = model.tree_, NodeText(model.tree_, model.schema_)
    tests = [phrase(region, missing=False, max_levels=3) for region in box.regions.values()]
    share = text.probability(box.node.id)
    says = text.text(box.node.id) if share is None else f"{text.text(box.node.id)} ({format_share(share, ' ')})"
    head = f"node {box.node.id}: {plural(int(tree.rows[box.node.id]), 'row')}, {says}"
    return label_text(head, 80) + "\n" + label_text(" and ".join(tests) or "all rows", 90)
