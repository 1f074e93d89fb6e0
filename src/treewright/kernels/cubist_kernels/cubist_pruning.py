"""Cubist's pruning: the weakest subtree becomes a leaf, again and again."""

import numpy as np

from treewright.kernels.cubist_kernels.cubist_fit import adjusted
from treewright.kernels.jit import kernel

_SLACK = 1.005


@kernel
def prune_cubist(left, right, parent, cost, own_parameters, leaf_error, n, most_leaves, is_leaf):
    """Make the weakest subtrees leaves. ``cost`` is what a node's test counts, 0 at a leaf."""
    n_nodes = len(left)
    tree_error, parameters = np.zeros(n_nodes, np.float32), np.zeros(n_nodes, np.float32)
    n_leaves = 0
    gone = np.zeros(n_nodes, np.bool_)
    for v in range(n_nodes - 1, -1, -1):
        if is_leaf[v]:
            tree_error[v], parameters[v] = leaf_error[v], own_parameters[v]
            n_leaves += 1
        else:
            tree_error[v] = np.float32(tree_error[left[v]] + tree_error[right[v]])
            parameters[v] = np.float32(cost[v] + np.float32(parameters[left[v]] + parameters[right[v]]))
    stage, limit = 1, 0.0
    while True:
        if stage == 1:
            limit = n * adjusted(np.float64(tree_error[0]) / n, n, np.float64(parameters[0]))
        weakest, least = -1, np.float32(np.inf)
        for v in range(n_nodes):
            if gone[v] or is_leaf[v]:
                continue
            extra = np.float32(leaf_error[v] - tree_error[v])
            if weakest >= 0 and not extra < least:
                continue
            if stage < 3:
                error = np.float64(tree_error[0]) + np.float64(extra)
                size = np.float64(parameters[0]) + np.float64(own_parameters[v]) - np.float64(parameters[v])
                if not n * adjusted(error / n, n, size) <= limit:
                    continue
            weakest, least = v, extra
        if weakest < 0:
            if stage == 1:
                limit *= _SLACK
                stage = 2
                continue
            if stage == 2 and n_leaves > most_leaves:
                stage = 3
                continue
            return
        v = weakest
        n_leaves -= _take_below(v, left, right, is_leaf, gone) - 1
        is_leaf[v] = True
        tree_error[v], parameters[v] = leaf_error[v], own_parameters[v]
        u = parent[v]
        while u >= 0:
            tree_error[u] = np.float32(tree_error[left[u]] + tree_error[right[u]])
            parameters[u] = np.float32(cost[u] + np.float32(parameters[left[u]] + parameters[right[u]]))
            u = parent[u]
        if stage == 3 and n_leaves <= most_leaves:
            return


@kernel
def _take_below(v, left, right, is_leaf, gone):
    """Mark all nodes below v; returns how many leaves there were."""
    waiting, depth, leaves = np.empty(len(left), np.int64), 2, 0
    waiting[0], waiting[1] = left[v], right[v]
    while depth:
        depth -= 1
        u = waiting[depth]
        gone[u] = True
        if is_leaf[u]:
            leaves += 1
        else:
            waiting[depth], waiting[depth + 1] = left[u], right[u]
            depth += 2
    return leaves
