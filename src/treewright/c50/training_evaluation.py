"""What C5.0 prints beside its models: sizes and training errors of every trial, and what columns were asked for."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from treewright.c50.candidate_rules import C50Rule, covered
from treewright.c50.classification import Classified, Flattened
from treewright.c50.node import EMPTY
from treewright.c50.program import C50Run, Trial
from treewright.c50.voting_rules import C50Rules, classify_by_rules
from treewright.engines.workers import Workers
from treewright.kernels.c50_kernels.c50_search import CaseTable
from treewright.typing import Floats, Ints, Mask


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


def evaluate_run(run: C50Run, n_jobs: int = 1) -> TrainingEvaluation:
    table = run.table
    trials = [_over_all_cases(trial, table) for trial in run.trials]
    cases = np.arange(len(table.labels))
    flat = [Flattened(trial.root) for trial in trials if trial.rules is None]
    with Workers(n_jobs) as workers:
        found = [tree.classify(table.values, cases, costs=run.start.costs, workers=workers) for tree in flat]
        found = found or _by_rules(trials, table)
        asked = _asked(trials, flat, table, workers)
    errors = tuple(int((one.label != table.labels).sum()) for one in found)
    together = errors[0] if len(found) == 1 else int((_voted(found, _default(trials[0]), run) != table.labels).sum())
    usage: Floats = asked.mean(axis=1)
    sizes = tuple(_size(trial) for trial in trials)
    return TrainingEvaluation(len(table.labels), sizes, errors, together, tuple(usage.tolist()))


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


def _by_rules(trials: list[Trial], table: CaseTable) -> list[Classified]:
    own = [trial.rules for trial in trials if trial.rules is not None]
    return [classify_by_rules(rules, len(table.labels), table.n_classes) for rules in own]


def _voted(found: list[Classified], default: int, run: C50Run) -> Ints:
    n = len(run.table.labels)
    votes = np.zeros((n, run.table.n_classes), np.float32)
    for one in found:
        votes[np.arange(n), one.label] += one.confidence.astype(np.float32)
    return np.where(votes[:, default] == votes.max(axis=1), default, votes.argmax(axis=1))


def _asked(trials: list[Trial], flat: list[Flattened], table: CaseTable, workers: Workers) -> Mask:
    """[column, case]: which cases were asked for which columns."""
    asked = np.zeros((len(table.kinds), len(table.labels)), np.bool_)
    for tree in flat:
        tree.mark_asked(table.values, asked, workers)
    for trial in trials:
        for rule in () if trial.rules is None else trial.rules.rules:
            for condition in rule.conditions:
                asked[condition.column, rule.cases] = True
    return asked
