"""C5.0 as an estimator: what it takes, what it refuses, and what can be done with the model.

Agreement with the program is tested in ``tests/parity/test_c50.py``.
"""

from __future__ import annotations

import warnings
from contextlib import nullcontext

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.datasets import load_iris
from sklearn.utils.estimator_checks import parametrize_with_checks

import treewright as tw
from refusals import check_refused
from strategies import examples
from treewright.errors import OptionError
from treewright.kernels.switch import compiling
from treewright.model.column_reports.column_importance import column_importance
from treewright.model.progress import listening

FORMS = {
    "tree": {},
    "rules": {"rules": True},
    "boosted": {"trials": 4},
    "boosted rules": {"rules": True, "trials": 4},
    "soft": {"soft_thresholds": True},
    "each value": {"subset": False},
}
# C5.0's weights count relative to their mean, and limits count rows: twice a row is not a row of weight 2.
RELATIVE_WEIGHTS = {"check_sample_weight_equivalence_on_dense_data": "weights are relative to their mean"}


def table(n_rows: int = 240, seed: int = 3) -> tuple[pd.DataFrame, np.ndarray]:
    """Numbers, levels, ordered levels, times, missing values, and values that are not applicable."""
    random = np.random.default_rng(seed)
    weeks = random.integers(0, 40, n_rows).astype(float)
    weeks[random.random(n_rows) < 0.3] = -1
    colour = random.choice(["red", "green", "blue", "N/A"], n_rows)
    size = pd.Categorical(random.choice(list("SMLX"), n_rows), categories=list("SMLX"), ordered=True)
    when = pd.Timestamp("2020-01-01") + pd.to_timedelta(random.integers(0, 500_000, n_rows), unit="m")
    late = (when > pd.Timestamp("2020-07-01")) & (size > "M")
    y = np.where((weeks < 0) & (colour != "red"), "a", np.where((weeks > 20) | late, "b", "c"))
    X = pd.DataFrame({"weeks": weeks, "colour": colour, "size": size, "when": when})
    X.loc[::17, "weeks"] = np.nan
    X.loc[::23, "colour"] = None
    return X, y


X, Y = table()


@pytest.fixture(scope="module", params=FORMS, ids=list(FORMS))
def model(request):
    return tw.C50Classifier(not_applicable={"weeks": -1}, **FORMS[request.param]).fit(X, Y)


@parametrize_with_checks([tw.C50Classifier()], expected_failed_checks=lambda estimator: RELATIVE_WEIGHTS)
def test_scikit_learn_checks(estimator, check):
    check(estimator)


@pytest.mark.slow
@parametrize_with_checks(
    [tw.C50Classifier(rules=True), tw.C50Classifier(trials=3)],
    expected_failed_checks=lambda estimator: RELATIVE_WEIGHTS,
)
def test_scikit_learn_checks_of_options(estimator, check):
    check(estimator)


def test_it_learns(model):
    assert model.score(X, Y) > 0.9
    shares = model.predict_proba(X)
    np.testing.assert_allclose(shares.sum(axis=1), 1)
    assert (model.predict(X) == model.classes_[shares.argmax(axis=1)]).mean() > 0.95  # ties go to the root's class


def test_a_saved_model_is_the_same(model, tmp_path):
    model.save(tmp_path / "model.json")
    other = tw.load(tmp_path / "model.json")
    np.testing.assert_array_equal(other.predict_proba(X), model.predict_proba(X))
    assert other.to_c50() == model.to_c50()
    assert str(other) == str(model)
    assert other.evaluation_ == model.evaluation_


def test_text_and_reasons(model):
    assert "attribute usage:" in str(model)
    assert "weeks" in str(model)
    assert "prediction: y = " in str(model.explain(X.iloc[:1]))
    assert model.to_c50().startswith('id="See5/C5.0 2.07 GPL Edition"\nentries="')


def test_rows_that_are_not_applicable_have_a_branch_of_their_own():
    model = tw.C50Classifier(not_applicable={"weeks": -1}).fit(X, Y)
    root = model.tree_.root.split
    assert root.column == 0
    assert root.branches(np.array([-1.0, 0.0, 39.0])).tolist() == [0, 1, 2]
    assert 'att="weeks" forks="3"' in model.to_c50()
    assert 'elts="N/A"' in model.to_c50()


def test_thresholds_of_32_bits_send_numbers_as_those_do():
    """5.7 is 5.69999981 in 32 bits: a row of 5.7 must not be above it."""
    numbers = [5.6, 5.7, 5.7, 5.8, 5.9, 5.9] * 4
    model = tw.C50Classifier().fit({"x": numbers}, ["low" if x < 5.75 else "high" for x in numbers])
    assert model.predict({"x": [5.7, 5.8]}).tolist() == ["low", "high"]
    assert 'cut="5.6999998"' in model.to_c50()
    assert "x ≤ 5.7" in str(model)


