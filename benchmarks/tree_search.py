"""The search over the top splits beside a greedy tree that is pruned by cross-validation: how many times as long."""

from __future__ import annotations

from sklearn.datasets import make_classification

import treewright as tw
from race import race
from report import Result, seconds
from settings import Settings

FOLDS = 10
MOST_SECONDS = {1_000: 2, 10_000: 20}
MOST_TIMES = 40


def against_greedy(settings: Settings) -> list[Result]:
    """Both choose their complexity parameter by ten folds, once."""
    return [_against_greedy(settings.rows(rows), most, settings) for rows, most in MOST_SECONDS.items()]


def _against_greedy(rows: int, most: int, settings: Settings) -> Result:
    X, y = make_classification(rows, 20, n_informative=5, random_state=0)
    search = tw.SearchTreeClassifier(cv=FOLDS, repeats=1, n_jobs=settings.threads)
    greedy = tw.CARTClassifier(n_jobs=settings.threads)
    outcome = race(
        lambda: search.fit(X, y),
        lambda: greedy.fit(X, y).prune("cost-complexity", X_val=X, y_val=y, cv=FOLDS),
        settings,
    )
    leaves = f"{outcome.our_result.tree_.n_leaves} / {outcome.their_result.tree_.n_leaves}"
    return Result(
        f"search for a tree, {rows:,}×20, 10 folds", "CART here, pruned by 10 folds", seconds(outcome.ours),
        seconds(outcome.theirs), f"{outcome.ours / outcome.theirs:.1f} times as long",
        f"≤ {most} s, ≤ {MOST_TIMES} times", f"leaves {leaves}; best of {outcome.repeats}",
    )  # fmt: skip
