"""Makes the stored models of a format version: once, when it is new. What is there is never written again.

    PYTHONPATH=src python tests/stored_models_made.py

Files of every version that ever was are loaded and asked by tests/model/test_stored_models.py, for ever. A file
that no longer gives its answers is not to be made anew: the reader is to be mended.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

import numpy as np

import treewright as tw
from treewright.tree.io import VERSION

HERE = Path(__file__).parent / "stored_models"
ANSWERS = "answers.txt"  # JSON; what ends in .json is a model
NUMBERS = ("size", "age")
DATES = "CARTClassifier-dates"  # of the column of dates alone


def rows(n: int, seed: int) -> tuple[dict[str, list], list[str], list[float]]:
    """Numbers, levels, missing cells, a target of three classes and one of numbers."""
    random = np.random.default_rng(seed)
    size, age = np.round(random.normal(10, 3, n), 2), random.integers(18, 70, n)
    town = np.array(["north", "south", "old town"])[random.integers(0, 3, n)]
    score = size + (town == "old town") * 4 - (age > 40) * 3 + random.normal(0, 0.5, n)
    classes = np.array(["low", "middle", "high"])[np.digitize(score, [8.0, 12.0])]
    cells = {
        "size": [None if random.random() < 0.05 else float(x) for x in size],
        "age": [int(x) for x in age],
        "town": [None if random.random() < 0.05 else str(x) for x in town],
    }
    days = np.datetime64("2024-01-01") + random.integers(0, 366, n)
    cells["joined"] = [f"{day.month:02}/{day.day:02}/{day.year}" for day in days.astype(object)]
    return cells, classes.tolist(), np.round(score, 3).tolist()


def models() -> dict:
    """One of every kind, unfitted; regressors are those without probabilities."""
    stump, tree = tw.CARTClassifier(max_depth=2), tw.CARTRegressor(max_depth=2)
    made = [
        tw.ID3Classifier(max_depth=3), tw.C45Classifier(), tw.CARTClassifier(max_depth=3, missing="surrogate"),
        tw.CHAIDClassifier(min_rows_split=4, min_rows_leaf=2), tw.TreeClassifier(leaf="logistic", max_depth=1),
        tw.CARTRegressor(max_depth=3), tw.CHAIDRegressor(min_rows_split=4, min_rows_leaf=2),
        tw.TreeRegressor(criterion="absolute_error", max_depth=2), tw.M5Regressor(), tw.M5RulesRegressor(),
        tw.C45RulesClassifier(), tw.C50Classifier(), tw.CubistRegressor(committees=2, neighbors=3),
        tw.SearchTreeClassifier(search=(2,), cv=3), tw.SearchTreeRegressor(search=(2,), cv=3),
        tw.KNNClassifier(k=3), tw.KNNRegressor(k=3),
        tw.RandomForestClassifier(n_trees=3, max_depth=2, random_state=0),
        tw.RandomForestRegressor(n_trees=3, max_depth=2, random_state=0),
        tw.ExtraTreesClassifier(n_trees=3, max_depth=2, random_state=0),
        tw.ExtraTreesRegressor(n_trees=3, max_depth=2, random_state=0),
        tw.BaggingClassifier(stump, n_trees=3, random_state=0), tw.BaggingRegressor(tree, n_trees=3, random_state=0),
        tw.AdaBoostClassifier(stump, n_rounds=3), tw.AdaBoostRegressor(tree, n_rounds=3, random_state=0),
    ]  # fmt: skip
    named = {type(model).__name__: model for model in made}
    named["C50Classifier-rules"] = tw.C50Classifier(rules=True)
    named["C50Classifier-boosted"] = tw.C50Classifier(trials=3)
    named[DATES] = tw.CARTClassifier(max_depth=3, kinds={"joined": "%m/%d/%Y"})
    named["CARTClassifier-costs"] = tw.CARTClassifier(max_depth=2, costs={("low", "high"): 5}, priors="equal")
    return named


def answers(model, X) -> dict[str, list]:
    """What a model says of rows."""
    said = {"predict": np.asarray(model.predict(X)).tolist()}
    if hasattr(model, "predict_proba"):
        said["predict_proba"] = np.asarray(model.predict_proba(X)).tolist()
    return said


def transformed(bins, X) -> list[list[str]]:
    coded = bins.transform({name: X[name] for name in NUMBERS})
    return [[str(cell) for cell in row] for row in np.asarray(coded, object).tolist()]


def main() -> None:
    folder = HERE / f"version_{VERSION}"
    if folder.exists():
        sys.exit(f"{folder} is there: stored models are made once")
    folder.mkdir(parents=True)
    X, classes, numbers = rows(40, 0)
    asked, _, _ = rows(12, 1)
    asked["town"][0] = "nowhere"
    plain, said = {name: X[name] for name in (*NUMBERS, "town")}, {}
    for name, model in models().items():
        model.fit(
            {"joined": X["joined"]} if name == DATES else plain, classes if hasattr(model, "predict_proba") else numbers
        )
        model.save(folder / f"{name}.json")
        said[name] = answers(model, asked)
    rule_set = tw.CARTClassifier(max_depth=2).fit(plain, classes).rule_set()
    rule_set.save(folder / "RuleSet.json")
    said["RuleSet"] = {"predict": np.asarray(rule_set.predict(asked)).tolist()}
    bins = tw.Discretizer().fit({name: X[name] for name in NUMBERS}, classes)
    bins.save(folder / "Discretizer.json")
    said["Discretizer"] = {"transform": transformed(bins, asked)}
    record = json.dumps({"rows": asked, "answers": said}, indent=1)
    (folder / ANSWERS).write_text(f"{record}\n", encoding="utf-8")


if __name__ == "__main__":
    main()
