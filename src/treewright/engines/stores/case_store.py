"""Where the cases of the open nodes lie: a run of slots per node, and lists of slots in the order of listed columns."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from treewright.data.encoded import Encoded
from treewright.engines.engine import Frontier
from treewright.engines.fixed_point import Fixed
from treewright.engines.workers import Workers
from treewright.kernels.cases import Cases, Moves, Tests, move_cases, move_list
from treewright.tree.build import offsets
from treewright.typing import Array, Ints

_FEW = 50_000  # cases that are not worth waking other threads for
_PARTS = 16  # in which cases are moved, so that threads end at about the same time


class SortedCases(NamedTuple):
    """A column's cases node by node, sorted by code within a node; missing ones, code 0, stand first."""

    slots: Array
    codes: Array


class CaseStore:
    """Cases move in two steps, as rows do: ``route`` moves the cases, ``column`` the list of one column when it is
    searched next, in the thread that searches it."""

    def __init__(self, encoded: Encoded, weight: Fixed, workers: Workers) -> None:
        n = encoded.n_rows
        self.cases = Cases(np.arange(n, dtype=np.uint32), weight.values, encoded.y)
        self.start, self.stop = np.zeros(1, np.int64), np.array([n])
        self.workers = workers
        self.listed: dict[int, SortedCases] = {}
        self._last: tuple[Ints, Ints, Tests, Moves] | None = None
        columns = [(j, c.codes, c.order) for j, c in enumerate(encoded.columns) if c.order is not None]

        def list_column(k: int, worker: int) -> None:
            j, codes, order = columns[k]
            assert order is not None
            self.listed[j] = SortedCases(order.astype(np.uint32, copy=False), codes[order])

        workers.each(len(columns), list_column, small=n < _FEW)

    def route(self, tests: Tests, side: Array, taken: Ints, children: Frontier) -> None:
        """``children`` are all branches of the taken nodes; those to be searched have their rows counted, others 0."""
        begin, kept = offsets(children.rows), children.rows > 0
        new_start = np.where(kept, begin[:-1], -1)
        n = int(begin[-1])
        old, moves = self.cases, Moves(taken, new_start, side, np.empty(len(side), np.uint32))
        new = Cases(np.empty(n, np.uint32), np.empty(n, np.int64), np.empty(n, old.label.dtype))
        parts = self._in_parts(taken)

        def move(k: int, worker: int) -> None:
            move_cases(self.start, self.stop, old, tests, moves._replace(taken=parts[k]), new)

        self.workers.each(len(parts), move, small=n < _FEW)
        self.cases = new
        self._last = self.start, self.stop, tests, moves
        self.start, self.stop = begin[:-1][kept], begin[1:][kept]

    def _in_parts(self, nodes: Ints) -> list[Ints]:
        """The nodes in a few runs of about as many cases."""
        before = np.cumsum((self.stop - self.start)[nodes])
        at = np.searchsorted(before, before[-1] * np.arange(1, _PARTS) / _PARTS)
        return [part for part in np.split(nodes, at) if len(part)]

    def column(self, j: int) -> None:
        """Move the list of a column along with the cases."""
        if j in self.listed and self._last is not None:
            n, old = len(self.cases.row), self.listed[j]
            new = SortedCases(np.empty(n, np.uint32), np.empty(n, old.codes.dtype))
            move_list(*old, *self._last, *new)
            self.listed[j] = new
