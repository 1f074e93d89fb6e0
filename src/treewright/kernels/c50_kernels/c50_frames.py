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
from treewright.kernels.jit import borrowing, inlined_borrowing

LEAF, EACH_VALUE, NUMBER_TEST, SETS = range(4)  # kinds of nodes, as the model text numbers them
# what a frame does next
GROW, CHOSEN, DIVIDE, GROW_BRANCHES, PRUNE, PRUNE_BRANCHES, DECIDE, PRUNE_AGAIN, ESTIMATE, ESTIMATE_BRANCHES = range(10)
TOP, THE_COLUMN = range(2)  # of ``control``: how many frames there are; the column chosen for the node on top
_MANY_CASES, _MANY_BRANCHES = 1000, 10  # of a node, above which light unknown cases are left out of growing

# ---- a node: whole numbers, and numbers --------------------------------------------------------------------------
KIND, COLUMN, LABEL, FIRST_CHILD, N_BRANCHES = range(5)
GROUP_START = 5  # where the branches of values begin in ``groups``
CUT, GAIN, WEIGHT, ERRORS = range(4)
COUNTS = 4  # and on: a weight for each class

# ---- a frame: whole numbers, and numbers -------------------------------------------------------------------------
STEP, NODE = range(2)
FROM, TO = range(2, 4)  # its cases
COUNT = 4  # whether cases are counted, not weighed
REGROW = 5  # whether raised branches are grown anew
COLLAPSE = 6  # whether the node becomes a leaf if it saves no error
RAISED = 7  # the heaviest branch that may be raised, -1: none
N_DONE = 8  # branches that have been added up
HAS_UNKNOWN = 9  # whether the test has cases of unknown value
WITHOUT_LIGHT = 10  # whether light ones of them are left out
SLOT = 11  # the first slot
ORDER_AT = 12  # where the sorted cases begin
ORDER_SIZE = 13  # cases of the node, -1: they are not sorted, or no longer
STATE = 14  # and on: seven of ``next_branch``
NODE_WEIGHT = 0
WRONG = 1  # errors as a leaf
UNKNOWN_WEIGHT = 2
AS_LEAF, AS_TREE = range(3, 5)  # estimated errors
HEAVIEST = 5  # weight of the branch that may be raised
LIGHT_WEIGHT = 6  # of light branches
LIGHT_COUNTS = 7  # and on: a weight for each class
OWN, REAL, SHARE, SIZE = range(4)  # rows of ``slots``


class MadeTree(NamedTuple):
    """Nodes as they are made. Those that pruning has cut off stay where they are."""

    whole: np.ndarray  # (nodes, GROUP_START + 1) int64
    real: np.ndarray  # (nodes, COUNTS + classes)
    groups: np.ndarray  # int64
    used: np.ndarray  # (2,) int64: nodes, and entries of ``groups``


class Frames(NamedTuple):
    """The stack. Numbers of branches are in slots: a frame has as many as its test has branches, and one more."""

    whole: np.ndarray  # (depth, STATE + 7) int64
    real: np.ndarray  # (depth, LIGHT_COUNTS + classes)
    slots: np.ndarray  # (4, slots): weights of unknown cases and of branches, also without multipliers; shares; cases
    is_leaf: np.ndarray  # (slots,) bool
    found: np.ndarray  # (slots, classes + 3): totals of branches


class Estimates(NamedTuple):
    """How errors are estimated."""

    confidence: float
    deviation: float
    has_factors: bool  # class multipliers


class Work(NamedTuple):
    """The cases, and how a tree is made of them."""

    values: np.ndarray  # (columns, cases) float32
    is_unknown: np.ndarray  # (columns, bytes) uint8: a bit for each case
    n_values: np.ndarray  # (columns,) int64
    n_classes: int
    cases: np.ndarray  # int64: in the order in which the program has moved them
    branches: np.ndarray  # int32: the branch of the case at each place, while a node is divided
    moves: np.ndarray  # (cases,) int32: scratch of the same
    weighed: np.ndarray  # (cases, 2) float32: what each case weighs, and its class
    factors: np.ndarray  # class multipliers
    tested: np.ndarray  # (columns,) int64: in how many nodes above that divide by each value
    stops: Stops
    estimates: Estimates
    scratch: np.ndarray  # (2, classes + 3)
    control: np.ndarray  # (2,) int64
    result: np.ndarray  # (1,) what the last estimate came to


