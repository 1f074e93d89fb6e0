"""What Cubist computes of a table once: missing values replaced, 32-bit numbers, units and preferences."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from treewright.data.encoded import CodedColumn, Encoded
from treewright.data.schema import Column, Kind
from treewright.data.user_warnings import warn_user
from treewright.engines.linear_terms import numbers_of
from treewright.errors import DataError
from treewright.kernels.cubist_kernels.cubist_kinds import BINARY, IGNORED, NOMINAL, NUMERIC, ORDERED
from treewright.kernels.cubist_kernels.cubist_numbers import most_decimals
from treewright.kernels.jit import runner
from treewright.typing import Array, Floats, Ints

_WEIGHT = np.float32
_LARGEST = 1e18
_NOTHING = 1e38  # the extremes of no values


class CubistColumns(NamedTuple):
    """What is known of the attributes: enough to prepare rows that are to be predicted."""

    kind: Ints  # NUMERIC, BINARY, …
    n_levels: Ints
    replacement: Array  # float32: what a missing value counts as; a level by its place from 0
    spread: Array  # float32, 0 where not numeric
    low: Array  # float32
    high: Array


class TargetFacts(NamedTuple):
    """The target: its mean as printed, spread, extremes, unit, and what predictions are limited to."""

    mean: np.float32  # cut to one decimal more than the values have
    deviation: np.float32  # with the divisor n - 1
    low: np.float32
    high: np.float32
    unit: float
    decimals: int  # with which values are printed
    overall: np.float32  # the mean of all cases
    spread: np.float32
    floor: np.float32
    ceiling: np.float32


class CubistTable(NamedTuple):
    """Rows to learn from."""

    x: Array  # float32, attributes × cases; levels by their place from 0
    y: Array  # float32
    w: Floats
    columns: CubistColumns
    target: TargetFacts
    preference: Array  # float32
    least: Floats  # the least coefficient of every attribute
    unit: Floats  # what its coefficients are rounded to
    least_rule: int


def refuse_wide(encoded: Encoded) -> None:
    """Squares of 32-bit numbers have to be such numbers too."""
    named = [("the target", np.asarray(encoded.y, np.float64))]
    named += [
        (f"column {column.name!r}", numbers_of(coded))
        for column, coded in zip(encoded.schema.columns, encoded.columns)
        if column.kind is Kind.NUMERIC
    ]
    for name, numbers in named:
        largest = np.nanmax(np.abs(numbers), initial=0.0)
        if largest > _LARGEST:
            raise DataError(
                f"{name} holds {largest:g}, and Cubist computes with 32-bit numbers",
                f"divide it by {largest / 1e6:.0e}",
            )


def cubist_table(encoded: Encoded, most_rules: int, extrapolation: float) -> CubistTable:
    schema, y = encoded.schema, np.asarray(encoded.y, np.float32)
    weights = _weights(encoded.weights, len(y))
    read = [_read(column, coded) for column, coded in zip(schema.columns, encoded.columns)]
    columns = CubistColumns(
        kind=np.array([one.kind for one in read], np.int64),
        n_levels=np.array([one.n_levels for one in read], np.int64),
        replacement=np.array([one.replacement for one in read], np.float32),
        spread=_kept([one.spread for one in read]),
        low=np.array([one.low for one in read], np.float32),
        high=np.array([one.high for one in read], np.float32),
    )
    x = np.array([one.values for one in read], np.float32).reshape(len(read), len(y))
    target = _target(y, weights, extrapolation)
    preference = np.array([_preference(values, one, y, target) for values, one in zip(x, read)], np.float32)
    least = np.array([_least(one, target) for one in read])
    return CubistTable(
        x, y, weights, columns, target, preference, least, _units(least), _least_rule(len(y), most_rules)
    )


def _kept(spreads: list[float]) -> Array:
    """Spreads as a model keeps them: one that rounding has lost is the least there is."""
    return np.nan_to_num(np.array(spreads, np.float32), nan=1e-6)


class _Read(NamedTuple):
    kind: int
    n_levels: int
    values: Array
    replacement: float
    spread: float = 0.0
    low: float = 0.0
    high: float = 0.0


def _weights(given: Floats | None, n: int) -> Floats:
    """Divided by their mean, in 32 bits."""
    if given is None:
        return np.ones(n)
    narrow = given.astype(_WEIGHT)
    return np.asarray(narrow / _WEIGHT(narrow.astype(np.float64).mean()), np.float64)


def _read(column: Column, coded: CodedColumn) -> _Read:
    if column.kind is Kind.NUMERIC:
        return _numeric(numbers_of(coded))
    n_levels = len(column.levels)
    codes = np.asarray(coded.codes, np.int64)
    count = np.bincount(codes, minlength=n_levels + 1)[1:]
    if not count.any():
        return _Read(IGNORED, max(n_levels, 1), np.zeros(len(codes), np.float32), 0.0)
    mode = int(count.argmax())
    kind = BINARY if n_levels == 2 else ORDERED if column.kind is Kind.ORDINAL and n_levels > 2 else NOMINAL
    return _Read(kind, n_levels, np.where(codes == 0, mode, codes - 1).astype(np.float32), float(mode))


def _numeric(numbers: Floats) -> _Read:
    narrow = numbers.astype(np.float32)
    known = narrow[~np.isnan(narrow)]
    if known.size < 2:  # rules never ask for it, but distances of neighbours do
        low, high = (float(known[0]), float(known[0])) if known.size else (_NOTHING, -_NOTHING)
        return _Read(IGNORED, 1, np.nan_to_num(narrow), 0.0, 1.0, low, high)
    mean, spread, _ = _cut_mean(known)
    values = np.where(np.isnan(narrow), mean, narrow)
    return _Read(NUMERIC, 1, values, float(mean), float(spread), float(known.min()), float(known.max()))


def _cut_mean(known: Array) -> tuple[np.float32, np.float32, float]:
    """The mean, cut to one decimal more than the values have; the spread; and how many units make 1."""
    wide, n = known.astype(np.float64), len(known)
    run = runner(1e-6 * n, most_decimals)
    per_unit = 10.0 * run(most_decimals, known)
    total = float(np.cumsum(wide)[-1])
    mean = math.floor(total / n * per_unit + 0.1) / per_unit
    squares = float(np.cumsum((known * known).astype(np.float64))[-1])
    return np.float32(mean), np.float32(_root((squares - total * total / n) / (n - 1)) + 1e-6), per_unit


def _root(value: float) -> float:
    """No number below 0, where rounding leaves less than the square of a mean. Cubist goes on with that."""
    return math.sqrt(value) if value >= 0.0 else math.nan


def _target(y: Array, w: Floats, extrapolation: float) -> TargetFacts:
    n = len(y)
    mean, deviation, per_unit = _cut_mean(y) if n > 1 else (y[0], np.float32(1e-6), 10.0)
    wide = y.astype(np.float64)
    total, squares = float(np.cumsum(w * wide)[-1]) + 0.0, float(np.cumsum(w * wide * wide)[-1])  # 0.0, not -0.0
    spread = _root((squares - total * total / n + 0.001) / max(n - 1, 1))
    if math.isnan(spread):
        warn_user(
            "the target is far from 0 for its spread, and rounding of the weights leaves Cubist none of it: "
            "it makes no tree. Hint: subtract its mean."
        )
    low, high = y.min(), y.max()
    floor, ceiling = widened(low, high, extrapolation)
    return TargetFacts(
        mean, _kept([float(deviation)])[0], low, high, 1.0 / per_unit, round(math.log10(per_unit / 10.0)),
        np.float32(total / n), np.float32(spread), floor, ceiling,
    )  # fmt: skip


def widened(low: np.float32, high: np.float32, extrapolation: float) -> tuple[np.float32, np.float32]:
    """Limits beyond the extremes by a share of their distance, but not across 0; every step in 32 bits."""
    beyond = np.float32(np.float32(extrapolation) * np.float32(high - low))
    least, most = np.float32(low - beyond), np.float32(high + beyond)
    if low >= 0 and least < 0:
        least = np.float32(0)
    if high <= 0 and most > 0:
        most = np.float32(0)
    return least, most


def _preference(values: Array, one: _Read, y: Array, target: TargetFacts) -> float:
    """How often an attribute and the target are on the same side of their means, or on opposite ones."""
    if one.kind != NUMERIC:
        return 0.0
    mean = np.float32(one.replacement)
    aside = values != mean
    alike = int(((values > mean) == (y > target.mean))[aside].sum())
    n = int(aside.sum())
    return (2 * max(alike, n - alike) - n) / len(y)


def _least(one: _Read, target: TargetFacts) -> float:
    return 0.01 * float(target.spread) / float(np.float32(one.spread)) if one.kind == NUMERIC else math.inf


def _units(least: Floats) -> Floats:
    """1, divided by 10 until it is no more than the least coefficient."""
    units = np.ones(len(least))
    for j, most in enumerate(least):
        while units[j] > most:
            units[j] /= 10.0
    return units


def _least_rule(n: int, most_rules: int) -> int:
    size = min(20, round(n / 100))
    if size > n / most_rules:
        size = n // most_rules
    return max(size, 3)


def prepared_rows(matrix: Array, columns: CubistColumns) -> Array:
    """Rows of a prediction matrix as 32-bit attributes × cases, missing values replaced."""
    cells = np.clip(np.asarray(matrix, np.float64).T, -_LARGEST, _LARGEST)
    levels = columns.kind != NUMERIC
    known = ~np.isnan(cells) & (~levels[:, None] | (cells >= 1))
    values = np.where(known, cells - levels[:, None], columns.replacement[:, None])
    values[columns.kind == IGNORED] = 0.0
    return np.ascontiguousarray(values, np.float32)
