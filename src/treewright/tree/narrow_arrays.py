"""Arrays in the smallest type that holds their numbers exactly."""

from __future__ import annotations

import numpy as np

from treewright.typing import Array

WHOLE_TYPES = ("uint8", "uint16", "uint32", "int8", "int16", "int32", "int64")
_FEW = 8
_MOST_WHOLE = 2.0**53  # floats above it are not all whole numbers


def narrow(array: Array) -> Array:
    """The same numbers in as few bytes as hold them.

    >>> narrow(np.array([1.0, 2.0, 300.0])).dtype.name, narrow(np.array([0.5, np.nan])).dtype.name
    ('uint16', 'float64')
    """
    return array.astype(smallest_type(array))


def smallest_type(array: Array) -> str:
    """Its name; numbers that are not whole are of 32 bits only where no digit is lost."""
    if not array.size:
        return "uint8"
    low, high = array.min(), array.max()
    if array.dtype.kind in "iu" or _is_whole(array, low, high):
        return next(name for name in WHOLE_TYPES if np.iinfo(name).min <= int(low) and int(high) <= np.iinfo(name).max)
    with np.errstate(over="ignore"):
        is_short = bool((array.astype(np.float32).astype(np.float64) == array).all())
    return "float32" if is_short else "float64"


def _is_whole(array: Array, low: float, high: float) -> bool:
    """Whether all floats are whole numbers, and none is negative zero. Most that are not show it at once."""
    if not (low > -_MOST_WHOLE and high < _MOST_WHOLE) or (array.flat[:_FEW] % 1).any():
        return False
    has_minus_zero = np.signbit(array).any() if low >= 0 else ((array == 0) & np.signbit(array)).any()
    return not has_minus_zero and bool((array.astype(np.int64) == array).all())
