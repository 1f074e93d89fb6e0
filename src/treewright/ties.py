"""When two numbers are equal: sums of floats differ in their last digits by the order in which they were added."""

from __future__ import annotations

import numpy as np

from treewright.typing import Floats, Mask

TIE = 1e-12  # numbers that differ by less than this share are equal


def slack(top: Floats) -> Floats:
    """How far below the top a score may be and still equal it; below 1 the share is one of 1."""
    return TIE * np.maximum(np.abs(np.where(np.isfinite(top), top, 0.0)), 1.0)


def equal_to_largest(score: Floats, slack: Floats | float) -> Mask:
    """Along the first axis: what is equal to the largest.

    >>> equal_to_largest(np.array([[0.3, 1.0], [0.1 + 0.2, 2.0]]), 1e-12).tolist()
    [[True, False], [True, True]]
    """
    return np.asarray(score >= score.max(0) - slack)
