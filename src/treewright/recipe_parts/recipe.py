"""A recipe is the whole learner: one frozen object per fit, made once, for the columns of one table."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from enum import Enum
from typing import Any, Protocol, TypeAlias

import numpy as np

from treewright.data.encoded import Encoded
from treewright.leaves import Leaf
from treewright.recipe_parts.attribute_costs import AttributeCosts
from treewright.recipe_parts.column_draw import ColumnDraw
from treewright.recipe_parts.constraints import Constraints
from treewright.recipe_parts.merging import ByMerging
from treewright.recipe_parts.missing import Missing, Surrogating
from treewright.split import Split
from treewright.table import Table
from treewright.ties import TIE
from treewright.tree.tree import Tree
from treewright.typing import Floats, Ints, Mask

CHOSEN, ANY = "chosen", "any"
UNREACHED = 2**48  # rows, leaves or levels of depth: more than any memory holds
NEARLY = 1 - 1e-9  # of a whole weight, where it was added up from parts


class Splits(str, Enum):
    """What a test on a nominal column looks like."""

    MULTIWAY = "multiway"  # one branch per level
    SUBSET = "subset"  # two branches, each a set of levels
    ONE_VS_REST = "one-vs-rest"  # one level against all others
    GROUPS = "groups"  # as many branches as is best, each a set of levels


_COUNTS = ("max_depth", "max_leaves", "min_rows_split", "min_rows_leaf", "min_weight_split")


@dataclass(frozen=True)
class Limits:
    """When to stop. None: no limit."""

    max_depth: int | None = None
    max_leaves: int | None = None
    min_rows_split: int = 2
    min_rows_leaf: int = 1
    min_weight_split: float = 0.0  # what a node must weigh to be split
    any_root: bool = False  # the root is split whatever it weighs
    min_weight_fraction_leaf: float = 0.0
    min_gain: float = 0.0
    significance: float | None = None  # splits whose test of independence has a larger p are not taken
    significance_of: str = CHOSEN  # whose p: of the split that is chosen, or of the best split of any column

    def __post_init__(self) -> None:
        """Kernels count in 64 bits: what no table can reach is the same limit as one that they can hold."""
        for name in _COUNTS:
            given = getattr(self, name)
            object.__setattr__(self, name, None if given is None else min(given, UNREACHED))

    @property
    def least_rows(self) -> int:
        """Rows that a node needs to be split."""
        return max(self.min_rows_split, 2 * self.min_rows_leaf, 2)

    def least_weight(self, *, root: bool) -> float:
        """What a node must weigh to be split: thirds of three rows are a row, though rounding leaves a little less."""
        return 0.0 if root and self.any_root else self.min_weight_split * NEARLY

    def least_leaf_weight(self, whole: float) -> int:
        """What a branch must weigh, in the unit of the whole; rounding does not make a tenth less than a tenth."""
        return math.ceil(self.min_weight_fraction_leaf * whole * NEARLY)

    def open(self, rows: Ints, depth: Ints, pure: Mask) -> Mask:
        """Which nodes may be split at all."""
        deep_enough = depth < (np.inf if self.max_depth is None else self.max_depth)
        large_enough = rows >= self.least_rows
        return np.asarray(~pure & deep_enough & large_enough)


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
class ByScore:
    """The split of the best score: that of a criterion by name, or of a function of one's own.

    ``select``, a function of one's own, chooses among the best splits of all columns in place of taking the best score.
    ``above_average`` leaves out columns whose best split has less than the average information gain, as C4.5 does.
    """

    criterion: str
    base: float = 2.0  # of the logarithm, where the criterion is entropy
    score: Callable[[Table], Floats] | None = None
    above_average: bool = False
    select: Callable[[Sequence[Candidate]], Candidate | None] | None = None


@dataclass(frozen=True)
class ByMedian:
    """The split of least absolute error: leaves predict medians. ``select`` as by score."""

    select: Callable[[Sequence[Candidate]], Candidate | None] | None = None

    criterion = "absolute_error"
    base = 2.0


@dataclass(frozen=True)
class ByRatio:
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
    resolution: float = 1e-5  # neighbouring numbers this close are not told apart,
    share_of_spread: float = np.inf  # or this share of the spread of their column, if that is less
    many_levels: float = 0.3  # columns with levels for this share of the rows do not count in the average gain

    criterion = "entropy"
    base = 2.0


@dataclass(frozen=True)
class ByFifthRoot:
    """How M5' grows and prunes model trees (Wang & Witten 1997), as Weka's M5P does it: the cut of most decrease in the
    fifth root of the variance; ``linear`` models or means at the nodes, pruned and smoothed if asked for.

    Nodes of fewer than ``min_rows`` rows are not divided.
    """

    prune: bool = True
    smooth: bool = True
    min_rows: float = 4
    linear: bool = True

    criterion = "fifth_root"
    base = 2.0


ChoiceBy: TypeAlias = ByScore | ByMedian | ByRatio | ByMerging | ByFifthRoot


def bits_of(choice: ChoiceBy) -> float:
    """What a unit of gain is in bits, where gains are information; other gains are taken as they are."""
    return math.log2(choice.base) if choice.criterion == "entropy" else 1.0


class Pruning(Protocol):
    """How a grown tree is pruned with the table it was grown from: the tree to keep, and a report if there is one."""

    def __call__(self, tree: Tree, encoded: Encoded, recipe: Recipe) -> tuple[Tree, Any]: ...


class Modelling(Protocol):
    """How the nodes of a grown tree get models that predict in place of a constant."""

    def __call__(self, tree: Tree, encoded: Encoded, recipe: Recipe) -> Tree: ...


@dataclass(frozen=True)
class Recipe:
    """How to propose (``splits``), score and choose (``choice``) splits, what a leaf says, when to stop, what becomes
    of missing values column by column, which splits are admissible, what tests cost, which models leaves get, how to
    prune, and which columns are drawn at random. ``seed`` is that of all that is random, from 0 up to 2**63."""

    choice: ChoiceBy
    leaf: Leaf
    missing: tuple[Missing, ...]  # a policy for every column
    splits: Splits = Splits.SUBSET
    stop: Limits = field(default_factory=Limits)
    halt: Callable[[OpenNode], bool] | None = None  # nodes for which it is true become leaves
    surrogates: Surrogating = field(default_factory=Surrogating)
    constraints: Constraints | None = None
    test_costs: AttributeCosts | None = None  # None: all tests cost the same
    models: Modelling | None = None  # what makes linear models of the leaves, before the tree is pruned
    prune: Pruning | None = None
    draw: ColumnDraw | None = None  # columns drawn at every node; None: all may be tested
    tie: str = "first"
    seed: int = 0

    @property
    def criterion(self) -> str:
        """What gains are told in."""
        return self.choice.criterion

    @property
    def log_base(self) -> float:
        """Masses use natural logarithms; gains are divided by this."""
        return math.log(self.choice.base) if self.criterion == "entropy" else 1.0

    @property
    def bits(self) -> float:
        return bits_of(self.choice)

    @property
    def least_gain(self) -> float:
        """Zero is worth taking unless a minimum is set: the next level may do what this one cannot (XOR)."""
        return self.stop.min_gain - TIE

    def is_acceptable(self, gain: Floats) -> Mask:
        return np.asarray(gain >= self.least_gain)
