"""One split of a column at every node, drawn at random: what extremely randomized trees look at."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from treewright.data.encoded import Encoding
from treewright.data.schema import Kind
from treewright.engines.choices.choice import Best
from treewright.engines.choices.proposals import FoundSplits, Proposals
from treewright.engines.column_draws import ColumnDraws
from treewright.engines.stores.node_cells import Cells
from treewright.engines.stores.store import Frontier
from treewright.split import midway
from treewright.typing import Floats, Ints, Mask


class RandomSplits:
    """Of one column. Nominal columns have subsets drawn; with other styles of splits all their splits are looked at."""

    def __init__(self, encoded: Encoding, draws: ColumnDraws, column: int) -> None:
        self.kind = encoded.schema.columns[column].kind
        self.encoded = encoded.columns[column]
        self.draws = draws
        self.column = column
        self.threshold: Floats = np.empty(0)

    @property
    def bounds(self) -> tuple[Floats, Floats]:
        """Numbers that codes stand for; levels in order are as far apart as their codes."""
        if self.kind is Kind.NUMERIC:
            return self.encoded.bounds
        codes = np.arange(self.encoded.n_codes, dtype=np.float64)
        return codes, codes

    def on_left(self, nodes: Frontier) -> Callable[[Cells], Mask]:
        """Which levels are in the subset of the draw, by their cells."""

        def is_on_left(cells: Cells) -> Mask:
            n_levels = np.bincount(cells.node, minlength=len(nodes))
            place = np.arange(len(cells)) - cells.begins(len(nodes))[cells.node]
            return self.draws.is_on_left(self.column, nodes.id, n_levels, cells.node, place)

        return is_on_left

    def picked(self, proposed: Proposals, known: Cells, nodes: Frontier) -> Proposals:
        """Cuts of the draw, with all ways for missing values to go; levels without order are left to ``on_left``."""
        return proposed if self.kind is Kind.NOMINAL else self._cuts(proposed, known, nodes)

    def _cuts(self, proposed: Proposals, known: Cells, nodes: Frontier) -> Proposals:
        """Every number up to a threshold against all above it; known against missing where there is one number only."""
        n, (low, high) = len(nodes), self.bounds
        lowest, highest = np.zeros(n), np.zeros(n)
        begin, end = known.begins(n)[:-1], known.begins(n)[1:] - 1
        some = np.flatnonzero(begin <= end)
        lowest[some], highest[some] = high[known.code[begin[some]]], low[known.code[end[some]]]
        self.threshold = self.draws.thresholds(self.column, nodes.id, lowest, highest)
        is_cut = proposed.above > 0
        below = is_cut & (high[proposed.cut] <= self.threshold[proposed.node])
        cut = np.zeros(n, np.int64)
        np.maximum.at(cut, proposed.node[below], proposed.cut[below])
        here = cut[proposed.node]
        return proposed.where(np.where(here > 0, is_cut & (proposed.cut == here), ~is_cut))

    def with_edges(self, best: Best) -> Best:
        """Numbers are cut at the threshold of the draw, unless it parts a bin."""
        if self.kind is not Kind.NUMERIC:
            return best

        def splits(chosen: Ints) -> FoundSplits:
            found, (low, high) = best.proposals(chosen), self.bounds
            threshold, below, above = self.threshold[chosen], high[found.cut], low[found.above]
            edge = np.where(threshold < above, threshold, midway(below, above))
            is_cut = found.above > 0
            edges = np.where(is_cut, edge, np.inf), np.where(is_cut, below, np.inf)
            return FoundSplits(found.n_branches, found.cut, found.above, found.missing_to, edge=edges)

        return replace(best, splits=splits)
