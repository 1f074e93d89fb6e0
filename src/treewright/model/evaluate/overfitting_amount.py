"""How much better a model did on the rows it was fitted to than on others."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from treewright.data.labelled import Labelled, labelled
from treewright.display import DisplayedRecord
from treewright.model.validation import effective_rows, mean_interval, share_interval
from treewright.prune.refit import check_fitted_tree, losses
from treewright.prune.training_counts import training_error
from treewright.tree.tree import LeafKind
from treewright.typing import Floats

_ROUNDING = 1e-12  # by which sums of the same losses in another order may differ


@dataclass(frozen=True, repr=False)
class Overfitting(DisplayedRecord):
    """The error of all rows there could be, as some rows estimate it, less that of the training rows.

    Errors are shares of wrong predictions, or mean squared errors (absolute ones of a tree that predicts medians).
    ``low`` and ``high`` are a 95 % interval of the amount: the training error of a model is known, so it is that of the
    other error, Wilson's for a share and the normal one for a mean.
    """

    training_error: float
    error: float
    low: float
    high: float

    @property
    def amount(self) -> float:
        rounding = _ROUNDING * max(self.error, self.training_error)
        amount = self.error - self.training_error
        return amount if abs(amount) > rounding else 0.0

    @property
    def is_certain(self) -> bool:
        """Whether the model overfits even at the good end of the interval."""
        return self.low > 0

    def __str__(self) -> str:
        between = f"95 % interval {self.low:.4g} to {self.high:.4g}"
        return f"overfitting {self.amount:.4g} ({between}): error {self.error:.4g}, training {self.training_error:.4g}"


def overfitting(model: Any, X: Any, y: Any, *, sample_weight: Any = None) -> Overfitting:
    """The amount of overfitting of a fitted tree, estimated with rows it was not fitted to: error − training error.

    >>> import treewright as tw
    >>> table = tw.datasets.load("play_tennis_noisy")
    >>> days = {name: cells[:14] for name, cells in table.X.items() if name != "day"}
    >>> other = {name: cells[14:] for name, cells in table.X.items() if name != "day"}
    >>> print(overfitting(tw.ID3Classifier().fit(days, table.y[:14]), other, table.y[14:]))
    overfitting 1 (95 % interval 0.2065 to 1): error 1, training 0
    """
    check_fitted_tree(model)
    is_classifier = model.schema_.target.classes is not None
    return overfitting_on(model, labelled(X, y, is_classifier=is_classifier, sample_weight=sample_weight))


def overfitting_on(model: Any, rows: Labelled) -> Overfitting:
    """The same for rows that were read."""
    loss = _losses(model, rows)
    error, n = float(np.average(loss, weights=rows.weights)), effective_rows(rows.weights, rows.n_rows)
    low, high = share_interval(error, n) if rows.classes is not None else mean_interval(loss, rows)
    training = training_error(model.tree_, model.schema_)
    return Overfitting(training, error, low - training, high - training)


def _losses(model: Any, rows: Labelled) -> Floats:
    """As the error of the training rows counts."""
    found = losses(model, rows)
    return np.sqrt(found) if model.tree_.leaf is LeafKind.MEDIANS else found
