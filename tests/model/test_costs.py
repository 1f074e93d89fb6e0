"""Costs of errors and priors in models: growing, the class of a leaf, pruning, words and files."""

from __future__ import annotations

import copy
import json
from dataclasses import replace
from importlib import resources

import jsonschema
import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer, load_iris

import treewright as tw
from model_tables import is_same_tree, table_of
from refusals import check_refused
from strategies import Problem, examples, problems

ESTIMATORS = [
    tw.ID3Classifier(),
    tw.CARTClassifier(),
    tw.TreeClassifier(criterion="entropy", splits="one-vs-rest", smoothing=1.0),
    tw.C45Classifier(),
    tw.C45Classifier(flavour="j48", collapse=False, prune=False),
]
NAMES = [f"{type(estimator).__name__}{k}" for k, estimator in enumerate(ESTIMATORS)]
CANCER = load_breast_cancer(return_X_y=True)
SICK = {"t": [36, 37, 38, 39, 40, 37, 38, 39], "cough": list("nnynyyny")}
STATE = ["healthy", "healthy", "sick", "sick", "sick", "healthy", "healthy", "healthy"]


def labelled_problems() -> st.SearchStrategy[Problem]:
    usable = problems(kinds=("numeric", "nominal"), missing=False, weighted=True)
    return usable.filter(lambda problem: len(np.unique(problem.y)) > 1)


def matrices(n_classes: int) -> st.SearchStrategy[np.ndarray]:
    cells = st.lists(st.sampled_from([0.5, 1, 2, 3, 7.5, 10]), min_size=n_classes**2, max_size=n_classes**2)
    return cells.map(lambda values: np.array(values).reshape(n_classes, -1) * (1 - np.eye(n_classes)))


def fitted(estimator, problem, **options):
    X, y = table_of(problem)
    return clone(estimator).set_params(**options).fit(X, y, sample_weight=problem.weights), X


# ---------------------------------------------------------------- what always holds


@pytest.mark.parametrize("estimator", ESTIMATORS, ids=NAMES)
@settings(max_examples=examples(25), suppress_health_check=[HealthCheck.too_slow])
@given(problem=labelled_problems(), cost=st.sampled_from([1, 0.3, 7]))
def test_equal_costs_change_nothing(estimator, problem, cost):
    n_classes = len(np.unique(problem.y))
    plain, X = fitted(estimator, problem)
    costed, _ = fitted(estimator, problem, costs=cost * (1 - np.eye(n_classes)))
    assert is_same_tree(plain, costed)
    np.testing.assert_array_equal(plain.tree_.stats, costed.tree_.stats)
    np.testing.assert_array_equal(plain.tree_.value, costed.tree_.value)
    assert plain.predict(X).tolist() == costed.predict(X).tolist()


@pytest.mark.parametrize("estimator", ESTIMATORS, ids=NAMES)
@settings(max_examples=examples(25), suppress_health_check=[HealthCheck.too_slow])
@given(data=st.data(), problem=labelled_problems(), factor=st.sampled_from([0.1, 3, 1000]))
def test_scaled_costs_change_nothing(estimator, data, problem, factor):
    costs = data.draw(matrices(len(np.unique(problem.y))))
    one, X = fitted(estimator, problem, costs=costs)
    other, _ = fitted(estimator, problem, costs=factor * costs)
    assert is_same_tree(one, other)
    assert one.predict(X).tolist() == other.predict(X).tolist()


@pytest.mark.parametrize("estimator", ESTIMATORS, ids=NAMES)
@settings(max_examples=examples(25), suppress_health_check=[HealthCheck.too_slow])
@given(data=st.data(), problem=labelled_problems(), equal=st.booleans())
def test_predictions_cost_least_by_the_probabilities(estimator, data, problem, equal):
    costs = data.draw(matrices(len(np.unique(problem.y))))
    model, X = fitted(estimator, problem, costs=costs, priors="equal" if equal else None)
    expected = model.predict_proba(X) @ costs
    chosen = np.searchsorted(model.classes_, model.predict(X))
    np.testing.assert_allclose(expected[np.arange(len(chosen)), chosen], expected.min(1), atol=1e-8 * costs.max())
    assert [model.explain({n: X[n][0] for n in X}).prediction] == model.predict(X)[:1].tolist()


