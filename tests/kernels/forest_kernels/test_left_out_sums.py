import numpy as np
import pytest

from treewright.kernels.forest_kernels.left_out_sums import add_left_out


@pytest.mark.parametrize("road", ["compiled", "plain"])
@pytest.mark.parametrize("n_values", [1, 3])
@pytest.mark.parametrize("n_rows", [0, 1, 50])
def test_sums_of_what_members_say(n_rows, n_values, road):
    rng = np.random.default_rng(n_rows)
    sums, times, means = np.zeros((60, n_values)), np.zeros(60, np.int64), np.empty((n_rows, n_values))
    for _ in range(3):
        rows, values = rng.permutation(60)[:n_rows], rng.random((n_rows, n_values))
        sums_before, times_before = sums.copy(), times.copy()
        getattr(add_left_out, road)(rows, values, sums, times, means)
        for i, row in enumerate(rows):
            assert times[row] == times_before[row] + 1
            assert (sums[row] == sums_before[row] + values[i]).all()
            assert (means[i] == sums[row] / times[row]).all()
        others = np.setdiff1d(np.arange(60), rows)
        assert (sums[others] == sums_before[others]).all()
    assert times.sum() == 3 * n_rows
