"""C5.0's first pruning pass: from the leaves up, by estimated errors, with raising and regrowing of branches."""

from __future__ import annotations

import numpy as np

from treewright.c50.growth import Grower
from treewright.c50.node import C50Node, TestKind
from treewright.c50.rounding import single
from treewright.c50.training import Training
from treewright.typing import Floats, Mask

_WORSE_AT_MOST = 0.1  # estimated errors
_LARGE = 0.1  # share of the node that a branch must have to be raised
_NEARLY_ALL = 0.95  # a branch that had less of the node is grown anew when it is raised


class LocalPruner:
    """Prunes a tree with the cases of a training, which it moves."""

    def __init__(self, training: Training, grower: Grower) -> None:
        self.training, self.grower = training, grower

    def prune(self, node: C50Node, first: int, last: int, tested: Mask, *, regrow: bool, count: bool) -> None:
        """Prune the node and all below it; ``errors`` become estimated ones."""
        training = self.training
        leaf = self._recount(node, training.node_of(first, last))
        if node.is_leaf:
            node.errors = leaf
            return
        below = _tested_below(node, tested)
        pool, tree, raised, heaviest = _Pool(training), 0.0, None, 0.0
        for branch in training.divided(node, first, last, count=count):
            child = node.branches[branch.number]
            if branch.is_empty:
                continue
            if branch.is_leaf:
                child.errors = self._recount(child, branch.node)
            else:
                counts = count and not branch.has_unknown
                self.prune(child, branch.first, branch.last, below, regrow=regrow, count=counts)
            if branch.weight >= training.least:
                tree = single(tree + child.errors)
            else:
                pool.add(child, branch.weight)
            if self._may_be_raised(node, child, branch.weight) and branch.weight > heaviest:
                raised, heaviest = child, branch.weight
        tree = single(tree + pool.estimate())
        candidate = np.inf if raised is None else self.estimate(raised, first, last)
        if leaf <= candidate + _WORSE_AT_MOST and leaf <= tree + _WORSE_AT_MOST:
            node.make_leaf()
            node.errors = leaf
        elif raised is not None and candidate <= tree + _WORSE_AT_MOST:
            self._raise(node, raised, first, last, tested, regrow=regrow, count=count)
        else:
            node.errors = float(tree)

    def _recount(self, node: C50Node, fresh: C50Node) -> float:
        """Class weights, weight and label anew; returns the estimate as a leaf."""
        node.counts, node.weight, node.label = fresh.counts, fresh.weight, fresh.label
        return self.training.estimate(node.weight, fresh.errors, node.label)

    def _may_be_raised(self, node: C50Node, child: C50Node, weight: float) -> bool:
        same_number = child.kind is TestKind.NUMBER and child.column == node.column
        return not child.is_leaf and weight >= _LARGE * node.weight and not same_number

    def estimate(self, node: C50Node, first: int, last: int) -> float:
        """Estimated errors of the tree if these cases came to its root. Nothing is changed."""
        return self._estimate(node, self.training.node_of(first, last), first, last)

    def _estimate(self, node: C50Node, found: C50Node, first: int, last: int) -> float:
        training = self.training
        if node.is_leaf:
            return training.estimate(found.weight, found.errors, found.label)
        pool, tree = _Pool(training), 0.0
        found.kind, found.column, found.groups, found.cut = node.kind, node.column, node.groups, node.cut
        found.branches = node.branches
        for branch in training.divided(found, first, last, count=False):
            if branch.is_empty:
                continue
            if branch.weight >= training.least:
                child = node.branches[branch.number]
                tree = single(tree + self._estimate(child, branch.node, branch.first, branch.last))
            else:
                pool.add(branch.node, branch.weight)
        return single(tree + pool.estimate())

    def _raise(
        self, node: C50Node, raised: C50Node, first: int, last: int, tested: Mask, *, regrow: bool, count: bool
    ) -> None:
        weight, label = node.weight, raised.label
        part = raised.weight / weight
        node.become(raised)
        if regrow and part < _NEARLY_ALL:
            node.counts, node.weight, node.label = self.training.node_of(first, last).counts, weight, label
            self.grower.grow_branches(node, first, last, None, tested, count=count)
        self.prune(node, first, last, tested, regrow=False, count=False)


class _Pool:
    """Light branches, which are estimated together."""

    def __init__(self, training: Training) -> None:
        self.training = training
        self.counts: Floats = np.zeros(training.n_classes)
        self.weight = 0.0

    def add(self, child: C50Node, weight: float) -> None:
        self.counts = self.counts + child.counts
        self.weight += weight

    def estimate(self) -> float:
        if self.weight <= 0:
            return 0.0
        label = int(self.counts.argmax())
        return self.training.estimate(self.weight, self.weight - self.counts[label], label)


def _tested_below(node: C50Node, tested: Mask) -> Mask:
    if node.kind is not TestKind.EACH_VALUE:
        return tested
    return np.asarray(tested | (np.arange(len(tested)) == node.column))
