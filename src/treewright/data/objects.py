"""Columns of Python objects: find out what they hold, then numbers or levels."""

from __future__ import annotations

import datetime
import re
from collections.abc import Callable, Hashable, Sequence
from decimal import Decimal
from fractions import Fraction
from functools import lru_cache
from itertools import repeat
from typing import Any

import numpy as np

from treewright.data.column_values import (
    LevelValues,
    NumberValues,
    declared_levels,
    in_utc,
    level_of,
    levels_in_order,
    numbers_of_times,
    require_exact,
)
from treewright.data.schema import Kind, Unit, text_of
from treewright.data.written_numbers import has_decimal_comma, has_money, is_grouped, written_number
from treewright.errors import DataError
from treewright.typing import Array, Floats

MISSING, BOOLEAN, NUMBER, TEXT, DATE, DATETIME, DURATION, TIME, COMPLEX, UNHASHABLE, OTHER = (
    "missing", "boolean", "number", "text", "date", "datetime", "duration", "time", "complex", "unhashable", "other",
)  # fmt: skip

_ZONE = re.compile(r"(?P<clock>:\d\d(?:\.\d+)?)\s*(?:Z|UTC|(?P<sign>[+-])(?P<hours>\d\d):?(?P<minutes>\d\d)?)$")
_NUMBER = re.compile(r"[+-]?\d+")
_DATE = re.compile(r"\d{4}-\d{1,2}-\d|\d{1,2}([./-])\d{1,2}\1\d{4}")
SPLIT_COMPLEX = "give the real and the imaginary part a column each"

# The first match wins: bool is an int and datetime a date in Python.
_FAMILIES: tuple[tuple[str, tuple[type, ...]], ...] = (
    (BOOLEAN, (bool, np.bool_)),
    (DURATION, (datetime.timedelta, np.timedelta64)),  # NumPy's is a signed integer to Python
    (NUMBER, (int, float, Decimal, Fraction, np.integer, np.floating)),
    (TEXT, (str, bytes)),
    (DATETIME, (datetime.datetime, np.datetime64)),
    (DATE, (datetime.date,)),
    (TIME, (datetime.time,)),
    (COMPLEX, (complex, np.complexfloating)),
)


class CellError(DataError, TypeError):
    """A cell is of a type no column can hold."""


class MixedError(DataError):
    """A column holds cells of several types."""


def _family_of(kind: type) -> str:
    """Which sort of cell a Python type makes.

    >>> _family_of(int), _family_of(np.str_), _family_of(datetime.date), _family_of(list)
    ('number', 'text', 'date', 'unhashable')
    """
    if kind is type(None) or kind.__name__ in ("NAType", "NaTType"):
        return MISSING
    for family, kinds in _FAMILIES:
        if issubclass(kind, kinds):
            return family
    return OTHER if issubclass(kind, Hashable) else UNHASHABLE


family_of: Callable[[type], str] = lru_cache(maxsize=256)(_family_of)  # asked for every cell


def read_objects(cells: Sequence[Any], column: str, wanted: Kind | None = None) -> NumberValues | LevelValues:
    """Numbers if every known cell is a number, date, time or duration, otherwise levels; or as ``wanted``."""
    values, families = _known(cells, column)
    if wanted in (Kind.NOMINAL, Kind.ORDINAL):
        return _levels(values, families, column)
    if len(families) > 1:
        raise _mixed(values, column)
    family = next(iter(families), NUMBER)
    if family in (NUMBER, DATE, DATETIME, DURATION, TIME) or wanted is Kind.NUMERIC:
        return _numbers(values, family, column)
    return _levels(values, families, column)


def first_row(values: Sequence[Any], family: str) -> int:
    return next(row for row, value in enumerate(values) if family_of(type(value)) == family)


def _known(cells: Sequence[Any], column: str) -> tuple[list[Any], set[str]]:
    """The cells with every missing one as None, and the families of the others."""
    values = list(cells)
    types = set(map(type, values))
    families = set(map(family_of, types))
    if COMPLEX in families:
        row = first_row(values, COMPLEX)
        raise CellError(
            f"Complex data not supported: column {column!r} holds {values[row]} in row {row}", SPLIT_COMPLEX
        )
    if UNHASHABLE in families:
        raise _not_a_cell(values, first_row(values, UNHASHABLE), column)
    plain = types <= {str, int, bool, type(None)}
    if not plain:
        missing = {kind for kind in types if family_of(kind) == MISSING}
        may_be_nan = {kind for kind in types if family_of(kind) in (NUMBER, DATETIME, DURATION)}
        if missing or may_be_nan:
            values = [
                None if type(value) in missing or (type(value) in may_be_nan and _is_nan(value)) else value
                for value in values
            ]
            families = set(map(family_of, set(map(type, values))))
    return values, families - {MISSING}


def _is_nan(value: Any) -> bool:
    return value.is_nan() if isinstance(value, Decimal) else bool(value != value)  # one sort of decimal NaN raises


