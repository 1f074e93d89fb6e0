"""Numbers to codes: dense ranks of the distinct values, or quantile bins where there are too many."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from treewright.data.encoded import CodedColumn, EncodedColumn, Ranks, SortedColumn
from treewright.typing import Array, Floats

if TYPE_CHECKING:
    from treewright.kernels.jit import Run

MAX_BINS = 255
SAMPLE_ROWS = 200_000
_PLAIN_SECONDS = 1.5e-7  # what a cell takes longer without compiled kernels
_PLAIN_START = 1e-4  # … and a block, however small


class Workspace:
    """Buffers that one thread uses again for every column: fresh memory costs more than sorting it."""

    def __init__(self) -> None:
        self.buffers: dict[str, Array] = {}

    def array(self, use: str, size: int, dtype: Any) -> Array:
        """An uninitialised array for this use; what it held before is lost."""
        held = self.buffers.get(use)
        if held is None or len(held) < size or held.dtype != dtype:
            held = self.buffers[use] = np.empty(size, dtype=dtype)
        return held[:size]

    def contiguous(self, values: Array) -> Array:
        """The values themselves, or a contiguous copy of them."""
        if values.flags.c_contiguous:
            return values
        copy = self.array("values", len(values), values.dtype)
        np.copyto(copy, values)
        return copy


def encode_block(block: Array, max_bins: int | None, workspace: Workspace) -> list[CodedColumn]:
    """Code the rows of ``block`` (column, row), contiguous float32 or float64.

    At most 255 distinct values (``max_bins`` when it is given): one code each. More: the numbers themselves, to be
    ranked when they are needed, or with ``max_bins`` quantile bins.
    """
    from treewright.kernels.sorting.value_codes import code_few

    run = _runner(block.size)
    n_columns, n_rows = block.shape
    limit = MAX_BINS if max_bins is None else max_bins
    bits = block.view(_integers(block))
    codes = np.empty((n_columns, n_rows), dtype=np.uint8)
    keys = np.zeros((n_columns, limit), dtype=bits.dtype)
    counts, missing = np.empty((2, n_columns), dtype=np.int64)
    run(code_few, bits, limit, codes, keys, counts, missing)
    values = _floats_of(keys.ravel(), run).reshape(keys.shape)
    encoded: list[CodedColumn] = []
    for column, (count, n_missing) in enumerate(zip(counts.tolist(), missing.tolist(), strict=True)):
        if count >= 0:
            lows = values[column, :count]
            encoded.append(EncodedColumn(codes[column], count + 1, n_missing > 0, lows, lows))
        elif max_bins is None:
            encoded.append(SortedColumn(block[column]))
        else:
            encoded.append(_binned(bits[column], max_bins, workspace))
    return encoded


def has_many_values(numbers: Array, workspace: Workspace) -> bool:
    """Whether the first rows alone have too many distinct values to be coded: then the others need not be read yet."""
    from treewright.kernels.sorting.value_codes import GLANCE

    if len(numbers) <= GLANCE:
        return False
    glance = workspace.contiguous(numbers[:GLANCE])
    return isinstance(encode_block(glance[np.newaxis], None, workspace)[0], SortedColumn)


def _runner(n_cells: int) -> Run:
    """For columns of few values."""
    from treewright.kernels import jit
    from treewright.kernels.sorting import radix_sort, value_codes

    return jit.runner(_PLAIN_START + _PLAIN_SECONDS * n_cells, value_codes.code_few, radix_sort.float_bits)


def _runner_of_many(n_cells: int, max_bins: int | None) -> Run:
    """For columns of many values, which are sorted."""
    from treewright.kernels import jit
    from treewright.kernels.sorting import radix_sort, value_codes

    needed = [radix_sort.float_bits, radix_sort.float_keys, radix_sort.sort_rows]
    if max_bins is None:
        needed += [value_codes.count_distinct, value_codes.ranks_from_order]
    else:
        needed += [value_codes.known_sample, value_codes.quantile_edges, value_codes.bin_codes, value_codes.bin_ranges]
    return jit.runner(_PLAIN_SECONDS * n_cells, *needed)


def _integers(floats: Array) -> type[np.unsignedinteger]:
    return np.uint32 if floats.dtype.itemsize == 4 else np.uint64


def _floats_of(keys: Array, run: Run) -> Floats:
    """The numbers whose keys are given; overwrites the keys."""
    from treewright.kernels.sorting.radix_sort import float_bits

    run(float_bits, keys)
    return keys.view(np.float32 if keys.dtype.itemsize == 4 else np.float64).astype(np.float64)


def rank(numbers: Array, workspace: Workspace | None = None) -> Ranks:
    """Every distinct value a code, and the rows by value; the arrays are new."""
    from treewright.kernels.sorting.value_codes import count_distinct, ranks_from_order

    workspace, run = workspace or Workspace(), _runner_of_many(numbers.size, None)
    order, ordered = _rows_by_key(numbers, workspace, run)
    count = run(count_distinct, ordered)
    codes = np.empty(len(numbers), dtype=np.uint32)
    run(ranks_from_order, ordered, order, codes)
    return Ranks(codes, order, int(count) + 1, bool(ordered[0] == 0), is_tied=int(count) < len(numbers))


def rows_by_value(numbers: Array, workspace: Workspace) -> Array:
    """The rows of float32 or float64 in the order of their values, missing ones first, ties by row.

    >>> rows_by_value(np.array([2.5, -1.0, 0.0, -0.0]), Workspace()).tolist()
    [1, 2, 3, 0]
    """
    return _rows_by_key(numbers, workspace, _runner_of_many(numbers.size, None))[0]


def _rows_by_key(numbers: Array, workspace: Workspace, run: Run) -> tuple[Array, Array]:
    """The rows by value, and the sorted keys of the values."""
    from treewright.kernels.sorting.radix_sort import float_keys

    bits = workspace.contiguous(numbers).view(_integers(numbers))
    keys = workspace.array("keys", len(bits), bits.dtype)
    run(float_keys, bits, keys)
    return _sorted(keys, workspace, run)


def _sorted(keys: Array, workspace: Workspace, run: Run) -> tuple[Array, Array]:
    """The rows by key and the sorted keys; overwrites the keys."""
    from treewright.kernels.sorting.radix_sort import N_DIGITS, sort_rows

    order = np.empty(len(keys), dtype=np.uint32)
    spare_keys = workspace.array("spare keys", len(keys), keys.dtype)
    spare_rows = workspace.array("spare rows", len(keys), np.uint32)
    starts = np.empty((3 if keys.dtype.itemsize == 4 else 6, N_DIGITS), dtype=np.int64)
    return order, run(sort_rows, keys, spare_keys, order, spare_rows, starts)


def _binned(bits: Array, max_bins: int, workspace: Workspace) -> EncodedColumn:
    """Quantile bins. Every edge is a training value in the bin below it, so that only the top bin could be empty."""
    from treewright.kernels.sorting.radix_sort import float_keys
    from treewright.kernels.sorting.value_codes import bin_codes, bin_ranges

    run = _runner_of_many(len(bits), max_bins)
    keys = workspace.array("keys", len(bits), bits.dtype)
    run(float_keys, bits, keys)
    codes = np.empty(len(bits), dtype=np.uint8)
    run(bin_codes, keys, _edges(keys, max_bins, workspace, run), codes)
    top = np.iinfo(keys.dtype).max
    lows, highs = np.full(MAX_BINS + 1, top, dtype=keys.dtype), np.zeros(MAX_BINS + 1, dtype=keys.dtype)
    run(bin_ranges, keys, codes, lows, highs)
    n_codes = int(codes.max()) + 1
    has_missing = bool(lows[0] == 0)
    lows, highs = _floats_of(lows[1:n_codes], run), _floats_of(highs[1:n_codes], run)
    return EncodedColumn(codes, n_codes, has_missing, lows, highs)


def _edges(keys: Array, max_bins: int, workspace: Workspace, run: Run) -> Array:
    """The bins' upper edges from an evenly strided sample of the known values, padded with the largest key."""
    from treewright.kernels.sorting.value_codes import known_sample, quantile_edges

    step = -(-len(keys) // SAMPLE_ROWS)
    sample = workspace.array("sample", -(-len(keys) // step), keys.dtype)
    known = run(known_sample, keys, step, sample)
    edges = np.full(MAX_BINS, np.iinfo(keys.dtype).max, dtype=keys.dtype)
    run(quantile_edges, _sorted(sample[:known], workspace, run)[1], max_bins, edges)
    return edges
