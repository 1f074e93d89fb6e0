"""Arrays as short text: the script of the page reads them back into arrays of the same numbers."""

from __future__ import annotations

from base64 import b64encode

import numpy as np

from treewright.typing import Array

_WHOLE = ("u1", "i1", "u2", "i2", "u4", "i4")


def packed(values: Array, *, short: bool = False) -> str:
    """The bytes of an array in base64, behind the name of their type: the smallest that holds every number.

    Numbers that are not whole keep all their digits, unless ``short`` says that seven are enough to look at.

    >>> packed(np.array([1, 2, 3])), packed(np.array([0.5]))
    ('u1:AQID', 'f8:AAAAAAAA4D8=')
    """
    kind = _kind(np.asarray(values), short)
    return f"{kind}:{b64encode(np.asarray(values).astype(f'<{kind}').tobytes()).decode('ascii')}"


def _kind(values: Array, short: bool) -> str:
    fraction = "f4" if short else "f8"
    if not values.size:
        return "u1"
    if values.dtype.kind == "f" and not (np.isfinite(values).all() and (values == np.floor(values)).all()):
        return fraction
    low, high = values.min(), values.max()
    for kind in _WHOLE:
        limits = np.iinfo(kind)
        if limits.min <= low and high <= limits.max:
            return kind
    return fraction
