"""M5Rules as a rule set: the first rule that is met answers, by its linear model."""

from __future__ import annotations

import numpy as np

from treewright.data.encoded import Encoded
from treewright.data.schema import Column, Kind
from treewright.engines.compiled.m5_search import M5Rows, M5Rule, m5_rules, prepared
from treewright.engines.workers import Workers
from treewright.explain.printed_cuts import printed_edges
from treewright.explain.region import Interval
from treewright.recipe_parts.recipe import ByFifthRoot
from treewright.rules.rule import Condition, Rule
from treewright.rules.rule_model import RuleModel, RuleTerm
from treewright.rules.rule_set import RuleSet
from treewright.tree.linear_models import Term
from treewright.tree.tree import LeafKind
from treewright.typing import Ints


def m5_rule_set(encoded: Encoded, choice: ByFifthRoot, workers: Workers) -> RuleSet:
    """The rules that M5Rules makes of a table. The last one has no conditions, and answers where no other does."""
    rows = prepared(encoded)
    *first, last = m5_rules(rows, choice, workers)
    paths = _paths(first, encoded, rows.columns.terms)
    made = tuple(_rule(k + 1, one, paths[k], encoded, rows) for k, one in enumerate(first))
    otherwise = _rule(-1, last, (), encoded, rows)
    stats = _stats(rows, np.arange(encoded.n_rows))
    return RuleSet(encoded.schema, made, otherwise, stats, LeafKind.LINEAR)


def _paths(rules: list[M5Rule], encoded: Encoded, terms: list[Term]) -> list[tuple[Condition, ...]]:
    """The conditions of every rule. What is printed for a cut separates all rows as it does, as any may meet a rule."""
    numeric = [
        (terms[t].column, cut) for one in rules for t, cut, _ in one.path if _is_numeric(encoded, terms[t].column)
    ]
    column, cuts = np.array([j for j, _ in numeric], np.int64), np.array([cut for _, cut in numeric])
    shorter = dict(zip(numeric, printed_edges(column, cuts, np.full(len(cuts), np.nan), encoded, Workers(1)).tolist()))
    return [
        tuple(
            _condition(encoded, terms[t], cut, above, shorter.get((terms[t].column, cut), cut))
            for t, cut, above in one.path
        )
        for one in rules
    ]


def _rule(number: int, one: M5Rule, conditions: tuple[Condition, ...], encoded: Encoded, rows: M5Rows) -> Rule:
    columns, terms = encoded.schema.columns, rows.columns.terms
    stats = _stats(rows, one.rows)
    mean = stats[1] / stats[0]
    used = zip(one.models.term.tolist(), one.models.slope.tolist())
    parts = tuple(_term(terms[t], slope, columns) for t, slope in used)
    model = RuleModel(float(one.models.intercept[0, 0]), parts)
    return Rule(conditions, mean, (mean,), stats, number, model)


def _is_numeric(encoded: Encoded, column: int) -> bool:
    return encoded.schema.columns[column].kind is Kind.NUMERIC


def _condition(encoded: Encoded, term: Term, cut: float, above: bool, printed: float) -> Condition:
    column, missing = encoded.schema.columns[term.column], (term.missing > cut) == above
    if _is_numeric(encoded, term.column):
        interval = Interval(cut, np.inf, (printed, np.inf)) if above else Interval(None, cut, (None, printed))
        return Condition(column.name, (interval,), (), missing)
    inside = np.flatnonzero((term.scores > cut) == above)
    return Condition.among(column.name, *(column.levels[k] for k in inside), missing=missing)


def _term(term: Term, slope: float, columns: tuple[Column, ...]) -> RuleTerm:
    return RuleTerm(columns[term.column].name, slope, term.missing, tuple(term.scores.tolist()))


def _stats(rows: M5Rows, covered: Ints) -> tuple[float, ...]:
    weights = 1.0 if rows.w is None else rows.w[covered]
    return tuple(float((weights * rows.y[covered] ** k).sum()) for k in range(3))
