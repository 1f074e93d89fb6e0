"""C4.5rules, first part: every path of a tree becomes a rule that asks no more than it has to."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from treewright.data.schema import Kind, Schema
from treewright.explain.leaf_rules import paths
from treewright.explain.region import Interval, MissingRoute, Region
from treewright.leaves import likeliest
from treewright.rules.pessimistic_rate import PessimisticRate
from treewright.rules.rule import Condition
from treewright.tree.tree import Tree
from treewright.typing import Array, Floats, Ints, Mask

_LEAST_WEIGHT = 1.0  # of a leaf that is made a rule
_Step = tuple[Condition, Mask]  # a test on a path, and which rows pass it


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


@dataclass(frozen=True)
class CandidateRule:
    """A generalised rule: the training rows that meet it, and its pessimistic error rate."""

    conditions: tuple[Condition, ...]
    label: int
    rows: Ints
    error: float


def candidates(tree: Tree, schema: Schema, rows: RuleTrainingRows, pessimism: PessimisticRate) -> list[CandidateRule]:
    """One rule for every leaf with weight, in printed order; the same rule only once.

    A rule is thrown away if it has no conditions left, or is no better than its class is by default: if its pessimistic
    error rate is at least (e + 1) / (n + 2), where e of all n rows are of another class.
    """
    found: dict[tuple[int, frozenset[Condition]], CandidateRule] = {}
    labels = likeliest(tree.value)
    by_default = 1 - (rows.stats + 1) / (rows.weights.sum() + 2)
    for leaf, path in _paths(tree, schema, rows):
        label = int(labels[leaf])
        if tree.stats[leaf].sum() >= _LEAST_WEIGHT:
            made = generalise(path, label, rows, pessimism, by_default[label])
            if made.conditions and made.error < by_default[label]:
                found.setdefault((label, frozenset(made.conditions)), made)
    return list(found.values())


def generalise(
    path: tuple[_Step, ...], label: int, rows: RuleTrainingRows, pessimism: PessimisticRate, by_default: float
) -> CandidateRule:
    """Drop conditions, one at a time, while the rule is then thought to make no more errors.

    The one without which the pessimistic error rate is lowest goes first, of equals the one deepest in the tree. It
    goes if there is any condition without which that rate, or the share of errors seen, does not rise: so does C4.5. A
    rule that no row meets is as wrong as its class is by default.
    """
    conditions = [condition for condition, _ in path]
    fails = np.array([~held for _, held in path], np.bool_).reshape(len(path), len(rows.labels))
    failed = fails.sum(0)
    wrong = rows.weights * (rows.labels != label)
    while True:
        weight, errors = _with_and_without(fails, failed, np.stack([rows.weights, wrong], axis=1))
        rate = np.where(weight > 0, pessimism.rate(weight, errors), by_default)
        if not conditions:
            break
        best = len(conditions) - int(rate[:0:-1].argmin())
        seen = np.divide(errors, weight, out=np.ones_like(weight), where=weight > 0)
        if (rate[1:] > rate[0]).all() and (seen[1:] > seen[0]).all():
            break
        failed = failed - fails[best - 1]
        fails = np.delete(fails, best - 1, axis=0)
        del conditions[best - 1]
    return CandidateRule(tuple(conditions), label, np.flatnonzero(failed == 0), float(rate[0]))


def _with_and_without(fails: Mask, failed: Ints, weights: Floats) -> tuple[Floats, Floats]:
    """Weight and wrong weight of the rows that meet all conditions, then of those that do without the first, …"""
    base = weights[failed == 0].sum(0)
    near = failed == 1
    more = fails[:, near].astype(np.float64) @ weights[near]
    both = np.concatenate([base[None], base + more])
    return both[:, 0], both[:, 1]


def _paths(tree: Tree, schema: Schema, rows: RuleTrainingRows) -> Iterator[tuple[int, tuple[_Step, ...]]]:
    """Every leaf with the tests on its path and the rows that pass each. A missing value passes the test whose branch
    it takes alone, and none where it takes several."""

    def longer(path: tuple[_Step, ...], node: int, region: Region) -> tuple[_Step, ...]:
        return (*path, (Condition.of(region), _passes(region, rows.matrix[:, int(tree.column[node])])))

    return paths(tree, schema, (), longer)


def _passes(region: Region, cells: Array) -> Mask:
    passed = np.isnan(cells) & (region.missing is MissingRoute.HERE)
    if region.column.kind is not Kind.NUMERIC:
        codes = np.nan_to_num(cells, nan=0.0).astype(np.int64)
        return np.asarray(passed | np.concatenate([[False], region.levels])[codes])
    return np.asarray(np.logical_or.reduce([passed, *(_inside(interval, cells) for interval in region.intervals)]))


def _inside(interval: Interval, cells: Array) -> Mask:
    inside = cells <= interval.high
    return np.asarray(inside if interval.low is None else inside & (cells > interval.low))
