"""Error-based pruning with subtree raising: cases are sent down the tree anew wherever a branch might take the place
of its parent.

Cases lie on a stack: those of a node at ``[start:stop]``, those of its branches above them, branch after branch, each
with the cases that take every branch first. Cases that stop at the node are in none. ``test[v]`` is the grown node
whose test and branches node v has, -1 for a leaf: raising a branch is a change of this one number.
"""

import math
from typing import NamedTuple

import numpy as np

import treewright.kernels.pruning.raising_in_numpy as raising_in_numpy
from treewright.kernels.jit import inlined, kernel, large_kernel
from treewright.kernels.row_routing.route_in_numpy import EVERY_BRANCH
from treewright.kernels.row_routing.routing import branch_at, own_branch
from treewright.kernels.store_kernels.cases import heaviest, share_of


class ErrorBound(NamedTuple):
    """Numbers only."""

    unit: float  # what one unit of fixed-point weight is worth
    confidence: float
    z: float  # how many standard errors the confidence is worth
    hopeless: float  # share of the other cases thought wrong where nearly all are
    tolerance: float
    slack: float  # a smaller tree may be this much worse
    raising: bool


class PrunedArrays(NamedTuple):
    """The tree while it is pruned."""

    test: np.ndarray  # (n,) int64
    stats: np.ndarray  # (n, classes) int64
    rows: np.ndarray  # (n,) int64
    missing: np.ndarray  # (n,) int64


class Stack(NamedTuple):
    row: np.ndarray  # uint32
    weight: np.ndarray  # int64
    side: np.ndarray  # int32: branch or mark, as in routing.py


class RaisingRows(NamedTuple):
    """Where cases look up what they are."""

    cells: np.ndarray  # (columns, rows)
    label: np.ndarray
    in_full: np.ndarray  # (columns,) bool: missing values take every branch with all their weight; empty: none do


@kernel
def extra_errors(n, e, p):
    """How many more of n cases are wrong at the upper end of the confidence interval, e being seen to be wrong."""
    if p.z < 0:  # a confidence of more than a half asks for fewer errors than were seen
        return 0.0
    if e < 1 and n > 0:
        none = n * (1 - math.exp(math.log(p.confidence) / n))
        if e <= 0:
            return none
        return none + e * (extra_of_one_or_more(n, 1.0, p) - none)
    return extra_of_one_or_more(n, e, p)


@kernel
def extra_of_one_or_more(n, e, p):
    """The upper end of the normal approximation to the binomial, with its correction for continuity."""
    if e + 0.5 >= n:
        return p.hopeless * max(n - e, 0.0)
    z2, f = p.z * p.z, (e + 0.5) / n
    upper = (f + z2 / (2 * n) + p.z * math.sqrt(f / n - f * f / n + z2 / (4 * n * n))) / (1 + z2 / n)
    return upper * n - e


@kernel
def leaf_errors(weights, p):
    """Pessimistic errors of a leaf of these class weights."""
    return errors_of_class(weights, likeliest(weights), p)


@kernel
def likeliest(weights):
    """The class of most weight, the first of equals."""
    most = 0
    for k in range(1, weights.shape[0]):
        if weights[k] > weights[most]:
            most = k
    return most


@kernel
def errors_of_class(weights, label, p):
    """Pessimistic errors where cases of these class weights are all said to be of one class."""
    total = 0
    for k in range(weights.shape[0]):
        total += weights[k]
    if total * p.unit <= p.tolerance:
        return 0.0
    wrong = (total - weights[label]) * p.unit
    return wrong + extra_errors(total * p.unit, wrong, p)


@kernel
def errors_of_leaves(weights, p, out):
    """Pessimistic errors of every node as a leaf."""
    for v in range(weights.shape[0]):
        out[v] = leaf_errors(weights[v], p)


@kernel
def errors_of_stopped(weights, nodes, p, out):
    """Pessimistic errors of cases that stop at a node, of class weights ``nodes``, and get its class."""
    for v in range(weights.shape[0]):
        out[v] = errors_of_class(weights[v], likeliest(nodes[v]), p)


@kernel
def with_room(values, size):
    """The array itself, or a larger one that begins with it."""
    if size <= values.shape[0]:
        return values
    larger = np.empty(max(size, 2 * values.shape[0]), values.dtype)
    larger[: values.shape[0]] = values
    return larger


@kernel
def make_room(stack, size):
    return Stack(with_room(stack.row, size), with_room(stack.weight, size), with_room(stack.side, size))


@kernel
def count_classes(stack, start, stop, labels, out):
    out[:] = 0
    for i in range(start, stop):
        out[labels[stack.row[i]]] += stack.weight[i]


count_classes.in_numpy(raising_in_numpy.count_classes)


