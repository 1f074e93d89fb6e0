"""The cases of a table sorted by its columns of numbers."""

from __future__ import annotations

import numpy as np

from treewright.engines.workers import Workers
from treewright.kernels.c50_kernels.c50_search import NUMBER, CaseTable
from treewright.kernels.c50_kernels.c50_sorting import SortedColumns
from treewright.typing import Array, Ints


def sorted_columns(table: CaseTable, workers: Workers) -> SortedColumns:
    """All cases sorted by the columns of numbers. Equal numbers stay in the order of the table."""
    columns, n_cases = np.flatnonzero(table.kinds == NUMBER), len(table.labels)
    sizes = np.zeros(len(columns), np.int64)
    cases, places = np.full((len(columns), n_cases), -1, np.int32), np.empty((n_cases, len(columns)), np.int32)

    def sort(p: int, _: int) -> None:
        own = table.values[columns[p]]
        known = np.flatnonzero(own > -np.inf)
        order = known[sorting_order(own[known])]
        sizes[p] = len(order)
        cases[p, : len(order)] = order
        places[:, p] = np.where(np.isnan(own), -1, -2)
        places[order, p] = np.arange(len(order))

    workers.each(len(columns), sort, cells=len(columns) * n_cases)
    return SortedColumns(columns, sizes, cases, places)


def sorting_order(numbers: Array) -> Ints:
    """The order of 32-bit numbers; equal ones stay as they stand. numpy sorts 16 bits at a time much faster."""
    bits = (numbers + np.float32(0.0)).view(np.uint32)  # -0 becomes 0
    bits = np.where(bits >> 31, ~bits, bits | np.uint32(1 << 31))
    by_low = np.argsort(bits.astype(np.uint16), kind="stable")
    return by_low[np.argsort((bits[by_low] >> 16).astype(np.uint16), kind="stable")]
