"""Models of nodes: numpy does what the loops do, and logistic models are the likeliest."""

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

from treewright.kernels import switch
from treewright.kernels.linear_kernels import leaf_models
from treewright.kernels.linear_kernels.leaf_models import fit_logistic, strongest
from treewright.kernels.linear_kernels.leaf_models_in_numpy import logistic_nodes

SIZES = [(1, 2), (3, 20), (6, 150)]


def table(k: int, n: int, n_classes: int = 3):
    random = np.random.default_rng(k * n)
    return random.normal(3, 2, (k, n)), random.integers(0, n_classes, n), random.choice([0.5, 1.0, 1.7], n)


def both(kernel, *arguments):
    """What the twin and the loop return, or write into the last argument."""
    told = []
    for way in (kernel.twin, kernel.function):
        copies = [part.copy() if isinstance(part, np.ndarray) else part for part in arguments]
        answer = way(*copies)
        told.append(copies[-1] if answer is None else np.asarray(answer))
    return told


@pytest.mark.parametrize(("k", "n"), SIZES)
def test_sums_in_numpy_are_those_of_the_loops(k, n):
    x, y, w = table(k, n)
    x[-1] = 4.0
    for told in (both(leaf_models._correlations, x, y.astype(float), w, np.zeros(k)),):
        assert np.array_equal(*told)


@pytest.mark.parametrize(("k", "n"), SIZES)
def test_steps_in_numpy_are_those_of_the_loops(k, n):
    x, _, w = table(k, n)
    z = np.ascontiguousarray(x.T)
    bound = both(leaf_models._bound, z, w, w.sum(), 0.1, 3, np.zeros((k + 1, k + 1)))
    np.testing.assert_allclose(*map(np.tril, bound), rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("eliminate", [False, True])
def test_nodes_that_climb_side_by_side_reach_what_each_reaches_alone(n_classes, eliminate):
    x, y, w = table(5, 120, n_classes)
    x[2] = 4.0
    start, stop = np.array([0, 0, 30, 30, 70]), np.array([120, 30, 120, 30, 77])  # the fourth has no rows
    with switch.compiling("never"):
        told = both(
            logistic_nodes, x, y, w, start, stop, n_classes, 0.1, eliminate, np.zeros((5, n_classes, 5)),
            np.zeros((5, n_classes)),
        )  # fmt: skip
        slopes = [np.zeros((5, n_classes, 5)) for _ in range(2)]
        for way, out in zip((logistic_nodes.twin, logistic_nodes.function), slopes):
            way(x, y, w, start, stop, n_classes, 0.1, eliminate, out, np.zeros((5, n_classes)))
    np.testing.assert_allclose(*told, rtol=1e-6, atol=1e-6)
    np.testing.assert_allclose(*slopes, rtol=1e-6, atol=1e-6)


def test_no_more_terms_than_wanted_and_none_of_a_constant():
    x, _, w = table(4, 50)
    x[1] = 7.0
    y = x[3] + x[0] / 3
    found = np.empty(4, np.int64)
    assert found[: strongest(x, y, w, 2, found)].tolist() == [0, 3]
    assert strongest(x, y, w, 0, found) == 0
    assert found[: strongest(x, x[1] + np.arange(50), w, 3, found)].tolist().count(1) == 0


def test_the_likeliest_model():
    x, _, w = table(3, 400)
    y = (x[0] - x[1] + np.random.default_rng(1).normal(size=400) * 2 > 0).astype(np.int64)
    slopes, intercept = np.zeros((2, 3)), np.zeros(2)
    fit_logistic(x, y, w, np.arange(3), 2, 1e-8, False, slopes, intercept)
    peer = LogisticRegression(C=np.inf, tol=1e-10, max_iter=1000).fit(x.T, y, w)
    np.testing.assert_allclose(slopes[1], peer.coef_[0], atol=1e-3)
    np.testing.assert_allclose(intercept[1], peer.intercept_[0], atol=1e-3)
