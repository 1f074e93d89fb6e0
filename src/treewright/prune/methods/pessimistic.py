"""Pessimistic error pruning (Quinlan 1987, *International Journal of Man-Machine Studies* 27, 221–234)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from treewright.costs import mean_cost
from treewright.data.schema import Schema
from treewright.prune.holdout import HoldOut
from treewright.prune.methods.bottom_up import ROUNDING, families, sum_up
from treewright.prune.option_checks import check_choice, check_number, check_yes_no
from treewright.prune.training_counts import class_weights, training_loss
from treewright.tree.edit import cut
from treewright.tree.tree import Tree
from treewright.typing import Floats, Mask

_ORDERS = ("top-down", "bottom-up")


@dataclass(frozen=True)
class Pessimistic:
    """Make a node a leaf if E + ½ ≤ E' + SE; ``strict``, if it is less.

    E is what the node gets wrong as a leaf; E' = Σ (errors + ½) over the leaves of its subtree, ½ being the continuity
    correction of the binomial distribution; SE = √(E'·(N − E') / N) is the standard error of the *subtree's* count.
    ``standard_errors=0`` leaves it out, so that fewer nodes are cut. No held-out rows are needed.

    ``order="top-down"`` decides for each node before those below it, as Quinlan does: E' is that of the subtree as it
    was grown. ``"bottom-up"``, as lecture notes have it, decides after them: E' is that of what is left of the subtree.

    >>> Pessimistic(standard_errors=0)
    Pessimistic(standard_errors=0, correction=0.5, strict=False, order='top-down')
    """

    standard_errors: float = 1.0
    correction: float = 0.5
    strict: bool = False
    order: str = "top-down"

    needs_data = False

    def __post_init__(self) -> None:
        check_number("standard_errors", self.standard_errors, hint="1 as in the paper, 0 to leave it out")
        check_number("correction", self.correction, hint="0.5 as in the paper, 0 to leave it out")
        check_yes_no("strict", self.strict)
        check_choice("order", self.order, _ORDERS)

    def __call__(self, tree: Tree, schema: Schema, data: HoldOut | None = None) -> Tree:
        total = class_weights(tree, schema, "pessimistic").sum(-1)
        as_leaf = training_loss(tree, schema) / mean_cost(tree.stats[0], schema.target) + self.correction
        if self.order == "bottom-up":
            return cut(tree, self._after_those_below(tree, as_leaf, total))
        return cut(tree, self._is_leaf(as_leaf, sum_up(tree, as_leaf), total, total[0]) & (tree.n_branches > 0))

    def _is_leaf(self, as_leaf: Floats, below: Floats, total: Floats, of_all: float) -> Mask:
        variance = np.divide(below * (total - below), total, out=np.zeros_like(total), where=total > 0)
        limit, slack = below + self.standard_errors * np.sqrt(np.maximum(variance, 0.0)), ROUNDING * of_all
        return np.asarray(as_leaf < limit - slack if self.strict else as_leaf <= limit + slack)

    def _after_those_below(self, tree: Tree, as_leaf: Floats, total: Floats) -> Mask:
        errors, smaller = np.array(as_leaf), np.zeros(tree.n_nodes, np.bool_)
        for nodes, children, starts in families(tree):
            below = np.add.reduceat(errors[children], starts)
            smaller[nodes] = self._is_leaf(as_leaf[nodes], below, total[nodes], total[0])
            errors[nodes] = np.where(smaller[nodes], as_leaf[nodes], below)
        return smaller
