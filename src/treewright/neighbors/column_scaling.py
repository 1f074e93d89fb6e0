"""Numbers on a common scale before they are compared."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from treewright.errors import DataError
from treewright.typing import Floats

SCALES = (None, "standard", "minmax")


@dataclass(frozen=True, eq=False)
class ColumnScaling:
    """(x − shift) / divisor of every column; the divisor of a column of one value is 1."""

    shift: Floats
    divisor: Floats

    def __call__(self, numbers: Floats) -> Floats:
        return np.asarray((numbers - self.shift) / self.divisor)


def column_scaling(scale: str | None, numbers: Floats, factor: float = 1.0) -> ColumnScaling:
    """How to scale: "standard" to mean 0 and standard deviation 1, "minmax" from 0 to 1, None not at all.

    Missing values do not count. ``factor`` multiplies the divisor: VDM divides by four standard deviations.

    >>> column_scaling("minmax", np.array([[2.0], [4.0], [np.nan]]))(np.array([[3.0]])).tolist()
    [[0.5]]
    """
    n_columns = numbers.shape[1]
    shift, divisor = np.zeros(n_columns), np.ones(n_columns)
    for j in range(n_columns if scale is not None else 0):
        known = numbers[:, j][~np.isnan(numbers[:, j])]
        if len(known):
            shift[j] = known.mean() if scale == "standard" else known.min()
            with np.errstate(over="ignore", invalid="ignore"):
                spread = known.std() if scale == "standard" else np.ptp(known)
            if not np.isfinite(spread):
                raise DataError(
                    f"column {j} (the first is 0) holds numbers too large to be scaled",
                    "use scale=None, or other units",
                )
            # Of equal numbers the mean may be off by rounding, and so the deviation.
            divisor[j] = spread if np.ptp(known) > 0 and spread > 0 else 1.0
    return ColumnScaling(shift, divisor * factor)
