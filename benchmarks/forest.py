"""Forests beside those of scikit-learn, YDF and LightGBM: the same number of trees, rows, columns per node and threads.

Trees are grown without limits and rows drawn with replacement, but for extra-trees, which take every row. YDF draws as
many columns by default; LightGBM draws columns by tree and node, bins them, and has no trees without limits. Our time
has the out-of-bag errors in it, that of the others has not.

All of it in about six minutes (with ``--long`` growth up to a million rows too):
python benchmarks/run.py --repeats 1 --only forest forest_mixed extra_trees forest_regression forest_predict \\
    forest_importance forest_memory forest_growth
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import lightgbm
import numpy as np
import ydf
from sklearn.ensemble import ExtraTreesClassifier, RandomForestClassifier, RandomForestRegressor
from sklearn.inspection import permutation_importance

import tables
import treewright as tw
from memory import _give_back_freed_memory, _peak, _reset_peak, _resident
from race import race, timed
from report import Result, of_race, seconds
from settings import Settings

TREES = 100
FEW_TREES = 20
TARGET = "target"
THIRD = 1 / 3
FASTER = "≥ 3×, aim 6×"


def classification(settings: Settings) -> list[Result]:
    X, y = tables.classification(settings.rows(100_000))
    work = f"forest, {_trees(settings)} trees, {_shape(X)}, no limits, √ of the columns"

    def ours() -> Any:
        return tw.RandomForestClassifier(n_trees=_trees(settings), n_jobs=settings.threads, random_state=0).fit(X, y)

    def scikit() -> Any:
        return RandomForestClassifier(_trees(settings), n_jobs=settings.threads, random_state=0).fit(X, y)

    peers = {
        "scikit-learn": scikit,
        "YDF": lambda: _ydf(settings, ydf.Task.CLASSIFICATION).train(_labelled(X, y.astype(str))),
        "LightGBM rf": lambda: _lightgbm(settings).fit(X, y),
    }
    return [of_race(work, peer, race(ours, fit, settings), FASTER, _threads(settings)) for peer, fit in peers.items()]


def mixed(settings: Settings) -> list[Result]:
    ydf.verbose(0)
    frame, y = tables.mixed(settings.rows(100_000))
    outcome = race(
        lambda: tw.RandomForestClassifier(n_trees=_trees(settings), n_jobs=settings.threads, random_state=0).fit(
            frame, y
        ),
        lambda: _ydf(settings, ydf.Task.CLASSIFICATION).train(frame.assign(**{TARGET: y})),
        settings,
    )
    work = f"forest, {_trees(settings)} trees, mixed table, {len(frame):,} rows, 6 numeric + 8 nominal, 5 % missing"
    return [of_race(work, "YDF", outcome, FASTER, _threads(settings))]


def extra_trees(settings: Settings) -> list[Result]:
    X, y = tables.classification(settings.rows(100_000))
    outcome = race(
        lambda: tw.ExtraTreesClassifier(n_trees=_trees(settings), n_jobs=settings.threads, random_state=0).fit(X, y),
        lambda: ExtraTreesClassifier(_trees(settings), n_jobs=settings.threads, random_state=0).fit(X, y),
        settings,
    )
    work = f"extra-trees, {_trees(settings)} trees, {_shape(X)}, no limits, √ of the columns"
    return [of_race(work, "scikit-learn", outcome, FASTER, _threads(settings))]


def regression(settings: Settings) -> list[Result]:
    X, y = tables.regression(settings.rows(100_000))
    work = f"regression forest, {_trees(settings)} trees, {_shape(X)}, no limits, a third of the columns"

    def ours() -> Any:
        return tw.RandomForestRegressor(
            n_trees=_trees(settings), max_columns="third", n_jobs=settings.threads, random_state=0
        ).fit(X, y)

    def scikit() -> Any:
        columns = int(THIRD * X.shape[1]) + 1
        return RandomForestRegressor(
            _trees(settings), max_features=columns, n_jobs=settings.threads, random_state=0
        ).fit(X, y)

    peers = {
        "scikit-learn": scikit,
        "YDF": lambda: _ydf(settings, ydf.Task.REGRESSION).train(_labelled(X, y)),
    }
    return [of_race(work, peer, race(ours, fit, settings), FASTER, _threads(settings)) for peer, fit in peers.items()]


def predicting(settings: Settings) -> list[Result]:
    X, y = tables.classification(settings.rows(100_000))
    forest = tw.RandomForestClassifier(n_trees=_trees(settings), n_jobs=settings.threads, random_state=0).fit(X, y)
    theirs = RandomForestClassifier(_trees(settings), n_jobs=settings.threads, random_state=0).fit(X, y)
    other, rows = _ydf(settings, ydf.Task.CLASSIFICATION).train(_labelled(X, y.astype(str))), _labelled(X, None)
    work = f"predict {len(X):,} rows with {_trees(settings)} trees without limits"
    beside = [
        ("scikit-learn", lambda: theirs.predict_proba(X), "≥ 2×"),
        ("YDF", lambda: other.predict(rows, num_threads=settings.threads), "≥ 1×"),
    ]
    return [
        of_race(work, peer, race(lambda: forest.predict_proba(X), predict, settings), wanted, _threads(settings))
        for peer, predict, wanted in beside
    ]


def importance(settings: Settings) -> list[Result]:
    """Ours is of the rows that each tree left out; theirs predicts all rows, five times for each column."""
    X, y = tables.classification(settings.rows(100_000))
    forest, theirs = (_forest(side, FEW_TREES, settings).fit(X, y) for side in ("treewright", "scikit-learn"))
    outcome = race(
        lambda: forest.importance("permutation"),
        lambda: permutation_importance(theirs, X, y, random_state=0),
        settings,
    )
    work = f"permutation importance, {FEW_TREES} trees without limits, {_shape(X)}"
    return [of_race(work, "scikit-learn", outcome, "≥ 10×", _threads(settings))]


def growth(settings: Settings) -> list[Result]:
    """Time for each row and level of depth to be expected: flat where growth is n·log n."""
    results, n_trees = [], 10
    for n_rows in (50_000, 200_000, 1_000_000) if settings.long else (50_000, 200_000):
        n_rows = settings.rows(n_rows)
        X, y = tables.classification(n_rows)
        forest = tw.RandomForestClassifier(n_trees=n_trees, n_jobs=settings.threads, random_state=0)
        forest.fit(X[:1000], y[:1000])
        time, _ = timed(lambda forest=forest, X=X, y=y: forest.fit(X, y))
        per_row = 1e9 * time / (n_trees * n_rows * np.log2(n_rows))
        work, notes = f"forest, {n_trees} trees, {_shape(X)}", f"{per_row:.0f} ns per tree, row and log2(rows)"
        results.append(Result(work, "–", seconds(time), "–", "–", "n·log n", notes))
    return results


def memory(settings: Settings) -> list[Result]:
    """What a fit adds to the memory of a process at most, in one process each."""
    ours, theirs = (_probed(side, settings) for side in ("treewright", "scikit-learn"))
    work = f"peak memory of a forest, {_trees(settings)} trees, {settings.rows(100_000):,} rows"
    ratio = f"{theirs / ours:.2f}×"
    return [Result(work, "scikit-learn", f"{ours / 2**20:.0f} MB", f"{theirs / 2**20:.0f} MB", ratio, "≤ 1× of theirs")]


def _probed(side: str, settings: Settings) -> int:
    code = f"import forest, settings; print(forest.added({side!r}, settings.{settings!r}))"
    ran = subprocess.run(
        [sys.executable, "-c", code], cwd=Path(__file__).parent, capture_output=True, text=True, check=True
    )
    return int(ran.stdout.split()[-1])


def added(side: str, settings: Settings) -> int:
    X, y = tables.classification(settings.rows(100_000))
    _forest(side, 2, settings).fit(X, y)  # what is loaded and compiled once is not counted
    _give_back_freed_memory()
    _reset_peak()
    before = _resident()
    kept = _forest(side, _trees(settings), settings).fit(X, y)
    assert kept is not None
    return _peak() - before


def _forest(side: str, n_trees: int, settings: Settings) -> Any:
    if side == "treewright":
        return tw.RandomForestClassifier(n_trees=n_trees, n_jobs=settings.threads, random_state=0)
    return RandomForestClassifier(n_trees, n_jobs=settings.threads, random_state=0)


# ---- peers -----------------------------------------------------------------------------------------------------------


def _ydf(settings: Settings, task: ydf.Task) -> ydf.RandomForestLearner:
    ydf.verbose(0)
    return ydf.RandomForestLearner(
        label=TARGET,
        task=task,
        num_trees=_trees(settings),
        max_depth=-1,
        min_examples=1,
        winner_take_all=False,
        compute_oob_performances=False,
        num_threads=settings.threads,
    )


def _lightgbm(settings: Settings) -> lightgbm.LGBMClassifier:
    return lightgbm.LGBMClassifier(
        boosting_type="rf",
        n_estimators=_trees(settings),
        num_leaves=2**15,
        min_child_samples=1,
        subsample=0.632,
        subsample_freq=1,
        feature_fraction_bynode=0.224,
        n_jobs=settings.threads,
        verbose=-1,
    )


def _labelled(X: np.ndarray, y: Any) -> dict[str, Any]:
    columns = {f"x{j}": X[:, j] for j in range(X.shape[1])}
    return columns if y is None else columns | {TARGET: y}


def _trees(settings: Settings) -> int:
    return 5 if settings.quick else TREES


def _threads(settings: Settings) -> str:
    return f"{settings.threads} threads each"


def _shape(X: np.ndarray) -> str:
    return f"{X.shape[0]:,} × {X.shape[1]} float32"
