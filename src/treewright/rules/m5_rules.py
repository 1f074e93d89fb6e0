"""M5Rules as a rule set: the first rule that is met answers, by its linear model."""

from __future__ import annotations

import numpy as np

from treewright.data.encoded import Encoded
from treewright.data.schema import Column, Kind
from treewright.engines.compiled.m5_search import M5Rows, M5Rule, m5_rules, prepared
from treewright.recipe_parts.recipe import ByFifthRoot
from treewright.rules.rule import Condition, Rule
from treewright.rules.rule_model import RuleModel, RuleTerm
from treewright.rules.rule_set import RuleSet
from treewright.tree.linear_models import Term
from treewright.tree.tree import LeafKind
from treewright.typing import Ints


def m5_rule_set(encoded: Encoded, choice: ByFifthRoot) -> RuleSet:
    """The rules that M5Rules makes of a table. The last one has no conditions, and answers where no other does."""
    rows = prepared(encoded)
    *first, last = m5_rules(rows, choice)
    made = tuple(_rule(number, one, encoded, rows) for number, one in enumerate(first, start=1))
    otherwise = _rule(-1, last, encoded, rows)
    stats = _stats(rows, np.arange(encoded.n_rows))
    return RuleSet(encoded.schema, made, otherwise, stats, LeafKind.LINEAR)


def _rule(number: int, one: M5Rule, encoded: Encoded, rows: M5Rows) -> Rule:
    columns, terms = encoded.schema.columns, rows.columns.terms
    conditions = tuple(_condition(columns[terms[t].column], terms[t], cut, above) for t, cut, above in one.path)
    stats = _stats(rows, one.rows)
    mean = stats[1] / stats[0]
    used = zip(one.models.term.tolist(), one.models.slope.tolist())
    parts = tuple(_term(terms[t], slope, columns) for t, slope in used)
    model = RuleModel(float(one.models.intercept[0, 0]), parts)
    return Rule(conditions, mean, (mean,), stats, number, model)


def _condition(column: Column, term: Term, cut: float, above: bool) -> Condition:
    missing = (term.missing > cut) == above
    if column.kind is Kind.NUMERIC:
        ends = {"above": cut} if above else {"up_to": cut}
        return Condition.number(column.name, **ends, missing=missing)
    inside = np.flatnonzero((term.scores > cut) == above)
    return Condition.among(column.name, *(column.levels[k] for k in inside), missing=missing)


def _term(term: Term, slope: float, columns: tuple[Column, ...]) -> RuleTerm:
    return RuleTerm(columns[term.column].name, slope, term.missing, tuple(term.scores.tolist()))


def _stats(rows: M5Rows, covered: Ints) -> tuple[float, ...]:
    return tuple(float((rows.w[covered] * rows.y[covered] ** k).sum()) for k in range(3))
