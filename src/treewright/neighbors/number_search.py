"""Rows of numbers to be searched by the algorithm that suits them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from treewright.neighbors.column_scaling import ColumnScaling, column_scaling
from treewright.neighbors.distance_metric import DistanceMetric
from treewright.neighbors.space_tree import BallTree, KDTree, SpaceTree
from treewright.typing import Floats, Ints

ALGORITHMS = ("auto", "kd", "ball", "brute")
_FEW_ROWS = 128  # that are compared with every query sooner than a tree is built
_SURELY_KD = 10  # columns
_MOST_OF_KD = 60  # columns, beyond which balls are quicker than boxes
_MOST_DIMENSIONS = 8.0  # in which rows may vary if a tree is to skip enough of them
_ASKED, _OTHERS = 200, 2_000  # rows from which that is estimated


@dataclass(frozen=True, eq=False)
class NumberSearch:
    """``algorithm`` is the one that is used: "kd", "ball" or "brute" (a tree of one leaf)."""

    tree: SpaceTree
    scaling: ColumnScaling
    algorithm: str

    @property
    def n_rows(self) -> int:
        return self.tree.n_rows

    def nearest(
        self, matrix: Floats, k: int, parts: Ints | None = None, query_parts: Ints | None = None
    ) -> tuple[Floats, Ints]:
        """Distances and numbers of the k nearest rows; see ``SpaceTree._nearest``."""
        points = np.ascontiguousarray(self.scaling(matrix))
        powers, rows, _ = self.tree._nearest(points, k, parts=parts, query_parts=query_parts)
        return self.tree.metric.distances(powers), rows


def number_search(
    matrix: Floats,
    metric: DistanceMetric,
    *,
    scale: str | None,
    algorithm: str = "auto",
    leaf_size: int | None = None,
    k: int = 1,
    n_jobs: int = 1,
) -> NumberSearch:
    scaling = column_scaling(scale, matrix)
    points = scaling(matrix)
    chosen = chosen_algorithm(points, k) if algorithm == "auto" else algorithm
    kind = BallTree if chosen == "ball" else KDTree
    size = len(matrix) if chosen == "brute" else leaf_size
    p = metric.p if metric.name == "minkowski" else None
    tree = kind(points, size, metric.name, p=p, weights=metric.weights, n_jobs=n_jobs)
    return NumberSearch(tree, scaling, chosen)


def chosen_algorithm(points: Floats, k: int) -> str:
    """How to search: "brute" for few rows, many neighbours or columns that each say something new; else a tree.

    That is "kd", or "ball" where there are many columns.

    >>> rng = np.random.default_rng(0)
    >>> chosen_algorithm(rng.random((1000, 3)), 5), chosen_algorithm(rng.random((1000, 40)), 5)
    ('kd', 'brute')
    >>> chosen_algorithm(np.outer(rng.random(1000), np.ones(80)), 5)
    'ball'
    """
    n_rows, n_columns = points.shape
    if n_rows <= _FEW_ROWS or 2 * k >= n_rows:
        return "brute"
    if n_columns <= _SURELY_KD:
        return "kd"
    if intrinsic_dimension(points) > _MOST_DIMENSIONS:
        return "brute"
    return "kd" if n_columns <= _MOST_OF_KD else "ball"


def intrinsic_dimension(points: Floats) -> float:
    """In how many directions the rows vary, by the ratio of the distances to the two nearest of some others.

    The maximum-likelihood estimate of Facco et al. (2017), n / Σ ln(r2 / r1), from a sample of the rows. 0 where
    nothing is apart.

    >>> line = np.outer(np.random.default_rng(0).random(500), [1.0, 2.0, 3.0])
    >>> bool(0.7 < intrinsic_dimension(line) < 1.3)
    True
    """
    asked, others = (points[np.unique(np.linspace(0, len(points) - 1, n).astype(np.int64))] for n in (_ASKED, _OTHERS))
    if len(others) < 3:
        return 0.0
    powers = DistanceMetric(2.0).powers(asked, others)
    powers[powers == 0] = np.nan  # the row itself, and rows equal to it
    first, second = np.sort(powers, axis=1)[:, :2].T
    ratio = (second / first)[(second > first) & np.isfinite(second)]
    return float(2 * len(ratio) / np.log(ratio).sum()) if len(ratio) else 0.0
