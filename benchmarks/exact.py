"""Exact fits, every distinct value a candidate, beside scikit-learn's trees (which use one thread)."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

import tables
import treewright as tw
from race import race
from report import Result, of_race
from settings import Settings

DEPTHS = (6, None)


def classification(settings: Settings) -> list[Result]:
    n_rows = settings.rows(200_000)
    configurations = [(criterion, depth) for criterion in ("gini", "entropy") for depth in DEPTHS]
    return [_classify(n_rows, criterion, depth, "≥ 15×, aim 25×", settings) for criterion, depth in configurations]


def scaling(settings: Settings) -> list[Result]:
    """Larger tables: the ratio must not fall and the time per cell and level must stay flat."""
    wanted = "ratio does not fall"
    sizes = (settings.rows(200_000), settings.rows(500_000), settings.rows(2_000_000))
    return [_classify(n_rows, "gini", depth, wanted, settings) for depth in DEPTHS for n_rows in sizes]


def regression(settings: Settings) -> list[Result]:
    X, y = tables.regression(settings.rows(200_000))
    results = []
    for depth in DEPTHS:
        outcome = race(
            lambda depth=depth: tw.CARTRegressor(max_depth=depth, n_jobs=settings.threads).fit(X, y),
            lambda depth=depth: DecisionTreeRegressor(max_depth=depth, random_state=0).fit(X, y),
            settings,
        )
        notes = _agreement(outcome.our_result, outcome.their_result, X, y, "R²")
        work = f"exact regression fit, {_shape(X)}, {_depth(depth)}"
        results.append(of_race(work, "scikit-learn", outcome, "≥ 12×, aim 20×", notes))
    return results


def absolute_error(settings: Settings) -> list[Result]:
    """Medians instead of means. scikit-learn's takes n·log n since 1.8; before it took n²."""
    results: list[Result] = []
    options: dict[str, Any] = {"criterion": "absolute_error", "max_depth": 6}
    for n_rows in (settings.rows(20_000), settings.rows(100_000)):
        X, y = tables.regression(n_rows)
        outcome = race(
            lambda X=X, y=y: tw.CARTRegressor(**options, n_jobs=settings.threads).fit(X, y),
            lambda X=X, y=y: DecisionTreeRegressor(**options, random_state=0).fit(X, y),
            settings,
        )
        notes = _agreement(outcome.our_result, outcome.their_result, X, y, "R²")
        results.append(of_race(f"absolute error, {_shape(X)}, {_depth(6)}", "scikit-learn", outcome, "≥ 5×", notes))
    return results


def _classify(n_rows: int, criterion: str, depth: int | None, wanted: str, settings: Settings) -> Result:
    X, y = tables.classification(n_rows)
    outcome = race(
        lambda: tw.CARTClassifier(criterion=criterion, max_depth=depth, n_jobs=settings.threads).fit(X, y),
        lambda: DecisionTreeClassifier(criterion=criterion, max_depth=depth, random_state=0).fit(X, y),
        settings,
    )
    ours, theirs = outcome.our_result, outcome.their_result
    cost = outcome.ours / _our_cells(ours) * 1e9, outcome.theirs / _their_cells(theirs) * 1e9
    notes = f"{_agreement(ours, theirs, X, y, 'accuracy')}; {cost[0]:.2f} / {cost[1]:.2f} ns per row·column·level"
    work = f"exact fit, {_shape(X)}, {len(np.unique(y))} classes, {criterion}, {_depth(depth)}"
    return of_race(work, "scikit-learn", outcome, wanted, notes)


def _agreement(ours: Any, theirs: Any, X: np.ndarray, y: np.ndarray, measure: str) -> str:
    nodes = f"nodes {ours.tree_.n_nodes} / {theirs.tree_.node_count}"
    return f"{nodes}; training {measure} {ours.score(X, y):.5f} / {theirs.score(X, y):.5f}"


def _our_cells(model: Any) -> int:
    """Cells looked at while growing: every column of every row, at each node that was split."""
    tree = model.tree_
    return int(tree.rows[tree.n_branches > 0].sum()) * int(model.n_features_in_)


def _their_cells(model: Any) -> int:
    tree = model.tree_
    return int(tree.n_node_samples[tree.children_left >= 0].sum()) * int(model.n_features_in_)


def _shape(X: np.ndarray) -> str:
    return f"{len(X):,}×{X.shape[1]} {X.dtype}"


def _depth(depth: int | None) -> str:
    return "unlimited" if depth is None else f"depth {depth}"
