"""The pictures of the gallery about nearest neighbours."""

from __future__ import annotations

from typing import Any

import numpy as np

from treewright import plots
from treewright.model.learners.knn_estimators import KNNClassifier
from treewright.plots.gallery_tables import shows


def _sepals() -> tuple[dict[str, Any], Any]:
    from sklearn.datasets import load_iris

    data = load_iris()
    return {"sepal length": data.data[:, 0], "sepal width": data.data[:, 1]}, np.array(data.target_names)[data.target]


def clouds() -> tuple[dict[str, Any], Any]:
    """Three overlapping Gaussian clouds."""
    rng = np.random.default_rng(1)
    centres = np.repeat([[0.0, 0.0], [2.2, 0.4], [1.0, 2.0]], 40, axis=0)
    points = centres + rng.normal(0, 0.8, centres.shape)
    return {"x1": points[:, 0], "x2": points[:, 1]}, np.repeat(["a", "b", "c"], 40)


@shows(plots.neighbour_regions, "Fisher's irises by 1, 2, 3 and 5 nearest neighbours; for one, the Voronoi cells")
def iris_neighbours() -> Any:
    return plots.neighbour_regions(*_sepals())


@shows(plots.neighbour_regions, "Three Gaussian clouds by 1, 2, 3 and 5 nearest neighbours")
def gaussian_neighbours() -> Any:
    return plots.neighbour_regions(*clouds())


def _search(query: tuple[float, float], **options: Any) -> Any:
    rng = np.random.default_rng(3)
    points = rng.random((16, 2)) * 10
    return plots.kd_search({"x1": points[:, 0], "x2": points[:, 1]}, query, leaf_size=4, **options)


@shows(plots.kd_search, "Case 1: the nearest row of the query's own cell is nearer than any cut, so the search stops")
def search_case_1() -> Any:
    return _search((1.3, 1.0))


@shows(plots.kd_search, "Case 2: through t2, on to the neighbour cell on the same side of the first cut")
def search_case_2() -> Any:
    return _search((1.0, 5.5))


@shows(plots.kd_search, "Case 3: through t1, on to the other side of the first cut")
def search_case_3() -> Any:
    return _search((5.0, 9.0))


@shows(plots.kd_search, "Case 4: both cuts are nearer than the nearest row, as bad as comparing all")
def search_case_4() -> Any:
    return _search((5.0, 5.0), k=3)


@shows(plots.kd_search, "The five nearest of many rows: skipped parts say how far off they begin")
def search_of_many() -> Any:
    rng = np.random.default_rng(0)
    points = rng.normal(size=(120, 2))
    return plots.kd_search({"x1": points[:, 0], "x2": points[:, 1]}, (0.6, 0.4), k=5, leaf_size=6)


@shows(plots.error_by_k, "The error against k, from one search for them all, and the k that is chosen")
def choice_of_k() -> Any:
    return plots.error_by_k(KNNClassifier(), *clouds(), max_k=40)


@shows(plots.case_shares, "The curse of dimensionality: with more columns every search looks at every cell")
def dimensions() -> Any:
    return plots.case_shares()


@shows(plots.search_times, "Comparing all rows takes time in proportion to rows × columns; a KD-tree takes less")
def times() -> Any:
    return plots.search_times()
