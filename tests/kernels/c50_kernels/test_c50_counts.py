"""What is counted at a node, on both roads and by its definition; and few cases sorted anew."""

import numpy as np
import pytest

from treewright.c50.search_buffers import number_room
from treewright.kernels.c50_kernels.c50_counts import NodeCounts, count_levels, count_sides
from treewright.kernels.c50_kernels.c50_numbers import FEW, gather_few
from treewright.kernels.c50_kernels.c50_search import NodeCases

N_CASES, N_CLASSES = 300, 3


@pytest.fixture
def rng() -> np.random.Generator:
    return np.random.default_rng(5)


def node_of(rng, n) -> NodeCases:
    cases = rng.permutation(N_CASES)[:n]
    return NodeCases(cases, rng.integers(0, N_CLASSES, n), np.float64(np.float32(rng.random(n))))


def empty_counts(rng) -> NodeCounts:
    """Three tables, of 2, 5 and 9 values, and two columns of numbers. What was counted before is still there."""
    sizes = np.array([2, 5, 9])
    codes = np.stack([rng.integers(0, size + 1, N_CASES) for size in sizes], axis=1).astype(np.int32)
    places = rng.integers(-2, 4, (N_CASES, 2)).astype(np.int32)
    starts = np.append(0, np.cumsum(sizes + 1))
    cells, sides = rng.random((int(starts[-1]), N_CLASSES)), rng.random((2, 2, N_CLASSES))
    rows_of = ((codes + starts[:-1]) * N_CLASSES).astype(np.uint32)
    flat, touched = cells.reshape(-1), np.zeros(1, np.int64)
    return NodeCounts(np.arange(3), rows_of, starts, cells, flat, places, sides, touched)


@pytest.mark.parametrize("n", [0, 1, 40, 300])
def test_tables_of_values(rng, n):
    here, counts = node_of(rng, n), empty_counts(rng)
    for road in (count_levels, count_levels.plain):
        counts.cells[:] = 7.0
        road(counts, here, n, 0, 2)
        for t, end in ((0, 3), (1, 6)):
            expected = np.zeros((end, N_CLASSES))
            codes = counts.rows_of[here.cases, t].astype(int) // N_CLASSES - counts.starts[t]
            np.add.at(expected, (codes, here.labels), here.weights)
            np.testing.assert_array_equal(counts.cells[counts.starts[t] : counts.starts[t + 1]], expected)
        assert (counts.cells[9:] == 7.0).all()  # the third table was not asked for


@pytest.mark.parametrize("n", [0, 1, 40, 300])
def test_cases_without_a_number(rng, n):
    here, counts = node_of(rng, n), empty_counts(rng)
    for road in (count_sides, count_sides.plain):
        counts.sides[:] = 7.0
        road(counts, here, n, 1, 2)
        for row, place in enumerate((-1, -2)):
            is_there = counts.places[here.cases, 1] == place
            expected = np.zeros(N_CLASSES)
            np.add.at(expected, here.labels[is_there], here.weights[is_there])
            np.testing.assert_array_equal(counts.sides[1, row], expected)
        assert (counts.sides[0] == 7.0).all()


@pytest.mark.parametrize("n", [0, 1, 2, 17, FEW])
def test_few_cases_are_sorted_by_their_places(rng, n):
    here, places = node_of(rng, n), np.full((N_CASES, 2), -1, np.int32)
    known = rng.random(N_CASES) < 0.8
    places[known, 1] = rng.permutation(int(known.sum()))
    column = np.where(known, places[:, 1] // 3, np.nan).astype(np.float32)  # with ties
    order = [i for i in np.argsort(places[here.cases, 1]) if known[here.cases[i]]]
    for road in (gather_few, gather_few.plain):
        room = number_room(N_CASES, N_CLASSES)
        assert road(column, places, 1, here, n, room) == len(order)
        np.testing.assert_array_equal(room.values[: len(order)], column[here.cases[order]])
        np.testing.assert_array_equal(room.labels[: len(order)], here.labels[order])
        np.testing.assert_array_equal(room.weights[: len(order)], here.weights[order])
