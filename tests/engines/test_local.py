"""The engine against the exhaustive search: equal in score, for every criterion and kind, with weights and missing."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from treewright.engines.local import LocalEngine

import oracle
from strategies import Problem, problems
from tables import encode_problem, leaf_of, matrix_of
from treewright.engines.workers import Workers
from treewright.grow import grow
from treewright.prediction import apply
from treewright.recipe.recipe import Limits, Recipe, Splits

CLASS_CRITERIA = ["gini", "entropy", "misclassification"]
STYLES = ["subset", "multiway", "one-vs-rest"]


def recipe_of(criterion: str, style: str = "subset", **options) -> Recipe:
    limits = {name: options.pop(name) for name in list(options) if name in Limits.__dataclass_fields__}
    return Recipe(criterion, Splits(style), Limits(**limits), base=np.e, **options)


def engine_of(problem: Problem, recipe: Recipe, *, listed: bool, n_jobs: int = 1) -> LocalEngine:
    return LocalEngine(encode_problem(problem, listed=listed), recipe, Workers(n_jobs))


def check_root(problem: Problem, criterion: str, style: str, listed: bool, min_rows: int) -> None:
    recipe = recipe_of(criterion, style, min_rows_leaf=min_rows)
    engine = engine_of(problem, recipe, listed=listed)
    assume(not engine.root().pure[0])  # such nodes are never searched
    found = engine.best(engine.root())
    expected = oracle.best_split(
        problem.columns, problem.y, problem.weights, criterion=criterion, nominal=style, min_rows=min_rows
    )
    if not is_exact(problem, criterion, style, min_rows):
        assert found.gain[0] <= expected.score + 1e-9 * max(1, np.var(problem.y)) or found.column[0] == -1
        return
    if expected.score == -np.inf:
        assert found.column[0] == -1
        return
    assert found.column[0] >= 0
    np.testing.assert_allclose(found.gain[0], expected.score, rtol=1e-7, atol=1e-9 * max(1, np.var(problem.y)))
    assert found.rows.sum() == problem.n_rows
    assert (found.rows[found.rows > 0] >= min_rows).all()


def is_exact(problem: Problem, criterion: str, style: str, min_rows: int) -> bool:
    """Cuts of the levels in order of their means hold the best subset only while every subset is admissible."""
    subsets = style == "subset" and any(column.kind == "nominal" for column in problem.columns)
    return not subsets or (min_rows == 1 and criterion != "poisson")


@given(problems("classes"), st.sampled_from(CLASS_CRITERIA), st.sampled_from(STYLES), st.booleans(), st.integers(1, 4))
def test_best_split_of_classes_scores_as_the_exhaustive_search(problem, criterion, style, listed, min_rows):
    check_root(problem, criterion, style, listed, min_rows)


@given(problems("numbers"), st.sampled_from(STYLES), st.booleans(), st.integers(1, 4))
def test_best_split_by_squared_error_scores_as_the_exhaustive_search(problem, style, listed, min_rows):
    check_root(problem, "squared_error", style, listed, min_rows)


@given(problems("counts"), st.sampled_from(STYLES), st.booleans(), st.integers(1, 3))
def test_best_split_by_poisson_scores_as_the_exhaustive_search(problem, style, listed, min_rows):
    check_root(problem, "poisson", style, listed, min_rows)


def grow_tree(problem, criterion, style="subset", *, listed=True, n_jobs=1, **options):
    recipe = recipe_of(criterion, style, **options)
    engine = engine_of(problem, recipe, listed=listed, n_jobs=n_jobs)
    return grow(engine, recipe, leaf_of(problem), engine.encoded.schema.target)


@given(problems("classes"), st.sampled_from(CLASS_CRITERIA), st.sampled_from(STYLES), st.booleans())
def test_every_split_of_a_grown_tree_is_best_at_its_node(problem, criterion, style, listed):
    tree = grow_tree(problem, criterion, style, listed=listed)
    matrix = matrix_of(problem)
    weights = np.ones(problem.n_rows) if problem.weights is None else problem.weights
    rows_at = {0: np.arange(problem.n_rows)}
    for node in tree.nodes():
        rows = rows_at[node.id]
        expected_stats = np.bincount(problem.y[rows], weights[rows], minlength=problem.n_classes)
        np.testing.assert_allclose(node.stats, expected_stats, rtol=1e-9, atol=1e-12)
        assert node.n == len(rows)
        if not len(rows):
            continue
        best = oracle.best_split(
            problem.columns, problem.y, problem.weights, criterion=criterion, nominal=style, rows=rows
        )
        if node.is_leaf:
            assert len(np.unique(problem.y[rows])) == 1 or best.score == -np.inf
            continue
        np.testing.assert_allclose(node.gain, best.score, rtol=1e-7, atol=1e-9)
        branches = node.split.branches(matrix[rows, node.split.column])
        for child in node.children:
            rows_at[child.id] = rows[branches == child.branch]


@given(problems("classes"), st.sampled_from(CLASS_CRITERIA), st.sampled_from(STYLES))
def test_listing_and_counting_grow_the_same_tree(problem, criterion, style):
    listed, counted = (grow_tree(problem, criterion, style, listed=listed) for listed in (True, False))
    for one, other in zip(listed.arrays(), counted.arrays()):
        np.testing.assert_array_equal(one, other)


@given(problems("numbers"), st.sampled_from(["first", "random"]))
def test_the_tree_does_not_depend_on_the_number_of_threads(problem, tie):
    one, two = (grow_tree(problem, "squared_error", n_jobs=n_jobs, tie=tie, seed=3) for n_jobs in (1, 2))
    for left, right in zip(one.arrays(), two.arrays()):
        np.testing.assert_array_equal(left, right)


@given(problems("numbers"), st.booleans())
def test_training_rows_reach_the_nodes_that_counted_them(problem, listed):
    tree = grow_tree(problem, "squared_error", listed=listed, max_depth=3)
    leaves = apply(tree, matrix_of(problem), 1)
    np.testing.assert_array_equal(
        np.bincount(leaves, minlength=tree.n_nodes)[tree.n_branches == 0], tree.rows[tree.n_branches == 0]
    )
    weights = np.ones(problem.n_rows) if problem.weights is None else problem.weights
    sums = np.bincount(leaves, weights * problem.y, minlength=tree.n_nodes)
    np.testing.assert_allclose(tree.stats[tree.n_branches == 0, 1], sums[tree.n_branches == 0], rtol=1e-9, atol=1e-6)


@given(problems("classes"), st.integers(1, 6))
def test_best_first_stops_at_the_number_of_leaves_and_takes_the_same_splits(problem, max_leaves):
    full = grow_tree(problem, "gini")
    small = grow_tree(problem, "gini", max_leaves=max_leaves)
    assert small.n_leaves == min(max_leaves, full.n_leaves)
    assert small.n_leaves <= max_leaves


@given(problems("classes"))
def test_with_room_for_all_leaves_best_first_grows_the_full_tree(problem):
    full, best_first = grow_tree(problem, "entropy"), grow_tree(problem, "entropy", max_leaves=1000)
    for one, other in zip(full.arrays(), best_first.arrays()):
        np.testing.assert_array_equal(one, other)


@given(problems("classes", max_rows=12), st.integers(0, 5))
def test_random_ties_choose_among_the_best(problem, seed):
    first, drawn = (
        grow_tree(problem, "gini", tie=tie, seed=seed, max_depth=1, listed=False) for tie in ("first", "random")
    )
    np.testing.assert_allclose(first.gain[0], drawn.gain[0], atol=1e-12)


def test_random_ties_reach_every_tied_rule_of_xor():
    columns = [oracle.Column("numeric", [0, 0, 1, 1]), oracle.Column("numeric", [0, 1, 0, 1])]
    problem = Problem(columns, np.array([0, 1, 1, 0]), None, 2)
    roots = {int(grow_tree(problem, "entropy", tie="random", seed=seed).column[0]) for seed in range(20)}
    assert roots == {0, 1}


@pytest.mark.parametrize("listed", [True, False])
def test_random_ties_reach_every_tied_cut_of_one_column(listed):
    problem = Problem([oracle.Column("numeric", [1, 2, 3, 4])], np.array([0, 1, 1, 0]), None, 2)
    edges = {
        float(grow_tree(problem, "entropy", tie="random", seed=s, listed=listed, max_depth=1).edges[0])
        for s in range(30)
    }
    assert edges == {1.5, 3.5}


@pytest.mark.parametrize("listed", [True, False])
@pytest.mark.parametrize(
    ("values", "edge"),
    [
        ([-np.inf, 1.0], -np.inf),
        ([1.0, np.inf], 1.0),
        ([-np.inf, np.inf], -np.inf),
        ([1.0, np.nextafter(1.0, 2)], 1.0),
        ([1.7e308, 1.75e308], 1.725e308),
        ([2.0, np.nan], np.inf),
    ],
)
def test_an_edge_has_the_lower_value_on_its_left_and_the_upper_on_its_right(values, edge, listed):
    problem = Problem([oracle.Column("numeric", values)], np.array([0, 1]), None, 2)
    tree = grow_tree(problem, "gini", listed=listed)
    assert tree.edges.tolist() == [edge]
    assert apply(tree, matrix_of(problem), 1).tolist() == [1, 2]
