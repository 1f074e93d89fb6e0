"""Leaves that predict by a linear or a logistic model: any criterion, ridge, elimination, limits, missing values."""

from __future__ import annotations

import json
from pathlib import Path

import jsonschema
import numpy as np
import pytest
from sklearn.linear_model import LinearRegression, LogisticRegression

import treewright as tw
from treewright.prune.training_counts import training_error
from treewright.tree.tree import LeafKind

N_ROWS = 400
FORMAT = Path(tw.__file__).parent / "tree" / "model.schema.json"


def table(seed: int = 0):
    random = np.random.default_rng(seed)
    a, b, d = random.normal(size=(3, N_ROWS))
    level = random.choice(["x", "y", "z"], N_ROWS)
    y = np.where(a > 0, 3 * b + 1, -2 * b + 2 * (level == "x")) + random.normal(size=N_ROWS) / 10
    return {"a": a, "b": b, "level": level.tolist(), "d": d}, y


def numbers(X) -> np.ndarray:
    return np.column_stack([X["a"], X["b"], X["d"]])


X, Y = table()
PLAIN = {name: X[name] for name in "abd"}
CLASS = np.where(X["a"] > 0, X["b"] > 0.2, X["d"] > 0)


def test_the_model_of_the_root_is_least_squares():
    model = tw.TreeRegressor(leaf="linear", max_depth=0, eliminate=False, extrapolation=100).fit(PLAIN, Y)
    peer = LinearRegression().fit(numbers(X), Y)
    np.testing.assert_allclose(model.predict(PLAIN), peer.predict(numbers(X)), atol=1e-8)


def test_models_of_leaves_are_those_of_their_rows():
    model = tw.TreeRegressor(leaf="linear", max_depth=2, min_rows_leaf=20, eliminate=False).fit(PLAIN, Y)
    leaves = model.apply(PLAIN)
    for leaf in np.unique(leaves):
        here = leaves == leaf
        peer = LinearRegression().fit(numbers(X)[here], Y[here])
        np.testing.assert_allclose(model.predict(PLAIN)[here], peer.predict(numbers(X)[here]), atol=1e-7)


@pytest.mark.parametrize("criterion", ["squared_error", "absolute_error", "friedman", "f", "variance"])
def test_any_criterion(criterion):
    model = tw.TreeRegressor(leaf="linear", criterion=criterion, max_depth=3).fit(X, Y)
    assert model.tree_.leaf is LeafKind.LINEAR
    assert model.score(X, Y) > tw.TreeRegressor(criterion=criterion, max_depth=3).fit(X, Y).score(X, Y)


def test_terms_that_say_nothing_are_eliminated():
    model = tw.TreeRegressor(leaf="linear", max_depth=0).fit({"b": X["b"], "d": X["d"]}, 3 * X["b"] + 1)
    ((term, slope),) = model.tree_.models.terms_of(0)
    assert term.column == 0
    assert slope == pytest.approx(3)


def test_ridge_shrinks():
    small, large = (
        tw.TreeRegressor(leaf="linear", max_depth=0, eliminate=False, ridge=ridge).fit(PLAIN, Y)
        for ridge in (1e-8, 1e4)
    )
    assert np.abs(large.tree_.models.slope).sum() < np.abs(small.tree_.models.slope).sum() / 5


@pytest.mark.parametrize("extrapolation", [0, 10, 100])
def test_predictions_stay_within_the_limits(extrapolation):
    model = tw.TreeRegressor(leaf="linear", max_depth=1, extrapolation=extrapolation).fit(X, Y)
    far = {"a": [1e9, -1e9, 1.0], "b": [1e9, 1e9, -1e9], "level": ["x", "q", None], "d": [0.0, 1e300, np.inf]}
    beyond = extrapolation / 100 * (Y.max() - Y.min())
    found = model.predict(far)
    assert (Y.min() - beyond <= found).all()
    assert (found <= Y.max() + beyond).all()


def test_collinear_and_constant_columns():
    copies = {
        "a": X["a"],
        "twice": 2 * X["a"],
        "nearly": X["a"] + 1e-9,
        "one": np.ones(N_ROWS),
        "none": [None] * N_ROWS,
    }
    model = tw.TreeRegressor(leaf="linear", max_depth=0).fit(copies, 3 * X["a"])
    assert model.score(copies, 3 * X["a"]) > 0.999
    np.testing.assert_allclose(tw.M5Regressor().fit(copies, 3 * X["a"]).predict(copies), 3 * X["a"], atol=1e-3)


@pytest.mark.parametrize("policy", ["learned", "stop", "every", "surrogate", "common"])
def test_missing_values(policy):
    holes = {**X, "b": np.where(np.arange(N_ROWS) % 7, X["b"], np.nan), "level": [*X["level"][:-9], *[None] * 9]}
    model = tw.TreeRegressor(leaf="linear", max_depth=3, missing=policy).fit(holes, Y)
    assert model.score(holes, Y) > tw.TreeRegressor(max_depth=3, missing=policy).fit(holes, Y).score(holes, Y)
    error = training_error(model.tree_, model.schema_)
    if policy in ("learned", "common"):  # otherwise a row may end in several nodes, or on the way
        assert error == pytest.approx(np.mean((model.predict(holes) - Y) ** 2), rel=1e-9)
    assert np.isfinite(model.predict({"a": [None], "b": [None], "level": ["never seen"], "d": [None]})).all()


