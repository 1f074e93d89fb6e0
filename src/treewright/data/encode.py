"""The table to learn from, as codes."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial

import numpy as np

from treewright.data.column_values import LevelValues, as_floats
from treewright.data.encoded import CodedColumn, Encoded, EncodedColumn, SortedColumn
from treewright.data.frame import Frame
from treewright.data.kinds import make_schema
from treewright.data.level_codes import match_levels
from treewright.data.matrix import prediction_matrix
from treewright.data.numeric import MAX_BINS, Workspace, encode_block, has_many_values
from treewright.data.schema import Column, Kind, Schema
from treewright.data.written_dates import DateFormat, dates_of
from treewright.errors import OptionError
from treewright.typing import Array, Floats

__all__ = ["encode", "make_schema", "prediction_matrix"]

SMALL_TABLE = 50_000  # cells below which threads, or one kernel call per column, cost more than they save
_PER_LEVEL = 0.25  # of the time that it takes to code a number
_NO_VALUES = np.empty(0)


def encode(
    frame: Frame, schema: Schema, y: Array, weights: Floats | None, *, max_bins: int | None, n_jobs: int = 1
) -> Encoded:
    """Code every column. ``max_bins=None``: every distinct number has a code; otherwise at most ``max_bins`` bins.

    >>> from treewright.data.frame import read_frame
    >>> from treewright.data.schema import Target
    >>> frame = read_frame({"size": [3.5, None, 1.0, 3.5], "colour": ["red", "blue", None, "red"]})
    >>> schema = make_schema(frame, Target("bought"))
    >>> encoded = encode(frame, schema, np.zeros(4), None, max_bins=None)
    >>> [column.codes.tolist() for column in encoded.columns]
    [[2, 0, 1, 2], [2, 1, 0, 2]]
    """
    if max_bins is not None and not 2 <= max_bins <= MAX_BINS:
        raise OptionError(f"max_bins must be None or from 2 to {MAX_BINS}, got {max_bins!r}", "leave it at 255")
    small = frame.n_rows * frame.n_columns <= SMALL_TABLE
    if small and frame.matrix is not None and all(column.kind is Kind.NUMERIC for column in schema.columns):
        block = np.ascontiguousarray(frame.floats().T)
        return Encoded(schema, tuple(encode_block(block, max_bins, Workspace())), y, weights)
    n_threads = max(1, min(n_jobs, frame.n_columns)) if _takes_threads(frame.n_rows, schema) else 1
    columns = _in_threads(n_threads, frame.n_columns, partial(_encode_columns, frame, schema, max_bins))
    return Encoded(schema, columns, y, weights)


def _takes_threads(n_rows: int, schema: Schema) -> bool:
    n_numeric = sum(column.kind is Kind.NUMERIC for column in schema.columns)
    return n_rows * (n_numeric + _PER_LEVEL * (len(schema.columns) - n_numeric)) > SMALL_TABLE


def _in_threads(
    n_threads: int, n_columns: int, work: Callable[[Iterator[int]], dict[int, CodedColumn]]
) -> tuple[CodedColumn, ...]:
    """``work`` takes columns until there are none left, in several threads; the results in the columns' order."""
    indices = iter(range(n_columns))
    if n_threads == 1:
        return tuple(work(indices).values())
    with ThreadPoolExecutor(n_threads) as pool:
        try:
            parts = list(pool.map(work, [indices] * n_threads))
        finally:
            for _ in indices:  # after an error or Ctrl-C nobody starts another column
                pass
    encoded = {index: column for part in parts for index, column in part.items()}
    return tuple(encoded[index] for index in range(n_columns))


def _encode_columns(
    frame: Frame, schema: Schema, max_bins: int | None, indices: Iterator[int]
) -> dict[int, CodedColumn]:
    workspace = Workspace()
    return {index: _encode_column(frame, index, schema.columns[index], max_bins, workspace) for index in indices}


def _encode_column(frame: Frame, index: int, column: Column, max_bins: int | None, workspace: Workspace) -> CodedColumn:
    if column.is_left_out:
        return _encode_levels(LevelValues(np.zeros(frame.n_rows, np.uint8), ()), column)
    cells = dates_of(frame, index, DateFormat(column.format)) if column.format else frame.cells(index, column.kind)
    if isinstance(cells, LevelValues):
        return _encode_levels(cells, column)
    numbers = as_floats(cells.values, column.name)
    if max_bins is None and has_many_values(numbers, workspace):
        return SortedColumn(numbers)
    coded = encode_block(workspace.contiguous(numbers)[np.newaxis], max_bins, workspace)[0]
    # The numbers may lie in the workspace, which is used again for the next column.
    return SortedColumn(numbers) if isinstance(coded, SortedColumn) else coded


def _encode_levels(cells: LevelValues, column: Column) -> EncodedColumn:
    codes = match_levels(cells, column)
    return EncodedColumn(codes, len(column.levels) + 1, not codes.all(), _NO_VALUES, _NO_VALUES)
