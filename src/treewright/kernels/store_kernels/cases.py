"""Cases: rows with a weight. A row whose tested value is missing goes down every branch with a share of its weight.

The cases of an open node are neighbours: *slots* ``[start:stop]`` of the arrays row, weight and label. In a child the
cases that missed the parent's test stand first, then the others, both in their old order.
"""

from typing import NamedTuple

import numpy as np

from treewright.kernels.jit import inlined, kernel

CUT = 0  # codes up to the cut, codes above it
MULTIWAY = 1  # a branch per code
ONE_VS_REST = 2  # one code, all others
GROUPS = 3  # a branch for several codes


class CaseArrays(NamedTuple):
    row: np.ndarray  # uint32
    weight: np.ndarray  # int64, fixed point
    label: np.ndarray  # unsigned


class Parted(NamedTuple):
    """What the branches of tests hold; those of node f are ``[child_start[f]:child_start[f+1]]`` of the last three."""

    child_start: np.ndarray  # (n + 1,) int64
    n_missing: np.ndarray  # (n,) int64
    known: np.ndarray  # (branches,) int64: weight of the cases whose value is known
    stats: np.ndarray  # (branches, classes) int64
    rows: np.ndarray  # (branches,) int64


class Moves(NamedTuple):
    """Where the cases of the taken nodes go."""

    taken: np.ndarray  # (t,) int64: places of the nodes
    new_start: np.ndarray  # (branches,) int64: first slot of the branch's cases; -1: they are not needed any more
    side: np.ndarray  # (slots,) int32: branch of the case, -1: every branch
    moved: np.ndarray  # (slots,) uint32: new slot; for side -1 its place among the missing cases of the node


@inlined
def share_of(weight, part, whole):
    """The part of an integer weight that goes down a branch with ``part`` of the ``whole`` known weight."""
    return np.int64(np.rint(weight * (part / whole)))


@kernel
def heaviest(known, first, last):
    """The branch of most known weight, the first of equals: it takes what rounding leaves over."""
    most = first
    for child in range(first + 1, last):
        if known[child] > known[most]:
            most = child
    return most


@kernel
def send_cases(codes, chosen, start, stop, cases, is_cut, cut, branch_start, branch_of, parted, side):
    """Branch of every case of the chosen nodes, all of which test one column, and what their branches hold.

    A cut has three codes: missing, up to the cut, above it. Missing values take every branch.
    """
    row, weight, label = cases.row, cases.weight, cases.label
    known, stats, rows = parted.known, parted.stats, parted.rows
    for f in chosen:
        first, last = parted.child_start[f], parted.child_start[f + 1]
        base, edge, by_cut, n_missing = branch_start[f], cut[f], is_cut[f], 0
        for i in range(start[f], stop[f]):
            code = np.int64(codes[row[i]])
            if code == 0:
                side[i] = -1
                n_missing += 1
                continue
            if by_cut:
                code = 2 if code > edge else 1
            branch = branch_of[base + code]
            side[i] = branch
            known[first + branch] += weight[i]
            stats[first + branch, label[i]] += weight[i]
            rows[first + branch] += 1
        parted.n_missing[f] = n_missing
        if n_missing:
            share_out(first, last, start[f], stop[f], weight, label, side, known, stats, rows)


@kernel
def share_out(first, last, start, stop, weight, label, side, known, stats, rows):
    """Add the missing cases of a node to the statistics of its branches."""
    most, whole = heaviest(known, first, last), known[first:last].sum()
    for i in range(start, stop):
        if side[i] >= 0:
            continue
        rest = weight[i]
        for child in range(first, last):
            if known[child] > 0:
                rows[child] += 1
                if child != most:
                    part = share_of(weight[i], known[child], whole)
                    rest -= part
                    stats[child, label[i]] += part
        stats[most, label[i]] += rest


@kernel
def move_cases(start, stop, old, parted, moves, new):
    """Write the cases of the branches that are needed further, and note where each went."""
    place = np.empty(parted.known.shape[0], np.int64)
    for f in moves.taken:
        first, last = parted.child_start[f], parted.child_start[f + 1]
        for child in range(first, last):
            place[child] = moves.new_start[child] + parted.n_missing[f]
        most, whole = heaviest(parted.known, first, last), parted.known[first:last].sum()
        m = 0
        for i in range(start[f], stop[f]):
            side = moves.side[i]
            if side >= 0:
                child = first + side
                if moves.new_start[child] >= 0:
                    slot = place[child]
                    place[child] += 1
                    moves.moved[i] = slot
                    new.row[slot], new.weight[slot], new.label[slot] = old.row[i], old.weight[i], old.label[i]
                continue
            rest = old.weight[i]
            for child in range(first, last):
                if child != most and parted.known[child] > 0:
                    part = share_of(old.weight[i], parted.known[child], whole)
                    rest -= part
                    slot = moves.new_start[child] + m
                    if moves.new_start[child] >= 0:
                        new.row[slot], new.weight[slot], new.label[slot] = old.row[i], part, old.label[i]
            slot = moves.new_start[most] + m
            if moves.new_start[most] >= 0:
                new.row[slot], new.weight[slot], new.label[slot] = old.row[i], rest, old.label[i]
            moves.moved[i] = m
            m += 1


@kernel
def move_list(slots, codes, start, stop, parted, moves, new_slots, new_codes):
    """Rewrite a column's sorted list for the branches that are needed further; their order is kept."""
    place = moves.new_start.copy()
    for f in moves.taken:
        first, last = parted.child_start[f], parted.child_start[f + 1]
        for i in range(start[f], stop[f]):
            slot = slots[i]
            side = moves.side[slot]
            if side >= 0:
                child = first + side
                to = place[child]
                if to >= 0:
                    new_slots[to], new_codes[to] = moves.moved[slot], codes[i]
                    place[child] = to + 1
                continue
            for child in range(first, last):
                to = place[child]
                if to >= 0 and parted.known[child] > 0:
                    new_slots[to], new_codes[to] = moves.new_start[child] + moves.moved[slot], codes[i]
                    place[child] = to + 1
