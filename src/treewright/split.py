"""A split is a column, the edges that cut its numbers into bins, and the branch of every code."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from treewright.display import DisplayedRecord
from treewright.typing import Array, Floats

EVERY_BRANCH = -1  # by the share each child has of the weight of all children
STOP = -2  # none: the answer is that of the node
AS_MISSING = -3  # of a level that did not occur at the node, where surrogates are asked first: as a missing value


@dataclass(frozen=True, repr=False)
class Split(DisplayedRecord):
    """One test. A number's code is 1 + how many edges lie below it; a level's code is its place in the schema + 1.

    ``branch_of[code]`` is the branch, ``branch_of[0]`` the branch of missing and unseen values. So ``x <= edge`` goes
    left of the edge:

    >>> split = Split(column=0, edges=np.array([2.5]), branch_of=np.array([1, 0, 1]))
    >>> split.branches(np.array([1.0, 2.5, 3.0, np.nan])).tolist()
    [0, 0, 1, 1]
    """

    column: int
    edges: Floats  # empty for nominal and ordinal columns
    branch_of: Array
    bounds: tuple[float, float] | None = None  # between which a number takes both sides of its one edge
    printed: Floats | None = None  # what is printed for the edges; None: the edges in full

    def left_share(self, value: float) -> float | None:
        """The part of a row that goes left, linear between the bounds and a half at the edge; None: it is not parted.

        >>> Split(0, np.array([2.0]), np.array([-1, 0, 1]), bounds=(0.0, 3.0)).left_share(1.0)
        0.75
        """
        if self.bounds is None:
            return None
        (lower, upper), edge = self.bounds, float(self.edges[0])
        if lower < value <= edge:
            return 1 - (value - lower) / (edge - lower) / 2
        return (upper - value) / (upper - edge) / 2 if edge < value < upper else None

    @property
    def is_numeric(self) -> bool:
        return self.edges.size > 0

    @property
    def n_branches(self) -> int:
        return int(self.branch_of.max()) + 1

    def branches(self, values: Floats) -> Array:
        """The branch of each value: numbers for a numeric column, level codes (0 or NaN: missing) otherwise."""
        missing = np.isnan(values)
        codes = (
            1 + np.searchsorted(self.edges, values)
            if self.is_numeric
            else np.where(missing, 0, values).astype(np.int64)
        )
        return np.asarray(self.branch_of[np.where(missing, 0, codes)])


def midway(below: Floats, above: Floats) -> Floats:
    """The threshold between neighbouring values: their middle, or the lower where no float lies between them.

    >>> midway(np.array([1.0, -np.inf]), np.array([2.0, np.inf])).tolist()
    [1.5, -inf]
    """
    with np.errstate(invalid="ignore"):  # minus and plus infinity have no middle
        middle = below / 2 + above / 2
    return np.where((below <= middle) & (middle < above), middle, below)


@dataclass(frozen=True, repr=False)
class Surrogate(DisplayedRecord):
    """A test on another column that stands in where the tested value is missing; branch -1 says nothing.

    ``agreement`` is the part of the training rows it sends the way the split does, ``adjusted`` how far that is from
    sending all down the heaviest branch (0) to perfect agreement (1).
    """

    split: Split
    agreement: float
    adjusted: float

    def _facts(self) -> dict[str, Any]:
        return {"column": self.split.column, "agreement": self.agreement, "adjusted": self.adjusted}
