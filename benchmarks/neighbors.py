"""Nearest neighbours: KD-trees beside SciPy's, scikit-learn's and pykdtree's, the choice of k, and mixed tables.

Rows are uniform random float64. SciPy and pykdtree get the same number of threads; scikit-learn's tree has one.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib.util import find_spec
from typing import Any

import numpy as np
from scipy.spatial import cKDTree
from sklearn.model_selection import StratifiedKFold, cross_val_score
from sklearn.neighbors import KDTree as SklearnKDTree
from sklearn.neighbors import KNeighborsClassifier

import tables
import treewright as tw
from race import race
from report import Result, of_race
from settings import Settings

K = 5
MOST_NEIGHBOURS = 50
FOLDS = 10
SAMPLED_K = (
    1,
    5,
    10,
    20,
    30,
    40,
    50,
)  # for which scikit-learn is timed; the others cost about what their neighbours do


def trees(settings: Settings) -> list[Result]:
    """Build and query, at few and at more columns."""
    found = []
    for n_rows, n_columns, n_queries in ((1_000_000, 3, 200_000), (200_000, 8, 20_000)):
        rng = np.random.default_rng(0)
        rows = rng.random((settings.rows(n_rows), n_columns))
        queries = rng.random((settings.rows(n_queries), n_columns))
        for peer, (build, query) in _peers(settings).items():
            found += _tree_races(rows, queries, peer, build, query, settings)
    return found


def _tree_races(
    rows: Any, queries: Any, peer: str, build: Callable[..., Any], query: Callable[..., Any], settings: Settings
) -> list[Result]:
    size = f"{len(rows):,} × {rows.shape[1]}"
    built = race(lambda: tw.neighbors.KDTree(rows, n_jobs=settings.threads), lambda: build(rows), settings)
    ours, theirs = built.our_result, built.their_result
    asked = race(lambda: ours.query(queries, K), lambda: query(theirs, queries), settings)
    same = np.array_equal(asked.our_result[1], np.asarray(asked.their_result[1]).astype(np.int64))
    wanted = "≥ 1.5× SciPy, aim 1× pykdtree"
    return [
        of_race(f"KD-tree, build {size}", peer, built, wanted),
        of_race(
            f"KD-tree, {len(queries):,} queries of k = {K} in {size}", peer, asked,
            "≥ 2× SciPy, aim 1× pykdtree" if rows.shape[1] == 3 else wanted,
            f"neighbours {'equal' if same else 'differ'}",
        ),
    ]  # fmt: skip


def _peers(settings: Settings) -> dict[str, tuple[Callable[..., Any], Callable[..., Any]]]:
    peers = {
        f"SciPy cKDTree, {settings.threads} workers": (
            cKDTree, lambda tree, queries: tree.query(queries, K, workers=settings.threads)
        ),
        "scikit-learn KDTree": (SklearnKDTree, lambda tree, queries: tree.query(queries, K)),
    }  # fmt: skip
    if find_spec("pykdtree"):
        from pykdtree.kdtree import KDTree as OtherTree

        peers["pykdtree"] = (OtherTree, lambda tree, queries: tree.query(queries, k=K))
    return peers


def choice_of_k(settings: Settings) -> list[Result]:
    """The 10-fold error of every k = 1 … 50. scikit-learn fits and predicts anew for each.

    It is timed for some k, and the sum over all is worked out by the time per k.
    """
    rng = np.random.default_rng(0)
    n_rows = settings.rows(20_000)
    X = rng.random((n_rows, 8))
    y = (X[:, :3].sum(1) + rng.normal(0, 0.3, n_rows) > 1.5).astype(int)
    folds = StratifiedKFold(FOLDS, shuffle=True, random_state=0)

    def theirs() -> list[float]:
        return [1 - cross_val_score(KNeighborsClassifier(k), X, y, cv=folds).mean() for k in SAMPLED_K]

    model = tw.KNNClassifier(k="auto", max_k=MOST_NEIGHBOURS, cv=FOLDS, scale=None, n_jobs=settings.threads)
    outcome = race(lambda: model.fit(X, y).k_curve_, theirs, settings)
    ours = outcome.our_result.errors[np.array(SAMPLED_K) - 1]
    apart = float(np.abs(ours - outcome.their_result).max())
    scaled = outcome.__class__(
        outcome.ours, outcome.theirs * MOST_NEIGHBOURS / len(SAMPLED_K), outcome.repeats, None, None
    )
    notes = f"scikit-learn timed for {len(SAMPLED_K)} k and scaled; errors apart by at most {apart:.1e}"
    work = f"{FOLDS}-fold error for each k = 1 … {MOST_NEIGHBOURS}, {n_rows:,} × 8"
    return [of_race(work, "scikit-learn cross_val_score", scaled, "≥ 20×, aim 50×", notes)]


def mixed_neighbours(settings: Settings) -> list[Result]:
    """HEOM on a table of 6 numeric and 8 nominal columns with missing cells, beside NumPy comparing all rows."""
    frame, y = tables.mixed(settings.rows(22_000))
    n = len(frame) * 10 // 11
    model = tw.KNNClassifier(k=K, metric="heom", n_jobs=settings.threads).fit(frame[:n], y[:n])
    new = frame[n:]
    matrix = model._rows_to_predict(new)
    outcome = race(lambda: model.kneighbors(new)[1], lambda: _heom_in_numpy(model, matrix), settings)
    same = np.array_equal(outcome.our_result, outcome.their_result)
    work = f"mixed table, {n:,} rows, 6 numeric + 8 nominal, 5 % missing: neighbours of {len(new):,}"
    return [of_race(work, "brute force in NumPy", outcome, "≥ 10×", f"neighbours {'equal' if same else 'differ'}")]


def _heom_in_numpy(model: Any, matrix: Any) -> Any:
    """A hundred queries at a time, column by column; the first of rows that are equally far."""
    search = model.search_
    rows, numbers, levels = search.rows, search.as_numbers, search.as_levels
    found = np.empty((len(matrix), K), np.int64)
    scaled, codes = search.scaling(matrix[:, numbers]), np.nan_to_num(matrix[:, levels]).astype(np.int32)
    for first in range(0, len(matrix), 100):
        part = slice(first, first + 100)
        total = np.zeros((len(scaled[part]), search.n_rows))
        for j in range(len(numbers)):
            apart = (rows.numbers[j] - scaled[part, j, np.newaxis]) ** 2
            total += np.where(np.isnan(apart), 1.0, apart)
        for j in range(len(levels)):
            code = codes[part, j, np.newaxis]
            total += (rows.levels[j] != code) | (code == 0)
        nearest = np.argpartition(total, 4 * K, axis=1)[:, : 4 * K]
        nearest.sort(axis=1)
        order = np.argsort(np.take_along_axis(total, nearest, 1), axis=1, kind="stable")[:, :K]
        found[part] = np.take_along_axis(nearest, order, 1)
    return found
