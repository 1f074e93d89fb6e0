"""Pessimistic error pruning (Quinlan 1987, *International Journal of Man-Machine Studies* 27, 221–234)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from treewright.costs import mean_cost
from treewright.data.schema import Schema
from treewright.prune.bottom_up import ROUNDING, sum_up
from treewright.prune.holdout import HoldOut
from treewright.prune.option_checks import check_number
from treewright.prune.training_counts import class_weights, training_loss
from treewright.tree.edit import cut
from treewright.tree.tree import Tree


@dataclass(frozen=True)
class Pessimistic:
    """Make a node a leaf if E + ½ ≤ E' + SE, from the root down.

    E is what the node gets wrong as a leaf; E' = Σ (errors + ½) over the leaves of its subtree, ½ being the continuity
    correction of the binomial distribution; SE = √(E'·(N − E') / N) is the standard error of the *subtree's* count.
    ``standard_errors=0`` leaves it out, so that fewer nodes are cut. No held-out rows are needed.

    >>> Pessimistic(standard_errors=0)
    Pessimistic(standard_errors=0, correction=0.5)
    """

    standard_errors: float = 1.0
    correction: float = 0.5

    needs_data = False

    def __post_init__(self) -> None:
        check_number("standard_errors", self.standard_errors, hint="1 as in the paper, 0 to leave it out")
        check_number("correction", self.correction, hint="0.5 as in the paper, 0 to leave it out")

    def __call__(self, tree: Tree, schema: Schema, data: HoldOut | None = None) -> Tree:
        total = class_weights(tree, schema, "pessimistic").sum(-1)
        as_leaf = training_loss(tree, schema) / mean_cost(tree.stats[0], schema.target) + self.correction
        below = sum_up(tree, as_leaf)
        variance = np.divide(below * (total - below), total, out=np.zeros_like(total), where=total > 0)
        limit = below + self.standard_errors * np.sqrt(np.maximum(variance, 0.0))
        return cut(tree, (as_leaf <= limit + ROUNDING * total[0]) & (tree.n_branches > 0))
