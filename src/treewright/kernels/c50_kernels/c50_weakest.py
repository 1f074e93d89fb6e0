"""The weakest subtrees of a C5.0 tree, cut in order of the errors that each leaf saves."""

from typing import NamedTuple

import numpy as np

from treewright.kernels.c50_kernels.c50_information import single
from treewright.kernels.jit import kernel


class PrunedNodes(NamedTuple):
    """A node stands before its branches, and all below it follow."""

    parent: np.ndarray  # (nodes,) int64, -1: the root
    size: np.ndarray  # (nodes,) int64: nodes of the subtree
    is_leaf: np.ndarray  # (nodes,) bool; changed
    is_entered: np.ndarray  # (nodes,) bool: heavy enough to be looked into
    wrong: np.ndarray  # (nodes,) training errors as a leaf
    errors: np.ndarray  # (nodes,) training errors below; changed
    leaves: np.ndarray  # (nodes,); changed


@kernel
def cut_weakest(nodes, budget):
    """Cut the weakest subtrees while their cost stays within the budget."""
    chosen, entered = np.empty(len(nodes.size), np.int64), np.empty(len(nodes.size))
    way = np.empty(len(nodes.size), np.int64)
    while budget > 0.0:
        n_chosen, cost = find_weakest(nodes, budget, way, entered, chosen), 0.0
        for k in range(n_chosen):
            cost += nodes.wrong[chosen[k]] - nodes.errors[chosen[k]]
        if n_chosen == 0 or cost > budget:
            return
        for k in range(n_chosen):
            cut(nodes, chosen[k])
        budget -= cost


@kernel
def find_weakest(nodes, budget, way, entered, chosen):
    """The subtrees of least errors per leaf saved; returns how many. A node is looked at after those below it.

    The running minimum is kept in 32 bits, as the program does. ``way`` and ``entered`` are scratch.
    """
    least, n_chosen, depth, at, n_nodes = np.inf, 0, 0, 0, len(nodes.size)
    while True:
        while depth > 0 and at >= way[depth - 1] + nodes.size[way[depth - 1]]:
            depth -= 1
            node = way[depth]
            excess = nodes.wrong[node] - nodes.errors[node]
            rate = divided(excess, nodes.leaves[node] - 1.0)
            if excess > budget:
                continue
            if rate < least:
                chosen[0], n_chosen, least = node, 1, single(rate)
            elif rate <= least:
                n_chosen = 0 if entered[node] > least else without_those_below(nodes, node, chosen, n_chosen)
                chosen[n_chosen] = node
                n_chosen += 1
        if at >= n_nodes:
            return n_chosen
        if nodes.is_leaf[at] or not (nodes.is_entered[at] or at == 0):
            at += nodes.size[at]
        else:
            way[depth], entered[at] = at, least
            depth, at = depth + 1, at + 1


@kernel
def without_those_below(nodes, above, chosen, n_chosen):
    """Leave out of the chosen nodes those below another; returns how many are left."""
    n = 0
    for k in range(n_chosen):
        if not above < chosen[k] < above + nodes.size[above]:
            chosen[n] = chosen[k]
            n += 1
    return n


@kernel
def divided(amount, leaves):
    if leaves != 0.0:
        return amount / leaves
    if amount == 0.0:
        return np.nan
    return np.inf if amount > 0.0 else -np.inf


@kernel
def cut(nodes, node):
    """Make a node a leaf, and tell all above it."""
    errors, leaves = single(nodes.wrong[node] - nodes.errors[node]), nodes.leaves[node] - 1.0
    nodes.is_leaf[node] = True
    at = node
    while at >= 0:
        nodes.errors[at] = single(nodes.errors[at] + errors)
        nodes.leaves[at] -= leaves
        at = nodes.parent[at]
