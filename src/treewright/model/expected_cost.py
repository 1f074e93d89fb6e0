"""What classifying a case costs: the tests on its way and the errors at its end."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from treewright.costs import error_costs, with_priors
from treewright.data.schema import Schema
from treewright.data.weights import row_weights
from treewright.display import DisplayedRecord
from treewright.explain.number_text import format_number
from treewright.leaves import decided
from treewright.prediction import predicted_values
from treewright.prune.training_counts import training_loss
from treewright.recipe_parts.attribute_costs import AttributeCosts, path_costs
from treewright.tree.tree import Tree
from treewright.typing import Array, Floats, Ints


@dataclass(frozen=True, repr=False)
class ExpectedCost(DisplayedRecord):
    """Means per case.

    >>> print(ExpectedCost(tests=3.5, errors=0.25))
    expected cost 3.75 (tests 3.5, errors 0.25)
    """

    tests: float
    errors: float

    @property
    def total(self) -> float:
        return self.tests + self.errors

    def __str__(self) -> str:
        parts = f" (tests {format_number(self.tests, 4)}, errors {format_number(self.errors, 4)})"
        return f"expected cost {format_number(self.total, 4)}{parts if self.tests else ''}"


@dataclass(frozen=True)
class ClassifiedRows:
    """Rows to be classified, their probabilities and, where they are known, the codes of their classes."""

    matrix: Array
    shares: Floats
    truth: Ints | None
    sample_weight: Any = None


def of_training(tree: Tree, schema: Schema, test_costs: AttributeCosts | None) -> ExpectedCost:
    """By the share of each leaf among the training rows."""
    leaves = tree.n_branches == 0
    weight = with_priors(tree.stats, schema.target).sum(-1)
    path_cost = np.zeros(tree.n_nodes) if test_costs is None else path_costs(tree, test_costs)
    tests = float(weight[leaves] @ path_cost[leaves] / weight[0])
    return ExpectedCost(tests, float(training_loss(tree, schema)[leaves].sum() / weight[0]))


def of_rows(
    tree: Tree, schema: Schema, test_costs: AttributeCosts | None, cases: ClassifiedRows, n_jobs: int
) -> ExpectedCost:
    """A row that takes every branch of a test pays for each by its share."""
    weights = row_weights(cases.sample_weight, None, None, None, len(cases.matrix))
    return ExpectedCost(
        float(np.average(_cost_of_tests(tree, test_costs, cases.matrix, n_jobs), weights=weights)),
        float(np.average(_errors_of(schema, cases), weights=weights)),
    )


def _cost_of_tests(tree: Tree, test_costs: AttributeCosts | None, matrix: Array, n_jobs: int) -> Floats:
    if test_costs is None:
        return np.zeros(len(matrix))
    path_cost = path_costs(tree, test_costs)
    return predicted_values(tree._replace(value=path_cost[:, None]), matrix, n_jobs)[:, 0]


def _errors_of(schema: Schema, cases: ClassifiedRows) -> Floats:
    costs, predicted = error_costs(schema.target), decided(cases.shares, schema.target)
    if cases.truth is not None:
        return np.asarray(costs[cases.truth, predicted])
    return np.asarray((cases.shares * costs.T[predicted]).sum(-1))
