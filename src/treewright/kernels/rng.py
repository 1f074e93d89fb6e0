"""Random numbers that depend on what they are for and on nothing else: not on threads, nor on order."""

import numpy as np

from treewright.kernels.jit import inlined


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
