"""The grower: which nodes are split, in which order, and when it stops. Any engine will do."""

from __future__ import annotations

import warnings
from dataclasses import replace
from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import treewright as tw
from engine_roads import ENGINES, assert_same_tree, grown_by
from oracle import Column
from recipes_by_hand import by_score, c45_of
from strategies import Problem, examples, problems
from tables import encode_problem
from treewright.engines.compiled.score_search import SmallNodes
from treewright.engines.dispatch import compiled_engine, in_one_call, without_cells
from treewright.engines.side_by_side import visit_rules
from treewright.engines.workers import Workers
from treewright.errors import TreewrightWarning
from treewright.grow import fit_tree, grow
from treewright.kernels import switch
from treewright.recipe_parts.column_draw import ColumnDraw
from treewright.recipe_parts.recipe import Limits

EIGHTHS = Problem([Column("numeric", range(8))], np.array([0, 0, 0, 1, 0, 1, 1, 1]), None, 2)
# At the root the right half, of twelve rows, is worth more to split than the left one, of eight.
HALVES = Problem(
    [Column("nominal", [1] * 8 + [2] * 12), Column("numeric", [0] * 4 + [1] * 4 + [2] * 6 + [3] * 6)],
    np.array([10.0] * 4 + [11.0] * 4 + [90.0] * 6 + [99.0] * 6), None, None,
)  # fmt: skip


def test_level_by_level_children_are_numbered_round_by_round():
    tree = grown_by("plain", encode_problem(EIGHTHS, sorted_columns=False), by_score(EIGHTHS, "gini"))
    assert tree.edges.tolist() == [2.5, 4.5, 3.5]
    assert tree.parent.tolist() == [-1, 0, 0, 2, 2, 3, 3]
    assert tree.rows.tolist() == [8, 3, 5, 2, 3, 1, 1]


@pytest.mark.parametrize(("max_leaves", "inner"), [(1, []), (2, [0]), (3, [0, 2]), (4, [0, 1, 2]), (9, [0, 1, 2])])
@pytest.mark.parametrize("engine", ENGINES)
def test_best_first_splits_the_node_that_gains_most(engine, max_leaves, inner):
    recipe = by_score(HALVES, "squared_error", max_leaves=max_leaves)
    tree = grown_by(engine, encode_problem(HALVES, sorted_columns=False), recipe)
    assert np.flatnonzero(tree.n_branches).tolist() == inner
    assert tree.n_leaves == min(max_leaves, 4)


def test_a_split_into_too_many_branches_is_left_out_and_the_next_is_tried():
    """After the root, three levels on the left gain most; with them there would be four leaves."""
    columns = [
        Column("numeric", [0] * 9 + [5, 5, 6, 6]),
        Column("nominal", [1, 1, 1, 2, 2, 2, 3, 3, 3, 1, 1, 1, 1]),
    ]
    y = np.array([0.0, 0, 0, 9, 9, 9, 18, 18, 18, 100, 100, 101, 101])
    problem = Problem(columns, y, None, None)
    encoded = encode_problem(problem, sorted_columns=False)
    wide, narrow = (
        grown_by("plain", encoded, by_score(problem, "squared_error", "multiway", max_leaves=most)) for most in (4, 3)
    )
    assert wide.parent.tolist() == [-1, 0, 0, 1, 1, 1]
    assert narrow.parent.tolist() == [-1, 0, 0, 2, 2]


