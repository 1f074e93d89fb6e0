"""Array aliases, so that signatures say what an array holds."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]
Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Codes = NDArray[Any]  # uint8, uint16 or uint32: the smallest that holds the column
Mask = NDArray[np.bool_]
