"""C4.5rules, first part: every path of a tree becomes a rule that asks no more than it has to."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from treewright.data.schema import Schema
from treewright.explain.region import region_of
from treewright.kernels.jit import Run, runner
from treewright.kernels.rule_kernels.rule_cover import sum_by_failure
from treewright.leaves import likeliest
from treewright.rules.pessimistic_rate import PessimisticRate
from treewright.rules.rule import Condition
from treewright.split import Split
from treewright.tree.tree import Node, Tree
from treewright.typing import Array, Floats, Ints, Mask

_LEAST_WEIGHT = 1.0  # of a leaf that is made a rule
_PLAIN_SECONDS = 3e-8  # what a row of a rule takes longer without compiled kernels


@dataclass(frozen=True)
class RuleTrainingRows:
    """Numbers and level codes (NaN: missing) row by row, the code of the class, and the weight of every row."""

    matrix: Array
    labels: Ints
    weights: Floats
    n_classes: int

    @property
    def stats(self) -> Floats:
        """The weight of each class."""
        return self.stats_of(slice(None))

    def stats_of(self, rows: Ints | slice | Mask) -> Floats:
        return np.bincount(self.labels[rows], self.weights[rows], minlength=self.n_classes).astype(np.float64)

    @cached_property
    def columns(self) -> Array:
        """The matrix column by column, each in one piece."""
        return np.ascontiguousarray(self.matrix.T)

    @cached_property
    def wrong(self) -> list[Floats]:
        """For each class what the rows weigh that are of another."""
        return [self.weights * (self.labels != label) for label in range(self.n_classes)]


@dataclass(frozen=True)
class CandidateRule:
    """A generalised rule: the training rows that meet it, and its pessimistic error rate."""

    conditions: tuple[Condition, ...]
    label: int
    rows: Ints
    error: float


@dataclass(frozen=True)
class RuleStep:
    """One branch of a test on a path, and the rows that do not take it. A missing value takes the branch it goes down
    alone, and none where it goes down several."""

    split: Split
    schema: Schema
    branch: int
    fails: Mask

    @cached_property
    def condition(self) -> Condition:
        return Condition.of(region_of(self.split, self.schema.columns[self.split.column], self.branch))


@dataclass(frozen=True)
class RulePath:
    """The steps to a node, how many of them each row fails, and the sum of their places.

    Of a row that fails one step the sum is its place. So it is enough to keep sums modulo the number of places.
    """

    steps: tuple[RuleStep, ...]
    failed: Ints
    places: Ints

    @classmethod
    def start(cls, n_rows: int, depth: int) -> RulePath:
        none = np.zeros(n_rows, np.min_scalar_type(depth))
        return cls((), none, none)

    def longer(self, step: RuleStep) -> RulePath:
        place = self.places.dtype.type(len(self.steps))
        return RulePath((*self.steps, step), self.failed + step.fails, self.places + step.fails * place)


class KnownRates:
    """Pessimistic error rates of rules of so much weight, so much of it wrong: the same few are asked for often."""

    def __init__(self, pessimism: PessimisticRate) -> None:
        self._rate = pessimism.rate_of
        self._known: dict[tuple[float, float], float] = {}

    def rate(self, weight: float, wrong: float) -> float:
        known = self._known.get((weight, wrong))
        if known is None:
            known = self._known[weight, wrong] = self._rate(weight, wrong)
        return known


def candidates(tree: Tree, schema: Schema, rows: RuleTrainingRows, pessimism: PessimisticRate) -> list[CandidateRule]:
    """One rule for every leaf with weight, in printed order; the same rule only once.

    A rule is thrown away if it has no conditions left, or is no better than its class is by default: if its pessimistic
    error rate is at least (e + 1) / (n + 2), where e of all n rows are of another class.
    """
    found: dict[tuple[int, frozenset[Condition]], CandidateRule] = {}
    labels, known = likeliest(tree.value), KnownRates(pessimism)
    by_default = (1 - (rows.stats + 1) / (rows.weights.sum() + 2)).tolist()
    for leaf, path in _paths(tree, schema, rows):
        label = int(labels[leaf])
        if tree.stats[leaf].sum() >= _LEAST_WEIGHT:
            made = generalise(path, label, rows, known, by_default[label])
            if made.conditions and made.error < by_default[label]:
                found.setdefault((label, frozenset(made.conditions)), made)
    return list(found.values())


def generalise(
    path: RulePath, label: int, rows: RuleTrainingRows, known: KnownRates, by_default: float
) -> CandidateRule:
    """Drop conditions, one at a time, while the rule is then thought to make no more errors.

    The one without which the pessimistic error rate is lowest goes first, of equals the one deepest in the tree. It
    goes if there is any condition without which that rate, or the share of errors seen, does not rise: so does C4.5. A
    rule that no row meets is as wrong as its class is by default.
    """
    run = runner(_PLAIN_SECONDS * len(rows.labels), sum_by_failure)
    left, failed, places = list(range(len(path.steps))), path.failed, path.places
    while True:
        weight, errors = _with_and_without(run, failed, places, left, rows.weights, rows.wrong[label])
        rate = [known.rate(n, wrong) if n > 0 else by_default for n, wrong in zip(weight, errors)]
        if not left:
            break
        seen = [wrong / n if n > 0 else 1.0 for n, wrong in zip(weight, errors)]
        if min(rate[1:]) > rate[0] and min(seen[1:]) > seen[0]:
            break
        lowest = min(rate[1:])
        gone = left.pop(max(at for at in range(len(left)) if rate[1 + at] == lowest))
        fails = path.steps[gone].fails
        failed, places = failed - fails, places - fails * places.dtype.type(gone)
    conditions = tuple(path.steps[place].condition for place in left)
    return CandidateRule(conditions, label, np.flatnonzero(failed == 0), rate[0])


def _with_and_without(
    run: Run, failed: Ints, places: Ints, left: Sequence[int], weights: Floats, wrong: Floats
) -> tuple[list[float], list[float]]:
    """Weight and wrong weight of the rows that meet all conditions left, then of those that do without the first, …"""
    sums = np.zeros((2, 2 + max(left, default=0)))
    run(sum_by_failure, failed, places, weights, wrong, sums)
    weight, errors = sums.tolist()
    return (
        [weight[-1], *(weight[-1] + weight[place] for place in left)],
        [errors[-1], *(errors[-1] + errors[place] for place in left)],
    )


def _paths(tree: Tree, schema: Schema, rows: RuleTrainingRows) -> Iterator[tuple[int, RulePath]]:
    """Every leaf in printed order with its path, which is made when it is come to: most of it is shared."""
    start = RulePath.start(len(rows.labels), tree.depth)
    waiting: list[tuple[int, RulePath, _Branch | None]] = [(0, start, None)]
    while waiting:
        v, parent, branch = waiting.pop()
        path = parent if branch is None else parent.longer(branch.step())
        split = Node(tree, v).split
        if split is None:
            yield v, path
            continue
        taken, first = _taken(split, rows.columns[split.column]), int(tree.first_child[v])
        for b in reversed(range(int(tree.n_branches[v]))):
            waiting.append((first + b, path, _Branch(split, schema, b, taken)))


@dataclass(frozen=True)
class _Branch:
    """A step to be: the branch that every row takes is known."""

    split: Split
    schema: Schema
    number: int
    taken: Array

    def step(self) -> RuleStep:
        return RuleStep(self.split, self.schema, self.number, self.taken != self.number)


def _taken(split: Split, cells: Array) -> Array:
    return split.branches(cells).astype(np.int16 if split.n_branches < 2**15 else np.int32)
