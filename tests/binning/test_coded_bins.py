"""Numbers in bins: quantiles of the weight, edges as given, gaps and constants."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from treewright.binning.coded_bins import binned
from treewright.data.encode import encode, make_schema
from treewright.data.frame import read_frame
from treewright.data.schema import Target


def bins_of(values, wish, weights=None):
    frame = read_frame({"x": list(values)})
    encoded = encode(
        frame, make_schema(frame, Target("y"), {"x": "numeric"}), np.zeros(len(values)), weights, max_bins=None
    )
    return binned(encoded, [wish]).columns[0]


@given(seed=st.integers(0, 10**6), n=st.sampled_from([1, 5, 300, 2000]), bins=st.integers(2, 12))
def test_a_bin_ends_at_its_edge(seed, n, bins):
    values = np.random.default_rng(seed).normal(size=n).round(2)
    column = bins_of(values, bins)
    edges = column.highs[:-1]
    assert (np.diff(edges) > 0).all()
    assert column.n_codes == len(edges) + 2 <= bins + 1
    np.testing.assert_array_equal(column.codes, 1 + (values[:, None] > edges).sum(1))
    assert set(range(1, column.n_codes)) == set(column.codes.tolist())  # no quantile bin is empty


def test_bins_hold_equal_parts():
    column = bins_of(np.random.default_rng(0).permutation(1000), 10)
    assert np.bincount(column.codes).tolist() == [0] + [100] * 10


@given(seed=st.integers(0, 10**6))
def test_weights_count_as_rows(seed):
    random = np.random.default_rng(seed)
    values, weights = random.normal(size=50).round(1), random.integers(1, 5, 50)
    repeated = bins_of(np.repeat(values, weights), 6)
    np.testing.assert_array_equal(bins_of(values, 6, weights.astype(float)).highs, repeated.highs)


def test_edges_of_the_user():
    column = bins_of([1.0, 18, 30, 99, np.nan], np.array([18.0, 30.0, 65.0]))
    assert column.codes.tolist() == [1, 1, 2, 4, 0]
    assert column.highs.tolist() == [18, 30, 65, np.inf]
    assert column.has_missing


@pytest.mark.parametrize(("values", "codes"), [([5.0, 5.0, np.nan], [1, 1, 0]), ([np.nan, np.nan], [0, 0])])
def test_constant_and_empty_columns(values, codes):
    column = bins_of(values, 10)
    assert (column.codes.tolist(), column.n_codes) == (codes, 2)
