"""Is a split more than chance? Tests of independence between branch and target."""

from __future__ import annotations

import numpy as np

from treewright.typing import Array, Floats, Ints


def p_values(stats: Floats, start: Ints, *, moments: bool) -> Floats:
    """How probable so strong a split is if branch and target have nothing to do with each other.

    ``stats`` has a row per branch: the weight of each class, or (Σw, Σw·y, Σw·y²); the branches of split f are the rows
    from ``start[f]`` up to ``start[f + 1]``. Classes: Pearson's χ² of branches × classes, those without rows left out.
    Numbers: the F test of one-way analysis of variance. Weights count as rows. A split into fewer than two branches, or
    one that leaves the test no degrees of freedom, has p = 1.

    >>> p_values(np.array([[8.0, 2], [2, 8], [5, 5], [5, 5]]), np.array([0, 2, 4]), moments=False).round(4).tolist()
    [0.0073, 1.0]
    """
    split = np.repeat(np.arange(len(start) - 1), np.diff(start))
    return _f_test(stats, split, len(start) - 1) if moments else _chi2_test(stats, split, len(start) - 1)


def _per_split(values: Array, split: Ints, n: int) -> Floats:
    return np.asarray(np.bincount(split, values, minlength=n), np.float64)


def _chi2_test(counts: Floats, split: Ints, n: int) -> Floats:
    from scipy.stats import chi2

    totals = np.stack([_per_split(column, split, n) for column in counts.T], axis=1)
    weight = counts.sum(-1)
    share = _ratio(weight, totals.sum(-1)[split])
    expected = totals[split] * share[:, None]
    statistic = _per_split(_ratio((counts - expected) ** 2, expected).sum(-1), split, n)
    freedom = np.maximum(_per_split(weight > 0, split, n) - 1, 0) * np.maximum((totals > 0).sum(-1) - 1, 0)
    return np.where(freedom > 0, chi2.sf(statistic, np.maximum(freedom, 1)), 1.0)


def _f_test(moments: Floats, split: Ints, n: int) -> Floats:
    from scipy.stats import f

    weight, total, square = (_per_split(column, split, n) for column in moments.T)
    within = _per_split(moments[:, 2] - _ratio(moments[:, 1] ** 2, moments[:, 0]), split, n)
    between = np.maximum(square - _ratio(total**2, weight) - within, 0.0)
    groups = _per_split(moments[:, 0] > 0, split, n)
    freedom = np.maximum(groups - 1, 0), weight - groups
    testable = (freedom[0] > 0) & (freedom[1] > 0)
    mean_within = _ratio(np.maximum(within, 0.0), np.where(testable, freedom[1], 1.0))
    with np.errstate(divide="ignore", invalid="ignore"):
        statistic = between / np.maximum(freedom[0], 1) / mean_within
    p = f.sf(
        np.where(np.isnan(statistic), 0.0, statistic), np.maximum(freedom[0], 1), np.where(testable, freedom[1], 1.0)
    )
    return np.where(testable, p, 1.0)


def _ratio(above: Floats, below: Floats) -> Floats:
    return np.divide(above, below, out=np.zeros_like(above, np.float64), where=below > 0)
