"""How other programs merge the levels of a column, for trees that are to be compared with theirs.

As published, levels are merged by ``level_merging.py`` of the kernels. R-Forge's CHAID 0.1-2 and PyPI's CHAID 5.5.1
go other ways here and there, by slips that change which levels are merged. What is written here follows what they do;
PyPI's in arithmetic that rounds as it does, since it tells equal pairs apart by their last digit.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations, pairwise
from typing import NamedTuple

import numpy as np

from treewright.criteria.monte_carlo import monte_carlo_chi2_p
from treewright.criteria.tail_probabilities import chi2_tail
from treewright.data.schema import Column, Kind, Level
from treewright.kernels.search.group_splitting import resplit
from treewright.kernels.search.group_tests import Difference
from treewright.recipe_parts.merging import AS_PUBLISHED, ByMerging, LevelsAtNode, Program
from treewright.ties import TIE
from treewright.typing import Floats, Ints

Pair = tuple[int, int]
_LARGEST_WHOLE = 1 << 53  # beyond it not every whole number is a float
_MANY_ROWS, _LARGE_CELL = 100, 10  # below both, R draws p-values


class Levels(NamedTuple):
    """The levels of a column at a node, for R those that do not occur as well."""

    codes: Ints  # rising; 0 is missing
    counts: Floats  # (levels, classes)
    ordered: bool
    places: Ints | None = None  # of ordered levels that are neighbours only if their places follow one another


@dataclass(frozen=True)
class PyPI:
    """PyPI's CHAID 5.5.1. It takes the smallest p whatever it is; of equals, such as those below all floats, the
    largest χ²."""

    keeps_empty_levels = False

    def merge(self, levels: LevelsAtNode, column: Column, merging: ByMerging) -> Ints | None:
        places = place_of(column)
        given = Levels(levels.codes, levels.counts, levels.ordered, None if places is None else places[levels.codes])
        return merged_by_pypi(given, merging, merging.least_rows(float(levels.counts.sum())))

    def tested(self, counts: Floats) -> tuple[int, float, float, float]:
        statistic, freedom = pearson(counts)
        return len(counts), statistic, float(freedom), _tail(statistic, freedom, log=True)

    def choose(self, significance: Floats, groups: Ints) -> Ints | None:
        statistic, freedom = significance[..., 1], significance[..., 2]
        p = np.where(groups > 0, chi2_tail(statistic, freedom), np.inf)
        top = p.min(0)
        return np.where(top < np.inf, np.where(p == top, statistic, -np.inf).argmax(0), -1)


@dataclass(frozen=True)
class RForge:
    """R-Forge's CHAID 0.1-2. How it merges missing values with ordered levels is not known."""

    keeps_empty_levels = True

    def merge(self, levels: LevelsAtNode, column: Column, merging: ByMerging) -> Ints | None:
        if levels.is_floating:
            return AS_PUBLISHED
        given = Levels(levels.codes, levels.counts, levels.ordered)
        return merged_by_r(given, merging, merging.least_rows(float(levels.counts.sum())))

    def tested(self, counts: Floats) -> tuple[int, float, float, float]:
        statistic, freedom = pearson(counts)
        return len(counts), statistic, float(freedom), log_p_by_r(counts)

    def choose(self, significance: Floats, groups: Ints) -> Ints | None:
        return None


PROGRAMS: dict[str, Program] = {"r": RForge(), "pypi": PyPI()}


def place_of(column: Column) -> Ints | None:
    """By code, where ordered levels stand that are whole numbers: 2 and 4 are no neighbours. Missing is apart."""
    numbers = [int(level) for level in column.levels if _is_whole(level)]
    if column.kind is not Kind.ORDINAL or len(numbers) < len(column.levels) or numbers != sorted(numbers):
        return None
    return np.array([min(numbers, default=0) - 2, *numbers], np.int64)


def _is_whole(level: Level) -> bool:
    return not isinstance(level, str) and abs(level) <= _LARGEST_WHOLE and level == int(level)


