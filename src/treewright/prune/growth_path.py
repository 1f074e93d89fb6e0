"""The trees that growing came by."""

from __future__ import annotations

import heapq

import numpy as np

from treewright.data.schema import Schema
from treewright.prune.pruning_path import PruningPath
from treewright.prune.training_counts import training_loss
from treewright.tree.tree import Tree
from treewright.typing import Ints


def growth_path(tree: Tree, schema: Schema) -> PruningPath:
    """The trees on the way to the whole tree if the split that gains most is always taken first, as by ``max_leaves``.

    The largest tree comes first, as in every sequence; ``alphas`` are how many splits are not taken yet.
    """
    order = most_gaining_first(tree)
    step = np.zeros(tree.n_nodes, np.int64)
    step[order] = np.arange(len(order), 0, -1)
    bare = PruningPath(tree, np.arange(len(order) + 1.0), np.empty(0), step)
    return PruningPath(tree, bare.alphas, bare.along(training_loss(tree, schema)), step)


def most_gaining_first(tree: Tree, max_leaves: int | None = None) -> Ints:
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
