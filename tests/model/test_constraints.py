"""Constraints: what trees may not do, whatever the score."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import treewright as tw
from strategies import examples

pytestmark = pytest.mark.filterwarnings("ignore::treewright.TreewrightWarning")


@pytest.fixture
def table():
    rng = np.random.default_rng(1)
    X = pd.DataFrame({name: rng.normal(size=300) for name in "abc"})
    X["d"] = rng.choice(list("uvwxyz"), 300)
    y = X["a"] + 0.5 * X["b"] ** 2 + (X["d"] == "u") + 0.5 * rng.normal(size=300)
    return X, y


def used_on_paths(model) -> list[set[str]]:
    names = model.schema_.names
    return [{names[n.split.column] for n in leaf.path() if n.split} for leaf in model.tree_.leaves()]


# ---------------------------------------------------------------- monotone


@settings(max_examples=examples(40), deadline=None)
@given(st.integers(0, 10_000), st.sampled_from([1, -1]), st.sampled_from(["learned", "branch", "common", "stop"]))
def test_predictions_are_monotone(seed, sign, policy):
    """Whatever the other columns say, missing or not, raising the column never lowers the prediction."""
    rng = np.random.default_rng(seed)
    X = pd.DataFrame({"a": rng.integers(0, 8, 60).astype(float), "b": rng.normal(size=60).round(1)})
    X = X.mask(rng.random(X.shape) < 0.1)
    y = rng.normal(size=60) + np.nan_to_num(X["a"]) * rng.normal()
    for model, target in ((tw.CARTRegressor, y), (tw.CARTClassifier, y > 0)):
        fitted = model(monotone={"a": sign}, missing=policy, min_rows_leaf=2).fit(X, target)
        values = np.linspace(-1, 9, 41)
        for b in (np.nan, -1.0, 0.0, 1.3):
            rows = pd.DataFrame({"a": values, "b": np.full(41, b)})
            p = fitted.predict(rows) if model is tw.CARTRegressor else fitted.predict_proba(rows)[:, 1]
            assert (sign * np.diff(p) >= -1e-12).all()


def test_monotone_in_an_ordinal_column():
    X = {"size": ["S", "M", "L"] * 20}
    y = np.tile([1.0, 5.0, 3.0], 20)
    kinds = {"size": ["S", "M", "L"]}
    free = tw.CARTRegressor(kinds=kinds).fit(X, y)
    bound = tw.CARTRegressor(kinds=kinds, monotone={"size": 1}).fit(X, y)
    assert free.predict({"size": ["S", "M", "L"]}).tolist() == [1, 5, 3]
    assert (np.diff(bound.predict({"size": ["S", "M", "L"]})) >= 0).all()


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"monotone": {"z": 1}}, "monotone names 'z'"),
        ({"monotone": {"d": 1}}, "'d' is nominal"),
        ({"monotone": {"a": 2}}, "monotone="),
        ({"monotone": ["a"]}, "monotone="),
        ({"interactions": [["a", "z"]]}, "interactions names 'z'"),
        ({"interactions": ["a", "b"]}, "interactions="),
        ({"force": {0: "z"}}, "force names 'z'"),
        ({"force": {-1: "a"}}, "force="),
        ({"forbid": ["z"]}, "forbid names 'z'"),
        ({"forbid": "a"}, "forbid="),
        ({"forbid": ["a"], "force": {0: "a"}}, "'a' is forced at depth 0 and forbidden"),
        ({"min_branch_share": 0.6}, "min_branch_share="),
        ({"max_levels": 0}, "max_levels="),
    ],
)
def test_what_is_refused(table, options, words):
    X, y = table
    with pytest.raises(tw.OptionError) as caught:
        tw.CARTRegressor(**options).fit(X, y)
    assert words in str(caught.value)
    assert "Hint" in str(caught.value)


def test_monotone_needs_two_classes_and_plain_leaves(table):
    X, _ = table
    with pytest.raises(tw.OptionError, match="3 classes"):
        tw.CARTClassifier(monotone={"a": 1}).fit(X, np.arange(300) % 3)
    with pytest.raises(tw.OptionError, match="smoothing"):
        tw.TreeClassifier(monotone={"a": 1}, smoothing="laplace").fit(X, np.arange(300) % 2)
    blank = X.mask(np.random.default_rng(0).random(X.shape) < 0.1)
    with pytest.raises(tw.OptionError, match="missing='fractional'"):
        tw.CARTClassifier(monotone={"a": 1}, missing="fractional").fit(blank, np.arange(300) % 2)


# ---------------------------------------------------------------- which columns, where


def test_columns_of_different_groups_do_not_meet(table):
    X, y = table
    free = tw.CARTRegressor(max_depth=5).fit(X, y)
    bound = tw.CARTRegressor(max_depth=5, interactions=[["a", "b"], ["b", "c"]]).fit(X, y)
    allowed = [{"a", "b"}, {"b", "c"}, {"d"}]
    assert all(any(used <= group for group in allowed) for used in used_on_paths(bound))
    assert not all(any(used <= group for group in allowed) for used in used_on_paths(free))


def test_a_forced_column_is_tested_at_its_depth(table):
    X, y = table
    model = tw.CARTRegressor(max_depth=3, force={0: "c", 1: "d"}).fit(X, y)
    names = model.schema_.names
    by_depth = {
        d: {names[n.split.column] for n in model.tree_.nodes() if n.split and len(n.path()) == d + 1} for d in (0, 1)
    }
    assert by_depth == {0: {"c"}, 1: {"d"}}
    alone = tw.CARTRegressor(max_depth=1).fit(X[["c"]], y)
    assert model.tree_.root.split.edges == alone.tree_.root.split.edges


def test_where_a_forced_column_cannot_be_split_others_are_free():
    X = {"a": [1.0, 2, 3, 4], "b": ["x"] * 4}
    model = tw.CARTClassifier(force={0: "b"}).fit(X, [0, 0, 1, 1])
    assert model.schema_.names[model.tree_.root.split.column] == "a"


def test_forbidden_columns_are_known_but_not_tested(table):
    X, y = table
    model = tw.CARTRegressor(forbid=["a", "d"]).fit(X, y)
    assert set(model.tree_.columns_used) == {1, 2}
    assert model.n_features_in_ == 4


def test_columns_of_too_many_levels_are_not_tested(table):
    X, y = table
    assert 3 not in tw.CARTRegressor(max_levels=5).fit(X, y).tree_.columns_used
    assert 3 in tw.CARTRegressor(max_levels=6).fit(X, y).tree_.columns_used


@pytest.mark.parametrize("splits", ["subset", "multiway", "one-vs-rest"])
def test_branches_have_their_share(table, splits):
    X, y = table
    tree = tw.TreeRegressor(min_branch_share=0.2, splits=splits).fit(X, y).tree_
    inner = tree.parent[1:]
    assert tree.n_leaves > 2
    assert (tree.rows[1:] >= 0.2 * tree.rows[inner])[tree.rows[1:] > 0].all()


def test_constraints_hold_when_growing_best_first(table):
    X, y = table
    model = tw.CARTRegressor(max_leaves=12, interactions=[["a", "b"]], monotone={"a": 1}).fit(X, y)
    assert model.tree_.n_leaves == 12
    assert all(used <= {"a", "b"} or len(used) == 1 for used in used_on_paths(model))


def test_without_constraints_nothing_changes(table):
    X, y = table
    plain, none = tw.CARTRegressor(max_depth=4).fit(X, y), tw.CARTRegressor(max_depth=4, forbid=[], force={}).fit(X, y)
    assert str(plain) == str(none)
