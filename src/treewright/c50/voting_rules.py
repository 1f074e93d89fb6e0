"""Rules chosen to describe the cases in the fewest bits, all that are met voting."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from treewright.c50.candidate_rules import C50Condition, C50Rule, ConditionBits, RuleFormer
from treewright.c50.classification import Classified
from treewright.c50.node import C50Node
from treewright.c50.rounding import single
from treewright.c50.training import Training
from treewright.kernels.c50_kernels.c50_conditions import AMONG
from treewright.kernels.c50_kernels.c50_information import EPSILON, lg
from treewright.kernels.c50_kernels.c50_rules import Ballot, Covers, Lengths, climb, order_of_use
from treewright.typing import Floats, Ints, Mask


@dataclass(frozen=True)
class C50Rules:
    """The rules of one trial, and the class of cases that meet none."""

    rules: tuple[C50Rule, ...]
    default: int


def error_costs(training: Training) -> Floats:
    """What errors count in choosing rules: [predicted, true]."""
    n_classes = training.n_classes
    if training.costs is None or training.has_factors:
        return 1.0 - np.eye(n_classes)
    shares = np.bincount(training.table.labels, training.weights, minlength=n_classes) / training.n_cases
    pairs = np.outer(shares / np.where(shares < 1, 1 - shares, 1.0), shares) * training.costs
    return np.asarray(training.costs / ((1 + pairs.sum()) / 2))


class RuleChooser:
    """Makes the rules of a tree."""

    def __init__(self, training: Training, n_cuts: dict[int, int], bands: int) -> None:
        self.training, self.bands = training, bands
        self.costs = error_costs(training)
        self.bits = ConditionBits(training, n_cuts)
        self.former = RuleFormer(training, self.bits, self.costs)

    def rules_of(self, root: C50Node) -> C50Rules:
        rules = self.former.candidates(root)
        if self.training.subset:
            rules = [self._reduced(rule) for rule in rules]
        for rule in rules:
            rule.bits = self.bits.of_rule(rule.conditions)
        covers, ballot = _covers(rules, len(self.training.table.labels)), self._ballot(rules)
        is_in = self._starting_set(rules)
        climb(covers, ballot, self._lengths(root), is_in)
        default = self._default([rule for rule, taken in zip(rules, is_in) if taken])
        if self.bands:
            order = order_of_use(covers, ballot, is_in.copy())[::-1]
            return C50Rules(tuple(rules[r] for r in order), default)
        return C50Rules(_in_order(rules, is_in, self.training.n_classes), default)

    def _reduced(self, rule: C50Rule) -> C50Rule:
        """Values that no covered case has go from the conditions."""
        conditions = tuple(self._with_present(condition, rule.cases) for condition in rule.conditions)
        return replace(rule, conditions=conditions)

    def _with_present(self, condition: C50Condition, cases: Ints) -> C50Condition:
        if condition.ask != AMONG or len(condition.among) < 2:
            return condition
        present = set(np.unique(self.training.table.values[condition.column][cases]).astype(np.int64).tolist())
        return replace(condition, among=tuple(value for value in condition.among if value in present))

    def _ballot(self, rules: list[C50Rule]) -> Ballot:
        training = self.training
        return Ballot(
            target=np.array([rule.target for rule in rules], np.int64),
            vote=np.array([rule.vote for rule in rules], np.int64),
            bits=np.array([rule.bits for rule in rules]),
            labels=training.table.labels,
            weights=training.weights,
            cost=np.vstack([self.costs, np.ones(training.n_classes)]),
            sums=np.zeros((len(training.table.labels), training.n_classes), np.int64),
        )

    def _starting_set(self, rules: list[C50Rule]) -> Mask:
        """Class by class the rules that newly cover more right than wrong cases."""
        training, is_in = self.training, np.zeros(len(rules), np.bool_)
        for label in range(training.n_classes):
            is_covered = np.zeros(len(training.table.labels), np.bool_)
            left, wrong = float(self.former.class_weights[label]), 0.0
            own = [r for r, rule in enumerate(rules) if rule.target == label and rule.correct >= training.least]
            own.sort(key=lambda r: -rules[r].vote)
            for r in own:
                if left <= wrong:
                    break
                new = rules[r].cases[~is_covered[rules[r].cases]]
                is_right = training.table.labels[new] == label
                weights = training.weights[new]
                gained, lost = float(weights[is_right].sum()), float(weights[~is_right].sum())
                if gained - lost > training.least + EPSILON:
                    is_in[r] = True
                    left, wrong = left - gained, wrong + lost
                    is_covered[new] = True
        return is_in

    def _lengths(self, root: C50Node) -> Lengths:
        n, n_classes = self.training.n_cases, self.training.n_classes
        rate = (root.errors + n_classes - 1) / (n + n_classes)
        rate = 0.45 if rate > 0.5 else rate
        per_class = lg(float(n_classes - 1)) if n_classes > 2 else 0.0
        return Lengths(float(n), float(single(-lg(rate))), float(single(-lg(1 - rate))), float(per_class))

    def _default(self, rules: list[C50Rule]) -> int:
        training = self.training
        labels, weights = training.table.labels, training.weights.copy()
        for rule in rules:
            weights[rule.cases] = 0.0
        left = np.bincount(labels, weights, minlength=training.n_classes)
        value = (left + 1) / (0.001 + left.sum() + 2) + self.former.class_weights / training.n_cases
        if training.costs is not None and not training.has_factors:
            return int((training.costs @ value).argmin())
        return int(value.argmax())


def _in_order(rules: list[C50Rule], is_in: Mask, n_classes: int) -> tuple[C50Rule, ...]:
    """Class by class the highest vote first. The one chosen changes places with the one that stands next, and that
    decides among later equals."""
    order, chosen = list(range(len(rules))), 0
    for label in range(n_classes):
        while True:
            best = -1
            for place in range(chosen, len(order)):
                r = order[place]
                if is_in[r] and rules[r].target == label and (best < 0 or rules[r].vote > rules[order[best]].vote):
                    best = place
            if best < 0:
                break
            order[best], order[chosen] = order[chosen], order[best]
            chosen += 1
    return tuple(rules[r] for r in order[:chosen])


def _covers(rules: list[C50Rule], n_cases: int) -> Covers:
    sizes = np.array([len(rule.cases) for rule in rules], np.int64)
    cases = np.concatenate([np.empty(0, np.int64), *(rule.cases for rule in rules)])
    owner = np.repeat(np.arange(len(rules)), sizes)
    order = np.argsort(cases, kind="stable")
    per_case = np.bincount(cases, minlength=n_cases)
    return Covers(_starts(sizes), cases, _starts(per_case), owner[order])


def _starts(sizes: Ints) -> Ints:
    return np.concatenate([np.zeros(1, np.int64), np.cumsum(sizes, dtype=np.int64)])


def classify_by_rules(rules: C50Rules, n_cases: int, n_classes: int) -> Classified:
    """Class and confidence of training cases: all rules met vote, the most specific one of the class is as sure."""
    votes, n_met = np.zeros((n_cases, n_classes)), np.zeros(n_cases)
    best_cover = np.full((n_cases, n_classes), np.inf)
    best_vote = np.zeros((n_cases, n_classes))
    for rule in rules.rules:
        cases, c = rule.cases, rule.target
        votes[cases, c] += rule.vote
        n_met[cases] += 1
        nearer = (rule.cover < best_cover[cases, c]) | (
            (rule.cover == best_cover[cases, c]) & (rule.vote > best_vote[cases, c])
        )
        best_cover[cases[nearer], c], best_vote[cases[nearer], c] = rule.cover, rule.vote
    most = votes.max(axis=1)
    label = np.where(votes[:, rules.default] == most, rules.default, votes.argmax(axis=1))
    confidence = np.where(n_met > 0, best_vote[np.arange(n_cases), label] / 1000, 0.5)
    return Classified(np.where(n_met > 0, label, rules.default), confidence)
