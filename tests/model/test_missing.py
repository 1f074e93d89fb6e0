"""What becomes of missing values, policy by policy, in growing and in predicting."""

from __future__ import annotations

from functools import partial

import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import treewright as tw
from strategies import examples, problems
from treewright.kernels import switch
from treewright.split import EVERY_BRANCH, STOP

POLICIES = ("learned", "fractional", "every", "common", "branch", "surrogate", "stop", "drop")
USUAL = {
    tw.ID3Classifier: "learned",
    tw.CARTClassifier: "learned",
    tw.CARTRegressor: "learned",
    tw.C45Classifier: "fractional",
    tw.C45RulesClassifier: "fractional",
    tw.CHAIDClassifier: "floating",
    tw.CHAIDRegressor: "floating",
}
SMALL_CHAID = partial(tw.CHAIDClassifier, min_rows_split=2, min_rows_leaf=1, alpha_split=0.5)

pytestmark = pytest.mark.filterwarnings("ignore::treewright.TreewrightWarning")


@pytest.fixture
def loyalty():
    return tw.datasets.load("customer_loyalty")


def gender_only(loyalty):
    return {"gender": loyalty.X["gender"]}, loyalty.y


def shares(loyalty, policy: str) -> list[float]:
    """High and low in the branches of gender, one line per branch."""
    X, y = gender_only(loyalty)
    return tw.ID3Classifier(missing=policy, max_depth=1).fit(X, y).tree_.stats[1:].round(4).tolist()


# ---------------------------------------------------------------- the four policies of the worked example


def test_31_ignore_the_case(loyalty):
    assert shares(loyalty, "drop") == [[6, 1], [3, 3]]


def test_31_most_common_value_at_the_node(loyalty):
    """Seven are female, six male: the first customer counts as female."""
    assert shares(loyalty, "common") == [[6, 2], [3, 3]]


def test_31_fractional(loyalty):
    assert shares(loyalty, "fractional") == [[6, 1 + round(7 / 13, 4)], [3, 3 + round(6 / 13, 4)]]


def test_31_every_branch(loyalty):
    assert shares(loyalty, "every") == [[6, 2], [3, 4]]


@pytest.mark.parametrize("policy", ["fractional", "every", "stop"])
def test_30_the_gain_is_that_of_the_known_part(loyalty, policy):
    X, y = gender_only(loyalty)
    model = tw.ID3Classifier(missing=policy, max_depth=1).fit(X, y)
    assert model.tree_.gain[0] == pytest.approx(0.1025, abs=5e-5)
    assert model.tree_.missing[0] == 1


def test_own_branch(loyalty):
    X, y = gender_only(loyalty)
    model = tw.ID3Classifier(missing="branch", max_depth=1).fit(X, y)
    assert model.tree_.stats[1:].tolist() == [[6, 1], [3, 3], [0, 1]]
    assert "gender is missing: Low" in str(model)
    assert model.predict({"gender": [None, "Female", "none of these"]}).tolist() == ["Low", "High", "Low"]


def test_stop_keeps_the_row_at_the_node(loyalty):
    X, y = gender_only(loyalty)
    model = tw.ID3Classifier(missing="stop", max_depth=1).fit(X, y)
    assert model.tree_.stats.tolist() == [[9, 5], [6, 1], [3, 3]]
    assert model.apply({"gender": [None]}).tolist() == [0]
    np.testing.assert_allclose(model.predict_proba({"gender": [None]}), [[9 / 14, 5 / 14]])
    assert "gender is missing, so the row stops here [0]: 14 rows" in str(model.explain({"gender": None}))


def test_each_column_has_its_own_policy():
    X = {"age": [1.0, 2, None, 4, 5, 6, None, 8], "income": ["a", None, "b", "a", None, "b", "a", "b"]}
    y = ["n", "y", "n", "n", "y", "y", "n", "y"]
    model = tw.CARTClassifier(missing={"income": "branch", "age": "fractional"}).fit(X, y)
    by_column = {
        model.schema_.columns[node.split.column].name: node.split for node in model.tree_.nodes() if node.split
    }
    assert by_column["income"].branch_of[0] == by_column["income"].n_branches - 1 == 2
    assert by_column["age"].branch_of[0] == EVERY_BRANCH


