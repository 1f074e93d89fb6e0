"""The trees that rpart grew and pruned and its tables of CP, as stored, on tables without missing values."""

from __future__ import annotations

import numpy as np
import pytest

import oracle
import stored
import treewright as tw
from peers import Comparison, Cut, NumberedTree

TAGS = {
    *("gini", "information", "anova", "gini_cp0_ms2", "anova_cp0_ms2", "gini_ordered", "anova_ordered"),
    *("loss", "prior_equal"),
}

# rpart takes the first of equally good columns as we do, but it sums floats in the order of each column, so that
# rounding decides between columns that tie. These trees have such nodes; all others are simply the same.
TIED = {"boston_housing__anova_cp0_ms2", "credit_g__gini_cp0_ms2", "wine_red__anova_cp0_ms2"}

# rpart makes a leaf where no split improves at all; we split on unless told otherwise, as the next level may improve.
NO_ZERO_GAINS = 1e-9


def is_wanted(name: str) -> bool:
    dataset, tag = name.split("__")
    return tag in TAGS and not stored.has_missing(dataset)


def estimator(data, tag: str, min_gain: float = NO_ZERO_GAINS):
    """rpart's defaults, or its full tree: cp is the decrease of risk per split, in units of the root's risk."""
    full = tag.endswith("cp0_ms2")
    options = {"min_rows_split": 2 if full else 20, "min_rows_leaf": 1 if full else 7, "min_gain": min_gain}
    cp = 0.0 if full else 0.01
    if data.task == "regression":
        return tw.CARTRegressor(prune=tw.prune.CostComplexity(cp, relative=True), **options)
    prune = tw.prune.CostComplexity(cp, risk="misclassification", relative=True)
    options |= {"costs": loss_of(data)} if tag == "loss" else {"priors": "equal"} if tag == "prior_equal" else {}
    return tw.CARTClassifier(criterion=criterion_of(tag), prune=prune, **options)


def criterion_of(tag: str) -> str:
    return {"information": "entropy", "anova": "squared_error"}.get(tag.split("_")[0], "gini")


def loss_of(data) -> dict:
    """What the stored runs were given: to take the second class for the first costs 5, any other error 1."""
    return {(data.classes[1], data.classes[0]): 5}


def load(name: str):
    golden = stored.compare().golden(str(stored.ORACLES / "golden" / "rpart" / f"{name}.json"))
    data = stored.compare().load(golden["dataset"])
    return golden, data, stored.table_of(data, ordered=name.endswith("ordered"))


def cuts_of(golden: dict, features: list[str]) -> dict[int, Cut]:
    """The thresholds. A node's primary split is followed by its competitors and surrogates in the list of splits."""
    frame, splits = golden["frame"], golden["splits"]
    cuts, place = {}, 0
    for node, var, competitors, surrogates in zip(*(frame[k] for k in ("node", "var", "ncompete", "nsurrogate"))):
        if var == "<leaf>":
            continue
        if abs(splits["ncat"][place]) == 1:
            cuts[node] = Cut(features.index(var), splits["index"][place])
        place += 1 + competitors + surrogates
    return cuts


def comparison_of(golden: dict, data, X, tag: str, *, tied: bool) -> Comparison:
    y = data.y

    def refit(rows, depth):
        return estimator(data, tag).fit(X.iloc[rows], y[rows])

    peer = NumberedTree(np.array(golden["where"]), cuts_of(golden, data.features))
    return Comparison(peer, X, y, criterion_of(tag), data.classes, np.ones(len(y)), refit if tied else None)


@pytest.mark.parametrize("path", stored.cases("rpart", is_wanted))
def test_same_tree(path):
    golden, data, X = load(path.stem)
    tag = stored.tag_of(path.stem)
    tied = path.stem in TIED
    model = estimator(data, tag).fit(X, stored.target_of(data))
    found = comparison_of(golden, data, X, tag, tied=tied).walk(model)
    assert found.leaves == golden["leaves"]
    assert (found.ties > 0) == tied
    np.testing.assert_array_equal(found.leaf, golden["where"])
    stored.check_values(golden, found.values, model.schema_.target)
    if not tied:
        risk = data.classes and "misclassification"
        stored.check_cp_table(golden, model.pruning_path(risk, relative=True, links="rpart"))


@pytest.mark.parametrize("path", stored.cases("rpart", lambda name: stored.tag_of(name) == "loss"))
def test_the_stored_losses_are_ours(path):
    golden = stored.compare().golden(str(path))
    data = stored.compare().load(golden["dataset"])
    model = estimator(data, "loss").fit([[k] for k in range(len(data.classes))], data.classes)
    order = [model.classes_.tolist().index(label) for label in data.classes]
    np.testing.assert_array_equal(np.array(model.schema_.target.costs)[np.ix_(order, order)], golden["parms"]["loss"])


@pytest.mark.parametrize("path", stored.cases("rpart", lambda name: name == "servo__anova_cp0_ms2"))
def test_zero_gain_is_why_rpart_stops_before_us(path):
    """Rows of 34, 34, 35, 35 where every split leaves a 34 and a 35 on both sides: rpart stops there, we go on."""
    golden, data, X = load(path.stem)
    y, where = data.y, np.array(golden["where"])
    columns = [oracle.Column("nominal", X[name].cat.codes + 1) for name in X]
    ours = estimator(data, "anova_cp0_ms2", min_gain=0.0).fit(X, y)
    split_by_us = [rows for rows in groups(where) if len(np.unique(ours.apply(X.iloc[rows]))) > 1]
    assert [sorted(y[rows]) for rows in split_by_us] == [[34, 34, 35, 35]]
    best = oracle.best_split(columns, y, rows=split_by_us[0], criterion="squared_error")
    assert best.splits
    assert best.score == pytest.approx(0, abs=1e-12)
    assert ours.tree_.n_leaves == golden["leaves"] + 3


def groups(labels: np.ndarray) -> list[np.ndarray]:
    return [np.flatnonzero(labels == label) for label in np.unique(labels)]
