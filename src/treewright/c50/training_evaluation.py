"""What C5.0 prints beside its models: sizes and training errors of every trial, and what columns were asked for."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from treewright.c50.candidate_rules import C50Rule, covered
from treewright.c50.classification import Classified, Flattened
from treewright.c50.node import EMPTY, C50Node, TestKind
from treewright.c50.program import C50Run, Trial
from treewright.c50.voting_rules import C50Rules, classify_by_rules
from treewright.kernels.c50_kernels.c50_information import EPSILON
from treewright.kernels.c50_kernels.c50_search import CaseTable
from treewright.typing import Array, Floats, Ints, Mask

_FOLLOWED = 0.01  # the least part of a case that is sent down a branch of a numeric test


@dataclass(frozen=True)
class TrainingEvaluation:
    """Training cases as the program itself classifies them.

    ``sizes`` are leaves with cases, or rules, of each trial; ``errors`` what each gets wrong, ``all_errors`` what they
    get wrong together. ``usage`` is the share of cases that were asked for each column.
    """

    n_cases: int
    sizes: tuple[int, ...]
    errors: tuple[int, ...]
    all_errors: int
    usage: tuple[float, ...]


def evaluate_run(run: C50Run) -> TrainingEvaluation:
    table = run.table
    trials = [_over_all_cases(trial, table) for trial in run.trials]
    found = [_classified(trial, run) for trial in trials]
    errors = tuple(int((one.label != table.labels).sum()) for one in found)
    together = errors[0] if len(found) == 1 else int((_voted(found, _default(trials[0]), run) != table.labels).sum())
    usage = _usage(trials, table)
    return TrainingEvaluation(len(table.labels), tuple(_size(trial) for trial in trials), errors, together, usage)


def _size(trial: Trial) -> int:
    if trial.rules is not None:
        return len(trial.rules.rules)
    return sum(node.is_leaf and node.weight >= EMPTY for node in trial.root.walk())


def _default(trial: Trial) -> int:
    return trial.root.label if trial.rules is None else trial.rules.default


def _over_all_cases(trial: Trial, table: CaseTable) -> Trial:
    """Rules cover all cases here, also those that boosting had given up."""
    if trial.rules is None:
        return trial
    rules = tuple(_over_all(rule, table) for rule in trial.rules.rules)
    return Trial(trial.root, C50Rules(rules, trial.rules.default))


def _over_all(rule: C50Rule, table: CaseTable) -> C50Rule:
    cases = covered(rule.conditions, table)
    return C50Rule(rule.conditions, rule.target, rule.cover, rule.correct, rule.lift, cases)


def _classified(trial: Trial, run: C50Run) -> Classified:
    table = run.table
    if trial.rules is not None:
        return classify_by_rules(trial.rules, len(table.labels), table.n_classes)
    return Flattened(trial.root).classify(table.values, np.arange(len(table.labels)), costs=run.start.costs)


def _voted(found: list[Classified], default: int, run: C50Run) -> Ints:
    n = len(run.table.labels)
    votes = np.zeros((n, run.table.n_classes), np.float32)
    for one in found:
        votes[np.arange(n), one.label] += one.confidence.astype(np.float32)
    return np.where(votes[:, default] == votes.max(axis=1), default, votes.argmax(axis=1))


def _usage(trials: list[Trial], table: CaseTable) -> tuple[float, ...]:
    asked = np.zeros((len(table.kinds), len(table.labels)), np.bool_)
    for trial in trials:
        if trial.rules is None:
            _ask(trial.root, np.arange(len(table.labels)), table, asked)
        else:
            for rule in trial.rules.rules:
                for condition in rule.conditions:
                    asked[condition.column, rule.cases] = True
    shares: Floats = asked.mean(axis=1)
    return tuple(shares.tolist())


def _ask(root: C50Node, cases: Ints, table: CaseTable, asked: Mask) -> None:
    """Mark the columns that cases are asked for on their way.

    Unknown values go down every branch, numbers between soft bounds down both.
    """
    waiting = [(root, cases, np.ones(len(cases)))]
    while waiting:
        node, here, part = waiting.pop()
        if node.is_leaf or not len(here):
            continue
        values = table.values[node.column][here]
        known = ~np.isnan(values)
        asked[node.column, here[known]] = True
        for b, share in enumerate(_shares(node, values, known)):
            below = part * share
            follows = below >= _FOLLOWED if node.kind is TestKind.NUMBER else below > 0
            waiting.append((node.branches[b], here[follows], below[follows]))


def _shares(node: C50Node, values: Array, known: Mask) -> list[Floats]:
    """The part of each value that goes down each branch."""
    weights = [branch.weight / node.weight if branch.weight > EPSILON else 0.0 for branch in node.branches]
    if node.kind is not TestKind.NUMBER:
        groups = node.groups[np.where(known, values, 0).astype(np.int64)]
        return [np.where(known, groups == b + 1, weight) for b, weight in enumerate(weights)]
    beside = values == -np.inf
    left = np.where(beside, 0.0, _left(node, values))
    right = np.where(beside, 0.0, 1.0 - left)
    return [np.where(known, own, weight) for own, weight in zip((beside * 1.0, left, right), weights)]


def _left(node: C50Node, values: Array) -> Floats:
    """The part of numbers that goes to the branch up to the cut."""
    if node.bounds is None:
        return np.asarray(values <= node.cut, np.float64)
    lower, middle, upper = node.bounds
    below = 1 - 0.5 * (values - lower) / (middle - lower + 1e-6)
    above = 0.5 - 0.5 * (values - middle) / (upper - middle + 1e-6)
    between = np.where(values <= middle, below, above)
    return np.where(values <= lower, 1.0, np.where(values >= upper, 0.0, between))
