"""Numbers of a scale for which M5' was not made: Weka's does not tell values, or gains, of less than 1e-6 apart."""

from __future__ import annotations

import numpy as np

from treewright.data.encoded import Encoded
from treewright.data.schema import Kind
from treewright.data.user_warnings import warn_user
from treewright.engines.linear_terms import numbers_of
from treewright.kernels.linear_kernels.m5_growth_in_numpy import CLOSE
from treewright.typing import Floats

_SMALL_SPREAD = 1e-9  # of the target: the fifth roots of variances are hardly larger than 1e-6


def warn_of_m5_scale(encoded: Encoded) -> None:
    """Tell of a target of tiny numbers, and of columns of which most values lie closer together than M5' can tell."""
    spread = float(np.std(encoded.y)) if encoded.n_rows > 1 else 0.0
    if 0 < spread < _SMALL_SPREAD:
        warn_user(
            f"the standard deviation of the target is {spread:.2g}, and M5' was made for larger numbers. "
            f"Hint: multiply it, for example by {10.0 ** round(-np.log10(spread)):g}."
        )
    for column, coded in zip(encoded.schema.columns, encoded.columns):
        if column.kind is Kind.NUMERIC:
            _warn_of_close_values(column.name, np.unique(numbers_of(coded)))


def _warn_of_close_values(name: str, values: Floats) -> None:
    apart = np.diff(values[~np.isnan(values)])
    if 2 * np.count_nonzero(apart < CLOSE) > len(apart) > 0:
        warn_user(
            f"most values of column {name!r} differ by less than {CLOSE:g}, where M5' does not cut. "
            f"Hint: multiply the column, for example by {10.0 ** round(-np.log10(np.median(apart))):g}."
        )