@pytest.mark.parametrize("estimator", ESTIMATORS[:3], ids=NAMES[:3])
@settings(max_examples=examples(25), suppress_health_check=[HealthCheck.too_slow])
@given(data=st.data(), problem=labelled_problems(), equal=st.booleans())
def test_growing_is_growing_from_altered_weights(estimator, data, problem, equal):
    """The twin weighs every row by prior × sum of losses over the share of its class, in a loop."""
    n_classes = len(np.unique(problem.y))
    costs = data.draw(matrices(n_classes))
    model, X = fitted(estimator, problem, costs=costs, priors="equal" if equal else None)
    w = np.ones(problem.n_rows) if problem.weights is None else problem.weights
    codes = np.unique(problem.y, return_inverse=True)[1]
    weights = []
    for row, label in enumerate(codes):
        share = w[codes == label].sum() / w.sum()
        weights.append(round(w[row] * (1 / n_classes if equal else share) * costs[label].sum() / share, 12))
    twin = clone(estimator).fit(X, table_of(problem)[1], sample_weight=weights)
    assert is_same_tree(model, twin)
    raw = np.array([[w[(codes == k) & reached].sum() for k in range(n_classes)] for reached in _reached(model, X)])
    np.testing.assert_allclose(model.tree_.stats, raw, rtol=1e-9, atol=1e-12)


def _reached(model, X) -> np.ndarray:
    return model.decision_path(X).toarray().astype(bool).T


# ---------------------------------------------------------------- examples


@pytest.mark.parametrize("estimator", ESTIMATORS, ids=NAMES)
def test_the_truth_comes_first(estimator):
    """Missing a sick one costs 100: nobody but those who are surely healthy is predicted so."""
    X, y = SICK, STATE
    careful = clone(estimator).set_params(max_depth=1, costs={("sick", "healthy"): 100}).fit(X, y)
    bold = clone(estimator).set_params(max_depth=1, costs={("healthy", "sick"): 100}).fit(X, y)
    assert ((careful.predict(X) == "sick") | (np.array(y) == "healthy")).all()
    assert ((bold.predict(X) == "healthy") | (np.array(y) == "sick")).all()


def test_statistics_stay_those_of_the_rows_and_probabilities_follow_the_priors():
    model = tw.CARTClassifier(max_depth=0, costs={("sick", "healthy"): 9}, priors=[0.9, 0.1]).fit(SICK, STATE)
    assert model.tree_.stats.tolist() == [[5, 3]]
    np.testing.assert_allclose(model.tree_.value, [[0.9, 0.1]])
    assert model.predict(SICK).tolist() == ["healthy"] * 8  # 0.1 × 9 is no more than 0.9, and the first of equals wins
    assert str(model).startswith("CARTClassifier: y — 8 rows, 1 leaf, depth 0, training error 37.5 %")


def test_words_say_what_is_predicted_and_what_it_may_cost():
    model = tw.CARTClassifier(max_depth=0, costs={("sick", "healthy"): 10}).fit(SICK, STATE)
    assert "sick [0] (8, 62% wrong)" in str(model)
    (rule,) = model.rules()
    assert (rule.prediction, rule.probability) == ("sick", 3 / 8)
    assert str(model.explain({"t": 37, "cough": "n"})).endswith(
        "prediction: y = sick (healthy: 62 %, sick: 38 %; expected cost 0.625)"
    )


def test_missing_values_in_every_branch_are_decided_by_cost_once():
    X, y = {"a": ["x"] * 10 + ["y"] * 10}, ["well"] * 8 + ["ill"] * 2 + ["ill"] * 6 + ["well"] * 4
    options = {"prune": False, "collapse": False, "min_cases": 1}
    model = tw.C45Classifier(costs={("ill", "well"): 1.4}, **options).fit(X, y)
    (shares,) = model.predict_proba({"a": [None]})
    np.testing.assert_allclose(shares, [8 / 20, 12 / 20])  # ill, well
    assert model.predict({"a": [None]}).tolist() == ["well"]
    model = tw.C45Classifier(costs={("ill", "well"): 1.6}, **options).fit(X, y)
    assert model.predict({"a": [None]}).tolist() == ["ill"]
    assert model.explain({"a": None}).prediction == "ill"


def test_costs_forbid_no_branch_of_enough_rows():
    X, y = {"a": ["x"] * 10 + ["y"] * 3}, ["ill"] * 10 + ["well"] * 3
    model = tw.C45Classifier(costs={("ill", "well"): 100}, prune=False).fit(
        X, y
    )  # "well" weighs far less than two rows
    assert model.tree_.n_leaves == 2
    assert model.predict(X).tolist() == y


