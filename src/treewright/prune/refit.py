"""Models of the same kind from other rows, and what they get wrong."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from treewright.data.labelled import Labelled
from treewright.errors import DataError, OneClassError, OptionError, shown
from treewright.typing import Floats, Ints


class RowSource(NamedTuple):
    """A table and its target as the user has them. Estimators of other libraries are given their rows."""

    X: Any
    y: Any

    def table(self, rows: Ints) -> Any:
        return _taken(self.X, rows)

    def target(self, rows: Ints) -> Any:
        return _taken(self.y, rows)


def _taken(values: Any, rows: Ints) -> Any:
    from sklearn.utils import _safe_indexing

    if isinstance(values, dict):
        raise DataError("estimators of other libraries do not take a dict of columns", "pass a data frame or an array")
    return _safe_indexing(values, rows)


def _is_ours(model: Any) -> bool:
    """Estimators of this library read any table, and the target as it was read."""
    return hasattr(type(model), "option_limits")


def check_fitted_tree(model: Any) -> None:
    """Refuse what is no tree of this library, was not fitted, or learned rules or several trees."""
    from sklearn.utils.validation import check_is_fitted

    if not hasattr(type(model), "pruning_path"):
        raise OptionError(f"a fitted tree of treewright is needed, got {shown(model)}", "fit tw.CARTClassifier first")
    check_is_fitted(model, "schema_")
    model._check_tree()


def check_estimators(models: Iterable[Any]) -> None:
    """Refuse what does not have scikit-learn's interface."""
    for model in models:
        if isinstance(model, type) or not hasattr(model, "get_params"):
            raise OptionError(f"models are estimators, got {shown(model)}", "pass tw.CARTClassifier() and the like")


@dataclass(frozen=True)
class Constant:
    """What is learned from rows of one class: to predict that class. A fold may have no rows of a rare class."""

    label: Any


def only_class(rows: Labelled) -> Constant | None:
    """What rows of a single class teach, None if they have several or numbers for a target."""
    if rows.classes is None or (rows.y != rows.y[0]).any():
        return None
    return Constant(rows.classes[int(rows.y[0])])


def learned(learn: Callable[[], Any]) -> Any:
    """A model of a part of the rows; of a part of one class, to predict that."""
    try:
        return learn()
    except OneClassError as error:
        return Constant(error.label)


def like(model: Any, rows: Labelled, source: RowSource | None = None) -> Any:
    """The same kind of model from other rows. Levels that do not occur in those rows are missing values to it; classes
    that do not are known to it all the same."""
    from sklearn.base import clone

    if source is not None and not _is_ours(model):
        weights = {} if rows.weights is None else {"sample_weight": rows.weights}
        return clone(model).fit(source.table(rows.row), source.target(rows.row), **weights)
    changes = {"unseen": "missing", "progress": False}
    fresh = clone(model)
    fresh.set_params(**{name: value for name, value in changes.items() if name in fresh.get_params(deep=False)})
    return fresh.fit(rows.frame, rows.target, sample_weight=rows.weights)


def losses(model: Any, rows: Labelled, source: RowSource | None = None) -> Floats:
    """Of every row: 1 where the class is wrong and 0 where it is right, or the squared error."""
    predicted = _predicted(model, rows, source)
    if rows.classes is None:
        return np.asarray((predicted - rows.y) ** 2)
    return np.asarray(np.asarray(predicted).astype(object) != rows.labels, np.float64)


def cost_losses(
    model: Any, rows: Labelled, classes: tuple[Any, ...], costs: Floats, source: RowSource | None = None
) -> Floats:
    """What predicting each row costs, by a matrix in the order of ``classes``, a row for each true one."""
    place = {label: code for code, label in enumerate(classes)}
    labels = np.asarray(_predicted(model, rows, source)).astype(object).tolist()
    return costs_of(rows.codes_among(classes), np.array([place[label] for label in labels], np.int64), costs)


def costs_of(truth: Ints, predicted: Ints, costs: Floats) -> Floats:
    """Costs of predictions. An error with a class of code -1, for which no costs are given, costs 1."""
    return np.where(truth < 0, 1.0, costs[truth, predicted])


def _predicted(model: Any, rows: Labelled, source: RowSource | None) -> Any:
    if isinstance(model, Constant):
        return np.full(rows.n_rows, model.label, object)
    return model.predict(rows.frame if source is None or _is_ours(model) else source.table(rows.row))
