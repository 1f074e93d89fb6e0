"""Cases handed down a test on a stack, against numpy. Pruning itself is held to a plain recursion in tests/prune."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from kernel_cases import shared_parts
from made_trees import stump
from treewright.kernels import switch
from treewright.kernels.pruning.subtree_raising import (
    ErrorBound,
    RaisingRows,
    Stack,
    errors_of_class,
    errors_where_stopped,
    hand_down,
    largest_branch,
    leaf_errors,
    with_room,
)

EDGE = 30.5
PESSIMISM = ErrorBound(1.0, 0.25, 0.69, 0.67, 1e-9, 0.1, True)
CELLS = st.lists(
    st.tuples(st.sampled_from([10.0, 30.5, 31.0, np.nan]), st.integers(1, 10_000)), min_size=1, max_size=20
)


ROADS = st.sampled_from(["always", "never"])  # compiled, and in numpy


def handed_down(values, weights, missing_to, *, in_full=(), road="always"):
    """Cases of a node ``x <= 30.5`` sent down: the stack, where branches end, how many miss the test and stop."""
    tree = stump()._replace(branch_of=np.array([missing_to, 0, 1], np.int32), edges=np.array([EDGE]))
    n = len(values)
    rows = RaisingRows(values[None], np.arange(n) % 2, np.array(in_full, np.bool_))
    stack = Stack(np.arange(n, dtype=np.uint32), weights.copy(), np.empty(n, np.int32))
    ends = np.empty(2, np.int64)
    with switch.compiling(road):
        stack, n_missing, n_stopped = hand_down(0, 0, n, rows, tree.routes, stack, np.empty(2, np.int64), ends)
    return stack, ends, n_missing, n_stopped, rows


@given(CELLS, ROADS)
def test_cases_are_handed_down(cells, road):
    values, weights = np.array([cell[0] for cell in cells]), np.array([cell[1] for cell in cells], np.int64)
    n, missing = len(values), np.isnan(values)
    side = np.where(missing, -1, values > EDGE)
    known = np.array([weights[side == b].sum() for b in (0, 1)])
    shares = known if known.any() else np.ones(2, np.int64)  # where all are missing, each branch gets the same
    parts = shared_parts(weights[missing], shares)
    stack, ends, n_missing, n_stopped, _ = handed_down(values, weights, -1, road=road)
    assert (n_missing, n_stopped) == (missing.sum(), 0)
    begin = n
    for branch in (0, 1):
        gone = np.flatnonzero(missing) if shares[branch] else np.empty(0, np.int64)
        here = np.flatnonzero(side == branch)
        assert stack.row[begin : ends[branch]].tolist() == [*gone, *here]
        assert stack.weight[begin : ends[branch]].tolist() == [*parts[: len(gone), branch], *weights[here]]
        begin = ends[branch]
    assert stack.weight[n:begin].sum() == weights.sum()


@given(CELLS, st.sampled_from(["in full", "stop", 0, 1]), ROADS)
def test_missing_values_go_where_the_marks_say(cells, way, road):
    """Down every branch that has cases with all their weight, nowhere, or down one branch."""
    values, weights = np.array([cell[0] for cell in cells]), np.array([cell[1] for cell in cells], np.int64)
    mark = {"in full": -1, "stop": -2}.get(way, way)
    stack, ends, n_missing, n_stopped, rows = handed_down(values, weights, mark, in_full=(way == "in full",), road=road)
    missing = np.isnan(values)
    assert (n_missing, n_stopped) == (missing.sum(), missing.sum() if way == "stop" else 0)
    side = np.where(missing, mark, values > EDGE)
    used = [b for b in (0, 1) if (side == b).any()] or [0, 1]
    begin = len(values)
    for branch in (0, 1):
        shared = np.flatnonzero(side == -1) if branch in used else np.empty(0, np.int64)
        here = [*shared, *np.flatnonzero(side == branch)]
        assert stack.row[begin : ends[branch]].tolist() == here
        assert stack.weight[begin : ends[branch]].tolist() == weights[here].tolist()
        begin = ends[branch]
    of_stopped = np.bincount(rows.label, np.where(side == -2, weights, 0), minlength=2)
    label = int(np.bincount(rows.label, weights, minlength=2).argmax())
    room = np.empty(2, np.int64), np.empty(2, np.int64)
    errors = errors_where_stopped(0, len(values), n_stopped, rows.label, stack, PESSIMISM, *room)
    assert errors == errors_of_class(of_stopped, label, PESSIMISM)


def test_cases_of_another_class_than_their_node_are_all_wrong():
    assert errors_of_class(np.array([0, 3]), 1, PESSIMISM) == leaf_errors(np.array([0, 3]), PESSIMISM) < 2
    assert errors_of_class(np.array([0, 3]), 0, PESSIMISM) == 3


@given(st.lists(st.integers(0, 5), min_size=1, max_size=6))
def test_the_largest_branch_is_the_last_of_equals(weights):
    stats = np.array(weights, np.int64)[:, None]
    assert largest_branch(0, len(weights), stats, PESSIMISM) == len(weights) - 1 - int(np.argmax(weights[::-1]))


def test_room_is_made_when_it_is_needed():
    values = np.arange(4)
    assert with_room(values, 4) is values
    assert with_room(values, 5)[:4].tolist() == [0, 1, 2, 3]
    assert len(with_room(values, 20)) == 20
