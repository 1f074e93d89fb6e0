"""Absolute error: rows in memory, of every node also in the order of the target, so that medians can be followed."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np

from treewright.data.encoded import Encoded
from treewright.data.schema import Kind
from treewright.engines.engine import Frontier
from treewright.engines.local import LocalEngine
from treewright.engines.rows import RowStore
from treewright.engines.target_stats import MedianStats
from treewright.engines.workers import Workers
from treewright.kernels.absolute import (
    resolve_ranked_levels,
    search_counted_medians,
    search_levels_medians,
    search_listed_medians,
    search_ranked_levels,
)
from treewright.kernels.medians import Ranked, Room, branch_medians, new_room, rank_rows
from treewright.kernels.nodes import Finds, Meaning, OpenNodes
from treewright.recipe.missing import Missing
from treewright.recipe.recipe import Recipe, Splits
from treewright.tree.build import offsets
from treewright.typing import Array, Floats, Ints


class AbsoluteEngine(LocalEngine):
    """Finds and applies the splits of least absolute error of all open nodes of a round (see ``Engine``).

    The target is one more list, moved as those of columns are. At the start of a round the rows of every open node are
    ranked along it; searches know rows by their ranks.
    """

    target: MedianStats

    def __init__(self, encoded: Encoded, recipe: Recipe, workers: Workers, policies: tuple[Missing, ...] = ()) -> None:
        super().__init__(encoded, recipe, workers, policies)
        self._y = units_of(self.target, encoded)
        self._ranked = self._rank(np.zeros(1, np.int64), np.array([encoded.n_rows]))
        self._rooms: dict[int, Room] = {}

    # ---- set-up ------------------------------------------------------------------------------------------------

    def _row_store(self) -> RowStore:
        by_value = np.argsort(self.encoded.y, kind="stable")
        return RowStore(self.encoded, self.target, self.workers, int(self._n_branches.max(initial=2)), by_value)

    @property
    def _target_list(self) -> int:
        return len(self.encoded.columns)

    @property
    def _by_value(self) -> Array:
        """The rows of every node in the order of the target."""
        return self.rows.listed[self._target_list]

    @cached_property
    def small_node(self) -> int:
        """All nodes are split in rounds."""
        return 0

    def _room(self, worker: int, nodes: Any) -> Room:
        """Room for the largest node; kept for later rounds, whose nodes may be larger if the best go first."""
        needed = int((nodes.stop - nodes.start).max())
        if worker not in self._rooms or len(self._rooms[worker].ranks) < needed:
            self._rooms[worker] = new_room(needed)
        return self._rooms[worker]

    # ---- one round ---------------------------------------------------------------------------------------------

    def root(self) -> Frontier:
        zero, n_rows = np.zeros(1, np.int64), np.array([self.encoded.n_rows])
        totals = self.target.totals()[None, :]
        stats = self._with_medians(zero, zero, n_rows, np.array([0, 1]), totals, np.zeros(1))
        stats[:, -1] = stats[:, -2]  # the root has no parent
        return Frontier(zero, zero, n_rows, stats, self.target.is_pure(stats))

    def _open_nodes(self, frontier: Frontier) -> OpenNodes:
        self.rows.column(self._target_list, 0)
        nodes = super()._open_nodes(frontier)
        self._ranked = self._rank(nodes.start, nodes.stop)
        return nodes._replace(totals=np.ascontiguousarray(nodes.totals[:, : self.target.n_stats]))

    def _rank(self, start: Ints, stop: Ints) -> Ranked:
        base = offsets(stop - start + 2)
        n_places, n_rows = int(base[-1]), self.encoded.n_rows
        weight, moment, _ = self.rows.data[1:]
        weights = np.zeros(n_places if len(weight) else 0, np.int64)
        ranked = Ranked(
            np.empty(n_rows, np.uint32), base[:-1], weights, np.zeros(n_places, np.int64), np.zeros(n_places)
        )
        rank_rows(self._by_value, start, stop, weight, moment, self._y, self.rows.original, ranked)
        return ranked

    def _search_column(self, j: int, worker: int, nodes: Any, mine: Finds) -> None:
        codes, room = self.rows.codes[j], self._room(worker, nodes)
        if j in self.rows.listed:
            search_listed_medians(j, self.rows.listed[j], codes, nodes, self._ranked, self.rules, room, mine)
            return
        given = codes, self._by_value, nodes, self.rows.data, self._ranked, self.rules, self._tallies[j], room, mine
        if self._kind(j) is not Kind.NOMINAL:
            search_counted_medians(j, *given)
        elif self.recipe.splits is Splits.SUBSET:
            search_ranked_levels(j, *given)
        else:
            search_levels_medians(j, self.recipe.splits is Splits.ONE_VS_REST, *given)

    def _resolve_levels(self, j: int, worker: int, chosen: Ints, nodes: Any, mine: Finds, meaning: Meaning) -> None:
        if self.recipe.splits is not Splits.SUBSET:
            super()._resolve_levels(j, worker, chosen, nodes, mine, meaning)
            return
        codes, data, tally, room = self.rows.codes[j], self.rows.data, self._tallies[j], self._room(worker, nodes)
        given = codes, self._by_value, chosen, nodes, data, self._ranked, tally, room
        resolve_ranked_levels(j, *given, mine, self.rows.side, meaning)

    def _branch_stats(self, stats: Ints, nodes: Any, meaning: Meaning) -> Ints:
        chosen = np.flatnonzero(np.diff(meaning.child_start))
        centre = (self.target.medians(stats) - self.target.centre) * self.target.y_unit
        return self._with_medians(chosen, nodes.start, nodes.stop, meaning.child_start, meaning.stats, centre)

    def _with_medians(
        self, chosen: Ints, start: Ints, stop: Ints, child_start: Ints, sums: Ints, centre: Floats
    ) -> Ints:
        """Add what sums do not tell to the statistics of the branches of the chosen nodes."""
        found = np.zeros((len(sums), 3))
        where = chosen, self._by_value, start, stop, self.rows.side, child_start
        branch_medians(*where, sums, self._ranked, self.encoded.y, self.rows.original, centre, found)
        return self.target.kept(sums, found)

    def _masses(self, stats: Ints) -> Floats:
        return -self.target.distances(stats)


def units_of(target: MedianStats, encoded: Encoded) -> Floats:
    """The target from its centre, in the unit of a moment per weight."""
    if target.weight is None:
        return target.moment.values.astype(np.float64)
    return np.asarray((encoded.y - target.centre) * target.y_unit)
