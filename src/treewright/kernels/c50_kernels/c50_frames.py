"""What making a C5.0 tree keeps: the tree so far, and a stack of frames that say what is being done.

Growing and pruning are recursive: a node is done when its branches are, and a branch that is raised is grown and pruned
anew. Kernels do not call themselves, so every call is a *frame* on a stack. All that a frame remembers is in arrays.
Work can therefore stop between two steps, to make the arrays larger or to search a large node with several threads,
and go on where it was.
"""

from typing import NamedTuple

import numpy as np

from treewright.kernels.c50_kernels.c50_division import (
    BEGIN,
    FIRST,
    LAST,
    Stops,
    begin_division,
    next_branch,
    set_shares,
    sum_up,
)
from treewright.kernels.c50_kernels.c50_information import extra_errors, single
from treewright.kernels.c50_kernels.c50_numbers import NumberRoom
from treewright.kernels.c50_kernels.c50_search import CaseTable, NodeCases, SearchOptions, TestsOfColumns
from treewright.kernels.c50_kernels.c50_sorting import SortedColumns
from treewright.kernels.jit import inlined_borrowing

LEAF, EACH_VALUE, NUMBER_TEST, SETS = 0, 1, 2, 3  # kinds of nodes, as the model text numbers them
# what a frame does next
GROW, CHOSEN, DIVIDE, GROW_BRANCHES, PRUNE, PRUNE_BRANCHES, DECIDE, PRUNE_AGAIN, ESTIMATE, ESTIMATE_BRANCHES = range(10)
TOP, THE_COLUMN = 0, 1  # of ``control``: how many frames there are; the column that was chosen for the node on top
_MANY_CASES, _MANY_BRANCHES = 1000, 10  # of a node, above which light unknown cases are left out of growing


class MadeTree(NamedTuple):
    """Nodes as they are made. Those that pruning has cut off stay where they are."""

    kind: np.ndarray  # (nodes,) int64, as are the next five
    column: np.ndarray
    label: np.ndarray
    first_child: np.ndarray
    n_branches: np.ndarray
    group_start: np.ndarray  # where the branches of values begin in ``groups``
    cut: np.ndarray
    gain: np.ndarray
    weight: np.ndarray
    errors: np.ndarray
    counts: np.ndarray  # (nodes, classes)
    groups: np.ndarray  # int64
    used: np.ndarray  # (2,) int64: nodes, and entries of ``groups``


class Frames(NamedTuple):
    """The stack. Numbers of branches are in slots: a frame has as many as its test has branches, and one more."""

    step: np.ndarray  # (depth,) int64, as are the next eleven
    node: np.ndarray
    first: np.ndarray  # its cases
    last: np.ndarray
    count: np.ndarray  # whether cases are counted, not weighed
    regrow: np.ndarray  # whether raised branches are grown anew
    collapse: np.ndarray  # whether a node that saves no error becomes a leaf
    raised: np.ndarray  # the heaviest branch that may be raised, -1: none
    done: np.ndarray  # branches that have been added up
    has_unknown: np.ndarray  # whether the test has cases of unknown value
    without_light: np.ndarray  # whether light ones of them are left out
    slot: np.ndarray
    state: np.ndarray  # (depth, 7) int64: of ``next_branch``
    weight: np.ndarray  # (depth,)
    wrong: np.ndarray  # errors as a leaf
    unknown: np.ndarray  # weight
    as_leaf: np.ndarray  # estimated errors
    as_tree: np.ndarray
    heaviest: np.ndarray
    light: np.ndarray  # weight of light branches,
    light_counts: np.ndarray  # (depth, classes): and of their classes
    order_at: np.ndarray  # (depth,) int64: where the sorted cases are in ``room_for_orders``
    order_size: np.ndarray  # cases of the node, -1: they are not sorted, or no longer
    order_known: np.ndarray  # (depth, numbers): cases with a number
    own: np.ndarray  # (slots,) weights of unknown cases and of branches
    real: np.ndarray  # the same without class multipliers
    shares: np.ndarray
    is_leaf: np.ndarray  # bool
    found: np.ndarray  # (slots, classes + 3)


