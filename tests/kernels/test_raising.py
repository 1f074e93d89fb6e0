"""Cases handed down a test on a stack, against numpy. Pruning itself is held to a plain recursion in tests/prune."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from kernel_cases import shared_parts
from made_trees import stump
from treewright.kernels.raising import Pessimism, Stack, hand_down, largest_branch, with_room

EDGE = 30.5


@given(
    st.lists(st.tuples(st.sampled_from([10.0, 30.5, 31.0, np.nan]), st.integers(1, 10_000)), min_size=1, max_size=20)
)
def test_cases_are_handed_down(cells):
    values, weights = np.array([cell[0] for cell in cells]), np.array([cell[1] for cell in cells], np.int64)
    tree = stump()._replace(branch_of=np.array([-1, 0, 1], np.int32), edges=np.array([EDGE]))
    n, missing = len(values), np.isnan(values)
    side = np.where(missing, -1, values > EDGE)
    known = np.array([weights[side == b].sum() for b in (0, 1)])
    shares = known if known.any() else np.ones(2, np.int64)  # where all are missing, each branch gets the same
    parts = shared_parts(weights[missing], shares)
    stack = Stack(np.arange(n, dtype=np.uint32), weights.copy(), np.empty(n, np.int32))
    ends = np.empty(2, np.int64)
    stack, n_missing = hand_down(0, 0, n, values[None], tree, stack, np.empty(2, np.int64), ends)
    assert n_missing == missing.sum()
    begin = n
    for branch in (0, 1):
        gone = np.flatnonzero(missing) if shares[branch] else np.empty(0, np.int64)
        here = np.flatnonzero(side == branch)
        assert stack.row[begin : ends[branch]].tolist() == [*gone, *here]
        assert stack.weight[begin : ends[branch]].tolist() == [*parts[: len(gone), branch], *weights[here]]
        begin = ends[branch]
    assert stack.weight[n:begin].sum() == weights.sum()


@given(st.lists(st.integers(0, 5), min_size=1, max_size=6))
def test_the_largest_branch_is_the_last_of_equals(weights):
    pessimism = Pessimism(1.0, 0.25, 0.69, 0.67, 1e-9, 0.1, True)
    stats = np.array(weights, np.int64)[:, None]
    assert largest_branch(0, len(weights), stats, pessimism) == len(weights) - 1 - int(np.argmax(weights[::-1]))


def test_room_is_made_when_it_is_needed():
    values = np.arange(4)
    assert with_room(values, 4) is values
    assert with_room(values, 5)[:4].tolist() == [0, 1, 2, 3]
    assert len(with_room(values, 20)) == 20
