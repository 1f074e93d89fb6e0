"""Steps of growing a C5.0 tree; see c50_frames.py."""

from treewright.kernels.c50_kernels.c50_division import EMPTY, END, ONE_CLASS, START
from treewright.kernels.c50_kernels.c50_frames import (
    COLLAPSE,
    COLUMN,
    COUNTS,
    CUT,
    EACH_VALUE,
    ERRORS,
    FIRST_CHILD,
    GAIN,
    GROUP_START,
    GROW,
    KIND,
    LABEL,
    N_BRANCHES,
    N_DONE,
    NODE,
    NUMBER_TEST,
    SETS,
    SLOT,
    STATE,
    TOP,
    WEIGHT,
    branch_weight,
    counts_below,
    go_on,
    make_leaf,
    push,
    recount,
)
from treewright.kernels.c50_kernels.c50_information import single
from treewright.kernels.c50_kernels.c50_search import NUMBER, ORDERED
from treewright.kernels.jit import borrowing, inlined_borrowing


@inlined_borrowing
def set_test(tree, node, column, search):
    """Give a node the test of a column as it was measured, and branches."""
    n_values, found = search.table.n_values[column], search.found
    tree.whole[node, COLUMN], tree.real[node, GAIN], tree.real[node, CUT] = column, found.gain[column], 0.0
    tree.whole[node, GROUP_START] = tree.used[1]
    if search.table.kinds[column] == NUMBER:
        tree.whole[node, KIND], tree.real[node, CUT], n = NUMBER_TEST, found.cut[column], 3
    else:
        each = search.table.kinds[column] != ORDERED and (not search.options.subset or n_values <= 3)
        tree.whole[node, KIND], n = EACH_VALUE if each else SETS, n_values if each else 0
        for value in range(n_values + 1):
            group = value if each else found.groups[column, value]
            if not each:
                n = max(n, group)
                group = -1 if value == 0 or group == 0 else group
            tree.groups[tree.used[1] + value] = group
        tree.used[1] += n_values + 1
    give_branches(tree, node, n)


@borrowing
def give_branches(tree, node, n):
    """New leaves as branches of a node."""
    tree.whole[node, FIRST_CHILD], tree.whole[node, N_BRANCHES] = tree.used[0], n
    for child in range(tree.used[0], tree.used[0] + n):
        make_leaf(tree, child)
    tree.used[0] += n


@inlined_borrowing
def grow_branches(work, tree, frames, d):
    """One more branch; when there is none left the node is done."""
    node = frames.whole[d, NODE]
    b, n_classes = go_on(work, tree, frames, d, True), work.n_classes
    upto = tree.whole[node, N_BRANCHES] if b < 0 else b + 1
    for passed in range(frames.whole[d, N_DONE], upto):
        child = tree.whole[node, FIRST_CHILD] + passed
        if branch_weight(frames, d, passed) < EMPTY:
            for c in range(n_classes):
                tree.real[child, COUNTS + c] = 0.0
            tree.real[child, WEIGHT], tree.real[child, ERRORS] = 0.0, 0.0
            tree.whole[child, LABEL] = tree.whole[node, LABEL]
        else:
            tree.real[child, ERRORS] = recount(work, tree, child, frames.found[frames.whole[d, SLOT] + passed])
    frames.whole[d, N_DONE] = upto
    if b >= 0:
        state = frames.whole[d, STATE:]
        child = tree.whole[node, FIRST_CHILD] + b
        push(work, tree, frames, GROW, child, state[START], state[END], counts_below(frames, d))
        return
    if frames.whole[d, COLLAPSE]:
        collapse(tree, node)
    work.control[TOP] -= 1


@inlined_borrowing
def collapse(tree, node):
    """A leaf if the branches save no error."""
    errors = 0.0
    for child in range(tree.whole[node, FIRST_CHILD], tree.whole[node, FIRST_CHILD] + tree.whole[node, N_BRANCHES]):
        errors = single(errors + tree.real[child, ERRORS])
    if errors >= ONE_CLASS * tree.real[node, ERRORS]:
        make_leaf(tree, node)
    else:
        tree.real[node, ERRORS] = errors