def test_costs_of_rows_weigh_them():
    costs = [1, 1, 1, 1, 1, 9, 9, 9]
    model = tw.CARTClassifier(max_depth=1).fit(SICK, STATE, row_costs=costs)
    same = tw.CARTClassifier(max_depth=1).fit(SICK, STATE, sample_weight=costs)
    assert is_same_tree(model, same)
    np.testing.assert_array_equal(model.tree_.value, same.tree_.value)
    twice = tw.CARTClassifier(max_depth=1).fit(SICK, STATE, sample_weight=[2] * 8, row_costs=costs)
    np.testing.assert_array_equal(twice.tree_.stats, 2 * same.tree_.stats)
    by_call = tw.fit({**SICK, "state": STATE}, "state", row_costs=costs, max_depth=1)
    np.testing.assert_array_equal(by_call.tree_.stats, same.tree_.stats)


@pytest.mark.parametrize(
    ("row_costs", "message"),
    [
        ([1] * 7, r"row_costs has shape \(7,\), expected \(8,\)"),
        ([1] * 7 + [-1], "row_costs holds a negative value in row 7"),
        ([1] * 7 + [np.nan], "row_costs holds a NaN"),
        (["a"] * 8, "row_costs must be numbers"),
        ([0] * 8, "every row has a weight of zero"),
    ],
)
def test_bad_costs_of_rows(row_costs, message):
    check_refused(lambda: tw.CARTClassifier().fit(SICK, STATE, row_costs=row_costs), message)


def test_costs_of_rows_are_for_classes():
    check_refused(
        lambda: tw.fit({"a": [1, 2], "y": [1.5, 2]}, "y", row_costs=[1, 1]), "row_costs.*number", tw.OptionError
    )


def test_costs_of_rows_can_be_routed_by_scikit_learn():
    import sklearn
    from sklearn.model_selection import cross_validate

    with sklearn.config_context(enable_metadata_routing=True):
        model = tw.CARTClassifier(max_depth=2).set_fit_request(row_costs=True)
        X, y = load_iris(return_X_y=True)
        assert len(cross_validate(model, X, y, params={"row_costs": np.arange(150.0)}, cv=3)["test_score"]) == 3


# ---------------------------------------------------------------- pruning


def costs_of(model, X, y, matrix) -> float:
    truth = np.searchsorted(model.classes_, y)
    return float(matrix[truth, np.searchsorted(model.classes_, model.predict(X))].sum())


def test_the_pruning_sequence_adds_up_costs():
    X, y = CANCER
    matrix = np.array([[0.0, 20], [1, 0]])
    model = tw.CARTClassifier(costs=matrix, max_depth=5).fit(X, y)
    path = model.pruning_path()
    for k, tree in enumerate(path.trees):
        pruned = model.prune("nodes", nodes=[])
        pruned.__dict__["tree_"] = tree
        assert path.risks[k] * len(y) == pytest.approx(costs_of(pruned, X, y, matrix))


def test_reduced_error_pruning_reduces_costs():
    X, y = CANCER
    matrix = np.array([[0.0, 20], [1, 0]])
    model = tw.CARTClassifier(costs=matrix).fit(X[::2], y[::2])
    smaller = model.prune("reduced-error", X_val=X[1::2], y_val=y[1::2])
    assert smaller.tree_.n_leaves < model.tree_.n_leaves
    assert costs_of(smaller, X[1::2], y[1::2], matrix) <= costs_of(model, X[1::2], y[1::2], matrix)


@pytest.mark.parametrize(
    "method", ["cost-complexity", "minimum-error", "pessimistic", "mdl", "cost-based", "critical-value", "merge-same"]
)
def test_every_method_takes_equal_costs_as_none(method):
    X, y = CANCER
    options = {
        "cost-complexity": {"alpha": 0.01, "risk": "misclassification", "relative": True},
        "critical-value": {"value": 0.05},
    }
    plain, costed = (
        tw.CARTClassifier(costs=costs).fit(X, y).prune(method, **options.get(method, {}))
        for costs in (None, {(0, 1): 2, (1, 0): 2})
    )
    assert is_same_tree(plain, costed)
    assert plain.tree_.n_leaves > 1
    assert plain.predict(X).tolist() == costed.predict(X).tolist()


