"""The mass of groups: what a criterion makes of their statistics, in numpy. Kernels have the same in their ``mass.py``.

Gain is the mass of the branches less that of the node, per weight. Every mass grows in proportion to its statistics.
"""

from __future__ import annotations

import numpy as np

from treewright.kernels.search.mass import GINI_BREAKS_TIES
from treewright.table import added, largest, ratio
from treewright.typing import Floats, Ints

MASS_CRITERIA = ("gini", "entropy", "misclassification", "squared_error", "poisson")
_MANY = 2**18


def masses(stats: Ints, criterion: str) -> Floats:
    """Mass of each group of statistics, the last axis: class weights, or (w, w·y, …); 0 of what is empty.

    >>> masses(np.array([[3, 1], [0, 0]]), "gini").tolist()
    [2.5, 0.0]
    """
    counts = stats.astype(np.float64)
    if criterion == "squared_error":
        return ratio(counts[..., 1] ** 2, counts[..., 0])
    if criterion == "poisson":
        return _poisson(counts[..., 0], counts[..., 1])
    total = added(counts, -1)
    if criterion == "entropy":
        return np.asarray(added(_xlogx_of(stats, counts), -1) - _xlogx_of(added(stats, -1), total))
    squares = ratio(added(counts * counts, -1), total)
    if criterion == "gini":
        return squares
    return np.asarray(largest(counts) + GINI_BREAKS_TIES * squares)


def xlogx(counts: Floats) -> Floats:
    return np.asarray(counts * np.log(np.where(counts > 0, counts, 1.0)))


def _xlogx_of(whole: Ints, counts: Floats) -> Floats:
    """The same of integers: those of few values are looked up."""
    most = int(whole.max(initial=0))
    if most >= whole.size or whole.dtype.kind not in "iu" or whole.min(initial=0) < 0:
        return xlogx(counts)
    return np.asarray(xlogx(np.arange(most + 1, dtype=np.float64))[whole])


def xlogx_table(most: int) -> Floats | None:
    """The same of all integers up to this one; None if they are so many that it takes long."""
    return xlogx(np.arange(most + 1, dtype=np.float64)) if most < _MANY else None


def _poisson(weight: Floats, total: Floats) -> Floats:
    """-inf without events: there is no mean to speak of."""
    found = np.where(weight > 0, -np.inf, 0.0)
    some = (weight > 0) & (total > 0)
    return np.where(some, total * np.log(np.where(some, total, 1.0) / np.where(some, weight, 1.0)), found)
