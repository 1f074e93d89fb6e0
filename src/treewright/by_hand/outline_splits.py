"""From what branches accept to splits: edges, and the branch of every code."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from treewright.by_hand.outline import Accepted, HandSplit
from treewright.data.schema import Column, Kind
from treewright.errors import DataError
from treewright.explain.condition_text import level_text
from treewright.explain.number_text import format_exactly
from treewright.explain.region import Interval, MissingRoute
from treewright.split import EVERY_BRANCH, Split, midway
from treewright.typing import Ints

UNSAID = -9  # where missing values go: nothing was said
UNNAMED = -8  # a level that no branch names


def split_of(made: HandSplit, column: Column) -> Split:
    """The split; ``UNSAID`` and ``UNNAMED`` stand where rows have to decide."""
    accepted = [branch.accepted for branch in made.branches]
    rest = [place for place, one in enumerate(accepted) if one.rest]
    if len(rest) > 1:
        raise DataError(
            f"two branches of the split on {column.name!r} take the rest",
            "name the levels of one; printed lists of levels are whole with model.to_text(max_levels=None)",
        )
    if len(accepted) < 2:
        raise DataError(f"the split on {column.name!r} has one branch", 'add the others, or "else"')
    edges, codes = _numbers(accepted, column) if column.kind is Kind.NUMERIC else _levels(accepted, column)
    if rest:
        codes[codes < 0] = rest[0]
    elif column.kind is Kind.NUMERIC and (codes < 0).any():
        raise DataError(f"no branch takes {column.name} {_bin_text(edges, codes, column)}", 'add a branch, or "else"')
    branch_of = np.concatenate([[_of_missing(accepted, column)], codes]).astype(np.int32)
    idle = [place for place in range(len(accepted)) if place not in branch_of]
    if idle:
        raise DataError(f"no value takes branch {idle[0] + 1} of the split on {column.name!r}", "leave it out")
    bounds = next((one.bounds for one in accepted if one.bounds is not None), None)
    return Split(made.column, edges, branch_of, bounds)


def _of_missing(accepted: Sequence[Accepted], column: Column) -> int:
    here = [place for place, one in enumerate(accepted) if one.missing is MissingRoute.HERE]
    if any(one.missing is MissingRoute.SHARED for one in accepted):
        return EVERY_BRANCH
    if len(here) > 1:
        raise DataError(f"two branches of the split on {column.name!r} take missing values", "choose one of them")
    return here[0] if here else UNSAID


def _levels(accepted: Sequence[Accepted], column: Column) -> tuple[np.ndarray, Ints]:
    codes = np.full(len(column.levels), UNNAMED)
    for place, one in enumerate(accepted):
        for level in one.levels:
            code = column.code_of[level] - 1
            if codes[code] not in (UNNAMED, place):
                raise _twice(column, f"{column.name} = {level_text(level)}")
            codes[code] = place
    return np.empty(0), codes


def _numbers(accepted: Sequence[Accepted], column: Column) -> tuple[np.ndarray, Ints]:
    named = {number: place for place, one in enumerate(accepted) for number in one.numbers}
    if named and any(one.intervals for one in accepted):
        raise DataError(f"the split on {column.name!r} mixes numbers and ranges", "write x ≤ 2.5 and x > 2.5")
    if len(named) < sum(len(one.numbers) for one in accepted):
        raise _twice(column, "one number")
    return _nearest(named) if named else _ranges(accepted, column)


def _nearest(named: dict[float, int]) -> tuple[np.ndarray, Ints]:
    """A number goes with the nearest of those that branches name."""
    numbers = np.array(sorted(named))
    edges = midway(numbers[:-1], numbers[1:]) if len(numbers) > 1 else np.array([math.inf])
    codes = [named[number] for number in numbers.tolist()]
    return edges, np.array(codes if len(numbers) > 1 else codes * 2)


def _ranges(accepted: Sequence[Accepted], column: Column) -> tuple[np.ndarray, Ints]:
    """The ends of all intervals are edges; a bin between two belongs to the branch whose interval holds it."""
    intervals = [(interval, place) for place, one in enumerate(accepted) for interval in one.intervals]
    ends = {end for interval, _ in intervals for end in (interval.low, interval.high) if end is not None}
    edges = np.array(sorted(end for end in ends if end < math.inf) or [math.inf])
    codes = np.full(len(edges) + 1, UNNAMED)
    for interval, place in intervals:
        if interval.is_empty:
            raise DataError(f"no number takes branch {place + 1} of the split on {column.name!r}", "swap its ends")
        inside = _bins(interval, edges)
        if (codes[inside] >= 0).any():
            raise _twice(column, f"{column.name} {_bin_text(edges, np.where(inside & (codes >= 0), -1, 0), column)}")
        codes[inside] = place
    if edges[0] == math.inf:  # nothing lies beyond
        codes[1] = codes[0]
    return edges, codes


def _bins(interval: Interval, edges: np.ndarray) -> np.ndarray:
    lows, highs = np.concatenate([[-math.inf], edges]), np.concatenate([edges, [math.inf]])
    low = -math.inf if interval.low is None else interval.low
    return np.asarray((lows >= low) & (highs <= interval.high) & ((lows < highs) | (lows < math.inf)))


def _bin_text(edges: np.ndarray, codes: Ints, column: Column) -> str:
    """The first bin that is marked by a negative code."""
    first = int(np.argmax(codes < 0))
    texts = [format_exactly(edge, column.unit) for edge in edges.tolist()]
    above = [f"> {texts[first - 1]}"] if first else []
    up_to = [f"≤ {texts[first]}"] if first < len(edges) else []
    return " and ".join(above + up_to)


def _twice(column: Column, what: str) -> DataError:
    return DataError(f"two branches of the split on {column.name!r} take {what}", "let branches not overlap")
