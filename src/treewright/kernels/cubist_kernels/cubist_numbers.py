"""Numbers as Cubist writes them."""

import numpy as np

from treewright.kernels.jit import kernel


@kernel
def decimals_of(value):
    """1, 10, 100, …: by what a number is multiplied to become whole, as far as seven digits tell."""
    if value == 0.0:
        return 1.0
    rest, scale = abs(np.float64(value)), 1.0
    while rest < 0.1:
        rest *= 10.0
        scale *= 10.0
    whole = np.floor(rest)
    fraction = rest - whole
    most = 1e6
    while whole >= 1.0:
        most /= 10.0
        whole = np.floor(whole / 10.0)
    most = max(most, 1.0)
    while scale < most:
        if fraction < 0.005 or fraction > 0.995:
            return scale
        fraction *= 10.0
        fraction -= np.floor(fraction)
        scale *= 10.0
    return most


@kernel
def most_decimals(values):
    most = 1.0
    for value in values:
        most = max(most, decimals_of(value))
    return most


@most_decimals.in_numpy
def most_decimals_in_numpy(values):
    rest = np.abs(values[values != 0.0].astype(np.float64))
    scale, most = np.ones(len(rest)), np.full(len(rest), 1e6)
    while (small := rest < 0.1).any():
        rest[small] *= 10.0
        scale[small] *= 10.0
    whole = np.floor(rest)
    fraction = rest - whole
    while (large := whole >= 1.0).any():
        most[large] /= 10.0
        whole[large] = np.floor(whole[large] / 10.0)
    most = np.maximum(most, 1.0)
    found, waiting = most.copy(), scale < most
    while waiting.any():
        ends = waiting & ((fraction < 0.005) | (fraction > 0.995))
        found[ends] = scale[ends]
        fraction = fraction * 10.0
        fraction -= np.floor(fraction)
        scale *= 10.0
        waiting &= ~ends & (scale < most)
    return found.max(initial=1.0)
