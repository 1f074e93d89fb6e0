"""A rule is data: conditions on columns, what follows from them, and the training rows it was seen on."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from treewright.data.schema import Column, Kind, Level
from treewright.display import DisplayedRecord
from treewright.errors import OptionError, shown
from treewright.explain.region import Interval, MissingRoute, Region, intersect
from treewright.rules.rule_model import RuleModel

NO_RULE = -1  # the number of what is predicted where no rule is met


@dataclass(frozen=True)
class Condition:
    """What a rule asks of one column: a number in one of the intervals, or one of the levels.

    ``missing`` says whether a row without a value meets it too. A level that training did not see counts as missing.

    >>> Condition.number("age", above=30, up_to=50)
    Condition(column='age', intervals=(Interval(low=30.0, high=50.0),), levels=(), missing=False)
    >>> Condition.among("colour", "red", "green").levels
    ('red', 'green')
    """

    column: str
    intervals: tuple[Interval, ...] = ()
    levels: tuple[Level, ...] = ()
    missing: bool = False

    @classmethod
    def number(
        cls, column: str, *, above: float | None = None, up_to: float | None = None, missing: bool = False
    ) -> Condition:
        """Numbers above one bound and up to, and including, the other; None is no bound."""
        low, high = None if above is None else float(above), np.inf if up_to is None else float(up_to)
        interval = Interval(low, high)
        if interval.is_empty or low != low or high != high:
            raise OptionError(f"no number is above {above!r} and up to {up_to!r}", "give the lower bound first")
        return cls(column, (interval,), (), missing)

    @classmethod
    def among(cls, column: str, *levels: Level, missing: bool = False) -> Condition:
        """One of the levels of a nominal or ordinal column."""
        return cls(column, (), levels, missing)

    @classmethod
    def of(cls, region: Region) -> Condition:
        """What a branch accepts. Missing values that take every branch by share (C4.5) meet no condition."""
        inside = zip(region.column.levels, region.levels.tolist())
        levels = tuple(level for level, accepted in inside if accepted)
        return cls(region.column.name, region.intervals, levels, region.missing is MissingRoute.HERE)

    @property
    def words(self) -> str:
        """The condition as it stands: ``age > 30``, ``colour in {red, green}``; a rule set knows more of the column."""
        if self.levels:
            told = f"{self.column} in {{{', '.join(map(str, self.levels))}}}"
        else:
            told = " or ".join(_interval_words(self.column, interval) for interval in self.intervals) or self.column
        return f"({told} or missing)" if self.missing else told

    def region(self, column: Column) -> Region:
        """The same as a region of the column."""
        wanted = {column.code_of.get(level, 0) for level in self.levels}
        accepted = np.array([code in wanted for code in range(1, len(column.levels) + 1)], np.bool_)
        return Region(column, self.intervals, accepted, MissingRoute.HERE if self.missing else MissingRoute.ELSEWHERE)

    def check(self, column: Column) -> None:
        """Raise OptionError if the column cannot be asked this."""
        if column.kind is Kind.NUMERIC and self.levels:
            raise OptionError(f"column {column.name!r} holds numbers, not levels", "use Condition.number")
        if column.kind is not Kind.NUMERIC and self.intervals:
            raise OptionError(f"column {column.name!r} holds levels, not numbers", "use Condition.among")
        for level in self.levels:
            if level not in column.code_of:
                known = ", ".join(map(repr, column.levels[:12]))
                raise OptionError(f"column {column.name!r} has no level {shown(level)}", f"there are {known}")


def _interval_words(column: str, interval: Interval) -> str:
    low, high = interval.in_print
    if low is None or np.isinf(low):
        return f"{column} is known" if np.isinf(high) else f"{column} ≤ {high:g}"
    return f"{column} > {low:g}" if np.isinf(high) else f"{low:g} < {column} ≤ {high:g}"


@dataclass(frozen=True, repr=False)
class Rule(DisplayedRecord):
    """Rows that meet all ``conditions`` are predicted ``prediction``.

    ``value`` holds the class probabilities, or the one predicted number. ``stats`` are those of the training rows that
    meet the conditions, as a tree keeps them; the rule set says of which kind. ``number`` is the rule's name: the leaf
    it was made from, or the number C4.5 gives it.
    """

    conditions: tuple[Condition, ...]
    prediction: Level | float
    value: tuple[float, ...]
    stats: tuple[float, ...]
    number: int = NO_RULE
    model: RuleModel | None = None  # what is predicted depends on the row; ``prediction`` is then the mean

    def __str__(self) -> str:
        words = [condition.words for condition in self.conditions]
        start = f"if {' and '.join(words)} then" if words else "always"
        return f"[{self.number}] {start} {self.prediction}"

    def _facts(self) -> dict[str, Any]:
        conditions = tuple(condition.words for condition in self.conditions)
        return {
            "number": self.number, "conditions": conditions, "prediction": self.prediction, "value": self.value,
            "stats": self.stats,
        }  # fmt: skip


def merged(conditions: tuple[Condition, ...], columns: dict[str, Column]) -> tuple[Condition, ...] | None:
    """One condition per column, those that any row meets left out; None if no row can meet them all.

    >>> age = {"age": Column("age", Kind.NUMERIC)}
    >>> merged((Condition.number("age", above=30), Condition.number("age", above=40)), age) == (
    ...     Condition.number("age", above=40),)
    True
    """
    regions: dict[str, Region] = {}
    for condition in conditions:
        region, name = condition.region(columns[condition.column]), condition.column
        regions[name] = intersect(regions[name], region) if name in regions else region
    if any(region.is_nothing and region.missing is MissingRoute.ELSEWHERE for region in regions.values()):
        return None
    asked = (r for r in regions.values() if not (r.is_everything and r.missing is MissingRoute.HERE))
    return tuple(Condition.of(region) for region in asked)
