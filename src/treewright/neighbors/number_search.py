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
_MOST_OF_KD = 15  # columns


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
    chosen = chosen_algorithm(len(matrix), matrix.shape[1], k) if algorithm == "auto" else algorithm
    kind = BallTree if chosen == "ball" else KDTree
    size = len(matrix) if chosen == "brute" else leaf_size
    p = metric.p if metric.name == "minkowski" else None
    tree = kind(scaling(matrix), size, metric.name, p=p, weights=metric.weights, n_jobs=n_jobs)
    return NumberSearch(tree, scaling, chosen)


def chosen_algorithm(n_rows: int, n_columns: int, k: int) -> str:
    """ "brute" for few rows or many neighbours, "kd" for few columns, "ball" for more.

    >>> chosen_algorithm(10_000, 3, 5), chosen_algorithm(10_000, 40, 5), chosen_algorithm(100, 3, 5)
    ('kd', 'ball', 'brute')
    """
    if n_rows <= _FEW_ROWS or 2 * k >= n_rows:
        return "brute"
    return "kd" if n_columns <= _MOST_OF_KD else "ball"
