"""Steps of growing a C5.0 tree; see c50_frames.py."""

import numpy as np

from treewright.kernels.c50_kernels.c50_division import EMPTY, END, ONE_CLASS, START
from treewright.kernels.c50_kernels.c50_frames import (
    EACH_VALUE,
    GROW,
    GROW_BRANCHES,
    NUMBER_TEST,
    SETS,
    TOP,
    branch_weight,
    counts_below,
    go_on,
    make_leaf,
    push,
    recount,
)
from treewright.kernels.c50_kernels.c50_information import single
from treewright.kernels.c50_kernels.c50_search import NUMBER, ORDERED, chosen_column, gather_node, measure_column
from treewright.kernels.c50_kernels.c50_sorting import is_little_to_pick, pick_cases, sort_cases
from treewright.kernels.jit import borrowing, inlined_borrowing

UNLIMITED = 1e18  # leaves


@inlined_borrowing
def above_of(frames, d):
    """The nearest frame below this one on the stack whose sorted cases include its own; -1: there is none."""
    while d > 0 and frames.step[d - 1] == GROW_BRANCHES:
        d -= 1
        if frames.order_size[d] >= 0:
            return d
    return -1


@borrowing
def place_orders(work, frames, d):
    """Find room for the sorted cases of a frame; returns the frame they are picked from.

    They stand behind those they are picked from. Where there is no room left, they take their place.
    """
    above, n_numbers = above_of(frames, d), len(work.sorted.columns)
    n, at = frames.last[d] - frames.first[d], 0
    if above >= 0:
        at = frames.order_at[above] + n_numbers * frames.order_size[above]
        if at + n_numbers * n > len(work.room_for_orders):
            at = frames.order_at[above]
    frames.order_at[d] = at
    return above


@borrowing
def sort_column(work, frames, d, above, p):
    """Sort the cases of a frame, which are marked, by a column of numbers."""
    first, last = frames.first[d], frames.last[d]
    n, orders, known = last - first, work.room_for_orders, work.sorted.sizes[p]
    at = frames.order_at[d] + p * n
    out = orders[at : at + n]
    n_above = len(work.is_here) if above < 0 else frames.order_size[above]
    if not is_little_to_pick(n_above, n):
        whole = work.sorted
        frames.order_known[d, p] = sort_cases(whole.cases[p], whole.places[p], work.cases[first:last], out)
    elif above < 0:
        frames.order_known[d, p] = pick_cases(work.sorted.cases[p, :known], work.is_here, out)
    else:
        at = frames.order_at[above] + p * n_above
        listed = orders[at : at + frames.order_known[above, p]]
        frames.order_known[d, p] = pick_cases(listed, work.is_here, out)


@borrowing
def mark(work, frames, d, on):
    """Mark the cases of a frame."""
    for i in range(frames.first[d], frames.last[d]):
        work.is_here[work.cases[i]] = on


@mark.in_numpy
def mark_in_numpy(work, frames, d, on):
    work.is_here[work.cases[frames.first[d] : frames.last[d]]] = on


@borrowing
def finish_orders(work, frames, d, above):
    """All columns are sorted. Where the lists they were picked from have been written over, they are gone."""
    frames.order_size[d] = frames.last[d] - frames.first[d]
    if above >= 0 and frames.order_at[d] == frames.order_at[above]:
        frames.order_size[above] = -1


@borrowing
def allowed_leaves(work, weight):
    """How many leaves a node of this weight may have."""
    per_case = work.stops.leaves_per_case
    return UNLIMITED if per_case < 0.0 else np.rint(single(per_case * weight))


