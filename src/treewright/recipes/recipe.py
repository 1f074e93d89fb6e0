"""A recipe is the choices that make a learner ID3, CART or something of one's own: a declaration, not a subclass."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from enum import Enum

import numpy as np

from treewright.recipes.constraints import Constraints
from treewright.recipes.missing import Surrogating
from treewright.recipes.prices import Prices
from treewright.split import Split
from treewright.table import Table
from treewright.typing import Floats, Ints, Mask

_ROUNDING = 1e-12  # a gain this far below the limit is a matter of rounding


class Splits(str, Enum):
    """What a test on a nominal column looks like."""

    MULTIWAY = "multiway"  # one branch per level
    SUBSET = "subset"  # two branches, each a set of levels
    ONE_VS_REST = "one-vs-rest"  # one level against all others
    GROUPS = "groups"  # as many branches as is best, each a set of levels


@dataclass(frozen=True)
class Limits:
    """When to stop. None: no limit."""

    max_depth: int | None = None
    max_leaves: int | None = None
    min_rows_split: int = 2
    min_rows_leaf: int = 1
    min_weight_fraction_leaf: float = 0.0
    min_gain: float = 0.0
    significance: float | None = None  # splits whose test of independence has a larger p are not taken

    @property
    def least_rows(self) -> int:
        """Rows that a node needs to be split."""
        return max(self.min_rows_split, 2 * self.min_rows_leaf, 2)

    def open(self, rows: Ints, depth: Ints, pure: Mask) -> Mask:
        """Which nodes may be split at all."""
        deep_enough = depth < (np.inf if self.max_depth is None else self.max_depth)
        large_enough = rows >= self.least_rows
        return np.asarray(~pure & deep_enough & large_enough)


@dataclass(frozen=True)
class Ratio:
    """How C4.5 and its kin choose: the best gain ratio among the columns of at least average gain.

    ``by_ratio=False`` chooses by gain alone. The small numbers are those of the program that is followed: a cut must
    gain ``slack`` more than one before it, a column's ratio be ``lead`` above that of one before it and above
    ``least``; columns of a split information up to ``min_info`` are not tested; weights, and gains after the charge
    for choosing a cut, count as having reached a limit within ``tolerance``.
    """

    min_cases: float = 2.0
    by_ratio: bool = True
    mdl: bool = True
    at_values: bool = True  # a threshold is a value of the training rows, not the middle between two
    slack: float = 1e-6
    lead: float = 1e-6
    least: float = 1e-6
    min_info: float = 0.0
    tolerance: float = 1e-6
    narrow: bool = False  # gains of whole weights are sums of 32-bit numbers, and ties are what these make of them
    near_average: float = 1e-3
    gap: float = 1e-5  # neighbouring numbers this close are not told apart
    many_levels: float = 0.3  # columns with levels for this share of the rows do not count in the average gain


@dataclass(frozen=True)
class Merging:
    """How CHAID merges levels into groups and tests them. Weights count as rows.

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
    flavour: str = "kass"


@dataclass(frozen=True)
class Candidate:
    """The best split of one column at a node, as a ``select`` of one's own sees it."""

    column: str
    score: float
    table: Table  # the branches × the target; the missing row is what no branch counts
    split: Split


@dataclass(frozen=True)
class OpenNode:
    """A node that might be split, as a ``stop`` of one's own sees it."""

    id: int
    depth: int
    rows: int
    stats: Floats  # class weights, or (Σw, Σw·y, Σw·y²); by absolute error also the median and Σ w·|y − median|


@dataclass(frozen=True)
class Recipe:
    """The choices of a learner."""

    criterion: str
    splits: Splits = Splits.SUBSET
    stop: Limits = field(default_factory=Limits)
    base: float = 2.0
    tie: str = "first"
    seed: int = 0
    prices: Prices | None = None  # of tests; None: all cost the same
    ratio: Ratio | None = None  # for engines that choose among columns by more than the score
    merging: Merging | None = None  # for CHAID's
    surrogates: Surrogating = field(default_factory=Surrogating)
    score: Callable[[Table], Floats] | None = None  # a criterion of one's own
    select: Callable[[Sequence[Candidate]], Candidate | None] | None = None  # in place of taking the best score
    halt: Callable[[OpenNode], bool] | None = None  # nodes for which it is true become leaves
    constraints: Constraints | None = None

    @property
    def log_base(self) -> float:
        """Kernels use natural logarithms; gains are divided by this."""
        return math.log(self.base) if self.criterion == "entropy" else 1.0

    @property
    def bits(self) -> float:
        """What a unit of gain is in bits, where gains are information; other gains are taken as they are."""
        return self.log_base / math.log(2) if self.criterion == "entropy" else 1.0

    @property
    def least_gain(self) -> float:
        """Zero is worth taking unless a minimum is set: the next level may do what this one cannot (XOR)."""
        return self.stop.min_gain * self.log_base - _ROUNDING

    def worth_taking(self, gain: Floats) -> Mask:
        return np.asarray(gain >= self.least_gain)
