"""Options with wrong names and values, and models used wrongly: the error says what was got and what is accepted."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from sklearn.exceptions import NotFittedError

import treewright as tw
from refusals import CLASSES, HUGE, NUMBERS, X4, check_refused, classify, regress

BAD_OPTIONS = {
    "max_depth": [-1, 1.5, "3", True, np.nan],
    "max_leaves": [0, -1, "a", 2.0],
    "min_rows_split": [1, None, 0.5],
    "min_rows_leaf": [0, None, 0.1],
    "min_weight_fraction_leaf": [-0.1, 0.6, "a", np.nan, None],
    "min_gain": [-1, np.nan, np.inf, "a", None, 10**400],
    "kinds": [
        3,
        "nominal",
        ["a"],
        {"a": "foo"},
        {"a": None},
        {"a": []},
        {"a": ["x", "x"]},
        {"a": {}},
        {"a": [10**400] * 2},
    ],
    "missing": ["leave", None, 1],
    "surrogates": ["other", None],
    "max_surrogates": [-1, 2.5, None],
    "surrogate_agreement": ["some", None],
    "surrogate_otherwise": ["left", None],
    "monotone": [["a"], {"a": 2}, {"a": "up"}],
    "interactions": ["a", [["a"], 3], ["a", "b"]],
    "force": [["a"], {-1: "a"}, {0: 1}],
    "forbid": ["a", 3, [1]],
    "min_branch_share": [-0.1, 0.6, None],
    "max_levels": [0, 1.5, "a"],
    "select": ["best", 3, lambda: None],
    "stop": ["now", 3, lambda: True, bool],
    "unseen": ["x", None],
    "engine": ["gpu", 1, None],
    "n_jobs": [0, -2, 1.5, "a"],
    "random_state": ["a", -1, 2**40, 1.5],
    "tie": ["last", None, 0],
    "progress": ["yes", 1, None],
    "class_weight": ["bal", 3, [1, 2], {"n": -1}, {"n": "a"}, {"n": None}, {"n": np.nan}, {"n": 10**400}],
    "costs": [3, "equal"],
    "priors": [3, "same", 0.5],
    "attribute_costs": [3, "a", [1, 2]],
    "test_groups": [3, "a", ["a"]],
    "cost_rule": ["x", None],
    "cost_weight": [-0.1, 1.5, "1", None, np.nan],
    "criterion": ["ginny", None, 3, "poisson"],
    "prune": [3, np.array([1, 2]), tw.prune.CostComplexity, lambda tree: tree],
    "significance": [0, -0.1, 1.5, "x", True],
    "missing_at_predict": ["learned", "x", 3, {"a": "branch"}],
    "significance_of": ["every", None, True],
    "above_average": ["yes", 1, None],
    "splits": ["x", None],
    "base": [1, 0, "2", None, np.inf],
    "empty": ["x", None],
    "smoothing": ["x", -1, None, np.nan],
    "leaf": ["mean", None, 1],
    "ridge": [-1, None, "x", np.nan],
    "eliminate": ["x", None, 1],
}


@pytest.mark.parametrize(("option", "value"), [(name, value) for name in BAD_OPTIONS for value in BAD_OPTIONS[name]])
def test_bad_values_of_options(option, value):
    shown = repr(value)[:20].translate(str.maketrans(dict.fromkeys("[]{}()+.", ".")))
    model = tw.TreeClassifier(**{option: value})
    check_refused(lambda: model.fit(X4, CLASSES), f"{option}={shown}.*not accepted.*Hint", tw.OptionError)


def test_every_option_is_in_the_list():
    named = {name for estimator in (tw.TreeClassifier, tw.ID3Classifier) for name in estimator().get_params()}
    assert named == set(BAD_OPTIONS)


@pytest.mark.parametrize("kind", [tw.TreeClassifier, tw.ID3Classifier, tw.C45Classifier, tw.CARTRegressor])
def test_whose_p_counts_where_none_does(kind):
    target = NUMBERS if kind is tw.CARTRegressor else CLASSES
    model = kind(significance_of="any")
    check_refused(lambda: model.fit(X4, target), "no significance is given.*significance=0.05", tw.OptionError)


@pytest.mark.parametrize("kind", [tw.TreeClassifier, tw.ID3Classifier])
def test_the_average_gain_is_asked_for_where_ratios_are_compared(kind):
    model = kind(above_average=True)
    check_refused(lambda: model.fit(X4, CLASSES), 'above_average goes with criterion="gain_ratio"', tw.OptionError)


def test_criteria_are_for_classes_or_for_numbers():
    check_refused(lambda: regress(X4, NUMBERS, criterion="gini"), "criterion='gini'.*squared_error", tw.OptionError)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"kinds": {"c": "nominal"}}, "kinds names a column that does not exist: 'c'.*the columns are a, b"),
        ({"kinds": {"b": "ordinal"}}, "'b' cannot be ordinal.*list the levels in order"),
        ({"class_weight": {"q": 1}}, "class_weight names a class that does not occur: 'q'.*'n', 'p'"),
    ],
)
def test_options_that_do_not_fit_the_table(options, message):
    check_refused(lambda: classify(X4, CLASSES, **options), message, tw.OptionError)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"kinds": {"b": ["x"]}}, "'b' holds the level 'y' in row 1.*in kinds"),
        ({"kinds": {"b": "numeric"}}, "'b' cannot be read as numbers: row 0 holds 'x'"),
    ],
)
def test_kinds_that_do_not_fit_the_cells(options, message):
    check_refused(lambda: classify(X4, CLASSES, **options), message)


def test_missing_values_can_be_refused():
    check_refused(lambda: classify({"a": [1, None, None]}, [0, 1, 0], missing="error"), "'a' has 2 missing values")


def test_a_table_as_an_option_is_not_printed_in_full():
    table = pd.DataFrame(np.zeros((100, 50)))
    check_refused(lambda: classify(X4, CLASSES, max_depth=table), r"max_depth=.* \(a DataFrame\)", tw.OptionError)


def test_unknown_options():
    with pytest.raises(TypeError, match="'max_dept'"):
        tw.CARTClassifier(max_dept=3)
    with pytest.raises(ValueError, match="'max_dept'.*max_depth"):
        tw.CARTClassifier().set_params(max_dept=3)


def test_absurdly_large_options_are_harmless():
    model = classify(X4, CLASSES, max_depth=10**30, max_leaves=10**30, n_jobs=10**9, min_rows_split=10**30)
    assert model.tree_.n_leaves == 1
    assert classify(X4, CLASSES, max_depth=10**30, max_leaves=10**30, n_jobs=10**9).tree_.n_leaves == 2


# ---------------------------------------------------------------- predicting

METHODS = ("predict", "predict_proba", "predict_log_proba", "apply", "decision_path")
BAD_PREDICTIONS = {
    "too many columns": ("unnamed", [[1, 2, 3]], "X has 3 features, but CARTClassifier is expecting 2"),
    "too few columns": ("unnamed", [[1]], "X has 1 features"),
    "one dimension": ("unnamed", [1, 2], "2-D table"),
    "no rows": ("unnamed", np.empty((0, 2)), r"0 sample\(s\)"),
    "no rows, named": ("named", pd.DataFrame({"a": [], "b": []}), r"0 sample\(s\)"),
    "a column is missing": ("named", {"a": [1]}, r"yet now missing:\n- b.*the table has a"),
    "text for a number": ("named", {"a": ["q"], "b": ["x"]}, "'a' cannot be read as numbers: row 0 holds 'q'"),
    "a list for a number": ("named", {"a": [[1]], "b": ["x"]}, "'a' holds a list in row 0"),
    "huge integers": ("named", {"a": [HUGE], "b": ["x"]}, "too large to be compared exactly"),
    "no table": ("named", None, "not a table"),
}


@pytest.fixture(scope="module")
def models():
    return {"named": classify(X4, CLASSES), "unnamed": classify([[1, 2], [3, 4]])}


@pytest.mark.parametrize(("model", "table", "message"), BAD_PREDICTIONS.values(), ids=BAD_PREDICTIONS)
@pytest.mark.parametrize("method", METHODS)
def test_bad_tables_to_predict_on(models, model, table, message, method):
    check_refused(lambda: getattr(models[model], method)(table), f"(?s){message}")


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ([1], "the row has 1 values, the model learned from 2 columns.*a, b"),
        ([1, "x", 3], "the row has 3 values"),
        ({"a": 1}, "yet now missing:\n- b"),
        (X4, "one row is explained at a time, got 4"),
        ([[1, "x"], [2, "y"]], "one row is explained at a time, got 2"),
        (None, "not a table"),
        ("ax", "not a table"),
    ],
)
def test_bad_rows_to_explain(models, row, message):
    check_refused(lambda: models["named"].explain(row), message)


@pytest.mark.parametrize("estimator", [tw.TreeClassifier, tw.TreeRegressor])
@pytest.mark.parametrize("method", ["predict", "apply", "decision_path", "explain", "rules", "to_text", "save"])
def test_unfitted_models(estimator, method):
    arguments = [] if method in ("rules", "to_text") else ["model.json"] if method == "save" else [[[1, 2]]]
    with pytest.raises(NotFittedError, match=f"This {estimator.__name__} instance is not fitted yet"):
        getattr(estimator(), method)(*arguments)
    assert str(estimator()) == repr(estimator())


# ---------------------------------------------------------------- numbers that no float holds, and answers of functions

TOO_LARGE = 10**400


@pytest.mark.parametrize("option", [
    {"costs": [[0, TOO_LARGE], [1, 0]]}, {"costs": {("n", "p"): TOO_LARGE}}, {"costs": {"n": {"p": TOO_LARGE}}},
    {"priors": {"n": TOO_LARGE, "p": 1}}, {"attribute_costs": {"a": TOO_LARGE}}, {"class_weight": {"n": TOO_LARGE}},
])  # fmt: skip
def test_numbers_that_no_float_holds_are_refused(option):
    check_refused(lambda: classify(X4, CLASSES, **option), "cost|prior|class_weight", tw.OptionError)


@pytest.mark.parametrize("given", [{"sample_weight": [TOO_LARGE] * 4}, {"sample_weight": TOO_LARGE},
                                   {"row_costs": [1, 1, 1, TOO_LARGE]}])  # fmt: skip
def test_weights_that_no_float_holds_are_refused(given):
    check_refused(lambda: tw.CARTClassifier().fit(X4, CLASSES, **given), f"{next(iter(given))} holds a number beyond")


@pytest.mark.parametrize("make", [
    lambda: tw.prune.Pessimistic(standard_errors=TOO_LARGE), lambda: tw.prune.MinimumError(m=TOO_LARGE),
    lambda: tw.prune.CostComplexity(alpha=TOO_LARGE), lambda: tw.prune.ErrorBased(TOO_LARGE),
])  # fmt: skip
def test_pruners_refuse_numbers_that_no_float_holds(make):
    check_refused(make, "must be", tw.OptionError)


@pytest.mark.parametrize("option", ["max_depth", "max_leaves", "min_rows_split", "min_rows_leaf", "max_levels"])
@pytest.mark.parametrize("engine", ["exact", "histogram"])
def test_limits_beyond_every_table_are_limits(option, engine):
    """A limit that is never reached, or that nothing meets: no row is lost, and nothing overflows."""
    for n_rows in (4, 3000):
        X, y = {"a": np.arange(n_rows)}, np.arange(n_rows) // 3 % 2
        model = tw.TreeClassifier(**{option: TOO_LARGE}, engine=engine).fit(X, y)
        as_large = tw.TreeClassifier(**{option: n_rows + 1}, engine=engine).fit(X, y)
        assert model.tree_.first_child.tolist() == as_large.tree_.first_child.tolist()


def test_more_limits_beyond_every_table_are_limits():
    y = CLASSES * 10
    for make in (tw.SearchTreeClassifier, lambda **option: tw.C50Classifier(min_cases=option["max_leaves"])):
        trees = [make(max_leaves=most).fit({"a": np.arange(40)}, y).to_text() for most in (41, TOO_LARGE)]
        assert trees[0] == trees[1]


@pytest.mark.parametrize("make", [
    lambda: tw.RandomForestClassifier(n_trees=TOO_LARGE), lambda: tw.Discretizer(columns={"a": TOO_LARGE}),
    lambda: tw.BaggingClassifier(tw.CARTClassifier(), n_trees=TOO_LARGE),
    lambda: tw.RandomForestClassifier(n_trees=1, max_columns=TOO_LARGE),
])  # fmt: skip
def test_numbers_beyond_every_use_are_refused_in_few_words(make):
    with pytest.raises(tw.OptionError) as refused:
        make().fit(X4, CLASSES)
    assert len(str(refused.value)) < 400


@pytest.mark.parametrize("answer", [np.array([True, False]), np.array([True]), [], "yes", 0.5])
def test_stop_has_to_say_yes_or_no(answer):
    model = tw.TreeClassifier(stop=lambda node: answer)
    check_refused(lambda: model.fit(X4, CLASSES), "stop returned", tw.OptionError)


@pytest.mark.parametrize("answer", [True, np.bool_(True), 1])
def test_stop_says_yes(answer):
    assert tw.TreeClassifier(stop=lambda node: answer).fit(X4, CLASSES).tree_.n_nodes == 1


def test_a_pruner_has_to_return_a_tree():
    model = tw.CARTClassifier(prune=lambda tree, schema: "smaller")
    check_refused(lambda: model.fit(X4, CLASSES), "returned 'smaller'", tw.OptionError)


@pytest.mark.parametrize("value", [np.array([1, 2]), np.array(["a", "b"]), tw.prune.Pessimistic])
def test_c45_refuses_what_is_no_way_of_pruning(value):
    check_refused(lambda: tw.C45Classifier(prune=value).fit(X4, CLASSES), "prune=.*not accepted", tw.OptionError)
