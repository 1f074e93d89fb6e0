"""One row to be explained: a table of one row, however it is given, and its cells by name."""

from __future__ import annotations

from typing import Any

import numpy as np

from treewright.data.frame import Frame, listing
from treewright.data.schema import Schema
from treewright.errors import DataError


def one_row(row: Any, schema: Schema) -> Any:
    """A row given as a mapping or a plain sequence becomes a table of one row."""
    if isinstance(row, dict):
        if all(isinstance(value, (list, tuple, np.ndarray)) for value in row.values()):
            return row
        return [row]
    if hasattr(row, "to_dict") and not hasattr(row, "columns"):  # a frame has columns, a pandas Series has none
        return [row.to_dict()]
    if isinstance(row, (list, tuple, np.ndarray)) and not any(np.ndim(cell) or isinstance(cell, dict) for cell in row):
        if len(row) != len(schema.columns):
            raise DataError(
                f"the row has {len(row)} values, the model learned from {len(schema.columns)} columns",
                f"the columns are {listing(schema.names)}",
            )
        return [dict(zip(schema.names, row))]
    return row


def cells_of(frame: Frame, schema: Schema) -> dict[str, Any]:
    """The cells of the first row, as they were given, by the name of their column."""
    names = frame.names if frame.named else schema.names
    cells = frame.raw if frame.matrix is None else frame.matrix.T
    return {name: column[0] for name, column in zip(names, cells)}