class Estimates(NamedTuple):
    """How errors are estimated."""

    confidence: float
    deviation: float
    has_factors: bool


class Work(NamedTuple):
    """The cases, and what they are worked on with."""

    table: CaseTable
    sorted: SortedColumns
    cases: np.ndarray  # (cases,) int64: in the order in which the program has moved them
    weights: np.ndarray  # of all cases of the table
    factors: np.ndarray  # class multipliers
    in_use: np.ndarray  # (columns,) bool
    tested: np.ndarray  # (columns,) int64: in how many nodes above that divide by each value
    is_here: np.ndarray  # (cases,) bool: the cases of a node, while others are left out of a list
    room_for_orders: np.ndarray  # int32
    search: SearchOptions
    stops: Stops
    estimates: Estimates
    found: TestsOfColumns
    here: NodeCases
    room: NumberRoom
    sums: np.ndarray  # (classes,) scratch
    totals: np.ndarray  # (classes + 3,) scratch
    control: np.ndarray  # (2,) int64
    result: np.ndarray  # (1,) what the last estimate came to


@inlined_borrowing
def has_room(tree, frames, top, most):
    """Whether one more step is possible. ``most``: branches of a test."""
    if top + 2 >= len(frames.step) or frames.slot[top] + 2 * (most + 2) > len(frames.own):
        return False
    return tree.used[0] + most + 1 <= len(tree.kind) and tree.used[1] + most + 1 <= len(tree.groups)


@inlined_borrowing
def push(work, tree, frames, step, node, first, last, count):
    """A new frame on top."""
    d = work.control[TOP]
    work.control[TOP] = d + 1
    frames.step[d], frames.node[d], frames.first[d], frames.last[d] = step, node, first, last
    frames.count[d], frames.regrow[d], frames.collapse[d], frames.order_size[d] = count, 0, 1, -1
    frames.weight[d] = tree.weight[node]
    frames.slot[d] = 0
    if d > 0:
        above = frames.node[d - 1]
        frames.slot[d] = frames.slot[d - 1] + tree.n_branches[above] + 1
    return d


@inlined_borrowing
def groups_of(work, tree, node):
    """Where the branches of values begin and end in ``tree.groups``; tests of numbers have none."""
    start = tree.group_start[node]
    return start, start + (0 if tree.kind[node] == NUMBER_TEST else work.table.n_values[tree.column[node]] + 1)


@inlined_borrowing
def begin(work, tree, frames, d, is_growing):
    """Begin to divide the cases of a frame among the branches of its node's test."""
    node, first, last, slot = frames.node[d], frames.first[d], frames.last[d], frames.slot[d]
    n = tree.n_branches[node]
    group, group_end = groups_of(work, tree, node)
    own, real = frames.own[slot : slot + n + 1], frames.real[slot : slot + n + 1]
    shares = frames.shares[slot : slot + n]
    start = begin_division(
        work.table.values[tree.column[node]], tree.cut[node], tree.groups[group:group_end], work.cases, first, last,
        work.table.labels, work.weights, work.factors, frames.count[d] == 1, own, real,
    )  # fmt: skip
    frames.unknown[d] = set_shares(real, frames.weight[d], work.estimates.has_factors, shares)
    state = frames.state[d]
    state[:] = 0
    state[FIRST], state[BEGIN], state[LAST] = first, start, last
    frames.has_unknown[d] = start > first
    is_many = is_growing and last - first > _MANY_CASES and n >= _MANY_BRANCHES
    frames.without_light[d] = is_many and start - first > 0.5 * (last - first)
    frames.done[d] = 0
    frames.as_tree[d], frames.light[d], frames.raised[d], frames.heaviest[d] = 0.0, 0.0, -1, 0.0
    for c in range(work.table.n_classes):
        frames.light_counts[d, c] = 0.0
    if tree.kind[node] == EACH_VALUE:
        work.tested[tree.column[node]] += 1
    if not is_growing:
        for b in range(n):
            frames.is_leaf[slot + b] = tree.kind[tree.first_child[node] + b] == LEAF


