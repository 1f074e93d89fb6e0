"""Distances from medians, against adding them up anew for every set."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from treewright.kernels.search.medians import (
    RankedTarget,
    branch_medians,
    change_tree,
    distance,
    empty_tree,
    fill_tree,
    new_room,
    rank_rows,
    sorted_distance,
    sweep_tree,
    sweep_units,
    sweep_weights,
    walk_weights,
)

NONE = np.empty(0, np.int64)
NUMBERS = st.lists(st.integers(-50, 50), min_size=1, max_size=40)


def slow_distance(y, w):
    """The least sum of distances from any of the values: one of them is a median."""
    return min((float((w * np.abs(y - middle)).sum()) for middle in y), default=0.0)


def slow_median(y, w):
    order = np.argsort(y, kind="stable")
    y, twice, total = y[order], 2 * np.cumsum(w[order]), w.sum()
    return y[np.argmax(twice >= total)] / 2 + y[np.argmax(twice > total)] / 2


def padded(values, dtype=np.int64):
    return np.concatenate([[0], values, [0]]).astype(dtype)


class Rows:
    """Numbers in rank order, and the ranks in the order of some column."""

    def __init__(self, y, w, seed):
        random = np.random.default_rng(seed)
        self.y, self.n = np.sort(np.array(y)), len(y)
        self.w = np.resize(np.array(w, np.int64), self.n)
        self.ranks = (random.permutation(self.n) + 1).astype(np.uint32)

    def of(self, places):
        mine = self.ranks[places].astype(int) - 1
        return slow_distance(self.y[mine], self.w[mine])

    @property
    def given(self):
        return padded(self.w), padded(self.w * self.y), padded(self.y, np.float64)


def sweeps(n, n_missing):
    """The four sweeps of a search: on the left and on the right, the first rows left out or not."""
    last = n if n_missing else n - 1
    return [
        (0, n - 1, n_missing, -1, -1), (n_missing, n - 1, n_missing, -1, -1), (n_missing, n_missing, n - 1, 1, 0),
        (0, n_missing, last, 1, 0),
    ]  # fmt: skip


def expected(rows, skip, first, last, step, shift):
    """Of every sweep the distances it leaves, by place."""
    remaining = list(range(skip, rows.n))
    found = {rows.n - 1: rows.of(remaining)}
    for i in range(first, last, step):
        remaining.remove(i)
        found[i + shift] = rows.of(remaining)
    return found


def check(rows, swept, skip, first, last, step, shift):
    for place, value in expected(rows, skip, first, last, step, shift).items():
        assert swept[place] == pytest.approx(value, abs=1e-6)


@given(NUMBERS, st.integers(0, 30), st.integers(0, 5))
def test_rows_taken_out_one_by_one(y, n_missing, seed):
    rows = Rows(y, [1], seed)
    n_missing, room = min(n_missing, rows.n - 1), new_room(rows.n)
    for sweep in sweeps(rows.n, n_missing):
        out = np.full(rows.n, np.nan)
        sweep_units(rows.ranks, rows.n, *sweep, padded(rows.y), room.before, room.after, out)
        check(rows, out, *sweep)


@given(
    NUMBERS, st.lists(st.sampled_from([1, 2, 3, 1000]), min_size=1, max_size=9), st.integers(0, 30), st.integers(0, 5)
)
def test_rows_of_any_weight_taken_out_one_by_one(y, w, n_missing, seed):
    rows = Rows(y, w, seed)
    n_missing, room = min(n_missing, rows.n - 1), new_room(rows.n)
    for sweep in sweeps(rows.n, n_missing):
        by_chain, by_tree = np.full(rows.n, np.nan), np.full(rows.n, np.nan)
        given_ = (rows.ranks, rows.n, *sweep, *rows.given)
        sweep_weights(*given_, room.before, room.after, room.tree, by_chain)
        sweep_tree(*given_, room.tree, by_tree)
        check(rows, by_chain, *sweep)
        check(rows, by_tree, *sweep)


def test_where_the_median_would_go_to_and_fro_the_tree_is_taken():
    """Heavy rows at both ends, taken out in turn, and light ones between them."""
    n = 200
    y = np.arange(n)
    w = np.where((y < 50) | (y >= 150), 10**6, 1)
    rows = Rows(y, w, 0)
    ends = np.stack([np.arange(50), np.arange(199, 149, -1)], axis=1).ravel()
    rows.ranks = (np.concatenate([ends, np.arange(50, 150)]) + 1).astype(np.uint32)
    sweep, room, out = (0, 0, n - 1, 1, 0), new_room(n), np.full(n, np.nan)
    given_ = (rows.ranks, n, *sweep, *rows.given, room.before, room.after)
    assert not walk_weights(*given_, out)
    sweep_weights(*given_, room.tree, out)
    check(rows, out, *sweep)


@given(NUMBERS, st.lists(st.integers(1, 9), min_size=1, max_size=9), st.integers(0, 9))
def test_a_tree_of_ranks(y, w, seed):
    rows = Rows(y, w, seed)
    tree, (weight, moment, numbers) = new_room(rows.n).tree, rows.given
    total, sum_moment = fill_tree(tree, rows.n, weight, moment)
    assert (total, sum_moment) == (rows.w.sum(), (rows.w * rows.y).sum())
    assert distance(tree, rows.n, total, sum_moment, numbers) == pytest.approx(slow_distance(rows.y, rows.w))
    empty_tree(tree, rows.n)
    some = rows.ranks[: rows.n // 2].astype(np.int64)
    for r in some:
        change_tree(tree, rows.n, r, weight[r], moment[r])
    found = distance(tree, rows.n, weight[some].sum(), moment[some].sum(), numbers)
    assert found == pytest.approx(slow_distance(rows.y[some - 1], rows.w[some - 1]))


@given(NUMBERS, st.one_of(st.none(), st.lists(st.integers(1, 9), min_size=1, max_size=9)))
def test_a_sorted_set(y, w):
    rows = Rows(y, [1] if w is None else w, 0)
    weight, moment, numbers = rows.given
    ranks = np.arange(1, rows.n + 1).astype(np.uint32)
    found, median = sorted_distance(ranks, 0, rows.n, NONE if w is None else weight, moment, numbers)
    assert found == pytest.approx(slow_distance(rows.y, rows.w))
    assert median == slow_median(rows.y.astype(float), rows.w)
    assert sorted_distance(ranks, 1, 1, weight, moment, numbers) == (0.0, 0.0)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("seed", range(4))
def test_medians_of_branches(weighted, seed):
    random = np.random.default_rng(seed)
    n, n_nodes = 60, 5
    node, side, y = random.integers(0, n_nodes, n), random.integers(0, 3, n), random.integers(-4, 5, n).astype(float)
    w = random.integers(1, 4, n) if weighted else np.ones(n, np.int64)
    original = random.permutation(n)  # rows have been renumbered
    y_of_row = y[original]
    by_value = np.lexsort((y_of_row, node))
    start = np.searchsorted(node[by_value], np.arange(n_nodes + 1))
    base = start[:-1] + 2 * np.arange(n_nodes)
    sums = np.zeros((3 * n_nodes, 2), np.int64)
    np.add.at(sums, 3 * node + side, np.column_stack([w, w * y_of_row]).astype(np.int64))
    n_places = n + 2 * n_nodes
    ranked = RankedTarget(
        np.zeros(n, np.uint32), base, np.zeros(n_places if weighted else 0, np.int64), np.zeros(n_places, np.int64),
        np.zeros(n_places),
    )  # fmt: skip
    rank_rows(
        by_value, start[:-1], start[1:], w if weighted else NONE, (w * y_of_row).astype(np.int64), y, original, ranked
    )
    found, centre, child_start = (
        np.zeros((3 * n_nodes, 3)),
        random.integers(-2, 3, n_nodes).astype(float),
        np.arange(0, 16, 3),
    )
    where = np.arange(n_nodes), by_value, start[:-1], start[1:], side.astype(np.uint8), child_start
    branch_medians(*where, sums, ranked, y, original, centre, found)
    for c in range(3 * n_nodes):
        mine = (node == c // 3) & (side == c % 3)
        if mine.any():
            away = float((w[mine] * np.abs(y_of_row[mine] - centre[c // 3])).sum())
            parts = slow_median(y_of_row[mine], w[mine]), slow_distance(y_of_row[mine], w[mine]), away
            np.testing.assert_allclose(found[c], parts)
        else:
            assert (found[c] == 0).all()
