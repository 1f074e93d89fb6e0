"""Steps of C5.0's first pruning pass: from the leaves up, by estimated errors; see c50_frames.py."""

import numpy as np

from treewright.kernels.c50_kernels.c50_division import AT, EMPTY, END, IS_OPEN, START
from treewright.kernels.c50_kernels.c50_frames import (
    DECIDE,
    DIVIDE,
    ESTIMATE,
    ESTIMATE_BRANCHES,
    LEAF,
    NUMBER_TEST,
    PRUNE,
    PRUNE_AGAIN,
    PRUNE_BRANCHES,
    TOP,
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
from treewright.kernels.jit import inlined_borrowing

_WORSE_AT_MOST = 0.1  # estimated errors
_LARGE = 0.1  # share of the node that a branch must have to be raised
_NEARLY_ALL = 0.95  # a branch that had less of the node is grown anew when it is raised


@inlined_borrowing
def prune(work, tree, frames, d):
    """Begin to prune a node; its cases have been added up."""
    node = frames.node[d]
    frames.weight[d] = tree.weight[node]
    as_leaf = estimate(work, tree.weight[node], frames.wrong[d], tree.label[node])
    if tree.kind[node] == LEAF:
        tree.errors[node] = as_leaf
        work.control[TOP] -= 1
        return
    frames.as_leaf[d], frames.step[d] = as_leaf, PRUNE_BRANCHES
    begin(work, tree, frames, d, False)


@inlined_borrowing
def prune_branches(work, tree, frames, d):
    """Prune one more branch. After the last, the branch that may be raised is estimated."""
    node, slot, state = frames.node[d], frames.slot[d], frames.state[d]
    if state[IS_OPEN] == 1:
        tally(work, tree, frames, d, state[AT])
        frames.done[d] = state[AT] + 1
    b = go_on(work, tree, frames, d, False)
    for passed in range(frames.done[d], tree.n_branches[node] if b < 0 else b):
        if branch_weight(frames, d, passed) >= EMPTY:
            child, totals = tree.first_child[node] + passed, frames.found[slot + passed]
            recount(work, tree, child, totals)
            tree.errors[child] = estimate_totals(work, totals)
            tally(work, tree, frames, d, passed)
    if b >= 0:
        child, count = tree.first_child[node] + b, counts_below(frames, d)
        wrong = recount(work, tree, child, frames.found[slot + b])
        new = push(work, tree, frames, PRUNE, child, state[START], state[END], count)
        frames.wrong[new], frames.regrow[new] = wrong, frames.regrow[d]
        return
    frames.as_tree[d] = single(frames.as_tree[d] + estimate_light(work, frames, d))
    frames.step[d], work.result[0] = DECIDE, np.inf
    if frames.raised[d] >= 0:
        push_estimate(work, tree, frames, frames.raised[d], frames.first[d], frames.last[d])
        sum_up_frame(work, frames, d)
        take_totals(work, frames, work.control[TOP] - 1, work.totals)


@inlined_borrowing
def tally(work, tree, frames, d, b):
    """Add a branch that has been pruned to the estimate of its node, and see whether it may be raised."""
    node = frames.node[d]
    child, weight = tree.first_child[node] + b, branch_weight(frames, d, b)
    if weight >= work.stops.least:
        frames.as_tree[d] = single(frames.as_tree[d] + tree.errors[child])
    else:
        add_light(work, frames, d, tree.counts[child], weight)
    same_number = tree.kind[child] == NUMBER_TEST and tree.column[child] == tree.column[node]
    if tree.kind[child] == LEAF or same_number or weight < _LARGE * frames.weight[d]:
        return
    if weight > frames.heaviest[d]:
        frames.raised[d], frames.heaviest[d] = child, weight


@inlined_borrowing
def decide(work, tree, frames, d):
    """The node becomes a leaf, is replaced by a branch, or stays."""
    node, candidate = frames.node[d], work.result[0]
    as_leaf, as_tree = frames.as_leaf[d], frames.as_tree[d]
    if as_leaf <= candidate + _WORSE_AT_MOST and as_leaf <= as_tree + _WORSE_AT_MOST:
        make_leaf(tree, node)
        tree.errors[node] = as_leaf
    elif frames.raised[d] >= 0 and candidate <= as_tree + _WORSE_AT_MOST:
        raise_branch(work, tree, frames, d)
        return
    else:
        tree.errors[node] = as_tree
    work.control[TOP] -= 1


@inlined_borrowing
def raise_branch(work, tree, frames, d):
    """The branch takes the place of its node. If it had not nearly all cases, all below its test is grown anew."""
    node, raised = frames.node[d], frames.raised[d]
    part = tree.weight[raised] / tree.weight[node]
    tree.kind[node], tree.column[node], tree.cut[node] = tree.kind[raised], tree.column[raised], tree.cut[raised]
    tree.group_start[node], tree.gain[node] = tree.group_start[raised], tree.gain[raised]
    tree.first_child[node], tree.n_branches[node] = tree.first_child[raised], tree.n_branches[raised]
    frames.step[d] = PRUNE_AGAIN
    if frames.regrow[d] == 1 and part < _NEARLY_ALL:
        tree.label[node] = tree.label[raised]
        give_branches(tree, node, tree.n_branches[raised])
        new = push(work, tree, frames, DIVIDE, node, frames.first[d], frames.last[d], frames.count[d] == 1)
        frames.collapse[new] = 0


@inlined_borrowing
def prune_again(work, tree, frames, d):
    """The node once more, with what has been raised; nothing is grown anew this time."""
    frames.regrow[d], frames.count[d], frames.step[d] = 0, 0, PRUNE
    sum_up_frame(work, frames, d)
    frames.wrong[d] = recount(work, tree, frames.node[d], work.totals)


@inlined_borrowing
def push_estimate(work, tree, frames, node, first, last):
    """Ask what errors a tree would make if these cases came to its root. Nothing is changed."""
    push(work, tree, frames, ESTIMATE, node, first, last, False)


@inlined_borrowing
def take_totals(work, frames, d, totals):
    """The cases that a frame estimates are those of these totals."""
    n_classes = work.table.n_classes
    frames.weight[d], frames.wrong[d] = totals[n_classes], totals[n_classes + 2]
    frames.raised[d] = np.int64(totals[n_classes + 1])


@inlined_borrowing
def begin_estimate(work, tree, frames, d):
    if tree.kind[frames.node[d]] == LEAF:
        work.result[0] = estimate(work, frames.weight[d], frames.wrong[d], frames.raised[d])
        work.control[TOP] -= 1
        return
    frames.step[d] = ESTIMATE_BRANCHES
    begin(work, tree, frames, d, False)


@inlined_borrowing
def estimate_branches(work, tree, frames, d):
    """Estimate one more branch."""
    node, slot, state = frames.node[d], frames.slot[d], frames.state[d]
    if state[IS_OPEN] == 1:
        if branch_weight(frames, d, state[AT]) >= work.stops.least:
            frames.as_tree[d] = single(frames.as_tree[d] + work.result[0])
        frames.done[d] = state[AT] + 1
    b = go_on(work, tree, frames, d, False)
    for passed in range(frames.done[d], tree.n_branches[node] if b < 0 else b + 1):
        weight, totals = branch_weight(frames, d, passed), frames.found[slot + passed]
        if EMPTY <= weight < work.stops.least:
            add_light(work, frames, d, totals, weight)
        elif weight >= EMPTY and passed != b:
            frames.as_tree[d] = single(frames.as_tree[d] + estimate_totals(work, totals))
    if b < 0:
        work.result[0] = single(frames.as_tree[d] + estimate_light(work, frames, d))
        work.control[TOP] -= 1
    elif branch_weight(frames, d, b) >= work.stops.least:
        push_estimate(work, tree, frames, tree.first_child[node] + b, state[START], state[END])
        take_totals(work, frames, work.control[TOP] - 1, frames.found[slot + b])
