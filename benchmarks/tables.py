"""The tables the benchmarks learn from. Every one is made from a fixed seed, so that all runs see the same rows."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from sklearn.datasets import make_classification

if TYPE_CHECKING:
    import pandas as pd

Floats32 = NDArray[np.float32]

MIXED_LEVELS = (2, 3, 5, 7, 12, 20, 30, 41)
N_MIXED_NUMERIC = 6
MISSING_SHARE = 0.05


@lru_cache(maxsize=2)
def classification(n_rows: int, n_classes: int = 3) -> tuple[Floats32, NDArray[np.int64]]:
    """20 float32 columns, 10 of them informative and 4 redundant."""
    X, y = make_classification(
        n_rows, 20, n_informative=10, n_redundant=4, n_classes=n_classes, random_state=0, shuffle=True
    )
    return X.astype(np.float32), y


@lru_cache(maxsize=1)
def regression(n_rows: int) -> tuple[Floats32, NDArray[np.float64]]:
    """The same 20 columns with a curved, noisy number to predict."""
    X, _ = classification(n_rows)
    noise = np.random.default_rng(1).normal(size=n_rows)
    wide = X.astype(np.float64)
    return X, 2 * wide[:, 0] + wide[:, 1] ** 2 + wide[:, 2] * (wide[:, 3] > 0) + noise


@lru_cache(maxsize=1)
def mixed(n_rows: int) -> tuple[pd.DataFrame, NDArray[Any]]:
    """6 numeric and 8 nominal columns of 2 to 41 levels, one cell in twenty missing; the target is "no" or "yes".

    The target follows a noisy sum of column effects and one interaction, computed before cells are blanked out.
    """
    import pandas as pd

    rng = np.random.default_rng(2)
    numbers = rng.normal(size=(n_rows, N_MIXED_NUMERIC))
    # Low levels are commoner than high ones, as in real tables.
    codes = [np.minimum(rng.geometric(2.5 / (k + 2), n_rows) - 1, k - 1) for k in MIXED_LEVELS]
    effects = [rng.normal(size=k) for k in MIXED_LEVELS]
    score = numbers[:, 0] + 0.7 * numbers[:, 1] ** 2 + numbers[:, 2] * (codes[0] == 1)
    score += sum(effect[code] for effect, code in zip(effects, codes))
    score += rng.normal(scale=1.5, size=n_rows)
    columns: dict[str, Any] = {f"number_{j}": _with_gaps(numbers[:, j], np.nan, rng) for j in range(N_MIXED_NUMERIC)}
    for k, code in zip(MIXED_LEVELS, codes):
        names = np.array([f"level_{i:02d}" for i in range(k)], dtype=object)
        columns[f"nominal_{k:02d}"] = _with_gaps(names[code], None, rng)
    return pd.DataFrame(columns), np.where(score > np.median(score), "yes", "no")


def _with_gaps(values: NDArray[Any], gap: float | None, rng: np.random.Generator) -> NDArray[Any]:
    values = values.copy()
    values[rng.random(len(values)) < MISSING_SHARE] = gap
    return values
