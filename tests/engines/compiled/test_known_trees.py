"""Whole trees by known values, grown in one call, against the plain pair on the same rows."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine_roads import assert_same_tree, grown_by
from oracle import Column
from strategies import Problem, examples, problems
from tables import encode_problem, leaf_of
from treewright.engines.compiled.known_trees import known_tree, serves
from treewright.engines.dispatch import known_in_one_call, target_of
from treewright.engines.workers import Workers
from treewright.grow import fit_tree
from treewright.kernels import switch
from treewright.recipe_parts.missing import Missing, Surrogating
from treewright.recipe_parts.recipe import ByScore, Limits, Recipe, Splits

POLICIES = ("branch", "fractional", "every", "stop", "drop", "surrogate", "common")
LIMITS = (Limits(), Limits(min_rows_leaf=3, max_depth=3), Limits(min_weight_fraction_leaf=0.1), Limits(min_gain=0.05))
SURROGATING = (Surrogating(), Surrogating(1, over_all=False), Surrogating(2, then_stop=True, as_rpart=True))
SOME_MISSING = Problem(
    [Column("numeric", [np.nan, 1.0, 2.0, 3.0, 4.0, 5.0]), Column("nominal", [1, 2, 1, 0, 2, 1])],
    np.array([0, 1, 0, 1, 1, 0]), None, 2,
)  # fmt: skip


def recipe_of(problem, criterion="gini", policies=("fractional",), **pieces):
    missing = tuple(Missing(policies[j % len(policies)]) for j in range(len(problem.columns)))
    return Recipe(choice=ByScore(criterion), leaf=leaf_of(problem), missing=missing, **pieces)


@settings(max_examples=examples(200))
@given(
    problems("classes") | problems("counts") | problems("numbers"),
    st.sampled_from(["gini", "entropy", "misclassification"]),
    st.sampled_from(["squared_error", "poisson"]),
    st.lists(st.sampled_from(POLICIES), min_size=1, max_size=4),
    st.sampled_from(["subset", "one-vs-rest"]), st.sampled_from(LIMITS), st.sampled_from(SURROGATING), st.booleans(),
)  # fmt: skip
def test_it_is_that_of_the_plain_pair(problem, by_class, by_number, policies, style, stop, surrogates, sorted_columns):
    criterion = by_class if problem.n_classes else by_number
    if criterion == "poisson" and (problem.y.sum() <= 0 or problem.y.min() < 0):
        criterion = "squared_error"
    encoded = encode_problem(problem, sorted_columns=sorted_columns)
    recipe = recipe_of(problem, criterion, policies, splits=Splits(style), stop=stop, surrogates=surrogates)
    if serves(encoded, recipe):
        tree = known_tree(encoded, recipe, target_of(encoded, recipe), Workers(1))
        assert_same_tree(tree, grown_by("plain", encoded, recipe))


@pytest.mark.parametrize("policy", POLICIES)
def test_every_policy_is_served(policy):
    """So that the test above does not pass by comparing nothing."""
    encoded, recipe = encode_problem(SOME_MISSING, sorted_columns=True), recipe_of(SOME_MISSING, policies=[policy])
    assert serves(encoded, recipe)
    tree = known_tree(encoded, recipe, target_of(encoded, recipe), Workers(1))
    assert_same_tree(tree, grown_by("plain", encoded, recipe))
    assert tree.n_nodes > 1


@pytest.mark.parametrize("policy", ["fractional", "every", "surrogate", "common", "branch"])
def test_a_table_of_some_hundred_rows(policy):
    """Deep enough for parts of parts of rows, and for room that has to be enlarged."""
    rng = np.random.default_rng(3)
    numbers = np.where(rng.random((4, 300)) < 0.1, np.nan, rng.normal(size=(4, 300)).round(1))
    levels = np.where(rng.random((2, 300)) < 0.1, 0, rng.integers(1, 12, (2, 300)))
    columns = [Column("numeric", x) for x in numbers] + [Column("nominal", x) for x in levels]
    problem = Problem(columns, rng.integers(0, 3, 300), None, 3)
    encoded, recipe = encode_problem(problem, sorted_columns=True), recipe_of(problem, policies=[policy])
    tree = known_tree(encoded, recipe, target_of(encoded, recipe), Workers(1))
    assert_same_tree(tree, grown_by("plain", encoded, recipe))
    assert tree.n_nodes > 64


def test_small_tables_with_missing_values_are_grown_so_and_no_others():
    encoded, recipe = encode_problem(SOME_MISSING, sorted_columns=False), recipe_of(SOME_MISSING)
    with switch.compiling("always"):
        assert known_in_one_call(encoded, recipe, few_rows=6)
        assert not known_in_one_call(encoded, recipe, few_rows=5)
        assert not known_in_one_call(encoded, replace(recipe, stop=Limits(max_leaves=3)))
        assert not known_in_one_call(encoded, recipe_of(SOME_MISSING, policies=["learned", "fractional"]))
        assert_same_tree(fit_tree(encoded, recipe, Workers(1)), grown_by("plain", encoded, recipe))
    with switch.compiling("never"):
        assert not known_in_one_call(encoded, recipe)


def test_rounds_go_on_where_rows_come_to_be_at_too_many_nodes(monkeypatch):
    encoded, recipe = encode_problem(SOME_MISSING, sorted_columns=False), recipe_of(SOME_MISSING, policies=["every"])
    assert known_tree(encoded, recipe, target_of(encoded, recipe), Workers(1), most_cases=0) is None
    monkeypatch.setattr("treewright.engines.compiled.known_trees._MOST_CASES", 0)
    with switch.compiling("always"):
        assert_same_tree(fit_tree(encoded, recipe, Workers(1)), grown_by("plain", encoded, recipe))
