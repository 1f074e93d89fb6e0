"""What the page shows of a rule set, as plain values that JSON can hold."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from treewright.data.schema import Column, Unit
from treewright.explain.number_text import format_exactly, plural
from treewright.page.tree_view import column_view, rows_view
from treewright.rules.rule import Condition, Rule
from treewright.rules.rule_metrics import accuracy
from treewright.rules.rule_model import RuleModel
from treewright.rules.rule_text import evidence
from treewright.rules.rule_votes import VOTE
from treewright.typing import Floats

if TYPE_CHECKING:
    from treewright.rules.rule_set import RuleSet


def rule_view(
    rules: RuleSet, *, title: str = "RuleSet", rows: Floats | None = None, single: bool = False
) -> dict[str, Any]:
    """All that the page needs. Only columns that rules ask for are told. ``rows`` are of a prediction matrix.

    ``single`` says that linear models are computed of 32-bit numbers, as Cubist does.

    >>> import treewright as tw
    >>> table = tw.datasets.load("xor")
    >>> view = rule_view(tw.CARTClassifier().fit(table.X, table.y).rule_set())
    >>> view["facts"], view["rules"][0]["conditions"]
    (['4 rules', 'the first that is met decides'], [[0, [[None, 0.5]], [], True], [1, [[None, 0.5]], [], True]])
    """
    everything = (*rules, rules.otherwise)
    asked = {condition.column for rule in rules for condition in rule.conditions}
    asked |= {term.column for rule in everything if rule.model is not None for term in rule.model.terms}
    used = [j for j, column in enumerate(rules.schema.columns) if column.name in asked]
    columns = [rules.schema.columns[j] for j in used]
    place = {column.name: at for at, column in enumerate(columns)}
    target = rules.schema.target
    votes = rules.ballots.vote.tolist() if rules.answer == VOTE else []
    return {
        "kind": "rules",
        "title": title,
        "facts": [plural(len(rules), "rule"), rules.how],
        "answer": rules.answer,
        "single": single,
        "target": {"name": target.name, "classes": None if target.classes is None else list(target.classes)},
        "columns": [{**column_view(column), "cuts": _cuts(rules, column)} for column in columns],
        "stats": list(rules.stats),
        "rules": [{**_rule(rule, rules, place), **_voting(rule, votes[k : k + 1])} for k, rule in enumerate(rules)],
        "otherwise": _rule(rules.otherwise, rules, place),
        "rows": [] if rows is None else rows_view(rows, used),
    }


def _voting(rule: Rule, vote: list[float]) -> dict[str, Any]:
    """What the page needs of a rule that votes: its vote in thousandths, and the weight that it covers."""
    return {"vote": vote[0], "weight": sum(rule.stats)} if vote else {}


def _cuts(rules: RuleSet, column: Column) -> list[list[Any]]:
    """The ends of intervals of a column, and what is printed for each: a number, or words for dates and times."""
    asked = (condition for rule in rules for condition in rule.conditions if condition.column == column.name)
    pairs = ((end, text) for one in asked for i in one.intervals for end, text in zip((i.low, i.high), i.in_print))
    finite = {end: text for end, text in pairs if end is not None and text is not None and math.isfinite(end)}
    is_number = column.unit is Unit.NUMBER
    return [[end, text if is_number else format_exactly(text, column.unit)] for end, text in finite.items()]


def _rule(rule: Rule, rules: RuleSet, place: dict[str, int]) -> dict[str, Any]:
    weight, everything = (float(rules.leaf.weight(np.array(stats))) for stats in (rule.stats, rules.stats))
    is_class = rules.leaf.of_classes
    code = rules.classes.index(rule.prediction) if is_class else -1
    columns = {column.name: column for column in rules.schema.columns}
    return {
        "number": rule.number,
        "conditions": [_condition(one, columns[one.column].code_of, place) for one in rule.conditions],
        "answer": code,
        "value": list(rule.value),
        "equation": None if rule.model is None else rule.model.text(rules.schema),
        "model": None if rule.model is None else _model(rule.model, place),
        "cover": weight / everything if weight and everything else None,
        "right": accuracy(rule.stats, code) if weight and is_class else None,
        "evidence": evidence(rule, rules.schema, rules.leaf, rules.stats).strip().strip("()"),
    }


def _model(model: RuleModel, place: dict[str, int]) -> dict[str, Any]:
    """Terms are the column's place, the slope, what a missing value counts as, and the scores of levels."""
    low, high = (end if math.isfinite(end) else None for end in (model.low, model.high))
    terms = [[place[one.column], one.slope, one.missing, list(one.scores)] for one in model.terms]
    return {"intercept": model.intercept, "terms": terms, "low": low, "high": high}


def _condition(condition: Condition, code_of: dict[Any, int], place: dict[str, int]) -> list[Any]:
    """The column's place, intervals whose open ends are None, codes from 0, and whether missing values meet it."""
    intervals = [[one.low, None if math.isinf(one.high) else one.high] for one in condition.intervals]
    return [place[condition.column], intervals, [code_of[level] - 1 for level in condition.levels], condition.missing]
