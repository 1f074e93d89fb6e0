"""The rules of a tree say what the tree says; simplified, edited or saved they say what they should."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

import treewright as tw
from made_trees import AGES, cases, chain, rows_of, trees
from strategies import examples, problems
from treewright.data.schema import Column, Kind, Schema, Target
from treewright.prediction import predicted_values
from treewright.rules.from_tree import rules_of
from treewright.rules.rule_json import rules_from_json, rules_to_json
from treewright.rules.rule_matching import Matcher

CLASSIFIERS = {
    "id3": tw.ID3Classifier(),
    "cart": tw.CARTClassifier(),
    "multiway": tw.TreeClassifier(splits="multiway", smoothing="laplace"),
    "one-vs-rest": tw.TreeClassifier(splits="one-vs-rest", criterion="entropy", engine="histogram"),
    "c4.5": tw.C45Classifier(),
    "c4.5 unpruned": tw.C45Classifier(prune=False, collapse=False, min_cases=1),
    "j48": tw.C45Classifier(flavour="j48", thresholds="midpoints", binary=True),
}
REGRESSORS = {"cart": tw.CARTRegressor(), "multiway": tw.TreeRegressor(splits="multiway")}
MIXED = Schema(
    (
        Column("a", Kind.NUMERIC),
        Column("colour", Kind.NOMINAL, ("red", "green", "blue", "pink")),
        Column("size", Kind.ORDINAL, ("small", "medium", "large")),
    ),
    Target("y", ("no", "yes", "maybe")),
)


def table_of(problem):
    """Columns by name; levels are text, so that they are nominal."""
    return {
        f"{column.kind}{j}": column.values if column.kind == "numeric" else [f"level {code}" for code in column.values]
        for j, column in enumerate(problem.columns)
    }


@pytest.mark.parametrize("name", CLASSIFIERS)
@settings(max_examples=examples(25))
@given(problem=problems(missing=False, kinds=("numeric", "nominal")))
def test_rules_of_classes_predict_as_the_tree(name, problem):
    X, y = table_of(problem), [f"c{code}" for code in problem.y]
    assume(len(set(y)) > 1)
    model = clone(CLASSIFIERS[name]).fit(X, y, sample_weight=problem.weights)
    rules = model.rule_set()
    for made in (rules, rules.simplify()):
        np.testing.assert_array_equal(made.predict(X), model.predict(X))
        np.testing.assert_array_equal(made.predict_proba(X), model.predict_proba(X))
    np.testing.assert_array_equal(rules.fired(X), model.apply(X))
    assert rules.matches(X).sum(1).tolist() == [1] * problem.n_rows


@pytest.mark.parametrize("name", REGRESSORS)
@settings(max_examples=examples(25))
@given(problem=problems("numbers", missing=False, kinds=("numeric", "nominal")))
def test_rules_of_numbers_predict_as_the_tree(name, problem):
    X = table_of(problem)
    model = clone(REGRESSORS[name]).fit(X, problem.y, sample_weight=problem.weights)
    np.testing.assert_array_equal(model.rule_set().predict(X), model.predict(X))
    np.testing.assert_array_equal(model.rule_set().simplify().predict(X), model.predict(X))


@settings(max_examples=examples(150))
@given(tree=trees(MIXED), data=st.data())
def test_made_trees_and_missing_values_that_take_one_branch(tree, data):
    """Any edges, any subsets of levels, and missing values with a branch of their own choice."""
    rules = rules_of(tree, MIXED)
    matrix = np.array([data.draw(rows_of(MIXED)) for _ in range(5)])
    matrix[:, 1:][matrix[:, 1:] == 0] = np.nan
    values = predicted_values(tree, matrix, 1)
    joined = rules_of(tree, MIXED, most_conditions=0)
    assert all(len({c.column for c in rule.conditions}) == len(rule.conditions) for rule in joined.rules)
    for made in (rules, rules.simplify(), joined):
        places = Matcher(made.rules, MIXED).first(matrix, 1)
        np.testing.assert_array_equal(made.values(places), values)


def test_conditions_of_a_long_chain_are_joined():
    assert {len(rule.conditions) for rule in rules_of(chain(2_000), AGES).rules} == {1}


@given(case=cases(every_branch=True))
def test_rules_come_back_from_json(case):
    schema, tree = case
    rules = rules_of(tree, schema)
    for made in (rules, rules.simplify(), rules.drop(*rules.numbers)):
        assert rules_from_json(rules_to_json(made), schema) == made


@given(tree=trees(MIXED), data=st.data())
def test_edits_keep_what_they_do_not_change(tree, data):
    rules = rules_of(tree, MIXED)
    numbers = data.draw(st.permutations(rules.numbers))
    gone = set(data.draw(st.lists(st.sampled_from(rules.numbers), unique=True)))
    assert rules.reorder(*numbers).numbers == tuple(numbers)
    assert rules.reorder(*numbers).reorder(*rules.numbers) == rules
    left = rules.drop(*gone)
    assert left.numbers == tuple(number for number in rules.numbers if number not in gone)
    matrix = np.array([data.draw(rows_of(MIXED)) for _ in range(3)])
    matrix[:, 1:][matrix[:, 1:] == 0] = np.nan
    before, after = rules.decide(matrix), left.decide(matrix)
    for was, now in zip(before, after):
        # The rules of a tree exclude each other: a row keeps its rule, or has none if that is gone.
        stays = was >= 0 and rules.rules[was].number not in gone
        assert (left.rules[now].number if now >= 0 else None) == (rules.rules[was].number if stays else None)


def test_a_missing_value_that_c45_shares_meets_no_rule():
    table = tw.datasets.load("play_tennis")
    X = {name: column for name, column in table.X.items() if name != "day"}
    rules = tw.C45Classifier().fit(X, table.y).rule_set()
    row = {"outlook": [None], "temperature": ["Mild"], "humidity": ["High"], "windy": ["Weak"]}
    assert rules.fired(row).tolist() == [-1]
    assert rules.predict(row).tolist() == ["Yes"]
    assert rules.predict_proba(row)[0].tolist() == pytest.approx([5 / 14, 9 / 14])


def test_a_single_leaf_is_a_rule_that_always_holds():
    rules = tw.CARTClassifier().fit([[1.0], [1.0]], ["a", "b"]).rule_set()
    assert str(rules).splitlines()[1].startswith("[0] always y = a")
    assert rules.fired([[5.0]]).tolist() == [0]


@pytest.mark.parametrize("model", [tw.CARTClassifier(), tw.C45Classifier(), tw.TreeRegressor()])
def test_an_unfitted_model_has_no_rules(model):
    with pytest.raises(NotFittedError):
        model.rule_set()
    with pytest.raises(NotFittedError):
        tw.rules.from_tree(model)


def test_what_is_no_tree_has_no_rules():
    with pytest.raises(tw.DataError, match="fitted tree is expected, got a int"):
        tw.rules.from_tree(3)
    model = tw.C45RulesClassifier().fit([[1.0], [2.0]], ["a", "b"])
    with pytest.raises(tw.DataError, match="has no tree"):
        tw.rules.from_tree(model)
