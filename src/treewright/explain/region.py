"""What a branch accepts of its column: the values, and whether missing ones come along.

Tests on one column along a path are joined by intersecting their regions, so a rule says ``30 < age <= 50`` once.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum
from itertools import groupby

import numpy as np

from treewright.data.schema import Column, Kind
from treewright.split import EVERY_BRANCH, Split
from treewright.typing import Mask

_NO_LEVELS: Mask = np.empty(0, dtype=np.bool_)


class MissingRoute(Enum):
    """Where missing values go, seen from one branch."""

    ELSEWHERE = "elsewhere"
    HERE = "here"
    SHARED = "shared"  # down every branch, each with its share


@dataclass(frozen=True)
class Interval:
    """Numbers above ``low`` (None: from the lowest on) up to and including ``high``.

    ``printed`` is what is printed for the two ends, short numbers between which the same training rows lie; None: the
    ends in full.
    """

    low: float | None
    high: float
    printed: tuple[float | None, float] | None = field(default=None, compare=False, repr=False)

    @property
    def in_print(self) -> tuple[float | None, float]:
        """The ends as they are printed, in full where shorter ones would leave nothing between them."""
        if self.printed is None:
            return self.low, self.high
        low, high = self.printed
        return self.printed if low is None or low < high else (self.low, self.high)

    def has(self, x: float, *, printed: bool = False) -> bool:
        """Whether a number lies between the ends, or between what is printed for them."""
        low, high = self.in_print if printed else (self.low, self.high)
        return (low is None or low < x) and x <= high

    @property
    def is_empty(self) -> bool:
        return self.low is not None and self.low >= self.high

    @property
    def is_everything(self) -> bool:
        return self.low is None and self.high == np.inf


@dataclass(frozen=True)
class Region:
    """Numeric columns: disjoint ``intervals`` in order. Others: a mask over the ``levels``."""

    column: Column
    intervals: tuple[Interval, ...]
    levels: Mask
    missing: MissingRoute

    @property
    def is_nothing(self) -> bool:
        """No known value is accepted."""
        return not self.intervals and not self.levels.any()

    @property
    def is_everything(self) -> bool:
        """Every known value is accepted."""
        if self.column.kind is Kind.NUMERIC:
            return len(self.intervals) == 1 and self.intervals[0].is_everything
        return bool(self.levels.all())


def region_of(split: Split, column: Column, branch: int) -> Region:
    """What one branch of a split accepts.

    >>> age = Column("age", Kind.NUMERIC)
    >>> split = Split(0, np.array([30.0, 50.0]), np.array([1, 0, 1, 0]))
    >>> region_of(split, age, 1)
    Region(column=..., intervals=(Interval(low=30.0, high=50.0),), levels=..., missing=<MissingRoute.HERE: 'here'>)
    """
    accepted = split.branch_of[1:] == branch
    missing = _missing(int(split.branch_of[0]), branch)
    if column.kind is Kind.NUMERIC:
        return Region(column, _intervals(split, accepted), _NO_LEVELS, missing)
    return Region(column, (), accepted, missing)


def intersect(first: Region, second: Region) -> Region:
    """What both accept of the same column."""
    return Region(
        first.column,
        _common(first.intervals, second.intervals),
        first.levels & second.levels,
        _both(first.missing, second.missing),
    )


def _missing(branch_of_missing: int, branch: int) -> MissingRoute:
    if branch_of_missing == EVERY_BRANCH:
        return MissingRoute.SHARED
    return MissingRoute.HERE if branch_of_missing == branch else MissingRoute.ELSEWHERE


def _both(first: MissingRoute, second: MissingRoute) -> MissingRoute:
    if MissingRoute.ELSEWHERE in (first, second):
        return MissingRoute.ELSEWHERE
    return MissingRoute.SHARED if MissingRoute.SHARED in (first, second) else MissingRoute.HERE


def _intervals(split: Split, accepted: Mask) -> tuple[Interval, ...]:
    """Bins of the branch, neighbours joined. Bin ``c`` holds the numbers above edge ``c - 1`` up to edge ``c``."""
    bounds = [None, *split.edges.tolist(), np.inf]
    printed = bounds if split.printed is None else [None, *split.printed.tolist(), np.inf]
    joined, code = [], 0
    for inside, run in groupby(accepted.tolist()):
        first, code = code, code + len(list(run))
        if inside:
            joined.append(Interval(bounds[first], bounds[code], (printed[first], printed[code])))
    return tuple(interval for interval in joined if not interval.is_empty)


def _common(first: tuple[Interval, ...], second: tuple[Interval, ...]) -> tuple[Interval, ...]:
    met = (_both_met(a, b) for a in first for b in second)
    return tuple(interval for interval in met if not interval.is_empty)


def _both_met(a: Interval, b: Interval) -> Interval:
    """The higher of the lower ends and the lower of the upper ones, with what is printed for them."""
    from_b = a.low is None or (b.low is not None and b.low > a.low)
    lower, upper = b if from_b else a, a if a.high <= b.high else b
    return Interval(lower.low, upper.high, (lower.in_print[0], upper.in_print[1]))
