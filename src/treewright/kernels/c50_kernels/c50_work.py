"""Making a C5.0 tree, step by step; see c50_frames.py."""

from treewright.kernels.c50_kernels.c50_division import is_final
from treewright.kernels.c50_kernels.c50_frames import (
    CHOSEN,
    DECIDE,
    DIVIDE,
    ERRORS,
    ESTIMATE,
    FROM,
    GROW,
    GROW_BRANCHES,
    NODE,
    NODE_WEIGHT,
    PRUNE,
    PRUNE_AGAIN,
    PRUNE_BRANCHES,
    REGROW,
    STEP,
    THE_COLUMN,
    TO,
    TOP,
    WEIGHT,
    WRONG,
    begin,
    has_room,
    make_leaf,
    push,
    recount,
    sum_up_frame,
)
from treewright.kernels.c50_kernels.c50_growth import grow_branches, set_test
from treewright.kernels.c50_kernels.c50_node_search import search_node
from treewright.kernels.c50_kernels.c50_pruning import (
    begin_estimate,
    decide,
    estimate_branches,
    prune,
    prune_again,
    prune_branches,
)
from treewright.kernels.jit import borrowing, kernel, large_kernel

DONE, NO_ROOM, LARGE_NODE = range(3)  # why work stops


@large_kernel(18.0)
def work_on(work, tree, frames, search, most_branches, large):
    """Do what the frames say until none is left; returns why work stops.

    ``large``: nodes of so many cases are left to the caller to be searched.
    """
    while work.control[TOP] > 0:
        d = work.control[TOP] - 1
        step = frames.whole[d, STEP]
        if not has_room(tree, frames, d, most_branches):
            return NO_ROOM
        if step == GROW:
            if frames.whole[d, TO] - frames.whole[d, FROM] >= large:
                return LARGE_NODE
            work.control[THE_COLUMN] = search_node(work, tree, frames, d, search)
            frames.whole[d, STEP] = CHOSEN
        elif step == CHOSEN:
            if work.control[THE_COLUMN] >= 0:
                set_test(tree, frames.whole[d, NODE], work.control[THE_COLUMN], search)
                frames.whole[d, STEP] = DIVIDE
            else:
                work.control[TOP] = d
        elif step == DIVIDE:
            begin(work, tree, frames, d, True)
            frames.whole[d, STEP] = GROW_BRANCHES
        elif step == GROW_BRANCHES:
            grow_branches(work, tree, frames, d)
        elif step == PRUNE:
            prune(work, tree, frames, d)
        elif step == PRUNE_BRANCHES:
            prune_branches(work, tree, frames, d)
        elif step == DECIDE:
            decide(work, tree, frames, d)
        elif step == PRUNE_AGAIN:
            prune_again(work, tree, frames, d)
        elif step == ESTIMATE:
            begin_estimate(work, tree, frames, d)
        else:
            estimate_branches(work, tree, frames, d)
    return DONE


@kernel
def begin_growing(work, tree, frames, count):
    """A frame that grows the tree of all ``work.cases``, unless one leaf is the tree."""
    begin_tree(work, tree, frames, GROW, count)
    tree.used[0], tree.used[1] = 1, 0
    make_leaf(tree, 0)
    sum_up_frame(work, frames, 0)
    tree.real[0, ERRORS] = recount(work, tree, 0, work.scratch[1])
    frames.real[0, NODE_WEIGHT] = tree.real[0, WEIGHT]
    if is_final(work.scratch[1], work.n_classes, work.stops):
        work.control[TOP] = 0


@kernel
def begin_pruning(work, tree, frames, regrow, count):
    """A frame that prunes the tree with all ``work.cases``."""
    begin_tree(work, tree, frames, PRUNE, count)
    frames.whole[0, REGROW] = regrow
    sum_up_frame(work, frames, 0)
    frames.real[0, WRONG] = recount(work, tree, 0, work.scratch[1])


@borrowing
def begin_tree(work, tree, frames, step, count):
    work.control[TOP] = 0
    push(work, tree, frames, step, 0, 0, len(work.cases), count)
