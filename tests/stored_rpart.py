"""Estimators with the options of the stored runs of rpart on tables with missing values."""

from __future__ import annotations

import treewright as tw

CRITERIA = {"information": "entropy", "anova": "squared_error"}
VARIANTS = {
    "nosurrogate": {"missing": "stop"},
    "usesurrogate1": {"surrogate_otherwise": "stop"},
    "surrogatestyle1": {"surrogate_agreement": "known"},
}


def estimator(data, tag: str):
    full = tag.endswith("cp0_ms2")
    options = {"min_rows_split": 2 if full else 20, "min_rows_leaf": 1 if full else 7, "min_gain": 1e-9}
    options |= {"missing": "surrogate", **VARIANTS.get(tag, {})}
    criterion, cp = CRITERIA.get(tag.split("_")[0], "gini"), 0.0 if full else 0.01
    if data.task == "regression":
        return tw.CARTRegressor(criterion=criterion, prune=tw.prune.CostComplexity(cp, relative=True), **options)
    prune = tw.prune.CostComplexity(cp, risk="misclassification", relative=True)
    options |= {"costs": {(data.classes[1], data.classes[0]): 5}} if tag == "loss" else {}
    options |= {"priors": "equal"} if tag == "prior_equal" else {}
    return tw.CARTClassifier(criterion=criterion, prune=prune, **options)
