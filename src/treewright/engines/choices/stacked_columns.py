"""Several columns searched in one go, where there is little to look at: to numpy they are more nodes of one column.

A numpy call on ten numbers takes as long as on a thousand. So when few rows are open, the cells of all columns of one
kind are stacked: node f of the k-th column is node ``k·n_nodes + f``. The same splits are found, ties included.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import replace

import numpy as np

from treewright.data.encoded import Encoded
from treewright.data.schema import Kind
from treewright.engines.choices.choice import Best
from treewright.engines.choices.proposals import FoundSplits, Proposals
from treewright.engines.choices.score_choice import ScoreChoice
from treewright.engines.engine import Subtrees
from treewright.engines.stores.plain_store import PlainStore
from treewright.engines.stores.store import Frontier
from treewright.recipe_parts.missing import Missing
from treewright.recipe_parts.recipe import Recipe, Splits
from treewright.typing import Array, Ints

FEW_CELLS = 70_000  # rows at open nodes × columns; above, columns are searched one by one, in threads


class StackedColumns:
    """See ``Shortcut``. Of a ``PlainStore`` and a ``ScoreChoice``, for columns whose splits are proposed alike."""

    def __init__(
        self,
        encoded: Encoded,
        recipe: Recipe,
        store: PlainStore,
        choice: ScoreChoice,
        few_cells: int = FEW_CELLS,
        leave_out: Collection[int] = (),
    ) -> None:
        self.encoded = encoded
        self.store = store
        self.choice = choice
        self.few_cells = few_cells
        groups = ([j for j in group if j not in leave_out] for group in groups_of_columns(encoded, recipe, choice))
        self.groups = [group for group in groups if len(group) > 1]
        self._found: dict[int, Best] = {}

    def serves(self, column: int) -> bool:
        return column in self._found

    def begin(self, nodes: Frontier, *, every_column: bool = False) -> None:
        self._found = {}
        for group in self.groups:
            if len(self.store.cases) * len(group) <= self.few_cells:
                self._search(group, nodes)

    def search(self, column: int, worker: int) -> Best:
        return self._found[column]

    def finish(self, nodes: Frontier) -> tuple[Frontier, Frontier, Subtrees | None]:
        """All nodes are split in rounds."""
        return nodes, nodes[np.empty(0, np.int64)], None

    def _search(self, group: list[int], nodes: Frontier) -> None:
        n, n_codes = len(nodes), max(self.encoded.columns[j].n_codes for j in group)
        best = self.choice.search(
            group[0], self.store.stacked_cells(group), nodes[np.tile(np.arange(n), len(group))], n_codes
        )
        for k, j in enumerate(group):
            here, splits = slice(k * n, (k + 1) * n), _of_column(best, k * n, self.encoded.columns[j].n_codes)
            self._found[j] = Best(best.score[here], best.ties[here], splits)


def _of_column(best: Best, first: int, n_codes: int) -> Callable[[Ints], Proposals | FoundSplits]:
    """The splits of one of the columns, which has codes of its own."""

    def splits(nodes: Ints) -> Proposals:
        found = best.proposals(first + nodes)
        branch_of = found.branch_of
        if branch_of is None:
            return replace(found, cut=np.minimum(found.cut, n_codes - 1))  # its last code, if all are on the left

        def of_own_codes(chosen: Ints) -> Array:
            return branch_of(chosen)[:, :n_codes]

        return replace(found, branch_of=of_own_codes)

    return splits


def groups_of_columns(encoded: Encoded, recipe: Recipe, choice: ScoreChoice) -> list[list[int]]:
    """Columns that can be searched in one go: ordered ones, and those cut along one order of their levels, by what
    becomes of missing values. None where the answer depends on more than the cells of a column."""
    if choice.draws is not None or recipe.constraints is not None or recipe.tie == "random":
        return []
    along_one_order = recipe.splits is Splits.SUBSET and choice.one_order
    groups: dict[tuple[bool, Missing], list[int]] = {}
    for j, policy in enumerate(recipe.missing):
        is_nominal = choice.kind(j) is Kind.NOMINAL
        if not is_nominal or along_one_order:
            groups.setdefault((is_nominal, policy), []).append(j)
    return list(groups.values())
