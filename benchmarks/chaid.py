"""CHAID beside PyPI's CHAID, both given the same frame of categories; and the merging of one column of many levels."""

from __future__ import annotations

import warnings
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

import treewright as tw
from race import race, timed
from report import Result, of_race, seconds
from settings import Settings

if TYPE_CHECKING:
    import pandas as pd

DEPTH = 4
MIN_ROWS = 30  # PyPI's
LEVELS = (2, 3, 4, 5, 6, 8, 10)


@lru_cache(maxsize=1)
def nominal(n_rows: int, n_columns: int) -> tuple[pd.DataFrame, NDArray[Any]]:
    """Columns of 2 to 10 levels, and an answer that follows a noisy sum of their effects."""
    import pandas as pd

    rng = np.random.default_rng(0)
    score = rng.logistic(size=n_rows)
    columns = {}
    for j in range(n_columns):
        k = LEVELS[j % len(LEVELS)]
        codes = rng.integers(0, k, n_rows)
        score += 0.5 * rng.normal(size=k)[codes]
        columns[f"column_{j:02d}"] = pd.Categorical.from_codes(codes, [f"level_{i}" for i in range(k)])
    return pd.DataFrame(columns), np.where(score > 0, "yes", "no")


def chaid(settings: Settings) -> list[Result]:
    """Same depth and sizes of nodes. PyPI's CHAID has no multipliers, keeps no rule for new rows, and is given text."""
    wanted = {20_000: "as fast", 1_000_000: "≥ 20×, < 2 s"}
    shapes = {20_000: 7, 1_000_000: 20}
    return [_beside_pypi(settings, settings.rows(n), shapes[n], wanted[n]) for n in shapes]


def _beside_pypi(settings: Settings, n_rows: int, n_columns: int, wanted: str) -> Result:
    X, y = nominal(n_rows, n_columns)
    table = X.astype(object).assign(target=y)
    ours = tw.CHAIDClassifier(
        max_depth=DEPTH, min_rows_split=MIN_ROWS + 1, min_rows_leaf=MIN_ROWS, n_jobs=settings.threads
    )
    outcome = race(lambda: ours.fit(X, y), lambda: _pypi(table, list(X)), settings)
    leaves = sum(node.is_terminal for node in outcome.their_result)
    notes = (
        f"leaves {outcome.our_result.tree_.n_leaves} / {leaves}, theirs without Bonferroni; {settings.threads} threads"
    )
    return of_race(f"CHAID, {n_rows:,}×{n_columns} nominal, depth {DEPTH}", "CHAID (PyPI)", outcome, wanted, notes)


def _pypi(table: pd.DataFrame, columns: list[str]) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # about pictures it cannot draw
        from CHAID import Tree

    tree = Tree.from_pandas_df(table, dict.fromkeys(columns, "nominal"), "target", max_depth=DEPTH)
    tree.build_tree()
    return tree


def merging(settings: Settings) -> list[Result]:
    """One column, from its table of counts to groups: no peer merges so many levels in time."""
    from treewright.kernels.search.group_tests import Difference
    from treewright.kernels.search.level_merging import MergeRules, merge, new_items

    results = []
    for k, wanted in ((200, "< 50 ms"), (1_000 if settings.quick else 10_000, "")):
        rng = np.random.default_rng(1)
        yes = rng.binomial(100, rng.uniform(0.2, 0.8, k))
        items = new_items(k, 2)
        items.table[:] = np.stack([yes, 100 - yes], axis=1)
        rules = MergeRules(
            int(Difference.CHI2), np.log(0.05), -np.inf, False, k, 7.0, 1.0, np.empty(0), np.ones(2)
        )  # fmt: skip
        merge(k, False, False, rules, items)
        time, groups = timed(lambda rules=rules, items=items, k=k: merge(k, False, False, rules, items))
        results.append(Result(f"merging {k:,} nominal levels", "", seconds(time), "", "", wanted, f"{groups} groups"))
    return results