@pytest.mark.parametrize("max_leaves", [None, 10])
def test_halt_makes_leaves(max_leaves):
    asked = []

    def halt(node):
        asked.append((node.id, node.depth, node.rows, node.stats.tolist()))
        return node.rows < 6

    recipe = by_score(EIGHTHS, "gini", halt=halt, max_leaves=max_leaves)
    tree = fit_tree(encode_problem(EIGHTHS, sorted_columns=False), recipe, Workers(1))
    assert asked == [(0, 0, 8, [4.0, 4.0]), (2, 1, 5, [1.0, 4.0])]  # pure nodes are not asked about
    assert tree.n_leaves == 2


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("max_leaves", [None, 10])
def test_splits_that_may_be_chance_are_not_taken(engine, max_leaves):
    """χ² of the root's table, [[3, 0], [1, 4]], is 4.8: p = 0.0285. Below it p is above 0.05."""
    encoded = encode_problem(EIGHTHS, sorted_columns=False)
    leaves = [
        grown_by(engine, encoded, by_score(EIGHTHS, "gini", significance=level, max_leaves=max_leaves)).n_leaves
        for level in (0.028, 0.029, 1.0)
    ]
    assert leaves == [1, 2, 4]


def reported(problem, recipe, small_nodes=None) -> list[int]:
    rows: list[int] = []
    with Workers(1) as workers:
        engine = compiled_engine(
            encode_problem(problem, sorted_columns=False), recipe, workers, small_nodes=small_nodes
        )
        grow(engine, recipe, rows.append)
    return rows


def test_the_report_counts_rows_as_they_are_settled():
    assert reported(EIGHTHS, by_score(EIGHTHS, "gini"), SmallNodes(most_rows=0)) == [3, 3, 2]
    assert reported(EIGHTHS, by_score(EIGHTHS, "gini"), SmallNodes(most_rows=3)) == [3, 3, 2]
    assert reported(EIGHTHS, by_score(EIGHTHS, "gini"), SmallNodes()) == [8]
    assert sum(reported(EIGHTHS, by_score(EIGHTHS, "gini", max_leaves=9))) == 8


def test_rows_in_parts_are_reported_as_cases():
    """A row at two nodes is settled twice: so many more are reported as were parted."""
    problem = Problem([Column("numeric", [1, 2, 3, 4, None, None])], np.array([0, 0, 1, 1, 0, 1]), None, 2)
    recipe = c45_of(problem, min_cases=1.0, mdl=False)
    assert sum(reported(problem, recipe)) == 6


@pytest.mark.parametrize("max_leaves", [None, 3])
def test_a_root_that_needs_no_split(max_leaves):
    problem = replace(EIGHTHS, y=np.zeros(8, int))
    tree = fit_tree(
        encode_problem(problem, sorted_columns=False), by_score(problem, "gini", max_leaves=max_leaves), Workers(1)
    )
    assert (tree.n_nodes, tree.rows.tolist(), tree.stats.tolist()) == (1, [8], [[8.0, 0.0]])


def test_a_table_a_recipe_and_workers_are_all_it_takes():
    encoded, recipe = encode_problem(EIGHTHS, sorted_columns=False), by_score(EIGHTHS, "gini")
    tree = fit_tree(encoded, recipe, Workers(1))
    assert_same_tree(tree, grown_by("plain", encoded, recipe))
    assert tree.leaf is recipe.leaf.kind
    deep = fit_tree(encoded, replace(recipe, stop=Limits(max_depth=1)), Workers(2))
    assert deep.n_leaves == 2


@settings(max_examples=examples(150))
@given(
    problems("classes") | problems("numbers"),
    st.sampled_from(["gini", "entropy"]),
    st.sampled_from([{}, {"max_depth": 2}, {"min_rows_leaf": 3}, {"min_gain": 0.02}, {"min_rows_split": 4}]),
    st.booleans(),
)
def test_a_tree_grown_in_one_call_is_that_of_rounds(problem, criterion, limits, sorted_columns):
    encoded = encode_problem(problem, sorted_columns=sorted_columns)
    recipe = by_score(problem, criterion if problem.n_classes else "squared_error", "subset", **limits)
    with switch.compiling("always"), Workers(1) as workers:
        taken = in_one_call(encoded, recipe)
        assert taken == any(column.kind == "nominal" for column in problem.columns)
        tree = fit_tree(encoded, recipe, workers)
        assert_same_tree(tree, grow(compiled_engine(encoded, recipe, workers), recipe))
    assert_same_tree(tree, grown_by("plain", encoded, recipe))


