"""Medians of all sets of rows that the splits of a column make, of rows in any order and with any weights.

The rows of a node are given cell by cell, those of missing value first. What is asked for every cell: the rows up to
its end, those after it, its own, and all others; each with the missing rows and without them. See medians.py.
"""

from typing import NamedTuple

import numpy as np

from treewright.kernels.jit import kernel
from treewright.kernels.search.medians import change_tree, distance, empty_tree

BEFORE, AFTER, ALONE, REST = range(4)


class Members(NamedTuple):
    """The rows of every node in the order of a column; node f has those from ``start[f]`` to ``start[f + 1]``."""

    start: np.ndarray  # (nodes + 1,) int64
    n_missing: np.ndarray  # (nodes,) int64: these come first
    rank: np.ndarray  # (rows,) uint32
    cell: np.ndarray  # (rows,) int64, rising within a node


class Sets(NamedTuple):
    """Distance from the median, and the median, which is not a number where there is no row or it is not asked for."""

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
    """Write down distance and median of the rows in the tree; of two medians the middle, without numbers none."""
    out[0] = max(distance(tree, n, weight, moment, ranked.y[base:]), 0.0)
    out[1] = np.nan
    if weight > 0 and numbers.shape[0]:
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


# ---- in numpy -------------------------------------------------------------------------------------------------------


class _WaveletMatrix:
    """Halves of the weight of any rows that stand side by side (Claude, Navarro & Ordóñez 2015): the ranks of the rows,
    bit by bit from the highest, those with the bit unset being put before the others each time."""

    def __init__(self, rank, weight, moment):
        self.levels = []  # of each bit, before each place: rows without it, their weight if it is another, moment
        counts_once = bool((weight == 1).all())
        for bit in reversed(range(int(rank.max(initial=1)).bit_length())):
            unset = (rank >> bit & 1) == 0
            parts = [unset, unset * moment] if counts_once else [unset, unset * weight, unset * moment]
            sums = np.zeros((len(parts), len(rank) + 1), np.int64)
            np.cumsum(parts, axis=1, out=sums[:, 1:])
            self.levels.append((bit, sums))
            order = np.concatenate([np.flatnonzero(unset), np.flatnonzero(~unset)])
            rank, weight, moment = rank[order], weight[order], moment[order]

    def half(self, intervals, whole, *, passed=False):
        """The first rank with which half of the ``whole`` weight of each set is reached, or passed, and the weight and
        moment before it. A set has the rows of several intervals: start, stop, start, …"""
        rank, below, ends = np.zeros(len(whole), np.int64), np.zeros((2, len(whole)), np.int64), np.array(intervals)
        for bit, sums in self.levels:
            before = sums.take(ends, axis=1)  # (2 or 3, 2·intervals, sets)
            with_unset = below.copy()
            for start, stop in zip(range(0, len(ends), 2), range(1, len(ends), 2)):
                with_unset += before[-2:, stop] - before[-2:, start]
            twice = 2 * with_unset[0]
            is_set = (twice <= whole) if passed else (twice < whole)
            rank += is_set << bit
            np.copyto(below, with_unset, where=is_set)
            ends -= before[0]
            ends += sums[0, -1]
            np.copyto(ends, before[0], where=~is_set)
        return rank, below


NO_ROWS = (0.0, np.nan)  # distance and median


