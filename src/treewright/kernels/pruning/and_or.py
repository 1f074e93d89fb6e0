"""And/or trees: nodes may have several splits, one of which is chosen. Children have higher numbers than their node."""

from typing import NamedTuple

import numpy as np

from treewright.kernels.jit import hot_loop, kernel
from treewright.kernels.row_routing.routing import own_branch


class SplitLists(NamedTuple):
    """The splits of all nodes, node by node; those of node v are ``split_start[v] … split_start[v+1]-1``."""

    split_start: np.ndarray
    first_child: np.ndarray
    n_branches: np.ndarray
    column: np.ndarray
    edge_start: np.ndarray
    edges: np.ndarray
    branch_start: np.ndarray
    branch_of: np.ndarray


@hot_loop(0.6)
def choose_splits(split_start, first_child, n_branches, root, loss, stopped, alphas, slack, chosen, total):
    """Set ``chosen[a, v]`` to the split of node v, counted from 0, in the tree of least loss + α·leaves; -1: a leaf.

    The first three arrays are those of ``SplitLists``.
    The first nodes are roots, and ``root`` that of every node; ``alphas[a, r]`` is α in the tree of root r. ``loss`` is
    that of every node as a leaf, ``stopped`` that of rows which go no further than the node of a split. Costs within
    the slack of each other are equal: then the fewest leaves, and then the first. ``total[a, r]`` becomes the loss and
    the leaves of the tree.
    """
    n = loss.shape[0]
    best, leaves = np.empty(n), np.empty(n, np.int64)
    for a in range(alphas.shape[0]):
        for v in range(n - 1, -1, -1):
            alpha, near = alphas[a, root[v]], slack[a, root[v]]
            best[v], leaves[v], chosen[a, v] = loss[v], 1, -1
            cost = loss[v] + alpha
            for s in range(split_start[v], split_start[v + 1]):
                below, n_leaves = stopped[s], 0
                for child in range(first_child[s], first_child[s] + n_branches[s]):
                    below += best[child]
                    n_leaves += leaves[child]
                found = below + alpha * n_leaves
                if found < cost - near or (found <= cost + near and n_leaves < leaves[v]):
                    best[v], leaves[v], chosen[a, v] = below, n_leaves, s - split_start[v]
                    cost = found
        for r in range(alphas.shape[1]):
            total[a, r, 0], total[a, r, 1] = best[r], leaves[r]


@choose_splits.in_numpy
def choose_splits_in_numpy(split_start, first_child, n_branches, root, loss, stopped, alphas, slack, chosen, total):
    """Level by level from the deepest; the splits of a node one after the other, as in the loop."""
    best, leaves = np.tile(loss, (len(alphas), 1)), np.ones((len(alphas), len(loss)), np.int64)
    chosen[:] = -1
    count, n_roots, branches = np.diff(split_start), alphas.shape[1], (first_child, n_branches)
    for nodes in reversed(_levels(split_start, *branches, n_roots)):
        cost = best[:, nodes] + alphas[:, root[nodes]]
        for rank in range(int(count[nodes].max(initial=0))):
            here = np.flatnonzero(count[nodes] > rank)
            v, s = nodes[here], split_start[nodes[here]] + rank
            below, n_leaves = _below(*branches, s, stopped, best, leaves)
            found = below + alphas[:, root[v]] * n_leaves
            at, near = cost[:, here], slack[:, root[v]]
            wins = (found < at - near) | ((found <= at + near) & (n_leaves < leaves[:, v]))
            best[:, v], leaves[:, v] = np.where(wins, below, best[:, v]), np.where(wins, n_leaves, leaves[:, v])
            chosen[:, v] = np.where(wins, rank, chosen[:, v])
            cost[:, here] = np.where(wins, found, at)
    total[:, :, 0], total[:, :, 1] = best[:, :n_roots], leaves[:, :n_roots]


def _below(first_child, n_branches, s, stopped, best, leaves):
    """Loss and leaves of the branches of some splits, added up in the order of the branches."""
    below, n_leaves = np.tile(stopped[s], (len(best), 1)), np.zeros((len(best), len(s)), np.int64)
    for branch in range(int(n_branches[s].max(initial=0))):
        there = np.flatnonzero(n_branches[s] > branch)
        child = first_child[s[there]] + branch
        below[:, there] += best[:, child]
        n_leaves[:, there] += leaves[:, child]
    return below, n_leaves


def _levels(split_start, first_child, n_branches, n_roots):
    """All nodes, by depth."""
    levels, nodes = [], np.arange(n_roots)
    while nodes.size:
        levels.append(nodes)
        s = _spans(split_start[nodes], split_start[nodes + 1] - split_start[nodes])
        nodes = _spans(first_child[s], n_branches[s])
    return levels


def _spans(start, sizes):
    return np.arange(int(sizes.sum())) + np.repeat(start - (np.cumsum(sizes) - sizes), sizes)


