"""Rules that predict a number by a linear model."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from treewright.data.schema import Schema
from treewright.explain.equation_text import sum_text
from treewright.tree.linear_models import LinearModels, Term
from treewright.typing import Array, Floats, Ints


@dataclass(frozen=True)
class RuleTerm:
    """A column times a slope. Levels count as their ``scores``, in schema order; numbers have none."""

    column: str
    slope: float
    missing: float  # what a missing value counts as
    scores: tuple[float, ...] = ()


@dataclass(frozen=True)
class RuleModel:
    """intercept + Σ slope · column, limited to [low, high]."""

    intercept: float
    terms: tuple[RuleTerm, ...] = ()
    low: float = -np.inf
    high: float = np.inf

    def text(self, schema: Schema) -> str:
        place = {name: j for j, name in enumerate(schema.names)}
        terms = [(_term(one, place[one.column]), one.slope) for one in self.terms]
        return sum_text(self.intercept, terms, schema)

    def values(self, matrix: Array, schema: Schema) -> Floats:
        """What it says of the rows of a prediction matrix."""
        place = {name: j for j, name in enumerate(schema.names)}
        total = np.zeros(len(matrix))
        for one in self.terms:
            cells = np.asarray(matrix[:, place[one.column]], np.float64)
            total += one.slope * _term(one, place[one.column]).values(cells)
        return np.clip(total + self.intercept, self.low, self.high)


class Modelled(Protocol):
    """A rule, as far as its model goes."""

    @property
    def prediction(self) -> object: ...

    @property
    def model(self) -> RuleModel | None: ...


def rule_model(models: LinearModels, v: int, schema: Schema) -> RuleModel:
    """The model of a node of a tree."""
    terms = tuple(
        RuleTerm(schema.columns[term.column].name, slope, term.missing, tuple(term.scores.tolist()))
        for term, slope in models.terms_of(v)
    )
    return RuleModel(float(models.intercept[v, 0]), terms, float(models.low[v]), float(models.high[v]))


def numbers_of(rules: Sequence[Modelled], places: Ints, matrix: Array, schema: Schema) -> Floats:
    """What the rule at ``places[i]`` says of row i."""
    found = np.empty(len(places))
    for k in np.unique(places):
        rule, here = rules[k], places == k
        found[here] = rule.prediction if rule.model is None else rule.model.values(matrix[here], schema)
    return found


def mean_of_met(rules: Sequence[Modelled], found: Array, matrix: Array, schema: Schema) -> Floats:
    """The mean of what all rules say that a row meets, the last one not counted; that of the last where it meets none.

    ``found`` is rows × rules.
    """
    total, count = np.zeros(len(matrix)), found.sum(1)
    for k in range(found.shape[1]):
        here = np.flatnonzero(found[:, k])
        if here.size:
            total[here] += numbers_of(rules, np.full(len(here), k), matrix[here], schema)
    none = np.flatnonzero(count == 0)
    total[none] = numbers_of(rules, np.full(len(none), len(rules) - 1), matrix[none], schema)
    return np.asarray(total / np.maximum(count, 1))


def _term(one: RuleTerm, place: int) -> Term:
    return Term(place, one.missing, np.array(one.scores))
