"""All that a model says about rows, from one walk down the tree, or one look at the rules."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from treewright.leaves import decided
from treewright.prediction import apply, depends_on_row, predicted_values
from treewright.rules.rule import NO_RULE
from treewright.rules.rule_set import RuleSet
from treewright.typing import Floats, Ints


@dataclass(frozen=True)
class Predictions:
    """Of every row its leaf (of rules, the number of the one that decides; of neighbours, the nearest row), its
    probabilities (or predicted number) and, for classes, the place of the class."""

    leaves: Ints
    values: Floats
    codes: Ints | None


def predictions_of(model: Any, X: Any) -> Predictions:
    """What ``apply``, ``predict_proba`` and ``predict`` give, in one go.

    >>> import treewright as tw
    >>> table = tw.datasets.load("xor")
    >>> found = predictions_of(tw.CARTClassifier().fit(table.X, table.y), {"a": [0, 1], "b": [1, 1]})
    >>> found.codes.tolist(), found.values.tolist()
    ([1, 0], [[0.0, 1.0], [1.0, 0.0]])
    """
    if hasattr(model, "_predictions"):  # of an estimator that answers in a way of its own
        found: Predictions = model._predictions(X)
        return found
    rules = model if isinstance(model, RuleSet) else getattr(model, "rule_set_", None)
    if rules is not None:
        return _of_rules(rules, X, getattr(model, "unseen", "missing"))
    tree, matrix, n_jobs = model.tree_, model._tested(X), model._n_jobs()
    leaves = apply(tree, matrix, n_jobs)
    values = predicted_values(tree, matrix, n_jobs) if depends_on_row(tree) else tree.value[leaves]
    target = model.schema_.target
    if target.classes is None:
        return Predictions(leaves, values, None)
    codes = decided(values, target) if depends_on_row(tree) else decided(tree.value, target)[leaves]
    return Predictions(leaves, values, codes)


class AnswersItself:
    """A model that is neither one tree nor one rule set; rows reach nothing that has a number, unless it says so."""

    def _predictions(self: Any, X: Any) -> Predictions:
        target = self.schema_.target
        if target.classes is None:
            values = np.asarray(self.predict(X))[:, np.newaxis]
            return Predictions(self._places(X, len(values)), values, None)
        values = self.predict_proba(X)
        return Predictions(self._places(X, len(values)), values, decided(values, target))

    def _places(self, X: Any, n_rows: int) -> Ints:
        return np.full(n_rows, NO_RULE)


def no_predictions(n_classes: int) -> Predictions:
    """Of no row, by a model of so many classes; none: it predicts a number."""
    none = np.empty(0, np.int64)
    return Predictions(none, np.empty((0, max(1, n_classes))), none if n_classes else None)


def _of_rules(rules: RuleSet, X: Any, unseen: str) -> Predictions:
    places, values = rules.decide_with_values(rules.matrix(X, unseen=unseen))
    numbers = np.array([*rules.numbers, NO_RULE])[places]
    if not rules.classes:
        return Predictions(numbers, values, None)
    codes = [rules.classes.index(rule.prediction) for rule in (*rules.rules, rules.otherwise)]
    return Predictions(numbers, values, np.array(codes)[places])
