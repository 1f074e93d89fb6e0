"""The obvious search: every admissible split of a small table, scored from the definitions. Slow, and meant to be.

Compare scores with it, not winners: ties are legal. It imports nothing of treewright on purpose.

Columns are numeric (NaN or None is missing), ordinal or nominal (level codes from 1; 0, NaN or None is missing).
Entropy is in nats.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

TOLERANCE = 1e-9


class Column:
    """One column as floats, NaN where missing, whatever the kind."""

    def __init__(self, kind: str, values: Sequence[Any]) -> None:
        if kind not in ("numeric", "ordinal", "nominal"):
            raise ValueError(f"unknown kind {kind!r}")
        self.kind = kind
        numbers = np.array([np.nan if value is None else value for value in values], dtype=np.float64)
        self.values = numbers if kind == "numeric" else np.where(numbers == 0, np.nan, numbers)

    def __repr__(self) -> str:
        return f"Column({self.kind!r}, {self.values.tolist()})"


@dataclass(frozen=True, eq=False)
class Split:
    """``branches[i]`` is the branch of the i-th row of the node. ``test`` says in words what is asked."""

    column: int
    test: str
    branches: np.ndarray
    score: float = 0.0


@dataclass(frozen=True)
class Best:
    """The best score and all splits attaining it, in order of enumeration. No admissible split: -inf and none."""

    score: float
    splits: tuple[Split, ...]


@dataclass(frozen=True, eq=False)
class Node:
    """``rows`` are row numbers of the whole table; ``stats`` class weights, or Σw and Σw·y."""

    rows: np.ndarray
    stats: np.ndarray
    split: Split | None = None
    children: tuple[Node, ...] = field(default=())

    @property
    def depth(self) -> int:
        return 1 + max(child.depth for child in self.children) if self.children else 0

    def leaves(self) -> Iterator[Node]:
        if not self.children:
            yield self
        for child in self.children:
            yield from child.leaves()


# ---------------------------------------------------------------- impurities, from the definitions


def class_fractions(y: np.ndarray, w: np.ndarray) -> list[float]:
    return [w[y == k].sum() / w.sum() for k in np.unique(y)]


def gini(y: np.ndarray, w: np.ndarray) -> float:
    return 1.0 - sum(p**2 for p in class_fractions(y, w))


def entropy(y: np.ndarray, w: np.ndarray) -> float:
    return -sum(p * np.log(p) for p in class_fractions(y, w))


def misclassification(y: np.ndarray, w: np.ndarray) -> float:
    return 1.0 - max(class_fractions(y, w))


def squared_error(y: np.ndarray, w: np.ndarray) -> float:
    return float((w * (y - np.average(y, weights=w)) ** 2).sum() / w.sum())


def poisson(y: np.ndarray, w: np.ndarray) -> float:
    """Mean half Poisson deviance; y·ln y is 0 at 0."""
    mean = np.average(y, weights=w)
    deviances = [(v * np.log(v / mean) if v > 0 else 0.0) - v + mean for v in y]
    return float((w * deviances).sum() / w.sum())


def absolute_error(y: np.ndarray, w: np.ndarray) -> float:
    """The least mean distance from any of the values: one of them is a median."""
    return min(float((w * np.abs(y - middle)).sum() / w.sum()) for middle in y)


IMPURITIES: dict[str, Callable[[np.ndarray, np.ndarray], float]] = {
    "gini": gini,
    "entropy": entropy,
    "misclassification": misclassification,
    "squared_error": squared_error,
    "poisson": poisson,
    "absolute_error": absolute_error,
}
CLASS_CRITERIA = ("gini", "entropy", "misclassification")
NUMBER_CRITERIA = ("squared_error", "poisson", "absolute_error")


def decrease(y: np.ndarray, w: np.ndarray, branches: np.ndarray, criterion: str) -> float:
    """Impurity of the node less the impurities of its branches by their shares of the weight."""
    impurity = IMPURITIES[criterion]
    parts = [branches == branch for branch in np.unique(branches)]
    return float(impurity(y, w) - sum(w[part].sum() / w.sum() * impurity(y[part], w[part]) for part in parts))


# ---------------------------------------------------------------- every split of a column


def thresholds(values: Sequence[Any]) -> list[float]:
    """Midpoints of neighbouring distinct known values."""
    known = np.unique([value for value in values if value is not None and not np.isnan(value)])
    return [float(low + high) / 2 for low, high in itertools.pairwise(known)]


def cuts(values: np.ndarray) -> Iterator[tuple[str, np.ndarray]]:
    """``x <= a`` for every value a but the largest, missing left, then missing right; last, known | missing."""
    missing = np.isnan(values)
    for low in np.unique(values[~missing])[:-1]:
        yield from both_ways(f"x <= {low:g}", np.where(values <= low, 0, 1), missing)
    yield from missing_apart(missing)


def subsets(values: np.ndarray) -> Iterator[tuple[str, np.ndarray]]:
    """Every way to deal the levels present to two sides; missing is one more level. The first level stays left."""
    levels = [*np.unique(values[~np.isnan(values)]), *([np.nan] if np.isnan(values).any() else [])]
    for size in range(1, len(levels)):
        for right in itertools.combinations(levels[1:], size):
            goes_right = np.isin(values, right) | (np.isnan(values) & np.isnan(right).any())
            yield f"right: {right}", goes_right.astype(int)


def one_vs_rest(values: np.ndarray) -> Iterator[tuple[str, np.ndarray]]:
    """Every level present against the others, missing on either side; last, known | missing."""
    missing = np.isnan(values)
    levels = np.unique(values[~missing])
    for level in levels if len(levels) > 1 else []:
        yield from both_ways(f"x == {level:g}", np.where(values == level, 0, 1), missing)
    yield from missing_apart(missing)


def multiway(values: np.ndarray) -> Iterator[tuple[str, np.ndarray]]:
    """One branch per level present; rows of missing value in any one of them."""
    missing = np.isnan(values)
    levels = np.unique(values[~missing])
    if len(levels) < 2:
        return
    for home in range(len(levels)) if missing.any() else [0]:
        branches = np.searchsorted(levels, np.where(missing, levels[home], values))
        yield f"levels {levels.tolist()}, missing in branch {home}", branches


def both_ways(test: str, branches: np.ndarray, missing: np.ndarray) -> Iterator[tuple[str, np.ndarray]]:
    yield f"{test}, missing left", np.where(missing, 0, branches)
    if missing.any():
        yield f"{test}, missing right", np.where(missing, 1, branches)


def missing_apart(missing: np.ndarray) -> Iterator[tuple[str, np.ndarray]]:
    if missing.any() and not missing.all():
        yield "missing", missing.astype(int)


NOMINAL_SPLITS = {"subset": subsets, "one-vs-rest": one_vs_rest, "multiway": multiway}


def partition(branches: np.ndarray) -> tuple[int, ...]:
    """The same for splits that differ in the numbers of their branches only."""
    names: dict[int, int] = {}
    return tuple(names.setdefault(int(branch), len(names)) for branch in branches)


def splits_of(column: Column, rows: np.ndarray, nominal: str = "subset") -> Iterator[tuple[str, np.ndarray]]:
    """Every split of the rows by one column, each partition once."""
    family = NOMINAL_SPLITS[nominal] if column.kind == "nominal" else cuts
    seen = set()
    for test, branches in family(column.values[rows]):
        if partition(branches) not in seen:
            seen.add(partition(branches))
            yield test, branches


# ---------------------------------------------------------------- the search and the grower


def is_admissible(y: np.ndarray, w: np.ndarray, branches: np.ndarray, criterion: str, min_rows: int) -> bool:
    """At least two branches, each of at least ``min_rows`` rows and, for Poisson, with some event."""
    parts = [branches == branch for branch in np.unique(branches)]
    events = criterion != "poisson" or all((w * y)[part].sum() > 0 for part in parts)
    return len(parts) >= 2 and all(part.sum() >= min_rows for part in parts) and events


def all_splits(
    columns: Sequence[Column],
    y: Sequence[Any],
    weights: Sequence[float] | None = None,
    *,
    criterion: str,
    nominal: str = "subset",
    min_rows: int = 1,
    rows: np.ndarray | None = None,
) -> Iterator[Split]:
    """Every admissible split of a node (all rows unless ``rows`` are given), with its score."""
    rows = np.arange(len(y)) if rows is None else rows
    target, w = np.asarray(y)[rows], row_weights(weights, len(y))[rows]
    for number, column in enumerate(columns):
        for test, branches in splits_of(column, rows, nominal):
            if is_admissible(target, w, branches, criterion, min_rows):
                yield Split(number, test, branches, decrease(target, w, branches, criterion))


def best_split(
    columns: Sequence[Column], y: Sequence[Any], weights: Sequence[float] | None = None, **options: Any
) -> Best:
    """The best score and every split that attains it. Options as for :func:`all_splits`."""
    found = list(all_splits(columns, y, weights, **options))
    score = max((split.score for split in found), default=-np.inf)
    slack = TOLERANCE * max(1.0, abs(score))
    return Best(score, tuple(split for split in found if split.score >= score - slack))


def grow(
    columns: Sequence[Column],
    y: Sequence[Any],
    weights: Sequence[float] | None = None,
    *,
    max_depth: int | None = None,
    rows: np.ndarray | None = None,
    **options: Any,
) -> Node:
    """Split until pure, too deep or out of admissible splits, at zero gain too. Ties: first column, first split."""
    rows = np.arange(len(y)) if rows is None else rows
    stats = node_stats(np.asarray(y), row_weights(weights, len(y)), rows, options["criterion"])
    if max_depth == 0 or len(np.unique(np.asarray(y)[rows])) <= 1:
        return Node(rows, stats)
    best = best_split(columns, y, weights, rows=rows, **options)
    if not best.splits:
        return Node(rows, stats)
    split = best.splits[0]
    parts = [rows[split.branches == branch] for branch in np.unique(split.branches)]
    deeper = None if max_depth is None else max_depth - 1
    children = tuple(grow(columns, y, weights, max_depth=deeper, rows=part, **options) for part in parts)
    return Node(rows, stats, split, children)


def row_weights(weights: Sequence[float] | None, n_rows: int) -> np.ndarray:
    return np.ones(n_rows) if weights is None else np.asarray(weights, dtype=np.float64)


def node_stats(y: np.ndarray, w: np.ndarray, rows: np.ndarray, criterion: str) -> np.ndarray:
    if criterion in CLASS_CRITERIA:
        return np.bincount(y[rows], weights=w[rows], minlength=int(y.max()) + 1)
    return np.array([w[rows].sum(), (w * y)[rows].sum()])
