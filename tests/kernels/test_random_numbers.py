"""Numbers that depend on what they are for and on nothing else."""

import numpy as np
import pytest

from treewright.kernels.random_numbers import hashed

pytestmark = pytest.mark.filterwarnings("ignore:overflow")  # 64 bits wrap around, of which plain NumPy warns
MASK = 2**64 - 1


def slow_hash(seed, *parts):
    """SplitMix64's finalizer after each part, in integers of any size."""
    z = seed
    for part in parts:
        z = ((z ^ part) + 0x9E3779B97F4A7C15) & MASK
        z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & MASK
        z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & MASK
        z ^= z >> 31
    return z


def numbers(n, which):
    """Numbers that differ in one of the four arguments only."""
    made = np.zeros(n, np.uint64)
    for i in range(n):
        arguments = [3, 5, 7, 11]
        arguments[which] = i
        made[i] = hashed(*arguments)
    return made


@pytest.mark.parametrize("arguments", [(0, 0, 0, 0), (1, 2, 3, 4), (2**31 - 1, 10**9, 10**6, 2**40), (0, 0, 0, 1)])
def test_the_formula(arguments):
    assert int(hashed(*arguments)) == slow_hash(*arguments)


def test_the_same_arguments_give_the_same_number():
    assert int(hashed(1, 2, 3, 4)) == int(hashed(np.int64(1), np.int64(2), np.int64(3), np.int64(4)))


def test_the_order_of_the_arguments_matters():
    assert len({int(hashed(*order)) for order in [(1, 2, 3, 4), (3, 2, 1, 4), (1, 3, 2, 4), (1, 2, 4, 3)]}) == 4


@pytest.mark.parametrize("which", range(4))
def test_numbers_are_well_spread(which):
    made = numbers(2000, which)
    assert len(np.unique(made)) == 2000
    for n in (2, 3, 7, 64):  # as ties are drawn
        counts = np.bincount((made % np.uint64(n)).astype(np.int64), minlength=n)
        expected = 2000 / n
        assert ((counts - expected) ** 2 / expected).sum() < n + 6 * np.sqrt(2 * n)


@pytest.mark.parametrize("which", range(4))
def test_neighbours_have_nothing_in_common(which):
    """A step of one flips half of the 64 bits, give or take."""
    made = numbers(500, which)
    flipped = np.array([int(a ^ b).bit_count() for a, b in zip(made[1:].tolist(), made[:-1].tolist())])
    assert abs(flipped.mean() - 32) < 1
    assert flipped.min() > 10
