"""Many trees: a member is the tree of its rows and draws, on every road."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from engine_roads import assert_same_tree, grown_by
from recipes_by_hand import by_score
from strategies import problems
from tables import encode_problem
from treewright.engines.workers import Workers
from treewright.grow import fit_tree
from treewright.grow_many import Member, fit_trees
from treewright.recipe_parts.column_draw import ColumnDraw

CRITERIA = {"classes": ("gini", "entropy"), "numbers": ("squared_error",)}


def trees_of(encoded, recipe, members, n_jobs=1):
    with Workers(n_jobs) as workers:
        return list(fit_trees(encoded, recipe, members, workers))


@given(problems("classes"), st.booleans())
def test_all_columns_and_all_rows_are_the_single_tree(problem, sorted_columns):
    encoded, recipe = encode_problem(problem, sorted_columns=sorted_columns), by_score(problem, "gini")
    single = fit_tree(encoded, recipe, Workers(1))
    asked = replace(recipe, draw=ColumnDraw(len(problem.columns)))
    (tree,) = trees_of(encoded, asked, [Member(7)])
    assert_same_tree(tree, single)


@given(problems("classes"), st.integers(1, 4), st.booleans(), st.integers(0, 2**63 - 1))
def test_compiled_searches_draw_as_the_plain_pair_does(problem, n_columns, sorted_columns, seed):
    encoded = encode_problem(problem, sorted_columns=sorted_columns)
    recipe = by_score(problem, "gini", draw=ColumnDraw(n_columns), seed=seed)
    assert_same_tree(grown_by("compiled", encoded, recipe), grown_by("plain", encoded, recipe))
