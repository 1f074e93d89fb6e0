"""Conditions from text: what ``explain/condition_text.py`` writes, and what a person writes instead."""

from __future__ import annotations

import ast
import math
import re
import sys
from collections.abc import Sequence
from difflib import get_close_matches
from functools import cached_property
from typing import Any

import numpy as np

from treewright.by_hand.outline import Accepted
from treewright.data.frame import listing
from treewright.data.schema import Column, Kind, Level, Unit
from treewright.errors import DataError, shown
from treewright.explain.condition_text import level_text, one_line, to_ascii
from treewright.explain.region import Interval, MissingRoute

HINT = "write x ≤ 2.5, x > 2.5, 2 < x ≤ 5, colour = red, colour in {red, green} or x is missing"
REST = ("else", "otherwise", "other")
_AT_MOST = r"(?:≤|<=|=<)"
_OPERATOR = re.compile(r"(?:\s*(?P<sign>≤|<=|=<|≥|>=|=>|<|>|==?)|(?:^|\s+)(?P<word>in|is)\b)\s*")
_OR = re.compile(r"\s+or (?!missing\b)")
_MISSING = re.compile(r"\s+or missing( \(shared\))?")
_END = r"(?=\s*(?:$|[,:}\[]|\+\d|or missing|≤|<))"
_MORE = re.compile(r"\s*\+[\d,]+")
_SOFT = re.compile(r"\s*\[([^\[\],]+), ([^\[\],]+)\]")
_NUMBER = r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?|[-+]?inf"
_CLOCK = r"\d+:\d\d(?::\d\d(?:\.\d+)?)?"
_ZONE = r"(?:\s*(?:UTC|Z|[-+]\d\d:?\d\d)\b)?"
_VALUES = {
    Unit.NUMBER: _NUMBER,
    Unit.DATE: rf"[-+]?\d{{4,}}-\d\d-\d\d(?:[ T]{_CLOCK})?{_ZONE}|{_NUMBER}",
    Unit.DATETIME: rf"[-+]?\d{{4,}}-\d\d-\d\d(?:[ T]{_CLOCK})?{_ZONE}|{_NUMBER}",
    Unit.DURATION: rf"-?(?:\d+ days? )?{_CLOCK}|{_NUMBER}",
}
_NAMED = re.compile(r"""'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|[^,:{}\[\]]+?""" + _END)


