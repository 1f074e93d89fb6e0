"""Dates that are written in a way of their own, as the user says: 12/31/2024 by ``%m/%d/%Y``."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timezone
from typing import Any

import numpy as np

from treewright.data.column_values import LevelValues, NumberValues, in_utc, numbers_of_times
from treewright.data.frame import Frame
from treewright.data.objects import naive_time, parsed_cells
from treewright.data.schema import Kind, Unit
from treewright.errors import OptionError, shown

_DIRECTIVE = re.compile(r"%(.)")
_YEARS, _CLOCKS, _ZONES = set("YyGcx"), set("HIMSfpXc"), set("z")
DATES = (Unit.DATE, Unit.DATETIME, Unit.UTC_DATETIME)
_SAMPLE = datetime(2024, 12, 31, 18, 30, 15, tzinfo=timezone.utc)
_ISO_DATE = re.compile(r"\d{4}-\d{1,2}-\d{1,2}")
_MONTH_FIRST = re.compile(r"\d+([/-])\d+\1\d+(?:([T ]+)\d+:\d+(:\d+)?(\.\d+)?)?")


@dataclass(frozen=True)
class DateFormat:
    """How the dates of a column are written, in the directives of ``datetime.strptime``.

    >>> DateFormat("%m/%d/%Y").unit, DateFormat("%b %d %y, %H:%M").unit
    (<Unit.DATE: 'date'>, <Unit.DATETIME: 'datetime'>)
    """

    text: str

    def __post_init__(self) -> None:
        if not _YEARS & self._directives:
            raise OptionError(f"the dates {shown(self.text)} have no year", "write %Y for 2024, or %y for 24")
        try:
            datetime.strptime(_SAMPLE.strftime(self.text), self.text)
        except ValueError as error:
            raise OptionError(
                f"{shown(self.text)} does not say how dates are written: {error}",
                "write %Y for the year, %m for the month, %d for the day, %H:%M for the time, as in '%m/%d/%Y'",
            ) from None

    @property
    def _directives(self) -> set[str]:
        return set(_DIRECTIVE.findall(self.text))

    @property
    def unit(self) -> Unit:
        if self._directives & _ZONES:
            return Unit.UTC_DATETIME
        return Unit.DATETIME if self._directives & _CLOCKS else Unit.DATE

    def read(self, text: str) -> Any:
        """One date or time; besides the ones so written, 2024-12-31, which is how trees print them."""
        try:
            time = datetime.strptime(text, self.text)
        except ValueError:
            if self.unit is Unit.DATETIME or (self.unit is Unit.DATE and _ISO_DATE.fullmatch(text)):
                return naive_time(text) if _ISO_DATE.match(text) else _refuse(text)
            raise
        if self.unit is Unit.UTC_DATETIME:
            return np.datetime64(time.astimezone(timezone.utc).replace(tzinfo=None))
        return np.datetime64(time.date() if self.unit is Unit.DATE else time)

    def values(self, cells: LevelValues, column: str) -> NumberValues:
        """Days or seconds of texts; a text that is written otherwise is named in the error.

        >>> from treewright.data.column_values import levels_in_order
        >>> texts = levels_in_order(np.array([0, 1, -1]), ["01/02/1970", "12/31/1969"])
        >>> DateFormat("%m/%d/%Y").values(texts, "joined").values.tolist()
        [1.0, -1.0, nan]
        """
        example = _SAMPLE.strftime(self.text)
        hint = f"write them as {example}, which is what {self.text} says; or say how they are written"
        dtype = "M8[D]" if self.unit is Unit.DATE else "M8[us]"
        found = numbers_of_times(parsed_cells(cells, column, self.read, dtype, hint))
        return in_utc(found) if self.unit is Unit.UTC_DATETIME else found


def _refuse(text: str) -> Any:
    raise ValueError(text)


def is_date_format(kind: Any) -> bool:
    """Whether what a user says of a column is how its dates are written."""
    return isinstance(kind, str) and "%" in kind


def dates_of(frame: Frame, place: int, format: DateFormat) -> NumberValues:
    """A column as dates: as they are where its type says so, else its texts, and numbers as texts, by the format."""
    cells = frame.cells(place)
    if isinstance(cells, NumberValues) and cells.unit in DATES:
        return cells
    levels = frame.cells(place, Kind.NOMINAL)
    assert isinstance(levels, LevelValues)
    return format.values(levels, frame.names[place])


def month_first_format(texts: Sequence[str]) -> str | None:
    """How dates with the month first are written, if all are written alike.

    >>> month_first_format(["12/31/2024", "1/2/2024"]), month_first_format(["12-31-2024 08:15"])
    ('%m/%d/%Y', '%m-%d-%Y %H:%M')
    """
    found = _MONTH_FIRST.fullmatch(texts[0].strip()) if texts else None
    if found is None:
        return None
    mark, before_clock, seconds, fraction = found.groups()
    clock = f"{before_clock}%H:%M{':%S' if seconds else ''}{'.%f' if fraction else ''}" if before_clock else ""
    format = f"%m{mark}%d{mark}%Y{clock}"
    return format if all(map(_reads(format), texts)) else None


def _reads(format: str) -> Any:
    def reads(text: str) -> bool:
        try:
            datetime.strptime(text.strip(), format)
        except ValueError:
            return False
        return True

    return reads