@kernel
def sum_along(splits, chosen, at_leaf, at_split, sums):
    """Set ``sums[a, r]`` to what the leaves of the tree add that ``chosen[a]`` makes of root r, and what its splits do;
    (…, k)."""
    queue = np.empty(chosen.shape[1], np.int64)
    sums[:] = 0.0
    for a in range(chosen.shape[0]):
        for r in range(sums.shape[1]):
            queue[0] = r
            place, known = 0, 1
            while place < known:
                v = queue[place]
                place += 1
                if chosen[a, v] < 0:
                    for k in range(sums.shape[2]):
                        sums[a, r, k] += at_leaf[v, k]
                    continue
                s = splits.split_start[v] + chosen[a, v]
                for k in range(sums.shape[2]):
                    sums[a, r, k] += at_split[s, k]
                for child in range(splits.first_child[s], splits.first_child[s] + splits.n_branches[s]):
                    queue[known] = child
                    known += 1


@sum_along.in_numpy
def sum_along_in_numpy(splits, chosen, at_leaf, at_split, sums):
    """All trees level by level; the nodes of a tree are added up one after the other, as in the loop."""
    n_trees, n_roots = sums.shape[0] * sums.shape[1], sums.shape[1]
    tree, nodes = np.arange(n_trees), np.tile(np.arange(n_roots), len(chosen))
    added, added_to = [], []
    while nodes.size:
        rank = chosen[tree // n_roots, nodes]
        inner = np.flatnonzero(rank >= 0)
        s = splits.split_start[nodes[inner]] + rank[inner]
        of_level = at_leaf[nodes]
        of_level[inner] = at_split[s]
        added.append(of_level)
        added_to.append(tree)
        nodes, tree = _spans(splits.first_child[s], splits.n_branches[s]), np.repeat(tree[inner], splits.n_branches[s])
    all_added, to = np.concatenate(added), np.concatenate(added_to)
    for k in range(sums.shape[2]):
        sums[:, :, k] = np.bincount(to, all_added[:, k], n_trees).reshape(sums.shape[:2])


@kernel
def add_losses(matrix, root, splits, of_class, value, power, y, weight, at_leaf, at_split):
    """Send each row down all splits below a root: what it loses at every node if that is a leaf, and at splits that
    stop it.

    ``of_class[v, y]`` is the loss of a class at node v; without columns it is |y − value[v]| to the ``power``. Each
    gets Σ w·loss and Σ w·loss².
    """
    waiting = np.empty(value.shape[0], np.int64)
    for i in range(matrix.shape[0]):
        waiting[0] = root[i]
        n = 1
        while n:
            n -= 1
            v = waiting[n]
            if of_class.shape[1]:
                loss = of_class[v, np.int64(y[i])]
            else:
                distance = abs(y[i] - value[v])
                loss = distance * distance if power == 2 else distance
            at_leaf[v, 0] += weight[i] * loss
            at_leaf[v, 1] += weight[i] * loss * loss
            for s in range(splits.split_start[v], splits.split_start[v + 1]):
                branch = np.int64(own_branch(splits, s, matrix[i, splits.column[s]]))
                if branch >= 0:
                    waiting[n] = splits.first_child[s] + branch
                    n += 1
                else:
                    at_split[s, 0] += weight[i] * loss
                    at_split[s, 1] += weight[i] * loss * loss


@add_losses.in_numpy
def add_losses_in_numpy(matrix, root, splits, of_class, value, power, y, weight, at_leaf, at_split):
    """Level by level, rows in order: so the sums of a node are added up as in the loop."""
    row, node = np.arange(len(matrix)), root
    while len(row):
        if of_class.shape[1]:
            loss = of_class[node, y[row].astype(np.int64)]
        else:
            distance = np.abs(y[row] - value[node])
            loss = distance * distance if power == 2 else distance
        once = weight[row] * loss
        at_leaf[:, 0] += np.bincount(node, once, len(at_leaf))
        at_leaf[:, 1] += np.bincount(node, once * loss, len(at_leaf))
        count = splits.split_start[node + 1] - splits.split_start[node]
        case, s = np.repeat(np.arange(len(row)), count), _spans(splits.split_start[node], count)
        branch = _branches(splits, s, matrix[row[case], splits.column[s]])
        stops = branch < 0
        at_split[:, 0] += np.bincount(s[stops], once[case[stops]], len(at_split))
        at_split[:, 1] += np.bincount(s[stops], (once * loss)[case[stops]], len(at_split))
        row, node = row[case[~stops]], (splits.first_child[s] + branch)[~stops]


def _branches(splits, s, x):
    """The branch of every value by its split."""
    first, n_edges = splits.edge_start[s], splits.edge_start[s + 1] - splits.edge_start[s]
    missing = np.isnan(x)
    code = np.where(missing | (n_edges > 0), 0, x).astype(np.int64)
    code[~missing & (n_edges > 0)] = 1
    for k in range(int(n_edges.max(initial=0))):
        here = np.flatnonzero((n_edges > k) & ~missing)
        code[here] += x[here] > splits.edges[first[here] + k]
    return splits.branch_of[splits.branch_start[s] + code].astype(np.int64)
