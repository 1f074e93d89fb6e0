"""The histogram engine, binning from floats included, beside one LightGBM tree, its Dataset included."""

from __future__ import annotations

from typing import Any

import lightgbm
import numpy as np

import tables
import treewright as tw
from race import race
from report import Result, of_race
from settings import Settings

DEPTH = 6


def histogram(settings: Settings) -> list[Result]:
    """Two classes, because LightGBM grows one tree per class beyond that."""
    X, y = tables.classification(settings.rows(1_000_000), n_classes=2)
    outcome = race(
        lambda: tw.CARTClassifier(engine="histogram", max_depth=DEPTH, n_jobs=settings.threads).fit(X, y),
        lambda: _one_tree(X, y, settings.threads),
        settings,
    )
    ours, theirs = outcome.our_result, outcome.their_result
    their_leaves = theirs.dump_model()["tree_info"][0]["num_leaves"]
    their_accuracy = float(((theirs.predict(X) > 0.5) == y).mean())
    leaves = f"leaves {ours.tree_.n_leaves} / {their_leaves}"
    accuracy = f"training accuracy {ours.score(X, y):.4f} / {their_accuracy:.4f}"
    work = f"histogram fit, {len(X):,}×{X.shape[1]} {X.dtype}, depth {DEPTH}, binning included"
    notes = f"{leaves}; {accuracy}; {settings.threads} threads and 255 bins each"
    return [of_race(work, "LightGBM, 1 tree", outcome, "≥ 1×, aim 2×", notes)]


def _one_tree(X: np.ndarray, y: np.ndarray, threads: int) -> Any:
    parameters = {
        "objective": "binary",
        "learning_rate": 1.0,
        "num_leaves": 2**DEPTH,
        "max_depth": DEPTH,
        "min_data_in_leaf": 1,
        "min_sum_hessian_in_leaf": 0.0,
        "max_bin": 255,
        "num_threads": threads,
        "verbose": -1,
    }
    return lightgbm.train(parameters, lightgbm.Dataset(X, y, params=parameters), num_boost_round=1)
