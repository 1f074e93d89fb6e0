"""The plain pair finds the same whether columns are searched one by one or side by side."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from engine_roads import assert_same_tree
from recipes_by_hand import by_score
from strategies import problems
from tables import encode_problem
from treewright.engines.choices.score_choice import ScoreChoice
from treewright.engines.choices.stacked_columns import StackedColumns
from treewright.engines.dispatch import plain_engine
from treewright.engines.stores.plain_store import PlainStore
from treewright.engines.workers import Workers
from treewright.grow import grow

POLICIES = ("learned", "branch", "fractional", "every", "stop", "drop", "surrogate", "common")


def grown(problem, recipe, few_cells, *, sorted_columns):
    encoded = encode_problem(problem, sorted_columns=sorted_columns)
    engine = plain_engine(encoded, recipe, Workers(1))
    assert isinstance(engine.store, PlainStore)
    assert isinstance(engine.choice, ScoreChoice)
    engine.shortcut = StackedColumns(encoded, recipe, engine.store, engine.choice, few_cells)
    return grow(engine, recipe)


def check(problem, recipe, *, sorted_columns):
    stacked, apart = (grown(problem, recipe, few, sorted_columns=sorted_columns) for few in (10**9, -1))
    assert_same_tree(stacked, apart)


CRITERIA = ["gini", "entropy", "misclassification", "gain_ratio", "chi2"]


@given(
    problems("classes"), st.sampled_from(CRITERIA), st.sampled_from(["subset", "multiway", "one-vs-rest"]),
    st.sampled_from(POLICIES), st.booleans(),
)  # fmt: skip
def test_classes(problem, criterion, style, policy, sorted_columns):
    check(problem, by_score(problem, criterion, style, missing=policy), sorted_columns=sorted_columns)


@given(problems("counts"), st.sampled_from(POLICIES), st.booleans())
def test_numbers(problem, policy, sorted_columns):
    check(problem, by_score(problem, "squared_error", missing=policy), sorted_columns=sorted_columns)


@given(problems("classes"), st.sampled_from(["first", "random"]))
def test_columns_are_side_by_side_only_where_nothing_else_decides(problem, tie):
    encoded, recipe = encode_problem(problem, sorted_columns=True), by_score(problem, "gini", tie=tie)
    engine = plain_engine(encoded, recipe, Workers(1))
    assert isinstance(engine.shortcut, StackedColumns)
    if tie == "random":
        assert engine.shortcut.groups == []
    for group in engine.shortcut.groups:
        assert len(group) > 1
        assert len({recipe.missing[j] for j in group}) == 1
