"""The pass over cases in order, against the search of their cells."""

import numpy as np
import pytest

from treewright.kernels.known_kernels.known_cases import (
    BY_SHARE,
    COMMONEST,
    OWN_BRANCH,
    KnownCases,
    KnownColumns,
    KnownNodes,
    add_cells,
)
from treewright.kernels.known_kernels.ordered_search import search_ordered
from treewright.kernels.search.known_cells import CUTS, CellArrays, CellRuns, find_known, search_known
from treewright.kernels.search.mass import NO_TABLE, Criterion
from treewright.kernels.store_kernels.nodes import Finds, OpenNodes, Rules

SIZES = (1, 2, 7, 30)


def made(criterion, policy, seed, *, all_missing=False):
    """Nodes of these sizes, whose cases lie in the order of their codes."""
    rng = np.random.default_rng(seed)
    n, numeric = sum(SIZES), criterion in (Criterion.SQUARED_ERROR, Criterion.POISSON)
    codes = np.zeros(n, np.int64) if all_missing else rng.integers(0, 6, n)
    start = np.concatenate([[0], np.cumsum(SIZES)])
    node = np.repeat(np.arange(len(SIZES)), SIZES)
    label = np.empty(0, np.int32) if numeric else rng.integers(0, 3, n).astype(np.int32)
    amount = rng.integers(1, 9, (n, 3 if numeric else 1))
    totals = np.zeros((len(SIZES), 3), np.int64)
    if numeric:
        np.add.at(totals, node, amount)
    else:
        np.add.at(totals, (node, label), amount[:, 0])
    order = np.lexsort((codes, node)).astype(np.int32)
    columns = KnownColumns(codes[None].astype(np.uint32), np.array([6]), np.array([CUTS]), np.array([policy]))
    cases = KnownCases(np.arange(n, dtype=np.int32), label, amount, order[None])
    return columns, cases, KnownNodes(np.arange(len(SIZES)), start, totals)


def empty_cells(n):
    return CellArrays(*np.empty((3, n), np.int64), np.empty((n, 3), np.int64))


def new_finds(n):
    return Finds(np.empty(n), np.empty(n, np.int64), np.empty(n, np.uint8), np.empty(n, np.int64))


@pytest.mark.parametrize("criterion", [c for c in Criterion if c is not Criterion.ABSOLUTE_ERROR])
@pytest.mark.parametrize("policy", [OWN_BRANCH, BY_SHARE])
@pytest.mark.parametrize("least", [(1, 0), (3, 0), (1, 9)])
@pytest.mark.parametrize("all_missing", [False, True])
def test_it_finds_what_the_search_of_cells_finds(criterion, policy, least, all_missing):
    rules = Rules(int(criterion), *least, -1, NO_TABLE, False)
    for seed in range(5):
        columns, cases, nodes = made(criterion, policy, seed, all_missing=all_missing)
        n, slack = len(nodes.id), np.full(len(nodes.id), 1e-12)
        finds, twin = new_finds(n), new_finds(n)
        search_ordered(0, columns, cases, nodes, slack, rules, finds)
        cells, n_cells = empty_cells(sum(SIZES)), 0
        for f in range(n):
            n_cells, _ = add_cells(0, f, columns, cases, nodes, cells, n_cells)
        cells = CellArrays(*(part[:n_cells] for part in cells))
        runs, none = CellRuns(*np.empty((3, n), np.int64)), np.empty(n, np.int64)
        known = OpenNodes(none, none.copy(), none.copy(), np.empty((n, 3), np.int64), slack, np.empty(0), none)
        find_known(cells, nodes.totals, runs, known)
        search_known(CUTS, policy == OWN_BRANCH, cells, nodes.totals, runs, known, rules, twin)
        np.testing.assert_array_equal(finds.score, twin.score)
        some = twin.score > -np.inf
        np.testing.assert_array_equal(finds.cut[some], twin.cut[some])


def test_missing_values_count_as_the_median_of_their_node():
    codes = np.array([0, 0, 1, 2, 2, 5])
    columns = KnownColumns(codes[None].astype(np.uint32), np.array([6]), np.array([CUTS]), np.array([COMMONEST]))
    cases = KnownCases(
        np.arange(6, dtype=np.int32), np.zeros(6, np.int32), np.ones((6, 1), np.int64),
        np.arange(6, dtype=np.int32)[None],
    )  # fmt: skip
    cells = CellArrays(*np.empty((3, 6), np.int64), np.empty((6, 1), np.int64))
    n, stand_in = add_cells(
        0, 0, columns, cases, KnownNodes(np.zeros(1), np.array([0, 6]), np.full((1, 1), 6)), cells, 0
    )
    assert (n, stand_in, cells.code[:n].tolist(), cells.rows[:n].tolist()) == (3, 2, [1, 2, 5], [1, 4, 1])
