"""Random numbers that depend on what they are for and on nothing else: not on threads, nor on order."""

import numpy as np

from treewright.kernels.jit import inlined

_WORD = 2**64 - 1


@inlined
def hashed(seed, node, column, place):
    """A well-mixed 64-bit number of four others (the finalizer of SplitMix64, Steele et al. 2014)."""
    z = np.uint64(seed)
    for part in (node, column, place):
        z = (z ^ np.uint64(part)) + np.uint64(0x9E3779B97F4A7C15)
        z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        z = z ^ (z >> np.uint64(31))
    return z


@hashed.in_numpy
def hashed_in_integers(seed, node, column, place):
    """The same without the wrapping around of 64 bits, of which numpy warns."""
    z = int(seed)
    for part in (node, column, place):
        z = ((z ^ (int(part) & _WORD)) + 0x9E3779B97F4A7C15) & _WORD
        z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & _WORD
        z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & _WORD
        z ^= z >> 31
    return np.uint64(z)


def hashed_each(
    seed: np.ndarray, node: np.ndarray | int, column: np.ndarray | int, place: np.ndarray | int
) -> np.ndarray:
    """The same of many numbers at once; ``seed`` is an array."""
    z = seed.astype(np.uint64)
    for part in (node, column, place):
        z = (z ^ np.asarray(part).astype(np.uint64)) + np.uint64(0x9E3779B97F4A7C15)
        z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        z = z ^ (z >> np.uint64(31))
    return z


# What a number is drawn for, in the last place.
BRANCH, COLUMN, CUT, LEVELS, LEVEL = range(101, 106)
