"""The trees that growing came by."""

from __future__ import annotations

import heapq

import numpy as np

from treewright.data.schema import Schema
from treewright.prune.counts import training_loss, weights
from treewright.prune.path import PruningPath
from treewright.tree.tree import Tree
from treewright.typing import Ints


def growth_path(tree: Tree, schema: Schema) -> PruningPath:
    """The trees on the way to the whole tree if the split that gains most is always taken first, as by ``max_leaves``.

    The largest tree comes first, as in every sequence; ``alphas`` are how many splits are not taken yet.
    """
    order = _most_gaining_first(tree, schema)
    step = np.zeros(tree.n_nodes, np.int64)
    step[order] = np.arange(len(order), 0, -1)
    bare = PruningPath(tree, np.arange(len(order) + 1.0), np.empty(0), step)
    return PruningPath(tree, bare.alphas, bare.along(training_loss(tree, schema)), step)


def _most_gaining_first(tree: Tree, schema: Schema) -> Ints:
    """Inner nodes in the order in which they are split. What a node gains counts times its weight."""
    gains = (-tree.gain * weights(tree, schema)).tolist()
    waiting = [(gains[0], 0)] if tree.n_branches[0] else []
    order = []
    while waiting:
        _, v = heapq.heappop(waiting)
        order.append(v)
        first = int(tree.first_child[v])
        for child in range(first, first + int(tree.n_branches[v])):
            if tree.n_branches[child]:
                heapq.heappush(waiting, (gains[child], child))
    return np.array(order, np.int64)
