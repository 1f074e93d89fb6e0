"""Models of the same kind from other rows, and what they get wrong."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np

from treewright.data.labelled import Labelled
from treewright.errors import DataError, OptionError, TreewrightError, shown
from treewright.typing import Floats, Ints


class Source(NamedTuple):
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
    return hasattr(type(model), "pruning_path")


def check_fitted_tree(model: Any) -> None:
    """Refuse what is no tree of this library, or was not fitted."""
    from sklearn.utils.validation import check_is_fitted

    if not _is_ours(model):
        raise OptionError(f"a fitted tree of treewright is needed, got {shown(model)}", "fit tw.CARTClassifier first")
    check_is_fitted(model, "tree_")


def check_estimators(models: Iterable[Any]) -> None:
    """Refuse what has not scikit-learn's manners."""
    for model in models:
        if isinstance(model, type) or not hasattr(model, "get_params"):
            raise OptionError(f"models are estimators, got {shown(model)}", "pass tw.CARTClassifier() and the like")


def like(model: Any, rows: Labelled, source: Source | None = None) -> Any:
    """The same kind of model from other rows. Levels that those rows lack are missing values to it."""
    from sklearn.base import clone

    if source is not None and not _is_ours(model):
        return clone(model).fit(source.table(rows.row), source.target(rows.row))
    fresh = clone(model).set_params(unseen="missing", progress=False)
    return fresh.fit(rows.frame, rows.target, sample_weight=rows.weights)


def losses(model: Any, rows: Labelled, source: Source | None = None) -> Floats:
    """Of every row: 1 where the class is wrong and 0 where it is right, or the squared error."""
    predicted = model.predict(rows.frame if source is None or _is_ours(model) else source.table(rows.row))
    if rows.classes is None:
        return np.asarray((predicted - rows.y) ** 2)
    return np.asarray(np.asarray(predicted).astype(object) != rows.labels, np.float64)


def new_axes() -> Any:
    """Somewhere to draw."""
    try:
        from matplotlib import pyplot
    except ImportError as error:
        raise TreewrightError("drawing needs matplotlib", 'pip install "treewright[plot]"') from error
    return pyplot.subplots(layout="constrained")[1]