@pytest.mark.parametrize("method", ["cost-complexity", "minimum-error", "pessimistic", "mdl", "cost-based"])
def test_every_method_minds_costs(method):
    X, y = CANCER
    options = {"alpha": 0.01} if method == "cost-complexity" else {}
    plain = tw.CARTClassifier(max_depth=4).fit(X, y)
    smaller = {plain.prune(method, **options).tree_.n_leaves}
    for costs in ((0.0, 50.0), (1.0, 0.0)), ((0.0, 1.0), (50.0, 0.0)):
        costed = copy.copy(plain)  # the same tree, other costs
        target = replace(plain.schema_.target, costs=costs)
        costed.__dict__["schema_"] = replace(plain.schema_, target=target)
        smaller.add(costed.prune(method, **options).tree_.n_leaves)
    assert len(smaller) > 1


def test_cost_based_pruning_takes_the_costs_of_the_model():
    X, y = CANCER
    costs = {(0, 1): 30}
    model = tw.CARTClassifier(costs=costs, max_depth=4).fit(X, y)
    smaller, same = model.prune("cost-based"), model.prune("cost-based", costs=costs)
    assert is_same_tree(smaller, same)
    counts = smaller.tree_.stats
    np.testing.assert_allclose(smaller.tree_.value, (counts + 1) / (counts.sum(1, keepdims=True) + 2))
    check_refused(lambda: model.prune("cost-based", costs={(0, 1): 3}), "fitted with other costs", tw.OptionError)


def test_merging_minds_what_leaves_say():
    X, y = {"a": [0, 0, 0, 0, 1, 1, 1]}, ["well", "well", "well", "ill", "ill", "ill", "well"]
    plain, careful = (tw.CARTClassifier(costs=costs).fit(X, y) for costs in (None, {("ill", "well"): 10}))
    assert plain.tree_.n_leaves == careful.tree_.n_leaves == 2
    assert plain.prune("merge-same").tree_.n_leaves == 2
    assert careful.prune("merge-same").tree_.n_leaves == 1


def test_cross_validation_takes_costs_along():
    X, y = CANCER
    model = tw.CARTClassifier(costs={(0, 1): 20}).fit(X, y)
    smaller = model.prune("cost-complexity", cv=5)
    assert 1 < smaller.tree_.n_leaves < model.tree_.n_leaves
    assert tw.evaluate.evaluate(smaller, X, y).confusion[0, 1] <= 3


def test_evaluation_and_curves_follow_the_decision():
    X, y = CANCER
    model = tw.CARTClassifier(costs={(0, 1): 1000}, max_depth=1).fit(X, y)
    found = tw.evaluate.evaluate(model, X, y)
    assert found.error == pytest.approx(np.mean(model.predict(X) != y))
    assert found.error == pytest.approx(1 - model.score(X, y))
    curve = tw.evaluate.complexity_curve(model, X, y)
    np.testing.assert_allclose(curve.training, curve.validation)


# ---------------------------------------------------------------- files


def test_costs_and_priors_are_saved(tmp_path):
    model = tw.CARTClassifier(costs={("sick", "healthy"): 10}, priors={"sick": 0.1, "healthy": 0.9}, max_depth=1).fit(
        SICK, STATE
    )
    model.save(tmp_path / "model.json")
    document = json.loads((tmp_path / "model.json").read_text())
    checker = json.loads(resources.files("treewright.tree").joinpath("model.schema.json").read_text("utf-8"))
    jsonschema.Draft202012Validator(checker).validate(document)
    assert document["schema"]["target"]["costs"] == [[0, 1], [10, 0]]
    loaded = tw.load(tmp_path / "model.json")
    assert loaded.schema_ == model.schema_
    assert loaded.get_params() == model.get_params()
    assert loaded.predict(SICK).tolist() == model.predict(SICK).tolist()
    assert str(loaded) == str(model)


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("costs", [[0, 1]], "square of numbers"),
        ("costs", [[0, -1], [1, 0]], "not negative"),
        ("costs", 3, "'costs' must be a list"),
        ("priors", [0.5, 0.6], "add up to 1"),
        ("priors", ["a", "b"], "a number is expected"),
    ],
)
def test_damaged_costs_are_refused(name, value, message, tmp_path):
    path = tmp_path / "model.json"
    tw.CARTClassifier(costs={("sick", "healthy"): 10}, priors="equal").fit(SICK, STATE).save(path)
    document = json.loads(path.read_text())
    document["schema"]["target"][name] = value
    path.write_text(json.dumps(document))
    check_refused(lambda: tw.load(path), message, tw.ModelFileError)