class ConditionReader:
    """Reads conditions on the columns of a table; ``unseen`` collects levels, by column, that no row has."""

    def __init__(self, columns: Sequence[Column]) -> None:
        self.columns = tuple(columns)
        self.unseen: dict[int, list[Level]] = {}
        self._patterns: dict[int, re.Pattern[str]] = {}
        self._spelt: dict[int, dict[str, Level]] = {}

    @cached_property
    def _names(self) -> list[tuple[str, int]]:
        """How columns may be called, the longest first: of x and x1 the longer one is meant by x1."""
        called = {spelt: j for j, c in enumerate(self.columns) for spelt in (to_ascii(one_line(c.name)), c.name)}
        called |= {one_line(c.name): j for j, c in enumerate(self.columns)}
        return sorted(called.items(), key=lambda item: -len(item[0]))

    def column(self, name: Any) -> int | None:
        """The place of a column by its whole name."""
        return next((j for j, column in enumerate(self.columns) if column.name == name), None)

    def begin(self, text: str) -> tuple[int, Accepted, int] | None:
        """The condition that a text begins with: column, what is accepted, and where the condition ends; None: none.

        >>> reader = ConditionReader([Column("age", Kind.NUMERIC)])
        >>> reader.begin("age ≤ 30.5: no [1] (4)")[1:]
        (Accepted(intervals=(Interval(low=None, high=30.5),), numbers=(), levels=(), missing=None, ...), 10)
        """
        for name, j in self._names:
            if text.startswith(name) and (found := _OPERATOR.match(text, len(name))):
                return (
                    j,
                    *self._finished(text, j, *self._operand(text, j, found["sign"] or found["word"], found.end())),
                )
        return self._between(text)

    def whole(self, text: str) -> tuple[int, Accepted]:
        """The condition that a text is; it may end in a question mark."""
        plain = text.strip().removesuffix("?").rstrip()
        found = self.begin(plain)
        if found is None or plain[found[2] :].strip():
            raise self.refusal(text)
        return found[:2]

    def of_column(self, j: int, key: Any) -> Accepted:
        """What a branch of a known column takes: a level, a number, or text such as ``≤ 2.5`` and ``in {a, b}``."""
        column = self.columns[j]
        if key is None:
            return Accepted(missing=MissingRoute.HERE)
        if column.kind is not Kind.NUMERIC and self._known_level(column, key) is not None:
            return Accepted(levels=(self._level(j, key),))
        if isinstance(key, (tuple, frozenset)) and column.kind is not Kind.NUMERIC:
            return Accepted(levels=tuple(self._level(j, item) for item in key))
        if isinstance(key, str):
            return self._of_text(j, key.strip())
        if column.kind is Kind.NUMERIC and isinstance(key, (int, float, np.integer, np.floating)):
            if not abs(key) <= sys.float_info.max:
                raise DataError(
                    f"column {column.name!r} is compared with {shown(key)}, which is no finite number", HINT
                )
            return Accepted(numbers=(float(key),))
        return Accepted(levels=(self._level(j, key),))

    def refusal(self, text: Any) -> DataError:
        names = [column.name for column in self.columns]
        near = get_close_matches(str(text).split(" ")[0], names, n=1)
        meant = f"did you mean the column {near[0]!r}? " if near else ""
        return DataError(
            f"{str(text)[:80]!r} is no condition on a column", f"{meant}{HINT}; the columns are {listing(names)}"
        )

    # ---- after the name of a column ----------------------------------------------------------------------------------

    def _of_text(self, j: int, text: str) -> Accepted:
        if text.lower() in REST:
            return Accepted(rest=True)
        if text.lower() == "missing":
            return Accepted(missing=MissingRoute.HERE)
        found = _OPERATOR.match(text)
        operator, at = (found["sign"] or found["word"], found.end()) if found else ("=", 0)
        accepted, end = self._finished(text, j, *self._operand(text, j, operator, at))
        if text[end:].strip():
            raise self.refusal(text)
        return accepted

    def _operand(self, text: str, j: int, operator: str, at: int) -> tuple[Accepted, int]:
        if operator == "is":
            return self._state(text, j, at)
        if operator == "in":
            return self._levels(text, j, at)
        if self.columns[j].kind is not Kind.NUMERIC:
            level, end = self._read_level(text, j, at)
            return Accepted(levels=self._on_one_hand(j, operator, level)), end
        return self._or_more(text, j, *self._compared(text, j, operator, at))

    def _or_more(self, text: str, j: int, accepted: Accepted, at: int) -> tuple[Accepted, int]:
        """``x ≤ 2 or x > 5``: the numbers of a branch that takes several ranges."""
        more = _OR.match(text, at)
        following = self.begin(text[more.end() :]) if more else None
        if more is None or following is None or following[0] != j:
            return accepted, at
        both = (*accepted.intervals, *following[1].intervals)
        return Accepted(both, missing=following[1].missing), more.end() + following[2]

    def _compared(self, text: str, j: int, operator: str, at: int) -> tuple[Accepted, int]:
        """A number, by how it is compared: ``<`` and ``≥`` stand for the numbers next to theirs."""
        value, end = self._value(text, j, at)
        below = math.nextafter(value, -math.inf)
        if operator in ("=", "=="):
            return Accepted(numbers=(value,)), end
        intervals = {
            "<": Interval(None, below), ">": Interval(value, math.inf), "≥": Interval(below, math.inf),
            ">=": Interval(below, math.inf), "=>": Interval(below, math.inf),
        }  # fmt: skip
        return Accepted((intervals.get(operator, Interval(None, value)),)), end

    def _between(self, text: str) -> tuple[int, Accepted, int] | None:
        """``2 < x ≤ 5``, of numbers or of ordered levels."""
        for name, j in self._names:
            if name not in text:
                continue
            column, middle = self.columns[j], re.compile(rf"\s*<\s*{re.escape(name)}\s*{_AT_MOST}\s*")
            first = self._pattern(j).match(text)
            inner = first and middle.match(text, first.end())
            if not first or not inner:
                continue
            if column.kind is Kind.NUMERIC:
                low, (high, end) = self._value(text, j, 0)[0], self._value(text, j, inner.end())
                accepted, end = self._or_more(text, j, Accepted((Interval(low, high),)), end)
                return (j, *self._finished(text, j, accepted, end))
            low_level, (high_level, end) = self._read_level(text, j, 0)[0], self._read_level(text, j, inner.end())
            above, up_to = self._on_one_hand(j, ">", low_level), self._on_one_hand(j, "<=", high_level)
            accepted = Accepted(levels=tuple(level for level in above if level in up_to))
            return (j, *self._finished(text, j, accepted, end))
        return None

    def _finished(self, text: str, j: int, accepted: Accepted, at: int) -> tuple[Accepted, int]:
        """With what may follow: the bounds of a soft threshold, and where missing values go."""
        bounds, missing = accepted.bounds, accepted.missing
        if self.columns[j].kind is Kind.NUMERIC and (soft := _SOFT.match(text, at)):
            bounds, at = (self._value(soft[1], j, 0)[0], self._value(soft[2], j, 0)[0]), soft.end()
        if found := _MISSING.match(text, at):
            missing, at = MissingRoute.SHARED if found[1] else MissingRoute.HERE, found.end()
        a = accepted
        return Accepted(a.intervals, a.numbers, a.levels, missing, a.rest, bounds), at

    def _state(self, text: str, j: int, at: int) -> tuple[Accepted, int]:
        """``x is missing``, ``x is known`` and, where a branch takes both, ``x is anything``."""
        found = re.compile(r"(missing|known|anything)\b").match(text, at)
        if not found:
            raise self.refusal(text)
        if found[1] == "missing":
            return Accepted(missing=MissingRoute.HERE), found.end()
        missing = MissingRoute.HERE if found[1] == "anything" else None
        if self.columns[j].kind is Kind.NUMERIC:
            return Accepted((Interval(None, math.inf),), missing=missing), found.end()
        return Accepted(levels=self.columns[j].levels, missing=missing), found.end()

    # ---- levels and numbers ------------------------------------------------------------------------------------------

    def _levels(self, text: str, j: int, at: int) -> tuple[Accepted, int]:
        """``{red, green +3}``."""
        if self.columns[j].kind is Kind.NUMERIC or not text.startswith("{", at):
            raise self.refusal(text)
        levels: list[Level] = []
        at += 1
        while not text.startswith("}", at):
            if more := _MORE.match(text, at):
                return Accepted(levels=tuple(levels), rest=True), self._closed(text, more.end())
            level, at = self._read_level(text, j, at)
            levels.append(level)
            separator = re.compile(r"\s*,\s*").match(text, at)
            at = separator.end() if separator else at
            if not separator and not _MORE.match(text, at):
                break
        return Accepted(levels=tuple(levels)), self._closed(text, at)

    def _closed(self, text: str, at: int) -> int:
        if not text.startswith("}", at):
            raise DataError(f"a list of levels does not end: {text[:80]!r}", "write colour in {red, green}")
        return at + 1

    def _pattern(self, j: int) -> re.Pattern[str]:
        """What a value of the column looks like: a number in its unit, or one of the levels, the longest first."""
        if j not in self._patterns:
            column = self.columns[j]
            if column.kind is Kind.NUMERIC:
                self._patterns[j] = re.compile(_VALUES[column.unit])
            else:
                spelt = sorted(self._spellings(j), key=len, reverse=True)
                self._patterns[j] = re.compile(f"(?:{'|'.join(map(re.escape, spelt)) or '(?!)'}){_END}")
        return self._patterns[j]

    def _spellings(self, j: int) -> dict[str, Level]:
        if j not in self._spelt:
            levels = (*self.columns[j].levels, *self.unseen.get(j, ()))
            plain = {str(level): level for level in reversed(levels)}
            printed = {level_text(level): level for level in reversed(levels)}
            self._spelt[j] = {**{to_ascii(text): level for text, level in printed.items()}, **plain, **printed}
        return self._spelt[j]

    def _read_level(self, text: str, j: int, at: int) -> tuple[Level, int]:
        found = self._pattern(j).match(text, at)
        if found:
            return self._spellings(j)[found[0]], found.end()
        named = _NAMED.match(text, at)
        if not named or not named[0].strip():
            raise self.refusal(text)
        quoted = named[0][0] in "'\"" and named[0][-1] == named[0][0] and len(named[0]) > 1
        return self._level(j, ast.literal_eval(named[0]) if quoted else named[0].strip()), named.end()

    def _known_level(self, column: Column, key: Any) -> Level | None:
        code = column.code_of.get(key, 0) if not isinstance(key, (list, dict)) else 0
        code = code or column.code_of_text.get(str(key), 0)
        return column.levels[code - 1] if code else None

    def _level(self, j: int, key: Any) -> Level:
        """The level of the column that is meant; one that no row has is remembered."""
        column = self.columns[j]
        known = self._known_level(column, key)
        if known is not None:
            return known
        level = _as_type(key.item() if isinstance(key, np.generic) else key, column)
        if level not in self.unseen.setdefault(j, []):
            if column.kind is Kind.ORDINAL:
                raise DataError(
                    f"column {column.name!r} has no level {key!r}",
                    f"its levels in order are {listing([str(one) for one in column.levels])}",
                )
            self.unseen[j].append(level)
            self._patterns.pop(j, None)
            self._spelt.pop(j, None)
        return level

    def _on_one_hand(self, j: int, operator: str, level: Level) -> tuple[Level, ...]:
        """The levels of an ordinal column that compare so; of a nominal one the level itself."""
        column = self.columns[j]
        if operator in ("=", "=="):
            return (level,)
        if column.kind is not Kind.ORDINAL:
            raise DataError(
                f"the levels of {column.name!r} have no order to compare them by",
                f"write {column.name} = …, or list them in order: kinds={{{column.name!r}: […]}}",
            )
        code = column.code_of[level]
        last = {"<": code - 1, ">": code, "≥": code - 1, ">=": code - 1, "=>": code - 1}.get(operator, code)
        return column.levels[last:] if operator in (">", "≥", ">=", "=>") else column.levels[:last]

    def _value(self, text: str, j: int, at: int) -> tuple[float, int]:
        column = self.columns[j]
        found = re.compile(rf"\s*({_VALUES[column.unit]})").match(text, at)
        if not found:
            raise DataError(
                f"column {column.name!r} is compared with {text[at:][:40].strip()!r}, which is no {column.unit.value}",
                HINT,
            )
        return _number(found[1], column), found.end()


