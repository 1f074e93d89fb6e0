"""What members say of rows they did not learn from: an honest error without a second fit."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from treewright.data.schema import Target
from treewright.display import Displayed, Sheet
from treewright.kernels.forest_kernels.left_out_sums import add_left_out
from treewright.leaves import decided
from treewright.typing import Array, Floats, Ints


def row_losses(values: Floats, y: Array, target: Target) -> Floats:
    """1 where the class is wrong, 0 where it is right; of numbers the squared distance."""
    if target.classes is None:
        return np.asarray((values[:, 0] - y) ** 2)
    return np.asarray(decided(values, target) != y, np.float64)


def mean_error(values: Floats, y: Array, weights: Floats, target: Target) -> float:
    """The share of wrong rows or, of numbers, the root of the mean squared distance."""
    mean = float(np.average(row_losses(values, y, target), weights=weights))
    return mean if target.classes is not None else float(np.sqrt(mean))


@dataclass(frozen=True, repr=False)
class OutOfBag(Displayed):
    """``values`` are the predictions of all training rows by the members that left them out, NaN where none did, and
    ``truth`` is what they should be; a model that was loaded has neither. ``curve`` is the error after each member: a
    share of wrong rows or, of numbers, a root mean square."""

    curve: Floats
    values: Floats | None = None
    truth: Array | None = None
    weights: Floats | None = None

    @property
    def error(self) -> float:
        """That of all members; NaN if no row was left out."""
        return float(self.curve[-1])

    def _sheet(self) -> Sheet:
        columns = {"members": list(range(1, len(self.curve) + 1)), "error": self.curve.tolist()}
        return Sheet(columns, "out-of-bag error after each member")


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
        means = np.empty(values.shape)
        add_left_out(rows, values, self.sums, self.times, means)
        weights = self.weights.take(rows)
        self.weight += float(weights[self.times.take(rows) == 1].sum())
        loss = row_losses(means, self.y.take(rows), self.target)
        self.total += float((weights * (loss - self.loss.take(rows))).sum())
        self.loss[rows] = loss
        mean = self.total / self.weight if self.weight else np.nan
        self.curve.append(mean if self.target.classes is not None else float(np.sqrt(max(mean, 0.0))))

    def finish(self) -> OutOfBag:
        values = np.divide(
            self.sums, self.times[:, None], out=np.full_like(self.sums, np.nan), where=self.times[:, None] > 0
        )
        return OutOfBag(np.array(self.curve), values, self.y, self.weights)
