"""Rounding to 32 bits outside kernels, where calling one would cost more than it does."""

from __future__ import annotations

import struct

import numpy as np

from treewright.typing import Floats

_pack, _unpack = struct.Struct("f").pack, struct.Struct("f").unpack


def single(number: float) -> float:
    """The nearest 32-bit number.

    >>> single(0.1)
    0.10000000149011612
    """
    try:
        return float(_unpack(_pack(number))[0])
    except OverflowError:
        return float(np.float32(number))


def singles(numbers: Floats) -> Floats:
    return np.asarray(np.float32(numbers), np.float64)
