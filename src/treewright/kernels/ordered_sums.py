"""Sums in numpy that equal those of a loop to the last digit."""

import numpy as np


def in_order(values):
    """Sums along the last axis, taken one number after the other; numpy's own adds up pairs."""
    return np.add.accumulate(values, axis=-1)[..., -1]  # np.cumsum, without its checks
