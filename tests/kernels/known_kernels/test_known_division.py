"""Amounts shared out among branches, against the twin in numpy."""

import numpy as np
import pytest

from treewright.engines.stores.node_cells import shared_out
from treewright.kernels.known_kernels.known_division import heaviest_of, part_of


@pytest.mark.parametrize("n_branches", [1, 2, 3])
def test_parts_of_an_amount(n_branches):
    rng = np.random.default_rng(n_branches)
    for amount in (0, 1, 7, 2**50 + 1, -12345):
        known = rng.integers(1, 1000, n_branches)
        most, _ = heaviest_of(known, 0, n_branches)
        parts = [part_of(amount, b, known, 0, n_branches, most, False) for b in range(n_branches)]
        twin = shared_out(np.full((n_branches, 1), amount), np.zeros(n_branches, np.int64), known)
        assert parts == twin[:, 0].tolist()
        assert sum(parts) == amount


def test_branches_without_weight_get_nothing_and_all_of_it_is_all_of_it():
    known = np.array([0, 3, 1])
    assert [part_of(8, b, known, 0, 3, 1, False) for b in range(3)] == [0, 6, 2]
    assert [part_of(8, b, known, 0, 3, 1, True) for b in range(3)] == [8, 8, 8]


def test_the_first_of_the_heaviest_branches_and_whether_there_are_several():
    assert tuple(heaviest_of(np.array([2, 5, 5]), 0, 3)) == (1, True)
    assert tuple(heaviest_of(np.array([5, 5, 6]), 0, 3)) == (2, False)