@borrowing
def measure(work, tree, frames, d, j, room):
    """What testing column j would gain; the frame's cases are gathered and sorted."""
    node, n, p = frames.node[d], frames.last[d] - frames.first[d], work.table.place[j]
    n_sorted = frames.order_known[d, p] if work.table.kinds[j] == NUMBER else 0
    at = frames.order_at[d] + p * n
    measure_column(
        work.table, j, work.here, n, work.room_for_orders[at : at + n_sorted], work.table.labels, work.weights,
        work.tested[j] > 0, work.search, allowed_leaves(work, tree.weight[node]), tree.counts[node],
        tree.weight[node], room, work.found,
    )  # fmt: skip


@inlined_borrowing
def search_node(work, tree, frames, d):
    """Choose the column to test at the node of a frame; -1: none."""
    above = place_orders(work, frames, d)
    mark(work, frames, d, True)
    for p in range(len(work.sorted.columns)):
        sort_column(work, frames, d, above, p)
    mark(work, frames, d, False)
    finish_orders(work, frames, d, above)
    gather_node(work.cases[frames.first[d] : frames.last[d]], work.table.labels, work.weights, work.here)
    for j in range(len(work.in_use)):
        if work.in_use[j]:
            measure(work, tree, frames, d, j, work.room)
    return choose(work, tree, frames, d)


@borrowing
def choose(work, tree, frames, d):
    """The column of the best test, when all columns in use have been measured."""
    return chosen_column(work.in_use, work.table.n_values, work.found, work.search, tree.weight[frames.node[d]])


@inlined_borrowing
def set_test(work, tree, node, column):
    """Give a node the test of a column as it was measured, and branches."""
    n_values, found, subset = work.table.n_values[column], work.found, work.search.subset
    tree.column[node], tree.gain[node], tree.cut[node] = column, found.gain[column], 0.0
    tree.group_start[node] = tree.used[1]
    if work.table.kinds[column] == NUMBER:
        tree.kind[node], tree.cut[node], n = NUMBER_TEST, found.cut[column], 3
    else:
        each = work.table.kinds[column] != ORDERED and (not subset or n_values <= 3)
        tree.kind[node], n = EACH_VALUE if each else SETS, n_values if each else 0
        for value in range(n_values + 1):
            group = value if each else found.groups[column, value]
            if not each:
                n = max(n, group)
                group = -1 if value == 0 or group == 0 else group
            tree.groups[tree.used[1] + value] = group
        tree.used[1] += n_values + 1
    give_branches(tree, node, n)


@inlined_borrowing
def give_branches(tree, node, n):
    """New leaves as branches of a node."""
    tree.first_child[node], tree.n_branches[node] = tree.used[0], n
    for child in range(tree.used[0], tree.used[0] + n):
        make_leaf(tree, child)
    tree.used[0] += n


@inlined_borrowing
def grow_branches(work, tree, frames, d):
    """One more branch; when there is none left the node is done."""
    node = frames.node[d]
    b, n_classes = go_on(work, tree, frames, d, True), work.table.n_classes
    upto = tree.n_branches[node] if b < 0 else b + 1
    for passed in range(frames.done[d], upto):
        child = tree.first_child[node] + passed
        if branch_weight(frames, d, passed) < EMPTY:
            for c in range(n_classes):
                tree.counts[child, c] = 0.0
            tree.weight[child], tree.label[child], tree.errors[child] = 0.0, tree.label[node], 0.0
        else:
            tree.errors[child] = recount(work, tree, child, frames.found[frames.slot[d] + passed])
    frames.done[d] = upto
    if b >= 0:
        state = frames.state[d]
        push(work, tree, frames, GROW, tree.first_child[node] + b, state[START], state[END], counts_below(frames, d))
        return
    if frames.collapse[d]:
        collapse(tree, node)
    work.control[TOP] -= 1


@inlined_borrowing
def collapse(tree, node):
    """A leaf if the branches save no error."""
    errors = 0.0
    for child in range(tree.first_child[node], tree.first_child[node] + tree.n_branches[node]):
        errors = single(errors + tree.errors[child])
    if errors >= ONE_CLASS * tree.errors[node]:
        make_leaf(tree, node)
    else:
        tree.errors[node] = errors
