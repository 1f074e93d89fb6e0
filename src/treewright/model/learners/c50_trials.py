"""What one trial of C5.0, a tree or a set of rules, asks of rows and answers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from treewright.c50.predictor import Answers, answers_of_tree
from treewright.data.schema import Schema, Target
from treewright.model.class_or_number import known_codes
from treewright.model.column_reports.column_importance import column_importance
from treewright.model.expected_cost import ExpectedCost
from treewright.rules.rule_set import RuleSet
from treewright.tree.tree import Tree
from treewright.typing import Array, Floats


def columns_asked(trial: Tree | RuleSet, names: Sequence[str]) -> set[int]:
    """The columns that it tests."""
    if isinstance(trial, Tree):
        return set(trial.columns_used.tolist())
    tested = {condition.column for rule in trial for condition in rule.conditions}
    return {j for j, name in enumerate(names) if name in tested}


def answer_of(trial: Tree | RuleSet, matrix: Array, costs: Floats | None) -> Answers:
    """What it says of every row. ``costs``: [predicted, true]."""
    if isinstance(trial, Tree):
        return answers_of_tree(trial, matrix, costs)
    voted = trial.voted(matrix)
    return Answers(voted.codes, voted.values, voted.confidence)


def default_class(first: Tree | RuleSet, costs: Floats | None) -> int:
    """The class that wins ties between trials: that of the first."""
    if isinstance(first, RuleSet):
        return first.classes.index(first.otherwise.prediction)
    counts = first.stats[0]
    return int(counts.argmax() if costs is None else (costs @ counts).argmin())


def gain_shares(trials: Sequence[Tree | RuleSet], schema: Schema) -> Floats:
    """The share of every column in what the splits gain, the mean over the trees."""
    trees = [trial for trial in trials if isinstance(trial, Tree)]
    if not trees:  # an AttributeError: for Python such a model has no importances
        hint = 'use model.importance("permutation", X, y), or rules=False'
        raise AttributeError(f"rules have no splits whose gain could be shared out. Hint: {hint}.")
    mean = np.mean([column_importance(tree, schema) for tree in trees], axis=0)
    return np.asarray(mean / mean.sum() if mean.any() else mean)


def cost_of_answers(answers: Answers, target: Target, y: Any, sample_weight: Any) -> ExpectedCost:
    """What they cost on average: with y by the errors made, without it by the probabilities."""
    costs = 1 - np.eye(len(target.classes or ())) if target.costs is None else np.array(target.costs)
    if y is None:
        shares = answers.value / answers.value.sum(axis=1, keepdims=True)
        lost = (shares * costs[:, answers.label].T).sum(axis=1)
    else:
        lost = costs[known_codes(target, y, len(answers.label)), answers.label]
    weights = None if sample_weight is None else np.asarray(sample_weight, np.float64)
    return ExpectedCost(0.0, float(np.average(lost, weights=weights)))
