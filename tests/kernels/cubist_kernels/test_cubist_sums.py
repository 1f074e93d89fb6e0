"""Sums that are taken several at a time are those taken one after the other, to the last bit."""

import numpy as np
import pytest

from treewright.kernels.cubist_kernels.cubist_sums import (
    BLOCK,
    absolute_errors,
    column_sums,
    deviations,
    model_errors,
    normal_equations,
)

SIZES = [(1, 1), (2, 3), (3, 255), (4, 256), (5, 257), (10, 700)]


def cases(k: int, n: int, seed: int = 0):
    rng = np.random.default_rng(seed)
    x, y = rng.normal(3, 2, (k, n)).astype(np.float32), rng.normal(size=n).astype(np.float32)
    return x, y, rng.choice([0.5, 1.0, 1.7], n)


def added_up(terms) -> float:
    total = 0.0
    for term in terms:
        total += float(term)
    return total


@pytest.mark.parametrize(("k", "n"), SIZES)
def test_sums_of_columns(k, n):
    x, _, w = cases(k, n)
    sums, spread, mean = np.empty((k, 2)), np.empty(k), np.arange(k, dtype=float)
    column_sums(x, w, sums)
    deviations(x, w, mean, spread)
    for j, values in enumerate(x.astype(float)):
        assert sums[j, 0] == added_up(w * values)
        assert sums[j, 1] == added_up(w * values * values)
        assert spread[j] == added_up(w * abs(values - mean[j]))


@pytest.mark.parametrize(("k", "n"), SIZES)
def test_normal_equations(k, n):
    x, y, w = cases(k, n)
    gram, right = np.empty((k + 1, k + 1)), np.empty(k + 1)
    normal_equations(x, y, w, gram, right, np.empty((k + 1, BLOCK)), np.empty((k + 1, BLOCK)))
    rows = np.vstack((np.ones(n), x.astype(float)))
    for a in range(k + 1):
        assert right[a] == added_up((w * rows[a]) * y)
        for b in range(a + 1):
            assert gram[a, b] == gram[b, a] == added_up((w * rows[a]) * rows[b])


@pytest.mark.parametrize(("k", "n"), SIZES)
def test_errors_of_models(k, n):
    x, y, w = cases(k, n)
    models = np.random.default_rng(1).normal(size=(k + 1, k + 1))
    models[0, 1:] = 0.0
    low, high = np.float32(-2), np.float32(2)
    total, error = np.empty(k + 1), np.empty(n, np.float32)
    absolute_errors(x, y, w, models, low, high, np.empty(BLOCK), np.empty((4, BLOCK)), total)
    for model, found in zip(models, total):
        value = np.full(n, model[0])
        for j in range(k):
            value = value + model[j + 1] * x[j]
        beyond = y - np.clip(value.astype(np.float32), low, high)
        model_errors(x, y, model[1:], model[0], low, high, np.empty(BLOCK), error)
        np.testing.assert_array_equal(error, beyond)
        assert found == added_up(w * abs(beyond.astype(float)))
