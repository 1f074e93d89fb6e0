"""C5.0's second pruning pass: the weakest subtrees go while training errors stay within one standard error."""

from __future__ import annotations

import math

from treewright.c50.node import EMPTY, C50Node
from treewright.c50.rounding import single
from treewright.typing import Floats

_SOME = 1e-3  # weight of a leaf that counts
_ENTERED = 0.1  # weight of branches that are looked into


class GlobalPruner:
    """Cuts subtrees in order of the errors that each leaf saves."""

    def __init__(self, root: C50Node) -> None:
        self.root = root
        self.leaves: dict[C50Node, float] = {}
        self.parent: dict[C50Node, C50Node] = {}
        for node in root.walk_up():
            self._sum_up(node)

    def _sum_up(self, node: C50Node) -> None:
        """Training errors and leaves of the node, from those of its branches."""
        if node.is_leaf:
            counts = node.weight > _SOME
            node.errors, self.leaves[node] = (node.wrong, 1) if counts else (0.0, 0)
            return
        errors = 0.0
        for branch in node.branches:
            errors = single(errors + branch.errors)
            self.parent[branch] = node
        node.errors, self.leaves[node] = float(errors), sum(self.leaves[branch] for branch in node.branches)

    def prune(self, errors: float, n_cases: int) -> None:
        """``errors``: training errors of the whole tree."""
        budget = math.sqrt(max(errors * (1 - errors / n_cases), 0.0))
        while budget > 0:
            chosen = self._weakest(budget)
            cost = sum(self._excess(node) for node in chosen)
            if not chosen or cost > budget:
                return
            for node in chosen:
                self._cut(node)
            budget -= cost

    def _excess(self, node: C50Node) -> float:
        return node.wrong - node.errors

    def _weakest(self, budget: float) -> list[C50Node]:
        """The subtrees of least errors per leaf saved. The running minimum is kept in 32 bits, as the program does."""
        chosen: list[C50Node] = []
        least = math.inf
        entered: dict[C50Node, float] = {}
        waiting = [(self.root, False)]
        while waiting:
            node, done = waiting.pop()
            if node.is_leaf:
                continue
            if not done:
                entered[node] = least
                waiting.append((node, True))
                waiting.extend((branch, False) for branch in reversed(node.branches) if branch.weight > _ENTERED)
                continue
            excess = self._excess(node)
            if excess > budget:
                continue
            rate = _divided(excess, self.leaves[node] - 1)
            if rate < least:
                chosen, least = [node], float(single(rate))
            elif rate <= least:
                set_below = entered[node] > least
                chosen = [node] if set_below else [*(one for one in chosen if not self._is_below(one, node)), node]
        return chosen

    def _is_below(self, node: C50Node, above: C50Node) -> bool:
        while node in self.parent:
            node = self.parent[node]
            if node is above:
                return True
        return False

    def _cut(self, node: C50Node) -> None:
        errors, leaves = single(node.wrong - node.errors), self.leaves[node] - 1
        node.make_leaf()
        at: C50Node | None = node
        while at is not None:
            at.errors = float(single(at.errors + errors))
            self.leaves[at] -= leaves
            at = self.parent.get(at)


def _divided(amount: float, leaves: float) -> float:
    if leaves:
        return amount / leaves
    return math.copysign(math.inf, amount) if amount else math.nan


def without_multipliers(root: C50Node, factors: Floats, costs: Floats) -> None:
    """With costs, in place of the second pass: class weights lose the multipliers, labels are those of least cost."""
    for node in root.walk():
        if node.weight < EMPTY:
            continue
        fresh = C50Node.of(node.counts / factors)
        node.counts, node.weight = fresh.counts, fresh.weight
        node.label = int((costs @ node.counts).argmin())
        node.errors = node.wrong
