"""Decimals as Cubist counts them, and its random numbers."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from treewright.kernels.cubist_kernels.cubist_neighbours import next_uniform, start_generator
from treewright.kernels.cubist_kernels.cubist_numbers import decimals_of, most_decimals


@pytest.mark.parametrize(
    ("value", "scale"),
    [(0, 1), (7, 1), (23.5, 10), (0.07, 100), (104.469388, 1000), (12345.678, 10), (0.000123, 1e6), (99.999, 1)],
)
def test_decimals(value, scale):
    assert decimals_of(np.float32(value)) == decimals_of(np.float32(-value)) == scale


def test_the_most_of_several():
    assert most_decimals(np.array([1, 2.5, 0.25], np.float32)) == 100


@given(
    st.lists(
        st.floats(width=32, allow_nan=False, allow_infinity=False) | st.sampled_from([0.1, 0.25, 99.99, 1e-7, 12.345])
    )
)
def test_all_at_once_they_are_the_same(values):
    numbers = np.array(values, np.float32)
    assert most_decimals.twin(numbers) == most_decimals.function(numbers)


def test_random_numbers():
    numbers, places = np.empty(55), np.zeros(2, np.int64)
    start_generator(numbers, places)
    drawn = [next_uniform(numbers, places) for _ in range(4)]
    np.testing.assert_allclose(drawn, [0.002870973443, 0.269550788797, 0.386528194593, 0.745283567188], rtol=1e-10)
