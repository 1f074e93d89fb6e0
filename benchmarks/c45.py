"""C4.5 beside Weka's J48, its growth with the size of the table, and what missing values cost when predicting."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pandas as pd

import tables
import treewright as tw
from race import timed
from report import Result, seconds
from settings import Settings
from weka import weka_time, why_not

ROWS = 200_000
GROWTH = (50_000, 200_000, 1_000_000, 2_000_000)
_WORK = "mixed table, {:,} rows, 6 numeric + 8 nominal, 5 % missing"


def against_weka(settings: Settings) -> list[Result]:
    """Weka says itself how long it took to build the model; reading the file is not part of it."""
    frame, y = tables.mixed(settings.rows(ROWS))
    ours = min(_fit_time(frame, y, settings) for _ in range(settings.repeats + 1))
    work, wanted = f"C4.5 as J48, {_WORK.format(len(frame))}", "≥ 10×, aim 25×"
    if reason := why_not():
        return [Result(work, "Weka J48", seconds(ours), "", "", wanted, f"skipped: {reason}")]
    theirs = min(weka_time("weka.classifiers.trees.J48", frame, y) for _ in range(settings.repeats))
    notes = f"{settings.threads} threads / 1; best of {settings.repeats}"
    return [Result(work, "Weka J48", seconds(ours), seconds(theirs), f"{theirs / ours:.1f}×", wanted, notes)]


def growth(settings: Settings) -> list[Result]:
    """How the time to fit grows, beside n·log n and beside the number of cases that C4.5 makes of the rows."""
    sizes = sorted({settings.rows(n) for n in GROWTH})
    times = [min(_fit_time(*tables.mixed(n), settings) for _ in range(2)) for n in sizes]
    wanted = sizes[-1] * math.log(sizes[-1]) / (sizes[0] * math.log(sizes[0]))
    few, many = (_cases(*tables.mixed(n), settings) for n in (sizes[0], sizes[-1]))
    by_size = ", ".join(f"{n:,}: {seconds(time)}" for n, time in zip(sizes, times))
    per_case = f"{1e9 * times[0] / few:.0f} and {1e9 * times[-1] / many:.0f} ns per case, of which {many / few:.0f}×"
    work = f"C4.5, mixed table with 5 % missing, {sizes[0]:,} to {sizes[-1]:,} rows"
    notes = f"{by_size}; {per_case}"
    return [Result(work, "n·log n", f"{times[-1] / times[0]:.1f}×", f"{wanted:.1f}×", "", "≤ n·log n", notes)]


def _cases(frame: pd.DataFrame, y: Any, settings: Settings) -> int:
    """Rows at all nodes that are split, a row being at several nodes of a level where its values are missing."""
    grown = tw.C45Classifier(flavour="j48", prune=False, collapse=False, n_jobs=settings.threads).fit(frame, y).tree_
    return int(grown.rows[grown.n_branches > 0].sum())


def predicting(settings: Settings) -> list[Result]:
    """The same model on rows with and without missing values."""
    frame, y = tables.mixed(settings.rows(ROWS))
    model = tw.C45Classifier(n_jobs=settings.threads).fit(frame, y)
    whole = frame.dropna()
    n = settings.rows(1_000_000)
    with_missing, without = (part.iloc[np.resize(np.arange(len(part)), n)] for part in (frame, whole))
    missing, none = (
        min(timed(lambda part=part: model.predict(part))[0] for _ in range(settings.repeats + 1))
        for part in (with_missing, without)
    )
    notes = f"{model.tree_.n_leaves} leaves; {settings.threads} threads"
    work = f"C4.5 predicts {n:,} rows, 5 % missing"
    return [Result(work, "no missing", seconds(missing), seconds(none), f"{missing / none:.2f}", "≤ 3", notes)]


def _fit_time(frame: pd.DataFrame, y: Any, settings: Settings) -> float:
    return timed(lambda: tw.C45Classifier(flavour="j48", n_jobs=settings.threads).fit(frame, y))[0]
