"""The table to predict on, as one matrix in the schema's order of columns."""

from __future__ import annotations

import datetime
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from treewright.data.column_values import LevelValues, NumberValues, as_floats
from treewright.data.few_rows import few_numbers, is_few_rows
from treewright.data.frame import Frame, default_names, listing
from treewright.data.level_codes import match_levels, require_known, require_same_type
from treewright.data.objects import parse_durations, parse_times
from treewright.data.schema import Column, Kind, Schema, Unit
from treewright.data.written_dates import DateFormat, dates_of
from treewright.errors import DataError, OptionError
from treewright.typing import Array

UNSEEN = ("missing", "error")
_SECONDS_PER_DAY = 86_400.0
_IN_WORDS = {
    Unit.NUMBER: "numbers",
    Unit.DATE: "dates",
    Unit.DATETIME: "times without a zone",
    Unit.UTC_DATETIME: "times with a zone",
    Unit.DURATION: "durations",
}


def prediction_matrix(
    frame: Frame,
    schema: Schema,
    used: Sequence[int] | None = None,
    *,
    unseen: str = "missing",
    estimator: str = "model",
) -> Array:
    """The rows as float32 or float64: numbers as they are, levels as their codes, NaN for missing.

    Only the columns in ``used`` (all if None) are sure to be filled. Columns with names are matched by name, in any
    order; further columns are ignored, and one that was left out need not be there. Columns without names are matched
    by position and must be as many as learned from. A level is matched by its value, else by its text (see
    ``match_levels``); one that was not learned from becomes NaN, or an error with ``unseen="error"``. A matrix of
    floats is returned itself where no level is used.

    >>> from treewright.data.frame import read_frame
    >>> from treewright.data.kinds import make_schema
    >>> from treewright.data.schema import Target
    >>> schema = make_schema(read_frame({"size": [3.5, 1.0], "colour": ["red", "blue"]}), Target("bought"))
    >>> prediction_matrix(read_frame([{"colour": "red", "size": 2}, {"colour": "pink"}]), schema).tolist()
    [[2.0, 2.0], [nan, nan]]
    """
    if unseen not in UNSEEN:
        raise OptionError(f"unseen must be 'missing' or 'error', got {unseen!r}", "use 'missing' to go on")
    places = match_columns(frame, schema, estimator)
    wanted = range(len(schema.columns)) if used is None else used
    in_place = frame.matrix is not None and frame.n_columns == len(schema.columns) and places is None
    if in_place and all(_is_plain_number(schema.columns[index]) for index in wanted):
        return frame.floats()
    filled = {
        index: _values(frame, index if places is None else places[index], schema.columns[index], unseen)
        for index in wanted
    }
    return _assemble(filled, frame.n_rows, len(schema.columns))


def few_numbers_of(table: Any, schema: Schema, unseen: str) -> Array | None:
    """The same of a data frame of a few rows of plain numbers as they were learned from, quicker; None of any other."""
    if not is_few_rows(table) or unseen not in UNSEEN or not all(map(_is_plain_number, schema.columns)):
        return None
    return few_numbers(table, schema.names)


def as_learned(frame: Frame, schema: Schema) -> Frame:
    """The columns of the schema alone and in its order, texts as the times they stand for: what the fit was given."""
    places = match_columns(frame, schema)
    made = frame if places is None else replace(frame.only(places), names=schema.names)
    if made.matrix is not None:
        return made
    raw = [_times(made, place, column) for place, column in enumerate(schema.columns)]
    return replace(made, raw=tuple(raw), memo={})


def _times(frame: Frame, place: int, column: Column) -> Any:
    if column.unit is Unit.NUMBER or frame.unit(place) is not None:
        return frame.raw[place]
    numbers = _numbers(frame, place, column)
    if column.unit is Unit.DATE:
        return numbers.astype("M8[D]")
    if column.unit is Unit.UTC_DATETIME:
        return [None if seconds != seconds else _moment(seconds) for seconds in numbers.tolist()]
    return np.round(numbers * 1e6).astype("m8[us]" if column.unit is Unit.DURATION else "M8[us]")


