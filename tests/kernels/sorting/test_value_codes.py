"""Every coding kernel against a few obvious lines of NumPy."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from treewright.kernels.sorting.radix_sort import float_bits, float_keys
from treewright.kernels.sorting.value_codes import (
    bin_codes,
    bin_ranges,
    code_few,
    count_distinct,
    known_sample,
    quantile_edges,
    ranks_from_order,
)

UNSIGNED = {np.float32: np.uint32, np.float64: np.uint64}
EDGE_CASES = [[], [1.0], [np.nan, np.nan], [5.0, 5.0, 5.0], [np.inf, 0.0, -np.inf, np.nan], [0.0, -0.0, 1.0, np.nan]]


def keys_of(values):
    keys = np.empty(len(values), dtype=UNSIGNED[values.dtype.type])
    float_keys(values.view(keys.dtype), keys)
    return keys


def slow_codes(values):
    """Dense ranks from 1, 0 for missing, and the distinct values."""
    known = ~np.isnan(values)
    codes = np.zeros(len(values), dtype=int)
    distinct, ranks = np.unique(values[known] + 0.0, return_inverse=True)
    codes[known] = ranks + 1
    return codes, distinct


def run_code_few(values, limit=255):
    bits = values.view(UNSIGNED[values.dtype.type])[np.newaxis]
    codes = np.empty(bits.shape, np.uint8)
    keys = np.zeros((1, limit), bits.dtype)
    counts, missing = np.empty((2, 1), np.int64)
    code_few(bits, limit, codes, keys, counts, missing)
    float_bits(keys[0])
    return codes[0], keys[0].view(values.dtype), int(counts[0]), int(missing[0])


@pytest.mark.parametrize("dtype", UNSIGNED)
@pytest.mark.parametrize("cells", EDGE_CASES)
def test_few_values_are_ranked(cells, dtype):
    values = np.array(cells, dtype=dtype)
    codes, distinct, count, missing = run_code_few(values)
    expected, expected_values = slow_codes(values)
    assert codes.tolist() == expected.tolist()
    assert distinct[:count].tolist() == expected_values.tolist()
    assert missing == np.isnan(values).sum()


@pytest.mark.parametrize("dtype", UNSIGNED)
@given(data=st.data())
def test_few_of_any_floats_are_ranked(dtype, data):
    width = 8 * np.dtype(dtype).itemsize
    values = data.draw(arrays(dtype, st.integers(0, 80), elements=st.floats(width=width)))
    codes, distinct, count, _ = run_code_few(values)
    expected, expected_values = slow_codes(values)
    assert codes.tolist() == expected.tolist()
    assert distinct[:count].tolist() == expected_values.tolist()


@pytest.mark.parametrize(("n_values", "count"), [(254, 254), (255, 255), (256, -1)])
def test_the_limit_is_exact_and_missing_does_not_count(n_values, count):
    values = np.append(np.random.default_rng(0).permutation(n_values), np.nan).astype(np.float64)
    assert run_code_few(values)[2] == count


def test_columns_of_a_block_do_not_disturb_each_other():
    block = np.array([[3.0, 1.0, 3.0], [np.nan, 2.0, 2.0], [1.0, 2.0, 3.0]])
    codes = np.empty((3, 3), np.uint8)
    counts, missing = np.empty((2, 3), np.int64)
    code_few(block.view(np.uint64), 2, codes, np.zeros((3, 2), np.uint64), counts, missing)
    assert codes[:2].tolist() == [[2, 1, 2], [0, 1, 1]]
    assert counts.tolist() == [2, 1, -1]
    assert missing[:2].tolist() == [0, 1]


@pytest.mark.parametrize("dtype", UNSIGNED)
@pytest.mark.parametrize("cells", EDGE_CASES)
def test_ranks_from_order(cells, dtype):
    values = np.array(cells, dtype=dtype)
    keys = keys_of(values)
    order = np.argsort(keys, kind="stable").astype(np.uint32)
    codes = np.empty(len(values), np.uint32)
    ranks_from_order(keys[order], order, codes)
    expected, expected_values = slow_codes(values)
    assert codes.tolist() == expected.tolist()
    assert count_distinct(keys[order]) == len(expected_values)


@given(st.lists(st.integers(0, 5), max_size=40), st.integers(1, 6))
def test_known_sample(keys, step):
    keys = np.array(keys, dtype=np.uint32)
    sample = np.empty(len(keys), np.uint32)
    count = known_sample(keys, step, sample)
    assert sample[:count].tolist() == keys[keys != 0][::step].tolist()


def slow_edges(keys, max_bins):
    """Close a bin at a change of value once it holds an even share of the rest."""
    edges, rest = [], list(keys)
    while len(edges) < max_bins - 1:
        share = len(rest) / (max_bins - len(edges))
        ends = [i for i in range(1, len(rest)) if i >= share and rest[i - 1] != rest[i]]
        if not ends:
            break
        edges.append(rest[ends[0] - 1])
        rest = rest[ends[0] :]
    return edges


@given(st.lists(st.integers(1, 30), max_size=60), st.integers(2, 12))
def test_quantile_edges(keys, max_bins):
    keys = np.sort(np.array(keys, dtype=np.uint64))
    edges = np.zeros(255, np.uint64)
    count = quantile_edges(keys, max_bins, edges)
    assert edges[:count].tolist() == slow_edges(keys.tolist(), max_bins)


@given(st.lists(st.integers(0, 40), max_size=60), st.lists(st.integers(1, 40), max_size=20, unique=True))
def test_bin_codes_and_ranges(keys, edges):
    keys = np.array(keys, dtype=np.uint32)
    padded = np.full(255, np.iinfo(np.uint32).max, np.uint32)
    padded[: len(edges)] = sorted(edges)
    codes = np.empty(len(keys), np.uint8)
    bin_codes(keys, padded, codes)
    expected = np.where(keys == 0, 0, 1 + np.searchsorted(sorted(edges), keys)) if edges else (keys != 0).astype(int)
    assert codes.tolist() == expected.tolist()
    lows, highs = np.full(256, np.iinfo(np.uint32).max, np.uint32), np.zeros(256, np.uint32)
    bin_ranges(keys, codes, lows, highs)
    for code in set(codes.tolist()):
        assert (lows[code], highs[code]) == (keys[codes == code].min(), keys[codes == code].max())


def test_every_edge_is_found():
    edges = np.arange(10, 2550, 10, dtype=np.uint32)  # 254, the most that 255 bins have
    padded = np.append(edges, np.uint32(np.iinfo(np.uint32).max))
    keys = np.arange(1, 2600, dtype=np.uint32)
    codes = np.empty(len(keys), np.uint8)
    bin_codes(keys, padded, codes)
    assert (codes == 1 + np.searchsorted(edges, keys)).all()
