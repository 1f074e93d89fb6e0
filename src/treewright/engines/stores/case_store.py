"""Rows in parts, for C4.5's compiled search: a row whose tested value is missing goes down every branch by share.

The cases of an open node are a run of slots, and columns of many values have lists of slots in their sorted order.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from treewright.data.encoded import Encoded
from treewright.engines.stores.node_cells import Cases as PlainCases
from treewright.engines.stores.node_cells import Cells, cells_of
from treewright.engines.stores.store import Frontier, Sent, Tests
from treewright.engines.target_stats import ClassStats
from treewright.engines.workers import Workers
from treewright.kernels.store_kernels.cases import CaseArrays, Moves, Parted, move_cases, move_list, send_cases
from treewright.split import EVERY_BRANCH
from treewright.tree.build import offsets, spans
from treewright.typing import Array, Ints, Mask

_PARTS = 16  # in which cases are moved, so that threads end at about the same time


class SortedCases(NamedTuple):
    """A column's cases node by node, sorted by code within a node; missing ones, code 0, stand first."""

    slots: Array
    codes: Array


@dataclass
class OpenCases:
    """The cases of some nodes. The lists of columns are moved on when they are first asked for, in the thread that
    searches the column: until then they stand in the lists of the nodes' parents."""

    cases: CaseArrays
    start: Ints
    stop: Ints
    lists: dict[int, SortedCases] = field(default_factory=dict)
    before: tuple[OpenCases, Parted, Moves] | None = None

    def list_of(self, column: int) -> SortedCases:
        if column not in self.lists:
            assert self.before is not None
            parents, parted, moves = self.before
            old, n = parents.list_of(column), len(self.cases.row)
            new = SortedCases(np.empty(n, np.uint32), np.empty(n, old.codes.dtype))
            move_list(*old, parents.start, parents.stop, parted, moves, *new)
            self.lists[column] = new
        return self.lists[column]


class CaseStore:
    """See ``Store``. Where cases are is kept with what was sent: so nodes may wait while others are split."""

    def __init__(self, encoded: Encoded, target: ClassStats, workers: Workers) -> None:
        assert target.weight is not None
        self.encoded = encoded
        self.target = target
        self.workers = workers
        n = encoded.n_rows
        cases = CaseArrays(np.arange(n, dtype=np.uint32), target.weight.values, encoded.y)
        self.at = OpenCases(cases, np.zeros(1, np.int64), np.array([n]), self._sorted_lists())
        self.sorted_columns = frozenset(self.at.lists)

    def _sorted_lists(self) -> dict[int, SortedCases]:
        sorted_columns: dict[int, SortedCases] = {}
        columns = [(j, column) for j, column in enumerate(self.encoded.columns) if column.is_sorted]

        def list_column(k: int, worker: int) -> None:
            j, column = columns[k]
            order = np.asarray(column.order)
            sorted_columns[j] = SortedCases(order.astype(np.uint32, copy=False), column.codes[order])

        self.workers.each(len(columns), list_column, cells=self.encoded.n_rows * len(columns))
        return sorted_columns

    def totals(self) -> Ints:
        return self.target.whole

    def open(self, nodes: Frontier) -> None:
        """The nodes are those that were kept last."""

    def cells(self, column: int, worker: int = 0) -> Cells:
        at, coded = self.at, self.encoded.columns[column]
        node = np.repeat(np.arange(len(at.start)), at.stop - at.start)
        cases = PlainCases(at.cases.row, node, at.cases.label, at.cases.weight[:, None])
        codes = coded.codes[at.cases.row].astype(np.int64)
        return cells_of(cases, codes, len(at.start), coded.n_codes, self.target.n_stats)

    def send(self, tests: Tests) -> Sent:
        at, child_start = self.at, tests.child_start
        n, columns = int(child_start[-1]), tests.columns
        parted = Parted(
            child_start, np.zeros(len(tests.column), np.int64), np.zeros(n, np.int64),
            np.zeros((n, self.target.n_stats), np.int64), np.zeros(n, np.int64),
        )  # fmt: skip
        side = np.full(len(at.cases.row), EVERY_BRANCH, np.int32)

        def send(k: int, worker: int) -> None:
            chosen, codes = np.flatnonzero(tests.column == columns[k]), self.encoded.columns[columns[k]].codes
            send_cases(
                codes, chosen, at.start, at.stop, at.cases, tests.is_cut, tests.cut, tests.branch_start,
                tests.branch_of, parted, side,
            )  # fmt: skip

        self.workers.each(len(columns), send, cells=len(side) * len(columns))
        of_missing = np.full(len(tests.column), EVERY_BRANCH)
        return Sent(parted.rows, parted.stats, parted.n_missing, of_missing, (at, parted, side))

    def keep(self, nodes: Frontier, sent: Sent, tests: Tests, taken: Ints, children: Frontier, wanted: Mask) -> None:
        at, parted, side = sent.place
        kept_rows = np.zeros(len(parted.rows), np.int64)
        kept_rows[spans(tests.child_start[taken], tests.n_branches[taken])] = np.where(wanted, children.rows, 0)
        begin, kept = offsets(kept_rows), kept_rows > 0
        n, old = int(begin[-1]), at.cases
        moves = Moves(taken, np.where(kept, begin[:-1], -1), side, np.empty(len(side), np.uint32))
        new = CaseArrays(np.empty(n, np.uint32), np.empty(n, np.int64), np.empty(n, old.label.dtype))
        parts = _in_parts(taken, at.stop - at.start)

        def move(k: int, worker: int) -> None:
            move_cases(at.start, at.stop, old, parted, moves._replace(taken=parts[k]), new)

        self.workers.each(len(parts), move, cells=n)
        at.before = None  # all lists of the parents have been asked for
        self.at = OpenCases(new, begin[:-1][kept], begin[1:][kept], before=(at, parted, moves))


def _in_parts(nodes: Ints, sizes: Ints) -> list[Ints]:
    """The nodes in a few runs of about as many cases."""
    before = np.cumsum(sizes[nodes])
    at = np.searchsorted(before, before[-1] * np.arange(1, _PARTS) / _PARTS)
    return [part for part in np.split(nodes, at) if len(part)]
