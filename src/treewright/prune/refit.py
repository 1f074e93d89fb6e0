"""Models of the same kind from other rows, and what they get wrong."""

from __future__ import annotations

from typing import Any

import numpy as np

from treewright.data.labelled import Labelled
from treewright.errors import TreewrightError
from treewright.typing import Floats


def like(model: Any, rows: Labelled) -> Any:
    """The same kind of model from other rows. Levels that those rows lack are missing values to it."""
    from sklearn.base import clone

    fresh = clone(model).set_params(unseen="missing", progress=False)
    return fresh.fit(rows.frame, rows.target, sample_weight=rows.weights)


def losses(model: Any, rows: Labelled) -> Floats:
    """Of every row: 1 where the class is wrong and 0 where it is right, or the squared error."""
    predicted = model.predict(rows.frame)
    if rows.classes is None:
        return np.asarray((predicted - rows.y) ** 2)
    return np.asarray(predicted.astype(object) != rows.labels, np.float64)


def new_axes() -> Any:
    """Somewhere to draw."""
    try:
        from matplotlib import pyplot
    except ImportError as error:
        raise TreewrightError("drawing needs matplotlib", 'pip install "treewright[plot]"') from error
    return pyplot.subplots()[1]
