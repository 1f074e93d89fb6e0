"""Metrics of one regressor."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from treewright.data.labelled import Labelled
from treewright.display import DisplayedRecord
from treewright.model.evaluate.overfitting_amount import Overfitting, overfitting_on
from treewright.plot_style import legend, new_axes, theme_of
from treewright.typing import Floats


@dataclass(frozen=True, eq=False, repr=False)
class NumberEvaluation(DisplayedRecord):
    """Metrics of a regressor on rows, as scikit-learn defines them.

    ``rmse`` is the root of the mean squared error ``mse``, ``mae`` the mean absolute error, ``median_error`` the median
    of the absolute errors, ``max_error`` the greatest. ``r2`` is 1 − mse / variance of the
    target, NaN where that is constant. ``bias`` is the mean of prediction − target. ``baseline`` is the rmse of always
    predicting the mean of these rows. ``calibration`` has, for bins of equally many rows in the order of what is
    predicted, the mean prediction, the mean target, and the weight of the rows. ``overfitting`` is how far the error is
    above that of the training rows; None of models that do not keep the latter.
    """

    n_rows: int
    mse: float
    rmse: float
    mae: float
    median_error: float
    max_error: float
    r2: float
    bias: float
    baseline: float
    calibration: Floats
    overfitting: Overfitting | None = None

    @property
    def _shown_bias(self) -> float:
        """What is left of rounding is no bias."""
        return self.bias if abs(self.bias) > 1e-9 * self.baseline else 0.0

    def __str__(self) -> str:
        r2 = "" if math.isnan(self.r2) else f", R² {self.r2:.4g}"
        lines = [
            f"{self.n_rows:,} rows: RMSE {self.rmse:.4g}, MAE {self.mae:.4g}{r2}",
            f"median error {self.median_error:.4g}, greatest {self.max_error:.4g}, bias {self._shown_bias:.4g}",
            f"baseline, the mean: RMSE {self.baseline:.4g}",
        ]
        return "\n".join([*lines, *([] if self.overfitting is None else [str(self.overfitting)])])

    def _facts(self) -> dict[str, Any]:
        told = super()._facts()
        told.pop("calibration")
        return {name: value for name, value in told.items() if value is not None}

    def to_dict(self) -> dict[str, Any]:
        """The metrics by name; the overfitting as its own fields."""
        told = self._facts()
        return told | ({} if self.overfitting is None else {"overfitting": self.overfitting.to_dict()})

    def plot(self, ax: Any = None) -> Any:
        """Calibration: the mean target against the mean prediction, in bins. Returns matplotlib's axes."""
        axes = new_axes(ax)
        predicted, observed, _ = self.calibration.T
        ends = [float(min(predicted.min(), observed.min())), float(max(predicted.max(), observed.max()))]
        axes.plot(ends, ends, linestyle=":", color=theme_of(axes).soft, label="as predicted")
        axes.plot(predicted, observed, "o", color=theme_of(axes).line(0), label="means of bins")
        axes.set_xlabel("mean prediction")
        axes.set_ylabel("mean target")
        legend(axes)
        return axes


def evaluate_numbers(model: Any, rows: Labelled, bins: int) -> NumberEvaluation:
    """The metrics of a fitted model that predicts numbers."""
    predicted = np.asarray(model.predict(rows.frame), np.float64)
    told = overfitting_on(model, rows) if hasattr(model, "tree_") else None
    return number_evaluation(rows.y, predicted, rows.weights, bins, told)


def number_evaluation(
    y: Floats, predicted: Floats, given: Floats | None, bins: int = 10, overfitting: Overfitting | None = None
) -> NumberEvaluation:
    """The metrics of predictions, whoever made them; ``given`` are the weights of the rows, if they have any."""
    weights = np.ones(len(y)) if given is None else given
    error, mean = predicted - y, float(np.average(y, weights=weights))
    mse, spread = (float(np.average(part**2, weights=weights)) for part in (error, y - mean))
    return NumberEvaluation(
        len(y), mse, math.sqrt(mse), float(np.average(np.abs(error), weights=weights)), _median(np.abs(error), weights),
        float(np.abs(error).max()), 1 - mse / spread if spread > 0 else math.nan,
        float(np.average(error, weights=weights)), math.sqrt(spread), _calibration(y, predicted, weights, bins),
        overfitting,
    )  # fmt: skip


def _median(values: Floats, weights: Floats) -> float:
    """With half of the weight on either side; the middle of two values where it falls between them."""
    order = np.argsort(values, kind="stable")
    reached, half = np.cumsum(weights[order]), weights.sum() / 2
    places = (np.searchsorted(reached, half, side=side) for side in ("left", "right"))
    low, high = (values[order[min(int(place), len(order) - 1)]] for place in places)
    return float(low + high) / 2


def _calibration(y: Floats, predicted: Floats, weights: Floats, bins: int) -> Floats:
    parts = [part for part in np.array_split(np.argsort(predicted, kind="stable"), bins) if weights[part].sum() > 0]
    return np.array(
        [
            (np.average(predicted[p], weights=weights[p]), np.average(y[p], weights=weights[p]), weights[p].sum())
            for p in parts
        ]
    )
