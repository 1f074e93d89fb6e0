"""Why rules predict a row as they do: the first that it meets, in words."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from treewright.data.encode import prediction_matrix
from treewright.data.frame import read_frame
from treewright.data.schema import Column, Kind, Level, Schema
from treewright.errors import DataError
from treewright.explain.condition_text import level_text, one_line, value_text
from treewright.explain.number_text import format_number, format_share, plural, rounded_number
from treewright.rules.rule import NO_RULE, Condition, Rule
from treewright.rules.rule_matching import Matcher
from treewright.rules.rule_text import outcome, sentence
from treewright.rules.rule_votes import Ballots
from treewright.typing import Array


@dataclass(frozen=True)
class Reason:
    """The rule that decided one row, -1 where none was met, and the values it looked at. ``str`` writes it out."""

    rule: int
    words: str
    values: tuple[tuple[str, str], ...]  # of the columns that the rule asks about
    also_met: tuple[int, ...]  # rules further down
    prediction: Level | float
    distribution: tuple[float, ...]  # probability of each class, or the predicted number
    evidence: str
    outcome: str
    votes: bool = False  # whether all rules that are met have a say

    def __str__(self) -> str:
        found = [", ".join(f"{column} is {value}" for column, value in self.values)] if self.values else []
        also = (
            [f"rules that come later are met as well: {', '.join(map(str, self.also_met))}"]
            if self.also_met and not self.votes
            else []
        )
        return "\n".join([self.words, *found, *([self.evidence] if self.evidence else []), *also, self.outcome])


def reason_of(
    rules: tuple[Rule, ...], otherwise: Rule, schema: Schema, row: Any, ballots: Ballots | None = None
) -> Reason:
    """The first rule that a row meets, or that which speaks for the class that wins where rules vote by ``ballots``.

    row: a dict of column to value, or a table of one row.
    """
    frame = read_frame([row] if isinstance(row, Mapping) else row)
    if frame.n_rows != 1:
        raise DataError(f"one row is explained at a time, got {frame.n_rows}", "pick one, for example X[:1]")
    matrix = prediction_matrix(frame, schema, range(len(schema.columns)), estimator="RuleSet")
    met = [k for _, found in Matcher(rules, schema).chunks(matrix) for k in np.flatnonzero(found[0]).tolist()]
    if met and ballots is not None:
        return _voted(rules, met, ballots, schema, matrix)
    rule = rules[met[0]] if met else otherwise
    values = dict(zip(schema.names, np.asarray(matrix[0], np.float64).tolist()))
    # What is printed for the ends of intervals holds of training rows; of another row they may have to be in full.
    exact = not all(_is_inside(condition, values[condition.column], False) for condition in rule.conditions)
    return Reason(
        rule=rule.number if met else NO_RULE,
        words=_words(rule, schema, len(rules), bool(met), exact),
        values=_values(rule, schema, values, exact),
        also_met=tuple(rules[k].number for k in met[1:]),
        prediction=rule.prediction,
        distribution=rule.value,
        evidence=_evidence(rule, schema),
        outcome=f"prediction: {outcome(rule, schema)}{_shares(rule, schema)}",
    )


def _voted(rules: tuple[Rule, ...], met: list[int], ballots: Ballots, schema: Schema, matrix: Array) -> Reason:
    """Every rule that is met, with its vote; the class of most votes wins."""
    found = np.zeros((1, len(rules)), np.bool_)
    found[0, met] = True
    voted = ballots.count(found)
    rule = rules[int(voted.places[0])]
    values = dict(zip(schema.names, np.asarray(matrix[0], np.float64).tolist()))
    asked = replace(rule, conditions=tuple(dict.fromkeys(one for k in met for one in rules[k].conditions)))
    exact = not all(_is_inside(condition, values[condition.column], False) for condition in asked.conditions)
    lines = [
        f"rule [{rules[k].number}] votes {ballots.vote[k] / 1000:.3f}: {sentence(rules[k], schema, exact=exact)}"
        for k in met
    ]
    shares = tuple(voted.shares[0].tolist())
    return Reason(
        rule=rule.number,
        words="\n".join([f"{plural(len(met), 'rule')} of {len(rules)} met", *lines]),
        values=_values(asked, schema, values, exact),
        also_met=tuple(rules[k].number for k in met if rules[k] is not rule),
        prediction=rule.prediction,
        distribution=shares,
        evidence="",
        outcome=f"prediction: {outcome(rule, schema)}{_shares(replace(rule, value=shares), schema)}",
        votes=True,
    )


def _words(rule: Rule, schema: Schema, n_rules: int, met: bool, exact: bool) -> str:
    if not met:
        return f"none of {plural(n_rules, 'rule')} is met, so {outcome(rule, schema)}"
    return f"rule [{rule.number}] is the first of {n_rules} that is met: {sentence(rule, schema, exact=exact)}"


def _is_inside(condition: Condition, value: float, exact: bool) -> bool:
    """Whether a number lies in the intervals, as they are printed unless ``exact``; levels and missing values do."""
    inside = (interval.has(value, printed=not exact) for interval in condition.intervals)
    return np.isnan(value) or not condition.intervals or any(inside)


def _values(rule: Rule, schema: Schema, values: dict[str, float], exact: bool) -> tuple[tuple[str, str], ...]:
    columns = {column.name: column for column in schema.columns}
    asked: dict[str, list[Condition]] = {}
    for condition in rule.conditions:
        asked.setdefault(condition.column, []).append(condition)
    return tuple((one_line(name), _value(columns[name], values[name], asked[name], exact)) for name in asked)


def _value(column: Column, value: float, conditions: list[Condition], exact: bool) -> str:
    """A number in full where the conditions would not hold of it as it is rounded."""
    if np.isnan(value) or (column.kind is not Kind.NUMERIC and value < 1):
        return "missing"
    rounded = rounded_number(value, column.unit)
    return value_text(value, column, exact=not all(_is_inside(condition, rounded, exact) for condition in conditions))


def _evidence(rule: Rule, schema: Schema) -> str:
    classes = schema.target.classes
    if classes is None or not sum(rule.stats):
        return ""
    counts = ", ".join(f"{level_text(label)}: {format_number(n)}" for label, n in zip(classes, rule.stats))
    return f"training rows that meet it: {counts}" if rule.conditions else f"training rows: {counts}"


def _shares(rule: Rule, schema: Schema) -> str:
    classes = schema.target.classes
    if classes is None:
        return ""
    shares = ", ".join(f"{level_text(label)}: {format_share(p, ' ')}" for label, p in zip(classes, rule.value))
    return f" ({shares})"
