"""Tests in words: ``outlook = sunny``, ``humidity <= 75.5 or missing``, ``2 < x <= 5``, ``colour in {red, green}``."""

from __future__ import annotations

import numpy as np

from treewright.data.schema import Column, Kind, Level, Unit
from treewright.explain.number_text import format_exactly, format_number, format_value
from treewright.explain.region import Interval, MissingRoute, Region, region_of
from treewright.split import Split

_OR_MISSING = {
    MissingRoute.ELSEWHERE: "",
    MissingRoute.HERE: " or missing",
    MissingRoute.SHARED: " or missing (shared)",
}
_SPECIAL = frozenset(",{}'\"")


def condition(
    split: Split,
    column: Column,
    branch: int,
    *,
    ascii: bool = False,
    missing: bool = True,
    max_levels: int | None = None,
    other: bool = False,
    exact: bool = False,
) -> str:
    """The test one branch passes, in words.

    ``missing`` says whether missing values are mentioned; a branch that takes nothing else always names them.
    More than ``max_levels`` levels are cut to ``red, green +3``, or with ``other`` to ``other (5)`` on the branch that
    has most of them. Thresholds are printed so that they separate the same training rows, in full if ``exact``.

    >>> colour = Column("colour", Kind.NOMINAL, ("red", "green", "blue"))
    >>> split = Split(0, np.empty(0), np.array([1, 0, 0, 1]))
    >>> condition(split, colour, 0), condition(split, colour, 1)
    ('colour in {red, green}', 'colour = blue or missing')
    >>> split = Split(0, np.array([75.5]), np.array([1, 0, 1]))
    >>> [condition(split, Column("humidity", Kind.NUMERIC), b, ascii=True, missing=False) for b in (0, 1)]
    ['humidity <= 75.5', 'humidity > 75.5']
    """
    region = region_of(split, column, branch)
    if other and max_levels is not None and _is_rest(split, region, branch, max_levels):
        words = f"{one_line(column.name)} = other ({int(region.levels.sum()):,})"
        return _finished(words, region, missing, ascii)
    if split.bounds is not None:
        missing_words = _OR_MISSING[region.missing] if missing else ""
        words = phrase(region, ascii=ascii, missing=False, exact=exact)
        return f"{words} {_soft(split.bounds, column.unit)}{missing_words}"
    return phrase(region, ascii=ascii, missing=missing, max_levels=max_levels, exact=exact)


def phrase(
    region: Region,
    *,
    ascii: bool = False,
    missing: bool = True,
    max_levels: int | None = None,
    exact: bool = False,
) -> str:
    """A region in words; what is left of a path's tests on one column reads like a single test.

    >>> phrase(Region(Column("age", Kind.NUMERIC), (Interval(30.0, 50.0),), np.empty(0, bool), MissingRoute.HERE))
    '30 < age ≤ 50 or missing'
    """
    name = one_line(region.column.name)
    along = region.missing is not MissingRoute.ELSEWHERE
    if region.is_nothing:
        return _finished(f"{name} is missing" if along else f"{name} in {{}}", region, False, ascii)
    if region.is_everything:
        return _finished(f"{name} is anything" if along else f"{name} is known", region, False, ascii)
    if region.column.kind is Kind.NUMERIC:
        words = _numeric(region, name, "<=" if ascii else "≤", exact)
    else:
        words = _levels(region, name, max_levels, ascii)
    return _finished(words, region, missing, ascii)


def level_text(level: Level) -> str:
    """A level on one line, quoted only where it would otherwise be misread.

    >>> level_text("sunny"), level_text("Smith, John"), level_text(""), level_text(2.0)
    ('sunny', "'Smith, John'", "''", '2')
    """
    if isinstance(level, float):
        return format_number(level, exact=True)
    text = one_line(str(level))
    quoted = isinstance(level, str) and (not text.strip() or text != text.strip() or not _SPECIAL.isdisjoint(text))
    return repr(text) if quoted else text


def one_line(text: str) -> str:
    r"""Text that cannot break a line or steer a terminal.

    >>> print(one_line("two\nlines"))
    two\nlines
    """
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode("ascii") for c in text)


def to_ascii(text: str) -> str:
    r"""Text that any terminal can show, other characters written as escapes.

    >>> print(to_ascii("café"))
    caf\xe9
    """
    return text.encode("ascii", "backslashreplace").decode("ascii")


def value_text(value: float, column: Column, *, exact: bool = False) -> str:
    """One cell of a prediction matrix in words: a number in its unit, or the level of a code.

    >>> value_text(2.0, Column("size", Kind.ORDINAL, ("S", "M", "L"))), value_text(np.nan, Column("x", Kind.NUMERIC))
    ('M', 'missing')
    """
    if np.isnan(value):
        return "missing"
    if column.kind is Kind.NUMERIC:
        return format_exactly(value, column.unit) if exact else format_value(value, column.unit)
    return level_text(column.levels[int(value) - 1]) if value >= 1 else "missing"


def _is_rest(split: Split, region: Region, branch: int, max_levels: int) -> bool:
    """Whether the branch is the first of those with most levels, and these are too many to name."""
    branches = split.branch_of[1:]
    counts = np.bincount(branches[branches >= 0], minlength=branch + 1)
    return bool(region.levels.sum() > max_levels and counts.argmax() == branch)


def _finished(words: str, region: Region, missing: bool, ascii: bool) -> str:
    words += _OR_MISSING[region.missing] if missing else ""
    return to_ascii(words) if ascii else words


def _numeric(region: Region, name: str, at_most: str, exact: bool) -> str:
    return " or ".join(_interval(part, name, region.column.unit, at_most, exact) for part in region.intervals)


def _interval(interval: Interval, name: str, unit: Unit, at_most: str, exact: bool) -> str:
    low, high = (interval.low, interval.high) if exact else interval.in_print
    up_to = f"{at_most} {format_exactly(high, unit)}"
    if low is None:
        return f"{name} {up_to}"
    above = format_exactly(low, unit)
    return f"{name} > {above}" if high == np.inf else f"{above} < {name} {up_to}"


def _soft(bounds: tuple[float, float], unit: Unit) -> str:
    """The bounds between which a number takes both branches, in full: no row is said to be parted that is not."""
    return f"[{', '.join(format_exactly(bound, unit) for bound in bounds)}]"


def _levels(region: Region, name: str, max_levels: int | None, ascii: bool) -> str:
    codes = np.flatnonzero(region.levels)
    if region.column.kind is Kind.ORDINAL and codes[-1] - codes[0] == len(codes) - 1:
        return _range(region.column.levels, int(codes[0]), int(codes[-1]), name, "<=" if ascii else "≤")
    if len(codes) == 1:
        return f"{name} = {level_text(region.column.levels[codes[0]])}"
    shown = len(codes) if max_levels is None else max(1, max_levels)
    levels = ", ".join(level_text(region.column.levels[code]) for code in codes[:shown])
    more = f" +{len(codes) - shown:,}" if shown < len(codes) else ""
    return f"{name} in {{{levels}{more}}}"


def _range(levels: tuple[Level, ...], first: int, last: int, name: str, at_most: str) -> str:
    """Neighbouring levels of an ordinal column, which are never all of them."""
    if first == 0:
        return f"{name} {at_most} {level_text(levels[last])}"
    below = level_text(levels[first - 1])
    if last == len(levels) - 1:
        return f"{name} > {below}"
    high = level_text(levels[last])
    return f"{name} = {high}" if first == last else f"{below} < {name} {at_most} {high}"