def test_columns_not_named_learn_the_way():
    X = {"a": [None, 1.0, 2.0, None], "b": [None, 1.0, 2.0, None]}
    model = tw.CARTClassifier(missing={"a": "stop"}).fit(X, [1, 1, 0, 0])
    other = tw.CARTClassifier(missing={"a": "stop", "b": "learned"}).fit(X, [1, 1, 0, 0])
    assert str(model) == str(other)


# ---------------------------------------------------------------- surrogates


def test_a_surrogate_stands_in():
    """``b`` says the same as ``a`` in other words, but for one row."""
    a = [float(i) for i in range(20)]
    X = pd.DataFrame({"a": a, "b": ["low" if i < 10 else "high" for i in range(20)], "c": [1.0] * 20})
    y = np.where(np.arange(20) < 10, "left", "right")
    X.loc[[3, 12], "a"] = None
    X.loc[5, "b"] = "high"
    model = tw.CARTClassifier(missing="surrogate", max_depth=1).fit(X, y)
    (surrogate,) = model.tree_.root.surrogates
    assert (surrogate.agreement, surrogate.adjusted) == pytest.approx((17 / 18, 8 / 9))
    assert model.tree_.stats[1:].tolist() == [[10, 0], [0, 10]]
    assert model.predict(X.assign(a=None)).tolist() == np.where(X["b"] == "low", "left", "right").tolist()
    said = str(model.explain({"a": None, "b": "high", "c": 1.0}))
    assert "a is missing and b = high stands in (agrees on 94 %), so a > 9.5 [2]: 10 rows" in said


def test_a_surrogate_must_beat_the_heavier_branch():
    """Nine of ten go left; a column that says so for everyone is no help."""
    X = {"a": [float(i) for i in range(20)], "b": [1.0, 2.0] * 10}
    model = tw.CARTClassifier(missing="surrogate", max_depth=1).fit(X, [0] * 18 + [1] * 2)
    assert model.tree_.root.surrogates == ()
    assert model.predict({"a": [None], "b": [2.0]}).tolist() == [0]


def test_where_no_surrogate_answers_the_row_may_stop():
    X = {"a": [1.0, 2, 3, 4, 5, 6], "b": [1.0, 2, 3, 4, 5, 6]}
    options = {"missing": "surrogate", "max_depth": 1}
    model = tw.CARTClassifier(**options, surrogate_otherwise="stop").fit(X, list("aabbbb"))
    assert model.apply({"a": [None, None], "b": [None, 1.0]}).tolist() == [0, 1]
    assert tw.CARTClassifier(**options).fit(X, list("aabbbb")).apply({"a": [None], "b": [None]}).tolist() == [2]
    assert tw.CARTClassifier(**options, max_surrogates=0).fit(X, list("aabbbb")).tree_.root.surrogates == ()


def test_a_level_tied_between_the_branches_goes_down_the_heavier_one():
    """Level m has a row on either side; seven rows go left, five right, whichever class is there."""
    X = {"a": [float(i) for i in range(12)], "b": list("llllllmmrrrr")}
    for y in (["n"] * 7 + ["o"] * 5, ["o"] * 7 + ["n"] * 5):
        for weights in (None, [2.0] * 12):
            model = tw.CARTClassifier(missing="surrogate", max_depth=1).fit(X, y, weights)
            (surrogate,) = model.tree_.root.surrogates
            assert surrogate.split.branch_of[1:].tolist() == [0, 0, 1]
    other = tw.CARTClassifier(missing="surrogate", max_depth=1, priors={"n": 0.9, "o": 0.1}).fit(X, y)
    assert other.tree_.root.surrogates[0].split.branch_of[1:].tolist() == [0, 0, 1]


