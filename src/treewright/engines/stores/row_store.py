"""Where the rows of the open nodes lie: listed node by node, in row order and in the sorted order of listed columns."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from treewright.data.encoded import Encoded
from treewright.engines.engine import Found, Frontier
from treewright.engines.target_stats import ClassStats, MomentStats
from treewright.engines.workers import Workers
from treewright.kernels.nodes import RowData
from treewright.kernels.partition import Taken, partition, renumber, reorder, slots
from treewright.tree.build import offsets, spans
from treewright.typing import Array, Ints, Mask

_SCATTERED = 50_000  # rows from which look-ups by row fall out of the fast caches
_SHRUNK = 32  # rows are numbered anew when the average node is this many times smaller than at the last time


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
    """The entries of every open node lie at the same place in every list, and children where their parent was.

    Rows move in two steps, because most of the work is per column and is best done when the column is searched anyway:
    ``route`` notes what is to move, ``begin_round`` moves the list in row order, ``column`` that of one column.
    """

    def __init__(
        self,
        encoded: Encoded,
        target: ClassStats | MomentStats,
        workers: Workers,
        most_branches: int,
        by_value: Array | None = None,
    ) -> None:
        self.bits = target.bits
        self.labels = target.labels
        self.data = RowData(target.bits, *target.row_arrays)
        self.codes = [column.codes for column in encoded.columns]
        self.dtype = np.int64 if encoded.n_rows << target.bits >= 2**32 else np.uint32
        self.side = np.zeros(encoded.n_rows, np.uint8 if most_branches <= 256 else np.uint32)
        self.original = np.arange(encoded.n_rows, dtype=self.dtype)  # row of the table by present number
        self.in_row_order = self._entries(np.arange(encoded.n_rows, dtype=self.dtype))
        self.listed: dict[int, Array] = {}
        if by_value is not None:  # one list more, moved as if it were that of a last column
            self.codes.append(np.empty(0, np.uint8))
            self.listed[len(encoded.columns)] = self._entries(by_value)
        orders = [(j, column.order) for j, column in enumerate(encoded.columns) if column.order is not None]

        def list_column(k: int, worker: int) -> None:
            self.listed[orders[k][0]] = self._entries(orders[k][1])

        workers.each(len(orders), list_column, small=encoded.n_rows < _SCATTERED)
        self._start = np.zeros(1, np.int64)
        self._last_average = float(encoded.n_rows)
        self._taken: Taken | None = None
        self._move: Move | None = None
        self._scratch = [np.empty(0, self.dtype) for _ in range(workers.n_jobs)]

    def _entries(self, rows: Array) -> Array:
        """Rows with their labels in the low bits, in place of the rows if they have the room."""
        labels = self.labels[rows] if self.bits else 0
        entries = rows.astype(self.dtype, copy=False)
        entries <<= self.bits
        entries |= labels
        return entries

    def start(self, nodes: Frontier) -> Ints:
        return self._start[nodes.id]

    def route(self, frontier: Frontier, found: Found, taken: Ints, children: Frontier, wanted: Mask) -> None:
        """Lay the wanted children of each taken node side by side where the node was."""
        first_child = offsets(np.diff(found.child_start)[taken])
        kept_before = offsets(np.where(wanted, children.rows, 0))
        family = np.repeat(np.arange(len(taken)), np.diff(first_child))
        node_start = self.start(frontier)[taken]
        start = node_start[family] + kept_before[:-1] - kept_before[first_child[:-1]][family]
        self._taken = Taken(node_start, node_start + frontier.rows[taken], first_child, np.where(wanted, start, -1))
        more = children.id.max(initial=0) + 1 - len(self._start)
        self._start = np.concatenate([self._start, np.zeros(max(0, more), np.int64)])
        self._start[children.id] = start

    def begin_round(self, nodes: Frontier, *, all_open: bool) -> None:
        """Move the list in row order. Rows may be numbered anew only while ``nodes`` are all that are open."""
        taken, self._taken = self._taken, None
        if taken is not None:
            partition(self.in_row_order, self._room(0, taken), self.bits, self.side, taken)
        due = len(self.side) >= _SCATTERED and nodes.rows.mean() * _SHRUNK <= self._last_average
        self._move = self._number_anew(nodes, taken) if due and all_open else Move(taken, None)

    def _number_anew(self, nodes: Frontier, taken: Taken | None) -> Move:
        """Neighbours in a node become neighbours in memory: look-ups by row find them in the fast caches again."""
        self._last_average = float(nodes.rows.mean())
        start, total = self.start(nodes), int(nodes.rows.sum())
        slot_of_row, row_at_slot = np.empty(len(self.side), self.dtype), np.empty(total, self.dtype)
        slots(self.in_row_order, self.bits, start, nodes.rows, slot_of_row, row_at_slot)
        labels = (1 << self.bits) - 1
        old_labels = self.in_row_order[spans(start, nodes.rows)] & labels
        self.in_row_order = (np.arange(total, dtype=self.dtype) << self.bits) | old_labels
        self.data = RowData(self.bits, *(self._reordered(part, row_at_slot) for part in self.data[1:]))
        self.original = self._reordered(self.original, row_at_slot)
        self._start[nodes.id] = offsets(nodes.rows)[:-1]
        return Move(taken, Slots(start, nodes.rows, slot_of_row, row_at_slot))

    def column(self, j: int, worker: int) -> None:
        """Move one column along with the rows."""
        move = self._move
        if move is None:
            return
        if j in self.listed and move.taken is not None:
            partition(self.listed[j], self._room(worker, move.taken), self.bits, self.side, move.taken)
        if move.slots is None:
            return
        row_at_slot = move.slots.row_at_slot
        if j in self.listed:
            renumber(self.listed[j], self.bits, move.slots.start, move.slots.size, move.slots.slot_of_row)
            self.listed[j] = self.listed[j][: len(row_at_slot)]
        self.codes[j] = self._reordered(self.codes[j], row_at_slot)

    @staticmethod
    def _reordered(values: Array, places: Array) -> Array:
        """In place, because a copy of every column would be as large as the table; an empty array stays empty."""
        if not len(values):
            return values
        reorder(values, places, np.empty(len(places), values.dtype))
        return values[: len(places)]

    def _room(self, worker: int, taken: Taken) -> Array:
        """Room for the largest node to be sorted; one array per worker, kept for the next round."""
        needed = int((taken.stop - taken.start).max(initial=0))
        if len(self._scratch[worker]) < needed:
            self._scratch[worker] = np.empty(needed, self.dtype)
        return self._scratch[worker]
