"""CHAIDClassifier and CHAIDRegressor with every policy for missing values."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import treewright as tw
from made_trees import same
from strategies import examples, problems
from treewright.split import EVERY_BRANCH, STOP

POLICIES = ("floating", "learned", "fractional", "every", "common", "branch", "surrogate", "stop", "drop")
SMALL = {"min_rows_split": 2, "min_rows_leaf": 1, "alpha_split": 0.5}

pytestmark = pytest.mark.filterwarnings("ignore::treewright.TreewrightWarning")


def mixed(n_rows: int = 400, gaps: float = 0.2, seed: int = 3):
    rng = np.random.default_rng(seed)
    X = pd.DataFrame(
        {"a": rng.integers(0, 9, n_rows), "b": rng.normal(size=n_rows).round(1), "c": rng.choice(list("wxyz"), n_rows)}
    ).astype({"a": float})
    number = X["a"] + 2 * X["b"] + 3 * (X["c"] == "x") + rng.normal(size=n_rows)
    X["d"] = np.where(X["a"] > 4, "high", "low")
    return X.mask(rng.random(X.shape) < gaps), np.where(number > 5, "up", "down"), number.to_numpy()


@pytest.mark.parametrize("policy", POLICIES)
@pytest.mark.parametrize(
    "options",
    [
        {}, {"exhaustive": True}, {"test": "g"}, {"test": "scores"}, {"alpha_resplit": 0.04}, {"max_branches": 2},
        {"bonferroni": False}, {"max_leaves": 8}, {"min_gain": 0.01}, {"bins": 4}, {"costs": {("up", "down"): 3}},
        {"max_depth": 1},
    ],
    ids=str,
)  # fmt: skip
def test_every_option_goes_with_every_policy(policy, options, tmp_path):
    X, y, _ = mixed()
    model = tw.CHAIDClassifier(missing=policy, **options).fit(X, y)
    other = tw.CHAIDClassifier(missing=dict.fromkeys("abcd", policy), n_jobs=1, **options).fit(X, y)
    assert same(model.tree_, other.tree_)
    assert model.score(X, y) > (0.5 if "costs" in options else 0.6)
    assert 1 < model.tree_.n_leaves <= options.get("max_leaves", 99)
    assert model.tree_.n_branches.max() <= options.get("max_branches", 99) + (policy == "branch")
    model.save(tmp_path / "m.json")
    loaded = tw.load(tmp_path / "m.json")
    assert same(loaded.tree_, model.tree_)
    assert loaded.get_params() == model.get_params()
    nothing = pd.DataFrame({name: [None] for name in X})
    np.testing.assert_array_equal(loaded.predict_proba(nothing), model.predict_proba(nothing))
    np.testing.assert_allclose(model.predict_proba(nothing).sum(), 1)
    assert len(model.rules()) == model.tree_.n_leaves
    assert "χ² = " in str(model) or "G = " in str(model)


@pytest.mark.parametrize("policy", POLICIES)
def test_numbers_under_every_policy(policy):
    X, _, y = mixed()
    model = tw.CHAIDRegressor(missing=policy).fit(X, y)
    assert model.score(X, y) > 0.3
    for i in range(20):
        assert model.explain(X.iloc[i]).prediction == pytest.approx(model.predict(X[i : i + 1])[0], abs=1e-9)


def rows_of(problem) -> list[dict]:
    cells = [[None if np.isnan(v) else v for v in column.values.tolist()] for column in problem.columns]
    return [{f"x{j}": v for j, v in enumerate(row)} for row in zip(*cells)]


def kinds_of(problem) -> dict:
    return {f"x{j}": list(range(1, 6)) if c.kind == "ordinal" else c.kind for j, c in enumerate(problem.columns)}


@settings(max_examples=examples(80), deadline=None)
@given(problems("classes", max_rows=40), st.lists(st.sampled_from(POLICIES), min_size=4, max_size=4), st.booleans())
def test_predictions_and_explanations_agree(problem, policies, blank):
    """The sums over all leaves that a row reaches, one by one as ``explain`` does it, are what is predicted."""
    assume(len(np.unique(problem.y)) > 1)
    rows = rows_of(problem)
    missing = dict(zip(rows[0], policies))
    dropped = [name for name, policy in missing.items() if policy == "drop"]
    assume(any(all(row[name] is not None for name in dropped) for row in rows))
    model = tw.CHAIDClassifier(missing=missing, kinds=kinds_of(problem), **SMALL)
    model.fit(rows, problem.y, sample_weight=problem.weights)
    asked = [dict.fromkeys(row) for row in rows[:2]] if blank else rows
    for row, p, leaf in zip(asked, model.predict_proba(asked), model.apply(asked)):
        reasons = model.explain(row)
        np.testing.assert_allclose(reasons.distribution, p, atol=1e-12)
        assert leaf in reasons.leaves


def test_each_column_has_its_own_policy():
    X, y, _ = mixed()
    model = tw.CHAIDClassifier(missing={"a": "branch", "b": "stop", "c": "fractional"}, **SMALL).fit(X, y)
    marks = {name: set() for name in X}
    for node in model.tree_.nodes():
        if node.split is not None:
            marks[model.schema_.names[node.split.column]].add(int(node.split.branch_of[0]))
    assert min(marks["a"]) >= 0
    assert (marks["b"], marks["c"]) == ({STOP}, {EVERY_BRANCH})
    assert "a is missing" in str(model)


def test_to_float_is_to_learn():
    X, y, _ = mixed()
    plain, floating, learned, named = (
        tw.CHAIDClassifier(**option).fit(X, y).tree_
        for option in ({}, {"missing": "floating"}, {"missing": "learned"}, {"missing": {"a": "floating"}})
    )
    assert all(same(plain, other) for other in (floating, learned, named))


def test_drop_is_as_if_the_rows_had_never_been_there():
    X, y, _ = mixed()
    whole = X["a"].notna().to_numpy()
    dropped = tw.CHAIDClassifier(missing={"a": "drop"}).fit(X, y)
    never = tw.CHAIDClassifier(missing={"a": "stop"}).fit(X[whole], y[whole])
    assert same(dropped.tree_, never.tree_)


def test_surrogates_stand_at_the_node():
    X, y, _ = mixed()
    model = tw.CHAIDClassifier(missing="surrogate", max_surrogates=1).fit(X[["a", "d"]], y)
    (surrogate,) = model.tree_.root.surrogates
    assert {model.tree_.column[0], surrogate.split.column} == {0, 1}
    missed = model.schema_.names[model.tree_.column[0]]
    row = {"a": 8.0, "d": "high"} | {missed: None}
    assert "stands in (agrees on" in str(model.explain(row))


@pytest.mark.parametrize("policy", POLICIES)
def test_competitors_compare_what_growing_compared(policy):
    """At every split the tested column comes first, with the figures that the tree has."""
    X, y, _ = mixed()
    model = tw.CHAIDClassifier(missing=policy).fit(X, y)
    for again in ({}, {"X": X, "y": y}):
        for node in model.tree_.nodes():
            if node.split is None:
                continue
            first = model.competitors(node.id, **again).rows[0]
            if policy == "every" and node.id:
                continue  # a row may be there in part by one test and in full by another
            assert first.column == model.schema_.names[node.split.column]
            assert first.statistic == pytest.approx(node.test.statistic, rel=1e-6)
            assert first.adjusted_p == pytest.approx(node.test.adjusted_p, rel=1e-6)


@pytest.mark.parametrize("flavour", ["r", "pypi"])
def test_programs_that_are_followed_know_one_way(flavour):
    options = {"bonferroni": False} if flavour == "pypi" else {}
    with pytest.raises(tw.OptionError, match="goes with missing='floating'"):
        tw.CHAIDClassifier(flavour=flavour, missing="branch", **options).fit([[1.0], [2.0]], [0, 1])
