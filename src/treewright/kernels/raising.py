"""Error-based pruning with subtree raising: cases are sent down the tree anew wherever a branch might take the place
of its parent.

Cases lie on a stack: those of a node at ``[start:stop]``, those of its branches above them, branch after branch, each
with the cases that missed the node's test first. ``test[v]`` is the grown node whose test and branches node v has, -1
for a leaf: raising a branch is a change of this one number.
"""

import math
from typing import NamedTuple

import numpy as np
from numba import njit

from treewright.kernels.cases import heaviest, share_of
from treewright.kernels.route import own_branch


class Pessimism(NamedTuple):
    """Numbers only."""

    unit: float  # what one unit of fixed-point weight is worth
    confidence: float
    z: float  # how many standard errors the confidence is worth
    hopeless: float  # share of the other cases thought wrong where nearly all are
    tolerance: float
    slack: float  # a smaller tree may be this much worse
    raising: bool


class Pruned(NamedTuple):
    """The tree while it is pruned."""

    test: np.ndarray  # (n,) int64
    stats: np.ndarray  # (n, classes) int64
    rows: np.ndarray  # (n,) int64
    missing: np.ndarray  # (n,) int64


class Stack(NamedTuple):
    row: np.ndarray  # uint32
    weight: np.ndarray  # int64
    side: np.ndarray  # int32: branch, -1: every branch


@njit(nogil=True, cache=True)
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


@njit(nogil=True, cache=True)
def extra_of_one_or_more(n, e, p):
    """The upper end of the normal approximation to the binomial, with its correction for continuity."""
    if e + 0.5 >= n:
        return p.hopeless * max(n - e, 0.0)
    z2, f = p.z * p.z, (e + 0.5) / n
    upper = (f + z2 / (2 * n) + p.z * math.sqrt(f / n - f * f / n + z2 / (4 * n * n))) / (1 + z2 / n)
    return upper * n - e


@njit(nogil=True, cache=True)
def leaf_errors(weights, p):
    """Pessimistic errors of a leaf of these class weights."""
    total, most = 0, 0
    for k in range(weights.shape[0]):
        total += weights[k]
        most = max(most, weights[k])
    if total * p.unit <= p.tolerance:
        return 0.0
    return (total - most) * p.unit + extra_errors(total * p.unit, (total - most) * p.unit, p)


@njit(nogil=True, cache=True)
def errors_of_leaves(weights, p, out):
    """Pessimistic errors of every node as a leaf."""
    for v in range(weights.shape[0]):
        out[v] = leaf_errors(weights[v], p)


@njit(nogil=True, cache=True)
def with_room(values, size):
    """The array itself, or a larger one that begins with it."""
    if size <= values.shape[0]:
        return values
    larger = np.empty(max(size, 2 * values.shape[0]), values.dtype)
    larger[: values.shape[0]] = values
    return larger


@njit(nogil=True, cache=True)
def make_room(stack, size):
    return Stack(with_room(stack.row, size), with_room(stack.weight, size), with_room(stack.side, size))


@njit(nogil=True, cache=True)
def count_classes(stack, start, stop, labels, out):
    out[:] = 0
    for i in range(start, stop):
        out[labels[stack.row[i]]] += stack.weight[i]


