"""The trees that growing came by."""

from __future__ import annotations

import heapq

import numpy as np

from treewright.data.schema import Schema
from treewright.prune.pruning_path import PruningPath
from treewright.prune.training_counts import training_loss
from treewright.recipe.recipe import Limits
from treewright.recipe.significance import p_values
from treewright.tree.edit import cut
from treewright.tree.tree import LeafKind, Tree
from treewright.typing import Ints, Mask


def growth_path(tree: Tree, schema: Schema) -> PruningPath:
    """The trees on the way to the whole tree if the split that gains most is always taken first, as by ``max_leaves``.

    The largest tree comes first, as in every sequence; ``alphas`` are how many splits are not taken yet.
    """
    order = _most_gaining_first(tree)
    step = np.zeros(tree.n_nodes, np.int64)
    step[order] = np.arange(len(order), 0, -1)
    bare = PruningPath(tree, np.arange(len(order) + 1.0), np.empty(0), step)
    return PruningPath(tree, bare.alphas, bare.along(training_loss(tree, schema)), step)


def stopped(tree: Tree, limits: Limits) -> Tree:
    """What a tree that was grown without limits would have become with them.

    Splits do not depend on what is done elsewhere in the tree, so it does not matter whether a node is never split or
    its split is undone. Looked at are ``max_leaves``, ``min_rows_split``, ``min_gain`` and ``significance``.
    """
    tree = cut(tree, _not_split(tree, limits))
    if limits.max_leaves is None:
        return tree
    taken = np.zeros(tree.n_nodes, np.bool_)
    taken[_most_gaining_first(tree, limits.max_leaves)] = True
    return cut(tree, ~taken & (tree.n_branches > 0))


def _not_split(tree: Tree, limits: Limits) -> Mask:
    inner = np.flatnonzero(tree.n_branches > 0)
    few = (tree.rows < limits.min_rows_split) | (tree.gain < limits.min_gain)
    if limits.significance is not None and inner.size:
        starts = np.append(tree.first_child[inner] - 1, tree.n_nodes - 1)  # all but the root stand family by family
        few[inner] |= p_values(tree.stats[1:], starts, moments=tree.leaf is not LeafKind.CLASSES) > limits.significance
    return few & (tree.n_branches > 0)


def _most_gaining_first(tree: Tree, max_leaves: int | None = None) -> Ints:
    """Inner nodes in the order in which they are split. What a node gains counts times its weight.

    A split into more leaves than there may be is left out, and the next one tried.
    """
    gains = (-tree.gain * tree.weights).tolist()
    room = tree.n_leaves if max_leaves is None else max_leaves
    waiting = [(gains[0], 0)] if tree.n_branches[0] else []
    order, n_leaves = [], 1
    while waiting:
        _, v = heapq.heappop(waiting)
        n_branches, first = int(tree.n_branches[v]), int(tree.first_child[v])
        if n_leaves + n_branches - 1 > room:
            continue
        n_leaves += n_branches - 1
        order.append(v)
        for child in range(first, first + n_branches):
            if tree.n_branches[child]:
                heapq.heappush(waiting, (gains[child], child))
    return np.array(order, np.int64)
