"""Whether nearest neighbours would answer otherwise if the rows were in another order: where many rows are equal."""

from __future__ import annotations

import numpy as np

from treewright.data.user_warnings import warn_user
from treewright.typing import Array, Floats

_TOLD = 0.1  # the share of the rows from which on it is worth a warning


def warn_of_order(rows: Floats, y: Array, k: int, hint: str) -> None:
    """Warn where many rows have more than k equals, not all of one answer: the first k in the table decide."""
    n_rows = rows_by_order(rows, y, k)
    if n_rows >= _TOLD * len(rows):
        warn_user(
            f"{n_rows:,} of {len(rows):,} rows stand in groups of more than {k} equal rows that differ in the "
            f"target: only the first {k} of a group vote, so predictions depend on the order of the rows. Hint: {hint}."
        )


def rows_by_order(rows: Floats, y: Array, k: int) -> int:
    """How many rows are in groups of more than ``k`` equal rows that differ in ``y``; rows with NaN are never equal.

    >>> rows_by_order(np.array([[1.0], [1.0], [1.0], [2.0]]), np.array([0, 0, 1, 1]), 2)
    3
    """
    keys = _keys(rows)
    order = np.argsort(keys, kind="stable")
    in_order = keys[order]
    in_order = in_order[: np.count_nonzero(np.isfinite(in_order))]
    if not np.any(in_order[k:] == in_order[:-k]):
        return 0
    starts = np.flatnonzero(np.append(True, in_order[1:] != in_order[:-1]))
    answers = y[order[: len(in_order)]]
    sizes = np.diff(np.append(starts, len(in_order)))
    differ = np.maximum.reduceat(answers, starts) > np.minimum.reduceat(answers, starts)
    return int(sizes[differ & (sizes > k)].sum())


def _keys(rows: Floats) -> Floats:
    """A number per row, the same for equal rows: a sum of the cells by random weights, far quicker than sorting rows.

    The sum runs column by column, so that equal rows are added up in the same way.
    """
    keys, weights = np.zeros(len(rows)), np.random.default_rng(0).random(int(rows.shape[1]))
    with np.errstate(over="ignore", invalid="ignore"):
        for column, weight in enumerate(weights.tolist()):
            keys += rows[:, column] * weight
    return keys
