"""``tw.fit``: a tree in one call, for people who do not want classes."""

from __future__ import annotations

from typing import Any

from treewright.data.frame import read_frame
from treewright.errors import DataError
from treewright.model.base import TreeModel
from treewright.model.classifier import CARTClassifier, ID3Classifier
from treewright.model.options import unknown
from treewright.model.regressor import CARTRegressor

_CLASSIFIERS: dict[str, type[TreeModel]] = {"id3": ID3Classifier, "cart": CARTClassifier}
_REGRESSORS: dict[str, type[TreeModel]] = {"cart": CARTRegressor}


def fit(table: Any, target: str, method: str = "cart", *, sample_weight: Any = None, **options: Any) -> TreeModel:
    """Fit a tree to the column ``target`` of a table, all other columns being what it may test.

    A target of text, levels or true/false is a class; a number is predicted as a number, except by methods that only
    know classes. ``options`` are those of the estimator.

    >>> import treewright as tw
    >>> model = tw.fit(tw.datasets.load("xor").table, target="y", method="id3")
    >>> model.tree_.n_leaves
    4
    """
    frame = read_frame(table)
    if target not in frame.names:
        raise DataError(f"there is no column {target!r} to predict", f"the columns are {', '.join(frame.names)}")
    if method not in {*_CLASSIFIERS, *_REGRESSORS}:
        raise unknown("method", method, {*_CLASSIFIERS, *_REGRESSORS})
    X, y = frame.without(target), frame.series(target)
    is_number = frame.is_numeric(target) and method in _REGRESSORS
    estimator = (_REGRESSORS if is_number else _CLASSIFIERS)[method]
    for name in options:
        if name not in estimator().get_params():
            raise unknown(f"option of {estimator.__name__}", name, estimator().get_params())
    return estimator(**options).fit(X, y, sample_weight=sample_weight)
