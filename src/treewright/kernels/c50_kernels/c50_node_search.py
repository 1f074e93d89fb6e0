"""The search of a node: its cases sorted by every column of numbers, and the column that is chosen."""

from typing import NamedTuple

import numpy as np

from treewright.kernels.c50_kernels.c50_counts import NodeCounts, count_levels, count_sides
from treewright.kernels.c50_kernels.c50_frames import (
    COUNTS,
    FROM,
    GROW_BRANCHES,
    NODE,
    ORDER_AT,
    ORDER_SIZE,
    STEP,
    TO,
    WEIGHT,
)
from treewright.kernels.c50_kernels.c50_information import single, total_information
from treewright.kernels.c50_kernels.c50_numbers import FEW, best_cut, best_cut_of_sorted, gather_few
from treewright.kernels.c50_kernels.c50_search import (
    CaseTable,
    ColumnRoom,
    NodeCases,
    SearchOptions,
    TestsOfColumns,
    chosen_column,
    gather_node,
    measure_table,
)
from treewright.kernels.c50_kernels.c50_sorting import SortedColumns, is_little_to_pick, pick_cases, sort_cases
from treewright.kernels.jit import borrowing, inlined_borrowing

UNLIMITED = 1e18  # leaves


class Search(NamedTuple):
    """What nodes are searched with."""

    table: CaseTable
    sorted: SortedColumns
    options: SearchOptions
    in_use: np.ndarray  # (columns,) bool
    found: TestsOfColumns
    here: NodeCases
    counts: NodeCounts
    room: ColumnRoom
    is_here: np.ndarray  # (cases,) bool: the cases of a node, while others are left out of a list
    orders: np.ndarray  # int32: sorted cases of the nodes on the way
    known: np.ndarray  # (depth, numbers) int64: how many of a node's cases have a number


@inlined_borrowing
def above_of(frames, d):
    """The nearest frame below this one on the stack whose sorted cases include its own; -1: there is none."""
    while d > 0 and frames.whole[d - 1, STEP] == GROW_BRANCHES:
        d -= 1
        if frames.whole[d, ORDER_SIZE] >= 0:
            return d
    return -1


@inlined_borrowing
def place_orders(frames, d, search):
    """Find room for the sorted cases of a frame; returns the frame they are picked from.

    They stand behind those they are picked from. Where there is no room left, they take their place.
    """
    above, n_numbers = above_of(frames, d), len(search.sorted.columns)
    n, at = frames.whole[d, TO] - frames.whole[d, FROM], 0
    if above >= 0:
        at = frames.whole[above, ORDER_AT] + n_numbers * frames.whole[above, ORDER_SIZE]
        if at + n_numbers * n > len(search.orders):
            at = frames.whole[above, ORDER_AT]
    frames.whole[d, ORDER_AT] = at
    return above


@inlined_borrowing
def sort_column(work, frames, d, above, p, search):
    """Sort the cases of a frame, which are marked, by a column of numbers."""
    first, last = frames.whole[d, FROM], frames.whole[d, TO]
    n, orders, known = last - first, search.orders, search.sorted.sizes[p]
    at = frames.whole[d, ORDER_AT] + p * n
    out = orders[at : at + n]
    n_above = len(search.is_here) if above < 0 else frames.whole[above, ORDER_SIZE]
    if not is_little_to_pick(n_above, n):
        whole = search.sorted
        search.known[d, p] = sort_cases(whole.cases[p], whole.places, p, work.cases[first:last], out)
    elif above < 0:
        search.known[d, p] = pick_cases(search.sorted.cases[p, :known], search.is_here, out)
    else:
        at = frames.whole[above, ORDER_AT] + p * n_above
        cases_above = orders[at : at + search.known[above, p]]
        search.known[d, p] = pick_cases(cases_above, search.is_here, out)


@inlined_borrowing
def mark(work, frames, d, on, search):
    """Mark the cases of a frame."""
    for i in range(frames.whole[d, FROM], frames.whole[d, TO]):
        search.is_here[work.cases[i]] = on


@mark.in_numpy
def mark_in_numpy(work, frames, d, on, search):
    search.is_here[work.cases[frames.whole[d, FROM] : frames.whole[d, TO]]] = on


@inlined_borrowing
def finish_orders(work, frames, d, above, search):
    """All columns are sorted. Where the lists they were picked from have been written over, they are gone."""
    mark(work, frames, d, False, search)
    frames.whole[d, ORDER_SIZE] = frames.whole[d, TO] - frames.whole[d, FROM]
    if above >= 0 and frames.whole[d, ORDER_AT] == frames.whole[above, ORDER_AT]:
        frames.whole[above, ORDER_SIZE] = -1


