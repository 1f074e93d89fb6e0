"""Cases classified by a C5.0 tree, as the program does while it trains."""

from typing import NamedTuple

import numpy as np

from treewright.kernels.c50_kernels.c50_division import NOWHERE, UNKNOWN, branch_of
from treewright.kernels.c50_kernels.c50_information import EPSILON, single
from treewright.kernels.jit import borrowing, kernel

_FOLLOWED = 0.01  # the least fraction of a case that is sent down a branch of a numeric test


class FlatTree(NamedTuple):
    """Nodes in the order of the model text: a node, then its branches one after the other."""

    column: np.ndarray  # (nodes,) int64; -1 at leaves
    cut: np.ndarray
    lower: np.ndarray
    middle: np.ndarray
    upper: np.ndarray
    child_start: np.ndarray  # (nodes + 1,) int64
    children: np.ndarray  # int64
    group_start: np.ndarray  # (nodes + 1,) int64
    groups: np.ndarray  # int64: branch of each value
    counts: np.ndarray  # (nodes, classes)
    weight: np.ndarray


@borrowing
def add_shares(tree, values, case, root, hidden, sums, nodes, above, fractions):
    """Class shares of the leaves that a case reaches. Column ``hidden`` is unknown. The last three are stacks."""
    sums[:] = 0.0
    nodes[0], above[0], fractions[0], n = root, root, 1.0, 1
    while n > 0:
        n -= 1
        node, parent, fraction = nodes[n], above[n], fractions[n]
        column = tree.column[node]
        first, last = tree.child_start[node], tree.child_start[node + 1]
        branch = NOWHERE
        if column >= 0:
            groups = tree.groups[tree.group_start[node] : tree.group_start[node + 1]]
            value = values[column, case]
            branch = UNKNOWN if column == hidden else branch_of(value, tree.cut[node], groups)
        if branch == NOWHERE:
            of = parent if tree.weight[node] < EPSILON else node
            for c in range(len(sums)):
                sums[c] += single(single(fraction * tree.counts[of, c]) / tree.weight[of])
        elif branch == UNKNOWN:
            for k in range(last - 1, first - 1, -1):
                child = tree.children[k]
                if tree.weight[child] > EPSILON:
                    nodes[n], above[n] = child, node
                    fractions[n] = single(single(fraction * tree.weight[child]) / tree.weight[node])
                    n += 1
        elif len(groups) or branch == 1:
            nodes[n], above[n], fractions[n] = tree.children[first + branch - 1], node, fraction
            n += 1
        else:
            left = left_share(tree, node, np.float64(value))
            for k in (3, 2):
                part = single(fraction * (left if k == 2 else single(1.0 - left)))
                if part >= _FOLLOWED:
                    nodes[n], above[n], fractions[n] = tree.children[first + k - 1], node, part
                    n += 1


@borrowing
def left_share(tree, node, value):
    """The part of a case that goes to the branch up to the cut."""
    lower, middle, upper = tree.lower[node], tree.middle[node], tree.upper[node]
    if value <= lower:
        return 1.0
    if value >= upper:
        return 0.0
    if value <= middle:
        return single(1.0 - 0.5 * (value - lower) / (middle - lower + 1e-6))
    return single(0.5 - 0.5 * (value - middle) / (upper - middle + 1e-6))


@kernel
def classify(tree, values, cases, root, hidden, costs, label, confidence):
    """Class and confidence of each case: the greatest sum, or with ``costs`` [predicted, true] the least cost."""
    n_classes, size = tree.counts.shape[1], len(tree.column) + 1
    sums, expected = np.zeros(n_classes), np.zeros(n_classes)
    nodes, above, fractions = np.zeros(size, np.int64), np.zeros(size, np.int64), np.zeros(size)
    for i in range(len(cases)):
        add_shares(tree, values, cases[i], root, hidden, sums, nodes, above, fractions)
        best = 0
        if len(costs) == 0:
            for c in range(1, n_classes):
                if sums[c] > sums[best]:
                    best = c
            label[i], confidence[i] = best, sums[best]
            continue
        whole = 0.0
        for c in range(n_classes):
            expected[c] = 0.0
            for other in range(n_classes):
                if other != c:
                    expected[c] += sums[other] * costs[c, other]
            whole += expected[c]
            if expected[c] < expected[best]:
                best = c
        label[i], confidence[i] = best, 1.0 - expected[best] / whole


