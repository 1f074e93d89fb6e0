"""Least squares: what loops add up, numpy adds up to the last digit; collinear columns have no slope."""

import numpy as np
import pytest

from treewright.kernels.linear_kernels import least_squares
from treewright.kernels.linear_kernels.least_squares import fit_room, fit_terms, mean_of, squared_error, weight_of

SIZES = [(1, 1), (1, 2), (3, 5), (4, 40), (9, 300)]


def table(k: int, n: int, is_weighted: bool = True):
    """Columns, target and weights, of which rows 2 … n + 1 are looked at."""
    random = np.random.default_rng(k * n)
    x, y = random.normal(3, 2, (k, n + 3)), random.normal(size=n + 3)
    return x, y, random.choice([0.5, 1.0, 1.7], n + 3) if is_weighted else None


@pytest.mark.parametrize("is_weighted", [False, True])
@pytest.mark.parametrize(("k", "n"), SIZES)
def test_sums_in_numpy_are_those_of_the_loops(k, n, is_weighted):
    x, y, w = table(k, n, is_weighted)
    rows, room = (2, n + 2), fit_room(k)
    assert mean_of.twin(y, w, *rows) == mean_of.function(y, w, *rows)
    assert weight_of.twin(w, *rows) == weight_of.function(w, *rows)
    columns, slope = np.arange(k)[::2], np.linspace(-1, 2, k)[::2]
    told = [way(x, y, w, *rows, columns, slope, 0.3, room) for way in (squared_error.twin, squared_error.function)]
    assert told[0] == told[1]
    mean_and_spread = least_squares._mean_and_spread
    assert mean_and_spread.twin(x[0], w, *rows, 7.5) == mean_and_spread.function(x[0], w, *rows, 7.5)
    made = []
    for way in (least_squares._means_and_spreads.twin, least_squares._means_and_spreads.function):
        way(x, w, *rows, n + 0.5, np.arange(k)[::-1].copy(), room)
        made.append((room.mean[:k].tolist(), room.spread[:k].tolist()))
    assert made[0] == made[1]


@pytest.mark.parametrize("is_weighted", [False, True])
@pytest.mark.parametrize(("k", "n"), SIZES)
def test_equations_in_numpy_are_those_of_the_loops(k, n, is_weighted):
    x, y, w = table(k, n, is_weighted)
    made = []
    for way in (least_squares._normal_equations.twin, least_squares._normal_equations.function):
        room = fit_room(k)
        room.mean[:k], room.spread[:k] = np.linspace(2, 3, k), np.linspace(0, 2, k)  # one is constant
        way(x, y, w, 2, n + 2, np.arange(k)[::-1].copy(), 0.1, room)
        made.append((np.tril(room.gram[:, :k]).tolist(), room.right.tolist()))
    assert made[0] == made[1]


def test_terms_that_say_nothing_are_dropped():
    x, _, w = table(4, 200)
    columns, slope = np.empty(4, np.int64), np.empty(4)
    y = 3 * x[2] - x[0] + 5 + np.random.default_rng(3).normal(size=203) / 100
    kept, intercept, error = fit_terms(x, y, w, 0, 200, np.arange(4), 1e-8, True, columns, slope, fit_room(4))
    assert error == squared_error(x, y, w, 0, 200, columns[:kept], slope[:kept], intercept, fit_room(4))
    assert columns[:kept].tolist() == [0, 2]
    np.testing.assert_allclose([*slope[:kept], intercept], [-1, 3, 5], atol=0.02)
