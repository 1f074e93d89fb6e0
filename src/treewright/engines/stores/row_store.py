"""Whole rows in this machine's memory, for compiled searches: listed node by node, in row order and in the sorted order
of columns of many values."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from treewright.data.encoded import Encoded, SortedColumn
from treewright.data.numeric import Workspace
from treewright.engines.stores.case_medians import by_target, units_of
from treewright.engines.stores.node_cells import Cells
from treewright.engines.stores.store import Frontier, Sent, Tests
from treewright.engines.target_stats import MedianStats, TargetStats
from treewright.engines.workers import Workers
from treewright.kernels.search.count import CodeCounts, count_cells, list_cells, new_tally
from treewright.kernels.search.medians import RankedTarget, branch_medians, rank_rows
from treewright.kernels.store_kernels.nodes import RowData
from treewright.kernels.store_kernels.partition import Taken, partition, renumber, reorder, slots
from treewright.kernels.store_kernels.send import Branches, send_rows
from treewright.tree.build import offsets, spans
from treewright.typing import Array, Floats, Ints, Mask

_NO_CODES = np.empty(0, np.uint8)


@dataclass(frozen=True)
class Renumbering:
    """When rows are numbered anew, so that neighbours in a node are neighbours in memory."""

    least_rows: int = 50_000  # from which look-ups by row fall out of the fast caches
    shrunk: int = 32  # when the average node is this many times smaller than at the last time


class Slots(NamedTuple):
    """New numbers of all rows of the open nodes, which start here and are of this size."""

    start: Ints
    size: Ints
    slot_of_row: Array
    row_at_slot: Array


class Move(NamedTuple):
    """Rows of split nodes to be sorted into branches, and perhaps all rows to be numbered anew."""

    taken: Taken | None
    slots: Slots | None


class RowStore:
    """See ``Store``. The entries of every open node lie at the same place in every list, and children where their
    parent was. The lists are the store's own; the codes of the table are copied before rows are numbered anew.

    Rows move in two steps, because most of the work is per column and is best done when the column is searched anyway:
    ``keep`` notes what is to move, ``open`` moves the list in row order, ``column`` that of one column.
    """

    def __init__(
        self,
        encoded: Encoded,
        target: TargetStats,
        workers: Workers,
        *,
        all_open: bool = True,
        renumbering: Renumbering | None = None,
    ) -> None:
        self.encoded = encoded
        self.target = target
        self.workers = workers
        self.all_open = all_open  # whether the nodes of a round are all that are open
        self.renumbering = renumbering or Renumbering()
        self.bits = target.bits
        self.data = RowData(target.bits, *target.row_arrays)
        n, columns = encoded.n_rows, encoded.columns
        self.dtype = np.int64 if n << target.bits >= 2**32 else np.uint32
        # What is known of sorted columns is noted when they are ranked.
        self.codes: list[Array] = [_NO_CODES if column.is_sorted else column.codes for column in columns]
        self.n_codes = [2 if column.is_sorted else column.n_codes for column in columns]
        self.has_missing = [not column.is_sorted and column.has_missing for column in columns]
        self.is_tied = [True] * len(columns)
        self._owned = [column.is_sorted for column in columns]
        self._side_type = np.dtype(np.uint8 if max(self.n_codes, default=2) <= 256 else np.uint32)
        self.side = np.zeros(n, self._side_type)
        self.original = np.arange(n, dtype=self.dtype)  # row of the table by present number
        self.in_row_order = self._entries(np.arange(n, dtype=self.dtype))
        self.sorted_columns = self._sorted_lists()
        self.nodes = Frontier(*(np.zeros(1, np.int64),) * 2, np.array([n]), target.whole[None, :], np.zeros(1, bool))
        self._start = np.zeros(1, np.int64)
        self._last_average = float(n)
        self._taken: Taken | None = None
        self._move: Move | None = None
        self._moved: set[int] = set()  # columns that have been moved in this round
        self._scratch = [np.empty(0, self.dtype) for _ in range(workers.n_jobs)]
        self._largest = 0  # rows of the largest node whose lists are to be moved

    def _sorted_lists(self) -> dict[int, Array]:
        sorted_columns: dict[int, Array] = {}
        many_valued = [(j, column) for j, column in enumerate(self.encoded.columns) if column.is_sorted]
        workspaces = [Workspace() for _ in range(self.workers.n_jobs)]

        def list_column(k: int, worker: int) -> None:
            j, column = many_valued[k]
            ranks = column.new_ranks(workspaces[worker])
            self.codes[j], self.n_codes[j], self.has_missing[j] = ranks.codes, ranks.n_codes, ranks.has_missing
            self.is_tied[j] = ranks.is_tied
            self._owned[j] = isinstance(column, SortedColumn)
            sorted_columns[j] = self._entries(ranks.order.astype(self.dtype, copy=False))

        self.workers.each(len(many_valued), list_column, cells=self.encoded.n_rows * len(many_valued))
        return sorted_columns

    def _entries(self, rows: Array) -> Array:
        """Rows with their labels in the low bits, in place of the rows."""
        labels = self.target.labels[rows] if self.bits else 0
        rows <<= self.bits
        rows |= labels
        return rows

    @cached_property
    def tallies(self) -> dict[int, CodeCounts]:
        histogram_columns = ((j, n_codes) for j, n_codes in enumerate(self.n_codes) if j not in self.sorted_columns)
        return {j: new_tally(n_codes, self.target.n_stats) for j, n_codes in histogram_columns}

    def tally(self, column: int) -> CodeCounts:
        """Room to count the codes of a column; columns of many codes have none to keep."""
        kept = self.tallies.get(column)
        return new_tally(self.n_codes[column], self.target.n_stats) if kept is None else kept

    def totals(self) -> Ints:
        return self.target.whole

    # ---- where rows are ----------------------------------------------------------------------------------------

    def begin_at(self, nodes: Frontier) -> None:
        """As if the rows had been sent to these nodes from one: lists are sorted by node when they are first used."""
        n, n_nodes, start = len(self.side), len(nodes), offsets(nodes.rows)
        self.side = np.repeat(np.arange(n_nodes, dtype=np.uint8 if n_nodes <= 256 else np.uint32), nodes.rows)
        self.side = self.side.astype(np.result_type(self.side, self._side_type), copy=False)
        self._start = start[:-1]
        self._taken = Taken(np.zeros(1, np.int64), np.array([n]), np.array([0, n_nodes]), self._start.copy())
        self._last_average = float(nodes.rows.mean())

    def branch_rows(self, nodes: Frontier, sent: Sent, tests: Tests, taken: Ints) -> Ints:
        rows = self.in_row_order[spans(self.start(nodes)[taken], nodes.rows[taken])] >> self.bits
        child = np.repeat(tests.child_start[taken], nodes.rows[taken]) + self.side[rows]
        return np.asarray(self.original[rows[np.argsort(child, kind="stable")]].astype(np.int64))

    def start(self, nodes: Frontier) -> Ints:
        return self._start[nodes.id]

    def keep(self, nodes: Frontier, sent: Sent, tests: Tests, taken: Ints, children: Frontier, wanted: Mask) -> None:
        """Lay the wanted children of each taken node side by side where the node was."""
        first_child = offsets(tests.n_branches[taken])
        kept_before = offsets(np.where(wanted, children.rows, 0))
        family = np.repeat(np.arange(len(taken)), np.diff(first_child))
        node_start = self.start(nodes)[taken]
        start = node_start[family] + kept_before[:-1] - kept_before[first_child[:-1]][family]
        self._taken = Taken(node_start, node_start + nodes.rows[taken], first_child, np.where(wanted, start, -1))
        more = children.id.max(initial=0) + 1 - len(self._start)
        self._start = np.concatenate([self._start, np.zeros(max(0, more), np.int64)])
        self._start[children.id] = start

    def open(self, nodes: Frontier, *, renumber: bool = True) -> None:
        """Move the list in row order. Rows may be numbered anew only while these nodes are all that are open."""
        self.nodes, self._moved = nodes, set()
        taken, self._taken = self._taken, None
        if taken is not None:
            self._largest = int((taken.stop - taken.start).max(initial=0))
            partition(self.in_row_order, self._room(0), self.bits, self.side, taken)
        shrunk = nodes.rows.mean() * self.renumbering.shrunk <= self._last_average
        due = renumber and self.all_open and len(self.side) >= self.renumbering.least_rows and shrunk
        self._move = self._number_anew(nodes, taken) if due else Move(taken, None)

    def _number_anew(self, nodes: Frontier, taken: Taken | None) -> Move:
        """Neighbours in a node become neighbours in memory: look-ups by row find them in the fast caches again."""
        self._last_average = float(nodes.rows.mean())
        start, total = self.start(nodes), int(nodes.rows.sum())
        slot_of_row, row_at_slot = np.empty(len(self.side), self.dtype), np.empty(total, self.dtype)
        slots(self.in_row_order, self.bits, start, nodes.rows, slot_of_row, row_at_slot)
        labels = (1 << self.bits) - 1
        old_labels = self.in_row_order[spans(start, nodes.rows)] & labels
        self.in_row_order = (np.arange(total, dtype=self.dtype) << self.bits) | old_labels
        self.data = RowData(self.bits, *(_reordered(part, row_at_slot) for part in self.data[1:]))
        self.original = _reordered(self.original, row_at_slot)
        self._start[nodes.id] = offsets(nodes.rows)[:-1]
        return Move(taken, Slots(start, nodes.rows, slot_of_row, row_at_slot))

    def column(self, j: int, worker: int) -> None:
        """Move one column along with the rows; the target is moved as if it were the last column."""
        move = self._move
        if move is None or j in self._moved:
            return
        self._moved.add(j)
        if j in self.sorted_columns and move.taken is not None:
            partition(self.sorted_columns[j], self._room(worker), self.bits, self.side, move.taken)
        if move.slots is None:
            return
        row_at_slot = move.slots.row_at_slot
        if j in self.sorted_columns:
            renumber(self.sorted_columns[j], self.bits, move.slots.start, move.slots.size, move.slots.slot_of_row)
            self.sorted_columns[j] = self.sorted_columns[j][: len(row_at_slot)]
        if j < len(self.codes):
            self.codes[j] = _reordered(self.codes[j], row_at_slot) if self._owned[j] else self.codes[j][row_at_slot]
            self._owned[j] = True

    def _room(self, worker: int) -> Array:
        """Room for the largest node to be sorted; one array per worker, kept for the next round."""
        if len(self._scratch[worker]) < self._largest:
            self._scratch[worker] = np.empty(self._largest, self.dtype)
        return self._scratch[worker]

    # ---- what they add up to -----------------------------------------------------------------------------------

    def cells(self, column: int, worker: int = 0) -> Cells:
        self.column(column, worker)
        start, rows = self.start(self.nodes), self.nodes.rows
        n_codes, n_nodes = self.n_codes[column], len(rows)
        most = int(np.minimum(rows, n_codes).sum())
        first, codes, counts = np.empty(n_nodes + 1, np.int64), np.empty(most, np.int64), np.empty(most, np.int64)
        stats = np.empty((most, self.target.n_stats), np.int64)
        made = first, codes, counts, stats
        if column in self.sorted_columns:
            entries = self.sorted_columns[column]
            n = list_cells(self.codes[column], entries, start, start + rows, self.data, *made)
        else:
            tally = self.tally(column)
            n = count_cells(self.codes[column], self.in_row_order, start, start + rows, self.data, tally, *made)
        return Cells(np.repeat(np.arange(n_nodes), np.diff(first)), codes[:n], counts[:n], stats[:n])

    def send(self, tests: Tests) -> Sent:
        child_start = tests.child_start
        n_branches, columns = int(child_start[-1]), tests.columns
        found = Branches(
            np.zeros(n_branches, np.int64), np.zeros((n_branches, self.target.n_stats), np.int64),
            np.zeros(len(tests.column), np.int64),
        )  # fmt: skip
        start = self.start(self.nodes)
        to = tests.branch_of.copy()
        to[to < 0] = 0  # nobody is there: missing values that are have a branch of their own

        def send(k: int, worker: int) -> None:
            chosen = np.flatnonzero(tests.column == columns[k])
            send_rows(
                self.codes[columns[k]], self.in_row_order, chosen, start, start + self.nodes.rows, self.data,
                tests.is_cut, tests.cut, tests.branch_start, to, child_start, self.side, found,
            )  # fmt: skip

        self.workers.each(len(columns), send, cells=int(self.nodes.rows.sum()) * len(columns))
        of_missing = tests.of_missing(self.target.plain_weights(found.stats))
        return Sent(found.rows, found.stats, found.n_missing, of_missing)

    # ---- medians -----------------------------------------------------------------------------------------------

    def list_target(self) -> None:
        """Keep the rows of every node in the order of the target as well."""
        weight = None if self.target.weight is None else self.target.weight.values
        self.sorted_columns[self.target_list] = self._entries(by_target(self.encoded.y, weight).astype(self.dtype))

    @property
    def target_list(self) -> int:
        return len(self.codes)

    @cached_property
    def _y(self) -> Floats:
        assert isinstance(self.target, MedianStats)
        return units_of(self.target, self.encoded)

    def ranked(self) -> RankedTarget:
        """The rows of every open node by rank of y."""
        start, rows = self.start(self.nodes), self.nodes.rows
        base = offsets(rows + 2)
        n_places, n_rows = int(base[-1]), self.encoded.n_rows
        weight, moment, _ = self.data[1:]
        weights = np.zeros(n_places if len(weight) else 0, np.int64)
        ranked = RankedTarget(
            np.empty(n_rows, np.uint32), base[:-1], weights, np.zeros(n_places, np.int64), np.zeros(n_places)
        )
        by_value = self.sorted_columns[self.target_list]
        rank_rows(by_value, start, start + rows, weight, moment, self._y, self.original, ranked)
        return ranked

    def medians(self, sums: Ints, centre: Floats, tests: Tests | None = None, sent: Sent | None = None) -> Floats:
        found, start = np.zeros((len(sums), 3)), self.start(self.nodes)
        if tests is None:
            chosen, child_start = np.zeros(1, np.int64), np.array([0, 1])
        else:
            chosen, child_start = np.flatnonzero(tests.n_branches), tests.child_start
        where = chosen, self.sorted_columns[self.target_list], start, start + self.nodes.rows, self.side, child_start
        branch_medians(*where, sums, self.ranked(), self.encoded.y, self.original, centre, found)
        return found


def _reordered(values: Array, places: Array) -> Array:
    """In place, because a copy of every column would be as large as the table; an empty array stays empty."""
    if not len(values):
        return values
    reorder(values, places, np.empty(len(places), values.dtype))
    return values[: len(places)]
