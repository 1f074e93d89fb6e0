"""How many bits it takes to tell someone the classes of the training rows by way of some rules.

First the rules (the theory), then the rows they get wrong (the exceptions): Quinlan 1993, chapter 5, the exceptions as
in his *MDL and categorical theories (continued)*, 1995. The rules of one class are judged at a time.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import lgamma, log, log2

import numpy as np

from treewright.data.schema import Kind, Schema
from treewright.rules.generalisation import CandidateRule, RuleTrainingRows
from treewright.rules.rule import Condition
from treewright.typing import Array, Floats

HOPELESS = 1e6  # bits for what was thought impossible


def log2_factorial(n: int) -> float:
    return lgamma(n + 1) / log(2)


def rule_bits(candidates: Sequence[CandidateRule], schema: Schema, rows: RuleTrainingRows) -> Floats:
    """Bits to write down each rule.

    A rule says how many conditions it has, log2(k). A condition says which column is tested and what it asks of it: for
    every level it names the entropy of the column, for numbers one bit for the side and half of log2(distinct values)
    for the threshold. Columns are named by a code made for columns tested in proportion to these bits: its length is
    the entropy of their shares. A set of levels is named by those inside or those outside, whichever are fewer. The
    order of k conditions is free, which saves log2(k!), and so is that of levels. C4.5 release 8 counts like this.
    """
    asked = {column.name: _asked(column.kind, rows.matrix[:, j], rows) for j, column in enumerate(schema.columns)}
    n_levels = {column.name: len(column.levels) for column in schema.columns}
    to_name_a_column = _entropy(np.array(list(asked.values())))

    def bits(condition: Condition) -> float:
        named = max(min(len(condition.levels), n_levels[condition.column] - len(condition.levels)), 1)
        return to_name_a_column + named * asked[condition.column] - log2_factorial(named)

    def bits_of_rule(made: CandidateRule) -> float:
        k = len(made.conditions)
        return log2(k) + sum(map(bits, made.conditions)) - log2_factorial(k)

    return np.array([bits_of_rule(made) for made in candidates], np.float64)


def exception_bits(total: float, positive: float, covered: Array, right: Array) -> Floats:
    """Bits to correct rules that cover so much of ``total`` weight, so much of it right, ``positive`` being wanted.

    Errors are expected to be false positives and false negatives in equal parts. That is what the larger of the covered
    and the uncovered part is coded with; the other is coded with the share of errors it really has.
    """
    false_positive, false_negative = covered - right, positive - right
    uncovered = total - covered
    half = (false_positive + false_negative) / 2
    more_covered = covered > uncovered
    return (
        log2(total + 1)
        + _coded(covered, false_positive, np.where(more_covered, half, false_positive))
        + _coded(uncovered, false_negative, np.where(more_covered, false_negative, half))
    )


def _coded(weight: Array, wrong: Array, expected: Array) -> Floats:
    """Bits to say which of ``weight`` are wrong, with a code made for ``expected`` errors."""
    size = np.maximum(weight, 1e-12)
    share = np.clip(expected / size, 0.0, 1.0)
    with np.errstate(divide="ignore", invalid="ignore"):
        bits = _times(wrong, -np.log2(share)) + _times(weight - wrong, -np.log2(1 - share))
    return np.where(np.isfinite(bits), bits, HOPELESS)


def _times(weight: Array, bits: Array) -> Floats:
    """Nothing of what costs infinitely many bits costs none; rounding may leave a little less than nothing."""
    return np.where(weight > 1e-9, weight * bits, 0.0)


def _asked(kind: Kind, cells: Array, rows: RuleTrainingRows) -> float:
    known = ~np.isnan(cells)
    values, place = np.unique(cells[known], return_inverse=True)
    if kind is Kind.NUMERIC:
        return 1 + log2(len(values)) / 2 if len(values) > 1 else 0.0
    share = np.bincount(place, rows.weights[known]) / rows.weights.sum() if len(values) else np.ones(1)
    return float(-(share * np.log2(share)).sum())


def _entropy(parts: Floats) -> float:
    """Of the shares of the parts that are more than nothing; 0 where there is one such, or none."""
    parts = parts[parts > 0]
    share = parts / parts.sum()
    return float(-(share * np.log2(share)).sum())
