"""What the kernels that search C5.0's nodes work in, made once for a tree."""

from __future__ import annotations

import numpy as np

from treewright.kernels.c50_kernels.c50_counts import NodeCounts
from treewright.kernels.c50_kernels.c50_groups import GroupRoom
from treewright.kernels.c50_kernels.c50_mergers import Groups
from treewright.kernels.c50_kernels.c50_numbers import AT_ONCE, FEW, NumberRoom
from treewright.kernels.c50_kernels.c50_search import NUMBER, CaseTable, ColumnRoom
from treewright.kernels.c50_kernels.c50_sorting import SortedColumns
from treewright.typing import Ints, Mask

_USUAL_GROUPS = 64


def column_room(n_cases: int, n_classes: int, most_values: int) -> ColumnRoom:
    """Room to measure one column at a time."""
    return ColumnRoom(number_room(n_cases, n_classes), group_room(n_classes, most_values), np.zeros(5))


def number_room(n_cases: int, n_classes: int) -> NumberRoom:
    """Room to search a column of numbers with so many cases."""
    sums, scratch = np.zeros((2 * n_classes, AT_ONCE), np.float32), np.zeros((2, AT_ONCE), np.float32)
    return NumberRoom(
        values=np.zeros(n_cases, np.float32),
        labels=np.zeros(n_cases, np.int64),
        weights=np.zeros(n_cases),
        at=np.zeros(n_cases, np.int64),
        rough=np.zeros(n_cases + AT_ONCE, np.float32),
        sums=sums,
        bits=sums.view(np.int32),
        scratch=scratch,
        scratch_bits=scratch.view(np.int32),
        below=np.zeros(n_classes),
        rest=np.zeros(n_classes),
        whole=np.zeros(n_classes),
        known=np.zeros(n_classes),
        few=np.zeros((3, FEW), np.int32),
    )


def group_room(n_classes: int, most_values: int) -> GroupRoom:
    """Room to group the values of a column, of which there are no more than that."""
    size = most_values + 1
    made = Groups(
        counts=np.zeros((size, n_classes)),
        weights=np.zeros(size),
        information=np.zeros(size),
        terms=np.zeros(size),
        alive=np.zeros(size, np.int64),
        member=np.zeros(size, np.int64),
        size=np.zeros(1, np.int64),
        least_lost=np.zeros(size),
    )
    usual = min(size, _USUAL_GROUPS)
    return GroupRoom(
        own=np.zeros(size),
        informations=np.zeros(size),
        numbers=np.zeros(size, np.int64),
        answer=np.zeros(size, np.int64),
        made=made,
        lost=np.zeros((usual, usual)),
    )


def node_counts(table: CaseTable, in_use: Mask, most_values: float, ordered: SortedColumns) -> NodeCounts:
    """Room to count the columns in use that have fewer than so many values."""
    columns: Ints = np.flatnonzero(in_use & (table.kinds != NUMBER) & (table.n_values < most_values))
    codes = np.zeros((len(table.labels), len(columns)), np.int32)
    for t, column in enumerate(columns.tolist()):
        codes[:, t] = np.nan_to_num(table.values[column])
    starts = np.append(0, np.cumsum(table.n_values[columns] + 1))
    cells = np.zeros((int(starts[-1]), table.n_classes))
    sides = np.zeros((len(ordered.columns), 2, table.n_classes))
    return NodeCounts(columns, codes, starts, cells, ordered.places, sides, np.zeros(1, np.int64))
