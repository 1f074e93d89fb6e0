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
