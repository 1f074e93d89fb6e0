"""C4.5's compiled search, over rows in parts."""

from __future__ import annotations

from functools import cached_property, partial
from typing import Any

import numpy as np

from treewright.data.encoded import Encoded
from treewright.engines.choices.proposals import FoundSplits, found_levels
from treewright.engines.choices.ratio_choice import RatioBest, RatioChoice
from treewright.engines.engine import Subtrees
from treewright.engines.stores.case_store import CaseStore
from treewright.engines.stores.store import Frontier
from treewright.kernels.search.count import new_tally
from treewright.kernels.search.groups import new_blocks, search_groups
from treewright.kernels.search.ratio import BestRatio, search_levels, search_one_level, search_tallied_cuts
from treewright.kernels.search.ratio_list import search_list
from treewright.kernels.store_kernels.cases import CUT, GROUPS, MULTIWAY
from treewright.recipe_parts.missing import Missing
from treewright.recipe_parts.recipe import ByRatio, Recipe
from treewright.split import EVERY_BRANCH
from treewright.typing import Array, Ints

_NO_MORE = np.empty(0)


def serves(encoded: Encoded, recipe: Recipe) -> bool:
    """Whether all missing values take every branch by share."""
    return isinstance(recipe.choice, ByRatio) and set(recipe.missing) <= {Missing.FRACTIONAL}


class RatioSearch:
    """See ``Shortcut``."""

    def __init__(self, encoded: Encoded, choice: RatioChoice, store: CaseStore) -> None:
        self.encoded = encoded
        self.choice = choice
        self.asked = choice.asked
        self.store = store
        self.totals = np.empty((0, 0), np.int64)

    def serves(self, column: int) -> bool:
        return True

    def begin(self, nodes: Frontier, *, every_column: bool = False) -> None:
        """No column is ever passed over."""
        self.totals = nodes.stats

    def finish(self, nodes: Frontier) -> tuple[Frontier, Frontier, Subtrees | None]:
        """All nodes are split in rounds."""
        return nodes, nodes[np.empty(0, np.int64)], None

    @cached_property
    def _widths(self) -> dict[int, int]:
        return {j: self._widest(j) for j in self.store.sorted_columns}

    def _widest(self, column: int) -> int:
        """A power of two by which no two codes are apart whose numbers are closer than the gap."""
        values, near, widest = self.asked.seen[column][1:], self.asked.resolution[column], 1
        while widest < len(values) and (values[:-widest] + near >= values[widest:]).any():
            widest *= 2
        return widest

    def search(self, column: int, worker: int) -> RatioBest:
        at, n = self.store.at, len(self.totals)
        rules = self.asked.of_column(self.choice.rules, column)
        found = BestRatio(np.empty(n), np.empty(n), np.empty(n, np.int64), np.empty(n, np.int64))
        nodes = at.start, at.stop, self.totals, rules
        groups: Array | None = None
        if column in self.store.sorted_columns:
            seen, width = self.asked.seen[column], self._widths[column]
            search_list(*at.list_of(column), seen, width, at.cases.weight, at.cases.label, *nodes, found)
        else:
            groups = self._count(column, nodes, found)
        splits = partial(self._splits, column, found, groups)
        return RatioBest(found.gain, np.zeros(n, np.int64), splits, info=found.info)

    def _count(self, column: int, nodes: Any, found: BestRatio) -> Array | None:
        """Search a column of few codes; where levels are grouped, returns the branch of every code at every node."""
        codes, kind, n_codes = self.encoded.columns[column].codes, self.asked.kinds[column], self.asked.n_codes[column]
        cases, n_classes = self.store.at.cases, self.totals.shape[1]
        tally = new_tally(int(n_codes), n_classes)
        if kind == CUT:
            search_tallied_cuts(codes, self.asked.seen[column], cases, *nodes, tally, found)
        elif kind == GROUPS:
            groups = np.empty((len(self.totals), int(n_codes)), np.int32)
            blocks = new_blocks(int(n_codes), n_classes)
            search_groups(codes, cases, *nodes, tally, blocks, _NO_MORE, groups, found)
            return groups
        else:
            (search_levels if kind == MULTIWAY else search_one_level)(codes, cases, *nodes, tally, found)
        return None

    def _splits(self, column: int, found: BestRatio, groups: Array | None, chosen: Ints) -> FoundSplits:
        kind, code, cut = self.asked.kinds[column], np.arange(self.asked.n_codes[column]), found.cut[chosen]
        if kind == CUT:
            return FoundSplits(2, cut, found.above[chosen], EVERY_BRANCH)
        n_branches: Ints | int = 2
        if kind == MULTIWAY:
            branches, n_branches = np.tile(code - 1, (len(chosen), 1)), len(code) - 1
        elif kind == GROUPS:
            assert groups is not None
            branches, n_branches = groups[chosen], cut
        else:
            branches = np.asarray(code != cut[:, None])
        branches = branches.astype(np.int32)
        branches[:, 0] = EVERY_BRANCH
        return found_levels(n_branches, branches)
