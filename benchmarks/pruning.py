"""The cost-complexity sequence of a large tree, and the choice of α by cross-validation.

scikit-learn's recipe for the latter is a search over the α of its pruning path that fits a tree for every α and fold.
Here a tree is grown per fold, and its sequence has all the answers.
"""

from __future__ import annotations

import numpy as np
from sklearn.model_selection import GridSearchCV, StratifiedKFold
from sklearn.tree import DecisionTreeClassifier

import treewright as tw
from race import race
from report import Result, of_race
from settings import Settings

FOLDS = 10


def noise(n_rows: int, n_columns: int, signal: float) -> tuple[np.ndarray, np.ndarray]:
    """Classes that have little to do with the columns, so that a full tree is large."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n_rows, n_columns)).astype(np.float32)
    return X, (signal * X[:, 0] + rng.normal(size=n_rows) > 0).astype(int)


def sequence(settings: Settings) -> list[Result]:
    """Both from rows to sequence, as scikit-learn grows the tree within the call. Neither side refits a tree."""
    X, y = noise(settings.rows(330_000), 4, 0.0)
    peer = DecisionTreeClassifier(random_state=0)

    def grow_and_follow() -> tuple[tw.CARTClassifier, object]:
        model = tw.CARTClassifier(n_jobs=settings.threads).fit(X, y)
        return model, model.pruning_path()

    outcome = race(grow_and_follow, lambda: peer.cost_complexity_pruning_path(X, y), settings)
    model, path = outcome.our_result
    work = f"fit + pruning path, {len(X):,}×{X.shape[1]}, {model.tree_.n_leaves:,} leaves"
    alone = race(model.pruning_path, lambda: None, settings)
    notes = f"{len(path):,} trees; the sequence alone takes {alone.ours:.3f} s; scikit-learn would still have to refit"
    return [of_race(work, "scikit-learn", outcome, "the sequence < 1 s", notes), _all_trees(settings)]


def _all_trees(settings: Settings) -> Result:
    """Every tree of the sequence: cut from the one tree here, fitted for every α there."""
    X, y = noise(min(settings.rows(4_000), 300 if settings.quick else 4_000), 4, 0.0)

    def cut() -> list[int]:
        return [tree.n_leaves for tree in tw.CARTClassifier(n_jobs=settings.threads).fit(X, y).pruning_path().trees]

    def refit() -> list[int]:
        alphas = np.unique(DecisionTreeClassifier(random_state=0).cost_complexity_pruning_path(X, y).ccp_alphas)
        fits = (DecisionTreeClassifier(random_state=0, ccp_alpha=max(alpha, 0.0)).fit(X, y) for alpha in alphas)
        return [int(fit.get_n_leaves()) for fit in fits]

    outcome = race(cut, refit, settings)
    work = f"every tree of a pruning path, {len(X):,}×{X.shape[1]}"
    return of_race(work, "scikit-learn", outcome, "≥ 20×", f"{len(outcome.our_result)} trees; refitted there")


def choice(settings: Settings) -> list[Result]:
    X, y = noise(min(settings.rows(3_000), 300 if settings.quick else 3_000), 10, 1.0)
    folds = StratifiedKFold(FOLDS, shuffle=True, random_state=0)

    def search() -> int:
        alphas = DecisionTreeClassifier(random_state=0).cost_complexity_pruning_path(X, y).ccp_alphas
        grid = {"ccp_alpha": np.unique(np.maximum(alphas, 0.0))}
        found = GridSearchCV(DecisionTreeClassifier(random_state=0), grid, cv=folds, n_jobs=settings.threads).fit(X, y)
        return int(found.best_estimator_.get_n_leaves())

    def prune() -> int:
        model = tw.CARTClassifier(n_jobs=settings.threads).fit(X, y)
        return int(model.prune("cost-complexity", cv=folds, rule="0se").tree_.n_leaves)

    outcome = race(prune, search, settings)
    work = f"α by {FOLDS}-fold cross-validation, {len(X):,}×{X.shape[1]}"
    notes = f"{outcome.our_result} / {outcome.their_result} leaves chosen"
    return [of_race(work, "GridSearchCV", outcome, "≥ 15×", notes)]
