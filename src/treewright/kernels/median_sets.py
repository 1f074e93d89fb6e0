"""Medians of all sets of rows that the splits of a column make, of rows in any order and with any weights.

The rows of a node are given cell by cell, those of missing value first. What is asked for every cell: the rows up to
its end, those after it, its own, and all others; each with the missing rows and without them. See medians.py.
"""

from heapq import heappop, heappush
from typing import NamedTuple

import numpy as np

from treewright.kernels.jit import kernel
from treewright.kernels.medians import change_tree, distance, empty_tree

BEFORE, AFTER, ALONE, REST = range(4)


class Members(NamedTuple):
    """The rows of every node in the order of a column; node f has those from ``start[f]`` to ``start[f + 1]``."""

    start: np.ndarray  # (nodes + 1,) int64
    n_missing: np.ndarray  # (nodes,) int64: these come first
    rank: np.ndarray  # (rows,) uint32
    cell: np.ndarray  # (rows,) int64, rising within a node


class Sets(NamedTuple):
    """Distance from the median, and the median, which is not a number where there is no row."""

    of_cell: np.ndarray  # (4, without or with missing rows, cells, 2)
    of_known: np.ndarray  # (nodes, 2)
    of_missing: np.ndarray  # (nodes, 2)


def new_sets(n_cells: int, n_nodes: int) -> Sets:
    return Sets(np.zeros((4, 2, n_cells, 2)), np.zeros((n_nodes, 2)), np.zeros((n_nodes, 2)))


@kernel
def chain_sets(members, ranked, numbers, sets):
    """BEFORE and AFTER every cell, and what is known at every node and what is missing."""
    tree = np.empty((np.diff(members.start).max() + 2, 2), np.int64)
    for f in range(members.n_missing.shape[0]):
        start, stop, base = members.start[f], members.start[f + 1], ranked.base[f]
        first, n = start + members.n_missing[f], stop - start
        whole(tree, f, members, ranked, numbers, sets)
        for with_missing in range(2 if first > start else 1):
            for backwards in range(2):
                empty_tree(tree, n)
                w, s = put(tree, n, 1, start if with_missing else first, first, members.rank, ranked, base)
                for k in range(first, stop):
                    i = stop - 1 + first - k if backwards else k
                    ends = i + 1 == stop or members.cell[i + 1] != members.cell[i]
                    if backwards and ends:
                        note(tree, n, w, s, ranked, numbers, base, sets.of_cell[AFTER, with_missing, members.cell[i]])
                    more = put(tree, n, 1, i, i + 1, members.rank, ranked, base)
                    w, s = w + more[0], s + more[1]
                    if ends and not backwards:
                        note(tree, n, w, s, ranked, numbers, base, sets.of_cell[BEFORE, with_missing, members.cell[i]])


@kernel
def single_sets(members, ranked, numbers, sets):
    """ALONE and REST of every cell, and what is known at every node and what is missing."""
    tree = np.empty((np.diff(members.start).max() + 2, 2), np.int64)
    for f in range(members.n_missing.shape[0]):
        start, stop, base = members.start[f], members.start[f + 1], ranked.base[f]
        first, n = start + members.n_missing[f], stop - start
        whole(tree, f, members, ranked, numbers, sets)
        for with_missing in range(2 if first > start else 1):
            for kind in (ALONE, REST):
                empty_tree(tree, n)
                last = stop if kind == REST else first
                w, s = put(tree, n, 1, start if with_missing else first, last, members.rank, ranked, base)
                begin, sign = first, -1 if kind == REST else 1
                for i in range(first, stop):
                    if i + 1 < stop and members.cell[i + 1] == members.cell[i]:
                        continue
                    more = put(tree, n, sign, begin, i + 1, members.rank, ranked, base)
                    out = sets.of_cell[kind, with_missing, members.cell[i]]
                    note(tree, n, w + more[0], s + more[1], ranked, numbers, base, out)
                    put(tree, n, -sign, begin, i + 1, members.rank, ranked, base)
                    begin = i + 1


@kernel
def whole(tree, f, members, ranked, numbers, sets):
    start, stop, base = members.start[f], members.start[f + 1], ranked.base[f]
    first, n = start + members.n_missing[f], stop - start
    empty_tree(tree, n)
    w, s = put(tree, n, 1, start, first, members.rank, ranked, base)
    note(tree, n, w, s, ranked, numbers, base, sets.of_missing[f])
    empty_tree(tree, n)
    w, s = put(tree, n, 1, first, stop, members.rank, ranked, base)
    note(tree, n, w, s, ranked, numbers, base, sets.of_known[f])


@kernel
def put(tree, n, sign, start, stop, rank, ranked, base):
    """Put rows into the tree, or take them out; returns what this adds to its weight and moment."""
    weight, moment = np.int64(0), np.int64(0)
    for i in range(start, stop):
        r = np.int64(rank[i])
        mine, own = sign * ranked.weight[base + r], sign * ranked.moment[base + r]
        change_tree(tree, n, r, mine, own)
        weight += mine
        moment += own
    return weight, moment


