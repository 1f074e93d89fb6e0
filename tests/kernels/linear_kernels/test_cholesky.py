"""Linear equations: what loops solve, numpy solves to the last digit; columns that others determine get 0."""

import numpy as np
import pytest

from treewright.kernels.linear_kernels.cholesky import (
    cholesky_factor,
    cholesky_invert,
    cholesky_solve,
    cholesky_substitute,
)


def equations(k: int):
    random = np.random.default_rng(k)
    x = random.normal(size=(k, 3 * k))
    x[-1] = x[0]  # one column determines another
    return np.tril(x @ x.T), random.normal(size=k), np.flatnonzero(random.random(k) < 0.8)


@pytest.mark.parametrize("ridge", [0.0, 1e-8])
@pytest.mark.parametrize("k", [1, 2, 5, 12])
def test_solutions_in_numpy_are_those_of_the_loops(k, ridge):
    gram, right, used = equations(k)
    m, found = len(used), []
    for way in ("twin", "function"):
        factor, solution = np.zeros((k, k)), np.zeros(k)
        getattr(cholesky_factor, way)(gram, used, ridge, factor)
        getattr(cholesky_substitute, way)(factor, right[used], solution)
        found.append((np.tril(factor[:m, :m]).tolist(), solution.tolist()))
    assert found[0] == found[1]


def test_a_column_that_others_determine_gets_no_slope():
    x = np.array([[1.0, 2.0, 4.0], [1.0, 2.0, 4.0]])
    solution, factor = np.zeros(2), np.zeros((2, 2))
    cholesky_solve(x @ x.T, x @ x[0], np.arange(2), 0.0, factor, solution)
    assert solution.tolist() == [1.0, 0.0]


@pytest.mark.parametrize("k", [1, 4, 9])
def test_inverses(k):
    x = np.random.default_rng(k).normal(size=(k, 2 * k))
    gram, factor = x @ x.T, np.zeros((k, k))
    cholesky_factor(np.tril(gram), np.arange(k), 0.0, factor)
    for way in (cholesky_invert.twin, cholesky_invert.function):
        inverse = np.empty((k, k))
        way(factor, inverse)
        np.testing.assert_allclose(inverse @ gram, np.eye(k), atol=1e-8)


def test_an_inverse_leaves_out_what_others_determine():
    factor = np.array([[2.0, 0.0], [2.0, 0.0]])
    for way in (cholesky_invert.twin, cholesky_invert.function):
        inverse = np.empty((2, 2))
        way(factor, inverse)
        assert inverse[0, 0] == 0.25
        assert inverse[1, 1] == 0.0
