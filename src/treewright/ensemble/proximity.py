"""Rows that fall into the same leaves are near: proximities, and the outliers and prototypes they show."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.sparse import csr_matrix

from treewright.data.schema import Kind, Schema
from treewright.errors import OptionError
from treewright.explain.number_text import format_number
from treewright.typing import Array, Floats, Ints

_MOST_ROWS = 20_000  # of which all pairs are looked at


def proximities(leaves: Ints, others: Ints | None = None) -> csr_matrix:
    """The share of the trees in which two rows reach the same leaf (Breiman 2001); rows × others, sparse.

    ``leaves`` are rows × trees, as ``forest.apply`` gives them; without ``others`` the rows are compared with one
    another.

    >>> proximities(np.array([[1, 2], [1, 3], [4, 3]])).toarray().tolist()
    [[1.0, 0.5, 0.0], [0.5, 1.0, 0.5], [0.0, 0.5, 1.0]]
    """
    others = leaves if others is None else others
    width = np.maximum(leaves.max(0), others.max(0)) + 1
    start = np.cumsum(width) - width
    mine, theirs = (_leaf_table(part + start, int(width.sum())) for part in (leaves, others))
    return csr_matrix((mine @ theirs.T) / leaves.shape[1])


def _leaf_table(places: Ints, n_leaves: int) -> csr_matrix:
    """Rows × leaves of all trees, a one for every leaf that a row reaches."""
    n_rows, n_trees = places.shape
    starts = np.arange(n_rows + 1) * n_trees
    return csr_matrix((np.ones(places.size), places.ravel(), starts), shape=(n_rows, n_leaves))


def outlier_scores(near: csr_matrix, y: Array | None) -> Floats:
    """How far a row is from the others of its class (Breiman): n / Σ proximity², less the median of its class and
    divided by its mean deviation from it. Above 10 a row may be an outlier. Without classes all rows are one."""
    n_rows = near.shape[0]
    groups = np.zeros(n_rows, np.int64) if y is None else np.asarray(y)
    scores = np.zeros(n_rows)
    for group in np.unique(groups):
        rows = np.flatnonzero(groups == group)
        within = near[rows][:, rows]
        sums = np.asarray(within.multiply(within).sum(1)).ravel() - 1  # a row is nearest to itself
        raw = n_rows / np.maximum(sums, 1 / n_rows)
        middle = np.median(raw)
        spread = np.abs(raw - middle).mean()
        scores[rows] = np.maximum(raw - middle, 0) / spread if spread > 0 else 0.0
    return scores


@dataclass(frozen=True)
class RowPrototype:
    """A row that stands for many of its class: ``row`` has most of its ``neighbours`` in the class, and ``values`` are
    their medians, or commonest levels."""

    label: Any
    row: int
    neighbours: tuple[int, ...]
    share: float  # of the neighbours that are of the class
    values: dict[str, Any]

    def __str__(self) -> str:
        cells = ", ".join(f"{name} {_shown(value)}" for name, value in self.values.items())
        return (
            f"{self.label}: {cells} (row {self.row}, {len(self.neighbours)} neighbours, {100 * self.share:.0f} % alike)"
        )


def _shown(value: Any) -> str:
    return format_number(value) if isinstance(value, float) else str(value)


def prototypes_of(near: csr_matrix, y: Ints, schema: Schema, matrix: Array, n_neighbours: int) -> list[RowPrototype]:
    """Of every class the row with most of the class among its nearest rows."""
    if near.shape[0] > _MOST_ROWS:
        raise OptionError(f"prototypes of {near.shape[0]:,} rows would take too long", f"pass up to {_MOST_ROWS:,}")
    found = []
    for k, label in enumerate(schema.target.classes or ()):
        of_class = np.flatnonzero(y == k)
        neighbours = [_nearest(near, int(row), n_neighbours) for row in of_class]
        if not neighbours:
            continue
        weights = [float(near_by[y[rows] == k].sum()) for rows, near_by in neighbours]
        best = int(np.argmax(weights))
        rows = neighbours[best][0]
        mine = rows[y[rows] == k]
        share, values = float(len(mine) / len(rows)), _typical(matrix[mine], schema)
        found.append(RowPrototype(label, int(of_class[best]), tuple(rows.tolist()), share, values))
    return found


def _nearest(near: csr_matrix, row: int, n_neighbours: int) -> tuple[Ints, Floats]:
    """The rows nearest to one, itself among them, and how near they are."""
    start, end = near.indptr[row], near.indptr[row + 1]
    order = np.lexsort((near.indices[start:end], -near.data[start:end]))[:n_neighbours]
    return near.indices[start:end][order].astype(np.int64), near.data[start:end][order]


def _typical(rows: Array, schema: Schema) -> dict[str, Any]:
    """Medians of numbers and commonest levels; None where all are missing."""
    found: dict[str, Any] = {}
    for j, column in enumerate(schema.columns):
        cells = np.asarray(rows[:, j], np.float64)
        cells = cells[~np.isnan(cells)]
        if not len(cells):
            found[column.name] = None
        elif column.kind is Kind.NUMERIC:
            found[column.name] = float(np.median(cells))
        else:
            found[column.name] = column.levels[int(np.bincount(cells.astype(np.int64)).argmax()) - 1]
    return found
