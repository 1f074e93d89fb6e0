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


class Cases(NamedTuple):
    row: np.ndarray  # uint32
    weight: np.ndarray  # int64, fixed point
    label: np.ndarray  # unsigned


class Tests(NamedTuple):
    """Chosen tests and their branches; those of node f are ``[child_start[f]:child_start[f+1]]`` of the last three."""

    cut: np.ndarray  # (n,) int64
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
def branch_by(kind, code, cut, group):
    if kind == MULTIWAY:
        return np.int64(code) - 1
    if kind == GROUPS:
        return np.int64(group[code])
    if kind == CUT:
        return np.int64(code > cut)
    return np.int64(code != cut)


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
def resolve_tests(kind, codes, groups, chosen, start, stop, cases, tests, side):
    """Branch of every case of the chosen nodes, and the statistics of their branches.

    ``groups[f, code]`` is the branch of a level at node f where the kind is GROUPS; else nobody looks at it.
    """
    row, weight, label = cases.row, cases.weight, cases.label
    known, stats, rows = tests.known, tests.stats, tests.rows
    for f in chosen:
        first, last = tests.child_start[f], tests.child_start[f + 1]
        n_missing, group = 0, groups[f if kind == GROUPS else 0]
        for i in range(start[f], stop[f]):
            code = codes[row[i]]
            if code == 0:
                side[i] = -1
                n_missing += 1
                continue
            branch = branch_by(kind, code, tests.cut[f], group)
            side[i] = branch
            known[first + branch] += weight[i]
            stats[first + branch, label[i]] += weight[i]
            rows[first + branch] += 1
        tests.n_missing[f] = n_missing
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
def move_cases(start, stop, old, tests, moves, new):
    """Write the cases of the branches that are needed further, and note where each went."""
    place = np.empty(tests.known.shape[0], np.int64)
    for f in moves.taken:
        first, last = tests.child_start[f], tests.child_start[f + 1]
        for child in range(first, last):
            place[child] = moves.new_start[child] + tests.n_missing[f]
        most, whole = heaviest(tests.known, first, last), tests.known[first:last].sum()
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
                if child != most and tests.known[child] > 0:
                    part = share_of(old.weight[i], tests.known[child], whole)
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
def move_list(slots, codes, start, stop, tests, moves, new_slots, new_codes):
    """Rewrite a column's sorted list for the branches that are needed further; their order is kept."""
    place = moves.new_start.copy()
    for f in moves.taken:
        first, last = tests.child_start[f], tests.child_start[f + 1]
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
                if to >= 0 and tests.known[child] > 0:
                    new_slots[to], new_codes[to] = moves.new_start[child] + moves.moved[slot], codes[i]
                    place[child] = to + 1