def test_rpart_wants_nominal_surrogates_to_be_wrong_about_two_rows():
    X = {
        "a": [float(i) for i in range(12)],
        "perfect": list("llllllrrrrrr"),
        "one_wrong": list("lllllrrrrrrr"),
        "two_wrong": list("llllllllrrrr"),
        "one_on_the_left": list("llllllrrllll"),
        "number": [0.0] * 6 + [1.0] * 6,
    }

    def columns(X, **options):
        model = tw.CARTClassifier(missing="surrogate", max_depth=1, **options).fit(X, list("nnnnnnoooooo"))
        return [list(X)[surrogate.split.column] for surrogate in model.tree_.root.surrogates]

    assert columns(X) == ["perfect", "number", "one_wrong", "two_wrong", "one_on_the_left"]
    assert columns(X, surrogates="rpart") == ["number", "two_wrong", "one_on_the_left"]
    apart = X | {"one_on_the_left": list("llllllrlllll")}  # one row on the right: rpart does not mind
    assert "one_on_the_left" not in columns(apart)
    assert "one_on_the_left" in columns(apart, surrogates="rpart")


@settings(max_examples=examples(50))
@given(problems("classes", max_rows=25), st.booleans())
def test_surrogates_agree_as_often_as_they_say(problem, over_all):
    """Counted anew from the rows, without the library's search."""
    assume(len(np.unique(problem.y)) > 1)
    X = {f"x{j}": [None if np.isnan(v) else float(v) for v in c.values] for j, c in enumerate(problem.columns)}
    agreement = "all" if over_all else "known"
    model = tw.CARTClassifier(missing="surrogate", max_depth=1, surrogate_agreement=agreement)
    root = model.fit(X, problem.y).tree_.root
    for surrogate in root.surrogates:
        own, other = (np.array(X[f"x{s.column}"], float) for s in (root.split, surrogate.split))
        known = ~np.isnan(own) if over_all else ~np.isnan(own) & ~np.isnan(other)
        way, named = root.split.branches(own), np.where(np.isnan(other), -9, surrogate.split.branches(other))
        assert surrogate.agreement == pytest.approx(np.mean(way[known] == named[known]))
        most = np.bincount(way[known]).max() / known.sum()
        assert surrogate.adjusted == pytest.approx((surrogate.agreement - most) / (1 - most))
        assert surrogate.adjusted > 0
    agreements = [surrogate.agreement for surrogate in root.surrogates]
    assert agreements == sorted(agreements, reverse=True)


# ---------------------------------------------------------------- every policy, any table


def rows_of(problem) -> list[dict]:
    cells = [[None if np.isnan(v) else v for v in column.values.tolist()] for column in problem.columns]
    return [{f"x{j}": v for j, v in enumerate(row)} for row in zip(*cells)]


def kinds_of(problem) -> dict:
    return {f"x{j}": list(range(1, 6)) if c.kind == "ordinal" else c.kind for j, c in enumerate(problem.columns)}


@settings(max_examples=examples(120), deadline=None)
@given(problems("classes", max_rows=20), st.sampled_from(POLICIES), st.sampled_from(["cart", "id3"]), st.booleans())
def test_predictions_and_explanations_agree(problem, policy, method, blank):
    """The sums over all leaves that a row reaches, one by one as ``explain`` does it, are what is predicted."""
    assume(len(np.unique(problem.y)) > 1)
    rows, y = rows_of(problem), problem.y
    complete = [not any(v is None for v in row.values()) for row in rows]
    assume(policy != "drop" or any(complete))
    model = tw.CARTClassifier if method == "cart" else tw.ID3Classifier
    fitted = model(missing=policy, kinds=kinds_of(problem)).fit(rows, y, sample_weight=problem.weights)
    asked = [dict.fromkeys(row) for row in rows[:2]] if blank else rows
    for row, p, leaf in zip(asked, fitted.predict_proba(asked), fitted.apply(asked)):
        reasons = fitted.explain(row)
        np.testing.assert_allclose(reasons.distribution, p, atol=1e-12)
        assert leaf in reasons.leaves
    visited = fitted.decision_path(asked).toarray() > 0
    for row, nodes in zip(asked, visited):
        assert set(np.flatnonzero(nodes)) == {0, *(step.child for step in fitted.explain(row).steps)}


