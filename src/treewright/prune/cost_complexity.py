"""Minimal cost-complexity pruning (Breiman, Friedman, Olshen & Stone 1984, chapter 3)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from treewright.criteria import entropy, gini, misclassification, variance
from treewright.errors import OptionError
from treewright.tree.edit import cut, levels
from treewright.tree.tree import Tree
from treewright.typing import Floats, Mask

_CLASS_RISKS = {"gini": gini, "entropy": entropy, "misclassification": misclassification}
_ROUNDING = 1e-12


@dataclass(frozen=True)
class CostComplexity:
    """The smallest subtree that minimises R(T) + α·leaves.

    R is the sum over the leaves of their share of the weight times their risk. The risk of a numeric target is its
    variance. For classes it is the Gini index unless said otherwise: ``"gini"`` or ``"entropy"`` (bits) as
    scikit-learn's ``ccp_alpha`` has it, ``"misclassification"`` as in the book and in rpart. ``relative=True``
    measures R in units of the root's risk, as rpart's ``cp`` does.

    >>> CostComplexity(0.01, risk="misclassification")
    CostComplexity(alpha=0.01, risk='misclassification', relative=False)
    """

    alpha: float
    risk: str | None = None
    relative: bool = False

    def __post_init__(self) -> None:
        if not self.alpha >= 0:
            raise OptionError(f"alpha must be a number of at least 0, got {self.alpha!r}", "0 keeps every useful split")
        if self.risk is not None and self.risk not in _CLASS_RISKS:
            raise OptionError(
                f"unknown risk {self.risk!r}", f"choose one of {', '.join(_CLASS_RISKS)}, or leave it out"
            )

    def __call__(self, tree: Tree, *, is_classifier: bool) -> Tree:
        risk = self._class_risks(tree) if is_classifier else self._number_risks(tree)
        alpha = self.alpha * risk[0] if self.relative else self.alpha
        return cut(tree, _better_as_leaf(tree, risk, alpha))

    def _class_risks(self, tree: Tree) -> Floats:
        measure = _CLASS_RISKS[self.risk or "gini"]
        return np.asarray(measure(tree.stats) * tree.stats.sum(-1) / tree.stats[0].sum())

    def _number_risks(self, tree: Tree) -> Floats:
        if self.risk is not None:
            raise OptionError(f"risk={self.risk!r} is for classes, and the target is a number", "leave risk out")
        return np.asarray(variance(tree.stats) * tree.stats[:, 0] / tree.stats[0, 0])


def _better_as_leaf(tree: Tree, risk: Floats, alpha: float) -> Mask:
    """From the bottom up: a node whose own cost is no higher than that of the best subtree below it."""
    cost = risk + alpha
    as_leaf = np.zeros(tree.n_nodes, np.bool_)
    for level in reversed(list(levels(tree))):
        nodes = np.arange(level.start, level.stop)[tree.n_branches[level] > 0]
        if nodes.size:
            first = tree.first_child[nodes]  # the families of a level stand end to end
            below = np.add.reduceat(cost[first[0] : level.stop + tree.n_branches[level].sum()], first - first[0])
            as_leaf[nodes] = cost[nodes] <= below + _ROUNDING * risk[0]
            cost[nodes] = np.minimum(cost[nodes], below)
    return as_leaf
