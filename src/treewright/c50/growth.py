"""C5.0's tree before it is pruned, depth first."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from treewright.c50.node import NO_GROUPS, C50Node, TestKind
from treewright.c50.rounding import single
from treewright.c50.training import Training
from treewright.kernels.c50_search import NUMBER, ORDERED, best_test, filter_cases, sort_cases
from treewright.typing import Ints, Mask

_ONE_CLASS = 0.999


class Sorted(NamedTuple):
    """The cases of a node, sorted by every column of numbers: row p has ``sizes[p]`` of them."""

    orders: Ints
    sizes: Ints


class Grower:
    """Grows trees from the cases of a training, which it moves."""

    def __init__(self, training: Training) -> None:
        self.training = training
        table = training.table
        self._columns = np.flatnonzero(table.kinds == NUMBER)
        self._is_here = np.zeros(len(table.labels), np.bool_)

    def grow(self, first: int, last: int, above: Sorted | None, tested: Mask, *, count: bool) -> C50Node:
        """The tree of ``cases[first:last]``; ``above`` are sorted cases of a node above, ``tested`` columns above."""
        training = self.training
        node = training.node_of(first, last)
        allowance = training.allowance(node.weight)
        if node.counts[node.label] >= _ONE_CLASS * node.weight or node.weight < 2 * training.least or allowance < 2:
            return node
        here = self._sorted(first, last, above)
        cases = training.cases[first:last]
        chosen = best_test(
            training.table, cases, here.orders, here.sizes, training.weights, training.in_use, tested,
            training.search, allowance, node.counts, node.weight, training.found,
        )  # fmt: skip
        if chosen < 0:
            return node
        self._set_test(node, int(chosen))
        self.grow_branches(node, first, last, here, tested, count=count)
        return self._collapsed(node)

    def grow_branches(
        self, node: C50Node, first: int, last: int, above: Sorted | None, tested: Mask, *, count: bool
    ) -> None:
        """New branches below the node's test."""
        below = tested
        if node.kind is TestKind.EACH_VALUE:
            below = tested.copy()
            below[node.column] = True
        branches, node.branches = [], []
        for branch in self.training.divided(node, first, last, count=count, growing=True):
            if branch.is_empty:
                branches.append(C50Node.empty(self.training.n_classes, node.label))
            else:
                counts = count and not branch.has_unknown
                branches.append(self.grow(branch.first, branch.last, above, below, count=counts))
        node.branches = branches

    def _sorted(self, first: int, last: int, above: Sorted | None) -> Sorted:
        training, n = self.training, last - first
        here = Sorted(np.empty((len(self._columns), n), np.int64), np.zeros(len(self._columns), np.int64))
        cases = training.cases[first:last]
        if above is None or above.orders.shape[1] > n * max(n.bit_length(), 1):
            sort_cases(training.table.values, self._columns, cases, here.orders, here.sizes)
        else:
            self._is_here[cases] = True
            filter_cases(above.orders, above.sizes, self._is_here, here.orders, here.sizes)
            self._is_here[cases] = False
        return here

    def _set_test(self, node: C50Node, column: int) -> None:
        training, found = self.training, self.training.found
        kind, n_values = training.table.kinds[column], int(training.table.n_values[column])
        node.column, node.gain = column, float(found.gain[column])
        if kind == NUMBER:
            node.kind, node.cut, node.groups = TestKind.NUMBER, float(found.cut[column]), NO_GROUPS
        elif kind != ORDERED and (not training.subset or n_values <= 3):
            node.kind, node.groups = TestKind.EACH_VALUE, np.arange(n_values + 1)
        else:
            groups = found.groups[column, : n_values + 1].copy()
            groups[groups == 0] = -1
            groups[0] = -1
            node.kind, node.groups = TestKind.SETS, groups

    def _collapsed(self, node: C50Node) -> C50Node:
        """A leaf if the branches save no error."""
        errors = 0.0
        for branch in node.branches:
            errors = single(errors + branch.errors)
        if errors >= _ONE_CLASS * node.errors:
            node.make_leaf()
        else:
            node.errors = float(errors)
        return node
