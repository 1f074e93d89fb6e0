"""The measures of one column as the test of a root: its best cut, and the figures of its branches."""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import cached_property
from typing import Protocol

import numpy as np

from treewright.criteria import CRITERIA, SplitCriterion, correlation_ratio, split_info
from treewright.criteria.registry import VALUES
from treewright.data.encoded import CodedColumn
from treewright.data.labelled import Labelled
from treewright.table import Table
from treewright.ties import TIE
from treewright.typing import Array, Floats, Ints

_CELLS = 1 << 22  # of a table that is held at once
_NEAR_CELLS = 1 << 16  # of tables that are scored at once: so many stay in the processor's cache


class Measured(Protocol):
    """A target that tables are made of."""

    @property
    def names(self) -> tuple[str, ...]:
        """The measures, the usual one first."""

    @property
    def n_targets(self) -> int:
        """How many numbers a row of a table has."""

    def criterion(self, by: str) -> SplitCriterion:
        """What cuts are compared by."""

    def sums(self, codes: Array, n_codes: int, rows: Array | slice = ...) -> Floats:
        """The table's row of every code, 0 being missing."""

    def table(self, sums: Floats, missing: Floats) -> Table:
        """The table of these rows."""

    def branches(self, groups: Ints) -> Table:
        """The table of the branches 1, 2, …, 0 being missing."""

    def measures(self, groups: Ints, values: Floats | None) -> dict[str, float]:
        """All figures of the branches; ``values`` is the column if it has an order."""


class ClassTarget:
    """Classes, measured by every criterion for classes."""

    names = ("entropy", "split_info", *(name for name, c in CRITERIA.items() if c.is_for_classes and name != "entropy"))

    def __init__(self, rows: Labelled) -> None:
        self.y = rows.y
        self.weights = rows.weights
        self.n_targets = len(rows.classes or ())

    def criterion(self, by: str) -> SplitCriterion:
        return CRITERIA.get(by, CRITERIA["entropy"])

    def sums(self, codes: Array, n_codes: int, rows: Array | slice = slice(None)) -> Floats:
        weights = None if self.weights is None else self.weights[rows]
        cells = codes.astype(np.int64) * self.n_targets + self.y[rows]
        return np.bincount(cells, weights, n_codes * self.n_targets).reshape(n_codes, -1).astype(np.float64)

    def table(self, sums: Floats, missing: Floats) -> Table:
        return Table(np.maximum(sums, 0.0), missing)

    def branches(self, groups: Ints) -> Table:
        sums = self.sums(groups, int(groups.max()) + 1)
        return self.table(sums[1:], sums[0])

    def measures(self, groups: Ints, values: Floats | None) -> dict[str, float]:
        table = self.branches(groups)
        return {n: float(split_info(table) if n == "split_info" else CRITERIA[n].measure(table)) for n in self.names}


