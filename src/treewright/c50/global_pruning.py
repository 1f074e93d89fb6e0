"""C5.0's second pruning pass: the weakest subtrees go while training errors stay within one standard error."""

from __future__ import annotations

import math

import numpy as np

from treewright.c50.node import EMPTY, C50Node
from treewright.c50.rounding import single
from treewright.kernels.c50_kernels.c50_weakest import PrunedNodes, cut_weakest
from treewright.typing import Floats

_SOME = 1e-3  # weight of a leaf that counts
_ENTERED = 0.1  # weight of branches that are looked into


class GlobalPruner:
    """Cuts subtrees in order of the errors that each leaf saves."""

    def __init__(self, root: C50Node) -> None:
        self.nodes = list(root.walk())
        place = {node: i for i, node in enumerate(self.nodes)}
        parent, size, leaves = [-1] * len(self.nodes), [1] * len(self.nodes), [0.0] * len(self.nodes)
        for at in range(len(self.nodes) - 1, -1, -1):
            node = self.nodes[at]
            for child in (place[branch] for branch in node.branches):
                parent[child] = at
                size[at] += size[child]
                leaves[at] += leaves[child]
            if not node.is_leaf:
                node.errors = _sum(node)
            else:
                node.errors, leaves[at] = (node.wrong, 1.0) if node.weight > _SOME else (0.0, 0.0)
        self.arrays = PrunedNodes(
            parent=np.array(parent, np.int64),
            size=np.array(size, np.int64),
            is_leaf=np.array([node.is_leaf for node in self.nodes], np.bool_),
            is_entered=np.array([node.weight > _ENTERED for node in self.nodes], np.bool_),
            wrong=np.array([node.wrong for node in self.nodes]),
            errors=np.array([node.errors for node in self.nodes]),
            leaves=np.array(leaves),
        )

    def prune(self, errors: float, n_cases: int) -> None:
        """``errors``: training errors of the whole tree."""
        budget = math.sqrt(max(errors * (1 - errors / n_cases), 0.0))
        was_leaf = self.arrays.is_leaf.copy()
        cut_weakest(self.arrays, budget)
        for node, after in zip(self.nodes, self.arrays.errors.tolist()):
            node.errors = after
        for at in np.flatnonzero(self.arrays.is_leaf & ~was_leaf).tolist():
            self.nodes[at].make_leaf()


def _sum(node: C50Node) -> float:
    errors = 0.0
    for branch in node.branches:
        errors = single(errors + branch.errors)
    return float(errors)


def without_multipliers(root: C50Node, factors: Floats, costs: Floats) -> None:
    """With costs, in place of the second pass: class weights lose the multipliers, labels are those of least cost."""
    for node in root.walk():
        if node.weight < EMPTY:
            continue
        fresh = C50Node.of(node.counts / factors)
        node.counts, node.weight = fresh.counts, fresh.weight
        node.label = int((costs @ node.counts).argmin())
        node.errors = node.wrong