@classify.in_numpy
def classify_in_numpy(tree, values, cases, root, hidden, costs, label, confidence):
    sums = np.zeros((len(cases), tree.counts.shape[1]))
    waiting = [(root, root, np.arange(len(cases)), np.ones(len(cases), np.float32))]
    while waiting:
        node, parent, here, fraction = waiting.pop()
        column, first = tree.column[node], tree.child_start[node]
        own = np.full(len(here), NOWHERE)
        if column >= 0:
            found = values[column, cases[here]]
            own = _branches(tree, node, found, column == hidden)
        ends = own == NOWHERE
        of = parent if tree.weight[node] < EPSILON else node
        if ends.any():
            shares = fraction[ends, None] * np.float32(tree.counts[of])
            sums[here[ends]] += shares / np.float32(tree.weight[of])
        for b in range(
            tree.child_start[node + 1] - first, 0, -1
        ):  # the last one first: what is added last is met first
            child = tree.children[first + b - 1]
            part = _parts(tree, node, child, b, own, fraction, found)
            if (follows := np.flatnonzero(part > 0)).size:
                waiting.append((child, node, here[follows], part[follows]))
    if len(costs) == 0:
        label[:] = sums.argmax(axis=1)
        confidence[:] = sums[np.arange(len(cases)), label]
        return
    expected = np.zeros_like(sums)
    for c in range(sums.shape[1]):
        for other in range(sums.shape[1]):
            if other != c:
                expected[:, c] += sums[:, other] * costs[c, other]
    label[:] = expected.argmin(axis=1)
    whole = np.cumsum(expected, axis=1)[:, -1]
    confidence[:] = 1.0 - expected[np.arange(len(cases)), label] / whole


def _branches(tree, node, found, is_hidden):
    """The branch of each value, as ``branch_of`` tells it."""
    groups = tree.groups[tree.group_start[node] : tree.group_start[node + 1]]
    is_unknown = np.isnan(found) | is_hidden
    if len(groups):
        return np.where(is_unknown, UNKNOWN, groups[np.where(is_unknown, 0, found).astype(np.int64)])
    return np.where(is_unknown, UNKNOWN, np.where(found == -np.inf, 1, 2))


def _parts(tree, node, child, b, own, fraction, found):
    """The fraction of each case that goes down branch ``b``; 0 where it is not followed."""
    weight = tree.weight[child]
    unknown = (
        fraction * np.float32(weight) / np.float32(tree.weight[node]) if weight > EPSILON else np.zeros(1, np.float32)
    )
    is_number = tree.group_start[node] == tree.group_start[node + 1]
    if is_number and b > 1:
        left = _left_shares(tree, node, found.astype(np.float64))
        part = fraction * (left if b == 2 else np.float32(1.0) - left)
        known = np.where((own == 2) & (part.astype(np.float64) >= _FOLLOWED), part, np.float32(0.0))
    else:
        known = np.where(own == b, fraction, np.float32(0.0))
    return np.where(own == UNKNOWN, unknown, known)


def _left_shares(tree, node, found):
    """``left_share`` of many values."""
    lower, middle, upper = tree.lower[node], tree.middle[node], tree.upper[node]
    if lower == upper:
        return (found <= lower).astype(np.float32)
    below = 1.0 - 0.5 * (found - lower) / (middle - lower + 1e-6)
    above = 0.5 - 0.5 * (found - middle) / (upper - middle + 1e-6)
    between = np.where(found <= middle, below, above)
    return np.select([found <= lower, found >= upper], [1.0, 0.0], between).astype(np.float32)
