"""C5.0, M5' and Cubist: beside bars where the original cannot be had, and beside Cubist, linear-tree and Weka."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import pandas as pd

import tables
import treewright as tw
from memory import added_by
from race import race, timed
from report import Result, of_race, seconds
from settings import Settings
from weka import weka_time, why_not

_MIXED = "mixed table, {:,} rows, 6 numeric + 8 nominal, 5 % missing"


def c50(settings: Settings) -> list[Result]:
    frame, y = tables.mixed(settings.rows(200_000))
    found = []
    for work, model, wanted in (
        ("C5.0, a tree", tw.C50Classifier(), "≤ 1.0 s"),
        ("C5.0, ten trials", tw.C50Classifier(trials=10), "≤ 8 s"),
        ("C5.0, rules", tw.C50Classifier(rules=True), ""),
    ):
        model.fit(frame.iloc[:20_000], y[:20_000])  # the kernels are compiled, those of large nodes too
        time, _ = timed(lambda model=model: model.fit(frame, y))
        found.append(Result(f"{work}, {_MIXED.format(len(frame))}", "", seconds(time), "", "", wanted, "one run"))
    return found


def cubist(settings: Settings) -> list[Result]:
    """PyPI's cubist is the original behind a wrapper."""
    from cubist import Cubist

    frame, y = _regression(settings.rows(100_000))
    outcome = race(
        lambda: tw.CubistRegressor(committees=5).fit(frame, y), lambda: Cubist(n_committees=5).fit(frame, y), settings
    )
    work = f"Cubist, 5 committees, {len(frame):,}×{frame.shape[1]} numbers"
    return [of_race(work, "cubist (PyPI)", outcome, "≥ 3×, aim 8×", _errors(outcome, frame, y))]


def model_trees(settings: Settings) -> list[Result]:
    """M5' grows to the end; linear leaves stop where linear-tree does. It searches cuts by models, they by variance."""
    frame, y = _regression(settings.rows(20_000))
    found = []
    for work, model in (
        ("M5'", tw.M5Regressor()),
        ("linear leaves, depth 5", tw.TreeRegressor(leaf="linear", max_depth=5)),
    ):
        outcome = race(lambda model=model: model.fit(frame, y), lambda: _linear_tree().fit(frame, y), settings)
        work = f"{work}, {len(frame):,}×{frame.shape[1]} numbers"
        found.append(of_race(work, "linear-tree, depth 5", outcome, "≥ 30×", _errors(outcome, frame, y)))
    return [*found, _against_weka(settings)]


def linear_memory(settings: Settings) -> list[Result]:
    """Peak memory of learners with linear models, each in a process of its own."""
    found = []
    for work, name in (("Cubist, 5 committees", "CubistRegressor"), ("M5'", "M5Regressor")):
        frame, _ = _regression(settings.rows(100_000))
        command = [sys.executable, __file__, name, str(len(frame)), str(settings.threads)]
        added = int(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
        size = int(frame.memory_usage(index=False).sum())
        title = f"peak memory of {work}, {len(frame):,}×{frame.shape[1]} numbers"
        found.append(Result(title, "the table", f"{added / size:.2f}×", "", "", "≤ 4×", "resident memory added by fit"))
    return found


def _added_by_fit(name: str, n_rows: int, threads: int) -> int:
    frame, y = _regression(n_rows)
    tables.regression.cache_clear()
    tables.classification.cache_clear()
    options = {"committees": 5} if name == "CubistRegressor" else {}
    model = getattr(tw, name)(n_jobs=threads, **options)
    model.fit(frame.iloc[: n_rows // 5].copy(), y[: n_rows // 5])  # the kernels are compiled
    return added_by(lambda: model.fit(frame, y))


def _linear_tree() -> Any:
    from lineartree import LinearTreeRegressor
    from sklearn.linear_model import LinearRegression
    from sklearn.utils.validation import validate_data

    class OfToday(LinearTreeRegressor):  # type: ignore[misc]
        """Release 0.3.5 calls a method that scikit-learn has since made a function, with another name of an option."""

        def _validate_data(self, *arguments: Any, force_all_finite: bool = True, **options: Any) -> Any:
            return validate_data(self, *arguments, ensure_all_finite=force_all_finite, **options)

    return OfToday(LinearRegression(), max_depth=5)


def _against_weka(settings: Settings) -> Result:
    frame, y = _regression(settings.rows(100_000))
    model = tw.M5Regressor()
    ours = min(timed(lambda: model.fit(frame, y))[0] for _ in range(settings.repeats))
    work, wanted = f"M5', {len(frame):,}×{frame.shape[1]} numbers", "≥ 10×"
    if reason := why_not():
        return Result(work, "Weka M5P", seconds(ours), "", "", wanted, f"skipped: {reason}")
    theirs = min(weka_time("weka.classifiers.trees.M5P", frame, y) for _ in range(settings.repeats))
    return Result(work, "Weka M5P", seconds(ours), seconds(theirs), f"{theirs / ours:.1f}×", wanted, "")


def _regression(n_rows: int) -> tuple[pd.DataFrame, Any]:
    X, y = tables.regression(n_rows)
    return pd.DataFrame(X[:, :10].astype(float), columns=[f"x{j}" for j in range(10)]), y


def _errors(outcome: Any, frame: pd.DataFrame, y: Any) -> str:
    """How well both fit what they learned from."""
    ours, theirs = (
        ((model.predict(frame) - y) ** 2).mean() ** 0.5 for model in (outcome.our_result, outcome.their_result)
    )
    return f"RMSE of the training rows {ours:.4g} / {theirs:.4g}"


if __name__ == "__main__":
    print(_added_by_fit(sys.argv[1], int(sys.argv[2]), int(sys.argv[3])))
