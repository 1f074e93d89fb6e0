"""The radix sort against NumPy's stable argsort."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from treewright.kernels.sorting.radix_sort import N_DIGITS, float_bits, float_keys, sort_rows

UNSIGNED = {np.float32: np.uint32, np.float64: np.uint64}
EDGE_CASES = [
    [],
    [1.5],
    [np.nan],
    [np.nan] * 5,
    [2.0] * 7,
    [0.0, -0.0, 0.0, -0.0, -1.0],
    [np.inf, -np.inf, 0.0, np.nan, -np.inf, np.inf],
    [3.0, 1.0, 3.0, 1.0, np.nan, 2.0],
    [np.float32(1e-45), -np.float32(1e-45), 0.0],
]


def keys_of(values):
    keys = np.empty(len(values), dtype=UNSIGNED[values.dtype.type])
    float_keys(values.view(keys.dtype), keys)
    return keys


def sorted_rows(values):
    keys = keys_of(values)
    order, spare = np.empty(len(values), np.uint32), np.empty(len(values), np.uint32)
    starts = np.empty((3 if keys.itemsize == 4 else 6, N_DIGITS), np.int64)
    return order, sort_rows(keys, np.empty_like(keys), order, spare, starts)


def slow_order(values):
    """Missing first, then by value, ties by row."""
    plain = values + 0.0
    return np.lexsort((np.arange(len(values)), np.where(np.isnan(plain), 0, plain), ~np.isnan(plain)))


@pytest.mark.parametrize("dtype", UNSIGNED)
@pytest.mark.parametrize("cells", EDGE_CASES)
def test_edge_cases_sort_as_numpy(cells, dtype):
    values = np.array(cells, dtype=dtype)
    assert sorted_rows(values)[0].tolist() == slow_order(values).tolist()


@pytest.mark.parametrize("dtype", UNSIGNED)
@given(data=st.data())
def test_any_floats_sort_as_numpy(dtype, data):
    width = 8 * np.dtype(dtype).itemsize
    values = data.draw(arrays(dtype, st.integers(0, 60), elements=st.floats(width=width)))
    order, keys = sorted_rows(values)
    assert order.tolist() == slow_order(values).tolist()
    assert (np.diff(keys.astype(object)) >= 0).all()


@pytest.mark.parametrize("dtype", UNSIGNED)
@pytest.mark.parametrize("shift", [0.0, 1e6])
def test_large_columns_sort_as_numpy(dtype, shift):
    """A shift makes the high digits constant, so that an odd and an even number of passes are skipped."""
    values = (np.random.default_rng(3).normal(size=3000).round(2) + shift).astype(dtype)
    assert (sorted_rows(values)[0] == slow_order(values)).all()


@pytest.mark.parametrize("dtype", UNSIGNED)
def test_keys_turn_back_into_their_floats(dtype):
    values = np.array([-np.inf, -2.5, -1e-30, 0.0, -0.0, 1e-30, 2.5, np.inf], dtype=dtype)
    keys = keys_of(values)
    float_bits(keys)
    back = keys.view(dtype)
    assert back.tolist() == values.tolist()
    assert not np.signbit(back[4])


@pytest.mark.parametrize("dtype", UNSIGNED)
def test_nan_of_any_sign_is_key_zero(dtype):
    assert keys_of(np.array([np.nan, -np.nan], dtype=dtype)).tolist() == [0, 0]
