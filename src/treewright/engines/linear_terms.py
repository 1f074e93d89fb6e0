"""The table as columns of numbers for linear models: nominal columns as 0/1 columns, missing values replaced."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from treewright.data.encoded import CodedColumn, Encoded
from treewright.data.schema import Column, Kind
from treewright.errors import DataError
from treewright.kernels.sorting.unstable_sort import unstable_sort
from treewright.tree.linear_models import Term
from treewright.typing import Floats, Ints


class DesignColumns(NamedTuple):
    """What a linear model may add up: terms, and what every row has of each."""

    terms: list[Term]
    x: Floats  # (terms, rows)


def numbers_of(column: CodedColumn) -> Floats:
    """A numeric column as it came, NaN where missing."""
    if column.numbers is not None:
        return np.asarray(column.numbers, np.float64)
    return np.append(np.array([np.nan]), column.lows)[column.codes]


def refuse_infinite(encoded: Encoded) -> None:
    """Linear models cannot add up what is infinite."""
    for column, coded in zip(encoded.schema.columns, encoded.columns):
        if column.kind is Kind.NUMERIC and np.isinf(numbers_of(coded)).any():
            raise DataError(
                f"column {column.name!r} holds infinite values, which a linear model cannot add up",
                "replace them, or leave the column out",
            )


class _Columns:
    """Columns of numbers as they are made, in the one array that they end in."""

    def __init__(self, encoded: Encoded) -> None:
        most = sum(1 if c.kind is Kind.NUMERIC else len(c.levels) for c in encoded.schema.columns)
        self.terms: list[Term] = []
        self.x = np.empty((most, encoded.n_rows))  # of what is not written there is no memory yet

    def add(self, term: Term, values: Floats) -> None:
        """Keep a column that varies."""
        if values.size and values.min() < values.max():
            self.x[len(self.terms)] = values
            self.terms.append(term)

    def made(self) -> DesignColumns:
        return DesignColumns(self.terms, self.x[: len(self.terms)])


def step_columns(encoded: Encoded) -> DesignColumns:
    """As M5' prepares a table (Wang & Witten 1997): a missing number is the mean, a missing level the commonest.

    The levels of a nominal column are sorted by the mean of the target; there is a 0/1 column for every level but the
    first, which is 1 for it and those after it. Levels of an ordinal column keep their order. Columns of one value
    are left out.
    """
    refuse_infinite(encoded)
    weights = np.ones(encoded.n_rows) if encoded.weights is None else encoded.weights
    columns = _Columns(encoded)
    for place, (column, coded) in enumerate(zip(encoded.schema.columns, encoded.columns)):
        found = _numeric if column.kind is Kind.NUMERIC else _steps
        for term, values in found(place, column, coded, encoded.y, weights):
            columns.add(term, values)
    return columns.made()


def indicator_columns(encoded: Encoded) -> DesignColumns:
    """For a target of classes: numbers as they are, and a 0/1 column for every level but the commonest."""
    refuse_infinite(encoded)
    weights = np.ones(encoded.n_rows) if encoded.weights is None else encoded.weights
    columns = _Columns(encoded)
    for place, (column, coded) in enumerate(zip(encoded.schema.columns, encoded.columns)):
        numeric = column.kind is Kind.NUMERIC
        made = _numeric(place, column, coded, encoded.y, weights) if numeric else _indicators(place, column, coded)
        for term, values in made:
            columns.add(term, values)
    return columns.made()


def _indicators(place: int, column: Column, coded: CodedColumn) -> list[tuple[Term, Floats]]:
    codes, n_levels = np.asarray(coded.codes, np.int64), len(column.levels)
    count = np.bincount(codes, minlength=n_levels + 1)[1:]
    if not count.any():
        return []
    commonest = int(count.argmax())
    levels = np.where(codes == 0, commonest, codes - 1)
    others = (k for k in range(n_levels) if k != commonest)
    return [(Term(place, 0.0, np.eye(n_levels)[k]), (levels == k).astype(np.float64)) for k in others]


def _numeric(place: int, column: Column, coded: CodedColumn, y: Floats, weights: Floats) -> list[tuple[Term, Floats]]:
    numbers = numbers_of(coded)
    known = ~np.isnan(numbers)
    if known.all():  # no copies of a large column
        return [(Term(place, float(np.multiply(weights, numbers).sum() / weights.sum()), np.empty(0)), numbers)]
    mean = float((weights[known] * numbers[known]).sum() / weights[known].sum()) if known.any() else 0.0
    return [(Term(place, mean, np.empty(0)), np.where(known, numbers, mean))]


def _steps(place: int, column: Column, coded: CodedColumn, y: Floats, weights: Floats) -> list[tuple[Term, Floats]]:
    codes, n_levels = np.asarray(coded.codes, np.int64), len(column.levels)
    count = np.bincount(codes, weights, n_levels + 1)[1:]
    if not n_levels or not count.any():
        return []
    codes = np.where(codes == 0, 1 + int(count.argmax()), codes)
    order = np.arange(n_levels) if column.kind is Kind.ORDINAL else _by_mean(codes - 1, n_levels, y, weights)
    rank = np.empty(n_levels, np.int64)
    rank[order] = np.arange(n_levels)
    made = []
    for q in range(1, n_levels):
        scores = (rank >= q).astype(np.float64)
        term = Term(place, float(scores[count.argmax()]), scores)
        made.append((term, scores[codes - 1]))
    return made


def _by_mean(levels: Ints, n_levels: int, y: Floats, weights: Floats) -> Ints:
    """Levels by the mean of the target, ascending; one that no row has by the mean of all."""
    total, weight = np.bincount(levels, weights * y, n_levels), np.bincount(levels, weights, n_levels)
    overall = float((weights * y).sum() / weights.sum())
    mean = np.divide(total, weight, out=np.full(n_levels, overall), where=weight > 0)
    order = np.arange(n_levels)
    unstable_sort(mean, order)
    return order
