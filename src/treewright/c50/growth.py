"""C5.0's tree before it is pruned, depth first."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from treewright.c50.node import NO_GROUPS, C50Node, TestKind
from treewright.c50.rounding import single
from treewright.c50.training import Training
from treewright.kernels.c50_kernels.c50_division import ONE_CLASS
from treewright.kernels.c50_kernels.c50_search import NUMBER, ORDERED, best_test, filter_cases, sort_cases
from treewright.typing import Ints, Mask


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

    def tree(self, cases: Ints) -> C50Node:
        """The tree of these cases."""
        training = self.training
        root, tested = training.node_of(0, training.start(cases)), np.zeros(len(training.table.kinds), np.bool_)
        if not training.is_final(root):
            self.grow(root, 0, len(cases), None, tested, count=training.unit_weights)
        return root

    def grow(self, node: C50Node, first: int, last: int, above: Sorted | None, tested: Mask, *, count: bool) -> None:
        """Grow a tree below a node of ``cases[first:last]``.

        ``above`` are sorted cases of a node above, ``tested`` columns that were tested there.
        """
        training = self.training
        here = self._sorted(first, last, above)
        chosen = best_test(
            training.table, training.cases[first:last], here.orders, here.sizes, training.weights, training.in_use,
            tested, training.search, training.allowance(node.weight), node.counts, node.weight, training.found,
        )  # fmt: skip
        if chosen >= 0:
            self._set_test(node, int(chosen))
            self.grow_branches(node, first, last, here, tested, count=count)
            self._collapse(node)

    def grow_branches(
        self, node: C50Node, first: int, last: int, above: Sorted | None, tested: Mask, *, count: bool
    ) -> None:
        """New branches below the node's test."""
        below = tested
        if node.kind is TestKind.EACH_VALUE:
            below = tested.copy()
            below[node.column] = True
        branches, node.branches = [], []
        for branch in self.training.divided(node, first, last, count=count):
            child = C50Node.empty(self.training.n_classes, node.label) if branch.is_empty else branch.node
            branches.append(child)
            if not branch.is_leaf:
                self.grow(child, branch.first, branch.last, above, below, count=count and not branch.has_unknown)
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

    def _collapse(self, node: C50Node) -> None:
        """A leaf if the branches save no error."""
        errors = 0.0
        for branch in node.branches:
            errors = single(errors + branch.errors)
        if errors >= ONE_CLASS * node.errors:
            node.make_leaf()
        else:
            node.errors = errors
