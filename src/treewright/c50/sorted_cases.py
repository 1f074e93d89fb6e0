"""The cases of a table sorted by its columns of numbers, and room to search such a column."""

from __future__ import annotations

import numpy as np

from treewright.engines.workers import Workers
from treewright.kernels.c50_kernels.c50_numbers import AT_ONCE, NumberRoom
from treewright.kernels.c50_kernels.c50_search import NUMBER, CaseTable
from treewright.kernels.c50_kernels.c50_sorting import SortedColumns


def sorted_columns(table: CaseTable, workers: Workers) -> SortedColumns:
    """All cases sorted by the columns of numbers. Equal numbers stay in the order of the table."""
    columns, n_cases = np.flatnonzero(table.kinds == NUMBER), len(table.labels)
    sizes = np.zeros(len(columns), np.int64)
    cases, places = np.full((2, len(columns), n_cases), -1, np.int32)

    def sort(p: int, _: int) -> None:
        own = table.values[columns[p]]
        known = np.flatnonzero(own > -np.inf)
        order = known[np.argsort(own[known], kind="stable")]
        sizes[p] = len(order)
        cases[p, : len(order)] = order
        places[p, order] = np.arange(len(order))

    workers.each(len(columns), sort, cells=len(columns) * n_cases)
    return SortedColumns(columns, sizes, cases, places)


def number_room(n_cases: int, n_classes: int) -> NumberRoom:
    """Room to search a column of numbers with so many cases."""
    sums, scratch = np.zeros((2 * n_classes, AT_ONCE), np.float32), np.zeros((2, AT_ONCE), np.float32)
    return NumberRoom(
        values=np.zeros(n_cases, np.float32),
        labels=np.zeros(n_cases, np.int64),
        weights=np.zeros(n_cases),
        at=np.zeros(n_cases, np.int64),
        rough=np.zeros(n_cases, np.float32),
        sums=sums,
        bits=sums.view(np.int32),
        scratch=scratch,
        scratch_bits=scratch.view(np.int32),
        below=np.zeros(n_classes),
        rest=np.zeros(n_classes),
    )