@inlined_borrowing
def has_room(tree, frames, top, most):
    """Whether one more step is possible. ``most``: branches of a test."""
    if top + 2 >= len(frames.whole) or frames.whole[top, SLOT] + 2 * (most + 2) > len(frames.is_leaf):
        return False
    return tree.used[0] + most + 1 <= len(tree.whole) and tree.used[1] + most + 1 <= len(tree.groups)


@borrowing
def push(work, tree, frames, step, node, first, last, count):
    """A new frame on top."""
    d = work.control[TOP]
    work.control[TOP] = d + 1
    frame = frames.whole[d]
    frame[STEP], frame[NODE], frame[FROM], frame[TO], frame[COUNT] = step, node, first, last, count
    frame[REGROW], frame[COLLAPSE], frame[ORDER_SIZE], frame[SLOT] = 0, 1, -1, 0
    frames.real[d, NODE_WEIGHT] = tree.real[node, WEIGHT]
    if d > 0:
        above = frames.whole[d - 1, NODE]
        frame[SLOT] = frames.whole[d - 1, SLOT] + tree.whole[above, N_BRANCHES] + 1
    return d


@inlined_borrowing
def groups_of(work, tree, node):
    """Where the branches of values begin and end in ``tree.groups``; tests of numbers have none."""
    start = tree.whole[node, GROUP_START]
    if tree.whole[node, KIND] == NUMBER_TEST:
        return start, start
    return start, start + work.n_values[tree.whole[node, COLUMN]] + 1


@borrowing
def begin(work, tree, frames, d, is_growing):
    """Begin to divide the cases of a frame among the branches of its node's test."""
    node, first, last, slot = frames.whole[d, NODE], frames.whole[d, FROM], frames.whole[d, TO], frames.whole[d, SLOT]
    n = tree.whole[node, N_BRANCHES]
    group, group_end = groups_of(work, tree, node)
    own, real = frames.slots[OWN, slot : slot + n + 1], frames.slots[REAL, slot : slot + n + 1]
    shares, sizes = frames.slots[SHARE, slot : slot + n], frames.slots[SIZE, slot : slot + n + 1]
    start = begin_division(
        work.values[tree.whole[node, COLUMN]], tree.real[node, CUT], tree.groups[group:group_end], work.cases,
        work.branches, first, last, work.weighed, work.factors, work.estimates.has_factors,
        frames.whole[d, COUNT] == 1, own, real, sizes,
    )  # fmt: skip
    frames.real[d, UNKNOWN_WEIGHT] = set_shares(real, frames.real[d, NODE_WEIGHT], work.estimates.has_factors, shares)
    state = frames.whole[d, STATE:]
    state[:] = 0
    state[FIRST], state[BEGIN], state[LAST] = first, start, last
    frames.whole[d, HAS_UNKNOWN] = start > first
    is_many = is_growing and last - first > _MANY_CASES and n >= _MANY_BRANCHES
    frames.whole[d, WITHOUT_LIGHT] = is_many and start - first > 0.5 * (last - first)
    frames.whole[d, N_DONE] = 0
    frames.whole[d, RAISED] = -1
    frames.real[d, AS_TREE], frames.real[d, LIGHT_WEIGHT], frames.real[d, HEAVIEST] = 0.0, 0.0, 0.0
    for c in range(work.n_classes):
        frames.real[d, LIGHT_COUNTS + c] = 0.0
    if tree.whole[node, KIND] == EACH_VALUE:
        work.tested[tree.whole[node, COLUMN]] += 1
    if not is_growing:
        for b in range(n):
            frames.is_leaf[slot + b] = tree.whole[tree.whole[node, FIRST_CHILD] + b, KIND] == LEAF