@settings(max_examples=examples(60), deadline=None)
@given(problems("numbers", max_rows=20), st.sampled_from(POLICIES))
def test_numbers_are_predicted_under_every_policy(problem, policy):
    rows = rows_of(problem)
    assume(policy != "drop" or any(all(v is not None for v in row.values()) for row in rows))
    model = tw.CARTRegressor(missing=policy, kinds=kinds_of(problem)).fit(rows, problem.y)
    for row, value in zip(rows, model.predict(rows)):
        assert model.explain(row).prediction == pytest.approx(value, abs=1e-9)


@settings(max_examples=examples(60), deadline=None)
@given(problems("classes", max_rows=20), st.sampled_from(POLICIES), st.integers(2, 5))
def test_limits_hold_under_every_policy(problem, policy, most):
    assume(len(np.unique(problem.y)) > 1)
    rows = rows_of(problem)
    assume(policy != "drop" or any(all(v is not None for v in row.values()) for row in rows))
    model = tw.CARTClassifier(missing=policy, kinds=kinds_of(problem), max_leaves=most).fit(rows, problem.y)
    assert model.tree_.n_leaves <= most


@pytest.mark.parametrize("policy", POLICIES)
@pytest.mark.parametrize("engine", ["exact", "histogram"])
def test_both_engines_grow_the_same_tree(policy, engine, tmp_path):
    rng = np.random.default_rng(3)
    X = pd.DataFrame(
        {"a": rng.integers(0, 9, 300), "b": rng.normal(size=300).round(1), "c": rng.choice(list("xyz"), 300)}
    )
    y = (X["a"] + 2 * X["b"] + (X["c"] == "x") > 5).to_numpy()
    X = X.astype({"a": float}).mask(rng.random(X.shape) < 0.15)
    model = tw.CARTClassifier(missing=policy, engine=engine, max_depth=5, n_jobs=2).fit(X, y)
    other = tw.CARTClassifier(missing=policy, max_depth=5, n_jobs=1).fit(X, y)
    assert str(model) == str(other)
    np.testing.assert_array_equal(model.predict_proba(X), other.predict_proba(X))
    model.save(tmp_path / "m.json")
    loaded = tw.load(tmp_path / "m.json")
    np.testing.assert_array_equal(loaded.predict_proba(X), model.predict_proba(X))
    assert str(loaded.explain(X.iloc[0])) == str(model.explain(X.iloc[0]))
    assert model.score(X, y) > 0.7


# ---------------------------------------------------------------- bad input


def test_no_complete_row_is_an_error():
    with pytest.raises(tw.DataError, match="leaves no rows"):
        tw.CARTClassifier(missing="drop").fit({"a": [None, 1.0], "b": [1.0, None]}, [0, 1])


@pytest.mark.parametrize("policy", [policy for policy in POLICIES if policy != "drop"])
@pytest.mark.parametrize("make", [tw.CARTClassifier, tw.C45Classifier, SMALL_CHAID])
def test_a_column_missing_on_every_row_is_not_tested(make, policy):
    X = {"a": [None] * 6, "b": [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]}
    fitted = make(missing={"a": policy}).fit(pd.DataFrame(X), [0, 0, 0, 1, 1, 1])
    assert fitted.tree_.columns_used.tolist() == [1]


@pytest.mark.parametrize("policy", POLICIES)
def test_a_row_that_misses_everything_is_answered(policy):
    X = {"a": [1.0, 2, 3, 4, 5, 6], "b": list("xxyyxy")}
    model = tw.CARTClassifier(missing=policy).fit(X, [0, 0, 0, 1, 1, 1])
    np.testing.assert_allclose(model.predict_proba({"a": [None], "b": [None]}).sum(), 1)


@pytest.mark.parametrize("make", USUAL)
@pytest.mark.parametrize("value", ["nonsense", 3, None, {"a": "nonsense"}, {"a": None}, ["learned"]])
def test_unknown_policies_are_refused(make, value):
    with pytest.raises(tw.OptionError, match="missing="):
        make(missing=value).fit({"a": [1.0, 2.0]}, [0, 1])


