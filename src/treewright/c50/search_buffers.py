"""What the kernels that search C5.0's nodes work in, made once for a tree."""

from __future__ import annotations

import numpy as np

from treewright.kernels.c50_kernels.c50_counts import NodeCounts
from treewright.kernels.c50_kernels.c50_groups import GroupRoom
from treewright.kernels.c50_kernels.c50_mergers import Groups
from treewright.kernels.c50_kernels.c50_numbers import AT_ONCE, FEW, NumberRoom
from treewright.kernels.c50_kernels.c50_rough_scores import STEP
from treewright.kernels.c50_kernels.c50_search import NOMINAL, NUMBER, CaseTable, ColumnRoom
from treewright.kernels.c50_kernels.c50_sorting import SortedColumns
from treewright.typing import Ints, Mask

_OF_ORDERED = 3  # amounts beside the first that a cut of ordered values needs


def column_room(table: CaseTable, most_values: int, *, subset: bool) -> ColumnRoom:
    """Room to measure one column at a time. Only with ``subset`` levels are grouped, those that have cases."""
    n_cases, n_classes = len(table.labels), table.n_classes
    n_grouped = int(table.n_values[table.kinds == NOMINAL].max(initial=0)) if subset else 0
    groups = group_room(n_classes, most_values, min(n_grouped, n_cases) + 1)
    return ColumnRoom(number_room(n_cases, n_classes), groups, np.zeros(5))


def number_room(n_cases: int, n_classes: int) -> NumberRoom:
    """Room to search a column of numbers with so many cases."""
    n_cuts = n_cases + AT_ONCE if n_classes == 2 else AT_ONCE  # whose class weights are kept at a time
    sums, scratch = np.zeros((2 * n_classes, n_cuts), np.float32), np.zeros((2, n_cuts), np.float32)
    return NumberRoom(
        values=np.zeros(n_cases, np.float32),
        labels=np.zeros(n_cases, np.int64),
        weights=np.zeros(n_cases),
        at=np.zeros(n_cases, np.int64),
        lower=np.zeros(n_cases),
        rough=np.zeros(n_cases + AT_ONCE, np.float32),
        sums=sums,
        bits=sums.view(np.int32),
        scratch=scratch,
        scratch_bits=scratch.view(np.int32),
        greatest=np.zeros(STEP, np.float32),
        below=np.zeros(n_classes),
        rest=np.zeros(n_classes),
        whole=np.zeros(n_classes),
        known=np.zeros(n_classes),
        few=np.zeros((3, FEW), np.int32),
    )


def group_room(n_classes: int, most_values: int, most_groups: int | None = None) -> GroupRoom:
    """Room to group the values of a column, of which there are no more than that; None: each may be a group."""
    size = max(most_values, _OF_ORDERED) + 1
    n = size if most_groups is None else most_groups
    made = Groups(
        counts=np.zeros((n, n_classes)),
        shares=np.zeros((n, n_classes)),
        weights=np.zeros(n),
        information=np.zeros(n),
        terms=np.zeros(n),
        alive=np.zeros(n, np.int64),
        member=np.zeros(size, np.int64),
        size=np.zeros(1, np.int64),
        lost=np.empty((n, n)),  # pages that are not written to take no memory
        is_exact=np.empty((n, n), np.bool_),
        least_lost=np.zeros(n),
    )
    return GroupRoom(
        own=np.zeros(size),
        informations=np.zeros(size),
        terms=np.zeros(size),
        numbers=np.zeros(size, np.int64),
        answer=np.zeros(size, np.int64),
        charges=np.zeros(n + 1),
        sides=np.zeros((2, n_classes)),
        made=made,
    )


def node_counts(table: CaseTable, in_use: Mask, most_values: float, ordered: SortedColumns) -> NodeCounts:
    """Room to count the columns in use that have fewer than so many values."""
    columns: Ints = np.flatnonzero(in_use & (table.kinds != NUMBER) & (table.n_values < most_values))
    starts = np.append(0, np.cumsum(table.n_values[columns] + 1))
    rows_of = np.zeros((len(table.labels), len(columns)), np.uint32)
    for t, (column, start) in enumerate(zip(columns.tolist(), starts.tolist())):
        rows_of[:, t] = (np.nan_to_num(table.values[column]).astype(np.uint32) + start) * table.n_classes
    cells = np.zeros((int(starts[-1]), table.n_classes))
    sides = np.zeros((len(ordered.columns), 2, table.n_classes))
    return NodeCounts(columns, rows_of, starts, cells, cells.reshape(-1), ordered.places, sides, np.zeros(1, np.int64))
