"""Pruning sequences that scikit-learn and rpart stored: where the full trees are the same, so are the sequences."""

from __future__ import annotations

import numpy as np
import pytest

import stored
import treewright as tw

DIGITS = 2e-6  # stored with nine digits or so; rpart's table with eleven


def has_path(name: str) -> bool:
    return stored.tag_of(name) in ("gini", "entropy", "mse")


@pytest.mark.parametrize("path", stored.cases("sklearn_tree", has_path))
def test_scikit_learn(path):
    golden = stored.compare().golden(str(path))
    data = stored.compare().load(golden["dataset"])
    X = stored.table_of(data).astype(np.float32)
    tag = stored.tag_of(path.stem)
    model = (tw.CARTRegressor() if tag == "mse" else tw.CARTClassifier(criterion=tag)).fit(X, data.y)
    ours = model.pruning_path(risk=None if tag == "mse" else tag)
    alphas, impurities = (np.array(golden["ccp_path"][name]) for name in ("alphas", "impurities"))
    # One node at a time there: of steps with the same α the last counts. Where columns tie, their tree may be another,
    # and only the part of the sequence near the root, which the ties below hardly touch, is compared.
    last = np.append(np.diff(alphas) > DIGITS * alphas[-1] * 1e-3, True)
    alphas, impurities = alphas[last], impurities[last]
    same_tree = golden["leaves"] == model.tree_.n_leaves and len(alphas) == len(ours)
    n = len(ours) if same_tree else 4
    np.testing.assert_allclose(ours.alphas[-n:], np.maximum(alphas, 0)[-n:], rtol=DIGITS, atol=DIGITS * alphas[-1])
    np.testing.assert_allclose(ours.risks[-n:], impurities[-n:], rtol=DIGITS, atol=DIGITS * impurities[-1])


# Columns tie by rounding in these, so that the trees themselves are others (see test_rpart.py).
TIED = {"boston_housing__anova_cp0_ms2", "credit_g__gini_cp0_ms2", "wine_red__anova_cp0_ms2"}

# rpart's CP in these is not the slope of rpart's own table, so that trees of the sequence are left out or put in, or it
# lists steps apart whose CP differs by rounding only. The line through our trees says who is right.
SHORTCUTS = {
    "cpu__anova_cp0_ms2",
    "credit_g__gini",
    "credit_g__information",
    "kyphosis__information",
    "monk2__gini",
    "mtcars__anova_cp0_ms2",
    "pima__gini",
    "pima__gini_cp0_ms2",
    "pima__information",
    "servo__anova_cp0_ms2",
    "tic_tac_toe__gini",
}


def has_table(name: str) -> bool:
    dataset, tag = name.split("__")
    tags = {"gini", "anova", "information", "gini_cp0_ms2", "anova_cp0_ms2"}
    return tag in tags and name not in TIED and not stored.has_missing(dataset)


def table_of_ours(path, golden):
    """α, splits and risk of our sequence for rpart's options, from the root on."""
    data = stored.compare().load(golden["dataset"])
    X, y = stored.table_of(data), stored.target_of(data)
    tag = stored.tag_of(path.stem)
    full = tag.endswith("cp0_ms2")
    limits = {"min_rows_split": 2 if full else 20, "min_rows_leaf": 1 if full else 7, "min_gain": 1e-9}
    if tag.startswith("anova"):
        model, risk = tw.CARTRegressor(**limits).fit(X, y), None
    else:
        criterion = "entropy" if tag == "information" else "gini"
        model, risk = tw.CARTClassifier(criterion=criterion, **limits).fit(X, y), "misclassification"
    ours = model.pruning_path(risk=risk, relative=True)
    return ours.alphas[::-1], ours.leaves[::-1] - 1, ours.risks[::-1]


@pytest.mark.parametrize("path", stored.cases("rpart", has_table))
def test_rpart(path):
    """CP, nsplit and rel error: the same table, but for those in SHORTCUTS; there rpart's trees are none better."""
    golden = stored.compare().golden(str(path))
    rows = np.array(golden["cptable"]["rows"], float)[:, :3]
    # rpart lists from the root on, and α where a row ends to be the right one; the last is only the limit set.
    cp, splits, error = rows[:-1, 0], rows[:, 1].astype(int), rows[:, 2]
    alphas, our_splits, risks = table_of_ours(path, golden)
    n = len(cp)
    if path.stem not in SHORTCUTS:
        np.testing.assert_allclose(alphas[:n], cp, rtol=1e-6, atol=1e-9)
        np.testing.assert_array_equal(our_splits[: n + 1], splits)
        np.testing.assert_allclose(risks[: n + 1], error, rtol=1e-6, atol=1e-8)
        return
    line = np.interp(splits, our_splits, risks)  # no subtree can be below the line through the sequence
    assert (error >= line - 1e-8).all()
    shared = np.isin(splits, our_splits)
    np.testing.assert_allclose(error[shared], line[shared], atol=1e-8)
    assert shared.mean() > 0.8
    is_equal = (
        n < len(alphas) and np.array_equal(our_splits[: n + 1], splits) and np.allclose(alphas[:n], cp, rtol=1e-6)
    )
    assert not is_equal, "the shortcut did not matter: take it from the list"
