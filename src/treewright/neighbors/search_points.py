"""Rows of numbers as a search takes them: a finite matrix."""

from __future__ import annotations

from typing import Any

import numpy as np

from treewright.errors import DataError, shown
from treewright.typing import Floats


def search_points(X: Any, what: str = "X", n_columns: int | None = None) -> Floats:
    """A table of numbers as float64, or an error that says what is not one.

    >>> search_points([[1, 2], [3, 4]]).tolist()
    [[1.0, 2.0], [3.0, 4.0]]
    """
    try:
        made = np.asarray(X)
        if np.iscomplexobj(made):
            raise TypeError("complex numbers")
        points = np.ascontiguousarray(made, np.float64)
    except (TypeError, ValueError) as error:
        raise DataError(
            f"{what} is a table of numbers, got {shown(X)}", "mixed tables go to tw.KNNClassifier"
        ) from error
    if points.ndim != 2:
        raise DataError(f"{what} has two dimensions, rows and columns; got {points.ndim}", "one row is [[1.0, 2.0]]")
    if n_columns is not None and points.shape[1] != n_columns:
        raise DataError(f"{what} has {points.shape[1]} columns, and the tree has {n_columns}", "give all of them")
    if not points.shape[1] or (n_columns is None and not len(points)):
        raise DataError(f"{what} has {points.shape[0]} rows and {points.shape[1]} columns", "pass at least one of each")
    _refuse_no_numbers(points, what)
    return points


def _refuse_no_numbers(points: Floats, what: str) -> None:
    if np.isfinite(points.sum()) or np.isfinite(points).all():
        return
    row, column = (int(place[0]) for place in np.nonzero(~np.isfinite(points)))
    kind = "missing (NaN)" if np.isnan(points[row, column]) else "infinite"
    hint = 'leave the row out, or use tw.KNNClassifier(metric="heom")' if "NaN" in kind else "leave the row out"
    raise DataError(f"{what} holds a value that is {kind}, in row {row}, column {column}", hint)
