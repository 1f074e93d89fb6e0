"""Sets of bits on both roads, against a look at every case."""

import numpy as np
import pytest

from treewright.kernels.c50_kernels.c50_conditions import (
    ABOVE,
    AMONG,
    BESIDE,
    UP_TO,
    WORD,
    as_bits,
    count_failures,
    find_failures,
    members,
    weigh,
    weigh_near_misses,
)

N_CASES = 2 * WORD + 5  # the last word is not full


@pytest.fixture(params=["plain", "compiled"])
def run(request):
    return lambda kernel, *arguments: getattr(kernel, request.param)(*arguments)


@pytest.fixture
def random():
    return np.random.default_rng(3)


@pytest.mark.parametrize("place", [0, 1, 31, 62, 63, 64, 100, N_CASES - 1])
def test_members_are_the_bits_that_are_set(run, place):
    is_in = np.zeros(N_CASES, np.bool_)
    is_in[place] = True
    np.testing.assert_array_equal(run(members, as_bits(is_in)), [place])
    np.testing.assert_array_equal(run(members, as_bits(~is_in)), np.flatnonzero(~is_in))


def test_unknown_values_fail_every_condition(run):
    number, level = np.array([np.nan, -np.inf, -1.0, 0.5, 2.0]), np.array([np.nan, 1.0, 2.0, 3.0, 2.0])
    among = np.array([False, False, True, False])
    for values, ask, met in (
        (number, UP_TO, [2, 3]),
        (number, ABOVE, [4]),
        (number, BESIDE, [1]),
        (level, AMONG, [2, 4]),
    ):
        fails = np.empty(1, np.uint64)
        run(find_failures, values, ask, 0.5, among, fails)
        assert sorted(set(range(5)) - set(run(members, fails).tolist())) == met


def test_near_misses_fail_one_of_the_conditions_kept(run, random):
    fails, kept = random.random((4, N_CASES)) < 0.4, np.array([True, False, True, True])
    among, weights, labels = random.random(N_CASES) < 0.7, random.random(N_CASES), random.integers(0, 3, N_CASES)
    error_cost = np.array([0.0, 1.0, 2.5])
    bits = np.stack([as_bits(row) for row in fails])
    never, once = np.empty_like(bits[0]), np.empty_like(bits[0])
    run(count_failures, bits, kept, as_bits(among), never, once)
    n_failed = fails[kept].sum(0)
    np.testing.assert_array_equal(run(members, never), np.flatnonzero(among & (n_failed == 0)))
    np.testing.assert_array_equal(run(members, once), np.flatnonzero(among & (n_failed == 1)))

    total, errors = np.ones(4), np.full(4, 2.0)
    run(weigh_near_misses, bits, kept, once, labels, weights, error_cost, total, errors)
    missed = among & (n_failed == 1) & fails & kept[:, None]
    np.testing.assert_allclose(total, 1 + missed @ weights)
    np.testing.assert_allclose(errors, 2 + missed @ (weights * error_cost[labels]))
    met = among & (n_failed == 0)
    np.testing.assert_allclose(
        run(weigh, never, labels, weights, error_cost), (weights[met].sum(), (weights * error_cost[labels])[met].sum())
    )
