"""A table of numbers, words and missing values beside YDF's CART, both given the same frame in memory."""

from __future__ import annotations

import ydf

import tables
import treewright as tw
from race import race
from report import Result, of_race
from settings import Settings

DEPTH = 8
MIN_ROWS = 5
TARGET = "target"


def mixed(settings: Settings) -> list[Result]:
    """Settings match: entropy, as YDF scores classes, same depth and rows per leaf, no pruning, all columns.

    What differs: YDF imputes the column's mean or commonest level, treewright tries both directions. YDF
    counts the root as depth 1.
    """
    ydf.verbose(0)
    frame, y = tables.mixed(settings.rows(200_000))
    labelled = frame.assign(**{TARGET: y})
    outcome = race(
        lambda: tw.CARTClassifier(
            criterion="entropy", max_depth=DEPTH, min_rows_leaf=MIN_ROWS, n_jobs=settings.threads
        ).fit(frame, y),
        lambda: _learner(settings).train(labelled),
        settings,
    )
    ours, theirs = outcome.our_result, outcome.their_result
    leaves = f"leaves {ours.tree_.n_leaves} / {(theirs.num_nodes() + 1) // 2}"
    accuracy = f"training accuracy {ours.score(frame, y):.4f} / {theirs.evaluate(labelled).accuracy:.4f}"
    notes = f"{leaves}; {accuracy}; {settings.threads} threads each"
    work = f"mixed table, {len(frame):,} rows, 6 numeric + 8 nominal, 5 % missing, depth {DEPTH}"
    return [of_race(work, "YDF CartLearner", outcome, "≥ 1.5×, aim 3×", notes)]


def _learner(settings: Settings) -> ydf.CartLearner:
    return ydf.CartLearner(
        label=TARGET,
        max_depth=DEPTH + 1,
        min_examples=MIN_ROWS,
        validation_ratio=0.0,
        num_threads=settings.threads,
    )
