"""Numbers as scaled integers, so that sums do not depend on the order in which they are taken."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from treewright.typing import Floats, Ints

_BITS = 61  # the sum of all absolute values stays below 2**61, so no partial sum can overflow an int64

_LARGEST_EXPONENT = 1000  # 2.0**1024 is not a float any more


class Fixed(NamedTuple):
    """``values / scale`` are the numbers."""

    values: Ints
    scale: float


def to_fixed(numbers: Floats) -> Fixed:
    """Scale by the largest power of two that is safe; whole numbers are kept as they are.

    >>> to_fixed(np.array([1.0, 2.0])).values.tolist()
    [1, 2]
    """
    largest = float(np.abs(numbers).sum())
    if largest < 2.0**_BITS and np.array_equal(numbers, np.rint(numbers)):
        return Fixed(numbers.astype(np.int64), 1.0)
    exponent = min(_BITS - 1 - int(np.ceil(np.log2(largest))), _LARGEST_EXPONENT)
    scale = 2.0**exponent
    return Fixed(np.rint(numbers * scale).astype(np.int64), scale)


def to_fine(numbers: Floats) -> Fixed:
    """As ``to_fixed``, but with all the room there is behind the point even for whole numbers: they will be shared out.

    >>> weights = to_fine(np.array([1.0, 1.0, 2.0]))
    >>> float(weights.values.sum() / weights.scale), weights.scale >= 2.0**40
    (4.0, True)
    """
    largest = float(np.abs(numbers).sum()) or 1.0
    scale = 2.0 ** min(_BITS - int(np.ceil(np.log2(largest))), _LARGEST_EXPONENT)
    return Fixed(np.rint(numbers * scale).astype(np.int64), scale)
