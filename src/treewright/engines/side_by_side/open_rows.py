"""The rows at the open nodes of many trees, node after node, and what they say of columns that nodes look at.

A *visit* is a node and a column it looks at. Visits are answered many at a time: to numpy a call on ten numbers takes
as long as on a thousand.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from treewright.tree.build import offsets, spans
from treewright.typing import Array, Ints, Mask

EVERY = slice(None)
KEY_BITS = 63  # of a number that is sorted


class Visits(NamedTuple):
    """In the order of their nodes."""

    node: Ints
    column: Ints

    def of(self, pick: Ints) -> Visits:
        return Visits(self.node[pick], self.column[pick])


@dataclass(frozen=True)
class OpenRows:
    """A row is there once for every tree that has it."""

    codes: Array  # (columns, rows of the table)
    row: Ints
    sizes: Ints  # of every open node; its rows stand together
    label: Array  # class codes; nothing where the target is numeric
    amounts: Ints  # (1, rows) weights, or (3, rows) weights, moments and squares

    @cached_property
    def start(self) -> Ints:
        return offsets(self.sizes)

    def take(self, pick: Ints, sizes: Ints) -> OpenRows:
        """Some of the rows, which are those of other nodes now."""
        label = self.label[pick] if len(self.label) else self.label
        return OpenRows(self.codes, self.row[pick], sizes, label, self.amounts[:, pick])

    def parts(self, n_stats: int, pick: Ints | slice = EVERY) -> Iterator[Ints]:
        """What rows add to each of the statistics, one after the other."""
        if not len(self.label):
            yield from (amounts[pick] for amounts in self.amounts[:n_stats])
            return
        label, weight = self.label[pick], self.amounts[0][pick]
        for k in range(n_stats):
            yield np.where(label == k, weight, 0)

    @cached_property
    def most_weight(self) -> int:
        return int(self.amounts[0].max(initial=0))

    def classes_beside(self, bits: int) -> Ints:
        """The weight of each row in the bits of its class: all classes are then added up at once."""
        return np.asarray(self.amounts[0] << (self.label.astype(np.int64) * bits))

    def sums(self, n_stats: int, on: Mask) -> Ints:
        """(nodes, n_stats) of the rows that are on."""
        return np.stack([np.add.reduceat(part * on, self.start[:-1]) for part in self.parts(n_stats)], 1)

    def visited(self, visits: Visits) -> VisitedRows:
        return VisitedRows(self, visits)


class VisitedRows:
    """The rows of the nodes of some visits, visit after visit, with their codes of the columns."""

    def __init__(self, rows: OpenRows, visits: Visits) -> None:
        self.rows, self.n = rows, len(visits.node)
        self.sizes = rows.sizes[visits.node]
        self.start = offsets(self.sizes)
        self.place = spans(rows.start[visits.node], self.sizes)  # among the rows at the open nodes
        n_rows = rows.codes.shape[1]
        at = np.repeat(visits.column * n_rows, self.sizes) + rows.row[self.place]
        self.code = rows.codes.reshape(-1)[at]

    def sums(self, n_stats: int, on: Mask) -> Ints:
        """(visits, 1 + n_stats) rows and statistics of the rows that are on."""
        parts = [on, *(part * on for part in self.rows.parts(n_stats, self.place))]
        return np.column_stack([np.add.reduceat(part, self.start[:-1], dtype=np.int64) for part in parts])

    @cached_property
    def visit(self) -> Ints:
        return np.repeat(np.arange(self.n), self.sizes)

    def in_order(self) -> CodeRuns:
        """The rows by code within each visit."""
        code_bits, place_bits = (int(part.max(initial=0)).bit_length() for part in (self.code, self.place))
        key = (self.visit << code_bits) | self.code
        if self.n.bit_length() + code_bits + place_bits <= KEY_BITS:  # one number says it all: that is quickest
            key <<= place_bits
            key |= self.place
            key.sort()
            place = key & ((1 << place_bits) - 1)
            key >>= place_bits
        else:
            order = np.argsort(key, kind="stable")
            key, place = key[order], self.place[order]
        is_end = np.ones(len(key), np.bool_)
        np.not_equal(key[1:], key[:-1], out=is_end[:-1])
        end = np.flatnonzero(is_end)
        visit = key[end] >> code_bits
        return CodeRuns(self, place, end, visit, key[end] & ((1 << code_bits) - 1), end + 1 - self.start[visit])


@dataclass(frozen=True)
class CodeRuns:
    """Rows of the same code in a visit: a run; runs come by visit and then by code."""

    of: VisitedRows
    place: Ints  # of all rows, in this order
    end: Ints  # the last row of each run
    visit: Ints
    code: Ints
    rows_up_to: Ints  # of the visit, up to the end of the run

    def __len__(self) -> int:
        return len(self.end)

    @cached_property
    def begin(self) -> Ints:
        """Where the runs of each visit begin, and where the last ones end."""
        return np.searchsorted(self.visit, np.arange(self.of.n + 1))

    def sums_up_to(self, n_stats: int, at: Ints | slice = EVERY) -> Iterator[Ints]:
        """Each of the statistics from the first row of the visit up to the end of some runs."""
        bits = (len(self.place) * self.of.rows.most_weight).bit_length()
        if bits * n_stats > KEY_BITS or not len(self.of.rows.label):
            yield from (self._up_to(part, at) for part in self.of.rows.parts(n_stats, self.place))
            return
        together = self._up_to(self.of.rows.classes_beside(bits)[self.place], at)
        for k in range(n_stats):
            yield (together >> (k * bits)) & ((1 << bits) - 1)

    def _up_to(self, part: Ints, at: Ints | slice) -> Ints:
        running = np.cumsum(part)
        before = np.concatenate([np.zeros(1, np.int64), running[self.of.start[1:-1] - 1]])
        return np.asarray(running[self.end[at]] - before[self.visit[at]])