@inlined
def take_sides(t, start, stop, rows, tree, stack, known, ends):
    """The branch or mark of every case [start:stop] at the test of grown node t.

    ``known`` and ``ends`` get weight and number of the cases of each branch. Returns how many values are missing, how
    many cases take every branch and how many stop.
    """
    n_missing, n_shared, n_stopped = 0, 0, 0
    known[: tree.n_branches[t]] = 0
    ends[: tree.n_branches[t]] = 0
    cells, asks_others = rows.cells[tree.column[t]], tree.surrogates.start.shape[0] > 0
    for i in range(start, stop):
        x = cells[stack.row[i]]
        branch = np.int64(own_branch(tree, t, x))
        if branch < 0 or np.isnan(x):
            n_missing += np.isnan(x)
            if asks_others:
                branch = np.int64(branch_at(tree, t, rows.cells.T, stack.row[i]))
        stack.side[i] = branch
        if branch >= 0:
            known[branch] += stack.weight[i]
            ends[branch] += 1
        elif branch == EVERY_BRANCH:
            n_shared += 1
        else:
            n_stopped += 1
    return n_missing, n_shared, n_stopped


take_sides.in_numpy(raising_in_numpy.take_sides)


@inlined
def place_cases(start, stop, begin, n_shared, known, ends, most, in_full, stack):
    """Put the cases [start:stop] where their branches begin, first those that take every branch; ``ends[b]`` gets where
    the cases of branch b end."""
    row, weight, side = stack.row, stack.weight, stack.side
    whole, m = known.sum(), 0
    for b in range(begin.shape[0]):
        ends[b] = begin[b] + (n_shared if known[b] > 0 else 0)
    for i in range(start, stop):
        if side[i] >= 0:
            to = ends[side[i]]
            row[to], weight[to] = row[i], weight[i]
            ends[side[i]] = to + 1
        elif side[i] == EVERY_BRANCH:
            rest = weight[i]
            for b in range(begin.shape[0]):
                if b != most and known[b] > 0:
                    part = weight[i] if in_full else share_of(weight[i], known[b], whole)
                    rest -= 0 if in_full else part
                    row[begin[b] + m], weight[begin[b] + m] = row[i], part
            row[begin[most] + m], weight[begin[most] + m] = row[i], rest
            m += 1


place_cases.in_numpy(raising_in_numpy.place_cases)


@kernel
def hand_down(t, start, stop, rows, tree, stack, known, ends):
    """Send the cases [start:stop] through the test of grown node t, to the places from ``stop`` on.

    ``ends[b]`` is where the cases of branch b end (they begin where those of the branch before end). Returns the
    stack, which may have had to grow, how many cases miss the test and how many stop here. A branch without known cases
    gets none, but where all take every branch each gets an equal share.
    """
    n_branches = tree.n_branches[t]
    n_missing, n_shared, n_stopped = take_sides(t, start, stop, rows, tree, stack, known, ends)
    if n_shared + n_stopped == stop - start:
        known[:n_branches] = 1
    place, begin = stop, np.empty(n_branches, np.int64)
    for b in range(n_branches):
        begin[b] = place
        place += ends[b] + (n_shared if known[b] > 0 else 0)
    stack = make_room(stack, place)
    in_full = rows.in_full.shape[0] > 0 and rows.in_full[tree.column[t]]
    most = heaviest(known, 0, n_branches)
    place_cases(start, stop, begin, n_shared, known[:n_branches], ends, most, in_full, stack)
    return stack, n_missing, n_stopped


@kernel
def errors_where_stopped(start, stop, n_stopped, labels, stack, p, counts, stopped):
    """Pessimistic errors of those of the cases [start:stop] that have just been found to stop at their node."""
    if n_stopped == 0:
        return 0.0
    counts[:], stopped[:] = 0, 0
    for i in range(start, stop):
        label = labels[stack.row[i]]
        counts[label] += stack.weight[i]
        if stack.side[i] < EVERY_BRANCH:
            stopped[label] += stack.weight[i]
    return errors_of_class(stopped, likeliest(counts), p)


@kernel
def errors_below(v, start, stop, limit, rows, tree, test, stack, p, known, ends, counts, stopped):
    """Pessimistic errors of the subtree at v when the cases [start:stop] are sent down it.

    A sum above ``limit`` is not worked out to the end: the branch will not be raised, and a leaf that is as good as the
    tree is as good as the branch.
    """
    waiting = [(v, start, stop)]
    errors = 0.0
    while len(waiting) and errors <= limit:
        v, start, stop = waiting.pop()
        t = test[v]
        if t < 0:
            count_classes(stack, start, stop, rows.label, counts)
            errors += leaf_errors(counts, p)
            continue
        stack, _, n_stopped = hand_down(t, start, stop, rows, tree, stack, known, ends)
        errors += errors_where_stopped(start, stop, n_stopped, rows.label, stack, p, counts, stopped)
        begin = stop
        for b in range(tree.n_branches[t]):
            if ends[b] > begin:
                waiting.append((tree.first_child[t] + b, begin, ends[b]))
                begin = ends[b]
    return stack, errors


@kernel
def largest_branch(first, count, stats, p):
    """The branch of most weight, the last of equals."""
    largest, most = first, 0.0
    for child in range(first, first + count):
        weight = stats[child].sum() * p.unit
        if weight >= most - p.tolerance:
            largest, most = child, weight
    return largest


