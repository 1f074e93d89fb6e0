"""Pruning by the cost of errors, with Laplace-corrected class shares (Knoll, Nakhaeizadeh & Tausend 1994)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from treewright.data.schema import Level, Schema
from treewright.errors import OptionError, shown
from treewright.prune.checks import check_number
from treewright.prune.counts import class_weights
from treewright.prune.fold import ROUNDING, better_as_leaf
from treewright.prune.holdout import HoldOut
from treewright.tree.edit import cut
from treewright.tree.tree import Tree
from treewright.typing import Floats


@dataclass(frozen=True)
class CostBased:
    """Make a node a leaf if that lowers the expected cost, and let every leaf predict its cheapest class.

    Predicting class i for the N rows of a node costs N·Σ_j cost(j, i)·p_j with p_j = (n_j + 1) / (N + q). ``costs`` has
    a *row for each true class and a column for each predicted one*: an array in the order of the classes, or
    ``{truth: {prediction: cost}}`` by name, where errors not named cost 1. Left out, every error costs 1.

    The new tree's values say the decision: class i has the share (Σ_k C_k − C_i) / ((q − 1)·Σ_k C_k), C being the costs
    above, so that the largest share is that of the cheapest class. For two classes these are the corrected shares
    weighted by cost. The statistics stay what they were.

    >>> CostBased({"sick": {"healthy": 10}})
    CostBased(costs={'sick': {'healthy': 10}})
    """

    costs: Any = None

    needs_data = False

    def __post_init__(self) -> None:
        if self.costs is not None and not isinstance(self.costs, Mapping):
            object.__setattr__(self, "costs", tuple(map(tuple, _square(self.costs).tolist())))

    def __call__(self, tree: Tree, schema: Schema, data: HoldOut | None = None) -> Tree:
        counts = class_weights(tree, schema, "cost-based")
        costs = self.of_predicting(counts, schema.target.classes or ())
        cheapest = costs.min(-1)
        slack = ROUNDING * float(cheapest[0])
        smaller = better_as_leaf(tree, cheapest, slack=slack, strictly=True)
        return cut(tree._replace(value=_decided(costs, tree.value)), smaller)

    def of_predicting(self, counts: Floats, classes: tuple[Level, ...]) -> Floats:
        """Expected cost of predicting each class at leaves with these class weights.

        >>> import numpy as np
        >>> counts = np.array([[0.0, 10.0], [20.0, 10.0]])
        >>> CostBased([[0, 1], [10, 0]]).of_predicting(counts, ("well", "ill")).round(3).tolist()
        [[91.667, 0.833], [103.125, 19.688]]
        """
        total = counts.sum(-1, keepdims=True)
        shares = (counts + 1) / (total + counts.shape[-1])
        return np.asarray(total * (shares @ cost_matrix(self.costs, classes)))


def cost_matrix(costs: Any, classes: tuple[Level, ...]) -> Floats:
    """Costs as an array: a row for each true class, a column for each predicted one.

    >>> cost_matrix({"ill": {"well": 10}}, ("well", "ill")).tolist()
    [[0.0, 1.0], [10.0, 0.0]]
    """
    matrix = _by_name(costs or {}, classes) if costs is None or isinstance(costs, Mapping) else _square(costs)
    if matrix.shape != (len(classes), len(classes)):
        raise OptionError(
            f"costs must have a row and a column for each of {len(classes)} classes, got {matrix.shape}",
            f"rows are the truth, columns the prediction, both in the order {', '.join(map(repr, classes))}",
        )
    if not (np.isfinite(matrix).all() and (matrix >= 0).all()):
        raise OptionError("costs must be finite and not negative", "a right prediction costs 0")
    return matrix


def _square(costs: Any) -> Floats:
    try:
        matrix = np.asarray(costs, np.float64)
    except (TypeError, ValueError):
        matrix = np.empty(0)
    if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1]:
        raise OptionError(
            f"costs must be a square of numbers or a mapping, got {shown(costs)}",
            "a row for each true class and a column for each predicted one",
        )
    return matrix


def _by_name(costs: Mapping[Any, Any], classes: tuple[Level, ...]) -> Floats:
    place = {label: k for k, label in enumerate(classes)}
    matrix = 1.0 - np.eye(len(classes))
    for truth, row in costs.items():
        if not isinstance(row, Mapping):
            raise OptionError(
                f"the costs of class {truth!r} must be a mapping, got {shown(row)}", "{truth: {prediction: cost}}"
            )
        for predicted, cost in row.items():
            unknown = [label for label in (truth, predicted) if label not in place]
            if unknown:
                raise OptionError(
                    f"costs name a class that does not occur: {unknown[0]!r}",
                    f"the classes are {', '.join(map(repr, classes))}",
                )
            check_number("a cost", cost, hint="a right prediction costs 0")
            matrix[place[truth], place[predicted]] = cost
    return matrix


def _decided(costs: Floats, otherwise: Floats) -> Floats:
    total = costs.sum(-1, keepdims=True)
    shares = (total - costs) / np.where(total > 0, (costs.shape[-1] - 1) * total, 1.0)
    return np.where(total > 0, shares, otherwise)
