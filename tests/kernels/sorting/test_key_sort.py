"""Keys by their codes, however these lie: few or many, evenly or in heaps."""

from __future__ import annotations

import numpy as np
import pytest

from treewright.kernels.sorting.key_sort import DIGIT, sort_keys

RNG = np.random.default_rng(0)
CODES = {
    "none": np.empty(0, np.int64),
    "one": np.array([7]),
    "few": RNG.integers(1, 50, 12),
    "even": RNG.permutation(2000) + 1,
    "far apart": RNG.integers(1, 2**31, 700),
    "ties": RNG.integers(1, 9, 700),
    "all equal": np.full(300, 5),
    "heaps": np.concatenate([RNG.integers(1, 30, 900), RNG.integers(1, 2**25, 100)]),
}


@pytest.mark.parametrize("name", CODES)
def test_sorted_by_code(name):
    codes = CODES[name].astype(np.uint64)
    n, carried = len(codes), RNG.integers(0, 2**32, len(codes), dtype=np.uint64)
    keys, out = (codes << np.uint64(32)) | carried, np.zeros(n, np.uint64)
    low, high = (int(codes.min()), int(codes.max())) if n else (1, 1)
    sort_keys(keys.copy(), n, np.uint32(low), np.uint32(high), out, np.empty(2 * n + 2**DIGIT + 2, np.uint32))
    np.testing.assert_array_equal(out >> np.uint64(32), np.sort(codes))
    np.testing.assert_array_equal(np.sort(out), np.sort(keys))