@inlined_borrowing
def allowed_leaves(stops, weight):
    """How many leaves a node of this weight may have."""
    per_case = stops.leaves_per_case
    return UNLIMITED if per_case < 0.0 else np.rint(single(per_case * weight))


@inlined_borrowing
def measure_numbers(work, tree, frames, d, first, last, room, search):
    """What testing the columns of numbers from ``first`` to ``last`` would gain.

    The frame's cases are gathered, and sorted unless they are few.
    """
    n, counts, here, found = frames.whole[d, TO] - frames.whole[d, FROM], search.counts, search.here, search.found
    base, least = base_of(tree, frames.whole[d, NODE]), search.options.least
    count_sides(counts, here, n, first, last)
    for p in range(first, last):
        j, at = search.sorted.columns[p], frames.whole[d, ORDER_AT] + p * n
        if not search.in_use[j]:
            continue
        column, sides = search.table.values[j], counts.sides[p]
        if n <= FEW:
            m = gather_few(column, counts.places, p, here, n, room.numbers)
            best_cut_of_sorted(m, sides, base, least, room.numbers, room.amounts)
        else:
            order = search.orders[at : at + search.known[d, p]]
            best_cut(column, order, work.weighed, sides, base, least, room.numbers, room.amounts)
        found.gain[j], found.information[j], found.cut[j] = room.amounts[0], room.amounts[1], room.amounts[2]
        found.n_branches[j] = 3


@inlined_borrowing
def base_of(tree, node):
    """The information of a node's classes, a case."""
    return total_information(tree.real[node, COUNTS:]) / tree.real[node, WEIGHT]


@inlined_borrowing
def measure_levels(work, tree, frames, d, first, last, room, search):
    """The same of columns of levels; the frame's cases are gathered."""
    node, counts, options = frames.whole[d, NODE], search.counts, search.options
    total, base = tree.real[node, WEIGHT], base_of(tree, node)
    allowance = allowed_leaves(work.stops, total)
    count_levels(counts, search.here, frames.whole[d, TO] - frames.whole[d, FROM], first, last)
    for t in range(first, last):
        j = counts.columns[t]
        cells = counts.cells[counts.starts[t] : counts.starts[t + 1]]
        measure_table(search.table, j, cells, work.tested[j] > 0, options, allowance, base, total, room, search.found)


@inlined_borrowing
def search_node(work, tree, frames, d, search):
    """Choose the column to test at the node of a frame; -1: none."""
    first, last = frames.whole[d, FROM], frames.whole[d, TO]
    if last - first > FEW:
        above = place_orders(frames, d, search)
        mark(work, frames, d, True, search)
        for p in range(len(search.sorted.columns)):
            sort_column(work, frames, d, above, p, search)
        finish_orders(work, frames, d, above, search)
    gather_node(work.cases[first:last], work.weighed, search.here)
    measure_numbers(work, tree, frames, d, 0, len(search.sorted.columns), search.room, search)
    measure_levels(work, tree, frames, d, 0, len(search.counts.columns), search.room, search)
    return choose(tree, frames, d, search)


# ---- the same in steps, for several threads ----------------------------------------------------------------------


@borrowing
def begin_search(work, frames, d, search):
    """The frame that cases are picked from; whether they are still to be sorted.

    Where the lists of that frame are written over they are sorted here, in turn.
    """
    above = place_orders(frames, d, search)
    mark(work, frames, d, True, search)
    is_written_over = above >= 0 and frames.whole[d, ORDER_AT] == frames.whole[above, ORDER_AT]
    for p in range(len(search.sorted.columns) if is_written_over else 0):
        sort_column(work, frames, d, above, p, search)
    gather_node(work.cases[frames.whole[d, FROM] : frames.whole[d, TO]], work.weighed, search.here)
    return above, not is_written_over


@borrowing
def search_part(work, tree, frames, d, above, sorts, numbers, levels, room, search):
    """Measure a part of the columns of numbers and of levels: from the first of a pair to before the second."""
    for p in range(numbers[0], numbers[1] if sorts else 0):
        sort_column(work, frames, d, above, p, search)
    measure_numbers(work, tree, frames, d, numbers[0], numbers[1], room, search)
    measure_levels(work, tree, frames, d, levels[0], levels[1], room, search)


@borrowing
def end_search(work, tree, frames, d, above, search):
    """The column that is chosen."""
    finish_orders(work, frames, d, above, search)
    return choose(tree, frames, d, search)


@inlined_borrowing
def choose(tree, frames, d, search):
    """The column of the best test, when all columns in use have been measured."""
    total = tree.real[frames.whole[d, NODE], WEIGHT]
    return chosen_column(search.in_use, search.table.n_values, search.found, search.options, total)
