"""Steps of C5.0's first pruning pass: from the leaves up, by estimated errors; see c50_frames.py."""

import numpy as np

from treewright.kernels.c50_kernels.c50_division import AT, EMPTY, END, IS_OPEN, START
from treewright.kernels.c50_kernels.c50_frames import (
    AS_LEAF,
    AS_TREE,
    COLLAPSE,
    COLUMN,
    COUNT,
    COUNTS,
    CUT,
    DECIDE,
    DIVIDE,
    ERRORS,
    ESTIMATE,
    ESTIMATE_BRANCHES,
    FIRST_CHILD,
    FROM,
    GAIN,
    GROUP_START,
    HEAVIEST,
    KIND,
    LABEL,
    LEAF,
    N_BRANCHES,
    N_DONE,
    NODE,
    NODE_WEIGHT,
    NUMBER_TEST,
    PRUNE,
    PRUNE_AGAIN,
    PRUNE_BRANCHES,
    RAISED,
    REGROW,
    SLOT,
    STATE,
    STEP,
    TO,
    TOP,
    WEIGHT,
    WRONG,
    add_light,
    begin,
    branch_weight,
    counts_below,
    estimate,
    estimate_light,
    estimate_totals,
    go_on,
    make_leaf,
    push,
    recount,
    sum_up_frame,
)
from treewright.kernels.c50_kernels.c50_growth import give_branches
from treewright.kernels.c50_kernels.c50_information import single
from treewright.kernels.jit import borrowing, inlined_borrowing

_WORSE_AT_MOST = 0.1  # estimated errors
_LARGE = 0.1  # share of the node that a branch must have to be raised
_NEARLY_ALL = 0.95  # a branch that had less of the node is grown anew when it is raised


@inlined_borrowing
def prune(work, tree, frames, d):
    """Begin to prune a node; its cases have been added up."""
    node = frames.whole[d, NODE]
    frames.real[d, NODE_WEIGHT] = tree.real[node, WEIGHT]
    as_leaf = estimate(work, tree.real[node, WEIGHT], frames.real[d, WRONG], tree.whole[node, LABEL])
    if tree.whole[node, KIND] == LEAF:
        tree.real[node, ERRORS] = as_leaf
        work.control[TOP] -= 1
        return
    frames.real[d, AS_LEAF], frames.whole[d, STEP] = as_leaf, PRUNE_BRANCHES
    begin(work, tree, frames, d, False)


@inlined_borrowing
def prune_branches(work, tree, frames, d):
    """Prune one more branch. After the last, the branch that may be raised is estimated."""
    node, slot, state = frames.whole[d, NODE], frames.whole[d, SLOT], frames.whole[d, STATE:]
    if state[IS_OPEN] == 1:
        tally(work, tree, frames, d, state[AT])
        frames.whole[d, N_DONE] = state[AT] + 1
    b = go_on(work, tree, frames, d, False)
    for passed in range(frames.whole[d, N_DONE], tree.whole[node, N_BRANCHES] if b < 0 else b):
        if branch_weight(frames, d, passed) >= EMPTY:
            child, totals = tree.whole[node, FIRST_CHILD] + passed, frames.found[slot + passed]
            recount(work, tree, child, totals)
            tree.real[child, ERRORS] = estimate_totals(work, totals)
            tally(work, tree, frames, d, passed)
    if b >= 0:
        child, count = tree.whole[node, FIRST_CHILD] + b, counts_below(frames, d)
        wrong = recount(work, tree, child, frames.found[slot + b])
        new = push(work, tree, frames, PRUNE, child, state[START], state[END], count)
        frames.real[new, WRONG], frames.whole[new, REGROW] = wrong, frames.whole[d, REGROW]
        return
    frames.real[d, AS_TREE] = single(frames.real[d, AS_TREE] + estimate_light(work, frames, d))
    frames.whole[d, STEP], work.result[0] = DECIDE, np.inf
    if frames.whole[d, RAISED] >= 0:
        push_estimate(work, tree, frames, frames.whole[d, RAISED], frames.whole[d, FROM], frames.whole[d, TO])
        sum_up_frame(work, frames, d)
        take_totals(work, frames, work.control[TOP] - 1, work.scratch[1])


@borrowing
def tally(work, tree, frames, d, b):
    """Add a branch that has been pruned to the estimate of its node, and see whether it may be raised."""
    node = frames.whole[d, NODE]
    child, weight = tree.whole[node, FIRST_CHILD] + b, branch_weight(frames, d, b)
    if weight >= work.stops.least:
        frames.real[d, AS_TREE] = single(frames.real[d, AS_TREE] + tree.real[child, ERRORS])
    else:
        add_light(work, frames, d, tree.real[child, COUNTS:], weight)
    same_number = tree.whole[child, KIND] == NUMBER_TEST and tree.whole[child, COLUMN] == tree.whole[node, COLUMN]
    if tree.whole[child, KIND] == LEAF or same_number or weight < _LARGE * frames.real[d, NODE_WEIGHT]:
        return
    if weight > frames.real[d, HEAVIEST]:
        frames.whole[d, RAISED], frames.real[d, HEAVIEST] = child, weight