@kernel
def note(tree, n, weight, moment, ranked, numbers, base, out):
    """Write down distance and median of the rows in the tree; of two medians the middle."""
    out[0] = max(distance(tree, n, weight, moment, ranked.y[base:]), 0.0)
    out[1] = np.nan
    if weight > 0:
        lower, upper = half(tree, n, weight, False), half(tree, n, weight, True)
        out[1] = numbers[base + lower]
        if upper != lower:
            out[1] = numbers[base + lower] / 2 + numbers[base + upper] / 2


@kernel
def half(tree, n, sum_weight, upper):
    """The first rank with which half of the weight is reached, or passed."""
    bit = 1
    while 2 * bit <= n:
        bit *= 2
    at, weight = 0, np.int64(0)
    while bit:
        above = at + bit
        if above <= n:
            twice = 2 * (weight + tree[above, 0])
            if twice < sum_weight or (upper and twice == sum_weight):
                at = above
                weight += tree[above, 0]
        bit //= 2
    return at + 1


# ---- in plain Python: two heaps in place of the tree -----------------------------------------------------------------


class _Halves:
    """Rows that only become more, the lower half of their weight and the rest: the median lies between."""

    def __init__(self, weight, moment, y, numbers):
        self.of_rank = weight, moment, y, numbers
        self.lower, self.upper = [], []  # ranks, those of the lower half negative: the largest is on top
        self.low, self.low_moment, self.whole, self.whole_moment = 0, 0, 0, 0

    def put(self, rank):
        weight, moment = self.of_rank[0][rank], self.of_rank[1][rank]
        self.whole += weight
        self.whole_moment += moment
        if self.lower and rank < -self.lower[0]:
            heappush(self.lower, -rank)
            self.low += weight
            self.low_moment += moment
        else:
            heappush(self.upper, rank)
        self._balance()

    def _balance(self):
        """The lower half has all rows before the first with which half of the weight is reached, and that one."""
        weight, moment = self.of_rank[:2]
        while self.upper and 2 * self.low < self.whole:
            rank = heappop(self.upper)
            heappush(self.lower, -rank)
            self.low += weight[rank]
            self.low_moment += moment[rank]
        while self.lower and 2 * (self.low - weight[-self.lower[0]]) >= self.whole:
            rank = -heappop(self.lower)
            heappush(self.upper, rank)
            self.low -= weight[rank]
            self.low_moment -= moment[rank]

    def note(self, out):
        out[0], out[1] = 0.0, np.nan
        if self.whole > 0:
            weight, moment, y, numbers = self.of_rank
            rank = -self.lower[0]
            below, moment_below = self.low - weight[rank], self.low_moment - moment[rank]
            distance = float(self.whole_moment - 2 * moment_below) + float(2 * below - self.whole) * y[rank]
            out[0], out[1] = max(distance, 0.0), numbers[rank]
            if 2 * self.low == self.whole and self.upper:
                out[1] = numbers[rank] / 2 + numbers[self.upper[0]] / 2


def _ranks_of(f, members, ranked, numbers):
    """What rows count for by rank, and the ranks and cells of the missing rows and of the known ones, of node f."""
    start, stop, base = members.start[f], members.start[f + 1], ranked.base[f]
    n = stop - start
    of_rank = [part[base : base + n + 2].tolist() for part in (ranked.weight, ranked.moment, ranked.y, numbers)]
    rank, cell = members.rank[start:stop].tolist(), members.cell[start:stop].tolist()
    first = int(members.n_missing[f])
    return of_rank, rank[:first], list(zip(rank[first:], cell[first:]))


def _noted(of_rank, ranks, out):
    halves = _Halves(*of_rank)
    for rank in ranks:
        halves.put(rank)
    halves.note(out)


def _whole_plain(f, of_rank, missing, known, sets):
    _noted(of_rank, missing, sets.of_missing[f])
    _noted(of_rank, [rank for rank, _ in known], sets.of_known[f])


@chain_sets.in_numpy
def chain_sets_plain(members, ranked, numbers, sets):
    for f in range(len(members.n_missing)):
        of_rank, missing, known = _ranks_of(f, members, ranked, numbers)
        _whole_plain(f, of_rank, missing, known, sets)
        ends = [i + 1 == len(known) or known[i + 1][1] != known[i][1] for i in range(len(known))]
        for with_missing in range(2 if missing else 1):
            before, after = _Halves(*of_rank), _Halves(*of_rank)
            for rank in missing if with_missing else ():
                before.put(rank)
                after.put(rank)
            for (rank, cell), is_end in zip(known, ends):
                before.put(rank)
                if is_end:
                    before.note(sets.of_cell[BEFORE, with_missing, cell])
            for (rank, cell), is_end in zip(reversed(known), reversed(ends)):
                if is_end:
                    after.note(sets.of_cell[AFTER, with_missing, cell])
                after.put(rank)


@single_sets.in_numpy
def single_sets_plain(members, ranked, numbers, sets):
    for f in range(len(members.n_missing)):
        of_rank, missing, known = _ranks_of(f, members, ranked, numbers)
        _whole_plain(f, of_rank, missing, known, sets)
        for with_missing in range(2 if missing else 1):
            more = missing if with_missing else []
            for cell in dict.fromkeys(cell for _, cell in known):
                alone = more + [rank for rank, own in known if own == cell]
                rest = more + [rank for rank, own in known if own != cell]
                _noted(of_rank, alone, sets.of_cell[ALONE, with_missing, cell])
                _noted(of_rank, rest, sets.of_cell[REST, with_missing, cell])
