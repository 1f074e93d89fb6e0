"""Numbers of a scale for which Cubist was not made: it has only 32 bits, and steps that do not depend on the scale."""

from __future__ import annotations

import numpy as np

from treewright.data.encoded import Encoded
from treewright.data.schema import Kind
from treewright.data.user_warnings import warn_user
from treewright.engines.linear_terms import numbers_of
from treewright.typing import Floats

_SMALL_SPREAD = 0.03  # of the target: 0.001 is added to its sums of squares
_SMALL_SPREAD_OF_COLUMN = 0.01
_FAR_FROM_ZERO = 50_000.0  # standard deviations of the target, from which sums in 32 bits lose its differences
_FAR_FROM_ZERO_OF_COLUMN = 2_000.0  # intercepts are rounded after slopes are


def warn_of_scale(encoded: Encoded) -> None:
    """Tell of a target, and of columns, that spread little: absolutely, or beside how large their numbers are."""
    _warn_of(np.asarray(encoded.y, np.float64), "the target", _SMALL_SPREAD, _FAR_FROM_ZERO)
    for column, coded in zip(encoded.schema.columns, encoded.columns):
        if column.kind is Kind.NUMERIC:
            told = f"column {column.name!r}"
            _warn_of(numbers_of(coded), told, _SMALL_SPREAD_OF_COLUMN, _FAR_FROM_ZERO_OF_COLUMN)


def _warn_of(numbers: Floats, what: str, small: float, far: float) -> None:
    known = numbers[~np.isnan(numbers)]
    spread = float(np.std(known)) if len(known) > 1 else 0.0
    if spread == 0:
        return
    if spread < small:
        warn_user(
            f"the standard deviation of {what} is {spread:.2g}, and Cubist was made for larger numbers. "
            f"Hint: multiply it, for example by {10 ** round(-np.log10(spread)):g}."
        )
    largest = float(np.abs(known).max())
    if largest > far * spread:
        warn_user(
            f"{what} holds numbers of {largest:.2g} with a standard deviation of {spread:.2g}, and Cubist rounds to "
            "32 bits and to printed digits: differences are lost. Hint: subtract its mean."
        )
