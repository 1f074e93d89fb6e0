"""The same splits are found whether all cuts are proposed or only those that may be the best."""

from __future__ import annotations

from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine_roads import assert_same_tree
from recipes_by_hand import by_score
from strategies import problems
from tables import encode_problem
from treewright.engines.choices import ordered_cuts, promising_cuts
from treewright.engines.choices.promising_cuts import RunningSums
from treewright.engines.choices.score_choice import ScoreChoice
from treewright.engines.dispatch import plain_engine
from treewright.engines.stores.node_cells import Cells, up_to_each
from treewright.engines.workers import Workers
from treewright.grow import grow

CRITERIA = ["gini", "entropy", "misclassification", "gain_ratio"]
POLICIES = ("learned", "branch", "fractional", "every", "stop", "drop", "surrogate", "common")


def grown(problem, recipe, promising):
    """The tree, and whether any column picked its cuts."""
    engine = plain_engine(encode_problem(problem, sorted_columns=False), recipe, Workers(1))
    assert isinstance(engine.choice, ScoreChoice)
    if not promising:
        engine.choice._promising = {}
    with patch.object(ordered_cuts, "FEW_CELLS", 0), patch.object(promising_cuts, "_FEW_EQUALS", 0):
        return grow(engine, recipe), bool(engine.choice._promising)


def check(problem, recipe):
    some, picks = grown(problem, recipe, True)
    assert picks
    assert_same_tree(some, grown(problem, recipe, False)[0])


@given(
    problems("classes"), st.sampled_from(CRITERIA), st.sampled_from(POLICIES), st.integers(1, 4),
    st.sampled_from(["first", "random"]),
)  # fmt: skip
def test_classes(problem, criterion, policy, min_rows_leaf, tie):
    check(problem, by_score(problem, criterion, missing=policy, min_rows_leaf=min_rows_leaf, tie=tie))


@given(problems("counts"), st.sampled_from(POLICIES), st.integers(1, 4))
def test_numbers(problem, policy, min_rows_leaf):
    check(problem, by_score(problem, "squared_error", missing=policy, min_rows_leaf=min_rows_leaf))


@given(problems("counts"))
def test_none_are_picked_where_a_cut_is_judged_by_more(problem):
    assert not grown(problem, by_score(problem, "poisson"), True)[1]


@pytest.mark.parametrize("sizes", [[1], [3], [2, 1, 5]])
def test_sums_are_those_up_to_each_cell(sizes):
    random = np.random.default_rng(0)
    n, node = sum(sizes), np.repeat(np.arange(len(sizes)), sizes)
    cells = Cells(node, np.arange(1, n + 1), random.integers(1, 5, n), random.integers(0, 5, (n, 3)))
    sums, (here, left, total) = RunningSums(cells), up_to_each(cells)
    for mine, its in zip((*sums.at(here), *sums.at(sums.of_cells(sums.last)[here])), (*left, *total)):
        np.testing.assert_array_equal(mine, its)


def test_leaders_are_above_all_before_them_at_their_node():
    place = np.array([0, 0, 0, 1, 1])
    right, left = np.array([1.0, 1.0, 3.0, 2.0, 2.0]), np.array([5.0, 0.0, 4.0, 1.0, 2.5])
    assert promising_cuts._leads(place, [right]).tolist() == [True, False, True, True, False]
    assert promising_cuts._leads(place, [right, left]).tolist() == [True, False, True, True, True]
