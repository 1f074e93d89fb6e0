"""The cases of all open nodes, column by column in the order of their codes, and the cells that they make.

A case is a row at a node, with what it adds to the statistics there: all of it, or a part where a missing value takes
every branch. The cases of node f are ``[start[f]:start[f + 1]]``, of the case arrays as of every row of ``order``.
"""

from typing import NamedTuple

import numpy as np

from treewright.kernels.jit import borrowing, inlined_borrowing
from treewright.kernels.search.known_cells import CUTS

# What becomes of rows whose tested value is missing.
NONE, OWN_BRANCH, COMMONEST, BY_SHARE, IN_FULL, STAYING, SURROGATES = range(7)


class KnownColumns(NamedTuple):
    codes: np.ndarray  # (columns, rows) uint32
    n_codes: np.ndarray  # (columns,) int64
    style: np.ndarray  # (columns,) int64: CUTS, or as in levels.py
    policy: np.ndarray  # (columns,) int64: one of those above


class KnownCases(NamedTuple):
    row: np.ndarray  # (cases,) int32
    label: np.ndarray  # (cases,) int32; empty where the target is numeric
    amount: np.ndarray  # (cases, 1) int64 weight, or (cases, 3) moments
    order: np.ndarray  # (columns, cases) int32


class KnownNodes(NamedTuple):
    id: np.ndarray  # (n,) int64
    start: np.ndarray  # (n + 1,) int64
    totals: np.ndarray  # (n, n_stats) int64


@inlined_borrowing
def add_case(cases, case, stats):
    if cases.label.shape[0]:
        stats[cases.label[case]] += cases.amount[case, 0]
    else:
        for s in range(stats.shape[0]):
            stats[s] += cases.amount[case, s]


@borrowing
def add_cells(column, f, columns, cases, nodes, cells, n):
    """Append the cells of a column at node f to the first n; returns how many there are then, and the code that missing
    values count as if they count as the commonest."""
    first, codes, order = n, columns.codes[column], cases.order[column]
    for i in range(nodes.start[f], nodes.start[f + 1]):
        case = order[i]
        code = np.int64(codes[cases.row[case]])
        if n == first or cells.code[n - 1] != code:
            cells.node[n], cells.code[n], cells.rows[n] = f, code, 0
            for s in range(cells.stats.shape[1]):
                cells.stats[n, s] = 0
            n += 1
        cells.rows[n - 1] += 1
        add_case(cases, case, cells.stats[n - 1])
    if columns.policy[column] != COMMONEST:
        return n, np.int64(0)
    return count_as_commonest(columns.style[column] == CUTS, cases.label.shape[0] == 0, cells, first, n)


@borrowing
def count_as_commonest(ordered, numeric, cells, first, n):
    """The missing values of a node become part of its heaviest cell, or of that of the median."""
    is_missing = n > first and cells.code[first] == 0
    known = first + 1 if is_missing else first
    if known == n:
        return first, np.int64(0)
    place = median_cell(numeric, cells, known, n) if ordered else heaviest_cell(numeric, cells, known, n)
    code = cells.code[place]
    if is_missing:
        cells.rows[place] += cells.rows[first]
        for s in range(cells.stats.shape[1]):
            cells.stats[place, s] += cells.stats[first, s]
        n -= 1
        for i in range(first, n):
            cells.code[i], cells.rows[i] = cells.code[i + 1], cells.rows[i + 1]
            for s in range(cells.stats.shape[1]):
                cells.stats[i, s] = cells.stats[i + 1, s]
    return n, code


@inlined_borrowing
def cell_weight(numeric, cells, i):
    if numeric:
        return cells.stats[i, 0]
    weight = np.int64(0)
    for s in range(cells.stats.shape[1]):
        weight += cells.stats[i, s]
    return weight


@borrowing
def heaviest_cell(numeric, cells, first, stop):
    best, most = first, cell_weight(numeric, cells, first)
    for i in range(first + 1, stop):
        weight = cell_weight(numeric, cells, i)
        if weight > most:
            best, most = i, weight
    return best


@borrowing
def median_cell(numeric, cells, first, stop):
    """The first with which half of the weight is reached."""
    whole, running = np.int64(0), np.int64(0)
    for i in range(first, stop):
        whole += cell_weight(numeric, cells, i)
    for i in range(first, stop):
        running += cell_weight(numeric, cells, i)
        if running >= whole - running:
            return i
    return stop - 1