def _moment(seconds: float) -> datetime.datetime:
    epoch = datetime.datetime(1970, 1, 1, tzinfo=datetime.timezone.utc)
    return epoch + datetime.timedelta(microseconds=round(seconds * 1e6))


def _assemble(filled: dict[int, Array], n_rows: int, n_columns: int) -> Array:
    exact_in_32 = all(values.dtype == np.float32 for values in filled.values())
    matrix = np.full((n_rows, n_columns), np.nan, dtype=np.float32 if filled and exact_in_32 else np.float64)
    for index, values in filled.items():
        matrix[:, index] = values
    return matrix


def match_columns(frame: Frame, schema: Schema, estimator: str = "model") -> list[int] | None:
    """Where in the frame each column of the schema is; None when column i is column i."""
    learned = schema.names
    if frame.names == learned:
        return None
    learned_without_names = learned == default_names(len(learned)) and not set(learned) <= set(frame.names)
    if not frame.named or learned_without_names:
        _require_count(frame, learned, estimator)
        return None
    place = {name: index for index, name in enumerate(frame.names)}
    lost = [column.name for column in schema.columns if column.name not in place and not column.is_left_out]
    if lost:
        raise DataError(
            "The feature names should match those that were passed during fit.\n"
            "Feature names seen at fit time, yet now missing:\n" + "\n".join(f"- {name}" for name in lost[:20]),
            f"add the column{'s' if len(lost) > 1 else ''}, with None where a value is not known; the table has "
            f"{listing(frame.names)}",
        )
    return [place.get(name, 0) for name in learned]  # of a column that was left out no cell is read


def _require_count(frame: Frame, learned: tuple[str, ...], estimator: str) -> None:
    if frame.n_columns != len(learned):
        raise DataError(
            f"X has {frame.n_columns} features, but {estimator} is expecting {len(learned)} features as input",
            "give the columns learned from, in their order, or give them by name",
        )


def _values(frame: Frame, place: int, column: Column, unseen: str) -> Array:
    if column.kind is Kind.NUMERIC:
        return _numbers(frame, place, column)
    if column.is_left_out:
        return np.full(frame.n_rows, np.nan, np.float32)
    cells = frame.cells(place, column.kind)
    assert isinstance(cells, LevelValues)
    if unseen == "error":
        require_known(cells, column, "the levels learned from")
    codes = match_levels(cells, column)
    if not codes.any():
        require_same_type(cells, column, frame.unit(place))
    floats = np.arange(len(column.levels) + 1, dtype=np.float32 if len(column.levels) < 1 << 24 else np.float64)
    floats[0] = np.nan
    return floats[codes]


def _numbers(frame: Frame, place: int, column: Column) -> Array:
    """Numbers in the column's unit; texts are read as numbers or, for dates and times, as such."""
    if column.format:
        cells: NumberValues | LevelValues = dates_of(frame, place, DateFormat(column.format))
    elif column.unit is not Unit.NUMBER and frame.unit(place) is None:
        cells = frame.cells(place)
    else:
        cells = frame.cells(place, Kind.NUMERIC)
    if isinstance(cells, LevelValues):
        is_span = column.unit is Unit.DURATION
        cells = parse_durations(cells, column.name) if is_span else parse_times(cells, column.name, column.unit)
    return _in_unit(as_floats(cells.values, column.name), cells.unit, column)


def _is_plain_number(column: Column) -> bool:
    return column.kind is Kind.NUMERIC and column.unit is Unit.NUMBER


def _in_unit(values: Array, given: Unit, column: Column) -> Array:
    """Dates are days and datetimes seconds; either may be given for the other. Nothing else may: it would be compared
    with thresholds of another unit."""
    learned = column.unit
    if (given, learned) == (Unit.DATE, Unit.DATETIME):
        return values * _SECONDS_PER_DAY
    if (given, learned) == (Unit.DATETIME, Unit.DATE):
        return values / _SECONDS_PER_DAY
    if given is not learned and not np.isnan(values).all():
        raise DataError(
            f"column {column.name!r} holds {_IN_WORDS[given]}, and the model learned from {_IN_WORDS[learned]}",
            "give the column as it was learned from, or fit again",
        )
    return values