@njit(nogil=True, cache=True)
def hand_down(t, start, stop, matrix, tree, stack, known, ends):
    """Send the cases [start:stop] through the test of grown node t, to the places from ``stop`` on.

    ``ends[b]`` is where the cases of branch b end (they begin where those of the branch before end). Returns the
    stack, which may have had to grow, and how many cases miss the test. A branch without known cases gets none, but
    where all are missing each branch gets an equal share.
    """
    n_branches, n_missing = tree.n_branches[t], 0
    known[:n_branches] = 0
    ends[:n_branches] = 0
    cells = matrix[tree.column[t]]
    for i in range(start, stop):
        branch = own_branch(tree, t, cells[stack.row[i]])
        stack.side[i] = branch
        if branch < 0:
            n_missing += 1
        else:
            known[branch] += stack.weight[i]
            ends[branch] += 1
    if n_missing == stop - start:
        known[:n_branches] = 1
    place = stop
    for b in range(n_branches):  # from numbers of cases to where the known ones go
        size = ends[b] + (n_missing if known[b] > 0 else 0)
        ends[b] = place + (n_missing if known[b] > 0 else 0)
        place += size
    stack = make_room(stack, place)
    most, whole, m = heaviest(known, 0, n_branches), known[:n_branches].sum(), 0
    row, weight, side = stack.row, stack.weight, stack.side
    begin_missing = np.empty(n_branches if n_missing else 0, np.int64)
    for b in range(begin_missing.shape[0]):
        begin_missing[b] = ends[b] - n_missing
    for i in range(start, stop):
        if side[i] >= 0:
            to = ends[side[i]]
            row[to], weight[to] = row[i], weight[i]
            ends[side[i]] = to + 1
            continue
        rest = weight[i]
        for b in range(n_branches):
            if b != most and known[b] > 0:
                part = share_of(weight[i], known[b], whole)
                rest -= part
                row[begin_missing[b] + m], weight[begin_missing[b] + m] = row[i], part
        row[begin_missing[most] + m], weight[begin_missing[most] + m] = row[i], rest
        m += 1
    return stack, n_missing


@njit(nogil=True, cache=True)
def errors_below(v, start, stop, limit, matrix, labels, tree, test, stack, p, known, ends, counts):
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
            count_classes(stack, start, stop, labels, counts)
            errors += leaf_errors(counts, p)
            continue
        stack, _ = hand_down(t, start, stop, matrix, tree, stack, known, ends)
        begin = stop
        for b in range(tree.n_branches[t]):
            if ends[b] > begin:
                waiting.append((tree.first_child[t] + b, begin, ends[b]))
                begin = ends[b]
    return stack, errors


@njit(nogil=True, cache=True)
def largest_branch(first, count, stats, p):
    """The branch of most weight, the last of equals."""
    largest, most = first, 0.0
    for child in range(first, first + count):
        weight = stats[child].sum() * p.unit
        if weight >= most - p.tolerance:
            largest, most = child, weight
    return largest


@njit(nogil=True, cache=True)
def judge(v, start, stop, below, matrix, labels, tree, stack, p, pruned, known, ends, counts):
    """The test that node v shall have (its own, -1 for none, or that of its largest branch) and its errors.

    ``below`` is the errors of its branches, which are pruned already. Returns the stack too: it may have had to grow.
    """
    t, as_leaf = pruned.test[v], leaf_errors(pruned.stats[v], p)
    if t < 0:
        return stack, t, as_leaf
    allowed, raised = below + p.slack + p.tolerance, np.inf
    largest = largest_branch(tree.first_child[t], tree.n_branches[t], pruned.stats, p)
    if p.raising:
        stack, raised = errors_below(
            largest, start, stop, allowed, matrix, labels, tree, pruned.test, stack, p, known, ends, counts
        )
    if as_leaf <= allowed and as_leaf <= raised + p.slack + p.tolerance:
        return stack, np.int64(-1), as_leaf
    if raised <= allowed:
        return stack, pruned.test[largest], below
    return stack, t, below


@njit(nogil=True, cache=True)
def prune_errors(matrix, weights, labels, tree, p, pruned):
    """Prune from the bottom up; ``pruned`` starts as the grown tree. See ``prune/error_based.py``.

    The walk goes down the tree and comes back to each node when its branches are done, the last branch first: what lies
    above its cases is free. A frame of the walk is a node, its cases, how many branches are done (-1: it has just been
    reached) and their errors. Where the branches' cases end stands on a stack of its own, ``all_ends``.
    """
    n = weights.shape[0]
    widest = max(tree.n_branches.max(), 1)
    known, ends, counts = np.empty(widest, np.int64), np.empty(widest, np.int64), np.empty_like(pruned.stats[0])
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
            count_classes(stack, start, stop, labels, counts)
            pruned.stats[v], pruned.rows[v] = counts, stop - start
            if t >= 0:
                stack, pruned.missing[v] = hand_down(t, start, stop, matrix, tree, stack, known, ends)
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
            v, start, stop, below[-1], matrix, labels, tree, stack, p, pruned, known, ends, counts
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
