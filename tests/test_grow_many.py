"""Many trees: a member is the tree of its rows and draws, on every road."""

from __future__ import annotations

import threading
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine_roads import assert_same_tree, grown_by
from oracle import Column
from recipes_by_hand import by_score
from strategies import Problem, problems
from tables import encode_problem
from treewright.engines.compiled.forest_search import ForestSearch, serves
from treewright.engines.workers import Workers
from treewright.grow import fit_tree
from treewright.grow_many import Member, fit_trees, recipe_of, rows_of
from treewright.kernels import switch
from treewright.narrow_trees import NarrowTrees
from treewright.recipe_parts.column_draw import ColumnDraw

LIMITS = ({}, {"min_rows_leaf": 3, "max_depth": 3}, {"min_weight_fraction_leaf": 0.1}, {"min_gain": 0.05})
DRAWS = st.builds(ColumnDraw, st.integers(1, 4), st.booleans())


def trees_of(encoded, recipe, members, n_jobs=1):
    with Workers(n_jobs) as workers:
        return list(NarrowTrees(fit_trees(encoded, recipe, members, workers)))


@st.composite
def members(draw: st.DrawFn, problem: Problem) -> Member:
    n_rows, n_columns = problem.n_rows, len(problem.columns)
    counts = draw(st.none() | st.lists(st.integers(0, 3), min_size=n_rows, max_size=n_rows).map(np.array))
    columns = draw(st.none() | st.sets(st.integers(0, n_columns - 1), min_size=1).map(sorted).map(np.array))
    if counts is not None and not counts.any():
        counts[0] = 1
    return Member(draw(st.integers(0, 2**63 - 1)), counts, columns)


def check_member(data, problem, criterion, limits, column_draw, sorted_columns):
    encoded, member = encode_problem(problem, sorted_columns=sorted_columns), data.draw(members(problem))
    recipe = by_score(problem, criterion, draw=column_draw, **limits)
    assert serves(encoded, recipe)
    tree = ForestSearch(encoded, recipe, Workers(1)).tree(member.key, member.counts, member.columns).tree()
    plain = grown_by("plain", rows_of(encoded, member), recipe_of(recipe, member))
    assert_same_tree(tree, plain)
    for beside in side_by_side(encoded, recipe, [member, replace(member, key=5), member])[::2]:
        assert_same_tree(beside, plain)


def side_by_side(encoded, recipe, members):
    search = ForestSearch(encoded, recipe, Workers(1), compiled=False)
    return list(NarrowTrees(search.trees([(member.key, member.counts, member.columns) for member in members])))


@given(
    st.data(), problems("classes"), st.sampled_from(["gini", "entropy"]), st.sampled_from(LIMITS), DRAWS, st.booleans()
)
def test_a_tree_in_one_call_is_that_of_the_plain_pair_classes(
    data, problem, criterion, limits, column_draw, sorted_columns
):
    check_member(data, problem, criterion, limits, column_draw, sorted_columns)


@given(st.data(), problems("numbers"), st.sampled_from(LIMITS), DRAWS, st.booleans())
def test_a_tree_in_one_call_is_that_of_the_plain_pair_numbers(data, problem, limits, column_draw, sorted_columns):
    check_member(data, problem, "squared_error", limits, column_draw, sorted_columns)


@given(problems("classes"), st.booleans())
def test_all_columns_and_all_rows_are_the_single_tree(problem, sorted_columns):
    encoded, recipe = encode_problem(problem, sorted_columns=sorted_columns), by_score(problem, "gini")
    single = fit_tree(encoded, recipe, Workers(1))
    (tree,) = trees_of(encoded, replace(recipe, draw=ColumnDraw(len(problem.columns))), [Member(7)])
    assert_same_tree(tree, single)


@given(
    problems("classes"), st.builds(ColumnDraw, st.integers(1, 4), st.booleans()), st.booleans(),
    st.integers(0, 2**63 - 1), st.sampled_from(["learned", "fractional", "branch", "common", "stop"]),
)  # fmt: skip
def test_compiled_searches_draw_as_the_plain_pair_does(problem, column_draw, sorted_columns, seed, policy):
    encoded = encode_problem(problem, sorted_columns=sorted_columns)
    recipe = by_score(problem, "gini", draw=column_draw, seed=seed, missing=policy)
    assert_same_tree(grown_by("compiled", encoded, recipe), grown_by("plain", encoded, recipe))


