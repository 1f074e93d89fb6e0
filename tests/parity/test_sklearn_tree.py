"""The trees that scikit-learn's DecisionTree… grew, as stored: the same up to ties between columns."""

from __future__ import annotations

import re

import numpy as np
import pandas as pd
import pytest

import stored
import treewright as tw
from peers import ArrayTree, Comparison

OPTION_OF = {"max_depth": "max_depth", "min_samples_leaf": "min_rows_leaf", "max_leaf_nodes": "max_leaves"}
CRITERIA = {"gini": "gini", "entropy": "entropy", "squared_error": "squared_error", "poisson": "poisson"}
CRITERIA["friedman_mse"] = "squared_error"  # orders the cuts of a node as squared error does, by another formula
CRITERIA["absolute_error"] = "absolute_error"


def options_of(text: str) -> dict:
    """From scikit-learn's options to ours: ``(random_state=0, criterion=gini,max_depth=3)``."""
    options = {
        OPTION_OF[name]: int(value) for name, value in re.findall(r"(\w+)=(\d+)\b(?!\.)", text) if name in OPTION_OF
    }
    (criterion,) = {CRITERIA[word] for word in re.findall(r"\w+", text) if word in CRITERIA}
    alpha = re.search(r"ccp_alpha=([\d.]+)", text)
    if alpha:
        options["prune"] = tw.prune.CostComplexity(float(alpha[1]))
    if "class_weight=balanced" in text:
        options["class_weight"] = "balanced"
    return {"criterion": criterion, **options}


@pytest.mark.parametrize("path", stored.cases("sklearn_tree"))
def test_same_tree(path):
    golden = stored.compare().golden(str(path))
    data = stored.compare().load(golden["dataset"])
    X = stored.table_of(data).astype(np.float32)
    options = options_of(golden["options"])
    comparison = comparison_of(golden, data, X, options)
    found = comparison.walk(estimator(data, options).fit(X, data.y))
    assert found.leaves == golden["leaves"]
    stored.check_values(golden, found.values)


def estimator(data, options: dict):
    return (tw.CARTRegressor if data.task == "regression" else tw.CARTClassifier)(**options)


def comparison_of(golden: dict, data, X: pd.DataFrame, options: dict) -> Comparison:
    nodes = {name: np.array(golden["nodes"][name]) for name in ("left", "right", "feature", "threshold")}
    weight_of = weights_of(data.y, options.get("class_weight"))
    whole = {"max_leaves", "prune"} & options.keys()

    def refit(rows, depth):
        limits = {"max_depth": options["max_depth"] - depth} if "max_depth" in options else {}
        part = {**options, **limits}
        if "class_weight" in options:
            part["class_weight"] = {label: weight for label, weight in weight_of.items() if label in data.y[rows]}
        return estimator(data, part).fit(X.iloc[rows], data.y[rows])

    return Comparison(
        peer=ArrayTree(**nodes, X=X.to_numpy()),
        X=X,
        y=data.y,
        criterion=options["criterion"],
        classes=data.classes,
        weights=np.ones(len(X)) if weight_of is None else np.array([weight_of[label] for label in data.y]),
        refit=None if whole else refit,
    )


def weights_of(y: np.ndarray, class_weight: str | None) -> dict | None:
    """What "balanced" means: rows / (classes · rows of the class)."""
    if class_weight is None:
        return None
    labels, counts = np.unique(y, return_counts=True)
    return dict(zip(labels.tolist(), len(y) / (len(labels) * counts)))
