"""Two columns of a table as a plane: numbers along an axis, levels at whole places of it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from treewright.data.encode import make_schema, prediction_matrix
from treewright.data.frame import Frame, read_frame
from treewright.data.schema import Column, Kind, Schema, Target, Unit
from treewright.errors import DataError, OptionError, shown
from treewright.explain.condition_text import level_text, one_line, value_text
from treewright.explain.number_text import format_value
from treewright.explain.region import Region
from treewright.plot_style import label_text
from treewright.typing import Array, Floats

_MARGIN = 0.06  # of the range of the values, left free around them
_JITTER = 0.6  # of the width of a level, over which its rows are spread
_GOLDEN = (5**0.5 - 1) / 2  # multiples of it, less their whole part, spread evenly


@dataclass(frozen=True)
class PlaneAxis:
    """One column. ``low`` and ``high`` are the ends of the axis; level ``k`` of n lies from k − ½ to k + ½."""

    place: int
    column: Column
    low: float
    high: float

    @property
    def is_numeric(self) -> bool:
        return self.column.kind is Kind.NUMERIC

    @property
    def name(self) -> str:
        return label_text(one_line(self.column.name))

    def grid(self, steps: int) -> Floats:
        """The middles of equal parts of the axis; of levels their codes."""
        if not self.is_numeric:
            return np.arange(1.0, len(self.column.levels) + 1)
        edges = np.linspace(self.low, self.high, steps + 1)
        return (edges[:-1] + edges[1:]) / 2

    def positions(self, cells: Floats) -> Floats:
        """Where rows are: numbers as they are, those of a level side by side. Codes of levels count from 1."""
        if self.is_numeric:
            return cells
        spread = np.arange(len(cells)) * _GOLDEN % 1 - 0.5
        return cells - 1 + _JITTER * spread

    def segments(self, region: Region | None) -> list[tuple[float, float]]:
        """The parts of the axis that lie in a region; None is everywhere."""
        if region is None or region.is_everything:
            return [(self.low, self.high)]
        if self.is_numeric:
            ends = [
                (self.low if i.low is None else max(i.low, self.low), min(i.high, self.high)) for i in region.intervals
            ]
            return [(low, high) for low, high in ends if low < high]
        codes = np.flatnonzero(region.levels)
        runs = np.split(codes, np.flatnonzero(np.diff(codes) > 1) + 1) if codes.size else []
        return [(float(run[0]) - 0.5, float(run[-1]) + 0.5) for run in runs]


@dataclass(frozen=True)
class Plane:
    """Two axes, and at which values all other columns are held (NaN: missing)."""

    schema: Schema
    x: PlaneAxis
    y: PlaneAxis
    held: Floats
    said: tuple[int, ...] = ()  # columns whose value was asked for

    def dress(self, ax: Any) -> None:
        """Names, limits and levels onto matplotlib's axes."""
        ax.set_xlim(self.x.low, self.x.high)
        ax.set_ylim(self.y.low, self.y.high)
        ax.set_xlabel(self.x.name)
        ax.set_ylabel(self.y.name)
        for side, axis in ((ax.xaxis, self.x), (ax.yaxis, self.y)):
            if axis.is_numeric and axis.column.unit is not Unit.NUMBER:
                side.set_major_formatter(lambda value, _, unit=axis.column.unit: format_value(value, unit))
            if not axis.is_numeric:
                step = -(-len(axis.column.levels) // _MOST_TICKS)
                ticks = range(0, len(axis.column.levels), step)
                side.set_ticks(ticks, [label_text(level_text(axis.column.levels[k]), 18) for k in ticks])
                side.grid(False)
        if not self.x.is_numeric and sum(len(str(level)) for level in self.x.column.levels) > _WIDE:
            ax.tick_params(axis="x", labelrotation=30)

    def cells(self) -> tuple[Floats, Floats, Floats]:
        """The grid of the plane: places along x, along y, and a row of the table for each of their pairs, x first."""
        along_x, along_y = self.x.grid(_STEPS), self.y.grid(_STEPS)
        matrix = np.tile(self.held, (len(along_x) * len(along_y), 1))
        matrix[:, self.x.place] = np.tile(along_x, len(along_y))
        matrix[:, self.y.place] = np.repeat(along_y, len(along_x))
        return along_x, along_y, matrix

    def held_text(self, places: Iterable[int]) -> str:
        """At what these columns are held, in words; empty if the plane shows them."""
        return _held_text(self.schema, self.held, [*self.said, *places], (self.x.place, self.y.place))


@dataclass(frozen=True)
class Line:
    """One axis of numbers, and at which values all other columns are held."""

    schema: Schema
    axis: PlaneAxis
    held: Floats
    said: tuple[int, ...] = ()

    def rows_at(self, places: Floats) -> Floats:
        """A row of the table for each place."""
        matrix = np.tile(self.held, (len(places), 1))
        matrix[:, self.axis.place] = places
        return matrix

    def held_text(self, places: Iterable[int]) -> str:
        return _held_text(self.schema, self.held, [*self.said, *places], (self.axis.place,))


def _held_text(schema: Schema, held: Floats, places: Iterable[int], shown_places: tuple[int, ...]) -> str:
    others = [place for place in dict.fromkeys(places) if place not in shown_places]
    words = [
        f"{one_line(schema.columns[j].name)[:20]} = {value_text(float(held[j]), schema.columns[j])}"
        for j in others[:_MOST_HELD]
    ]
    more = f" and {len(others) - _MOST_HELD} more" if len(others) > _MOST_HELD else ""
    return label_text(f"where {', '.join(words)}{more}", 90) if others else ""


_STEPS = 240  # of an axis of numbers
_MOST_TICKS = 30  # levels of which every one is named
_MOST_HELD = 3  # columns whose values are told
_WIDE = 48  # characters of levels that stand side by side


def schema_of(model: Any, frame: Frame | None) -> Schema:
    """Of a model of this library, or of the table."""
    found = getattr(model, "schema_", None) or getattr(model, "schema", None)
    if isinstance(found, Schema):
        return found
    if frame is None:
        raise OptionError("the rows are needed to know the columns of this model", "pass X")
    return make_schema(frame, Target("y"))


def make_plane(
    schema: Schema, matrix: Array | None, columns: Any, likely: list[int], at: Mapping[Any, Any] | None = None,
    edges: Mapping[int, Floats] | None = None,
) -> Plane:  # fmt: skip
    """The plane of two columns: those named, else the likeliest.

    ``matrix`` has the rows as ``prediction_matrix`` makes them, or is None: then numeric axes end around the ``edges``
    at which they are cut. ``at`` are values of other columns; those not named are held at the median or the commonest.
    """
    first, second = _two_places(schema, columns, likely)
    x, y = (_axis(schema, place, matrix, (edges or {}).get(place)) for place in (first, second))
    return Plane(schema, x, y, _held(schema, matrix, at or {}), _said(schema, at))


def make_line(schema: Schema, place: int, matrix: Array, at: Mapping[Any, Any] | None) -> Line:
    """The line of one column; others are held as on a plane."""
    return Line(schema, _axis(schema, place, matrix, None), _held(schema, matrix, at or {}), _said(schema, at))


def _two_places(schema: Schema, columns: Any, likely: list[int]) -> tuple[int, int]:
    if columns is None:
        places = sorted(list(dict.fromkeys([*likely, *range(len(schema.columns))]))[:2])
        if len(places) < 2:
            raise DataError(
                "a plane needs two columns, and there is one", "regression_steps draws one column of numbers"
            )
        return places[0], places[1]
    given = [columns] if isinstance(columns, (str, int)) else list(columns)
    places = [place_of(schema, name) for name in given]
    if len(places) != 2 or places[0] == places[1]:
        raise OptionError(f"columns are two different ones, got {shown(columns)}", f"such as {list(schema.names[:2])}")
    return places[0], places[1]


def place_of(schema: Schema, name: Any) -> int:
    """Which column is meant, by its name or its place."""
    if isinstance(name, (int, np.integer)) and not isinstance(name, bool) and 0 <= name < len(schema.columns):
        return int(name)
    if name not in schema.names:
        from difflib import get_close_matches

        near = get_close_matches(str(name), schema.names, n=1)
        names = ", ".join(schema.names[:20])
        hint = f"did you mean {near[0]!r}? The columns are" if near else "the columns are"
        raise OptionError(f"there is no column {name!r}", f"{hint} {names}")
    return schema.names.index(name)


def _axis(schema: Schema, place: int, matrix: Array | None, edges: Floats | None) -> PlaneAxis:
    column = schema.columns[place]
    if column.kind is not Kind.NUMERIC:
        return PlaneAxis(place, column, -0.5, len(column.levels) - 0.5)
    values = np.empty(0) if matrix is None else np.asarray(matrix[:, place], np.float64)
    values = values[np.isfinite(values)]
    if not values.size:
        values = np.empty(0) if edges is None else edges[np.isfinite(edges)]
    low, high = (float(values.min()), float(values.max())) if values.size else (0.0, 1.0)
    spare = _MARGIN * (high - low) if high > low else 0.5 * max(abs(low), 1.0)
    spare = spare if matrix is not None else max(spare, 0.25 * (high - low))
    return PlaneAxis(place, column, low - spare, high + spare)


def _held(schema: Schema, matrix: Array | None, at: Mapping[Any, Any]) -> Floats:
    values = np.full(len(schema.columns), np.nan)
    if matrix is not None:
        values[:] = [_typical(np.asarray(matrix[:, j], np.float64), c) for j, c in enumerate(schema.columns)]
    for name, value in at.items():
        place = place_of(schema, name)
        row = prediction_matrix(read_frame([{schema.columns[place].name: value}]), _only(schema, place))
        values[place] = row[0, 0]
    return values


def _said(schema: Schema, at: Mapping[Any, Any] | None) -> tuple[int, ...]:
    return tuple(place_of(schema, name) for name in at or ())


def _only(schema: Schema, place: int) -> Schema:
    return Schema((schema.columns[place],), schema.target)


def _typical(cells: Floats, column: Column) -> float:
    """The median of numbers, a value that occurs; the commonest level."""
    known = cells[np.isfinite(cells)]
    if not known.size:
        return float("nan")
    if column.kind is Kind.NUMERIC:
        return float(np.quantile(known, 0.5, method="lower"))
    return float(np.bincount(known.astype(np.int64)).argmax())


# ---- tables for models -------------------------------------------------------------------------------------------


def table_like(X: Any, schema: Schema, matrix: Floats) -> Any:
    """Rows of a prediction matrix as a table such as X: an array, a data frame, or a dict of columns."""
    if isinstance(X, np.ndarray):
        return np.column_stack([_cells(column, matrix[:, j]) for j, column in enumerate(schema.columns)])
    columns = {column.name: _cells(column, matrix[:, j]) for j, column in enumerate(schema.columns)}
    module = type(X).__module__.partition(".")[0]
    if module == "pandas":
        import pandas as pd

        made = pd.DataFrame(columns)
        return made.astype({name: X[name].dtype for name in made.columns if str(X[name].dtype) == "category"})
    if module == "polars":
        import polars as pl

        return pl.DataFrame(columns)
    return columns


def _cells(column: Column, numbers: Floats) -> Any:
    """Values of a column from their numbers: levels from codes, times from days and seconds."""
    if column.kind is not Kind.NUMERIC:
        levels = np.array([None, *column.levels], object)
        return levels[np.where(np.isnan(numbers), 0, numbers).astype(np.int64)]
    if column.unit is Unit.DATE:
        return numbers.astype("M8[D]")
    if column.unit is Unit.NUMBER:
        return numbers
    return np.round(numbers * 1e6).astype("m8[us]" if column.unit is Unit.DURATION else "M8[us]")
