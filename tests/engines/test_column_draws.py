"""Draws by their distribution over many keys: every column, threshold and subset is as likely as it should be."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from recipes_by_hand import by_median, by_merging, by_score, c45_of
from strategies import problems
from tables import encode_problem
from treewright.engines.column_draws import MOST_BITS, ColumnDraws
from treewright.engines.workers import Workers
from treewright.errors import OptionError
from treewright.grow_many import Member, fit_trees
from treewright.kernels.forest_kernels import forest_levels
from treewright.kernels.random_numbers import hashed, hashed_each
from treewright.recipe_parts.column_draw import ColumnDraw
from treewright.recipe_parts.merging import ByMerging

N_KEYS = 20_000


def draws_of(draw: ColumnDraw, n_columns: int) -> ColumnDraws:
    """As many roots as there are keys."""
    found = ColumnDraws(draw, 0, n_columns)
    found.keys = np.arange(N_KEYS, dtype=np.uint64)
    return found


def is_even(counts) -> bool:
    return stats.chisquare(counts).pvalue > 1e-4


@pytest.mark.filterwarnings("ignore:overflow")
def test_many_hashes_at_once_are_those_one_by_one():
    seeds = np.array([0, 5, 2**63 - 1, 2**64 - 1], np.uint64)
    one_by_one = [int(hashed(seed, 3, 2, 1)) for seed in seeds]
    assert hashed_each(seeds, 3, 2, 1).tolist() == one_by_one


def test_every_column_is_as_likely_at_every_turn():
    order = draws_of(ColumnDraw(2), 5).order(np.arange(N_KEYS))
    assert (np.sort(order, axis=1) == np.arange(5)).all()
    for turn in range(5):
        assert is_even(np.bincount(order[:, turn], minlength=5))
    pairs = order[:, 0] * 5 + order[:, 1]
    assert is_even(np.bincount(pairs, minlength=25)[np.bincount(pairs, minlength=25) > 0])


def test_children_draw_anew():
    draws = ColumnDraws(ColumnDraw(1), 3, 4)
    draws.split(np.zeros(1, np.int64), np.array([2000]))
    first = draws.order(np.arange(1, 2001))[:, 0]
    assert is_even(np.bincount(first, minlength=4))
    assert is_even(np.bincount(first[1:] * 4 + first[:-1], minlength=16))


def test_so_many_are_drawn_and_more_while_none_has_a_split():
    draws, ids = draws_of(ColumnDraw(2), 5), np.arange(N_KEYS)
    assert (draws.chosen_from(np.ones((5, N_KEYS), np.bool_), ids).sum(0) == 2).all()
    assert draws.chosen_from(np.zeros((5, N_KEYS), np.bool_), ids).all()
    only_last = np.zeros((5, N_KEYS), np.bool_)
    only_last[4] = True
    chosen = draws.chosen_from(only_last, ids)
    assert chosen[4].all()
    turns = draws.turns(ids)
    assert (chosen.sum(0) == np.maximum(turns[4] + 1, 2)).all()


def test_where_all_are_drawn_they_stay_in_order():
    assert (draws_of(ColumnDraw(9), 3).order(np.arange(4)) == np.arange(3)).all()
    assert (draws_of(ColumnDraw(2, among=(2, 0)), 3).order(np.arange(4)) == [0, 2]).all()


def test_thresholds_lie_evenly():
    ids, low, high = np.arange(N_KEYS), np.full(N_KEYS, -2.0), np.full(N_KEYS, 3.0)
    found = draws_of(ColumnDraw(1, random_cuts=True), 2).thresholds(1, ids, low, high)
    assert ((low <= found) & (found < high)).all()
    assert stats.kstest((found + 2) / 5, "uniform").pvalue > 1e-4


@pytest.mark.parametrize("low", [-np.inf, -1e308, 0.0])
def test_a_threshold_is_a_number_however_far_apart_the_ends(low):
    ids, high = np.arange(9), np.full(9, np.inf if low < 0 else 5e-324)
    found = draws_of(ColumnDraw(1), 1).thresholds(0, ids, np.full(9, low), high)
    assert ((found >= low) & (found < high)).all()


def test_every_subset_is_as_likely():
    draws, n = draws_of(ColumnDraw(1), 1), 4
    node, place = np.repeat(np.arange(N_KEYS), n), np.tile(np.arange(n), N_KEYS)
    left = draws.is_on_left(0, np.arange(N_KEYS), np.full(N_KEYS, n), node, place)
    subset = (left.reshape(-1, n) << np.arange(n)).sum(1)
    assert is_even(np.bincount(subset, minlength=2**n)[1:-1])
    assert subset.min() > 0
    assert subset.max() < 2**n - 1


def test_subsets_of_many_levels():
    assert forest_levels.MOST_BITS == MOST_BITS
    n = 3 * MOST_BITS
    left = draws_of(ColumnDraw(1), 1).is_on_left(0, np.arange(1), np.array([n]), np.zeros(n, np.int64), np.arange(n))
    assert 0.3 < left.mean() < 0.7


@given(problems("classes", max_rows=20), st.data())
def test_any_learner_keeps_to_the_columns_of_a_member(problem, data):
    recipes = by_score(problem, "gini"), c45_of(problem), by_merging(problem, ByMerging(alpha_split=1.0))
    columns = np.array(sorted(data.draw(st.sets(st.integers(0, len(problem.columns) - 1), min_size=1))))
    encoded = encode_problem(problem, sorted_columns=True)
    for recipe in recipes:
        for tree in fit_trees(encoded, recipe, [Member(1, None, columns)], Workers(1)):
            assert set(tree.columns_used) <= set(columns)


@given(problems("numbers", max_rows=20))
def test_medians_draw_too(problem):
    (tree,) = fit_trees(
        encode_problem(problem, sorted_columns=True), by_median(problem, draw=ColumnDraw(1)), [Member(3)], Workers(1)
    )
    assert tree.n_nodes >= 1


@given(problems("numbers", max_rows=5))
def test_random_cuts_are_compared_by_a_score(problem):
    recipe = by_median(problem, draw=ColumnDraw(1, random_cuts=True))
    with pytest.raises(OptionError, match="cuts at random"):
        list(fit_trees(encode_problem(problem, sorted_columns=True), recipe, [Member(3)], Workers(1)))