class _SetMedians:
    """Distance and median of sets of the members of nodes."""

    def __init__(self, members, ranked, numbers):
        self.ranked, self.numbers = ranked, numbers
        self.node = np.repeat(np.arange(len(members.n_missing)), np.diff(members.start))
        rank = members.rank.astype(np.int64)
        weight, moment = ranked.weight[ranked.base[self.node] + rank], ranked.moment[ranked.base[self.node] + rank]
        self.sums = np.zeros((2, len(rank) + 1), np.int64)
        np.cumsum([weight, moment], axis=1, out=self.sums[:, 1:])
        self.halves = _WaveletMatrix(rank, weight, moment)

    def of(self, node, *intervals):
        """As ``note`` writes them, of the sets of these intervals (start, stop, start, …), each within its node."""
        before = self.sums.take(intervals, axis=1)
        whole, moment = (before[:, 1::2] - before[:, ::2]).sum(1)
        rank, below = self.halves.half(intervals, whole)
        place = self.ranked.base[node] + np.where(whole > 0, rank, 0)
        found = np.full((len(node), 2), np.nan)
        distance = (moment - 2 * below[1]).astype(np.float64)
        distance += (2 * below[0] - whole).astype(np.float64) * self.ranked.y[place]
        found[:, 0] = np.where(whole > 0, np.maximum(distance, 0.0), 0.0)
        if not len(self.numbers):
            return found
        found[:, 1] = np.where(whole > 0, self.numbers[place], np.nan)
        two = np.flatnonzero((whole > 0) & (2 * (below[0] + self.ranked.weight[place]) == whole))
        if len(two):
            these = [end[two] for end in intervals]
            upper = self.ranked.base[node[two]] + self.halves.half(these, whole[two], passed=True)[0]
            found[two, 1] = self.numbers[place[two]] / 2 + self.numbers[upper] / 2
        return found


@chain_sets.in_numpy
def chain_sets_in_numpy(members, ranked, numbers, sets):
    medians = _SetMedians(members, ranked, numbers)
    for with_missing, last, node, begin, first, stop in _ends_of_cells(members, medians, sets):
        cell = members.cell[last]
        sets.of_cell[BEFORE, with_missing, cell] = medians.of(node, begin, last + 1)
        more = [begin, first] if with_missing else []
        sets.of_cell[AFTER, with_missing, cell] = medians.of(node, last + 1, stop, *more)


@single_sets.in_numpy
def single_sets_in_numpy(members, ranked, numbers, sets):
    medians = _SetMedians(members, ranked, numbers)
    for with_missing, last, node, begin, first, stop in _ends_of_cells(members, medians, sets):
        cell, opening = members.cell[last], _first_of_cells(members, medians.node)[last]
        sets.of_cell[ALONE, with_missing, cell] = medians.of(node, opening, last + 1, begin, first)
        sets.of_cell[REST, with_missing, cell] = medians.of(node, begin, opening, last + 1, stop)


def _ends_of_cells(members, medians, sets):
    """Without missing rows and, if there are any, with them: the last row of every cell, its node, and where the rows
    of the node begin that count, its known ones, and where they end. Sets what is known and what is missing too."""
    start, stop = members.start[:-1], members.start[1:]
    first, each = start + members.n_missing, np.arange(len(start))
    sets.of_known[:] = medians.of(each, first, stop)
    sets.of_missing[:] = medians.of(each, start, first) if members.n_missing.any() else NO_ROWS
    for with_missing in range(2 if members.n_missing.any() else 1):
        last = _last_of_cells(members, medians.node, with_missing)
        node = medians.node[last]
        yield with_missing, last, node, (start if with_missing else first)[node], first[node], stop[node]


def _last_of_cells(members, node, with_missing):
    """Where cells end; those of nodes with missing rows, where these are asked for."""
    is_last = np.ones(len(node), np.bool_)
    is_last[:-1] = (node[1:] != node[:-1]) | (members.cell[1:] != members.cell[:-1])
    known = np.arange(len(node)) >= (members.start[:-1] + members.n_missing)[node]
    wanted = members.n_missing[node] > 0 if with_missing else True
    return np.flatnonzero(is_last & known & wanted)


def _first_of_cells(members, node):
    """Of every row, where its cell begins."""
    is_first = np.ones(len(node), np.bool_)
    is_first[1:] = (node[1:] != node[:-1]) | (members.cell[1:] != members.cell[:-1])
    return np.maximum.accumulate(np.where(is_first, np.arange(len(node)), 0))
