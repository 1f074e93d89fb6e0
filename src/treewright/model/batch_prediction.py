"""All that a model says about rows, from one walk down the tree, or one look at the rules."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from treewright.leaves import decided
from treewright.prediction import apply, predicted_values, shares_missing
from treewright.rules.rule import NO_RULE
from treewright.rules.rule_set import RuleSet
from treewright.typing import Floats, Ints


@dataclass(frozen=True)
class Predictions:
    """Of every row its leaf (of rules, the number of the one that decides), its probabilities (or predicted number)
    and, for classes, the place of the class."""

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
    rules = model if isinstance(model, RuleSet) else getattr(model, "rule_set_", None)
    if rules is not None:
        return _of_rules(rules, X, getattr(model, "unseen", "missing"))
    if hasattr(model, "members_"):
        return _of_members(model, X)
    tree, matrix, n_jobs = model.tree_, model._tested(X), model._n_jobs()
    leaves = apply(tree, matrix, n_jobs)
    values = predicted_values(tree, matrix, n_jobs) if shares_missing(tree) else tree.value[leaves]
    target = model.schema_.target
    if target.classes is None:
        return Predictions(leaves, values, None)
    codes = decided(values, target) if shares_missing(tree) else decided(tree.value, target)[leaves]
    return Predictions(leaves, values, codes)


def _of_members(model: Any, X: Any) -> Predictions:
    """Of an ensemble; rows reach a leaf of every member, and none of the whole."""
    if model.schema_.target.classes is None:
        values = model.predict(X)[:, None]
        return Predictions(np.full(len(values), NO_RULE), values, None)
    values = model.predict_proba(X)
    return Predictions(np.full(len(values), NO_RULE), values, decided(values, model.schema_.target))


def no_predictions(n_classes: int) -> Predictions:
    """Of no row, by a model of so many classes; none: it predicts a number."""
    none = np.empty(0, np.int64)
    return Predictions(none, np.empty((0, max(1, n_classes))), none if n_classes else None)


def _of_rules(rules: RuleSet, X: Any, unseen: str) -> Predictions:
    places = rules.decide(rules.matrix(X, unseen=unseen))
    numbers, values = np.array([*rules.numbers, NO_RULE])[places], rules.values(places)
    if not rules.classes:
        return Predictions(numbers, values, None)
    codes = [rules.classes.index(rule.prediction) for rule in (*rules.rules, rules.otherwise)]
    return Predictions(numbers, values, np.array(codes)[places])
