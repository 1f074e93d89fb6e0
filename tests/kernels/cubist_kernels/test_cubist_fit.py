"""Cubist's linear models at their edges."""

import numpy as np

from treewright.kernels.cubist_kernels.cubist_fit import eliminate


def solve(gram, right):
    k = len(right) - 1
    active, coefficient = np.ones(k, np.bool_), np.empty(k + 1)
    with np.errstate(all="ignore"):
        eliminate(gram, right, active, coefficient, np.empty(k + 1, np.int64), np.empty((k + 1, k + 2)))
    return active.tolist(), coefficient


def test_an_attribute_that_another_determines_is_left_out():
    x = np.array([1.0, 2.0, 4.0])
    rows = np.vstack((np.ones(3), x, 2 * x))
    active, coefficient = solve(rows @ rows.T, rows @ (3 + 5 * x))
    assert active == [True, False]
    np.testing.assert_allclose(coefficient, [3, 5, 0])


def test_an_attribute_that_is_0_in_all_cases_left_is_no_error():
    """Outliers may take its last other value away. Compiled, this ended in a ZeroDivisionError."""
    active, coefficient = solve(np.array([[4.0, 0.0], [0.0, 0.0]]), np.array([8.0, 0.0]))
    assert active == [True]
    assert not np.isfinite(coefficient).all()
