"""What a column says at the open nodes: a cell for every code that occurs at a node, with its rows and statistics."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from treewright.kernels.store_kernels.integer_sums import add_labelled, add_rows
from treewright.typing import Array, Ints, Mask

Sums = tuple[Ints, Ints]  # rows, statistics
_DENSE = 4  # cells per case up to which every code of every node has a place of its own


@dataclass(frozen=True)
class Cases:
    """Rows at the open nodes, each with what it adds to the statistics; a row may be at several nodes in part."""

    row: Ints
    node: Ints  # place of the node among the open ones
    label: Array  # class codes; nothing where the target is numeric
    amounts: Ints  # (cases, 1) weight, or (cases, 3) moments, fixed point

    def __len__(self) -> int:
        return len(self.row)

    def __getitem__(self, pick: Array) -> Cases:
        label = self.label[pick] if len(self.label) else self.label
        return Cases(self.row[pick], self.node[pick], label, self.amounts[pick])

    def at(self, node: Ints) -> Cases:
        """The same cases elsewhere."""
        return replace(self, node=node)

    def and_also(self, others: Cases) -> Cases:
        mine, theirs = vars(self), vars(others)
        return Cases(**{name: np.concatenate([mine[name], theirs[name]]) for name in mine})

    def sums(self, places: Ints, n_places: int, n_stats: int) -> Ints:
        """Statistics of the cases at each place."""
        out = np.zeros((n_places, n_stats), np.int64)
        if len(self.label):
            add_labelled(places, self.label, self.amounts, out)
        else:
            add_rows(places, self.amounts, out)
        return out


@dataclass(frozen=True)
class Cells:
    """One for every code that occurs at a node, by node and then by code; code 0 is missing."""

    node: Ints
    code: Ints
    rows: Ints
    stats: Ints  # (cells, n_stats)

    def __len__(self) -> int:
        return len(self.node)

    def __getitem__(self, pick: Array) -> Cells:
        return Cells(self.node[pick], self.code[pick], self.rows[pick], self.stats[pick])

    @property
    def n_stats(self) -> int:
        return int(self.stats.shape[1])

    @cached_property
    def known(self) -> Cells:
        is_known = self.code > 0
        return self if is_known.all() else self[np.flatnonzero(is_known)]

    def begins(self, n_nodes: int) -> Ints:
        """Where the cells of each node begin, and where the last ones end."""
        return np.searchsorted(self.node, np.arange(n_nodes + 1))

    def at(self, nodes: Ints, n_nodes: int) -> Cells:
        """The cells of some nodes, which are numbered by their place among these."""
        place = np.full(n_nodes, -1)
        place[nodes] = np.arange(len(nodes))
        here = self[np.flatnonzero(place[self.node] >= 0)]
        return Cells(place[here.node], here.code, here.rows, here.stats)

    def totals(self, nodes: Ints, n_nodes: int) -> Sums:
        """Rows and statistics of all cells of these nodes."""
        rows, stats = np.zeros(n_nodes, np.int64), np.zeros((n_nodes, self.stats.shape[1]), np.int64)
        if len(self):
            begin = np.flatnonzero(firsts(self.node))
            rows[self.node[begin]] = np.add.reduceat(self.rows, begin)
            stats[self.node[begin]] = np.add.reduceat(self.stats, begin)
        return rows[nodes], stats[nodes]

    def missing(self, n_nodes: int) -> Sums:
        """Rows and statistics of the missing values at every node."""
        unknown = np.flatnonzero(self.code == 0)
        rows, stats = np.zeros(n_nodes, np.int64), np.zeros((n_nodes, self.stats.shape[1]), np.int64)
        rows[self.node[unknown]], stats[self.node[unknown]] = self.rows[unknown], self.stats[unknown]
        return rows, stats


def cells_of(cases: Cases, codes: Ints, n_nodes: int, n_codes: int, n_stats: int) -> Cells:
    """The cells of a column; ``codes`` are those of the cases."""
    key = cases.node * n_codes + codes
    if n_nodes * n_codes <= _DENSE * len(cases):
        rows = np.bincount(key, minlength=n_nodes * n_codes)
        occurring = np.flatnonzero(rows)
        stats = cases.sums(key, len(rows), n_stats)[occurring]
        rows = rows[occurring]
    else:
        occurring, place, rows = np.unique(key, return_inverse=True, return_counts=True)
        stats = cases.sums(place, len(occurring), n_stats)
    return Cells(occurring // n_codes, occurring % n_codes, rows, stats)


def cells_in_order(cases: Cases, codes: Ints, n_stats: int) -> Cells:
    """The same of cases that come by node and then by code."""
    is_first = np.ones(len(cases), np.bool_)
    is_first[1:] = (cases.node[1:] != cases.node[:-1]) | (codes[1:] != codes[:-1])
    first, place = np.flatnonzero(is_first), np.cumsum(is_first) - 1
    rows = np.diff(np.append(first, len(cases)))
    return Cells(cases.node[first], codes[first], rows, cases.sums(place, len(first), n_stats))


def firsts(node: Ints) -> Mask:
    """Where another node begins."""
    return np.concatenate([np.ones(min(len(node), 1), np.bool_), node[1:] != node[:-1]])


def up_to_each(cells: Cells) -> tuple[Ints, Sums, Sums]:
    """Every cell but the last of its node: its place, the sums up to and including it, and those of its node."""
    begin = np.flatnonzero(firsts(cells.node))
    sizes = np.diff(np.append(begin, len(cells)))
    is_last = np.zeros(len(cells), np.bool_)
    is_last[begin + sizes - 1] = True
    here = np.flatnonzero(~is_last)
    rows, stats = (_running(part, begin, sizes) for part in (cells.rows, cells.stats))
    last = np.repeat(begin + sizes - 1, sizes - 1)  # of the node of each
    return here, (rows[here], stats[here]), (rows[last], stats[last])


def _running(values: Ints, begin: Ints, sizes: Ints) -> Ints:
    """Sums from the first cell of the node on."""
    total = np.cumsum(values, axis=0)
    return np.asarray(total - np.repeat((total - values)[begin], sizes, axis=0))


def with_commonest(cells: Cells, n_nodes: int, *, ordered: bool, moments: bool) -> tuple[Cells, Ints]:
    """Count missing values as the commonest value of their node, or as the median where values are ordered.

    Returns the known cells and the code that stands for missing at every node (0 where none is known).
    """
    known = cells.known
    rows, stats = cells.missing(n_nodes)
    weight = known.stats[:, 0] if moments else known.stats.sum(-1)
    place = (_median_places if ordered else _commonest_places)(known, weight, n_nodes)
    found = place >= 0
    stand_in = np.where(found, known.code[place] if len(known) else 0, 0)
    all_rows, all_stats = known.rows.copy(), known.stats.copy()
    all_rows[place[found]] += rows[found]
    all_stats[place[found]] += stats[found]
    return Cells(known.node, known.code, all_rows, all_stats), stand_in


def _commonest_places(known: Cells, weight: Ints, n_nodes: int) -> Ints:
    """Of every node the heaviest cell, the first of equals; -1 where nothing is known."""
    place = np.full(n_nodes, -1)
    order = np.lexsort((-np.arange(len(known)), weight, known.node))
    place[known.node[order]] = order  # the last of a node stays
    return place


def _median_places(known: Cells, weight: Ints, n_nodes: int) -> Ints:
    """Of every node the first cell with which half of its weight is reached."""
    begin = np.flatnonzero(firsts(known.node))
    sizes = np.diff(np.append(begin, len(known)))
    running = _running(weight, begin, sizes)
    total = np.repeat(running[begin + sizes - 1], sizes)
    reached = running >= total - running
    place = np.full(n_nodes, -1)
    half = np.flatnonzero(reached)[::-1]
    place[known.node[half]] = half  # the first of a node is written last
    return place


def shared_out(amounts: Ints, case: Ints, weight: Ints) -> Ints:
    """Parts of each case in proportion to ``weight``; what rounding leaves over goes to the heaviest."""
    n = int(case[-1]) + 1
    total = np.zeros(n, np.int64)
    np.add.at(total, case, weight)
    parts = np.rint(amounts * (weight / total[case])[:, None]).astype(np.int64)
    heaviest = np.lexsort((-np.arange(len(case)), weight, case))[np.cumsum(np.bincount(case, minlength=n)) - 1]
    sums = np.zeros((n, amounts.shape[1]), np.int64)
    np.add.at(sums, case, parts)
    parts[heaviest] += amounts[heaviest] - sums
    return parts