def test_weights_are_rows():
    weights = np.arange(N_ROWS) % 3
    repeated = {name: np.repeat(np.asarray(column), weights) for name, column in X.items()}
    model = tw.TreeRegressor(leaf="linear", max_depth=2).fit(X, Y, sample_weight=weights)
    other = tw.TreeRegressor(leaf="linear", max_depth=2).fit(repeated, np.repeat(Y, weights))
    np.testing.assert_allclose(model.predict(X), other.predict(X), rtol=1e-7)


def test_pruning_goes_by_the_errors_of_models():
    """Where one line fits all, nothing is left of the tree."""
    line = 2 * X["b"] + 1
    grown = tw.TreeRegressor(leaf="linear", max_depth=4).fit(X, line)
    assert grown.tree_.n_leaves > 1
    assert grown.prune("cost-complexity", alpha=1e-6).tree_.n_leaves == 1
    held_out = grown.prune("reduced-error", X, line)
    assert held_out.tree_.n_leaves <= grown.tree_.n_leaves
    np.testing.assert_allclose(held_out.predict(X), line, atol=1e-6)
    assert tw.TreeRegressor(leaf="linear", max_depth=3).fit(X, line).prune("cost-complexity", cv=3).score(X, line) > 0.9


def test_print_explanation_rules_and_pictures_have_the_equation():
    model = tw.TreeRegressor(leaf="linear", max_depth=1).fit(X, Y)
    leaf = int(model.apply({name: column[:1] for name, column in X.items()})[0])
    row = {name: column[0] for name, column in X.items()}
    found = model.explain(row)
    assert sum(term.adds for term in found.terms if term.leaf == leaf) == pytest.approx(found.prediction)
    assert found.prediction == pytest.approx(model.predict([row])[0])
    assert " b" in str(model)
    np.testing.assert_allclose(model.rule_set().predict(X), model.predict(X))
    assert "b" in model.to_svg()
    assert "equations" in model.to_html()


def test_growing_on_keeps_models():
    stump = tw.TreeRegressor(leaf="linear", max_depth=1).fit(X, Y)
    further = stump.grow_on(learner=tw.TreeRegressor(leaf="linear", max_depth=1))
    assert further.tree_.n_leaves > stump.tree_.n_leaves
    assert further.score(X, Y) >= stump.score(X, Y)


MAKERS = {
    "m5": lambda: tw.M5Regressor().fit(X, Y),
    "linear": lambda: tw.TreeRegressor(leaf="linear", max_depth=2).fit(X, Y),
    "logistic": lambda: tw.TreeClassifier(leaf="logistic", max_depth=1).fit(X, CLASS),
    "m5rules": lambda: tw.M5RulesRegressor().fit(X, Y),
    "cubist": lambda: tw.CubistRegressor(neighbors=2).fit(X, Y),
    "cubist rules": lambda: tw.CubistRegressor().fit(X, Y).rule_sets()[0],
}


@pytest.mark.parametrize("make", MAKERS.values(), ids=MAKERS)
def test_files_are_as_the_schema_says(make, tmp_path):
    model = make()
    model.save(tmp_path / "model.json")
    document = json.loads((tmp_path / "model.json").read_text("utf-8"))
    jsonschema.validate(document, json.loads(FORMAT.read_text("utf-8")))
    np.testing.assert_array_equal(tw.load(tmp_path / "model.json").predict(X), model.predict(X))


@pytest.mark.parametrize(
    ("name", "value", "words"),
    [
        ("start", [0, 1], "do not start in order"),
        ("term_column", [99], "not in the schema|do not start in order"),
        ("low", [], "a number per node"),
        ("slope", [], "not as many as their terms"),
        ("intercept", [[0.0, 0.0]], "numbers per node"),
    ],
)
def test_damaged_models_are_refused(name, value, words, tmp_path):
    path = tmp_path / "model.json"
    tw.TreeRegressor(leaf="linear", max_depth=1).fit(X, Y).save(path)
    document = json.loads(path.read_text("utf-8"))
    document["tree"]["models"][name] = value
    path.write_text(json.dumps(document), "utf-8")
    with pytest.raises(tw.ModelFileError, match=words):
        tw.load(path)


# ---------------------------------------------------------------- classes


def test_the_logistic_model_of_the_root_is_that_of_scikit_learn():
    scaled = numbers(X)
    scaled = (scaled - scaled.mean(0)) / scaled.std(0)
    model = tw.TreeClassifier(leaf="logistic", max_depth=0, eliminate=False, ridge=1.0).fit(PLAIN, CLASS)
    peer = LogisticRegression(C=1.0, tol=1e-8).fit(scaled, CLASS)
    # An intercept of ours is drawn to 0 by one row.
    np.testing.assert_allclose(model.predict_proba(PLAIN), peer.predict_proba(scaled), atol=5e-3)


