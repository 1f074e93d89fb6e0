"""Which nodes are grown to the end in one go, and that what they come to is what rounds come to."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import oracle
from engine_roads import ENGINES, assert_same_tree, grown_by
from recipes_by_hand import by_score
from strategies import Problem, examples, problems
from tables import encode_problem
from treewright.engines.compiled.score_search import SmallNodes
from treewright.engines.dispatch import compiled_engine
from treewright.engines.workers import Workers
from treewright.grow import grow
from treewright.recipe_parts import attribute_costs as costs_of_tests
from treewright.tree.tree import Tree

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


def grown(
    problem: Problem, criterion: str, limits: dict, most_rows: int, *, sorted_columns: bool, n_jobs: int = 1
) -> Tree:
    """Nodes of up to ``most_rows`` rows in one go, larger ones in rounds."""
    recipe = by_score(problem, criterion, **limits)
    with Workers(n_jobs) as workers:
        small = SmallNodes(most_rows=most_rows, least_share=1)
        engine = compiled_engine(
            encode_problem(problem, sorted_columns=sorted_columns), recipe, workers, small_nodes=small
        )
        return grow(engine, recipe)


@settings(max_examples=examples(60))
@given(
    st.sampled_from(["gini", "entropy", "misclassification", "squared_error", "poisson"]), LIMITS, st.booleans(),
    st.sampled_from([3, 8, 1000]), st.data(),
)  # fmt: skip
def test_a_subtree_in_one_go_is_the_one_of_rounds(criterion, limits, sorted_columns, most_rows, data):
    target = "counts" if criterion in ("squared_error", "poisson") else "classes"
    problem = data.draw(problems(target, kinds=NUMBERS))
    if criterion == "poisson" and problem.y.sum() <= 0:
        return
    rounds, whole = (grown(problem, criterion, limits, n, sorted_columns=sorted_columns) for n in (0, most_rows))
    assert_same_tree(whole, rounds)


def large(target: str, *, weighted: bool, n_rows: int = 1500) -> Problem:
    """Three columns: without ties, with many, and with missing values that mean something."""
    random = np.random.default_rng(3)
    values = random.normal(size=n_rows), random.integers(0, 12, n_rows), random.normal(size=n_rows)
    signal = values[0] + 0.3 * values[1] + random.normal(size=n_rows)
    with_missing = np.where(random.random(n_rows) < 0.2, np.nan, values[2])
    signal += np.isnan(with_missing)
    columns = [oracle.Column("numeric", column.tolist()) for column in (values[0], values[1], with_missing)]
    weights = random.integers(1, 4, n_rows) / 2 if weighted else None
    if target == "classes":
        return Problem(columns, np.digitize(signal, [0.0, 2.0]), weights, 3)
    return Problem(columns, np.abs(signal), weights, None)


@pytest.mark.parametrize("weighted", [False, True], ids=["unit weights", "weights"])
@pytest.mark.parametrize("criterion", ["gini", "entropy", "squared_error", "poisson"])
def test_many_rows(criterion, weighted):
    problem = large("classes" if criterion in ("gini", "entropy") else "numbers", weighted=weighted)
    rounds, *others = (grown(problem, criterion, {}, n, sorted_columns=True) for n in (0, 10, 200, 1500))
    for whole in others:
        assert_same_tree(whole, rounds)
    assert_same_tree(grown(problem, criterion, {}, 200, sorted_columns=True, n_jobs=2), rounds)


def small_node(problem: Problem, *, n_jobs: int = 1, **pieces) -> int:
    recipe = by_score(problem, "gini" if problem.n_classes else "squared_error", **pieces)
    engine = compiled_engine(encode_problem(problem, sorted_columns=True), recipe, Workers(n_jobs))
    return engine.shortcut.small_node


COSTS = costs_of_tests.AttributeCosts(np.ones(1), np.array([-1]), np.empty(0))


@pytest.mark.parametrize(
    ("kind", "pieces"),
    [
        ("nominal", {}),
        ("ordinal", {}),
        ("numeric", {"tie": "random"}),
        ("numeric", {"max_leaves": 3}),
        ("numeric", {"significance": 0.05}),
        ("numeric", {"test_costs": COSTS}),
        ("numeric", {"halt": lambda node: False}),
    ],
)
def test_what_only_rounds_can_do_is_left_to_them(kind, pieces):
    problem = Problem([oracle.Column(kind, [1, 2, 1, 2])], np.array([0, 1, 1, 0]), None, 2)
    numbers = Problem([oracle.Column("numeric", [1, 2, 1, 2])], np.array([0, 1, 1, 0]), None, 2)
    assert small_node(numbers) == 4
    assert small_node(problem, **pieces) == 0


def test_small_nodes_leave_work_for_every_thread():
    problem = large("numbers", weighted=False, n_rows=8000)
    assert [small_node(problem, n_jobs=n) for n in (1, 2)] == [2000, 1000]


@pytest.mark.parametrize("policy", ["fractional", "every", "stop"])
def test_policies_that_share_rows_out_do_not_matter_where_nothing_is_missing(policy):
    """Rows count once then, whatever the policy: kernels for such rows are asked, and given such rows."""
    random = np.random.default_rng(0)
    values = random.normal(size=2000)
    problem = Problem([oracle.Column("numeric", values)], (values > 0.3).astype(int), None, 2)
    encoded = encode_problem(problem, sorted_columns=True)
    for engine in ("compiled", "compiled, rounds"):
        tree = grown_by(engine, encoded, by_score(problem, "gini", missing=policy))
        assert tree.n_leaves == 2
        assert tree.rows.tolist() == [2000, (values <= 0.3).sum(), (values > 0.3).sum()]


def test_missing_values_go_with_the_branch_of_more_rows_whatever_costs_make_of_its_classes():
    """Three rows on the left count 0.9 by their costs, the two on the right 2."""
    problem = Problem([oracle.Column("numeric", [1, 2, 3, 4, 5])], np.array([0, 0, 0, 1, 1]), None, 2)
    factors = np.array([0.3, 1.0])
    encoded = replace(encode_problem(problem, sorted_columns=False), weights=factors[problem.y], class_factors=factors)
    for engine in ENGINES:
        assert grown_by(engine, encoded, by_score(problem, "gini")).branch_of.tolist() == [0, 0, 1]
