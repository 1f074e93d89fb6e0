"""Why rules predict a row as they do: the first that it meets, in words."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from treewright.data.encode import prediction_matrix
from treewright.data.frame import read_frame
from treewright.data.schema import Column, Kind, Level, Schema
from treewright.display import Displayed, Sheet
from treewright.errors import DataError
from treewright.explain.condition_text import level_text, one_line, value_text
from treewright.explain.number_text import format_number, format_share, plural, rounded_number
from treewright.rules.rule import NO_RULE, Condition, Rule
from treewright.rules.rule_matching import Matcher
from treewright.rules.rule_model import RuleModel, numbers_of
from treewright.rules.rule_text import outcome, sentence
from treewright.rules.rule_votes import Ballots
from treewright.typing import Array


@dataclass(frozen=True, repr=False)
class Reason(Displayed):
    """The rule that decided one row, -1 where none was met, and the values it looked at. ``str`` writes it out."""

    rule: int
    words: str
    values: tuple[tuple[str, str], ...]  # of the columns that the rule asks about
    also_met: tuple[int, ...]  # rules further down
    prediction: Level | float
    distribution: tuple[float, ...]  # probability of each class, or the predicted number
    evidence: str
    outcome: str
    terms: tuple[str, ...] = ()  # what each term of a model adds, in words
    all_count: bool = False  # all rules that are met have a say, not the first alone

    def __str__(self) -> str:
        found = [", ".join(f"{column} is {value}" for column, value in self.values)] if self.values else []
        later = ", ".join(map(str, self.also_met))
        also = [f"rules that come later are met as well: {later}"] if self.also_met and not self.all_count else []
        return "\n".join(
            [self.words, *found, *([self.evidence] if self.evidence else []), *also, *self.terms, self.outcome]
        )

    def _sheet(self) -> Sheet:
        columns = {"column": [column for column, _ in self.values], "value": [value for _, value in self.values]}
        return Sheet(columns, self.words, tuple(filter(None, (self.evidence, *self.terms, self.outcome))))


def reason_of(
    rules: tuple[Rule, ...], otherwise: Rule, schema: Schema, row: Any, ballots: Ballots | None = None
) -> Reason:
    """The first rule that a row meets, or that which speaks for the class that wins where rules vote by ``ballots``.

    row: a dict of column to value, or a table of one row.
    """
    matrix, met = _met(rules, schema, row)
    if met and ballots is not None:
        return _voted(rules, met, ballots, schema, matrix)
    rule = rules[met[0]] if met else otherwise
    values = dict(zip(schema.names, np.asarray(matrix[0], np.float64).tolist()))
    # What is printed for the ends of intervals holds of training rows; of another row they may have to be in full.
    exact = not all(_is_inside(condition, values[condition.column], False) for condition in rule.conditions)
    prediction = rule.prediction if rule.model is None else float(rule.model.values(matrix, schema)[0])
    return Reason(
        rule=rule.number if met else NO_RULE,
        words=_words(rule, schema, len(rules), bool(met), exact),
        values=_values(rule, schema, values, exact),
        also_met=tuple(rules[k].number for k in met[1:]),
        prediction=prediction,
        distribution=rule.value if rule.model is None else (float(prediction),),
        evidence=_evidence(rule, schema),
        outcome=_outcome(rule, schema, prediction),
        terms=tuple(_terms(rule, schema, matrix)),
    )


def reason_of_mean(rules: tuple[Rule, ...], otherwise: Rule, schema: Schema, row: Any) -> Reason:
    """All rules that a row meets, where their mean counts."""
    matrix, met = _met(rules, schema, row)
    if not met:
        return reason_of(rules, otherwise, schema, row)
    found = [rules[k] for k in met]
    says = [float(numbers_of([rule], np.zeros(1, np.int64), matrix, schema)[0]) for rule in found]
    values = dict(zip(schema.names, np.asarray(matrix[0], np.float64).tolist()))
    asked = {name: value for rule in found for name, value in _values(rule, schema, values, False)}
    prediction = float(np.mean(says))
    lines = []
    for rule, value in zip(found, says):
        told = f"rule [{rule.number}]: {sentence(rule, schema)}, which is {format_number(value)}"
        lines += [told, *_terms(rule, schema, matrix)]
    return Reason(
        rule=found[0].number,
        words=f"of {plural(len(rules), 'rule')} the row meets {len(met)}, whose mean counts",
        values=tuple(asked.items()),
        also_met=tuple(rule.number for rule in found[1:]),
        prediction=prediction,
        distribution=(prediction,),
        evidence="",
        outcome=f"prediction: {one_line(schema.target.name)} = {format_number(prediction)}",
        terms=tuple(lines),
        all_count=True,
    )


def _met(rules: tuple[Rule, ...], schema: Schema, row: Any) -> tuple[Array, list[int]]:
    """One row as a matrix, and the places of the rules that it meets."""
    frame = read_frame([row] if isinstance(row, Mapping) else row)
    if frame.n_rows != 1:
        raise DataError(f"one row is explained at a time, got {frame.n_rows}", "pick one, for example X[:1]")
    matrix = prediction_matrix(frame, schema, range(len(schema.columns)), estimator="RuleSet")
    chunks = Matcher(rules, schema).chunks(matrix)
    return matrix, [k for _, found in chunks for k in np.flatnonzero(found[0]).tolist()]


def _outcome(rule: Rule, schema: Schema, prediction: Level | float) -> str:
    if rule.model is None:
        return f"prediction: {outcome(rule, schema)}{_shares(rule, schema)}"
    return f"prediction: {one_line(schema.target.name)} = {format_number(float(prediction))}"


def _terms(rule: Rule, schema: Schema, matrix: Array) -> list[str]:
    """The intercept, what every term adds, and the limit if it is reached."""
    if rule.model is None:
        return []
    made, total = [f"  starts from {format_number(rule.model.intercept)}"], rule.model.intercept
    for part in rule.model.terms:
        added = float(RuleModel(0.0, (part,)).values(matrix, schema)[0])
        total += added
        words = RuleModel(0.0, (part,)).text(schema).partition(" ")[2]
        made.append(f"  {'-' if added < 0 else '+'} {format_number(abs(added))}: {words}")
    if not rule.model.low <= total <= rule.model.high:
        least = total < rule.model.low
        end = rule.model.low if least else rule.model.high
        made.append(f"  limited to {format_number(end)}, {'below' if least else 'above'} which the rule does not go")
    return made


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
        all_count=True,
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
