"""Minimum error pruning.

Niblett & Bratko, *Learning decision rules in noisy domains*, 1986.
Cestnik & Bratko, *On estimating probabilities in tree pruning*, 1991.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from treewright.data.schema import Schema
from treewright.prune.holdout import HoldOut
from treewright.prune.methods.bottom_up import ROUNDING, better_as_leaf
from treewright.prune.option_checks import check_number
from treewright.prune.training_counts import class_weights
from treewright.tree.edit import cut
from treewright.tree.tree import Tree
from treewright.typing import Floats


@dataclass(frozen=True)
class MinimumError:
    """Make a node a leaf if its expected error is no larger than that of its branches, weighted by their shares.

    Of N rows, n of the most frequent of q classes, a leaf is expected to get (N − n + q − 1) / (N + q) wrong. With an
    ``m`` the probability of class c is (n_c + m·p_c) / (N + m), p_c being its share at the root; the larger m, the
    smaller the tree. No held-out rows are needed.

    >>> import numpy as np
    >>> MinimumError().expected(np.array([[15.0, 3, 2], [15, 1, 1], [0, 2, 1]])).round(4).tolist()
    [0.3043, 0.2, 0.5]
    """

    m: float | None = None

    needs_data = False

    def __post_init__(self) -> None:
        if self.m is not None:
            check_number("m", self.m, hint="leave it out for Laplace's estimate")

    def __call__(self, tree: Tree, schema: Schema, data: HoldOut | None = None) -> Tree:
        counts = class_weights(tree, schema, "minimum-error")
        errors = counts.sum(-1) * self.expected(counts)
        return cut(tree, better_as_leaf(tree, errors, slack=ROUNDING * float(errors[0])))

    def expected(self, counts: Floats) -> Floats:
        """The expected error of leaves with these class weights, the first being those of the root."""
        n_classes = counts.shape[-1]
        if self.m is None:
            added, strength = 1.0, float(n_classes)
        else:
            added, strength = self.m * counts[0] / counts[0].sum(), self.m
        total = counts.sum(-1)
        likeliest = (counts + added).max(-1)
        return np.asarray(1.0 - likeliest / np.where(total + strength > 0, total + strength, 1.0))
