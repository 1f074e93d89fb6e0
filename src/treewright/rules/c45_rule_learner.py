"""C4.5rules, the whole of it: generalise every path, choose rules class by class, put the classes in order.

Quinlan, *C4.5: Programs for machine learning*, 1993, chapter 5.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from treewright.data.schema import Schema
from treewright.rules.description_length import rule_bits
from treewright.rules.generalisation import CandidateRule, RuleTrainingRows, candidates
from treewright.rules.pessimistic_rate import PessimisticRate
from treewright.rules.rule import NO_RULE, Condition, Rule
from treewright.rules.rule_selection import AdditiveRandom, RulesOfClass, shortest
from treewright.rules.rule_set import RuleSet
from treewright.tree.tree import LeafKind, Tree
from treewright.typing import Floats, Ints, Mask


@dataclass(frozen=True)
class Numbered:
    """A candidate and its place among all candidates, counted from 1."""

    number: int
    candidate: CandidateRule


def c45_rules(
    tree: Tree, schema: Schema, rows: RuleTrainingRows, pessimism: PessimisticRate, *, theory_weight: float, seed: int
) -> RuleSet:
    """The rule set of an unpruned tree.

    Within a class the rules stand by their pessimistic error, lowest first. ``theory_weight`` is how much a bit of the
    rules counts against one of the exceptions.
    """
    found = [Numbered(number, made) for number, made in enumerate(candidates(tree, schema, rows, pessimism), start=1)]
    chosen = _chosen(found, schema, rows, theory_weight, AdditiveRandom(seed))
    ordered = _in_order(chosen, rows)
    default = _default(ordered, rows)
    return _rule_set(_without_harmful(ordered, default, rows), default, schema, rows)


def _chosen(
    found: list[Numbered], schema: Schema, rows: RuleTrainingRows, theory_weight: float, random: AdditiveRandom
) -> list[list[Numbered]]:
    """The rules kept of every class, the surest first."""
    kept = []
    for label in range(rows.n_classes):
        of_class = [rule for rule in found if rule.candidate.label == label]
        made = [rule.candidate for rule in of_class]
        rules = RulesOfClass(made, rule_bits(made, schema, rows), label, rows, theory_weight)
        taken = [rule for rule, taken in zip(of_class, shortest(rules, random)) if taken]
        kept.append(sorted(taken, key=lambda rule: rule.candidate.error))
    return kept


def _in_order(chosen: list[list[Numbered]], rows: RuleTrainingRows) -> list[Numbered]:
    """Class after class: next comes the one whose rules are wrong about least of what is not covered yet."""
    left = np.ones(len(rows.labels), np.bool_)
    waiting, ordered = [rules for rules in chosen if rules], list[Numbered]()
    while waiting:
        wrong = [
            rows.weights[_covered(rules, left) & (rows.labels != rules[0].candidate.label)].sum() for rules in waiting
        ]
        best = waiting.pop(int(np.argmin(wrong)))
        left &= ~_covered(best, left)
        ordered += best
    return ordered


def _covered(rules: Sequence[Numbered], among: Mask) -> Mask:
    covered = np.zeros(len(among), np.bool_)
    for rule in rules:
        covered[rule.candidate.rows] = True
    return covered & among


def _default(ordered: Sequence[Numbered], rows: RuleTrainingRows) -> int:
    """The commonest class of the rows no rule covers; of equals that which is commoner among all rows."""
    uncovered = rows.stats_of(~_covered(ordered, np.ones(len(rows.labels), np.bool_)))
    return int(np.lexsort((-np.arange(rows.n_classes), rows.stats, uncovered))[-1])


def _without_harmful(ordered: list[Numbered], default: int, rows: RuleTrainingRows) -> list[Numbered]:
    """Drop the rule without which training errors fall most, until there is none."""
    while ordered:
        gain = _gain_without(ordered, default, rows)
        worst = int(gain.argmax())
        if gain[worst] <= 0:
            break
        ordered = ordered[:worst] + ordered[worst + 1 :]
    return ordered


def _gain_without(ordered: Sequence[Numbered], default: int, rows: RuleTrainingRows) -> Floats:
    """By how much wrong weight falls without each rule, when the next rule that is met decides."""
    first, second = _first_two(ordered, len(rows.labels))
    answers = np.array([*(rule.candidate.label for rule in ordered), default])
    now, then = answers[first] == rows.labels, answers[second] == rows.labels
    change = rows.weights * (then.astype(np.float64) - now)
    return np.asarray(np.bincount(first, change, minlength=len(ordered) + 1)[:-1], np.float64)


def _first_two(ordered: Sequence[Numbered], n_rows: int) -> tuple[Ints, Ints]:
    """The places of the first and the second rule each row meets; the number of rules stands for none."""
    first, second = np.full(n_rows, len(ordered)), np.full(n_rows, len(ordered))
    for place in reversed(range(len(ordered))):
        rows = ordered[place].candidate.rows
        second[rows] = first[rows]
        first[rows] = place
    return first, second


def _rule_set(ordered: Sequence[Numbered], default: int, schema: Schema, rows: RuleTrainingRows) -> RuleSet:
    classes = schema.target.classes or ()
    stats = rows.stats

    def rule(conditions: tuple[Condition, ...], label: int, seen: Floats, number: int) -> Rule:
        value = seen / seen.sum() if seen.any() else stats / stats.sum()
        return Rule(conditions, classes[label], tuple(value.tolist()), tuple(seen.tolist()), number)

    made = tuple(
        rule(one.candidate.conditions, one.candidate.label, rows.stats_of(one.candidate.rows), one.number)
        for one in ordered
    )
    uncovered = rows.stats_of(~_covered(ordered, np.ones(len(rows.labels), np.bool_)))
    return RuleSet(schema, made, rule((), default, uncovered, NO_RULE), tuple(stats.tolist()), LeafKind.CLASSES)
