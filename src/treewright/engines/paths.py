"""What the way to an open node says about the splits it may have."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from treewright.recipes.constraints import Constraints
from treewright.typing import Array, Floats, Ints, Mask


@dataclass(frozen=True)
class Paths:
    """For every node: the columns tested on the way, and the bounds that monotone columns set to what it predicts."""

    used: Mask  # (nodes, columns)
    low: Floats
    high: Floats

    @classmethod
    def of_root(cls, n_columns: int) -> Paths:
        return cls(np.zeros((1, n_columns), np.bool_), np.full(1, -np.inf), np.full(1, np.inf))

    def __getitem__(self, pick: Array) -> Paths:
        return Paths(self.used[pick], self.low[pick], self.high[pick])

    def admits(self, node: Ints, value: Floats, sign: int) -> Mask:
        """Whether branches of these values (proposals × branches, NaN: empty) stay in bounds and in order."""
        empty = np.isnan(value)
        inside = (value >= self.low[node][:, None]) & (value <= self.high[node][:, None])
        fits = (inside | empty).all(-1)
        if sign:
            fits &= empty[:, :2].any(-1) | (sign * (value[:, 1] - value[:, 0]) >= 0)
        return np.asarray(fits)

    def down(self, column: Ints, child_start: Ints, value: Floats, constraints: Constraints) -> Paths:
        """The paths of all branches: two branches of a monotone column meet halfway between their values."""
        sizes = np.diff(child_start)
        parent = np.repeat(np.arange(len(sizes)), sizes)
        below = self[parent]
        used, low, high = below.used.copy(), below.low.copy(), below.high.copy()
        used[np.arange(len(parent)), column[parent]] = True
        for f in np.flatnonzero((sizes > 0) & (constraints.monotone[column] != 0)):
            left = int(child_start[f])
            first, second = (left, left + 1) if constraints.monotone[column[f]] > 0 else (left + 1, left)
            middle = (value[first] + value[second]) / 2
            if not np.isnan(middle):
                high[first], low[second] = min(high[first], middle), max(low[second], middle)
        return Paths(used, low, high)
