"""Rules of C5.0 as an ordinary rule set, all rules that are met voting."""

from __future__ import annotations

import numpy as np

from treewright.c50.candidate_rules import C50Condition, C50Rule
from treewright.c50.case_table import ColumnCoding
from treewright.c50.program import C50Run
from treewright.c50.voting_rules import C50Rules
from treewright.data.schema import Schema
from treewright.explain.region import Interval
from treewright.kernels.c50_kernels.c50_conditions import ABOVE, AMONG, UP_TO
from treewright.rules.rule import Condition, Rule
from treewright.rules.rule_set import RuleSet
from treewright.rules.rule_votes import VOTE
from treewright.tree.tree import LeafKind
from treewright.typing import Floats


def as_rule_set(rules: C50Rules, stats: Floats, run: C50Run, schema: Schema, coded: list[ColumnCoding]) -> RuleSet:
    """``stats``: the weight of each class of all cases, class multipliers taken out."""
    classes = schema.target.classes or ()
    made = tuple(
        _rule(number, rule, run.table.n_classes, schema, coded) for number, rule in enumerate(rules.rules, start=1)
    )
    shares = stats / stats.sum()
    otherwise = Rule((), classes[rules.default], tuple(shares.tolist()), tuple(stats.tolist()))
    return RuleSet(schema, made, otherwise, tuple(stats.tolist()), LeafKind.CLASSES, VOTE)


def _rule(number: int, rule: C50Rule, n_classes: int, schema: Schema, coded: list[ColumnCoding]) -> Rule:
    counts = _counts(rule, n_classes)
    conditions = tuple(_condition(condition, coded[condition.column]) for condition in rule.conditions)
    label = (schema.target.classes or ())[rule.target]
    shares = counts / counts.sum()
    return Rule(conditions, label, tuple(shares.tolist()), tuple(counts.tolist()), number)


def _counts(rule: C50Rule, n_classes: int) -> Floats:
    """Class weights that add up to the rule's cover, its own class having those that are right."""
    counts = rule.counts.copy() if len(rule.counts) else np.zeros(n_classes)
    counts[rule.target] = 0.0
    others = float(counts.sum())
    wrong = max(rule.cover - rule.correct, 0.0)
    counts = counts * (wrong / others) if others else counts
    counts[rule.target] = rule.correct
    return counts


def _condition(condition: C50Condition, coding: ColumnCoding) -> Condition:
    name = coding.column.name
    if condition.ask == AMONG:
        wanted = set(condition.among)
        levels = tuple(
            level for level, value in zip(coding.column.levels, coding.values_of.tolist()) if value in wanted
        )
        return Condition(name, (), levels)
    if condition.ask in (UP_TO, ABOVE):
        return Condition(name, _intervals(condition, coding))
    assert coding.beside is not None
    return Condition(name, (Interval(float(np.nextafter(coding.beside, -np.inf)), coding.beside),))


def _intervals(condition: C50Condition, coding: ColumnCoding) -> tuple[Interval, ...]:
    """Numbers up to the cut, or above it; the one that means "not applicable" is left out."""
    edge, printed = coding.edge(condition.cut), coding.number(condition.cut)
    low, high = (None, edge) if condition.ask == UP_TO else (edge, np.inf)
    beside = coding.beside
    if beside is None or not Interval(low, high).has(beside):
        ends = (None, printed) if condition.ask == UP_TO else (printed, np.inf)
        return (Interval(low, high, ends),)
    below, shown = float(np.nextafter(beside, -np.inf)), printed if condition.ask == UP_TO else np.inf
    from_low = None if low is None else printed
    parts = (Interval(low, below, (from_low, below)), Interval(beside, high, (beside, shown)))
    return tuple(part for part in parts if not part.is_empty)
