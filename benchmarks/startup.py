"""What a user waits for before the first answer. Every time is measured in a fresh process."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from typing import Any

from report import Result, seconds
from settings import Settings

IMPORT = """
import json, sys, time
start = time.perf_counter()
import treewright
print(json.dumps({"time": time.perf_counter() - start, "numba": "numba" in sys.modules}))
"""

FIRST_FIT = """
import json, sys, time
import numpy, pandas, sklearn.base, sklearn.utils.validation
sys.path.insert(0, {here!r})
import tables
import treewright as tw
from sklearn.datasets import load_iris
X, y = {table}
model = {model}
start = time.perf_counter()
model.fit(X, y)
print(json.dumps({{"time": time.perf_counter() - start, "numba": "numba" in sys.modules}}))
"""

ONE_ROW = """
import json, sys, time
import numpy, pandas, sklearn.base, sklearn.utils.validation
import treewright as tw
row = json.load(open({row!r}))
start = time.perf_counter()
tw.load({model!r}).predict([row])
print(json.dumps({{"time": time.perf_counter() - start, "numba": "numba" in sys.modules}}))
"""

_MISCLASSIFICATION = 'tw.CARTClassifier(criterion="misclassification")'

# What is learned: its name, the table, the model and how long it may take on a fresh machine.
FIRST_FITS = (
    ("iris", "load_iris(return_X_y=True)", "tw.CARTClassifier()", 2),
    ("3,000 rows, mixed", "tables.mixed(3000)", "tw.CARTClassifier()", 2),
    ("3,000 rows, mixed, gain ratio", "tables.mixed(3000)", 'tw.CARTClassifier(criterion="gain_ratio")', 2),
    ("3,000 rows, misclassification", "tables.classification(3000)", _MISCLASSIFICATION, 2),
    ("5,000 rows, mixed, C4.5, subsets", "tables.mixed(5000)", "tw.C45Classifier(subset=True)", 2),
    ("3,000 rows, CHAID of a number", "tables.regression(3000)", "tw.CHAIDRegressor()", 2),
    ("3,000 rows, mixed, C4.5", "tables.mixed(3000)", "tw.C45Classifier()", 2),
    ("3,000 rows, mixed, C5.0", "tables.mixed(3000)", "tw.C50Classifier()", 2),
    ("3,000 rows, mixed, C5.0, rules", "tables.mixed(3000)", "tw.C50Classifier(rules=True)", 2),
    ("3,000 rows, mixed, CHAID", "tables.mixed(3000)", "tw.CHAIDClassifier()", 2),
    ("3,000 rows, regression", "tables.regression(3000)", "tw.CARTRegressor()", 2),
    ("3,000 rows, absolute error", "tables.regression(3000)", 'tw.CARTRegressor(criterion="absolute_error")', 2),
    ("3,000 rows, mixed, random forest", "tables.mixed(3000)", "tw.RandomForestClassifier()", 2),
    ("3,000 rows, regression, random forest", "tables.regression(3000)", "tw.RandomForestRegressor()", 2),
    ("3,000 rows, mixed, extra-trees", "tables.mixed(3000)", "tw.ExtraTreesClassifier()", 2),
    ("3,000 rows, regression, extra-trees", "tables.regression(3000)", "tw.ExtraTreesRegressor()", 2),
    ("3,000 rows, mixed, bagging", "tables.mixed(3000)", "tw.BaggingClassifier()", 2),
    ("3,000 rows, regression, bagging", "tables.regression(3000)", "tw.BaggingRegressor()", 2),
    ("3,000 rows, mixed, AdaBoost", "tables.mixed(3000)", "tw.AdaBoostClassifier()", 2),
    ("3,000 rows, M5'", "tables.regression(3000)", "tw.M5Regressor()", 2),
    ("3,000 rows, linear leaves", "tables.regression(3000)", 'tw.TreeRegressor(leaf="linear")', 2),
    ("3,000 rows, Cubist", "tables.regression(3000)", "tw.CubistRegressor()", 2),
    ("3,000 rows, mixed, search tree", "tables.mixed(3000)", "tw.SearchTreeClassifier()", 2),
    ("3,000 rows, search tree", "tables.classification(3000)", "tw.SearchTreeClassifier()", 2),
    ("3,000 rows, regression, search tree", "tables.regression(3000)", "tw.SearchTreeRegressor()", 2),
    ("3,000 rows, mixed, C5.0, ten trials", "tables.mixed(3000)", "tw.C50Classifier(trials=10)", 2),
    ("3,000 rows, Cubist, five committees", "tables.regression(3000)", "tw.CubistRegressor(committees=5)", 2),
    ("3,000 rows, mixed, bagging of C4.5", "tables.mixed(3000)", "tw.BaggingClassifier(tw.C45Classifier())", 2),
    ("200,000 rows, mixed, depth 8", "tables.mixed(200_000)", "tw.CARTClassifier(max_depth=8)", 6),
)


def importing(settings: Settings) -> list[Result]:
    runs = [_run(IMPORT) for _ in range(2 if settings.quick else 5)]
    numba = "numba imported" if any(run["numba"] for run in runs) else "numba not imported"
    best = seconds(min(run["time"] for run in runs))
    return [Result("import treewright", "", best, "", "", "≤ 0.3 s, no numba", f"{numba}; best of {len(runs)}")]


def first_fit(settings: Settings) -> list[Result]:
    return [*(_first_fit(*row) for row in FIRST_FITS), _one_row()]


def _first_fit(name: str, table: str, model: str, limit: int) -> Result:
    script = FIRST_FIT.format(here=os.path.dirname(os.path.abspath(__file__)), table=table, model=model)
    return _cold_and_warm(f"first fit ever, {name}", script, f"≤ {limit} s")


def _one_row() -> Result:
    """A saved model of the mixed table predicts one row in a process of its own."""
    import tables
    import treewright as tw

    X, y = tables.mixed(3000)
    with tempfile.TemporaryDirectory() as folder:
        model, row = os.path.join(folder, "model.json"), os.path.join(folder, "row.json")
        tw.CARTClassifier().fit(X, y).save(model)
        with open(row, "w") as file:
            file.write(X.iloc[0].to_json())
        script = ONE_ROW.format(model=model, row=row)
        return _cold_and_warm("load a model and predict one row", script, "≤ 2 s, ≤ 1 s with kernels on disk")


def _cold_and_warm(work: str, script: str, limit: str) -> Result:
    """On a fresh machine, and once all kernels that the work may need are on disk."""
    with tempfile.TemporaryDirectory() as cache:
        place = {"NUMBA_CACHE_DIR": cache, "TREEWRIGHT_COMPILE": "auto"}
        cold = _run(script, place)
        compiling = _run(script, {**place, "TREEWRIGHT_COMPILE": "always"})
        warm = _run(script, place)
    road = "compiled" if cold["numba"] else "plain"
    notes = f"{road}; compiling all it may need: {seconds(compiling['time'])}, then: {seconds(warm['time'])}"
    return Result(work, "", seconds(cold["time"]), "", "", limit, notes)


def _run(script: str, environment: Mapping[str, str] | None = None) -> dict[str, Any]:
    full = {**os.environ, **(environment or {})}
    done = subprocess.run([sys.executable, "-c", script], check=True, stdout=subprocess.PIPE, text=True, env=full)
    return dict(json.loads(done.stdout.splitlines()[-1]))
