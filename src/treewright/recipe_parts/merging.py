"""How CHAID merges levels into groups and tests them."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from treewright.data.schema import Column
from treewright.typing import Floats, Ints


@dataclass(frozen=True)
class LevelsAtNode:
    """The levels of a column at a node."""

    codes: Ints  # rising; 0 is missing
    counts: Floats  # (levels, classes)
    ordered: bool

    @property
    def is_floating(self) -> bool:
        """Whether there are missing values among ordered levels."""
        return self.ordered and len(self.codes) > 0 and bool(self.codes[0] == 0)


AS_PUBLISHED: Ints = np.empty(0, np.int64)  # what a program answers where it is not known to merge otherwise


class Program(Protocol):
    """A program whose merging is followed, slips included, in place of what is published."""

    keeps_empty_levels: bool  # levels of a nominal column that do not occur at a node are merged too

    def merge(self, levels: LevelsAtNode, column: Column, merging: ByMerging) -> Ints | None:
        """The group of every level, by one of its levels; None: the column is not split by."""
        ...

    def tested(self, counts: Floats) -> tuple[int, float, float, float]:
        """Of groups × classes: how many groups, the statistic, its degrees of freedom, and the logarithm of its p."""
        ...

    def choose(self, significance: Floats, groups: Ints) -> Ints | None:
        """The column of every node, from what all columns (columns × nodes) come to; None: as published."""
        ...


@dataclass(frozen=True)
class ByMerging:
    """The column whose groups of levels differ most significantly. Weights count as rows.

    Pairs of levels whose difference has a p above ``alpha_merge`` are merged; groups of three or more levels that come
    apart in two with a p up to ``alpha_resplit`` are split again (0: never); a column is split by if its p, adjusted
    for the ways in which its levels could have been merged, is at most ``alpha_split``. A group needs ``min_rows``
    rows, or ``small_share`` of the rows of its node if that is less.
    """

    test: str = "chi2"
    alpha_merge: float = 0.05
    alpha_split: float = 0.05
    alpha_resplit: float = 0.0
    bonferroni: bool = True
    exhaustive: bool = False
    max_branches: int | None = None
    min_rows: float = 1.0
    small_share: float = 1.0
    scores: tuple[float, ...] = ()
    program: Program | None = None  # None: as published

    base = 2.0

    @property
    def criterion(self) -> str:
        """What gains are told in."""
        return "squared_error" if self.test == "f" else "gini"

    def least_rows(self, weight: float) -> float:
        """What a group of a node of this weight must weigh."""
        return min(self.min_rows, math.ceil(self.small_share * weight))
