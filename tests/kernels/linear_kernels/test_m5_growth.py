"""M5' grows the same tree node after node and level by level, to the last digit; equal values included."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from treewright.kernels.linear_kernels.m5_cuts import best_cut, root_scratch
from treewright.kernels.linear_kernels.m5_growth import GrownM5, grow_m5, spread_of


def grown(way, x, y, w, order, min_rows, least_spread, which):
    lines = [order[np.argsort(values[order])] for values in x[which]]
    presorted = np.array(lines or [order[:0]], np.int32)
    place = np.where(which, np.cumsum(which) - 1, -1)
    order, sorted_root = order.copy(), order.copy()
    tree = GrownM5(
        *(np.zeros(len(y), float if name in ("cut", "below", "gain") else np.int32) for name in GrownM5._fields)
    )
    n_nodes = way(x, y, w, order, min_rows, least_spread, presorted, place, sorted_root, tree)
    return [order.tolist(), sorted_root.tolist(), *(part[:n_nodes].tolist() for part in tree)]


@given(
    st.integers(1, 70), st.lists(st.sampled_from([2, 5, 1000]), max_size=4), st.sampled_from([2, 4, 9]),
    st.sampled_from([3, 1000]), st.booleans(), st.integers(0, 9),
)  # fmt: skip
def test_trees(n, values, min_rows, targets, is_weighted, seed):
    random = np.random.default_rng(seed)
    x = np.array([random.integers(0, top, n) / 7 for top in values]).reshape(len(values), n)
    y = random.integers(0, targets, n) / 3
    w = random.choice([0.5, 1.0, 2.3], n) if is_weighted else np.ones(n)
    order = random.permutation(n).astype(np.int32)
    arguments = (x, y, w, order, min_rows, 0.05 * y.std(), np.array(values) > random.choice([0, 9]))
    assert grown(grow_m5.twin, *arguments) == grown(grow_m5.function, *arguments)


@pytest.mark.parametrize("n", [1, 2, 4, 5, 6, 50, 900])
def test_cuts_and_spreads(n):
    random = np.random.default_rng(n)
    y, w, rows = random.normal(size=n + 2), random.choice([0.5, 1.0], n + 2), random.permutation(n + 2)[:n]
    keys = np.sort(random.integers(0, n, n) / 3)
    room = root_scratch(n)
    assert best_cut.twin(keys, y, w, rows, room) == best_cut.function(keys, y, w, rows, room)
    assert spread_of.twin(y, w, rows, 0, n) == spread_of.function(y, w, rows, 0, n)
    assert spread_of.twin(y, w, rows, n // 2, n) == spread_of.function(y, w, rows, n // 2, n)
