"""A data frame of a row or a few, read without ceremony: a prediction of one row takes less time than reading it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from treewright.typing import Array

_FEW = 8  # rows
_INEXACT = 2.0**53  # whole numbers beyond are refused, by the long way


def is_few_rows(table: Any) -> bool:
    """Whether it is a data frame of pandas, polars or Arrow of few rows."""
    return _name(table) in _READERS and 0 < len(table) <= _FEW


def _name(table: Any) -> tuple[str, str]:
    kind = type(table)
    return kind.__module__.partition(".")[0], kind.__name__


def few_numbers(table: Any, names: Sequence[str]) -> Array | None:
    """The cells of few rows whose columns are these in this order, all of numbers; None of any other table, which
    ``read_frame`` reads.

    >>> import pandas as pd
    >>> few_numbers(pd.DataFrame({"size": [3], "age": [2.5]}), ["size", "age"]).tolist()
    [[3.0, 2.5]]
    """
    cells = _READERS[_name(table)](table, list(names))
    return cells if cells is not None and not (np.abs(cells) >= _INEXACT).any() else None


def _from_pandas(table: Any, names: list[str]) -> Array | None:
    if table.columns.tolist() != names:
        return None
    cells = table.to_numpy()  # of numbers and anything else it makes objects
    return np.asarray(cells, np.float64) if cells.dtype.kind in "fiu" else None


def _from_polars(table: Any, names: list[str]) -> Array | None:
    if table.columns != names or not all(dtype.is_float() or dtype.is_integer() for dtype in table.dtypes):
        return None
    return np.array(table.rows(), np.float64)


def _from_arrow(table: Any, names: list[str]) -> Array | None:
    from pyarrow import types

    schema = table.schema
    if schema.names != names or not all(types.is_floating(kind) or types.is_integer(kind) for kind in schema.types):
        return None
    return np.column_stack([np.array(column.to_pylist(), np.float64) for column in table.columns])


_READERS: dict[tuple[str, str], Callable[[Any, list[str]], Array | None]] = {
    ("pandas", "DataFrame"): _from_pandas,
    ("polars", "DataFrame"): _from_polars,
    ("pyarrow", "Table"): _from_arrow,
}