@settings(max_examples=examples(150))
@given(
    problems("classes") | problems("numbers"),
    st.sampled_from(["gini", "entropy", "gain_ratio"]),
    st.sampled_from(
        [{}, {"max_depth": 2}, {"min_weight_fraction_leaf": 0.2}, {"min_gain": 0.02}, {"min_rows_split": 4}]
    ),
    st.booleans(),
    st.sampled_from([1, 100]),
)
def test_a_tree_grown_without_cells_is_that_of_the_plain_pair(problem, criterion, limits, sorted_columns, few_splits):
    encoded = encode_problem(problem, sorted_columns=sorted_columns)
    recipe = by_score(problem, criterion if problem.n_classes else "squared_error", "subset", **limits)
    told = []
    with switch.compiling("never"):
        assert without_cells(encoded, recipe)
        with patch.object(visit_rules, "_FEW_SPLITS", few_splits):
            tree = fit_tree(encoded, recipe, Workers(1), told.append)
    assert sum(told) == problem.n_rows
    assert_same_tree(tree, grown_by("plain", encoded, recipe))


def test_gain_ratio_without_any_split():
    encoded = encode_problem(EIGHTHS, sorted_columns=False)
    tree = fit_tree(encoded, by_score(EIGHTHS, "gain_ratio", min_gain=9.0), Workers(1))
    assert tree.n_leaves == 1


def test_what_a_forest_cannot_have_is_grown_from_cells():
    encoded = encode_problem(HALVES, sorted_columns=False)
    with switch.compiling("never"):
        for recipe in (by_score(HALVES, "squared_error", tie="random"), by_score(HALVES, "poisson")):
            assert not without_cells(encoded, recipe)
    with switch.compiling("always"):
        assert not without_cells(encoded, by_score(HALVES, "squared_error"))
        eighths = encode_problem(EIGHTHS, sorted_columns=False)
        assert without_cells(eighths, by_score(EIGHTHS, "gain_ratio"))  # which no kernel knows


def test_large_tables_and_drawn_columns_are_not_grown_in_one_call():
    encoded, recipe = encode_problem(HALVES, sorted_columns=False), by_score(HALVES, "squared_error", "subset")
    with switch.compiling("always"):
        assert in_one_call(encoded, recipe, few_rows=20)
        assert not in_one_call(encoded, recipe, few_rows=19)
        assert not in_one_call(encoded, replace(recipe, draw=ColumnDraw(1)))
    with switch.compiling("never"):
        assert not in_one_call(encoded, recipe)


def test_a_tree_whose_counts_take_much_room_is_told_of_once(monkeypatch):
    monkeypatch.setattr("treewright.grow.MANY_COUNTS", 30)
    letters = np.array(list("abc"))
    X = {"g": letters[np.arange(54) % 3], "h": letters[np.arange(54) // 18], "i": letters[np.arange(54) % 9 // 3]}
    with pytest.warns(TreewrightWarning, match="13 nodes that count 3 classes each") as caught:
        tw.ID3Classifier().fit(X, letters[np.arange(54) // 2 % 3])
    assert len(caught) == 1
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        tw.ID3Classifier(max_depth=1).fit(X, letters[np.arange(54) // 2 % 3])


def test_a_tree_of_far_more_leaves_than_rows_is_told_of(monkeypatch):
    monkeypatch.setattr("treewright.grow.MANY_LEAVES", 10)
    monkeypatch.setattr("treewright.grow.MANY_PER_ROW", 1)
    random = np.random.default_rng(0)
    X = {name: np.where(random.random(60) < 0.3, np.nan, random.random(60)) for name in "abcdef"}
    y = random.integers(0, 2, 60)
    with pytest.warns(TreewrightWarning, match="leaves for 60 rows, since rows with missing values"):
        tw.CARTClassifier(missing="every").fit(X, y)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        tw.CARTClassifier(missing="learned").fit(X, y)
        tw.CARTClassifier(missing="every", max_depth=2).fit(X, y)
