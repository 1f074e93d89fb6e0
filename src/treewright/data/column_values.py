"""What a column holds once it is read: numbers, or codes of levels."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import cached_property
from typing import Any

import numpy as np

from treewright.data.schema import Level, Unit
from treewright.errors import DataError
from treewright.typing import Array, Codes

LARGEST_EXACT_INTEGER = 2**53
_MOST_DIGITS = 40  # that a message shows


@dataclass(frozen=True)
class NumberValues:
    """Floats or exact integers; NaN is missing."""

    values: Array
    unit: Unit = Unit.NUMBER


@dataclass(frozen=True)
class LevelValues:
    """``levels[i]`` has code ``i + 1``, code 0 is missing.

    ``declared``: the table's own type lists the levels, perhaps more than occur. ``ordered``: it also says that their
    order means something.
    """

    codes: Codes
    levels: tuple[Level, ...]
    declared: bool = False
    ordered: bool = False

    @cached_property
    def occurring_levels(self) -> tuple[Level, ...]:
        """Those levels that a row has. Looked up once: the schema and what is found of a column both ask."""
        return occurring(self).levels if self.declared else self.levels


class InexactError(DataError):
    """A column holds integers that float64 cannot tell apart."""


def smallest_unsigned(n_codes: int) -> Any:
    """The smallest unsigned type that holds the codes 0 … n_codes - 1.

    >>> [np.dtype(smallest_unsigned(n)).name for n in (2, 256, 257, 65537)]
    ['uint8', 'uint8', 'uint16', 'uint32']
    """
    return np.uint8 if n_codes <= 1 << 8 else np.uint16 if n_codes <= 1 << 16 else np.uint32


def level_of(value: Any) -> Level:
    """A cell as a level: text, booleans and numbers as plain Python values, anything else by its text.

    >>> level_of(np.int64(3)), level_of(b"red"), level_of(Decimal("2.50"))
    (3, 'red', 2.5)
    """
    if type(value) in (str, int, bool, float):
        return value  # type: ignore[no-any-return]
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, bytes):
        return value.decode(errors="replace")
    for plain in (bool, int, float, str):
        if isinstance(value, plain):
            return plain(value)
    return float(value) if isinstance(value, Decimal) else str(value)


def levels_in_order(codes: Array, uniques: Sequence[Any]) -> LevelValues:
    """Levels sorted: text by code point, numbers by size, False first. ``codes`` index ``uniques``, -1 is missing."""
    plain = set(map(type, uniques)) <= {str}
    named = uniques if plain else [level_of(value) for value in uniques]
    levels = tuple(sorted(set(named)))
    code_of = {level: code for code, level in enumerate(levels, start=1)}
    return LevelValues(_recode(codes, [code_of[level] for level in named]), levels)


def declared_levels(codes: Array, categories: Sequence[Any], ordered: bool) -> LevelValues:
    """Levels in the order their type declares, used or not. ``codes`` index ``categories``, -1 is missing."""
    levels = tuple(level_of(value) for value in categories)
    return LevelValues(_recode(codes, range(1, len(levels) + 1)), levels, declared=True, ordered=ordered)


def occurring(cells: LevelValues) -> LevelValues:
    """The same cells with only the levels that occur, in their order."""
    counts = np.bincount(cells.codes, minlength=len(cells.levels) + 1)[1:]
    if counts.all():
        return cells
    kept = np.flatnonzero(counts)
    code_of = np.zeros(len(counts), dtype=np.int64)
    code_of[kept] = np.arange(1, len(kept) + 1)
    codes = _recode(cells.codes.astype(np.int64) - 1, code_of)
    return LevelValues(codes, tuple(cells.levels[i] for i in kept), cells.declared, cells.ordered)


def _recode(codes: Array, code_of: Sequence[int] | Array) -> Codes:
    """``code_of[code]`` for every code, 0 for -1, in the smallest type."""
    new = np.empty(len(code_of) + 1, dtype=smallest_unsigned(len(code_of) + 1))
    new[:-1] = code_of
    new[-1] = 0  # where index -1 looks
    return new[codes]


def levels_of_numbers(cells: NumberValues) -> LevelValues:
    """Every distinct number a level, in order; integers stay integers."""
    known = ~np.isnan(cells.values)
    codes = np.full(len(known), -1, dtype=np.int64)
    uniques, codes[known] = np.unique(cells.values[known], return_inverse=True)
    return levels_in_order(codes, uniques.tolist())


def exact_numbers(values: Array, column: str) -> NumberValues:
    """Floats as they are; integers if float64 holds every one of them exactly."""
    if values.dtype.kind == "f" and values.dtype.itemsize not in (4, 8):
        values = values.astype(np.float32 if values.dtype.itemsize == 2 else np.float64)
    if not values.dtype.isnative:
        values = values.astype(values.dtype.newbyteorder("="))
    if values.dtype.kind in "iu" and values.dtype.itemsize == 8 and values.size:
        require_exact(int(values.min()), int(values.max()), column)
    return NumberValues(values)


def as_floats(values: Array, column: str) -> Array:
    """Floats that compare as the values do: float32 where it is exact, else float64."""
    values = exact_numbers(values, column).values
    if values.dtype.kind == "f":
        return values
    return values.astype(np.float32 if values.dtype.itemsize <= 2 else np.float64)


def require_exact(smallest: int, largest: int, column: str) -> None:
    """Refuse integers so large that neighbours become one and the same float64."""
    worst = smallest if -smallest > largest else largest
    if abs(worst) > LARGEST_EXACT_INTEGER:
        raise InexactError(
            f"column {column!r} holds {_in_words(worst)}, too large to be compared exactly (the limit is 2**53)",
            f'if it is a code use kinds={{{column!r}: "nominal"}}, if it is a quantity divide it',
        )


def _in_words(integer: int) -> str:
    digits = int(integer.bit_length() * 0.30103)
    return f"the integer {integer}" if digits < _MOST_DIGITS else f"an integer of {digits} digits"


def numbers_of_times(values: Array) -> NumberValues:
    """Days, seconds since 1970 or seconds of a datetime64 or timedelta64 array; NaT is missing."""
    unit, step = np.datetime_data(values.dtype)
    if values.dtype.kind == "m":
        return NumberValues(_steps(values, "m8[ns]" if unit == "ns" else "m8[us]"), Unit.DURATION)
    if unit in "YMWD":
        return NumberValues(_steps(values, "M8[D]"), Unit.DATE)
    return NumberValues(_steps(values, "M8[ns]" if unit == "ns" and step == 1 else "M8[us]"), Unit.DATETIME)


def in_utc(times: NumberValues) -> NumberValues:
    """Times that came with a zone."""
    return NumberValues(times.values, Unit.UTC_DATETIME)


def _steps(values: Array, resolution: str) -> Array:
    per_unit = {"M8[D]": 1.0, "M8[us]": 1e6, "m8[us]": 1e6, "M8[ns]": 1e9, "m8[ns]": 1e9}[resolution]
    return np.where(np.isnat(values), np.nan, values.astype(resolution).view(np.int64) / per_unit)
