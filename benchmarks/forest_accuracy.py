"""How well the default forests predict beside those of scikit-learn and YDF: repeated cross-validation, 100 trees.

python benchmarks/forest_accuracy.py FOLDER                     NAME.csv beside NAME.json, which has the columns' kinds
python benchmarks/forest_accuracy.py FOLDER --only iris vote    some of its tables
python benchmarks/forest_accuracy.py FOLDER --repeats 5 --folds 5
python benchmarks/forest_accuracy.py FOLDER --without-extra-trees

The smallest tables come first. A row for every table is printed when it is done, as markdown, and means at the end.
scikit-learn is given numbers: a column per level, and missing numbers as NaN. The folds are the same for all.
"""

from __future__ import annotations

import argparse
import csv
import json
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from sklearn.ensemble import ExtraTreesClassifier, ExtraTreesRegressor, RandomForestClassifier, RandomForestRegressor
from sklearn.model_selection import KFold, StratifiedKFold

import treewright as tw

TREES = 100
LEAST_ROWS = 50
MOST_ROWS = 10_000
Predict = Callable[[pd.DataFrame, Any, pd.DataFrame, int], np.ndarray]


def table_of(folder: Path, name: str) -> tuple[pd.DataFrame, np.ndarray, bool]:
    """The columns, the target, and whether it is a class."""
    with open(folder / f"{name}.csv", newline="") as file:
        header, *rows = csv.reader(file)
    about = json.loads((folder / f"{name}.json").read_text())
    kinds = {column["name"]: column["kind"] for column in about["columns"]}
    frame = pd.DataFrame(rows, columns=header).replace("?", None)
    target = about["target"]
    is_class = about["task"] == "classification"
    y = frame.pop(target)
    keep = y.notna().to_numpy()
    for column in frame:
        frame[column] = frame[column].astype(float) if kinds[column] == "numeric" else frame[column].astype("category")
    values = y[keep].to_numpy(str) if is_class else y[keep].to_numpy(float)
    return frame[keep].reset_index(drop=True), values, is_class


def ours(kind: Any, **options: Any) -> Predict:
    def predict(X: pd.DataFrame, y: Any, new: pd.DataFrame, seed: int) -> np.ndarray:
        model = kind(n_trees=TREES, random_state=seed, oob=False, **options).fit(X, y)
        return np.asarray(model.predict(new))

    return predict


def of_sklearn(kind: Any) -> Predict:
    def predict(X: pd.DataFrame, y: Any, new: pd.DataFrame, seed: int) -> np.ndarray:
        both = pd.get_dummies(pd.concat([X, new]), dummy_na=True).to_numpy(np.float32)
        model = kind(n_estimators=TREES, random_state=seed, n_jobs=2).fit(both[: len(X)], y)
        return np.asarray(model.predict(both[len(X) :]))

    return predict


def of_ydf(X: pd.DataFrame, y: Any, new: pd.DataFrame, seed: int) -> np.ndarray:
    import ydf

    ydf.verbose(0)
    is_class = np.asarray(y).dtype.kind not in "fi"
    names = {name: f"c{j}" for j, name in enumerate(X.columns)}
    as_text = [
        frame.rename(columns=names).astype({names[c]: str for c in X if X[c].dtype == "category"}) for frame in (X, new)
    ]
    for frame in as_text:
        frame.replace({"nan": None, "None": None}, inplace=True)
    task = ydf.Task.CLASSIFICATION if is_class else ydf.Task.REGRESSION
    model = ydf.RandomForestLearner(
        label="target", task=task, num_trees=TREES, random_seed=seed, num_threads=2,
        compute_oob_performances=False,
    ).train(as_text[0].assign(target=y))  # fmt: skip
    said = np.asarray(model.predict(as_text[1]))
    if not is_class:
        return said
    classes = np.array(model.label_classes())
    return classes[(said > 0.5).astype(int) if said.ndim == 1 else said.argmax(1)]


FORESTS: dict[bool, dict[str, Predict]] = {
    True: {
        "treewright": ours(tw.RandomForestClassifier),
        "scikit-learn": of_sklearn(RandomForestClassifier),
        "YDF": of_ydf,
        "treewright extra-trees": ours(tw.ExtraTreesClassifier),
        "scikit-learn extra-trees": of_sklearn(ExtraTreesClassifier),
    },
    False: {
        "treewright": ours(tw.RandomForestRegressor),
        "scikit-learn": of_sklearn(RandomForestRegressor),
        "YDF": of_ydf,
        "treewright extra-trees": ours(tw.ExtraTreesRegressor),
        "scikit-learn extra-trees": of_sklearn(ExtraTreesRegressor),
    },
}


def validated(
    X: pd.DataFrame, y: np.ndarray, is_class: bool, forests: dict[str, Predict], repeats: int, folds: int
) -> dict[str, float]:
    """Accuracy in percent, or the root mean squared error over the spread of the target, of each forest."""
    found: dict[str, list[float]] = {name: [] for name in forests}
    for repeat in range(repeats):
        splitter = (StratifiedKFold if is_class else KFold)(folds, shuffle=True, random_state=repeat)
        said = {name: np.empty(len(y), y.dtype) for name in found}
        for k, (rest, part) in enumerate(splitter.split(X, y)):
            for name, predict in forests.items():
                said[name][part] = predict(X.iloc[rest], y[rest], X.iloc[part], folds * repeat + k)
        for name, predicted in said.items():
            right = 100 * (predicted == y).mean() if is_class else np.sqrt(((predicted - y) ** 2).mean()) / y.std()
            found[name].append(float(right))
    return {name: float(np.mean(values)) for name, values in found.items()}


def tables_in(folder: Path, only: list[str] | None) -> list[tuple[str, tuple[pd.DataFrame, np.ndarray, bool]]]:
    """The tables by name, the smallest first."""
    names = [path.stem for path in folder.glob("*.json")]
    wanted = [name for name in names if (name in only if only else not name.endswith("_test"))]
    found = [(name, table_of(folder, name)) for name in wanted]
    found = [(name, table) for name, table in found if LEAST_ROWS <= len(table[1]) <= MOST_ROWS]
    return sorted(found, key=lambda named: (len(named[1][1]), named[0]))


def row(name: str, n_rows: int, found: dict[str, float], is_class: bool) -> str:
    cells = [f"{value:.2f}" if is_class else f"{value:.4f}" for value in found.values()]
    return f"| {name} | {n_rows} | {' | '.join(cells)} |"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--only", nargs="*")
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--folds", type=int, default=5)
    parser.add_argument("--without-extra-trees", action="store_true")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    tables = tables_in(options.folder, options.only)
    for is_class, what in ((True, "accuracy in %"), (False, "RMSE over the spread of the target")):
        forests = {
            name: predict
            for name, predict in FORESTS[is_class].items()
            if not (options.without_extra_trees and "extra" in name)
        }
        print(f"\n| {what} | rows | {' | '.join(forests)} |\n|{' --- |' * (2 + len(forests))}")
        rows = []
        for name, (X, y, of_classes) in tables:
            if of_classes == is_class:
                rows.append(validated(X, y, is_class, forests, options.repeats, options.folds))
                print(row(name, len(y), rows[-1], is_class), flush=True)
        if rows:
            means = {forest: float(np.mean([found[forest] for found in rows])) for forest in forests}
            print(row(f"mean of {len(rows)} tables", len(rows), means, is_class))


if __name__ == "__main__":
    main()