def _mixed(values: list[Any], column: str) -> MixedError:
    rows = {family_of(type(value)): row for row, value in reversed(list(enumerate(values))) if value is not None}
    (one, other) = sorted(rows.values())[:2]
    return MixedError(
        f"column {column!r} mixes types: {type(values[one]).__name__} ({values[one]!r}) in row {one} "
        f"and {type(values[other]).__name__} ({values[other]!r}) in row {other}",
        f'to take every value by its text use kinds={{{column!r}: "nominal"}}',
    )


def _levels(values: list[Any], families: set[str], column: str) -> LevelValues:
    if len(families) > 1:
        values = [None if value is None else text_of(level_of(value)) for value in values]
    codes, uniques = dictionary(values, column)
    return levels_in_order(codes, uniques)


def dictionary(values: list[Any], column: str) -> tuple[Array, list[Any]]:
    """Number the distinct cells as they appear; -1 for None."""
    try:
        uniques = [value for value in dict.fromkeys(values) if value is not None]
    except TypeError:
        raise _hidden_unhashable(values, column) from None
    number = dict(zip(uniques, range(len(uniques)), strict=True))
    return np.fromiter(map(number.get, values, repeat(-1)), dtype=np.int64, count=len(values)), uniques


def _hidden_unhashable(values: list[Any], column: str) -> CellError:
    """Tuples and the like are hashable by type, but not if they hold a list."""
    return _not_a_cell(values, next(row for row, value in enumerate(values) if not _is_hashable(value)), column)


def _is_hashable(value: Any) -> bool:
    try:
        hash(value)
    except TypeError:
        return False
    return True


def _not_a_cell(values: list[Any], row: int, column: str) -> CellError:
    what = type(values[row]).__name__
    return CellError(
        f"column {column!r} holds a {what} in row {row}, but a cell argument must be a string or a number",
        "give every cell one number or one text, or drop the column",
    )


def _numbers(values: list[Any], family: str, column: str) -> NumberValues:
    if family in (NUMBER, BOOLEAN):
        return NumberValues(_floats(values, column))
    if family == TEXT:
        return _dates_in_text(values) or NumberValues(parse_numbers(values, column))
    if family == TIME:
        return NumberValues(np.array([np.nan if v is None else _seconds(v) for v in values]), Unit.DURATION)
    if family == OTHER:
        row = first_row(values, OTHER)
        raise DataError(
            f"column {column!r} cannot be read as numbers: it holds a {type(values[row]).__name__} in row {row}",
            f'use kinds={{{column!r}: "nominal"}} or convert the column to numbers',
        )
    if family == DATETIME and _have_zones(values, column):
        return in_utc(numbers_of_times(_times([_without_zone(value) for value in values], family)))
    return numbers_of_times(_times(values, family))


def _dates_in_text(values: list[Any]) -> NumberValues | None:
    """Dates or times if every text is one, such as 2024-05-31 or 31.5.2024; else None."""
    known = [value for value in values if value is not None]
    if not known or not all(isinstance(value, str) and _DATE.match(value.strip()) for value in known):
        return None
    try:
        times = [None if value is None else naive_time(value.strip()) for value in values]
    except ValueError:
        return None
    has_clock = any(":" in value for value in known)
    return numbers_of_times(np.array(times, dtype="M8[us]" if has_clock else "M8[D]"))


def _have_zones(values: list[Any], column: str) -> bool:
    """Whether times come with a zone; some with one and some without cannot be compared."""
    zoned = [row for row, value in enumerate(values) if getattr(value, "tzinfo", None) is not None]
    naive = [row for row, value in enumerate(values) if value is not None and getattr(value, "tzinfo", None) is None]
    if zoned and naive:
        raise MixedError(
            f"column {column!r} mixes times with a zone, such as {values[zoned[0]]} in row {zoned[0]}, "
            f"and without one, such as {values[naive[0]]} in row {naive[0]}",
            "give all of them a zone, or none",
        )
    return bool(zoned)


def _floats(values: list[Any], column: str) -> Floats:
    integers = [v for v in values if isinstance(v, (int, np.integer))]
    if integers:
        require_exact(int(min(integers)), int(max(integers)), column)
    try:
        return np.array([np.nan if v is None else v for v in values], dtype=np.float64)
    except OverflowError:
        raise DataError(f"column {column!r} holds a number too large for a float64", "divide the column") from None


def parse_numbers(values: Sequence[Any], column: str) -> Floats:
    """Texts as numbers, None as NaN; the first cell that is not a number is named in the error.

    >>> parse_numbers(["1.5", None, " 2 ", "3 %", "4,5"], "size").tolist()
    [1.5, nan, 2.0, 3.0, 4.5]
    """
    _refuse_two_meanings(values, column)
    numbers = np.full(len(values), np.nan)
    for row, value in enumerate(values):
        if value is not None:
            try:
                numbers[row] = written_number(value) if type(value) is str else float(value)
            except ValueError:
                raise DataError(
                    f"column {column!r} cannot be read as numbers: row {row} holds {level_of(value)!r}",
                    "correct the cell, make it None if it is missing, or let the column be nominal",
                ) from None
    return numbers


