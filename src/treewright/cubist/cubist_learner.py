"""Cubist: a tree of linear models made into rules, whose mean predicts (Quinlan 1992, 1993; RuleQuest release 2.07)."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from treewright.cubist.cubist_table import CubistTable, widened
from treewright.cubist.cubist_tree import ModelledTree, modelled_tree
from treewright.data.numeric import Workspace, rows_by_value
from treewright.engines.workers import Workers
from treewright.kernels.cubist_kernels.cubist_kinds import NUMERIC
from treewright.kernels.cubist_kernels.cubist_rules import (
    ABOVE,
    AMONG,
    BELOW,
    Conditions,
    drop_conditions,
    rule_model_values,
)
from treewright.kernels.jit import runner
from treewright.typing import Array, Floats, Ints, Mask


@dataclass(frozen=True)
class CubistOptions:
    """Members of a committee, the most rules of each, how far rules go beyond what they saw, and whether their mean
    error is to be 0."""

    committees: int = 1
    most_rules: int = 100
    extrapolation: float = 1.0
    unbiased: bool = False


class CubistCondition(NamedTuple):
    attribute: int
    kind: int  # BELOW, ABOVE or AMONG
    cut: np.float32
    levels: tuple[int, ...] = ()  # places from 0


@dataclass(frozen=True)
class CubistRule:
    """A rule and the cases it covers."""

    conditions: tuple[CubistCondition, ...]
    intercept: float
    attributes: tuple[int, ...]
    slopes: tuple[float, ...]
    cover: int
    mean: np.float32
    low: np.float32
    high: np.float32
    error: np.float32  # estimated
    limits: tuple[np.float32, np.float32]
    weight: float = 0.0
    moments: tuple[float, float, float] = (0.0, 0.0, 0.0)


def cubist_committee(table: CubistTable, options: CubistOptions, workers: Workers) -> list[list[CubistRule]]:
    """The rules of every member: each after the first is trained to make up for the errors of the one before."""
    from treewright.cubist.cubist_prediction import packed_rules, rule_values
    from treewright.cubist.cubist_tree import prepare_growing

    prepare_growing(table, options.committees)
    target, members = table.y, []
    for member in range(options.committees):
        members.append(cubist_rules(table, target, options, workers))
        if member + 1 < options.committees:
            said = rule_values(packed_rules(members[-1], table.columns), table.x, float(table.target.overall))
            target = (np.float32(2) * table.y - said).astype(np.float32)
    return members


def cubist_rules(table: CubistTable, target: Array, options: CubistOptions, workers: Workers) -> list[CubistRule]:
    """One rule set. The tree is made with ``target``, rules are judged by what cases really are."""
    tree = modelled_tree(table, target, _sorted(table, workers), options.most_rules, workers)
    return _in_order(_rules(table, tree, options))


def _sorted(table: CubistTable, workers: Workers) -> Array:
    """Cases by every numeric attribute. Growing changes their order; to sort them anew takes less memory than to keep
    them twice."""
    rows, numeric = np.empty(table.x.shape, np.int32), np.flatnonzero(table.columns.kind == NUMERIC)

    spaces = [Workspace() for _ in range(workers.n_jobs)]

    def sort(which: int, worker: int) -> None:
        rows[numeric[which]] = rows_by_value(table.x[numeric[which]], spaces[worker])

    workers.each(len(numeric), sort, cells=rows.size)
    return rows


# ---- from leaves to rules ----------------------------------------------------------------------------------------


def _paths(table: CubistTable, tree: ModelledTree) -> list[tuple[int, tuple[CubistCondition, ...]]]:
    """Every leaf, the first branch first, with the conditions on its path."""
    values = {int(j): np.sort(table.x[j]) for j in np.unique(tree.attribute) if j >= 0}
    waiting: list[tuple[int, tuple[CubistCondition, ...]]] = [(0, ())]
    found = []
    while waiting:
        v, path = waiting.pop()
        if tree.attribute[v] < 0:
            found.append((v, path))
            continue
        j = int(tree.attribute[v])
        for child, kind in ((int(tree.right[v]), ABOVE), (int(tree.left[v]), BELOW)):
            waiting.append((child, (*path, _condition(table, tree, values[j], v, child, kind))))
    return found


def _condition(table: CubistTable, tree: ModelledTree, values: Array, v: int, child: int, kind: int) -> CubistCondition:
    """A cut is the greatest value of all cases up to it; levels are those of the cases that took the branch."""
    j = int(tree.attribute[v])
    if table.columns.kind[j] == NUMERIC:
        return CubistCondition(j, kind, values[np.searchsorted(values, tree.cut[v], side="right") - 1])
    cases = tree.order[tree.start[child] : tree.stop[child]]
    return CubistCondition(j, AMONG, np.float32(0), tuple(np.unique(table.x[j, cases]).astype(np.int64).tolist()))


def packed_conditions(conditions: list[CubistCondition], n_levels: Ints) -> Conditions:
    """Conditions end to end."""
    sizes = [int(n_levels[one.attribute]) if one.kind == AMONG else 0 for one in conditions]
    start = np.concatenate([np.zeros(1, np.int64), np.cumsum(np.array(sizes, np.int64))])
    level = np.zeros(int(start[-1]), np.bool_)
    for first, one in zip(start, conditions):
        level[first + np.array(one.levels, np.int64)] = True
    return Conditions(
        np.array([one.attribute for one in conditions], np.int64),
        np.array([one.kind for one in conditions], np.int64),
        np.array([one.cut for one in conditions], np.float32),
        start[:-1],
        level,
    )


def _rules(table: CubistTable, tree: ModelledTree, options: CubistOptions) -> list[CubistRule]:
    n, target = len(table.y), table.target
    run = runner(1e-5 * n, rule_model_values, drop_conditions)
    paths = _paths(table, tree)
    total, count = np.zeros(n, np.float32), np.ones(n, np.float32)
    values = np.empty(n, np.float32)
    for leaf, _ in paths:
        cases = tree.order[tree.start[leaf] : tree.stop[leaf]]
        run(rule_model_values, table.x, *_model(tree, leaf), values)
        total[cases] = np.clip(values[cases], target.floor, target.ceiling)
    rules: list[CubistRule] = []
    for leaf, path in paths:
        run(rule_model_values, table.x, *_model(tree, leaf), values)
        kept, lost, covered = np.ones(len(path), np.bool_), np.zeros(len(path)), np.zeros(n, np.bool_)
        run(
            drop_conditions, table.x, table.y, table.w, packed_conditions(list(path), table.columns.n_levels), values,
            target.floor, target.ceiling, total, count, kept, lost, covered,
        )  # fmt: skip
        places = sorted(np.flatnonzero(kept).tolist(), key=lambda c: -lost[c])
        made = _rule(table, tree, leaf, tuple(path[c] for c in places), values, covered, options)
        same = [k for k, rule in enumerate(rules) if rule.conditions == made.conditions]
        if same:
            if made.error < rules[same[0]].error:
                rules[same[0]] = replace(
                    rules[same[0]], intercept=made.intercept, attributes=made.attributes, slopes=made.slopes,
                    error=made.error,
                )  # fmt: skip
            continue
        parameters = float(tree.parameters[leaf])
        rules.append(_without_bias(table, made, values, covered, parameters) if options.unbiased else made)
        covered[tree.order[tree.start[leaf] : tree.stop[leaf]]] = False
        total[covered] += np.clip(values[covered], made.low, made.high)
        count[covered] += 1
    return rules


def _model(tree: ModelledTree, v: int) -> tuple[Ints, Floats, float]:
    used = np.flatnonzero(tree.models[v, 1:])
    return used, tree.models[v, 1 + used], float(tree.models[v, 0])


def _rule(
    table: CubistTable, tree: ModelledTree, leaf: int, conditions: tuple[CubistCondition, ...], values: Array,
    covered: Mask, options: CubistOptions,
) -> CubistRule:  # fmt: skip
    used, slopes, intercept = _model(tree, leaf)
    y, w = table.y[covered], table.w[covered]
    weight = float(w.sum())
    low, high = y.min(), y.max()
    wide = y.astype(np.float64)
    mean = np.float32((np.cumsum((w.astype(np.float32) * y).astype(np.float64))[-1] + 0.0) / weight)  # 0.0, not -0.0
    said = np.clip(values[covered], table.target.floor, table.target.ceiling)
    return CubistRule(
        conditions, intercept, tuple(used.tolist()), tuple(slopes.tolist()), len(y), mean, low, high,
        _estimated(y, w, said, tree.parameters[leaf]), widened(low, high, options.extrapolation), weight,
        (weight, float((w * wide).sum()), float((w * wide * wide).sum())),
    )  # fmt: skip


def _estimated(y: Array, w: Floats, said: Array, parameters: float) -> np.float32:
    error = float(np.cumsum(w * np.abs(y.astype(np.float64) - said))[-1] / np.cumsum(w)[-1])
    p = parameters if parameters < len(y) else len(y) - 1.0
    found: np.float32 = np.float32(error * (len(y) + p) / (len(y) - p))
    return found


def _without_bias(table: CubistTable, rule: CubistRule, values: Array, covered: Mask, parameters: float) -> CubistRule:
    """The rule with an intercept that makes its mean error 0, or as near to it as limits let it come."""
    y, w, said = table.y[covered], table.w[covered], values[covered]
    intercept, least = rule.intercept, table.target.unit / 2

    def bias() -> float:
        beyond = np.clip(said, *rule.limits).astype(np.float64) - y  # of rules, errors are 64-bit numbers
        return float(np.cumsum(w * beyond)[-1] / np.cumsum(w)[-1])

    now, last = bias(), np.inf
    while abs(now) >= least and abs(now) < last:
        intercept -= now
        said = (said.astype(np.float64) - now).astype(np.float32)
        last, now = abs(now), bias()
    if intercept == rule.intercept:
        return rule
    unit = table.target.unit
    error = _estimated(y, w, np.clip(said, *rule.limits), parameters)
    return replace(rule, intercept=float(np.rint(intercept / unit) * unit), error=error)


def _in_order(rules: list[CubistRule]) -> list[CubistRule]:
    """By the mean of the target: for every place the first smallest of the rest, which it is exchanged with."""
    rules = list(rules)
    for place in range(len(rules)):
        least = min(range(place, len(rules)), key=lambda k: rules[k].mean)
        rules[place], rules[least] = rules[least], rules[place]
    return rules
