"""The compiled search by score where missing values have a branch of their own, count as the commonest value, or are
left out of the score."""

from __future__ import annotations

import numpy as np

from treewright.data.encoded import Encoded
from treewright.data.schema import Kind
from treewright.engines.choices.choice import Best
from treewright.engines.choices.proposals import FoundSplits, found_levels, missing_mark
from treewright.engines.choices.score_choice import RoundedBest, ScoreChoice
from treewright.engines.compiled.score_search import new_finds, rules_of
from treewright.engines.engine import Subtrees
from treewright.engines.stores.node_cells import with_commonest
from treewright.engines.stores.store import HEAVIEST, NO_ROWS, Frontier, Store
from treewright.kernels.search.known_cells import (
    CUTS,
    KNOWN_OR_NOT,
    CellArrays,
    CellRuns,
    find_known,
    lay_out_known,
    search_known,
)
from treewright.kernels.search.levels import ONE_VS_REST, SUBSET
from treewright.kernels.search.mass import Criterion
from treewright.kernels.store_kernels.nodes import OpenNodes
from treewright.recipe_parts.missing import Missing
from treewright.recipe_parts.recipe import ByScore, Recipe, Splits
from treewright.typing import Array, Ints

STYLES = {Splits.ONE_VS_REST: ONE_VS_REST, Splits.SUBSET: SUBSET}


def serves(recipe: Recipe) -> bool:
    """Whether the kernels know the criterion, take the first of equals, and nobody asks for all proposals or for cuts
    at random."""
    choice = recipe.choice
    if recipe.draw is not None and recipe.draw.random_cuts:
        return False
    if not isinstance(choice, ByScore) or choice.select is not None or choice.above_average:
        return False
    if recipe.constraints is not None or recipe.tie != "first":
        return False
    return recipe.criterion.upper() in Criterion.__members__


class KnownSearch:
    """See ``Shortcut``. Columns whose missing values count otherwise are searched by the choice."""

    def __init__(self, encoded: Encoded, recipe: Recipe, choice: ScoreChoice, store: Store) -> None:
        self.encoded = encoded
        self.recipe = recipe
        self.choice = choice
        self.store = store
        self.rules = rules_of(encoded, recipe, choice.target)
        self.nodes: Frontier | None = None

    def serves(self, column: int) -> bool:
        policy = self.recipe.missing[column]
        return policy is not Missing.LEARNED and self._style(column) is not None

    def _style(self, column: int) -> int | None:
        is_nominal = self.encoded.schema.columns[column].kind is Kind.NOMINAL
        return STYLES.get(self.recipe.splits) if is_nominal else CUTS

    def begin(self, nodes: Frontier, *, every_column: bool = False) -> None:
        self.nodes = nodes

    def finish(self, nodes: Frontier) -> tuple[Frontier, Frontier, Subtrees | None]:
        """All nodes are split in rounds."""
        return nodes, nodes[np.empty(0, np.int64)], None

    def search(self, column: int, worker: int) -> Best:
        assert self.nodes is not None
        found = FoundKnown(self, column, worker, self.nodes)
        best = found.finds.score, found.finds.ties, found.splits
        left_out = self.recipe.missing[column].leaves_out and (found.runs.missing >= 0).any()
        return RoundedBest(*best, found.branches) if left_out else Best(*best)


class FoundKnown:
    """What was found at the open nodes in one column."""

    def __init__(self, search: KnownSearch, column: int, worker: int, nodes: Frontier) -> None:
        n, totals, choice = len(nodes), nodes.stats, search.choice
        cells = search.store.cells(column, worker)
        self.stand_in: Ints | None = None  # the code that a missing value counts as, by node
        if search.recipe.missing[column] is Missing.COMMON:
            ordered = search._style(column) == CUTS
            cells, self.stand_in = with_commonest(cells, n, ordered=ordered, moments=choice.moments)
        self.cells = CellArrays(cells.node, cells.code, cells.rows, cells.stats)
        self.runs = CellRuns(*np.empty((3, n), np.int64))
        self.finds, self.totals, self.choice = new_finds(n), totals, choice
        self.n_codes, self.policy = search.encoded.columns[column].n_codes, search.recipe.missing[column]
        style = search._style(column)
        assert style is not None
        self.style = style
        self.known = np.empty_like(totals)
        none = np.empty(n, np.int64)
        known = OpenNodes(none, none.copy(), none.copy(), self.known, choice.target.slack(totals), np.empty(0), none)
        find_known(self.cells, totals, self.runs, known)
        own_branch = self.policy is Missing.BRANCH
        search_known(style, own_branch, self.cells, totals, self.runs, known, search.rules, self.finds)

    def splits(self, chosen: Ints) -> FoundSplits:
        """The splits of the chosen nodes."""
        cut, begin, missing = self.finds.cut[chosen], self.runs.begin[chosen], self.runs.missing[chosen] >= 0
        all_known = cut == KNOWN_OR_NOT
        n_branches: Ints | int = 2
        to = np.full(len(chosen), missing_mark(self.policy) or HEAVIEST)
        if self.policy is Missing.BRANCH:
            n_branches = np.where(missing & ~all_known, 3, 2)
            to = np.where(missing, n_branches - 1, HEAVIEST)
        if self.style == CUTS:
            last, code = begin + np.where(all_known, 0, cut), self.cells.code
            below = np.where(all_known, self.n_codes - 1, code[last])
            above = np.where(all_known, 0, code[np.minimum(last + 1, len(code) - 1)])
            if self.stand_in is not None:
                to = (self.stand_in[chosen] > below).astype(np.int64)
            return FoundSplits(n_branches, below, above, to)
        branch_of = self._branch_of(chosen, all_known, to)
        if self.stand_in is not None:
            branch_of[:, 0] = branch_of[np.arange(len(chosen)), self.stand_in[chosen]]
        return found_levels(n_branches, branch_of)

    def _branch_of(self, chosen: Ints, all_known: Array, to: Ints) -> Array:
        """(chosen, codes): 0 on the left; where all that is known is there, also levels that do not occur."""
        on_left = self._left(chosen)[1]
        branch_of = np.full((len(chosen), self.n_codes), NO_ROWS, np.int32)
        for c, f in enumerate(chosen):
            here = slice(self.runs.begin[f], self.runs.end[f])
            branch_of[c, self.cells.code[here]] = ~on_left[here]
        branch_of[all_known] = 0
        branch_of[:, 0] = to
        return branch_of

    def _left(self, chosen: Ints) -> tuple[Ints, Array]:
        """Statistics of the left branches, and the cells that are there."""
        left, on_left = (
            np.zeros((len(chosen), self.totals.shape[1]), np.int64),
            np.zeros(len(self.cells.code), np.bool_),
        )
        lay_out_known(
            self.style, self.choice.one_order, self.choice.moments, self.cells, self.runs, chosen,
            self.finds.cut[chosen], left, on_left,
        )  # fmt: skip
        return left, on_left

    def branches(self, chosen: Ints) -> Ints:
        """Statistics of both branches of known values."""
        left = self._left(chosen)[0]
        return np.stack([left, self.known[chosen] - left], axis=1)
