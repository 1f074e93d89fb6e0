"""CHAID with the levels merged as other programs merge them: node by node, column by column, in plain numpy."""

from __future__ import annotations

import math
from functools import cached_property

import numpy as np

from treewright.criteria.tails import chi2_tail
from treewright.data.schema import Column, Kind, Level
from treewright.engines.chaid import ChaidEngine
from treewright.engines.engine import Frontier
from treewright.kernels.chaid import Merged, new_merged, number_branches, place_absent
from treewright.kernels.count import count, empty, write_branches, write_meaning
from treewright.kernels.merging import merge
from treewright.kernels.nodes import Meaning, OpenNodes
from treewright.search.merges import Levels, log_p_by_r, merged_by_pypi, merged_by_r, pearson
from treewright.typing import Floats, Ints

_LARGEST_WHOLE = 1 << 53  # beyond it not every whole number is a float


class FlavouredEngine(ChaidEngine):
    """Merges as ``merging.flavour`` says."""

    _found: dict[tuple[int, int], tuple[Ints, Ints]]  # of a column and a node: codes, and the groups these are in

    def root(self) -> Frontier:
        """PyPI's asks of branches how large they are, not of the root."""
        return super(ChaidEngine, self).root() if self.merging.flavour == "pypi" else super().root()

    @cached_property
    def _places(self) -> list[Ints | None]:
        """By code, where the levels of a column stand to PyPI's; None: in a row."""
        followed = self.merging.flavour == "pypi"
        return [_place_of(column) if followed else None for column in self.encoded.schema.columns]

    def _merged(self, start: Ints, stop: Ints, small: bool) -> Merged:
        self._found = {}
        merged = new_merged(len(self.encoded.columns), len(start))
        for j in range(len(self.encoded.columns)):
            self.rows.column(j, 0)
            for f in range(len(start)):
                self._merge(j, f, self._levels(j, int(start[f]), int(stop[f])), merged)
        return merged

    def _levels(self, j: int, start: int, stop: int) -> Levels:
        tally = self._tallies[j]
        n = count(self.rows.codes[j], self.rows.in_row_order, start, stop, self.rows.data, tally)
        occurs = tally.rows > 0
        codes = np.flatnonzero(occurs | (self._keeps_absent(j) & (np.arange(len(occurs)) > 0)))
        counts = tally.stats[codes] * self.merge_rules.unit
        empty(tally, n)
        places = self._places[j]
        return Levels(codes, counts, bool(self._is_ordered[j]), None if places is None else places[codes])

    def _keeps_absent(self, j: int) -> bool:
        """Whether levels that do not occur at a node are merged too."""
        return self.merging.flavour == "r" and not self._is_ordered[j]

    def _merge(self, j: int, f: int, levels: Levels, merged: Merged) -> None:
        place = j, f
        merged.levels[place] = levels.counts.any(1).sum()
        merged.floating[place] = levels.ordered and levels.codes[0] == 0
        heads = self._heads(j, levels)
        if heads is None:
            return
        self._found[place] = levels.codes, heads
        counts = np.array([levels.counts[heads == head].sum(0) for head in np.unique(heads)])
        merged.groups[place] = len(counts)
        merged.statistic[place], merged.freedom[place] = pearson(counts)
        merged.log_p[place] = self._log_p(counts)

    def _heads(self, j: int, levels: Levels) -> Ints | None:
        """The group of every level, by one of its levels; None: the column is not split by."""
        least = min(self.merging.min_rows, math.ceil(self.merging.small_share * levels.counts.sum()))
        if self.merging.flavour == "pypi":
            return merged_by_pypi(levels, self.merging, least)
        floating = levels.ordered and levels.codes[0] == 0
        return self._as_published(j, levels) if floating else merged_by_r(levels, self.merging, least)

    def _as_published(self, j: int, levels: Levels) -> Ints | None:
        """How R merges missing values with ordered levels is not known."""
        items, n = self._items[j], len(levels.codes)
        items.table[:n] = levels.counts
        groups = merge(n, True, True, self.merge_rules, items)
        return items.group[:n].copy() if groups else None

    def _log_p(self, counts: Floats) -> float:
        if self.merging.flavour == "r":
            return log_p_by_r(counts)
        statistic, freedom = pearson(counts)
        return float(chi2_tail(np.array(statistic), np.array(freedom, np.float64), log=True))

    def _resolve_column(self, j: int, chosen: Ints, nodes: OpenNodes, meaning: Meaning) -> None:
        codes, entries, data, tally = self.rows.codes[j], self.rows.in_row_order, self.rows.data, self._tallies[j]
        branch_of = np.zeros(len(tally.rows), np.int32)
        for f in chosen.tolist():
            n = count(codes, entries, nodes.start[f], nodes.stop[f], data, tally)
            grouped, heads = self._found[j, f]
            number_branches(grouped, len(grouped), heads, branch_of)
            write_meaning(f, n, codes, entries, nodes, data, tally, branch_of, self.rows.side, meaning)
            if not self._keeps_absent(j):
                place_absent(tally.rows, bool(self._is_ordered[j]), branch_of)
            write_branches(f, branch_of, meaning)
            empty(tally, n)

    def _most_significant(self, merged: Merged, adjusted_p: Floats) -> Ints:
        """PyPI's takes the smallest p, whatever it is; of equals, such as those below all floats, the largest χ²."""
        if self.merging.flavour == "r" or not len(adjusted_p):
            return super()._most_significant(merged, adjusted_p)
        p = np.where(merged.groups > 0, chi2_tail(merged.statistic, merged.freedom), np.inf)
        top = p.min(0)
        column = np.where(p == top, merged.statistic, -np.inf).argmax(0)
        return np.where(top < np.inf, column, -1)


def _place_of(column: Column) -> Ints | None:
    """Ordered levels that are whole numbers stand where these say: 2 and 4 are no neighbours. Missing is apart."""
    numbers = [int(level) for level in column.levels if _is_whole(level)]
    if column.kind is not Kind.ORDINAL or len(numbers) < len(column.levels) or numbers != sorted(numbers):
        return None
    return np.array([min(numbers, default=0) - 2, *numbers], np.int64)


def _is_whole(level: Level) -> bool:
    return not isinstance(level, str) and abs(level) <= _LARGEST_WHOLE and level == int(level)
