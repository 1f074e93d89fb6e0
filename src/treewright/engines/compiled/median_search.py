"""The compiled search by absolute error over whole rows, of every node also in the order of the target, so that medians
can be followed."""

from __future__ import annotations

from functools import partial

import numpy as np

from treewright.data.encoded import Encoded
from treewright.data.schema import Kind
from treewright.engines.choices.choice import Best
from treewright.engines.choices.proposals import FoundSplits, found_levels
from treewright.engines.compiled.score_search import new_finds, open_nodes, rules_of, splits_of, unknown_branches
from treewright.engines.engine import Subtrees
from treewright.engines.stores.row_store import RowStore
from treewright.engines.stores.store import Frontier
from treewright.engines.target_stats import MedianStats
from treewright.kernels.search.absolute import (
    ranked_subsets,
    search_histogram_medians,
    search_levels_medians,
    search_ranked_levels,
    search_sorted_medians,
)
from treewright.kernels.search.medians import MedianScratch, new_room
from treewright.kernels.store_kernels.nodes import Finds
from treewright.recipe_parts.recipe import Recipe, Splits
from treewright.typing import Ints


class MedianSearch:
    """See ``Shortcut``. The target is one more list, moved as those of columns are. At the start of a round the rows of
    every open node are ranked along it; searches know rows by their ranks."""

    def __init__(self, encoded: Encoded, recipe: Recipe, target: MedianStats, store: RowStore) -> None:
        self.encoded = encoded
        self.recipe = recipe
        self.target = target
        self.store = store
        self.rules = rules_of(encoded, recipe, target)
        self._rooms: dict[int, MedianScratch] = {}

    def serves(self, column: int) -> bool:
        return True

    def begin(self, nodes: Frontier, *, every_column: bool = False) -> None:
        self.store.column(self.store.target_list, 0)
        found = open_nodes(self.recipe, self.target, self.store, nodes, every_column=every_column)
        self.nodes = found._replace(totals=np.ascontiguousarray(found.totals[:, : self.target.n_stats]))
        self.ranked = self.store.ranked()

    def finish(self, nodes: Frontier) -> tuple[Frontier, Frontier, Subtrees | None]:
        """All nodes are split in rounds."""
        return nodes, nodes[np.empty(0, np.int64)], None

    def _room(self, worker: int) -> MedianScratch:
        """Room for the largest node; kept for later rounds, whose nodes may be larger if the best go first."""
        needed = int((self.nodes.stop - self.nodes.start).max())
        if worker not in self._rooms or len(self._rooms[worker].ranks) < needed:
            self._rooms[worker] = new_room(needed)
        return self._rooms[worker]

    def search(self, column: int, worker: int) -> Best:
        store, room, finds = self.store, self._room(worker), new_finds(len(self.nodes.id))
        store.column(column, worker)
        codes, is_nominal = store.codes[column], self.encoded.schema.columns[column].kind is Kind.NOMINAL
        if column in store.sorted_columns:
            search_sorted_medians(
                column, store.sorted_columns[column], codes, self.nodes, self.ranked, self.rules, room, finds
            )
        else:
            by_value, tally = store.sorted_columns[store.target_list], store.tally(column)
            given = codes, by_value, self.nodes, store.data, self.ranked, self.rules, tally, room, finds
            if not is_nominal:
                search_histogram_medians(column, *given)
            elif self.recipe.splits is Splits.SUBSET:
                search_ranked_levels(column, *given)
                return Best(finds.score, finds.ties, partial(self._subsets, column, finds))
            else:
                search_levels_medians(column, self.recipe.splits is Splits.ONE_VS_REST, *given)
        return Best(
            finds.score, finds.ties, partial(splits_of, self.encoded, self.recipe, store, self.nodes, column, finds)
        )

    def _subsets(self, column: int, finds: Finds, chosen: Ints) -> FoundSplits:
        """The levels are put in order once more."""
        store = self.store
        branch_of = unknown_branches(len(chosen), self.encoded.columns[column].n_codes)
        ranked_subsets(
            store.codes[column], store.sorted_columns[store.target_list], chosen, self.nodes, store.data, self.ranked,
            store.tally(column), self._room(0), finds, branch_of,
        )  # fmt: skip
        return found_levels(2, branch_of)