@pytest.mark.parametrize("make", USUAL)
def test_policies_of_unknown_columns_are_refused(make):
    with pytest.raises(tw.OptionError, match="'z', which is no column"):
        make(missing={"z": "stop"}).fit({"a": [1.0, 2.0]}, [0, 1])


@pytest.mark.parametrize(("make", "usual"), USUAL.items())
def test_refused_missing_values_name_the_usual_policy(make, usual):
    with pytest.raises(tw.DataError, match=f'use missing="{usual}"'):
        make(missing="error").fit({"a": [1.0, None, 2.0]}, [0, 1, 1])


def test_only_chaid_lets_missing_values_float():
    with pytest.raises(tw.OptionError, match="missing="):
        tw.CARTClassifier(missing="floating").fit({"a": [1.0, 2.0]}, [0, 1])


# ---------------------------------------------------------------- what is said of the training rows


def test_the_training_error_counts_rows_where_they_end():
    X = {"a": [1.0, 5.0] + [None] * 20}
    y = ["x", "y"] + ["x"] * 10 + ["y"] * 10
    model = tw.CARTClassifier(missing="stop").fit(X, y)
    assert model.to_text().splitlines()[0].endswith("training error 45.5 %")
    assert 1 - model.score(X, y) == pytest.approx(10 / 22)
    numbers = tw.CARTRegressor(missing="stop").fit({"a": [1.0, 2, None, None, 5, 6]}, [1.0, 1, 9, 9, 3, 3])
    error = np.sqrt(np.mean((numbers.predict({"a": [1.0, 2, None, None, 5, 6]}) - [1, 1, 9, 9, 3, 3]) ** 2))
    assert f"training RMSE {error:.4g}"[:17] in numbers.to_text()


def test_the_training_error_is_a_share_where_rows_take_every_branch():
    X = {"a": [1.0, 2, None, 4, 5, 6], "b": [1.0, 2, 3, 4, None, 1]}
    model = tw.CARTClassifier(missing="every").fit(X, list("xyxyxy"))
    assert 0 <= model._training_error(model.tree_) <= 1


def test_a_surrogate_for_one_column_only():
    rng = np.random.default_rng(0)
    X = {"a": rng.normal(size=40), "b": rng.normal(size=40)}
    y = np.where((X["a"] > 0) ^ (X["b"] > 0.2), "x", "y")
    X["b"][::5] = np.nan
    model = tw.CARTClassifier(missing={"b": "surrogate"}).fit(X, y)
    assert model.score(X, y) > 0.8


@pytest.mark.parametrize("values", [["u", "u", "u", "v", None], [1.0, 1, 1, 9, None]])
def test_the_commonest_value_is_the_heaviest(values):
    y, w = ["x", "x", "x", "y", "y"], [1, 1, 1, 10, 1]
    weighted = tw.CARTClassifier(missing="common").fit({"c": values}, y, sample_weight=w)
    rows = np.repeat(np.arange(5), w)
    repeated = tw.CARTClassifier(missing="common").fit({"c": [values[i] for i in rows]}, [y[i] for i in rows])
    np.testing.assert_array_equal(weighted.tree_.stats, repeated.tree_.stats)


@pytest.mark.parametrize("policy", ["learned", "fractional", "every", "branch", "stop", "drop", "common", "surrogate"])
@pytest.mark.parametrize("style", ["numbers", "levels"])
def test_a_policy_holds_where_training_has_no_missing_values(policy, style):
    """It says what becomes of those that come later, on every road."""
    X = {"x": [0.0, 1, 2, 3] if style == "numbers" else list("abcd")}
    trees = []
    for road in ("never", "always"):
        with switch.compiling(road):
            trees.append(tw.TreeClassifier(missing=policy).fit(X, [0, 0, 1, 1]).tree_)
    plain, compiled = trees
    np.testing.assert_array_equal(plain.branch_of, compiled.branch_of)
    if policy in ("stop", "drop"):
        assert compiled.branch_of[0] == STOP
    if policy in ("fractional", "every"):
        assert compiled.branch_of[0] == EVERY_BRANCH
