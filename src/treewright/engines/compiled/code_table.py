"""The codes of a whole table, as searches read them that sort nothing beforehand."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from treewright.data.encoded import CodedColumn, Encoded
from treewright.data.numeric import Workspace
from treewright.data.schema import Kind
from treewright.engines.workers import Workers
from treewright.tree.build import offsets
from treewright.typing import Array, Floats, Ints


@dataclass(frozen=True)
class CodeTable:
    """All columns of a table as the kernel reads them."""

    codes: Array  # (columns, rows) uint32
    nominal: Array
    by_bits: Array  # columns whose codes are the bits of their numbers, in order
    n_codes: Ints
    bounds: tuple[tuple[Floats, Floats], ...]  # of every ordered column: the numbers that its codes stand for
    lows: Floats  # the same end to end, for cuts at random
    highs: Floats
    value_start: Ints


def code_table(encoded: Encoded, workers: Workers, *, random_cuts: bool) -> CodeTable:
    columns, described = encoded.columns, encoded.schema.columns
    codes = np.empty((len(columns), encoded.n_rows), np.uint32)
    bounds: dict[int, tuple[Floats, Floats]] = {}
    by_bits = np.zeros(len(columns), np.bool_)
    workspaces = [Workspace() for _ in range(workers.n_jobs)]

    def read(j: int, worker: int) -> None:
        kind = described[j].kind
        if random_cuts and kind is Kind.NUMERIC and columns[j].is_sorted and _fits_32_bits(columns[j].numbers):
            by_bits[j], bounds[j] = True, (np.empty(0), np.empty(0))
            codes[j] = bits_in_order(np.asarray(columns[j].numbers).astype(np.float32))
        else:
            bounds[j] = _read(columns[j], kind, codes[j], workspaces[worker])

    workers.each(len(columns), read, cells=codes.size)
    kept = tuple(bounds[j] for j in range(len(columns)))
    lows, highs = (np.concatenate(part) if random_cuts else np.empty(0) for part in zip(*kept))
    n_codes = np.array([len(low) for low, _ in kept], np.int64)
    nominal = np.array([column.kind is Kind.NOMINAL for column in described], np.bool_)
    return CodeTable(codes, nominal, by_bits, n_codes, kept, lows, highs, offsets(n_codes)[:-1])


def _fits_32_bits(numbers: Array | None) -> bool:
    """Whether no digit is lost."""
    if numbers is None:
        return False
    with np.errstate(over="ignore"):
        return bool(np.array_equal(numbers.astype(np.float32), numbers, equal_nan=True))


def bits_in_order(numbers: Array) -> Array:
    """Codes in the order of these floats of 32 bits; 0 is missing."""
    bits = np.ascontiguousarray(numbers + np.float32(0)).view(np.uint32)  # no negative zero
    codes = np.where(bits >> np.uint32(31), ~bits, bits | np.uint32(1 << 31))
    return np.asarray(np.where(np.isnan(numbers), np.uint32(0), codes))


def numbers_of(codes: Array) -> Floats:
    """What such codes stand for.

    >>> numbers_of(bits_in_order(np.array([-np.inf, -1.5, 0.0, 2.5], np.float32))).tolist()
    [-inf, -1.5, 0.0, 2.5]
    """
    codes = codes.astype(np.uint32)
    bits = np.where(codes >> np.uint32(31), codes ^ np.uint32(1 << 31), ~codes)
    return bits.astype(np.uint32).view(np.float32).astype(np.float64)


def _read(column: CodedColumn, kind: Kind, codes: Array, workspace: Workspace) -> tuple[Floats, Floats]:
    """Write the codes; returns the numbers that they stand for. Levels are numbers by their codes."""
    if kind is not Kind.NUMERIC:
        codes[:] = column.codes
        numbers = np.arange(column.n_codes, dtype=np.float64)
        return numbers, numbers
    if not column.is_sorted or column.lows.size:
        codes[:] = column.codes
        return column.bounds
    ranks = column.new_ranks(workspace)
    codes[:] = ranks.codes
    numbers = np.full(ranks.n_codes, -np.inf)
    numbers[codes] = column.numbers
    return numbers, numbers