class NumberTarget:
    """Numbers, measured by every criterion for numbers; a Poisson deviance only of numbers that are not negative."""

    n_targets = 3

    def __init__(self, rows: Labelled, by: str | None) -> None:
        self.y = rows.y
        self.weights = np.ones(rows.n_rows) if rows.weights is None else rows.weights
        no_counts = bool((self.y < 0).any() or not self.y.any())
        criteria = (name for name, c in CRITERIA.items() if not c.is_for_classes)
        self.names = (*(n for n in criteria if not (n == "poisson" and no_counts)), "correlation_ratio", "correlation")
        # Differences of squares lose digits far from zero; but the Poisson deviance is about the numbers themselves.
        self.centred = self.y - np.average(self.y, weights=self.weights)
        self.searched = self.y if by == "poisson" else self.centred

    def criterion(self, by: str) -> SplitCriterion:
        found = CRITERIA.get(by)
        return CRITERIA["squared_error"] if found is None or found.target == VALUES else found

    def sums(self, codes: Array, n_codes: int, rows: Array | slice = slice(None)) -> Floats:
        return _moments(codes, n_codes, self.searched[rows], self.weights[rows])

    def table(self, sums: Floats, missing: Floats) -> Table:
        sums[..., ::2] = np.maximum(sums[..., ::2], 0.0)
        return Table(sums, missing, moments=True)

    def branches(self, groups: Ints) -> Table:
        return self._table(groups, self.centred)

    def measures(self, groups: Ints, values: Floats | None) -> dict[str, float]:
        raw, centred = self._table(groups, self.y), self.branches(groups)
        special = {
            "absolute_error": lambda: self._absolute_error_gain(groups),
            "correlation_ratio": lambda: float(correlation_ratio(centred)),
            "correlation": lambda: math.nan if values is None else pearson(values, self.centred, self.weights),
            "poisson": lambda: float(CRITERIA["poisson"].measure(raw)),
        }
        return {n: special[n]() if n in special else float(CRITERIA[n].measure(centred)) for n in self.names}

    def _table(self, groups: Ints, y: Floats) -> Table:
        sums = _moments(groups, int(groups.max()) + 1, y, self.weights)
        return self.table(sums[1:], sums[0])

    @cached_property
    def _by_size(self) -> Ints:
        return np.argsort(self.y, kind="stable")

    def _absolute_error_gain(self, groups: Ints) -> float:
        """As :func:`criteria.absolute_error_gain`, without a table of groups × distinct values."""
        known = self._by_size[groups[self._by_size] > 0]
        before, after = self._distance(known, np.zeros_like(groups)), self._distance(known, groups)
        return max(0.0, (before - after) / float(self.weights.sum()))

    def _distance(self, rows: Ints, groups: Ints) -> float:
        """Σ w·|y − m|, m the median of the row's group; rows come by size."""
        if not len(rows):
            return 0.0
        rows = rows[np.argsort(groups[rows], kind="stable")]
        group, y, w = groups[rows].astype(np.int64), self.y[rows], self.weights[rows]
        below = np.cumsum(w)
        first = np.flatnonzero(np.diff(group, prepend=-1))
        last = np.append(first[1:], len(rows)) - 1
        middle = (below[first] - w[first] + below[last]) / 2
        median = np.clip(np.searchsorted(below, middle), first, last)
        return float((w * np.abs(y - np.repeat(y[median], last - first + 1))).sum())


def _moments(codes: Array, n_codes: int, y: Floats, w: Floats) -> Floats:
    return np.stack([np.bincount(codes, part, n_codes) for part in (w, w * y, w * y * y)], axis=-1)


def pearson(x: Floats, y: Floats, w: Floats) -> float:
    """Weighted correlation of two columns of numbers, where the first is known; nan where one does not vary.

    >>> round(pearson(np.array([1.0, 2, 3, np.nan]), np.array([2.0, 4, 5, 9]), np.ones(4)), 4)
    0.982
    """
    known = np.isfinite(x)
    if not known.any():
        return math.nan
    x, y, w = x[known], y[known], w[known]
    x, y = x - np.average(x, weights=w), y - np.average(y, weights=w)
    spread = math.sqrt(float((w * x * x).sum()) * float((w * y * y).sum()))
    return float((w * x * y).sum()) / spread if spread > 0 else math.nan


def best_cut(column: CodedColumn, target: Measured, by: str) -> int | None:
    """The last code on the left of the best cut, the lowest of equals; None where there is nothing to cut."""
    criterion = target.criterion(by)
    missing, total = target.sums(np.minimum(column.codes, 1), 2)
    best, place = -math.inf, None
    for first, left in _near(left_sides(column, target)):
        scores = criterion.score(target.table(np.stack([left, total - left], axis=-2), missing))
        top = float(scores.max())
        if place is None or top > best + TIE * abs(best):
            best, place = top, first + int(np.argmax(scores >= top - TIE * abs(top)))
    return place


def _near(blocks: Iterator[tuple[int, Floats]]) -> Iterator[tuple[int, Floats]]:
    """The same in smaller blocks."""
    for first, left in blocks:
        step = max(1, _NEAR_CELLS // (2 * left.shape[1]))
        for start in range(0, len(left), step):
            yield first + start, left[start : start + step]


def left_sides(column: CodedColumn, target: Measured) -> Iterator[tuple[int, Floats]]:
    """What lies left of the cuts after code c, c + 1, …, in blocks of codes small enough to be held."""
    last, step = column.n_codes - 1, max(1, _CELLS // (2 * target.n_targets))
    carry: Floats = np.zeros(target.n_targets)
    for first in range(1, last, step):
        left = carry + _block(column, target, first, min(first + step, last)).cumsum(0)
        carry = left[-1]
        yield first, left


def _block(column: CodedColumn, target: Measured, first: int, stop: int) -> Floats:
    """Sums of the codes from ``first`` up to ``stop``."""
    if column.order is None or stop - first == column.n_codes - 2:
        return target.sums(column.codes, column.n_codes)[first:stop]
    start, end = np.searchsorted(column.codes[column.order], [first, stop])
    rows = column.order[start:end]
    return target.sums(column.codes[rows] - first, stop - first, rows)
