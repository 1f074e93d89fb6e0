"""Which rows a member of an ensemble learns from: with or without replacement, from all rows or class by class."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.utils import check_random_state

from treewright.errors import OptionError, shown
from treewright.typing import Array, Floats, Ints

STRATIFIED, BALANCED = "stratified", "balanced"
_WORD = 2**64


def seed_of(random_state: Any) -> int:
    """The seed of an ensemble; without one it is 0, so that the same fit is made again."""
    return 0 if random_state is None else int(check_random_state(random_state).randint(2**31 - 1))


def member_generator(seed: int, member: int) -> np.random.Generator:
    """The random numbers of one member: they depend on nothing but the seed and its number, so members may be grown
    in any order, side by side, or later."""
    return np.random.Generator(np.random.Philox(key=seed % _WORD + (member % _WORD << 64)))


@dataclass(frozen=True)
class RowDraw:
    """How rows are drawn: ``share`` of them, with replacement (``replace``) or each at most once.

    ``by`` is None (from all rows), "stratified" (that share of every class) or "balanced" (of every class as many rows
    as that share of the rarest).

    >>> draw = RowDraw(replace=False, share=0.5)
    >>> int(draw.counts(member_generator(0, 0), np.zeros(10, np.uint8), n_classes=1).sum())
    5
    """

    replace: bool = True
    share: float = 1.0
    by: str | None = None

    @property
    def takes_all(self) -> bool:
        """Every row once: nothing is left out of the bag."""
        return not self.replace and self.share == 1.0 and self.by != BALANCED

    def counts(self, generator: np.random.Generator, y: Array, n_classes: int) -> Ints:
        """How often each row is drawn."""
        if self.by is None or n_classes == 0:
            return self._times(generator, len(y), self._size(len(y)))
        counts = np.zeros(len(y), np.int64)
        for rows, size in self._strata(y, n_classes):
            counts[rows] += self._times(generator, len(rows), size)
        return counts

    def _strata(self, y: Array, n_classes: int) -> list[tuple[Ints, int]]:
        """The rows of each class to draw from, and how many to draw."""
        groups = [rows for rows in (np.flatnonzero(y == k) for k in range(n_classes)) if len(rows)]
        least = min(map(len, groups))
        return [(rows, self._size(least if self.by == BALANCED else len(rows))) for rows in groups]

    def _size(self, n_rows: int) -> int:
        return max(1, math.floor(self.share * n_rows + 0.5))

    def _times(self, generator: np.random.Generator, n_rows: int, size: int) -> Ints:
        if self.replace:
            return np.bincount(generator.integers(0, n_rows, size), minlength=n_rows)
        times = np.zeros(n_rows, np.int64)
        times[generator.permutation(n_rows)[:size]] = 1
        return times


def weighted_counts(generator: np.random.Generator, weights: Floats) -> Ints:
    """As many rows as there are, drawn with replacement by weight: how often each is."""
    place = np.searchsorted(np.cumsum(weights / weights.sum()), generator.random(len(weights)), side="right")
    return np.bincount(np.minimum(place, len(weights) - 1), minlength=len(weights))


def column_number(wanted: Any, n_columns: int, name: str = "max_columns") -> int:
    """How many columns are meant: "sqrt", "third", "log2", a share, a number, or None for all.

    >>> [column_number(wanted, 20) for wanted in ("sqrt", "third", 0.5, 7, None)]
    [4, 7, 10, 7, 20]
    """
    if wanted is None:
        return n_columns
    if isinstance(wanted, str):
        found = {"sqrt": math.isqrt(n_columns), "third": -(-n_columns // 3), "log2": int(math.log2(n_columns))}[wanted]
        return max(1, found)
    if isinstance(wanted, (float, np.floating)):
        return max(1, int(wanted * n_columns))
    if wanted > n_columns:
        raise OptionError(
            f"{name}={shown(wanted)} is more than the {n_columns} columns of the table",
            "give fewer, a share, or None for all",
        )
    return int(wanted)


def column_sample(generator: np.random.Generator, n_columns: int, share: float) -> Ints:
    """A share of the columns at random, at least one, in order."""
    size = max(1, math.floor(share * n_columns + 0.5))
    return np.sort(generator.permutation(n_columns)[:size])