def test_logistic_leaves_tell_more_than_shares():
    model = tw.TreeClassifier(leaf="logistic", max_depth=1).fit(X, CLASS)
    assert model.score(X, CLASS) > tw.TreeClassifier(max_depth=1).fit(X, CLASS).score(X, CLASS)
    assert model.tree_.leaf is LeafKind.LOGISTIC
    assert 1 - training_error(model.tree_, model.schema_) == pytest.approx(model.score(X, CLASS))
    assert "log-odds of True" in str(model)
    assert "log-odds" in str(model.explain({name: column[0] for name, column in X.items()}))


@pytest.mark.parametrize("told", [{"costs": {(False, True): 5}}, {"priors": "equal"}, {"class_weight": "balanced"}])
def test_costs_and_priors_leave_errors_to_be_counted(told):
    """Costs decide between probabilities; the training error is the share of wrong rows whatever they cost."""
    model = tw.TreeClassifier(leaf="logistic", max_depth=1, **told).fit(X, CLASS)
    if "class_weight" not in told:
        assert training_error(model.tree_, model.schema_) == pytest.approx(1 - model.score(X, CLASS))
    plain = tw.TreeClassifier(leaf="logistic", max_depth=0).fit(X, CLASS)
    if "costs" in told:
        same = tw.TreeClassifier(leaf="logistic", max_depth=0, **told).fit(X, CLASS)
        np.testing.assert_allclose(same.predict_proba(X), plain.predict_proba(X))
        assert same.predict(X).sum() < plain.predict(X).sum()


def test_reports(tmp_path):
    for name in ("m5", "linear", "m5rules"):
        MAKERS[name]().report(tmp_path / "report.html", X, Y)
        assert "root mean squared error" in (tmp_path / "report.html").read_text("utf-8")
    MAKERS["logistic"]().report(tmp_path / "report.html", X, CLASS)


def test_three_classes():
    three = np.where(X["b"] > 0.5, "p", np.where(X["d"] > 0, "q", "r"))
    model = tw.TreeClassifier(leaf="logistic", max_depth=0).fit(X, three)
    shares = model.predict_proba(X)
    np.testing.assert_allclose(shares.sum(1), 1)
    assert model.score(X, three) > 0.9
    assert model.prune("reduced-error", X, three).score(X, three) > 0.9


def test_separated_classes_have_finite_log_odds():
    model = tw.TreeClassifier(leaf="logistic", max_depth=0).fit({"a": [1.0, 2, 3, 4, 5, 6, 7, 8]}, list("nnnnyyyy"))
    assert model.score({"a": [1.0, 8.0]}, ["n", "y"]) == 1
    assert np.isfinite(model.tree_.models.slope).all()


# ---------------------------------------------------------------- what is refused


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"leaf": "linear", "engine": "histogram"}, "histogram"),
        ({"leaf": "linear", "monotone": {"a": 1}}, "monotone"),
        ({"ridge": 1.0}, "ridge is of models"),
        ({"extrapolation": 5.0}, "extrapolation is of models"),
        ({"leaf": "cubic"}, "leaf='cubic'"),
        ({"leaf": "linear", "ridge": -1.0}, "ridge=-1.0"),
        ({"leaf": "linear", "extrapolation": 101}, "extrapolation=101"),
    ],
)
def test_options_that_do_not_go_together(options, words):
    with pytest.raises(tw.OptionError, match=words):
        tw.TreeRegressor(**options).fit(X, Y)


def test_smoothing_is_of_shares():
    with pytest.raises(tw.OptionError, match="smoothing is of shares"):
        tw.TreeClassifier(leaf="logistic", smoothing="laplace").fit(X, CLASS)


@pytest.mark.parametrize("method", ["pessimistic", "minimum-error", "error-based"])
def test_pruning_that_counts_classes_is_refused(method):
    model = tw.TreeClassifier(leaf="logistic", max_depth=2).fit(X, CLASS)
    with pytest.raises(tw.OptionError, match="leaves of this tree are models|rows"):
        model.prune(method)


LEARNERS = [tw.M5Regressor(), tw.M5RulesRegressor(), tw.CubistRegressor(), tw.TreeRegressor(leaf="linear")]


@pytest.mark.parametrize("learner", LEARNERS, ids=lambda learner: type(learner).__name__)
def test_infinite_values_are_refused(learner):
    with pytest.raises(tw.DataError, match="column 'a' holds infinite values"):
        learner.fit({"a": [1.0, np.inf, 3.0]}, [1.0, 2.0, 3.0])


@pytest.mark.parametrize("learner", LEARNERS, ids=lambda learner: type(learner).__name__)
@pytest.mark.parametrize("rows", [1, 2, 3, 5])
def test_few_rows_and_a_constant_target(learner, rows):
    few = {"a": np.arange(float(rows)), "level": ["x"] * rows}
    np.testing.assert_allclose(learner.fit(few, np.full(rows, 7.0)).predict(few), 7.0)
    assert np.isfinite(learner.fit(few, np.arange(float(rows)) ** 2).predict(few)).all()
