"""What members say of rows they did not learn from: an honest error without a second fit."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from treewright.data.schema import Target
from treewright.leaves import decided
from treewright.typing import Array, Floats, Ints, Mask


@dataclass(frozen=True)
class OutOfBag:
    """``values`` are the predictions of all training rows by the members that left them out, NaN where none did;
    ``curve`` is the error after each member. An error is a share of wrong rows or, of numbers, a root mean square."""

    values: Floats
    times: Ints
    curve: Floats
    error: float

    @property
    def known(self) -> Mask:
        """The rows that some member left out."""
        return self.times > 0


class BagTally:
    """Adds up what members say of the rows they left out, one member after the other."""

    def __init__(self, y: Array, weights: Floats, target: Target) -> None:
        self.y, self.weights, self.target = y, weights, target
        self.sums = np.zeros((len(y), 1 if target.classes is None else len(target.classes)))
        self.times = np.zeros(len(y), np.int64)
        self.loss = np.zeros(len(y))
        self.total = self.weight = 0.0
        self.curve: list[float] = []

    def add(self, rows: Ints, values: Floats) -> None:
        """``values`` is what one member says of ``rows``."""
        first = rows[self.times[rows] == 0]
        self.sums[rows] += values
        self.times[rows] += 1
        self.weight += float(self.weights[first].sum())
        loss = self._losses(rows)
        self.total += float((self.weights[rows] * (loss - self.loss[rows])).sum())
        self.loss[rows] = loss
        mean = self.total / self.weight if self.weight else np.nan
        self.curve.append(mean if self.target.classes is not None else float(np.sqrt(max(mean, 0.0))))

    def _losses(self, rows: Ints) -> Floats:
        values = self.sums[rows] / self.times[rows, None]
        if self.target.classes is None:
            return np.asarray((values[:, 0] - self.y[rows]) ** 2)
        return np.asarray(decided(values, self.target) != self.y[rows], np.float64)

    def finish(self) -> OutOfBag:
        values = np.divide(
            self.sums, self.times[:, None], out=np.full_like(self.sums, np.nan), where=self.times[:, None] > 0
        )
        curve = np.array(self.curve)
        return OutOfBag(values, self.times, curve, float(curve[-1]) if len(curve) else float("nan"))
