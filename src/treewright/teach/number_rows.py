"""Rows whose target is a number, for the lessons about regression and M5'."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from treewright import datasets
from treewright.data.column_values import NumberValues
from treewright.data.frame import Frame, read_frame
from treewright.data.labelled import labelled
from treewright.data.schema import Schema, Target
from treewright.errors import DataError
from treewright.explain.condition_text import one_line
from treewright.model.fitting import prepare
from treewright.teach.lesson_rows import LessonRows, coded_columns
from treewright.typing import Floats, Mask

_NUMBERS = {"batman": "height", "iris_rows": "petal_width"}  # the number of a bundled table whose target is a class


@dataclass(frozen=True)
class NumberRows:
    """Columns as in :class:`LessonRows`, of rows whose target ``y`` is a number."""

    columns: LessonRows
    y: Floats

    @property
    def name(self) -> str:
        return self.columns.name

    @property
    def schema(self) -> Schema:
        return self.columns.schema

    @property
    def target(self) -> str:
        return one_line(self.schema.target.name)

    @property
    def n_rows(self) -> int:
        return len(self.y)

    @property
    def left_out(self) -> tuple[str, ...]:
        return self.columns.left_out

    @property
    def missing_columns(self) -> list[int]:
        return self.columns.missing_columns

    def frame(self) -> dict[str, list[Any]]:
        return self.columns.frame()

    def kinds(self) -> dict[str, Any]:
        return self.columns.kinds()

    def filled(self) -> NumberRows:
        return NumberRows(self.columns.filled(), self.y)

    def at(self, mask: Mask | None) -> Floats:
        return self.y if mask is None else self.y[mask]


def numbers_of(
    columns: Any,
    target: str,
    *,
    name: str = "the table",
    drop: Sequence[str] = (),
    kinds: Mapping[str, Any] | None = None,
    identifiers: bool = False,
) -> NumberRows:
    """Read a table whose target is a number; see :func:`treewright.teach.rows_of`.

    >>> numbers_of({"x": [1, 2, 4], "y": [1.5, 2.0, 4.0]}, "y").y.tolist()
    [1.5, 2.0, 4.0]
    """
    frame = read_frame(columns)
    place = frame.place(target)
    if place is None:
        raise DataError(f"{name} has no column {target!r} to be the target", frame.hint_for(target))
    _, y = prepare(frame, target, "cart", {"kinds": {**(kinds or {}), **_as_number(frame, place)}})
    if not isinstance(y.cells, NumberValues):
        raise DataError(
            f"the target {target!r} holds classes, and this lesson is about numbers", "choose another target"
        )
    known = labelled(frame.without(place), y, is_classifier=False)
    made = coded_columns(known, Target(target), name, drop, kinds, identifiers=identifiers)
    return NumberRows(made, np.asarray(known.y, np.float64))


def _as_number(frame: Frame, place: int) -> dict[str, str]:
    """A column of numbers is meant as such, however few they are."""
    return {frame.names[place]: "numeric"} if isinstance(frame.cells(place), NumberValues) else {}


def bundled_numbers(name: str, *, target: str | None = None, **options: Any) -> NumberRows:
    """One of the tables of :mod:`treewright.datasets`, with a number to predict."""
    data = datasets.load(name)
    return numbers_of(data.table, target or _NUMBERS.get(name, data.target), name=name, **options)
