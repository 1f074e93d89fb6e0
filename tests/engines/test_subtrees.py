"""A subtree grown in one go must be the one that rounds give, node for node."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from treewright.engines.local import LocalEngine

import oracle
from strategies import Problem, problems
from tables import encode_problem, leaf_of
from treewright.engines.workers import Workers
from treewright.grow import grow
from treewright.recipe.recipe import Limits, Recipe, Splits
from treewright.recipe.test_costs import Prices
from treewright.tree.tree import Tree

ALL = 10**6
NUMBERS = ("numeric",)
LIMITS = st.fixed_dictionaries(
    {},
    optional={
        "max_depth": st.integers(1, 4),
        "min_rows_split": st.integers(2, 8),
        "min_rows_leaf": st.integers(1, 4),
        "min_weight_fraction_leaf": st.sampled_from([0.05, 0.2]),
        "min_gain": st.sampled_from([0.01, 0.2]),
    },
)


def grown(problem: Problem, criterion: str, limits: dict, *, small_node: int, listed: bool, n_jobs: int = 1) -> Tree:
    """Nodes of up to ``small_node`` rows in one go, larger ones in rounds."""
    recipe = Recipe(criterion, Splits.SUBSET, Limits(**limits), base=np.e)
    with Workers(n_jobs) as workers:
        engine = LocalEngine(encode_problem(problem, listed=listed), recipe, workers)
        engine.small_node = small_node
        return grow(engine, recipe, leaf_of(problem), engine.encoded.schema.target)


def check_same(problem: Problem, criterion: str, limits: dict, *, listed: bool, small_node: int = ALL) -> None:
    rounds, whole = (grown(problem, criterion, limits, small_node=n, listed=listed) for n in (0, small_node))
    for expected, found in zip(rounds.arrays(), whole.arrays(), strict=True):
        np.testing.assert_array_equal(found, expected)


@given(
    problems("classes", kinds=NUMBERS),
    st.sampled_from(["gini", "entropy", "misclassification"]),
    LIMITS,
    st.booleans(),
    st.sampled_from([3, 8, ALL]),
)
def test_trees_of_classes(problem, criterion, limits, listed, small_node):
    check_same(problem, criterion, limits, listed=listed, small_node=small_node)


@given(problems("numbers", kinds=NUMBERS), LIMITS, st.booleans(), st.sampled_from([3, 8, ALL]))
def test_trees_by_squared_error(problem, limits, listed, small_node):
    check_same(problem, "squared_error", limits, listed=listed, small_node=small_node)


@given(problems("counts", kinds=NUMBERS), LIMITS, st.booleans(), st.sampled_from([3, 8, ALL]))
def test_trees_by_poisson_deviance(problem, limits, listed, small_node):
    check_same(problem, "poisson", limits, listed=listed, small_node=small_node)


def large(target: str, *, weighted: bool, n_rows: int = 1500) -> Problem:
    """Three columns: without ties, with many, and with missing values that mean something."""
    random = np.random.default_rng(3)
    values = random.normal(size=n_rows), random.integers(0, 12, n_rows), random.normal(size=n_rows)
    signal = values[0] + 0.3 * values[1] + random.normal(size=n_rows)
    with_gaps = np.where(random.random(n_rows) < 0.2, np.nan, values[2])
    signal += np.isnan(with_gaps)
    columns = [oracle.Column("numeric", column.tolist()) for column in (values[0], values[1], with_gaps)]
    weights = random.integers(1, 4, n_rows) / 2 if weighted else None
    if target == "classes":
        return Problem(columns, np.digitize(signal, [0.0, 2.0]), weights, 3)
    return Problem(columns, np.abs(signal), weights, None)


@pytest.mark.parametrize("weighted", [False, True], ids=["unit weights", "weights"])
@pytest.mark.parametrize("criterion", ["gini", "entropy", "squared_error", "poisson"])
@pytest.mark.parametrize("small_node", [10, 200, ALL])
def test_trees_of_many_rows(criterion, weighted, small_node):
    problem = large("classes" if criterion in ("gini", "entropy") else "numbers", weighted=weighted)
    check_same(problem, criterion, {}, listed=True, small_node=small_node)


@pytest.mark.parametrize("small_node", [10, 200])
def test_two_threads_grow_the_same_tree(small_node):
    problem = large("numbers", weighted=False)
    for one, two in zip(
        *(grown(problem, "squared_error", {}, small_node=small_node, listed=True, n_jobs=n).arrays() for n in (1, 2)),
        strict=True,
    ):
        np.testing.assert_array_equal(one, two)


@pytest.mark.parametrize(
    ("kind", "recipe"),
    [
        ("nominal", Recipe("gini")),
        ("ordinal", Recipe("gini")),
        ("numeric", Recipe("gini", tie="random")),
        ("numeric", Recipe("gini", stop=Limits(max_leaves=3))),
        ("numeric", Recipe("gini", stop=Limits(significance=0.05))),
        ("numeric", Recipe("gini", prices=Prices(np.ones(1), np.array([-1]), np.empty(0)))),
    ],
)
def test_what_only_rounds_can_do_is_left_to_them(kind, recipe):
    problem = Problem([oracle.Column(kind, [1, 2, 1, 2])], np.array([0, 1, 1, 0]), None, 2)
    engine = LocalEngine(encode_problem(problem, listed=True), recipe, Workers(1))
    rest, small, found = engine.finish(engine.root())
    assert (len(rest), len(small), found) == (1, 0, None)


def test_small_nodes_leave_work_for_every_thread():
    problem = large("numbers", weighted=False, n_rows=8000)
    sizes = [
        LocalEngine(encode_problem(problem, listed=True), Recipe("squared_error"), Workers(n)).small_node
        for n in (1, 2)
    ]
    assert sizes == [2000, 1000]
