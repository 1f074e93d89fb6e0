"""The cost-complexity sequence of a large tree, the choice of α by cross-validation, and the other methods.

scikit-learn finds the α of the sequence, but to have its trees or their errors one fits a tree for every α, and for
every fold to choose one. Here a tree is grown once, or once per fold, and its sequence has all the answers.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace

import numpy as np
from sklearn.model_selection import GridSearchCV, StratifiedKFold
from sklearn.tree import DecisionTreeClassifier

import treewright as tw
from race import Race, race, timed
from report import Result, of_race, seconds
from settings import Settings

FOLDS = 10
REFITS = 3  # of how many α the time to fit a tree is measured where all would take days
METHODS = {
    "reduced error": tw.prune.ReducedError(),
    "reduced error, greedy": tw.prune.ReducedError("greedy"),
    "minimum error": tw.prune.MinimumError(),
    "pessimistic": tw.prune.Pessimistic(),
    "error-based": tw.prune.ErrorBased(raising=False),
    "cost-based": tw.prune.CostBased(),
    "critical value": tw.prune.CriticalValue(),
    "MDL": tw.prune.MDL(),
}


def noise(n_rows: int, n_columns: int, signal: float) -> tuple[np.ndarray, np.ndarray]:
    """Classes that have little to do with the columns, so that a full tree is large."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n_rows, n_columns)).astype(np.float32)
    return X, (signal * X[:, 0] + rng.normal(size=n_rows) > 0).astype(int)


def sequence(settings: Settings) -> list[Result]:
    X, y = noise(settings.rows(330_000), 4, 0.0)
    model = tw.CARTClassifier(n_jobs=settings.threads).fit(X, y)
    return [_errors_of_all(settings, model, X, y), _all_trees(settings), _other_methods(model, X, y, settings)]


def _errors_of_all(settings: Settings, model: tw.CARTClassifier, X: np.ndarray, y: np.ndarray) -> Result:
    """Training errors and leaves of every tree. scikit-learn's refits are timed for a few α and scaled to all."""
    loss = model.tree_.stats.min(axis=1)

    def follow() -> tuple[int, np.ndarray]:
        path = model.pruning_path()
        return len(path), path.along(loss) / len(y) + path.leaves

    follow()
    ours, (n_trees, _) = min((timed(follow) for _ in range(settings.repeats)), key=lambda run: run[0])
    peer = DecisionTreeClassifier(random_state=0)
    path_time, found = timed(lambda: peer.cost_complexity_pruning_path(X, y))
    alphas = np.unique(np.maximum(found.ccp_alphas, 0.0))
    some = alphas[np.linspace(0, len(alphas) - 1, REFITS).astype(int)]
    refits = [timed(lambda alpha=alpha: peer.set_params(ccp_alpha=alpha).fit(X, y))[0] for alpha in some]
    theirs = path_time + float(np.mean(refits)) * len(alphas)
    work = f"pruning path with the error of every tree, {model.tree_.n_leaves:,} leaves"
    notes = (
        f"{n_trees:,} trees; peer: path {seconds(path_time)} and a refit for each of {len(alphas):,} α, "
        f"scaled from {REFITS}; its path alone {path_time / ours:.0f}×"
    )
    return of_race(work, "scikit-learn", Race(ours, theirs, 1, None, None), "< 1 s and ≥ 20×", notes)


def _all_trees(settings: Settings) -> Result:
    """Every tree of the sequence: cut from the one tree here, fitted for every α there."""
    X, y = noise(300 if settings.quick else 2_000, 4, 0.0)

    def cut() -> list[int]:
        return [tree.n_leaves for tree in tw.CARTClassifier(n_jobs=settings.threads).fit(X, y).pruning_path().trees]

    def refit() -> list[int]:
        alphas = np.unique(DecisionTreeClassifier(random_state=0).cost_complexity_pruning_path(X, y).ccp_alphas)
        fits = (DecisionTreeClassifier(random_state=0, ccp_alpha=max(alpha, 0.0)).fit(X, y) for alpha in alphas)
        return [int(fit.get_n_leaves()) for fit in fits]

    outcome = race(cut, refit, settings)
    work = f"fit, and every tree of its pruning path, {len(X):,}×{X.shape[1]}"
    return of_race(work, "scikit-learn", outcome, "≥ 20×", f"{len(outcome.our_result)} trees; refitted there")


def _other_methods(large: tw.CARTClassifier, X: np.ndarray, y: np.ndarray, settings: Settings) -> Result:
    """How much longer pruning takes when the tree has so many times the leaves."""
    few = len(X) // 10
    small = tw.CARTClassifier(n_jobs=settings.threads).fit(X[:few], y[:few])
    held_out = noise(few, X.shape[1], 0.0)
    times = {name: [_pruning(model, pruner, *held_out) for model in (small, large)] for name, pruner in METHODS.items()}
    slowest = max(times, key=lambda name: times[name][1])
    steepest = max(times, key=lambda name: times[name][1] / times[name][0])
    leaves = large.tree_.n_leaves / small.tree_.n_leaves
    return Result(
        work=f"every other method, {large.tree_.n_leaves:,} leaves",
        peer="",
        ours=f"{seconds(min(t for _, t in times.values()))} to {seconds(times[slowest][1])}",
        theirs="",
        ratio="",
        wanted="linear or n·log n",
        notes=f"slowest: {slowest}; with {leaves:.1f} times the leaves at most "
        f"{times[steepest][1] / times[steepest][0]:.1f} times as long ({steepest}); processor time of the pruner",
    )


def _pruning(model: tw.CARTClassifier, pruner: Callable[..., object], X: np.ndarray, y: np.ndarray) -> float:
    """Processor time of the pruner itself; sorting held-out rows into leaves is not part of it. The best of three."""
    data = tw.prune.hold_out(model.tree_, model.schema_, model.apply(X), y)
    needed = (data,) if getattr(pruner, "needs_data", False) else ()
    taken = []
    for _ in range(4):  # the first time compiles
        start = time.process_time()
        pruner(model.tree_, model.schema_, *needed)
        taken.append(time.process_time() - start)
    return min(taken[1:])


def choice(settings: Settings) -> list[Result]:
    X, y = noise(300 if settings.quick else 1_500, 10, 1.0)
    folds = StratifiedKFold(FOLDS, shuffle=True, random_state=0)

    def search() -> int:
        alphas = DecisionTreeClassifier(random_state=0).cost_complexity_pruning_path(X, y).ccp_alphas
        grid = {"ccp_alpha": np.unique(np.maximum(alphas, 0.0))}
        found = GridSearchCV(DecisionTreeClassifier(random_state=0), grid, cv=folds, n_jobs=settings.threads).fit(X, y)
        return int(found.best_estimator_.get_n_leaves())

    def prune() -> int:
        model = tw.CARTClassifier(n_jobs=settings.threads).fit(X, y)
        return int(model.prune("cost-complexity", cv=folds, rule="0se").tree_.n_leaves)

    outcome = race(prune, search, replace(settings, repeats=min(settings.repeats, 2)))
    work = f"α by {FOLDS}-fold cross-validation, {len(X):,}×{X.shape[1]}"
    notes = f"{outcome.our_result} / {outcome.their_result} leaves chosen"
    return [of_race(work, "GridSearchCV", outcome, "≥ 15×", notes)]