def _as_type(key: Any, column: Column) -> Level:
    """A level as those of the column are: text in a column of whole numbers has to be one."""
    kinds = {type(level) for level in column.levels}
    for kind in (int, float):
        if kinds == {kind} and not isinstance(key, bool):
            try:
                return kind(key)
            except (TypeError, ValueError):
                raise DataError(
                    f"column {column.name!r} has no level {key!r}",
                    f"its levels are {listing([str(one) for one in column.levels])}",
                ) from None
    if isinstance(key, (str, bool, int, float)):
        return key
    raise DataError(f"a level is text, a number or a truth value, got {key!r}", "write the level as the column has it")


def _number(text: str, column: Column) -> float:
    """A threshold in the unit of its column: days or seconds since 1970, seconds, or the number itself."""
    try:
        if re.fullmatch(_NUMBER, text):
            return float(text)
        if column.unit is Unit.DURATION:
            return _seconds(text)
        moment = np.datetime64(re.sub(rf"{_ZONE}$", "", text).replace(" ", "T"), "us") - np.datetime64(0, "us")
        return float(moment / np.timedelta64(1, "D" if column.unit is Unit.DATE else "s"))
    except ValueError:
        raise DataError(
            f"column {column.name!r} is compared with {text!r}, which is no {column.unit.value}", HINT
        ) from None


def _seconds(text: str) -> float:
    """``-3 days 04:00:00`` as seconds.

    >>> _seconds("3 days 04:00:00.5")
    273600.5
    """
    found = re.fullmatch(r"(-?)(?:(\d+) days? )?(.*)", text)
    assert found is not None
    parts = [float(part) for part in found[3].split(":")]
    clock = sum(part * 60.0**place for place, part in enumerate(reversed(parts)))
    return (-1.0 if found[1] else 1.0) * (86_400 * int(found[2] or 0) + clock)
