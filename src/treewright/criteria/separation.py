"""Measures of how far apart branches lie, or classes, or the means of a number."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from treewright.criteria import unchecked
from treewright.criteria.argument_checks import class_table, moment_table
from treewright.table import Table, ratio
from treewright.typing import Floats

_FEW_BRANCHES = 64  # so many are compared faster than they are sorted


def c_sep(table: Table | ArrayLike) -> Floats:
    """Class separation 1 − cos θ, θ the angle between the class counts of two branches (Fayyad & Irani 1992).

    1 when no class is in both branches, 0 when the classes are mixed alike; the sizes of branches play no part.
    Published for two branches. Of more this is the mean over pairs of branches, each pair weighed by the product of the
    shares of the two. Times the known fraction.

    >>> c_sep([[4, 0], [0, 1]]).item(), c_sep([[3, 0], [3, 4]]).round(4).item()
    (1.0, 0.4)
    """
    checked = class_table(table)
    lengths = np.sqrt((checked.counts**2).sum(-1, keepdims=True))
    directions = ratio(checked.counts, lengths)
    share = checked.shares
    # Σ over pairs of s·s′·(1 − cos) in one pass: the cosines with all branches are those with their weighted mean.
    mean = (share[..., None] * directions).sum(-2, keepdims=True)
    apart = unchecked.total(share * (1.0 - (directions * mean).sum(-1)))
    return checked.known_fraction * unchecked.not_below_zero(ratio(apart, unchecked.total(share * (1.0 - share))))


def twoing(table: Table | ArrayLike) -> Floats:
    """s·s′/4 · (Σ |p − p′|)² of two branches with shares s, s′ and class fractions p, p′ (Breiman et al. 1984, 4.3).

    It splits the classes into two superclasses as alike in weight and as unlike in place as can be. With two classes it
    is half the Gini gain. Published for two branches; of more this is the sum over pairs of branches, as the Gini gain
    is the sum over pairs of s·s′·Σ (p − p′)². Times the known fraction. The time grows as the square of the number of
    branches; in a single table, of branches that differ in their class fractions.

    >>> twoing([[4, 0, 0], [0, 2, 2]]).item()
    0.25
    """
    checked = _alike_as_one(class_table(table))
    share, fractions = checked.shares, unchecked.fractions(checked.counts)
    pairs = np.zeros(share.shape[:-1])
    for step in range(1, share.shape[-1]):  # every branch with the one so many places on
        apart = np.abs(fractions[..., step:, :] - fractions[..., :-step, :]).sum(-1)
        pairs = pairs + unchecked.total(share[..., step:] * share[..., :-step] * apart**2)
    return checked.known_fraction * pairs / 4.0


def _alike_as_one(table: Table) -> Table:
    """Branches of the same class fractions merged, which leaves the sum over pairs as it is."""
    if table.counts.ndim > 2 or len(table.counts) <= _FEW_BRANCHES:
        return table
    branch_of = np.unique(unchecked.fractions(table.counts), axis=0, return_inverse=True)[1].ravel()
    counts = np.zeros((branch_of.max() + 1, table.counts.shape[1]))
    np.add.at(counts, branch_of, table.counts)
    return Table(counts, table.missing)


def hellinger(table: Table | ArrayLike) -> Floats:
    """Distance √Σ (√q − √q′)² between the branches q and q′ that two classes take (Cieslak & Chawla 2008).

    q is the part of a class in each branch, so it does not matter how rare the class is. From 0 to √2. Published for
    two classes; of more this is the root of the mean square over pairs of those that have rows. Times the known
    fraction.

    >>> hellinger([[3, 0], [1, 40]]).round(4).item(), hellinger([[30, 0], [10, 40]]).round(4).item()
    (1.0, 1.0)
    """
    checked = class_table(table)
    present = checked.pooled > 0  # (..., classes)
    n_present = present.sum(-1)
    roots = np.sqrt(ratio(checked.counts, checked.pooled[..., None, :]))
    mean = ratio(roots.sum(-1), n_present[..., None])
    # The squares of the distances between all pairs of n points are n times those from the points' mean.
    from_mean = (np.where(present[..., None, :], roots - mean[..., None], 0.0) ** 2).sum((-2, -1))
    return checked.known_fraction * np.sqrt(ratio(2.0 * from_mean, n_present - 1.0))


def friedman(table: Table | ArrayLike) -> Floats:
    """Improvement w·w′/(w + w′)·(ȳ − ȳ′)² of two branches with weights w and means ȳ (Friedman 2001, equation 35).

    Of more branches this is Σ w·(ȳ_branch − ȳ)², their sum of squares between branches, which for two is the same. So
    it is the variance gain times the weight of the rows, and at one node orders splits as that does.

    >>> friedman(Table.of_moments([1, 1, 2, 2], [0, 0, 4, 4])).item()
    16.0
    """
    checked = moment_table(table)
    return np.asarray(checked.pooled[..., 0] + checked.missing[..., 0])[()] * unchecked.decrease(
        checked, unchecked.variance
    )


def correlation_ratio(table: Table | ArrayLike) -> Floats:
    """η² = the part of the variance of a number that lies between groups, among rows of known value (Fisher 1925).

    >>> correlation_ratio(Table.of_moments([1, 1, 2, 2], [0, 2, 4, 6])).item()
    0.8
    """
    checked = moment_table(table)
    whole = unchecked.variance(checked.pooled)
    left = unchecked.within(checked, unchecked.variance)
    return np.clip(ratio(whole - left, whole), 0.0, 1.0)