def pearson(counts: Floats) -> tuple[float, int]:
    """χ² of groups × classes, and its degrees of freedom; groups have some weight, classes without are left out.

    >>> pearson(np.array([[10.0, 0.0, 0.0], [0.0, 10.0, 0.0]]))
    (20.0, 1)
    """
    counts = counts[:, counts.any(0)]
    expected = np.outer(counts.sum(1), counts.sum(0)) / counts.sum()
    freedom = (counts.shape[0] - 1) * (counts.shape[1] - 1)
    return float(((counts - expected) ** 2 / expected).sum()), freedom


def _tail(statistic: float, freedom: int, *, log: bool = False) -> float:
    return float(chi2_tail(np.array(statistic), np.array(freedom, np.float64), log=log))


# ---- PyPI ------------------------------------------------------------------------------------------------------------


class _Merger:
    """Groups on their way: by head, the first of their levels, in order."""

    def __init__(self, levels: Levels) -> None:
        self.levels = levels
        self.counts = dict(enumerate(levels.counts))
        self.weight = {head: float(counts.sum()) for head, counts in self.counts.items()}
        self.head = np.arange(len(levels.codes))
        self.place = levels.codes if levels.places is None else levels.places
        self.end = dict(enumerate((self.place + 1).tolist()))  # the place after the last of a group
        self.known: dict[Pair, tuple[float, float] | None] = {}

    def __len__(self) -> int:
        return len(self.counts)

    def pairs(self) -> Iterator[Pair]:
        """Any two groups; of an ordered column those whose places follow one another, then any with missing values."""
        if not self.levels.ordered:
            yield from combinations(self.counts, 2)
            return
        floating = bool(self.levels.codes[0] == 0) and 0 in self.counts
        known = [head for head in self.counts if head or not floating]
        yield from ((a, b) for a, b in pairwise(known) if self.end[a] == self.place[b])
        yield from ((head, 0) for head in known if floating)

    def difference(self, pair: Pair) -> tuple[float, float] | None:
        """p and χ² of two groups; None if they have one and the same class only."""
        if pair not in self.known:
            statistic, freedom = pearson(np.array([self.counts[head] for head in pair]))
            self.known[pair] = (_tail(statistic, freedom), statistic) if freedom else None
        return self.known[pair]

    def join(self, pair: Pair) -> None:
        head, gone = pair
        self.counts[head] = self.counts[head] + self.counts.pop(gone)
        self.weight[head] += self.weight.pop(gone)
        self.head[self.head == gone] = head
        self.end[head] = max(self.end[head], self.end[gone])
        self.known = {other: found for other, found in self.known.items() if not {head, gone} & set(other)}


def merged_by_pypi(levels: Levels, merging: ByMerging, least: float) -> Ints | None:
    """The group of every level, by its first one, as PyPI's CHAID has it; None if it does not split by the column.

    The pair of the largest p, of equals that of the largest χ², is merged while p is at least ``alpha_merge``. Two
    slips: a pair with one and the same class only ends the search for the pair, and is merged if it is to be merged,
    but whether that is so is asked of the largest p *before* it; and groups are too small if those of the pair that was
    looked at *last* are. Levels of an ordered column between which another is absent, or a whole number left out, are
    not neighbours.
    """
    groups = _Merger(levels)
    total = float(levels.counts.sum())
    most = merging.max_branches or len(groups)
    while True:
        chosen, top, last = _least_different(groups, total, least)
        if last is None:
            return None
        apart = top is None or top < merging.alpha_merge
        if apart and len(groups) <= most and min(groups.weight[head] for head in last) >= least:
            return groups.head
        if chosen is None:
            return None
        groups.join(chosen)


def _least_different(groups: _Merger, total: float, least: float) -> tuple[Pair | None, float | None, Pair | None]:
    """The pair to be merged, the largest p found, and the pair looked at last."""
    chosen, top, last = None, None, None
    for last in groups.pairs():
        left = total - sum(groups.weight[head] for head in last)
        if len(groups) > 2 and left < least:
            continue
        found = groups.difference(last)
        if found is None:
            return last, None if top is None else top[0], last
        if top is None or found > top:
            chosen, top = last, found
    return chosen, None if top is None else top[0], last


# ---- R ---------------------------------------------------------------------------------------------------------------


