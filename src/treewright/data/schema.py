"""What the columns of a table are: their names, kinds and levels. Trees hold column indices; names live only here."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from functools import cached_property
from typing import Any, TypeAlias

from treewright.display import Displayed, DisplayedRecord, Sheet, fact_text

Level: TypeAlias = str | bool | int | float


def text_of(level: Level) -> str:
    """The text by which levels of different types are compared: whole numbers without a fraction.

    >>> text_of(1), text_of(1.0), text_of(True), text_of("1")
    ('1', '1', 'True', '1')
    """
    return str(int(level)) if isinstance(level, float) and level.is_integer() else str(level)


class Kind(str, Enum):
    """How a column may be tested: by order (numeric, ordinal) or by membership (nominal)."""

    NUMERIC = "numeric"
    ORDINAL = "ordinal"
    NOMINAL = "nominal"


class Unit(str, Enum):
    """What the numbers of a numeric column stand for, so that a threshold can be printed readably."""

    NUMBER = "number"
    DATE = "date"  # days since 1970-01-01
    DATETIME = "datetime"  # seconds since 1970-01-01 00:00, on a clock of no known zone
    UTC_DATETIME = "utc datetime"  # seconds since 1970-01-01 00:00 UTC: times that came with a zone
    DURATION = "duration"  # seconds


@dataclass(frozen=True, repr=False)
class Column(DisplayedRecord):
    """One attribute. ``levels[i]`` has code ``i + 1``; code 0 is always missing or unseen.

    ``format`` says how texts of dates are written, as ``datetime.strptime`` has it; empty: as 2024-05-31 or 31.5.2024.
    """

    name: str
    kind: Kind
    levels: tuple[Level, ...] = ()
    unit: Unit = Unit.NUMBER
    format: str = ""

    @property
    def is_left_out(self) -> bool:
        """Whether nothing is learned from it: every value is missing or unseen."""
        return self.kind is Kind.NOMINAL and not self.levels

    @cached_property
    def code_of(self) -> dict[Level, int]:
        return {level: code for code, level in enumerate(self.levels, start=1)}

    @cached_property
    def code_of_text(self) -> dict[str, int]:
        """Codes by the levels' texts, for data of other types than those learned from: 1, 1.0 and "1" are one level."""
        return {text_of(level): code for code, level in reversed(list(enumerate(self.levels, start=1)))}

    def _facts(self) -> dict[str, Any]:
        kind = "left out" if self.is_left_out else self.kind.value
        facts = {"name": self.name, "kind": kind, "levels": self.levels, "unit": self.unit.value}
        return {**facts, "format": self.format} if self.format else facts


def left_out(name: str) -> Column:
    """A column that stands in the table and is not learned from."""
    return Column(name, Kind.NOMINAL)


@dataclass(frozen=True, repr=False)
class Target(DisplayedRecord):
    """What is predicted: one of ``classes``, or a number when ``classes`` is None.

    ``costs[i][j]`` is what it costs to predict class j where class i is true, ``priors[i]`` how frequent class i is
    where the model is used. None: every error costs the same, the classes are as frequent as in the table.
    """

    name: str
    classes: tuple[Level, ...] | None = None
    costs: tuple[tuple[float, ...], ...] | None = None
    priors: tuple[float, ...] | None = None


@dataclass(frozen=True, repr=False)
class Schema(Displayed):
    columns: tuple[Column, ...]
    target: Target

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(column.name for column in self.columns)

    def _sheet(self) -> Sheet:
        columns: dict[str, list[Any]] = {
            "column": list(self.names),
            "kind": ["left out" if column.is_left_out else column.kind.value for column in self.columns],
            "levels": [len(column.levels) or None for column in self.columns],
            "values": [
                fact_text(column.levels) if column.levels else "" if column.is_left_out else column.unit.value
                for column in self.columns
            ],
        }
        target = self.target
        what = "a number" if target.classes is None else f"classes {fact_text(target.classes)}"
        return Sheet(columns, f"target {target.name}: {what}")
