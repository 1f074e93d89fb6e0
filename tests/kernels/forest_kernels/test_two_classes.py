"""Of two classes only cuts that gain nearly enough are compared, and the same is found as by comparing all."""

import numpy as np
import pytest

from treewright.kernels.forest_kernels.forest_scan import CLASS_BITS, scan_packed, scan_two_classes


@pytest.mark.parametrize("limits", [(1, 0), (3, 0), (1, 5)])
@pytest.mark.parametrize("most_codes", [2, 5, 1000])
@pytest.mark.parametrize("n_missing", [0, 4])
def test_the_best_cut(most_codes, n_missing, limits):
    rng = np.random.default_rng(most_codes + n_missing)
    for n in (1, 2, 3, 8, 40, 300):
        labels, weights = rng.integers(0, 2, n + n_missing), rng.integers(1, 4, n + n_missing)
        codes = np.sort(rng.integers(1, most_codes, n))
        keys = (codes.astype(np.uint64) << np.uint64(32)) | (weights << CLASS_BITS | labels)[:n].astype(np.uint64)
        total = np.bincount(labels, weights, 2).astype(np.int64)
        missing = np.bincount(labels[n:], weights[n:], 2).astype(np.int64)
        slack, room = 1e-12 * total.sum(), (np.empty(2, np.int64), np.empty(2, np.int64))
        of_two = scan_two_classes(keys, n, n_missing, missing, total, *limits, slack)
        assert of_two == scan_packed(keys, n, n_missing, missing, total, *room, *limits, slack)