@inlined_borrowing
def go_on(work, tree, frames, d, is_growing):
    """The next branch that is no leaf, opened; -1: there is none left."""
    node, slot = frames.node[d], frames.slot[d]
    n = tree.n_branches[node]
    group, group_end = groups_of(work, tree, node)
    b = next_branch(
        work.table.values[tree.column[node]], tree.cut[node], tree.groups[group:group_end], work.cases,
        work.table.labels, work.weights, work.table.n_classes, frames.own[slot : slot + n + 1],
        frames.shares[slot : slot + n], frames.unknown[d], frames.is_leaf[slot : slot + (0 if is_growing else n)],
        work.stops, frames.without_light[d] == 1, frames.state[d], frames.found[slot : slot + n], work.sums,
    )  # fmt: skip
    if b < 0 and tree.kind[node] == EACH_VALUE:
        work.tested[tree.column[node]] -= 1
    return b


@inlined_borrowing
def branch_weight(frames, d, b):
    """Own cases and the share of unknown ones."""
    slot = frames.slot[d]
    return frames.own[slot + b + 1] + frames.shares[slot + b] * frames.unknown[d]


@inlined_borrowing
def counts_below(frames, d):
    """Whether cases may still be counted in the branches: no unknown ones have been shared out."""
    return frames.count[d] == 1 and frames.has_unknown[d] == 0


@inlined_borrowing
def recount(work, tree, node, totals):
    """Class weights, weight and label of a node; returns its errors as a leaf."""
    n_classes = work.table.n_classes
    for c in range(n_classes):
        tree.counts[node, c] = totals[c]
    tree.weight[node], tree.label[node] = totals[n_classes], np.int64(totals[n_classes + 1])
    return totals[n_classes + 2]


@inlined_borrowing
def sum_up_frame(work, frames, d):
    """Leave the totals of a frame's cases in ``work.totals``."""
    sum_up(
        work.cases, frames.first[d], frames.last[d], work.table.labels, work.weights, work.table.n_classes, work.sums,
        work.totals,
    )  # fmt: skip


@inlined_borrowing
def make_leaf(tree, node):
    tree.kind[node], tree.column[node], tree.n_branches[node], tree.gain[node] = LEAF, -1, 0, 0.0


@inlined_borrowing
def estimate(work, weight, errors, label):
    """Errors and extra errors; class multipliers are undone before and applied after."""
    how = work.estimates
    if not how.has_factors:
        return single(errors + extra_errors(weight, errors, how.confidence, how.deviation))
    own, other = work.factors[label], work.factors[1 - label]
    real_errors = errors / other
    real_weight = (weight - errors) / own + real_errors
    return single(errors + other * extra_errors(real_weight, real_errors, how.confidence, how.deviation))


@inlined_borrowing
def estimate_totals(work, totals):
    n_classes = work.table.n_classes
    return estimate(work, totals[n_classes], totals[n_classes + 2], np.int64(totals[n_classes + 1]))


@inlined_borrowing
def add_light(work, frames, d, counts, weight):
    """A light branch: all of them are estimated together."""
    for c in range(work.table.n_classes):
        frames.light_counts[d, c] += counts[c]
    frames.light[d] += weight


@inlined_borrowing
def estimate_light(work, frames, d):
    """Estimated errors of the light branches together."""
    weight, best = frames.light[d], 0
    if weight <= 0.0:
        return 0.0
    for c in range(1, work.table.n_classes):
        if frames.light_counts[d, c] > frames.light_counts[d, best]:
            best = c
    return estimate(work, weight, weight - frames.light_counts[d, best], best)