def log_p_by_r(counts: Floats) -> float:
    """The logarithm of the p of groups × classes, empty groups left out.

    Tables of few rows that have a small cell, if only of a class that does not occur here, are drawn.

    >>> round(math.exp(log_p_by_r(np.array([[30.0, 30.0], [0.0, 0.0], [20.0, 40.0]]))), 4)
    0.0641
    """
    counts = counts[counts.any(1)]
    if len(counts) < 2 or counts.any(0).sum() < 2:
        return 0.0
    whole = np.rint(counts)
    if counts.sum() < _MANY_ROWS and counts.min() < _LARGE_CELL and np.allclose(counts, whole):
        return math.log(monte_carlo_chi2_p(whole[:, counts.any(0)].astype(np.int64)))
    return _tail(*pearson(counts), log=True)


def merged_by_r(levels: Levels, merging: ByMerging, least: float) -> Ints | None:
    """The group of every level, by its first one, as R-Forge's CHAID has it; None if there are no two.

    Levels that are declared but do not occur are merged too, and being like any other they come first. The p-values of
    all pairs are kept in a matrix. When groups a < b have been merged, row a and column b are dropped, where it should
    be row b: of groups between the two, pairs that are not compared anew have the p-values of their neighbours. Groups
    that are split again are not merged again.
    """
    heads = _merged_with_slip(levels, merging, least)
    again: Ints | None = heads
    while again is not None:
        heads, again = again, _split_again(levels, again, merging, least)
    weight = _sums(levels.counts, heads).sum(1)
    return heads if (weight > 0).sum() > 1 and weight.min() >= least else None


def _sums(counts: Floats, heads: Ints) -> Floats:
    """Of the groups, in the order of their heads."""
    return np.array([counts[heads == head].sum(0) for head in np.unique(heads)])


def _merged_with_slip(levels: Levels, merging: ByMerging, least: float) -> Ints:
    heads, sums = np.arange(len(levels.counts)), levels.counts.copy()
    known = np.full((len(sums), len(sums)), np.nan)
    while len(sums) > 2:
        _compare_anew(known, sums, levels.ordered)
        a, b = _first_largest(known)
        few = len(sums) <= (merging.max_branches or len(sums)) and sums.sum(1).min() >= least
        if few and known[a, b] <= math.log(merging.alpha_merge):
            break
        places = np.unique(heads)
        heads[heads == places[b]] = places[a]
        sums[a] += sums[b]
        known[[a, b]], known[:, [a, b]] = np.nan, np.nan
        sums, known = np.delete(sums, b, 0), np.delete(np.delete(known, a, 0), b, 1)
    return heads


def _compare_anew(known: Floats, sums: Floats, ordered: bool) -> None:
    """Fill in the p-values that are not known, of ordered groups those of neighbours."""
    pairs = np.eye(len(sums), k=1) if ordered else np.triu(np.ones_like(known), 1)
    for a, b in np.argwhere((pairs > 0) & np.isnan(known)).tolist():
        known[a, b] = log_p_by_r(sums[[a, b]])


def _first_largest(known: Floats) -> Pair:
    """Of equals the first, column by column."""
    filled = np.where(np.isnan(known), -np.inf, known)
    b, a = np.argwhere(filled.max() - TIE <= filled.T)[0].tolist()
    return a, b


def _split_again(levels: Levels, heads: Ints, merging: ByMerging, least: float) -> Ints | None:
    """The groups after one of them was split in two; None if none comes apart. What does not occur goes with the first.

    p-values are not drawn here.
    """
    if not merging.alpha_resplit:
        return None
    occurs = levels.counts.any(1)
    _, first, number = np.unique(heads[occurs], return_index=True, return_inverse=True)
    table, group = np.ascontiguousarray(levels.counts[occurs]), first[number]
    wanted = int(Difference.CHI2), math.log(merging.alpha_resplit), float(least)
    room = np.zeros((2, table.shape[1])), np.zeros(len(group), np.int64), np.zeros(len(group), np.bool_)
    if not resplit(table, group, group == np.arange(len(group)), levels.ordered, False, wanted, *room):
        return None
    apart: Ints = heads.copy()
    apart[occurs] = np.flatnonzero(occurs)[group]
    for item in np.flatnonzero(~occurs):
        apart[item] = apart[np.flatnonzero(occurs & (heads == heads[item]))[0]]
    return apart