def forest_table(n_rows: int = 300, n_classes: int | None = 3):
    """Numbers of many values, numbers of few, levels of many values, missing values."""
    rng = np.random.default_rng(3)
    numbers = [rng.normal(size=n_rows) for _ in range(3)] + [rng.integers(0, 5, n_rows).astype(float)]
    levels = [rng.integers(0, 16, n_rows), rng.integers(1, 90, n_rows)]
    numbers[0][rng.random(n_rows) < 0.1] = np.nan
    columns = [Column("numeric", values.tolist()) for values in numbers]
    columns += [Column("nominal", values.tolist()) for values in levels]
    y = numbers[1] + (levels[0] % 3) + rng.normal(size=n_rows)
    y = y if n_classes is None else np.digitize(y, np.quantile(y, np.arange(1, n_classes) / n_classes))
    return Problem(columns, y, None, n_classes)


def bags(n_rows: int, n: int) -> list[Member]:
    rng = np.random.default_rng(8)
    return [
        Member(int(rng.integers(2**63)), np.bincount(rng.integers(0, n_rows, n_rows), minlength=n_rows))
        for _ in range(n)
    ]


@pytest.mark.parametrize("n_classes", [2, 3, None])
@pytest.mark.parametrize("random_cuts", [False, True])
def test_larger_tables(n_classes, random_cuts):
    problem = forest_table(n_classes=n_classes)
    encoded = encode_problem(problem, sorted_columns=True)
    recipe = by_score(problem, "squared_error" if n_classes is None else "gini", draw=ColumnDraw(2, random_cuts))
    search = ForestSearch(encoded, recipe, Workers(1))
    bagged = bags(problem.n_rows, 3)
    for member, beside in zip(bagged, side_by_side(encoded, recipe, bagged), strict=True):
        tree = search.tree(member.key, member.counts, None).tree()
        assert_same_tree(tree, beside)
        assert tree.n_nodes > 50
        assert_same_tree(tree, grown_by("plain", rows_of(encoded, member), recipe_of(recipe, member)))


@pytest.mark.parametrize("n_classes", [3, None])
@pytest.mark.parametrize(("limit", "small"), [("tree_rounds.AT_ONCE", 64), ("open_rows.KEY_BITS", 0)])
def test_trees_side_by_side_do_not_depend_on_what_fits(monkeypatch, n_classes, limit, small):
    problem = forest_table(n_classes=n_classes)
    encoded = encode_problem(problem, sorted_columns=True)
    recipe = by_score(problem, "squared_error" if n_classes is None else "entropy", draw=ColumnDraw(2))
    members = bags(problem.n_rows, 3)
    usual = side_by_side(encoded, recipe, members)
    monkeypatch.setattr(f"treewright.engines.side_by_side.{limit}", small)
    for tree, same in zip(side_by_side(encoded, recipe, members), usual, strict=True):
        assert_same_tree(tree, same)


@pytest.mark.parametrize("rows_at_once", [1, 10**9])
def test_members_of_different_columns_side_by_side(monkeypatch, rows_at_once):
    monkeypatch.setattr("treewright.grow_many._ROWS_AT_ONCE", rows_at_once)
    problem = forest_table()
    encoded, recipe = encode_problem(problem, sorted_columns=True), by_score(problem, "gini")
    columns = [None, None, np.array([0, 4]), np.array([1, 5]), np.array([2, 3, 5])]
    members = [replace(member, columns=own) for member, own in zip(bags(problem.n_rows, 5), columns)]
    with switch.compiling("never"):
        trees = trees_of(encoded, recipe, members)
    for tree, member in zip(trees, members, strict=True):
        assert_same_tree(tree, fit_tree(rows_of(encoded, member), recipe_of(recipe, member), Workers(1)))


def test_trees_come_in_order_for_any_number_of_threads():
    problem = forest_table()
    encoded = encode_problem(problem, sorted_columns=True)
    recipe = by_score(problem, "gini", draw=ColumnDraw(2))
    told = []
    members = bags(problem.n_rows, 12)
    with Workers(3) as workers:
        many = list(NarrowTrees(fit_trees(encoded, recipe, members, workers, told.append)))
    assert told == [1] * 12
    for tree, member in zip(many, members, strict=True):
        assert_same_tree(tree, fit_tree(rows_of(encoded, member), recipe_of(recipe, member), Workers(1)))


def test_whoever_stops_asking_stops_the_threads():
    problem = forest_table()
    encoded = encode_problem(problem, sorted_columns=True)
    with Workers(2) as workers:
        trees = fit_trees(encoded, by_score(problem, "gini", draw=ColumnDraw(2)), bags(problem.n_rows, 500), workers)
        next(trees)
        trees.close()
    assert not [thread for thread in threading.enumerate() if thread.name.startswith("treewright")]


def test_an_interrupted_search_gives_no_tree():
    problem = forest_table()
    search = ForestSearch(encode_problem(problem, sorted_columns=True), by_score(problem, "gini"), Workers(1))
    search.interrupt()
    with pytest.raises(KeyboardInterrupt):
        search.tree(1, None, None)
