"""Models whose tests have costs: which test is taken at every node, and what a case costs."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.datasets import load_iris

import oracle
import treewright as tw
from model_tables import is_same_tree, table_of
from refusals import CLASSES, X4, check_refused, classify
from strategies import Problem, examples, problems
from treewright.recipe_parts.attribute_costs import RULES

IRIS, SPECIES = load_iris(return_X_y=True)
ESTIMATORS = [
    tw.ID3Classifier(),
    tw.CARTClassifier(),
    tw.TreeClassifier(criterion="entropy", splits="one-vs-rest", base=3.0),
    tw.C45Classifier(),
    tw.C45Classifier(criterion="gain", prune=False, collapse=False),
]
NAMES = [f"{type(estimator).__name__}{k}" for k, estimator in enumerate(ESTIMATORS)]
PATIENTS = {
    "age": [30, 40, 50, 60, 35, 45, 55, 65],
    "glucose": [1, 1, 2, 2, 1, 2, 1, 2],
    "insulin": [1, 2, 1, 2, 1, 2, 2, 1],
    "smoker": list("nnyynyny"),
}
ILL = ["no", "no", "no", "yes", "no", "yes", "no", "no"]


def play_tennis() -> tuple[dict, list]:
    table = tw.datasets.load("play_tennis")
    return {name: column for name, column in table.X.items() if name != "day"}, table.y


def usable_problems() -> st.SearchStrategy[Problem]:
    random_pick = problems(kinds=("numeric", "nominal"), missing=False, max_rows=20)
    return random_pick.filter(lambda problem: len(np.unique(problem.y)) > 1)


def costs_of(problem: Problem) -> st.SearchStrategy[dict[str, float]]:
    names = [f"x{j}" for j in range(len(problem.columns))]
    return st.dictionaries(st.sampled_from(names), st.sampled_from([0.5, 1.0, 2.0, 5.0, 20.0]))


# ---------------------------------------------------------------- worked example 23


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("estimator", ESTIMATORS, ids=NAMES)
@settings(max_examples=examples(15), suppress_health_check=[HealthCheck.too_slow])
@given(problem=usable_problems(), cost=st.sampled_from([1, 7, 0.3]))
def test_equal_costs_choose_as_plain_gain(estimator, rule, problem, cost):
    X, y = table_of(problem)
    plain = clone(estimator).fit(X, y, sample_weight=problem.weights)
    costed = clone(estimator).set_params(attribute_costs=dict.fromkeys(X, cost), cost_rule=rule)
    assert is_same_tree(plain, costed.fit(X, y, sample_weight=problem.weights))


@pytest.mark.parametrize("estimator", ESTIMATORS, ids=NAMES)
@settings(max_examples=examples(15), suppress_health_check=[HealthCheck.too_slow])
@given(data=st.data(), problem=usable_problems())
def test_a_weight_of_nothing_chooses_as_plain_gain(estimator, data, problem):
    X, y = table_of(problem)
    options = {"attribute_costs": data.draw(costs_of(problem)), "cost_rule": "nunez", "cost_weight": 0.0}
    costed = clone(estimator).set_params(**options).fit(X, y)
    assert is_same_tree(clone(estimator).fit(X, y), costed)


@pytest.mark.parametrize("rule", RULES)
def test_a_dear_test_is_put_off(rule):
    X, y = play_tennis()
    assert tw.ID3Classifier().fit(X, y).tree_.column[0] == list(X).index("outlook")
    model = tw.ID3Classifier(attribute_costs={"outlook": 50}, cost_rule=rule).fit(X, y)
    assert model.tree_.column[0] == list(X).index("humidity")


# ---------------------------------------------------------------- every node


def formula(rule: str, gain: float, cost: float, weight: float) -> float:
    return {"tan-schlimmer": gain**2 / cost, "idx": gain / cost, "nunez": (2**gain - 1) / (cost + 1) ** weight}[rule]


def slow_cost(costs: dict, groups: dict, path: list[str], name: str) -> float:
    """What is still to pay, but no less than the cheapest test costs."""
    left = 0.0 if name in path else costs.get(name, 1.0)
    for group, members in groups.items():
        if name in members and not set(path) & set(members):
            left += costs[group]
    return left


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("splits", ["multiway", "subset"])
@settings(max_examples=examples(20), suppress_health_check=[HealthCheck.too_slow])
@given(data=st.data(), problem=usable_problems(), grouped=st.booleans())
def test_no_test_at_any_node_scores_better(rule, splits, data, problem, grouped):
    """The twin walks every path, prices every column by hand and scores all splits from the definitions."""
    X, y = table_of(problem)
    groups = {"sample": list(X)[:2]} if grouped else {}
    costs = {**data.draw(costs_of(problem)), **({"sample": 4.0} if grouped else {})}
    weight = 0.5 if rule == "nunez" else 1.0
    options = {"attribute_costs": costs, "test_groups": groups, "cost_rule": rule, "cost_weight": weight}
    model = tw.TreeClassifier(criterion="entropy", splits=splits, **options)
    model.fit(X, y, sample_weight=problem.weights)
    reached = model.decision_path(X).toarray().astype(bool)
    cheapest = min(costs.get(name, 1.0) for name in X)
    for node in model.tree_.nodes():
        if node.is_leaf:
            continue
        path = [list(X)[above.split.column] for above in node.path()[:-1]]
        scores = {}
        for name, column in zip(X, problem.columns):
            cost = max(slow_cost(costs, groups, path, name), cheapest)
            rows = np.flatnonzero(reached[:, node.id])
            found = oracle.best_split(
                [column], problem.y, problem.weights, rows=rows, criterion="entropy", nominal=splits
            )
            scores[name] = -np.inf if not found.splits else formula(rule, max(found.score, 0) / np.log(2), cost, weight)
        taken = scores[list(X)[node.split.column]]
        assert taken >= max(scores.values()) - 1e-9
        assert model.split_scores()[node.id] == pytest.approx(taken, abs=1e-9)


def test_scores_of_c45_are_of_its_ratio():
    X, y = play_tennis()
    model = tw.C45Classifier(attribute_costs={"outlook": 4}).fit(X, y)
    root = model.tree_.root
    cost = {"outlook": 4}.get(list(X)[root.split.column], 1)
    assert model.split_scores()[0] == pytest.approx(root.gain**2 / cost)
    assert tw.C45Classifier().fit(X, y).split_scores().tolist() == tw.C45Classifier().fit(X, y).tree_.gain.tolist()


def test_a_pure_split_does_not_end_the_search():
    """The first column splits perfectly, the second nearly so at a hundredth of the cost."""
    X = {"lab": [0] * 10 + [1] * 10, "ask": [0] * 9 + [1] * 11}
    y = ["a"] * 10 + ["b"] * 10
    assert classify(X, y).tree_.column[0] == 0
    assert classify(X, y, attribute_costs={"lab": 100}).tree_.column[0] == 1


def test_of_tests_that_gain_nothing_the_cheapest_is_taken():
    X, y = {"a": [0, 0, 1, 1], "b": [0, 1, 0, 1]}, [0, 1, 1, 0]
    assert classify(X, y, attribute_costs={"a": 2}).tree_.column[0] == 1
    assert classify(X, y, attribute_costs={"b": 2}).tree_.column[0] == 0


def test_a_sample_that_is_paid_makes_its_group_cheap():
    options = {
        "attribute_costs": {"blood": 50, "age": 10, "smoker": 10},
        "test_groups": {"blood": ["glucose", "insulin"]},
    }
    model = tw.CARTClassifier(cost_rule="idx", **options).fit(PATIENTS, ILL)
    names = [[list(PATIENTS)[step.split.column] for step in leaf.path()[:-1]] for leaf in model.tree_.leaves()]
    for path in names:
        if "glucose" in path and "insulin" in path:
            first, second = sorted(path.index(name) for name in ("glucose", "insulin"))
            assert not set(path[first + 1 : second]) & {"age", "smoker"}


# ---------------------------------------------------------------- what a case costs


def slow_expected(model, X, costs, groups) -> float:
    """Every row pays for the tests on its way."""
    total = 0.0
    names = list(X)
    for leaf in model.apply(X):
        path = []
        for node in model.tree_.node(int(leaf)).path()[:-1]:
            total += slow_cost(costs, groups, path, names[node.split.column])
            path.append(names[node.split.column])
    return total / len(next(iter(X.values())))


@pytest.mark.parametrize("estimator", [*ESTIMATORS[:3], ESTIMATORS[4]], ids=[*NAMES[:3], NAMES[4]])
def test_the_expected_cost_is_what_rows_pay(estimator):
    costs, groups = {"blood": 20, "glucose": 3, "age": 2}, {"blood": ["glucose", "insulin"]}
    options = {"attribute_costs": costs, "test_groups": groups, "costs": {("yes", "no"): 6}, "max_depth": 3}
    model = clone(estimator).set_params(**options).fit(PATIENTS, ILL)
    assert model.tree_.n_leaves > 1
    wanted = slow_expected(model, PATIENTS, costs, groups)
    wrong = sum(6 if truth == "yes" else 1 for truth, said in zip(ILL, model.predict(PATIENTS)) if truth != said) / 8
    for found in (model.expected_cost(), model.expected_cost(PATIENTS, ILL)):
        assert found.tests == pytest.approx(wanted)
        assert found.errors == pytest.approx(wrong)
        assert found.total == pytest.approx(wanted + wrong)
    assert model.expected_cost(PATIENTS).errors == pytest.approx(wrong)  # the leaves hold these very rows
    assert str(model.expected_cost()) in str(model).splitlines()[0]
    assert str(model.expected_cost()) in str(tw.evaluate.evaluate(model, PATIENTS, ILL))
    assert tw.evaluate.evaluate(model, PATIENTS, ILL).cost == model.expected_cost(PATIENTS, ILL)


def test_without_prices_only_errors_cost():
    model = tw.CARTClassifier(max_depth=1).fit(IRIS, SPECIES)
    assert model.expected_cost().tests == 0
    assert model.expected_cost().errors == pytest.approx(1 / 3)
    assert model.expected_cost(IRIS[:60], SPECIES[:60]).errors == pytest.approx(
        1 - model.score(IRIS[:60], SPECIES[:60])
    )
    assert "cost" not in str(model)


def test_priors_weigh_cases():
    model = tw.CARTClassifier(max_depth=0, priors=[0.5, 0.25, 0.25]).fit(IRIS, SPECIES)
    assert model.expected_cost().errors == pytest.approx(0.5)
    assert model.expected_cost(IRIS, SPECIES).errors == pytest.approx(2 / 3)


def test_rows_can_weigh():
    model = tw.CARTClassifier(max_depth=1).fit(IRIS, SPECIES)
    weight = np.where(SPECIES == 2, 0.0, 1.0)
    assert model.expected_cost(IRIS, SPECIES, sample_weight=weight).errors == 0


def test_a_row_in_every_branch_pays_by_share():
    X = {"a": ["x"] * 4 + ["y"] * 4, "b": [0, 0, 1, 1, 0, 0, 0, 0]}
    y = ["n", "n", "p", "p", "n", "n", "n", "n"]
    options = {"attribute_costs": {"b": 5, "a": 1}, "prune": False, "collapse": False, "min_cases": 1}
    model = tw.C45Classifier(**options).fit(X, y)
    reached = model.expected_cost({"a": [None], "b": [1]}).tests
    whole = {side: model.expected_cost({"a": [side], "b": [1]}).tests for side in "xy"}
    assert reached == pytest.approx((whole["x"] + whole["y"]) / 2)


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"y": ILL}, tw.OptionError, "y goes with the rows"),
        ({"X": PATIENTS, "y": ["maybe"] * 8}, tw.DataError, "y holds 'maybe', a class the model was not fitted to"),
        ({"X": PATIENTS, "y": [None, *ILL[1:]]}, tw.DataError, "y has missing values"),
        ({"X": PATIENTS, "y": ILL[:3]}, tw.DataError, "3"),
    ],
)
def test_bad_cases(arguments, error, message):
    model = tw.CARTClassifier().fit(PATIENTS, ILL)
    check_refused(lambda: model.expected_cost(**arguments), message, error)


# ---------------------------------------------------------------- options


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"attribute_costs": {"a": 0}}, "the cost of 'a' must be a number above 0"),
        ({"attribute_costs": {"q": 1}}, "attribute_costs name a column that does not exist: 'q'"),
        ({"test_groups": {"g": ["a"]}}, "the sample of group 'g' has no cost"),
        ({"cost_weight": 0.5}, 'cost_weight=0.5 is the w of cost_rule="nunez"'),
    ],
)
@pytest.mark.parametrize("estimator", [tw.CARTClassifier, tw.C45Classifier])
def test_options_that_do_not_fit(estimator, options, message):
    check_refused(lambda: estimator(**options).fit(X4, CLASSES), message, tw.OptionError)


def test_prices_are_saved(tmp_path):
    options = {"attribute_costs": {"blood": 20, "age": 0.5}, "test_groups": {"blood": ["glucose", "insulin"]}}
    model = tw.CARTClassifier(**options).fit(PATIENTS, ILL)
    model.save(tmp_path / "model.json")
    loaded = tw.load(tmp_path / "model.json")
    assert loaded.expected_cost() == model.expected_cost()
    np.testing.assert_array_equal(loaded.split_scores(), model.split_scores())


@pytest.mark.parametrize("options", [{"tie": "random", "random_state": 0}, {"max_leaves": 4}, {"engine": "histogram"}])
def test_prices_go_with_other_options(options):
    costs = {"attribute_costs": {"x2": 30}, **options}
    model, plain = (tw.CARTClassifier(**extra).fit(IRIS, SPECIES) for extra in (costs, options))
    assert model.tree_.column[0] != 2
    assert model.expected_cost().tests < plain.set_params(attribute_costs={"x2": 30}).expected_cost().tests
