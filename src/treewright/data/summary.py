"""What a table was understood to hold: its columns, their kinds and levels, and what is missing."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from treewright.data.column_values import LevelValues, NumberValues
from treewright.data.frame import Frame
from treewright.data.kinds import Wanted, ordered_levels, read_kinds
from treewright.data.schema import Kind, Level, Unit


@dataclass(frozen=True)
class ColumnSummary:
    """``levels`` of a column of levels, else ``low`` and ``high``; ``rows`` include those without a value."""

    name: str
    kind: str
    rows: int
    missing: int
    levels: tuple[Level, ...] = ()
    low: float | None = None
    high: float | None = None
    unit: str = Unit.NUMBER.value


def summarise(frame: Frame, kinds: Mapping[Any, Any] | None = None) -> tuple[ColumnSummary, ...]:
    """One record per column, kinds as ``fit`` would find them.

    >>> from treewright.data.frame import read_frame
    >>> for column in summarise(read_frame({"size": ["S", "L", None], "price": [3, 5, 4]})):
    ...     print(column.name, column.kind, column.missing, column.levels, column.low, column.high)
    size nominal 1 ('L', 'S') None None
    price numeric 0 () 3.0 5.0
    """
    wanted = read_kinds(kinds, frame)
    return tuple(_summary(frame, index, wanted.get(index)) for index in range(frame.n_columns))


def cells_of(frame: Frame, index: int, wanted: Wanted | None) -> NumberValues | LevelValues:
    """A column as the user wants it."""
    if isinstance(wanted, tuple):
        return ordered_levels(frame, index, wanted)
    return frame.cells(index, wanted)


def _summary(frame: Frame, index: int, wanted: Wanted | None) -> ColumnSummary:
    cells, name = cells_of(frame, index, wanted), frame.names[index]
    if isinstance(cells, NumberValues):
        return _of_numbers(name, cells)
    kind = wanted if isinstance(wanted, Kind) else Kind.ORDINAL if cells.ordered else Kind.NOMINAL
    missing = int(len(cells.codes) - np.count_nonzero(cells.codes))
    return ColumnSummary(name, kind.value, len(cells.codes), missing, cells.levels)


def _of_numbers(name: str, cells: NumberValues) -> ColumnSummary:
    values = cells.values
    missing = int(np.isnan(values).sum()) if values.dtype.kind == "f" else 0
    known = missing < len(values)
    low, high = (float(np.nanmin(values)), float(np.nanmax(values))) if known else (None, None)
    return ColumnSummary(name, Kind.NUMERIC.value, len(values), missing, (), low, high, cells.unit.value)