def test_ordered_levels_are_cut():
    model = tw.C50Classifier().fit({"size": X["size"]}, np.where(X["size"] > "M", "big", "small"))
    assert 'elts="N/A" elts="S","M" elts="L","X"' in model.to_c50()


def test_rules_vote_and_say_so():
    rules = tw.C50Classifier(rules=True).fit(X, Y).rule_set()
    assert rules.answer == "vote"
    assert "all that are met vote" in str(rules)
    met, fired = rules.matches(X), rules.fired(X)
    decided = np.array([rules[number].prediction if number > 0 else rules.otherwise.prediction for number in fired])
    np.testing.assert_array_equal(decided, rules.predict(X))
    assert met.sum(axis=1).max() > 1
    report = rules.report(X, Y)
    assert report.accuracy == pytest.approx((rules.predict(X) == Y).mean())
    shuffled = rules.reorder(*rules.numbers[::-1])
    np.testing.assert_array_equal(shuffled.predict_proba(X), rules.predict_proba(X))


def test_costs_change_what_is_predicted_and_those_up_to_one_do_not():
    plain = tw.C50Classifier().fit(X, Y)
    cheap = tw.C50Classifier(costs={("a", "b"): 0.5}).fit(X, Y)
    dear = tw.C50Classifier(costs={("a", "c"): 50, ("b", "c"): 50}).fit(X, Y)
    assert cheap.to_c50() == plain.to_c50()
    assert 'costs="1"' in dear.to_c50()
    assert (dear.predict(X) == "c").sum() < (plain.predict(X) == "c").sum()
    for form in ({"trials": 3}, {"rules": True}, {"rules": True, "trials": 3}):
        model = tw.C50Classifier(costs={("a", "c"): 50}, **form).fit(X, Y)
        assert model.expected_cost(X, Y).errors >= 0


def test_weights_are_relative_to_their_mean():
    weights = np.random.default_rng(0).integers(1, 5, len(Y))
    one = tw.C50Classifier().fit(X, Y, sample_weight=weights)
    other = tw.C50Classifier().fit(X, Y, sample_weight=16 * weights)
    assert one.to_c50() == other.to_c50()


def test_a_sample_is_drawn_by_the_seed():
    models = [tw.C50Classifier(sample=0.5, random_state=seed).fit(X, Y) for seed in (7, 7, 7 + 4096, 8)]
    texts = [model.to_c50() for model in models]
    assert texts[0] == texts[1] == texts[2] != texts[3]
    assert models[0].evaluation_.n_cases == len(Y) // 2


def test_winnowing_leaves_out_columns_that_say_nothing():
    noisy = X.assign(noise=np.random.default_rng(5).normal(size=len(X)))
    model = tw.C50Classifier(winnow=True).fit(noisy, Y)
    assert "noise" not in model.winnowed_
    assert "weeks" in model.winnowed_


def test_winnowing_a_sample_of_one_row_leaves_a_leaf():
    model = tw.C50Classifier(winnow=True, sample=0.5, random_state=1).fit({"x": [0.0, 1.0]}, ["a", "b"])
    assert model.tree_.n_leaves == 1


def test_a_tree_can_be_pruned_and_then_has_no_model_text():
    model = tw.C50Classifier().fit(X, Y)
    smaller = model.prune("cost-complexity", alpha=0.05)
    assert smaller.tree_.n_leaves < model.tree_.n_leaves
    assert smaller.predict(X).shape == Y.shape
    check_refused(smaller.to_c50, "changed after the fit", tw.OptionError)


def test_what_is_not_one_tree_says_where_it_is():
    boosted, rules = tw.C50Classifier(trials=4).fit(X, Y), tw.C50Classifier(rules=True).fit(X, Y)
    check_refused(lambda: boosted.apply(X), "look at model.trees_", tw.OptionError)
    check_refused(boosted.rule_set, "look at model.trees_", tw.OptionError)
    check_refused(lambda: rules.rules(), "look at model.rule_set_", tw.OptionError)
    check_refused(lambda: rules.prune("pessimistic"), "look at model.rule_set_", tw.OptionError)
    check_refused(lambda: boosted.prune("pessimistic"), "look at model.trees_", tw.OptionError)
    check_refused(
        lambda: tw.evaluate.bias_variance(tw.C50Classifier(trials=3), X, Y), "look at model.trees_", tw.OptionError
    )
    check_refused(lambda: tw.summarize(boosted), "this C50Classifier is not one tree", tw.OptionError)
    assert len(tw.C50Classifier().fit(X, Y).rules()) > 3


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"trials": 0}, "trials=0 is not accepted"),
        ({"trials": 1.5}, "trials=1.5 is not accepted"),
        ({"bands": 5}, "there are no rules"),
        ({"bands": 1, "rules": True}, "bands=1 is not accepted"),
        ({"confidence": 2}, "confidence=2 is not accepted"),
        ({"min_cases": 0}, "min_cases=0 is not accepted"),
        ({"sample": 1.0}, "sample=1.0 is not accepted"),
        ({"sample": 1e-9}, "leaves no row"),
        ({"not_applicable": {"colour": 1}}, "which is no column of numbers"),
    ],
)
def test_options_that_are_refused(options, message):
    check_refused(
        lambda: tw.C50Classifier(**options).fit(X, Y), message, tw.OptionError if "row" not in message else tw.DataError
    )