def _refuse_two_meanings(values: Sequence[Any], column: str) -> None:
    """1.234 beside 4,5 may be meant as 1234."""
    texts = [value for value in values if type(value) is str]
    comma = next((text for text in texts if "," in text and has_decimal_comma(text)), None)
    point = None if comma is None else next((text for text in texts if "." in text and is_grouped(text)), None)
    money = None if comma is None else next((text for text in texts if has_money(text)), None)
    if money is not None:
        raise DataError(
            f"column {column!r} holds {money!r} and {comma!r}, which may be meant as {written_number(str(comma)):g} or "
            "not",
            "write all numbers alike, best with a decimal point and nothing between thousands",
        )
    if point is not None:
        raise DataError(
            f"column {column!r} holds {comma!r} and {point!r}, which may be meant as {written_number(point):g} or as "
            f"{written_number(point + ',0'):g}",
            "write all numbers with a decimal point, and nothing between thousands",
        )


def parse_times(cells: LevelValues, column: str, unit: Unit) -> NumberValues:
    """Texts such as 2024-05-31, 31.5.2024 or 2024-05-31T12:00 as seconds since 1970.

    They have a zone, as in 2024-05-31T12:00+02:00, where the unit has one, and only there.
    """
    if unit is Unit.UTC_DATETIME:
        hint = "the times learned from have a zone: write 2024-05-31T12:00+02:00 or 2024-05-31T12:00Z"
        return in_utc(numbers_of_times(parsed_cells(cells, column, _zoned_time, "M8[us]", hint)))
    hint = "write dates as 2024-05-31 and times as 2024-05-31T12:00, without a zone"
    return numbers_of_times(parsed_cells(cells, column, naive_time, "M8[us]", hint))


def naive_time(text: str) -> Any:
    if _ZONE.search(text) or (_NUMBER.fullmatch(text) and len(text) != len("2024")):
        raise ValueError(text)  # NumPy takes any number for a year
    return np.datetime64(_year_first(text))


def _zoned_time(text: str) -> Any:
    zone = _ZONE.search(text)
    if zone is None:
        raise ValueError(text)
    offset = datetime.timedelta(hours=int(zone["hours"] or 0), minutes=int(zone["minutes"] or 0))
    return np.datetime64(_year_first(text[: zone.end("clock")])) - offset * (-1 if zone["sign"] == "-" else 1)


def parse_durations(cells: LevelValues, column: str) -> NumberValues:
    """Texts such as 12:30 or 12:30:15.5, or seconds, as seconds."""
    hint = "write times of the day as 12:30 or 12:30:15, other durations in seconds"
    return NumberValues(parsed_cells(cells, column, _clock_seconds, "f8", hint), Unit.DURATION)


def parsed_cells(cells: LevelValues, column: str, read: Callable[[str], Any], dtype: str, hint: str) -> Array:
    """Every cell by the reader of its text; the first that it refuses is named in the error."""
    values = np.full(len(cells.levels) + 1, "NaT" if dtype.startswith("M8") else np.nan, dtype=dtype)
    refused = []
    for code, level in enumerate(cells.levels, start=1):
        try:
            values[code] = read(text_of(level).strip())
        except ValueError:
            refused.append(code)
    if refused:
        row = int(np.argmax(np.isin(cells.codes, refused)))
        level = cells.levels[cells.codes[row] - 1]
        what = "dates" if dtype.startswith("M8") else "times"
        raise DataError(f"column {column!r} cannot be read as {what}: row {row} holds {level!r}", hint)
    return values[cells.codes]


def _year_first(text: str) -> str:
    """31.5.2024 12:00 as 2024-05-31 12:00: the spellings that tables are learned from, the day before the month."""
    day_first = re.match(r"(\d{1,2})[-/.](\d{1,2})[-/.](\d{4})(?!\d)", text)
    found = day_first or re.match(r"(\d{4})[-/.](\d{1,2})[-/.](\d{1,2})(?!\d)", text)
    if not found:
        return text
    year, month, day = map(int, found.groups()[::-1] if day_first else found.groups())
    return f"{year:04}-{month:02}-{day:02}{text[found.end() :]}"


def _clock_seconds(text: str) -> float:
    clock = re.fullmatch(r"(\d{1,2}):(\d{2})(?::(\d{2}(?:\.\d+)?))?", text)
    return float(text) if clock is None else 3600 * int(clock[1]) + 60 * int(clock[2]) + float(clock[3] or 0)


def _seconds(value: datetime.time) -> float:
    return value.hour * 3600 + value.minute * 60 + value.second + value.microsecond / 1e6


def _times(values: list[Any], family: str) -> Array:
    return np.array(values, dtype={DATETIME: "M8[us]", DATE: "M8[D]"}.get(family, "m8[us]"))


def _without_zone(value: Any) -> Any:
    """The same time on the clock of UTC."""
    return None if value is None else value.astimezone(datetime.timezone.utc).replace(tzinfo=None)


def booleans(values: Array) -> LevelValues:
    """False and True, those that occur."""
    levels = tuple(level for level in (False, True) if (values == level).any())
    return declared_levels(values.astype(np.int64) - (levels == (True,)), levels, ordered=False)