@inlined_borrowing
def decide(work, tree, frames, d):
    """The node becomes a leaf, is replaced by a branch, or stays."""
    node, candidate = frames.whole[d, NODE], work.result[0]
    as_leaf, as_tree = frames.real[d, AS_LEAF], frames.real[d, AS_TREE]
    if as_leaf <= candidate + _WORSE_AT_MOST and as_leaf <= as_tree + _WORSE_AT_MOST:
        make_leaf(tree, node)
        tree.real[node, ERRORS] = as_leaf
    elif frames.whole[d, RAISED] >= 0 and candidate <= as_tree + _WORSE_AT_MOST:
        raise_branch(work, tree, frames, d)
        return
    else:
        tree.real[node, ERRORS] = as_tree
    work.control[TOP] -= 1


@inlined_borrowing
def raise_branch(work, tree, frames, d):
    """The branch takes the place of its node. If it had not nearly all cases, all below its test is grown anew."""
    node, raised = frames.whole[d, NODE], frames.whole[d, RAISED]
    part = tree.real[raised, WEIGHT] / tree.real[node, WEIGHT]
    for part_of in (KIND, COLUMN, GROUP_START, FIRST_CHILD, N_BRANCHES):
        tree.whole[node, part_of] = tree.whole[raised, part_of]
    tree.real[node, CUT], tree.real[node, GAIN] = tree.real[raised, CUT], tree.real[raised, GAIN]
    frames.whole[d, STEP] = PRUNE_AGAIN
    if frames.whole[d, REGROW] == 1 and part < _NEARLY_ALL:
        tree.whole[node, LABEL] = tree.whole[raised, LABEL]
        give_branches(tree, node, tree.whole[raised, N_BRANCHES])
        first, last, count = frames.whole[d, FROM], frames.whole[d, TO], frames.whole[d, COUNT] == 1
        new = push(work, tree, frames, DIVIDE, node, first, last, count)
        frames.whole[new, COLLAPSE] = 0


@inlined_borrowing
def prune_again(work, tree, frames, d):
    """The node once more, with what has been raised; nothing is grown anew this time."""
    frames.whole[d, REGROW], frames.whole[d, COUNT], frames.whole[d, STEP] = 0, 0, PRUNE
    sum_up_frame(work, frames, d)
    frames.real[d, WRONG] = recount(work, tree, frames.whole[d, NODE], work.scratch[1])


@inlined_borrowing
def push_estimate(work, tree, frames, node, first, last):
    """Ask what errors a tree would make if these cases came to its root. Nothing is changed."""
    push(work, tree, frames, ESTIMATE, node, first, last, False)


@inlined_borrowing
def take_totals(work, frames, d, totals):
    """The cases that a frame estimates are those of these totals."""
    n_classes = work.n_classes
    frames.real[d, NODE_WEIGHT], frames.real[d, WRONG] = totals[n_classes], totals[n_classes + 2]
    frames.whole[d, RAISED] = np.int64(totals[n_classes + 1])


@inlined_borrowing
def begin_estimate(work, tree, frames, d):
    if tree.whole[frames.whole[d, NODE], KIND] == LEAF:
        work.result[0] = estimate(work, frames.real[d, NODE_WEIGHT], frames.real[d, WRONG], frames.whole[d, RAISED])
        work.control[TOP] -= 1
        return
    frames.whole[d, STEP] = ESTIMATE_BRANCHES
    begin(work, tree, frames, d, False)


@inlined_borrowing
def estimate_branches(work, tree, frames, d):
    """Estimate one more branch."""
    node, slot, state = frames.whole[d, NODE], frames.whole[d, SLOT], frames.whole[d, STATE:]
    if state[IS_OPEN] == 1:
        if branch_weight(frames, d, state[AT]) >= work.stops.least:
            frames.real[d, AS_TREE] = single(frames.real[d, AS_TREE] + work.result[0])
        frames.whole[d, N_DONE] = state[AT] + 1
    b = go_on(work, tree, frames, d, False)
    for passed in range(frames.whole[d, N_DONE], tree.whole[node, N_BRANCHES] if b < 0 else b + 1):
        weight, totals = branch_weight(frames, d, passed), frames.found[slot + passed]
        if EMPTY <= weight < work.stops.least:
            add_light(work, frames, d, totals, weight)
        elif weight >= EMPTY and passed != b:
            frames.real[d, AS_TREE] = single(frames.real[d, AS_TREE] + estimate_totals(work, totals))
    if b < 0:
        work.result[0] = single(frames.real[d, AS_TREE] + estimate_light(work, frames, d))
        work.control[TOP] -= 1
    elif branch_weight(frames, d, b) >= work.stops.least:
        push_estimate(work, tree, frames, tree.whole[node, FIRST_CHILD] + b, state[START], state[END])
        take_totals(work, frames, work.control[TOP] - 1, frames.found[slot + b])
