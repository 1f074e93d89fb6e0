"""Candidate rules: one of every node but the root, with the conditions dropped that it does better without."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from math import comb

import numpy as np
from numpy.typing import NDArray

from treewright.c50.node import EMPTY, C50Node, TestKind
from treewright.c50.rounding import single
from treewright.c50.training import Training
from treewright.kernels.c50_kernels.c50_conditions import (
    ABOVE,
    AMONG,
    BESIDE,
    UP_TO,
    WORD,
    as_bits,
    count_failures,
    find_failures,
    members,
)
from treewright.kernels.c50_kernels.c50_information import lg
from treewright.kernels.c50_kernels.c50_rules import THEORY, generalise
from treewright.kernels.c50_kernels.c50_search import NUMBER, ORDERED, CaseTable
from treewright.typing import Floats, Ints

_LEAST_LIFT = 0.95
_MOST_VOTE = 1000

Bits = NDArray[np.uint64]


@dataclass(frozen=True)
class C50Condition:
    """What a rule asks of one column: a number up to a cut or above it, or one of some values."""

    column: int
    ask: int
    cut: float = 0.0
    among: tuple[int, ...] = ()

    @property
    def place(self) -> tuple[int, float]:
        """RuleConditions are listed by column, then by threshold."""
        return self.column, self.cut


@dataclass(eq=False)
class C50Rule:
    """Cover and correct are 32-bit weights without class multipliers."""

    conditions: tuple[C50Condition, ...]
    target: int
    cover: float
    correct: float
    lift: float
    cases: Ints = field(repr=False)
    bits: float = 0.0
    counts: Floats = field(default_factory=lambda: np.empty(0), repr=False)  # weight of each class, without multipliers

    @property
    def vote(self) -> int:
        return int(_MOST_VOTE * (self.correct + 1) / (self.cover + 2) + 0.5)


class ConditionBits:
    """What a condition costs in bits; counts of values are those of all cases, whatever they weigh."""

    def __init__(self, training: Training, n_cuts: dict[int, int]) -> None:
        self.training, self.n_cuts = training, n_cuts
        self.of_column = single(lg(float(training.in_use.sum())))
        self._counts: dict[int, Ints] = {}

    def __call__(self, condition: C50Condition) -> float:
        return float(single(self.of_column + single(self._of_branch(condition))))

    def _of_branch(self, condition: C50Condition) -> float:
        column, kind = condition.column, self.training.table.kinds[condition.column]
        if kind == NUMBER:
            cuts = self.n_cuts.get(column, 0)
            return float(1 + 0.5 * lg(float(cuts))) if cuts > 1 else 0.0
        if kind == ORDERED:
            return float(1 + 0.5 * lg(float(self.training.table.n_values[column] - 1)))
        counts = self._values(column)
        if len(condition.among) == 1:
            n = self.training.n_cases
            return float(sum((count / n) * (lg(float(n)) - lg(float(count))) for count in counts))
        n_present = len(counts)
        return float(lg(float(comb(n_present, max(min(len(condition.among), n_present - 1), 0)))))

    def _values(self, column: int) -> Ints:
        if column not in self._counts:
            values = self.training.table.values[column]
            counts = np.bincount(values[~np.isnan(values)].astype(np.int64))
            self._counts[column] = counts[counts > 0]
        return self._counts[column]

    def of_rule(self, conditions: Sequence[C50Condition]) -> float:
        """Σ bits of conditions + lg(r) − lg(r!), r being their number."""
        bits = 0.0
        for condition in conditions:
            bits = single(bits + self(condition))
        n = len(conditions)
        return float(single(bits + lg(float(n)) - sum(lg(float(k)) for k in range(2, n + 1))))


def conditions_to(node: C50Node, b: int, training: Training) -> C50Condition:
    """The condition of a branch."""
    if node.kind is TestKind.NUMBER:
        if b == 0:
            return C50Condition(node.column, BESIDE, 0.0, (1,))
        return C50Condition(node.column, UP_TO if b == 1 else ABOVE, node.cut)
    among = tuple(node.values_of(b))
    is_ordered = training.table.kinds[node.column] == ORDERED and node.kind is TestKind.SETS
    cut = float(min(node.values_of(2), default=0)) if is_ordered and len(node.branches) == 3 else 0.0
    return C50Condition(node.column, AMONG, cut if len(among) > 1 else 0.0, among)


def paths(root: C50Node, training: Training) -> Iterator[tuple[tuple[C50Condition, ...], C50Node]]:
    """Every node but the root with the conditions that lead to it, a node after those below it."""
    waiting: list[tuple[C50Node, tuple[C50Condition, ...], bool]] = [(root, (), False)]
    while waiting:
        node, path, done = waiting.pop()
        if done or node.is_leaf:
            if path and node.weight >= 1:
                yield path, node
            continue
        waiting.append((node, path, True))
        for b, branch in reversed(list(enumerate(node.branches))):
            if branch.weight >= EMPTY:
                waiting.append((branch, (*path, conditions_to(node, b, training)), False))


class Failures:
    """The cases that fail the conditions of a path, as sets of bits.

    A path has its first conditions in common with the one before it, and these are not asked again.
    """

    def __init__(self, table: CaseTable) -> None:
        self.table = table
        self._path: list[C50Condition] = []
        self._sets: list[Bits] = []

    def of_path(self, path: Sequence[C50Condition]) -> Bits:
        """One row for each condition."""
        for d, condition in enumerate(path):
            if d == len(self._path):
                self._path.append(condition)
                self._sets.append(self._of(condition))
            elif self._path[d] is not condition:
                self._path[d], self._sets[d] = condition, self._of(condition)
        return np.stack(self._sets[: len(path)])

    def _of(self, condition: C50Condition) -> Bits:
        table = self.table
        fails = np.empty(-(-len(table.labels) // WORD), np.uint64)
        among = np.zeros(int(table.n_values[condition.column]) + 1, np.bool_)
        if condition.ask == AMONG:
            among[list(condition.among)] = True
        find_failures(table.values[condition.column], condition.ask, condition.cut, among, fails)
        return fails


def covered(conditions: Sequence[C50Condition], table: CaseTable) -> Ints:
    """All cases that meet all conditions."""
    fails = Failures(table).of_path(conditions)
    met, once = np.empty_like(fails[0]), np.empty_like(fails[0])
    count_failures(fails, np.ones(len(fails), np.bool_), as_bits(np.ones(len(table.labels), np.bool_)), met, once)
    found: Ints = members(met)
    return found


class RuleFormer:
    """Makes the candidates of a tree."""

    def __init__(self, training: Training, bits: ConditionBits, error_costs: Floats) -> None:
        self.training, self.bits, self.error_costs = training, bits, error_costs
        self.alive, self.failures = as_bits(training.weights > 0), Failures(training.table)
        labels = training.table.labels
        self.class_weights = np.bincount(labels, training.weights, minlength=training.n_classes)

    def candidates(self, root: C50Node) -> list[C50Rule]:
        rules: dict[tuple[int, tuple[C50Condition, ...]], C50Rule] = {}
        for path, node in paths(root, self.training):
            rule = self._rule(path, node.label)
            if rule is not None:
                known = rules.setdefault((rule.target, rule.conditions), rule)
                if rule.vote > known.vote:
                    rules[(rule.target, rule.conditions)] = rule
        return list(rules.values())

    def _rule(self, path: tuple[C50Condition, ...], target: int) -> C50Rule | None:
        training, table = self.training, self.training.table
        kept, met = np.ones(len(path), np.bool_), np.empty_like(self.alive)
        bits = np.array([self.bits(condition) for condition in path])
        total, errors, says, costs = generalise(
            self.failures.of_path(path), self.alive, table.labels, training.weights, self.error_costs[target], bits,
            float(self.class_weights[target]), float(training.n_cases), kept, met,
        )  # fmt: skip
        if total <= 0.99 or THEORY * costs > says:
            return None
        rule = self._measured(path, kept.tolist(), target, members(met), total, errors)
        return rule if rule.lift >= _LEAST_LIFT else None

    def _measured(
        self, path: tuple[C50Condition, ...], kept: list[bool], target: int, cases: Ints, total: float, errors: float
    ) -> C50Rule:
        """Cover, correct and lift, class multipliers taken out."""
        training = self.training
        cover, correct, prior = total, total - errors, self.class_weights[target] / training.n_cases
        labels = training.table.labels[cases]
        weights = training.weights[cases] / training.factors[labels]
        counts: Floats = np.asarray(np.bincount(labels, weights, minlength=training.n_classes), np.float64)
        if training.costs is not None:
            cover, correct = float(counts.sum()), float(counts[target])
            prior /= training.factors[target]
        cover, correct, prior = single(cover), single(correct), single(prior)
        lift = single(single(correct + 1) / single(single(cover + 2) * prior))
        depth = sorted((d for d, is_kept in enumerate(kept) if is_kept), key=lambda d: (*path[d].place, d))
        conditions = tuple(path[d] for d in depth)
        return C50Rule(conditions, target, float(cover), float(correct), float(lift), cases, counts=counts)
