"""Predicting many rows, and the small table where overhead is all there is."""

from __future__ import annotations

import numpy as np
from sklearn.datasets import load_iris
from sklearn.tree import DecisionTreeClassifier

import tables
import treewright as tw
from race import race
from report import Result, of_race
from settings import Settings

IRIS_TURNS = 50


def predict(settings: Settings) -> list[Result]:
    X, y = tables.classification(settings.rows(1_000_000))
    few = slice(0, settings.rows(200_000))
    ours = tw.CARTClassifier(max_depth=10, n_jobs=settings.threads).fit(X[few], y[few])
    theirs = DecisionTreeClassifier(max_depth=10, random_state=0).fit(X[few], y[few])
    outcome = race(lambda: ours.predict_proba(X), lambda: theirs.predict_proba(X), settings)
    same = np.isclose(outcome.our_result, outcome.their_result).all(axis=1).mean()
    work = f"predict_proba, {len(X):,}×{X.shape[1]} {X.dtype}, depth 10"
    notes = f"the same probabilities on {same:.3%} of rows; {settings.threads} threads / 1"
    return [of_race(work, "scikit-learn", outcome, "≥ 1.5×, aim 4×", notes)]


def iris(settings: Settings) -> list[Result]:
    X, y = load_iris(return_X_y=True)

    def fit_and_predict(model: type, **options: object) -> None:
        for _ in range(IRIS_TURNS):
            model(**options).fit(X, y).predict(X)

    outcome = race(
        lambda: fit_and_predict(tw.CARTClassifier),
        lambda: fit_and_predict(DecisionTreeClassifier, random_state=0),
        settings,
    )
    work = f"fit + predict iris, warm, {IRIS_TURNS} times"
    return [of_race(work, "scikit-learn", outcome, "≥ 0.5×, aim 1×")]
