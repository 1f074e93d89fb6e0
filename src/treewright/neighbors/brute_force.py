"""Neighbours by comparing every query with every row: short, and what all faster ways are compared with."""

from __future__ import annotations

import numpy as np

from treewright.neighbors.distance_metric import DistanceMetric
from treewright.typing import Array, Floats, Ints, Mask

_CELLS = 2_000_000  # distances that are held at a time


def nearest(
    rows: Floats,
    queries: Floats,
    k: int,
    metric: DistanceMetric,
    hidden: Array | None = None,
    limit: float = np.inf,
) -> tuple[Floats, Ints]:
    """Powers and numbers of the k nearest rows of each query, the nearest first, of equals the lowest number.

    ``hidden`` says, for queries × rows or for both as their parts (see :func:`of_own_part`), what is not to be found.
    Where there are no k rows up to ``limit``, the rest has an infinite power and the number of rows.

    >>> powers, found = nearest(np.array([[0.0], [2.0], [2.0], [9.0]]), np.array([[3.0]]), 2, DistanceMetric(2.0))
    >>> powers.tolist(), found.tolist()
    ([[1.0, 1.0]], [[1, 2]])
    """
    powers, found = np.empty((len(queries), k)), np.empty((len(queries), k), np.int64)
    step = max(1, _CELLS // max(len(rows), 1))
    for first in range(0, len(queries), step):
        part = slice(first, first + step)
        block = metric.powers(queries[part], rows)
        out = ~(block <= limit) if hidden is None else hidden[part] | ~(block <= limit)
        powers[part], found[part] = smallest(block, out, k)
    return powers, found


def of_own_part(parts: Ints, query_parts: Ints) -> Mask:
    """Which rows belong to the part of each query."""
    return np.asarray(parts == query_parts[:, np.newaxis])


def smallest(block: Floats, out: Mask, k: int) -> tuple[Floats, Ints]:
    """The k smallest of each line, by value and then by place."""
    n = block.shape[1]
    block = np.where(out, np.inf, block)
    order = np.argsort(block, axis=1, kind="stable")
    if out.any():  # what may not be found comes last, behind rows at an infinite distance
        order = np.take_along_axis(order, np.argsort(np.take_along_axis(out, order, 1), axis=1, kind="stable"), 1)
    order = order[:, :k]
    lost = np.take_along_axis(out, order, 1)
    return np.where(lost, np.inf, np.take_along_axis(block, order, 1)), np.where(lost, n, order)
