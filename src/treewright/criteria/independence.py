"""Tests of independence between branch and target: statistics, degrees of freedom and p-values.

Only rows of known value are tested, and weights count as rows. Where nothing is left to test, in a table of one branch
or of one class, the statistic is 0 and p is 1.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from treewright.criteria import unchecked
from treewright.criteria.argument_checks import class_table, moment_table
from treewright.criteria.tail_probabilities import chi2_tail, f_tail
from treewright.table import Table, ratio
from treewright.typing import Floats

_ROUNDING = 1e-15  # a difference of squares that is so small a part of them is rounding


def chi2(table: Table | ArrayLike) -> Floats:
    """Pearson's χ² = Σ (n − e)²/e over the cells, e what row and column sums lead to expect (Pearson 1900).

    >>> chi2([[2, 3], [4, 0], [3, 2]]).round(4).item()  # play tennis: outlook
    3.5467
    """
    checked = class_table(table)
    expected = checked.weights[..., None] * unchecked.fractions(checked.pooled)[..., None, :]
    return np.asarray(ratio((checked.counts - expected) ** 2, expected).sum((-2, -1)))[()]


def g(table: Table | ArrayLike) -> Floats:
    """Likelihood-ratio statistic G = 2·Σ n·ln(n/e) over the cells: twice the log-likelihood gain (Wilks 1935).

    >>> g([[2, 3], [4, 0], [3, 2]]).round(4).item()
    4.789
    """
    checked = class_table(table)
    rows = unchecked.total(checked.pooled) + unchecked.total(checked.missing)
    return 2.0 * rows * unchecked.decrease(checked, unchecked.entropy)


def degrees_of_freedom(table: Table | ArrayLike) -> Floats:
    """(branches − 1)·(classes − 1) of a χ² or G test; branches and classes without rows are not counted.

    >>> degrees_of_freedom([[2, 3], [4, 0], [0, 0]]).item()
    1.0
    """
    checked = class_table(table)
    branches, classes = (checked.weights > 0).sum(-1), (checked.pooled > 0).sum(-1)
    return np.asarray(np.maximum(branches - 1.0, 0.0) * np.maximum(classes - 1.0, 0.0))[()]


def chi2_p(table: Table | ArrayLike, *, log: bool = False) -> Floats:
    """How probable so large a χ² is if branch and class have nothing to do with each other; its ln with ``log``.

    >>> chi2_p([[8, 2], [2, 8]]).round(4).item()
    0.0073
    >>> chi2_p([[5000, 0], [0, 5000]]).item(), chi2_p([[5000, 0], [0, 5000]], log=True).round(2).item()
    (0.0, -5004.83)
    """
    return chi2_tail(chi2(table), degrees_of_freedom(table), log=log)


def g_p(table: Table | ArrayLike, *, log: bool = False) -> Floats:
    """How probable so large a G is if branch and class have nothing to do with each other; its ln with ``log``.

    >>> g_p([[8, 2], [2, 8]]).round(4).item()
    0.0055
    """
    return chi2_tail(g(table), degrees_of_freedom(table), log=log)


def f(table: Table | ArrayLike) -> Floats:
    """F of one-way analysis of variance: mean squares between and within branches (Fisher 1925).

    >>> f(Table.of_moments([1, 1, 2, 2], [0, 2, 4, 6])).item()
    8.0
    """
    return _f(moment_table(table))[0]


def f_p(table: Table | ArrayLike, *, log: bool = False) -> Floats:
    """How probable so large an F is if branch and number have nothing to do with each other; its ln with ``log``.

    >>> f_p(Table.of_moments([1, 1, 2, 2], [0, 2, 4, 6])).round(4).item()
    0.1056
    """
    return f_tail(*_f(moment_table(table)), log=log)


def _f(table: Table) -> tuple[Floats, Floats, Floats]:
    """F, and the degrees of freedom between and within branches; both 0 where one of them is none."""
    weight, sums, squares = (table.counts[..., k] for k in range(3))
    all_squares = unchecked.total(squares)
    inside = unchecked.total(squares - ratio(sums**2, weight))
    between = all_squares - ratio(unchecked.total(sums) ** 2, unchecked.total(weight)) - inside
    inside, between = (np.where(part > _ROUNDING * all_squares, part, 0.0) for part in (inside, between))
    n_branches = (weight > 0).sum(-1)
    free, left = n_branches - 1.0, unchecked.total(weight) - n_branches
    testable = (free > 0) & (left > 0)
    free, left = np.where(testable, free, 0.0)[()], np.where(testable, left, 0.0)[()]
    with np.errstate(divide="ignore", invalid="ignore"):
        statistic = (between / free) / (inside / left)
    return np.where(np.isnan(statistic), 0.0, statistic)[()], free, left
