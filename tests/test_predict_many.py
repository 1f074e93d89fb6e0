"""Many trees at once say what the trees say one by one."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import treewright as tw
from oracle import Column
from recipes_by_hand import by_score
from strategies import Problem, problems
from tables import encode_problem, matrix_of
from treewright.engines.compiled.code_table import bits_in_order
from treewright.engines.workers import Workers
from treewright.grow_many import Member, fit_trees
from treewright.narrow_trees import NarrowTrees
from treewright.predict_many import ManyTrees, RowsOfTrees
from treewright.prediction import apply, predicted_values
from treewright.recipe_parts.column_draw import ColumnDraw

_RNG = np.random.default_rng(5)
TWO_COLUMNS = Problem(
    [Column("numeric", _RNG.normal(size=60).tolist()) for _ in range(2)], _RNG.integers(0, 3, 60), None, 3
)


def grown(problem, policy="learned", n=3):
    criterion = "squared_error" if problem.n_classes is None else "gini"
    recipe = by_score(problem, criterion, draw=ColumnDraw(1), missing=policy)
    members = [Member(key) for key in range(n)]
    with Workers(1) as workers:
        return list(NarrowTrees(fit_trees(encode_problem(problem, sorted_columns=False), recipe, members, workers)))


def check(trees, matrix, n_jobs=1):
    many, weights = ManyTrees(trees), np.arange(1, len(trees) + 1) / 2
    one_by_one = sum(w * predicted_values(tree, matrix, 1) for w, tree in zip(weights, trees))
    np.testing.assert_array_equal(many.sums(matrix, n_jobs, weights), one_by_one)
    seen = RowsOfTrees(many, matrix)
    for k, tree in enumerate(trees):
        np.testing.assert_array_equal(seen.predictor(k)(seen.cells[1:]), predicted_values(tree, matrix[1:], 1))
    np.testing.assert_array_equal(many.leaves(matrix, n_jobs), np.stack([apply(t, matrix, 1) for t in trees], axis=1))


@given(problems("classes"), problems("classes"), st.sampled_from([np.float32, np.float64]))
def test_classes(problem, others, dtype):
    trees, matrix = grown(problem), matrix_of(others).astype(dtype)
    n_columns, levels = len(problem.columns), [column.kind != "numeric" for column in problem.columns]
    matrix = np.resize(matrix, (len(matrix), n_columns))
    known = [np.nanmax(column.values, initial=0) for column in problem.columns]
    for j in np.flatnonzero(levels):  # levels of the tables that the trees know
        matrix[:, j] = np.clip(np.abs(np.nan_to_num(np.rint(matrix[:, j]))), 0, known[j])
    check(trees, matrix)


@pytest.mark.parametrize("n_levels", [3, 31, 32, 63, 64, 130])
def test_levels_within_a_node_and_beside_it(n_levels):
    rng = np.random.default_rng(n_levels)
    codes = [rng.integers(1, n_levels + 1, 2_000).astype(float) for _ in range(2)]
    codes[0][rng.random(2_000) < 0.1] = 0  # missing
    columns = [Column("nominal", values.tolist()) for values in codes]
    problem = Problem(columns, rng.integers(0, 3, 2_000), None, 3)
    trees, matrix = grown(problem), matrix_of(problem)
    assert all(tree.n_leaves > 5 for tree in trees)
    check(trees, matrix)
    check(trees, matrix.astype(np.float32))


def test_tests_of_many_branches():
    rng = np.random.default_rng(0)
    table = {name: [f"v{code}" for code in rng.integers(0, 9, 500)] for name in "abc"}
    forest = tw.BaggingClassifier(tw.ID3Classifier(), n_trees=3).fit(table, rng.integers(0, 3, 500))
    assert max(int(tree.n_branches.max()) for tree in forest.trees_) == 9
    check(forest.trees_, forest._member_rows(table))


def test_linear_models_of_leaves():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 3))
    y = X[:, 0] * (X[:, 1] > 0) + 2 * X[:, 2]
    bag = tw.BaggingRegressor(tw.M5Regressor(), n_trees=3).fit(X, y)
    assert any(tree.models.exist for tree in bag.trees_)
    check(bag.trees_, X)
    np.testing.assert_allclose(bag.predict(X), np.mean([member.predict(X) for member in bag], axis=0))


@given(problems("numbers"))
def test_numbers(problem):
    check(grown(problem), matrix_of(problem))


@given(problems("numbers"))
def test_missing_values_that_have_a_branch(problem):
    check(grown(problem, "branch", 2), matrix_of(problem))


@given(problems("classes"))
def test_rows_that_reach_several_leaves(problem):
    check(grown(problem, "fractional", 2), matrix_of(problem))


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("n_jobs", [1, 2])
def test_more_rows_than_a_chunk(dtype, n_jobs):
    rng = np.random.default_rng(0)
    matrix = rng.normal(size=(20_000, 2)).astype(dtype)
    matrix[rng.random(matrix.shape) < 0.1] = np.nan
    check(grown(TWO_COLUMNS), matrix, n_jobs)


def test_thresholds_between_floats_of_32_bits():
    (tree,) = grown(TWO_COLUMNS, n=1)
    edge = np.float64(tree.edges[0])
    values = np.array([edge, np.nextafter(edge, 9), np.nextafter(edge, -9)])
    matrix = np.repeat(values[:, None], 2, axis=1)
    check([tree], matrix)
    check([tree], matrix.astype(np.float32))


def test_keys_are_in_the_order_of_the_numbers():
    numbers = np.array([-np.inf, -3e38, -1.0, -1e-45, -0.0, 0.0, 1e-45, 1.0, 3e38, np.inf], np.float32)
    keys = bits_in_order(numbers)
    assert (np.diff(keys.astype(np.int64)) >= 0).all()
    assert keys[4] == keys[5]
    assert bits_in_order(np.array([np.nan], np.float32))[0] < keys[0]


def test_one_row_of_a_large_tree_goes_down_as_many_rows_do():
    rng = np.random.default_rng(0)
    matrix = rng.normal(size=(2_000, 3))
    matrix[rng.random(matrix.shape) < 0.1] = np.nan
    tree = tw.CARTClassifier().fit(matrix, rng.integers(0, 2, len(matrix))).tree_
    assert tree.n_nodes > 500
    one_by_one = [int(apply(tree, matrix[i : i + 1], 1)[0]) for i in range(50)]
    assert one_by_one == apply(tree, matrix, 1)[:50].tolist()