@borrowing
def go_on(work, tree, frames, d, is_growing):
    """The next branch that is no leaf, opened; -1: there is none left."""
    node, slot = frames.whole[d, NODE], frames.whole[d, SLOT]
    n = tree.whole[node, N_BRANCHES]
    own, shares = frames.slots[OWN, slot : slot + n + 1], frames.slots[SHARE, slot : slot + n]
    sizes = frames.slots[SIZE, slot : slot + n + 1]
    is_leaf = frames.is_leaf[slot : slot + (0 if is_growing else n)]
    b = next_branch(
        work.is_unknown[tree.whole[node, COLUMN]], work.cases, work.branches, work.moves, work.weighed,
        work.n_classes, own, sizes, shares, frames.real[d, UNKNOWN_WEIGHT], is_leaf, work.stops,
        frames.whole[d, WITHOUT_LIGHT] == 1, frames.whole[d, STATE:], frames.found[slot : slot + n],
        work.scratch[0, : work.n_classes],
    )  # fmt: skip
    if b < 0 and tree.whole[node, KIND] == EACH_VALUE:
        work.tested[tree.whole[node, COLUMN]] -= 1
    return b


@inlined_borrowing
def branch_weight(frames, d, b):
    """Own cases and the share of unknown ones."""
    slot = frames.whole[d, SLOT]
    return frames.slots[OWN, slot + b + 1] + frames.slots[SHARE, slot + b] * frames.real[d, UNKNOWN_WEIGHT]


@inlined_borrowing
def counts_below(frames, d):
    """Whether cases may still be counted in the branches: no unknown ones have been shared out."""
    return frames.whole[d, COUNT] == 1 and frames.whole[d, HAS_UNKNOWN] == 0


@borrowing
def recount(work, tree, node, totals):
    """Class weights, weight and label of a node; returns its errors as a leaf."""
    n_classes = work.n_classes
    for c in range(n_classes):
        tree.real[node, COUNTS + c] = totals[c]
    tree.real[node, WEIGHT], tree.whole[node, LABEL] = totals[n_classes], np.int64(totals[n_classes + 1])
    return totals[n_classes + 2]


@borrowing
def sum_up_frame(work, frames, d):
    """Leave the totals of a frame's cases in ``work.scratch[1]``."""
    sums, first, last = work.scratch[0, : work.n_classes], frames.whole[d, FROM], frames.whole[d, TO]
    sum_up(work.cases, first, last, work.weighed, work.n_classes, sums, work.scratch[1])


@inlined_borrowing
def make_leaf(tree, node):
    tree.whole[node, KIND], tree.whole[node, COLUMN], tree.whole[node, N_BRANCHES] = LEAF, -1, 0
    tree.real[node, GAIN] = 0.0


@borrowing
def estimate(work, weight, errors, label):
    """Errors and extra errors; class multipliers are undone before and applied after."""
    how = work.estimates
    if not how.has_factors:
        return single(errors + extra_errors(weight, errors, how.confidence, how.deviation))
    own, other = work.factors[label], work.factors[1 - label]
    real_errors = errors / other
    real_weight = (weight - errors) / own + real_errors
    return single(errors + other * extra_errors(real_weight, real_errors, how.confidence, how.deviation))


@borrowing
def estimate_totals(work, totals):
    n_classes = work.n_classes
    return estimate(work, totals[n_classes], totals[n_classes + 2], np.int64(totals[n_classes + 1]))


@borrowing
def add_light(work, frames, d, counts, weight):
    """A light branch: all of them are estimated together."""
    for c in range(work.n_classes):
        frames.real[d, LIGHT_COUNTS + c] += counts[c]
    frames.real[d, LIGHT_WEIGHT] += weight


@borrowing
def estimate_light(work, frames, d):
    """Estimated errors of the light branches together."""
    weight, best = frames.real[d, LIGHT_WEIGHT], 0
    if weight <= 0.0:
        return 0.0
    for c in range(1, work.n_classes):
        if frames.real[d, LIGHT_COUNTS + c] > frames.real[d, LIGHT_COUNTS + best]:
            best = c
    return estimate(work, weight, weight - frames.real[d, LIGHT_COUNTS + best], best)