def test_infinite_numbers_are_refused_and_one_level_is_not_tested():
    check_refused(lambda: tw.C50Classifier().fit({"x": [1.0, np.inf, 2.0]}, list("aab")), "32 bits cannot hold")
    with pytest.warns(tw.TreewrightWarning, match="fewer than two levels: one"):
        model = tw.C50Classifier().fit({"one": ["k"] * 8, "x": range(8)}, list("aaaabbbb"))
    assert model.score({"one": ["k"] * 8, "x": range(8)}, list("aaaabbbb")) == 1


def test_one_trial_is_the_tree():
    assert tw.C50Classifier(trials=1).fit(X, Y).to_c50() == tw.C50Classifier().fit(X, Y).to_c50()
    assert clone(tw.C50Classifier(rules=True, trials=3)).get_params()["rules"] is True


@settings(max_examples=examples(15), deadline=None)
@given(
    seed=st.integers(0, 10_000),
    form=st.sampled_from([*FORMS.values(), {"winnow": True}, {"costs": {("a", "b"): 4}}]),
)
def test_both_roads_give_the_same_model(seed, form):
    small, y = table(60, seed)
    texts = []
    for road in ("never", "always"):
        with compiling(road):
            texts.append(tw.C50Classifier(not_applicable={"weeks": -1}, **form).fit(small, y).to_c50())
    assert texts[0] == texts[1]


@pytest.mark.parametrize("scale", [lambda x: x + 1e9, lambda x: x * 1e-46])
def test_numbers_that_32_bits_cannot_tell_apart_are_told_of(scale):
    X, y = {"x": scale(np.arange(1.0, 41))}, ["a"] * 20 + ["b"] * 20
    with pytest.warns(tw.TreewrightWarning, match="40 different numbers, of which C5.0 can tell .*Hint: subtract"):
        tw.C50Classifier().fit(X, y)


@pytest.mark.parametrize("scale", [lambda x: x + 2000, lambda x: x / 3, lambda x: np.where(x > 20, np.nan, x + 1e6)])
def test_others_are_not(scale):
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        tw.C50Classifier().fit({"x": scale(np.arange(1.0, 41))}, ["a", "a", "b", "b"] * 10)
    assert not [str(one.message) for one in told if "32 bits" in str(one.message)]


def test_progress_is_told_of_every_trial():
    told = []
    with listening(lambda what, total: nullcontext(lambda n: told.append((what, total, n)))):
        model = tw.C50Classifier(trials=4, early_stopping=False).fit(*load_iris(return_X_y=True))
    assert told == [("trials", 4, 1)] * len(model.trees_)


def test_not_applicable_of_a_table_without_numbers():
    with pytest.raises(OptionError, match="no column of numbers. Hint: the table has none"):
        tw.C50Classifier(not_applicable={"a": 1}).fit({"a": ["x", "y", "x", "y"]}, [0, 1, 0, 1])


def test_importances_are_the_mean_of_the_trees_and_rules_have_none():
    alone, boosted = tw.C50Classifier().fit(X, Y), tw.C50Classifier(trials=3, early_stopping=False).fit(X, Y)
    shares = [column_importance(tree, boosted.schema_) for tree in boosted.trees_]
    assert np.allclose(boosted.feature_importances_, np.sum(shares, axis=0) / np.sum(shares))
    assert np.array_equal(alone.feature_importances_, column_importance(alone.tree_, alone.schema_))
    assert boosted.importance("impurity").means.sum() == pytest.approx(1)
    for rules in (tw.C50Classifier(rules=True), tw.C50Classifier(rules=True, trials=2)):
        with pytest.raises(AttributeError, match='Hint: use model.importance."permutation", X, y., or rules=False'):
            rules.fit(X, Y).feature_importances_  # noqa: B018
