"""M5' grows the same tree node after node and level by level, to the last digit; equal values included."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from treewright.kernels.linear_kernels.m5_cuts import best_split, cut_room
from treewright.kernels.linear_kernels.m5_growth import (
    NEVER_EQUAL,
    OFTEN_EQUAL,
    SELDOM_EQUAL,
    UNUSED,
    GrownM5,
    Waiting,
    grow_m5,
    spread_of,
)


def grown(way, x, y, w, order, min_rows, least_spread, is_sorted, most_later=0):
    """The order of the rows, that at the root, and the nodes."""
    lines = np.array([order[np.argsort(values[order])] for values in x], np.int32).reshape(x.shape)
    ties = np.array([_ties(values, known) for values, known in zip(x, is_sorted)], np.int64)
    order, sorted_root, goes_right = order.copy(), order.copy(), np.empty(len(y), np.bool_)
    tree = GrownM5(
        *(np.zeros(len(y), float if name in ("cut", "below", "gain") else np.int32) for name in GrownM5._fields)
    )
    tree.column[:] = UNUSED
    waiting = Waiting(*np.zeros((4, len(y)), np.int64))
    waiting.stop[0], waiting.parent[0] = len(order), -1

    def grow(waiting, most_later):
        return way(
            x, y, w, order, lines, ties, min_rows, least_spread, most_later, waiting, sorted_root, goes_right, tree
        )

    for k in range(grow(waiting, most_later)):
        assert grow(Waiting(*(part[k : k + 1] for part in waiting)), 0) == 0
    used = np.flatnonzero(tree.column != UNUSED)
    number = {**{int(v): k for k, v in enumerate(used)}, -1: -1}
    links = [[number[int(v)] for v in part[used]] for part in (tree.right, tree.parent)]
    return [order.tolist(), sorted_root.tolist(), *links, *(part[used].tolist() for part in tree[:6])]


def _ties(values, known):
    if not known:
        return OFTEN_EQUAL
    return NEVER_EQUAL if len(np.unique(values)) == len(values) else SELDOM_EQUAL


def made(n, values, targets, is_weighted, seed):
    random = np.random.default_rng(seed)
    x = np.array([random.integers(0, top, n) / 7 for top in values]).reshape(len(values), n)
    y = random.integers(0, targets, n) / 3
    w = random.choice([0.5, 1.0, 2.3], n) if is_weighted else None
    order = random.permutation(n).astype(np.int32)
    return x, y, w, order


@given(
    st.integers(1, 70), st.lists(st.sampled_from([2, 5, 1000, 10**6]), max_size=6), st.sampled_from([2, 4, 9]),
    st.sampled_from([3, 1000]), st.booleans(), st.integers(0, 9),
)  # fmt: skip
def test_trees(n, values, min_rows, targets, is_weighted, seed):
    x, y, w, order = made(n, values, targets, is_weighted, seed)
    arguments = (x, y, w, order, min_rows, 0.05 * y.std(), np.array(values) > seed % 2 * 9)
    expected = grown(grow_m5.twin, *arguments)
    assert grown(grow_m5.function, *arguments) == expected
    assert grown(grow_m5.function, *arguments, most_later=n // 3) == expected


def test_a_tree_of_many_rows():
    x, y, w, order = made(900, [10**6, 3, 10**4, 10**6, 10**5], 1000, False, 1)
    arguments = (x, y, w, order, 4, 0.05 * y.std(), np.array([True, False, True, True, True]))
    expected = grown(grow_m5.twin, *arguments)
    assert grown(grow_m5, *arguments) == expected
    assert grown(grow_m5, *arguments, most_later=200) == expected


@pytest.mark.parametrize("n", [1, 2, 4, 5, 6, 50, 900])
@pytest.mark.parametrize("is_weighted", [False, True])
def test_cuts_and_spreads(n, is_weighted):
    random = np.random.default_rng(n)
    x, y = random.integers(0, n, (6, n)) / 3, random.normal(size=n)
    w = random.choice([0.5, 1.0], n) if is_weighted else None
    lines = np.argsort(x).astype(np.int32)
    for k in (1, 6):
        arguments = (x[:k], y, w, lines[:k], 0, n, np.ones(k, np.bool_), cut_room(k, n))
        assert best_split.twin(*arguments) == best_split.function(*arguments)
    rows = random.permutation(n)
    for start in (0, n // 2):
        assert spread_of.twin(y, w, rows, start, n) == spread_of.function(y, w, rows, start, n)


def test_cuts_between_values_that_are_too_close():
    """A cut that would be best, but lies between values that count as equal, is none."""
    n = 40
    x = np.arange(n, dtype=float)[None]
    x[0, 20] = x[0, 19] + 1e-7
    y = (np.arange(n) >= 20) + np.arange(n) / 1e3
    arguments = (x, y, None, np.arange(n, dtype=np.int32)[None], 0, n, np.zeros(1, np.bool_), cut_room(1, n))
    assert best_split.function(*arguments) == best_split.twin(*arguments)
    assert best_split.function(*arguments)[2] != 19


@pytest.mark.parametrize("y", [np.full(30, 1e-120), np.full(30, 3.3), 1e110 * np.arange(30.0)])
def test_variances_too_small_or_too_large_for_rough_roots(y):
    x = np.array([np.arange(30.0), np.arange(30.0) % 7])
    lines = np.argsort(x).astype(np.int32)
    arguments = (x, y, None, lines, 0, 30, np.ones(2, np.bool_), cut_room(2, 30))
    assert best_split.function(*arguments) == best_split.twin(*arguments)