@kernel
def judge(v, start, stop, below, rows, tree, stack, p, pruned, known, ends, counts, stopped):
    """The test that node v shall have (its own, -1 for none, or that of its largest branch) and its errors.

    ``below`` is the errors of its branches, which are pruned already, and of cases that stop at it. Returns the stack
    too: it may have had to grow.
    """
    t, as_leaf = pruned.test[v], leaf_errors(pruned.stats[v], p)
    if t < 0:
        return stack, t, as_leaf
    allowed, raised = below + p.slack + p.tolerance, np.inf
    largest = largest_branch(tree.first_child[t], tree.n_branches[t], pruned.stats, p)
    if p.raising:
        stack, raised = errors_below(
            largest, start, stop, allowed, rows, tree, pruned.test, stack, p, known, ends, counts, stopped
        )
    if as_leaf <= allowed and as_leaf <= raised + p.slack + p.tolerance:
        return stack, np.int64(-1), as_leaf
    if raised <= allowed:
        return stack, pruned.test[largest], below
    return stack, t, below


@large_kernel(5.0)
def prune_errors(rows, weights, tree, p, pruned):
    """Prune from the bottom up; ``pruned`` starts as the grown tree. See ``prune/methods/error_based.py``.

    The walk goes down the tree and comes back to each node when its branches are done, the last branch first: what lies
    above its cases is free. A frame of the walk is a node, its cases, how many branches are done (-1: it has just been
    reached) and their errors. Where the branches' cases end stands on a stack of its own, ``all_ends``.
    """
    n = weights.shape[0]
    widest = max(tree.n_branches.max(), 1)
    known, ends = np.empty(widest, np.int64), np.empty(widest, np.int64)
    counts, stopped = np.empty_like(pruned.stats[0]), np.empty_like(pruned.stats[0])
    stack = Stack(np.empty(4 * n, np.uint32), np.empty(4 * n, np.int64), np.empty(4 * n, np.int32))
    for i in range(n):
        stack.row[i], stack.weight[i] = i, weights[i]
    nodes, spans = [np.int64(0)], [(np.int64(0), np.int64(n))]
    n_done, below, all_ends = [np.int64(-1)], [0.0], [np.int64(0)]
    while len(nodes):
        v, (start, stop) = nodes[-1], spans[-1]
        t = pruned.test[v]
        n_branches = np.int64(tree.n_branches[t]) if t >= 0 else 0
        if n_done[-1] < 0:
            n_done[-1], below[-1] = 0, 0.0
            count_classes(stack, start, stop, rows.label, counts)
            pruned.stats[v], pruned.rows[v] = counts, stop - start
            if t >= 0:
                stack, pruned.missing[v], n_stopped = hand_down(t, start, stop, rows, tree, stack, known, ends)
                below[-1] = errors_where_stopped(start, stop, n_stopped, rows.label, stack, p, counts, stopped)
                for b in range(n_branches):
                    all_ends.append(ends[b])
        if n_done[-1] < n_branches:
            n_done[-1] += 1
            branch, at = n_branches - n_done[-1], len(all_ends) - n_done[-1]
            nodes.append(np.int64(tree.first_child[t] + branch))
            spans.append((np.int64(all_ends[at - 1] if branch else stop), np.int64(all_ends[at])))
            n_done.append(np.int64(-1))
            below.append(0.0)
            continue
        for _ in range(n_branches):
            all_ends.pop()
        stack, test, errors = judge(
            v, start, stop, below[-1], rows, tree, stack, p, pruned, known, ends, counts, stopped
        )
        pruned.test[v] = test
        if test >= 0 and test != t:  # a branch was raised: all is done anew with its test
            n_done[-1] = -1
            continue
        nodes.pop()
        spans.pop()
        n_done.pop()
        below.pop()
        if len(below):
            below[-1] += errors


@kernel
def count_cases(rows, weights, tree, pruned):
    """Statistics of all nodes of a tree whose node v has the test of grown node ``pruned.test[v]``.

    ``pruned`` gets them; nodes that no case reaches keep what they have.
    """
    n, widest = weights.shape[0], max(tree.n_branches.max(), 1)
    known, ends = np.empty(widest, np.int64), np.empty(widest, np.int64)
    stack = Stack(np.empty(4 * n, np.uint32), np.empty(4 * n, np.int64), np.empty(4 * n, np.int32))
    for i in range(n):
        stack.row[i], stack.weight[i] = i, weights[i]
    waiting = [(np.int64(0), np.int64(0), np.int64(n))]
    while len(waiting):
        v, start, stop = waiting.pop()
        t = pruned.test[v]
        count_classes(stack, start, stop, rows.label, pruned.stats[v])
        pruned.rows[v] = stop - start
        if t < 0:
            continue
        stack, pruned.missing[v], _ = hand_down(t, start, stop, rows, tree, stack, known, ends)
        begin = stop
        for b in range(tree.n_branches[t]):
            if ends[b] > begin:
                waiting.append((np.int64(tree.first_child[t] + b), np.int64(begin), np.int64(ends[b])))
                begin = ends[b]
