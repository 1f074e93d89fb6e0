"""Pruning by the cost of errors, with Laplace-corrected class shares (Knoll, Nakhaeizadeh & Tausend 1994)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from treewright.costs import cost_matrix, error_costs, square, with_priors
from treewright.data.schema import Level, Schema, Target
from treewright.errors import OptionError
from treewright.prune.holdout import HoldOut
from treewright.prune.methods.bottom_up import ROUNDING, better_as_leaf
from treewright.prune.training_counts import class_weights
from treewright.tree.edit import cut
from treewright.tree.tree import Tree
from treewright.typing import Floats


@dataclass(frozen=True)
class CostBased:
    """Make a node a leaf if that lowers the expected cost, and let every leaf predict its class of least cost.

    Predicting class i for the N rows of a node costs N·Σ_j cost(j, i)·p_j with p_j = (n_j + 1) / (N + q). ``costs`` has
    a *row for each true class and a column for each predicted one*: an array in the order of the classes, or
    ``{truth: {prediction: cost}}`` by name, where errors not named cost 1. Left out, they are those of the model, and
    where it has none every error costs 1. A model that was fitted with costs takes no others.

    A model with costs keeps them, and the new tree's values are the corrected shares. Without, the values say the
    decision: class i has the share (Σ_k C_k − C_i) / ((q − 1)·Σ_k C_k), C being the costs above, so that the class of
    least cost has the largest share. For two classes these are the corrected shares weighted by cost. The statistics
    are not changed.

    >>> CostBased({"sick": {"healthy": 10}})
    CostBased(costs={'sick': {'healthy': 10}})
    """

    costs: Any = None

    needs_data = False

    def __post_init__(self) -> None:
        if self.costs is not None and not isinstance(self.costs, Mapping):
            object.__setattr__(self, "costs", tuple(map(tuple, square(self.costs).tolist())))

    def __call__(self, tree: Tree, schema: Schema, data: HoldOut | None = None) -> Tree:
        class_weights(tree, schema, "cost-based")
        target = schema.target
        self._check_costs(target)
        counts = with_priors(tree.stats, target)
        costs = replace(self, costs=self.costs or target.costs).of_predicting(counts, target.classes or ())
        least = costs.min(-1)
        slack = ROUNDING * float(least[0])
        smaller = better_as_leaf(tree, least, slack=slack, strictly=True)
        value = _decided(costs, tree.value) if target.costs is None else _corrected(counts)
        return cut(tree._replace(value=value), smaller)

    def _check_costs(self, target: Target) -> None:
        """Refuse costs that differ from those of the model."""
        if self.costs is None or target.costs is None:
            return
        if not np.array_equal(cost_matrix(self.costs, target.classes or ()), error_costs(target)):
            raise OptionError("the model was fitted with other costs than these", "leave the costs of pruning out")

    def of_predicting(self, counts: Floats, classes: tuple[Level, ...]) -> Floats:
        """Expected cost of predicting each class at leaves with these class weights.

        >>> import numpy as np
        >>> counts = np.array([[0.0, 10.0], [20.0, 10.0]])
        >>> CostBased([[0, 1], [10, 0]]).of_predicting(counts, ("well", "ill")).round(3).tolist()
        [[91.667, 0.833], [103.125, 19.688]]
        """
        return np.asarray(counts.sum(-1, keepdims=True) * (_corrected(counts) @ cost_matrix(self.costs, classes)))


def _corrected(counts: Floats) -> Floats:
    """Laplace's shares."""
    return np.asarray((counts + 1) / (counts.sum(-1, keepdims=True) + counts.shape[-1]))


def _decided(costs: Floats, otherwise: Floats) -> Floats:
    total = costs.sum(-1, keepdims=True)
    shares = (total - costs) / np.where(total > 0, (costs.shape[-1] - 1) * total, 1.0)
    return np.where(total > 0, shares, otherwise)
