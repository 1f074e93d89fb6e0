"""Rows shuffled as Java's Random does it."""

import numpy as np

from treewright.kernels.linear_kernels.java_random import java_state, shuffle_rows


def test_the_order_of_a_table_of_167_rows():
    order = np.arange(167)
    shuffle_rows(order, java_state(1))
    assert order[:5].tolist() == [127, 135, 44, 68, 7]
    assert sorted(order) == list(range(167))


def test_the_generator_goes_on():
    state, first, second = java_state(1), np.arange(50), np.arange(50)
    shuffle_rows(first, state)
    shuffle_rows(second, state)
    assert first.tolist() != second.tolist()
