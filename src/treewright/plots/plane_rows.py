"""Rows of a table on a plane, and what models say of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.base import is_classifier
from sklearn.utils.validation import check_is_fitted

from treewright.data.encode import prediction_matrix
from treewright.data.frame import read_frame
from treewright.data.labelled import Labelled, labelled
from treewright.data.schema import Schema
from treewright.errors import OptionError, shown
from treewright.explain.condition_text import one_line
from treewright.explain.number_text import plural
from treewright.palette import Palette
from treewright.plot_style import label_text, theme_of
from treewright.plots.class_marks import ClassMarks, class_marks
from treewright.plots.plane import Plane, schema_of
from treewright.typing import Array, Floats, Ints, Mask

_FEW, _MANY = 60, 2000  # rows that are shown large, and small
_LARGE, _SMALL = 46.0, 6.0  # square points


@dataclass(frozen=True, eq=False)
class PlaneRows:
    """Rows as numbers and codes, with their target: a class code among ``classes``, or a number."""

    schema: Schema
    matrix: Floats
    y: Array | None
    classes: tuple[Any, ...] | None
    target: str

    @property
    def counts(self) -> Floats:
        """How many rows every class has."""
        if self.classes is None or self.y is None:
            return np.zeros(len(self.classes or ()))
        return np.bincount(self.y[self.y >= 0], minlength=len(self.classes)).astype(np.float64)


def plane_rows(model: Any, X: Any, y: Any) -> PlaneRows:
    """Read rows, with their target if there is one, as a model sees them."""
    frame = read_frame(X)
    schema = schema_of(model, frame)
    classes = classes_of(model)
    if y is None:
        return PlaneRows(schema, _floats(frame, schema), None, classes, schema.target.name)
    rows = labelled(X, y, is_classifier=classes is not None)
    codes = rows.y if classes is None else class_codes(rows, classes)
    name = schema.target.name if schema.target.name != "y" else rows.name
    return PlaneRows(schema, _floats(rows.frame, schema), codes, classes, name)


def class_codes(rows: Labelled, classes: tuple[Any, ...]) -> Ints:
    plain = {getattr(label, "item", lambda label=label: label)(): k for k, label in enumerate(classes)}
    return np.array([plain.get(label, -1) for label in rows.classes or ()], np.int64)[rows.y]


def classes_of(model: Any) -> tuple[Any, ...] | None:
    """The classes a model predicts, None for numbers."""
    schema = getattr(model, "schema_", None) or getattr(model, "schema", None)
    if isinstance(schema, Schema):
        return schema.target.classes
    check_predicts(model)
    return tuple(model.classes_) if is_classifier(model) else None


def check_predicts(model: Any) -> None:
    """Refuse what is no fitted estimator."""
    if isinstance(model, type) or not hasattr(model, "predict") or not hasattr(model, "get_params"):
        raise OptionError(f"a fitted model is needed, got {shown(model)}", "pass tw.CARTClassifier().fit(X, y)")
    check_is_fitted(model)


def _floats(frame: Any, schema: Schema) -> Floats:
    return np.asarray(prediction_matrix(frame, schema), np.float64)


def marks_for(rows: PlaneRows, theme: Palette) -> ClassMarks:
    assert rows.classes is not None
    return class_marks(rows.classes, rows.counts, theme)


def scatter_classes(ax: Any, plane: Plane, rows: PlaneRows, marks: ClassMarks, *, wrong: Mask | None = None) -> None:
    """A point per row, its class by colour and marker. Those that are ``wrong`` are crossed out in a ring."""
    assert rows.y is not None
    theme, size = theme_of(ax), _size(len(rows.matrix))
    x, y = (axis.positions(rows.matrix[:, axis.place]) for axis in (plane.x, plane.y))
    groups = np.where(rows.y >= 0, marks.group[rows.y], -1)
    for k, name in enumerate(marks.names):
        here = groups == k
        if here.any():
            ax.scatter(x[here], y[here], s=size, marker=marks.markers[k], color=marks.colours[k], label=name,
                       edgecolors=theme.ink, linewidths=0.6 if size > 2 * _SMALL else 0.2, zorder=3)  # fmt: skip
    if wrong is not None and wrong.any():
        ax.scatter(x[wrong], y[wrong], s=5 * size, marker="o", facecolors="none", edgecolors=theme.ink, linewidths=1.6,
                   zorder=4, label="wrong")  # fmt: skip


def scatter_numbers(ax: Any, plane: Plane, rows: PlaneRows, norm: Any, ramp: Any) -> None:
    """A point per row, its number by colour."""
    x, y = (axis.positions(rows.matrix[:, axis.place]) for axis in (plane.x, plane.y))
    ax.scatter(x, y, s=_size(len(x)), c=rows.y, norm=norm, cmap=ramp, edgecolors=theme_of(ax).ink, linewidths=0.6,
               zorder=3, label="rows")  # fmt: skip


def not_shown_text(rows: PlaneRows | None, places: tuple[int, ...]) -> str:
    """How many rows have no place because a value is missing, in words; empty if all are shown."""
    if rows is None or rows.y is None:
        return ""
    lost = int(np.isnan(rows.matrix[:, list(places)]).any(1).sum())
    return f"{plural(lost, 'row')} with a missing value not shown" if lost else ""


def colour_bar(ax: Any, mappable: Any, name: str) -> None:
    """What the colours of numbers mean."""
    theme = theme_of(ax)
    bar = ax.get_figure().colorbar(mappable, ax=ax, pad=0.02)
    bar.set_label(label_text(one_line(name)), color=theme.ink, fontsize=10)
    bar.ax.tick_params(colors=theme.soft, labelcolor=theme.ink, labelsize=9)
    bar.outline.set_edgecolor(theme.soft)


def _size(n_rows: int) -> float:
    """Smaller points where there are more of them."""
    share = np.clip(np.log(max(n_rows, 1) / _FEW) / np.log(_MANY / _FEW), 0.0, 1.0)
    return float(_LARGE * (_SMALL / _LARGE) ** share)
