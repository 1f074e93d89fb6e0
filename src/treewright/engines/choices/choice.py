"""What wins: a choice turns the cells of a column into its best split at every node, and chooses among the columns."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np

from treewright.data.encoded import Encoding
from treewright.data.schema import Kind
from treewright.engines.choices.proposals import FoundSplits, Proposals, missing_mark
from treewright.engines.stores.node_cells import Cells
from treewright.engines.stores.store import HEAVIEST, MAJORITY, Frontier, Tests
from treewright.recipe_parts.merging import ByMerging
from treewright.recipe_parts.missing import Missing
from treewright.recipe_parts.recipe import Recipe
from treewright.split import AS_MISSING, STOP
from treewright.tree.build import offsets
from treewright.typing import Array, Floats, Ints, Mask


@dataclass(frozen=True)
class Best:
    """The best split of one column at every open node: its score, -inf where there is none, and how many equal it.

    ``splits(nodes)`` are the splits of some nodes, all of which have one.
    """

    score: Floats
    ties: Ints
    splits: Callable[[Ints], Proposals | FoundSplits]

    def proposals(self, nodes: Ints) -> Proposals:
        """The same where they were proposed, with what their branches hold."""
        proposed = self.splits(nodes)
        assert isinstance(proposed, Proposals)
        return proposed

    def without(self, nodes: Mask) -> Best:
        """The same with no split at some nodes."""
        return replace(self, score=np.where(nodes, -np.inf, self.score), ties=np.where(nodes, 0, self.ties))

    @property
    def exists(self) -> Mask:
        """Nodes at which the column has a split."""
        return np.asarray(self.score > -np.inf)


class Choice(Protocol):
    """Pure functions of integers: the same cells lead to the same splits wherever rows are."""

    gain_is_known: bool  # when a split is selected, and not only when its rows have been sent

    def is_settled(self, stats: Ints, rows: Ints) -> Mask:
        """Nodes of these statistics and so many rows that need no split."""
        ...

    def search(self, column: int, cells: Cells, nodes: Frontier) -> Best: ...

    def select(self, best: Sequence[Best], nodes: Frontier) -> tuple[Ints, Floats]:
        """Of every node the column to split by (-1: none) and what that gains."""
        ...

    def significance(self, column: Ints, best: Sequence[Best]) -> Floats | None:
        """(nodes, N_TEST): the test that each split passed; None where splits are not tested."""
        ...

    def accepts(self, gain: Floats) -> Mask:
        """Whether what a split gains is enough."""
        ...

    def predicted(self, stats: Ints) -> Floats:
        """What nodes predict, for constraints: a number, or the share of the second class; NaN without rows."""
        ...

    def edges(self, column: int, cut: Ints, above: Ints) -> tuple[Floats, Floats]:
        """The thresholds between codes of a numeric column, and the numbers next below; NaN: not known."""
        ...

    def gains(self, column: Ints, n_missing: Ints, stats: Ints, branches: Ints, found: Floats, sizes: Ints) -> Floats:
        """What splits gain, as the tree tells it: from the statistics of nodes and of their branches, of which they
        have ``sizes``, or what was ``found``."""
        ...


class TestWriter:
    """Writes down the tests that were chosen. Where levels are merged, bins of numbers are levels as well."""

    def __init__(self, encoding: Encoding, recipe: Recipe, choice: Choice) -> None:
        by_code = isinstance(recipe.choice, ByMerging)
        kinds = [column.kind is Kind.NUMERIC and not by_code for column in encoding.schema.columns]
        sizes = [3 if is_cut else column.n_codes for is_cut, column in zip(kinds, encoding.columns)]
        # One more, of column -1: no test.
        self.is_cut = np.array([*kinds, False], np.bool_)
        self.sizes = np.array([*sizes, 0], np.int64)
        self.in_full = np.array([*(policy is Missing.EVERY for policy in recipe.missing), False], np.bool_)
        self.if_none_missing = [_if_none_missing(policy, recipe) for policy in recipe.missing]
        self.choice = choice

    def tests(self, column: Ints, best: Sequence[Best]) -> Tests:
        n, is_cut, start = len(column), self.is_cut[column], offsets(self.sizes[column])
        branch_of = np.empty(start[-1], np.int32)
        n_branches, cut, (edge, below) = np.zeros(n, np.int64), np.zeros(n, np.int64), np.full((2, n), np.nan)
        tests = Tests(column, n_branches, is_cut, cut, edge, below, start, branch_of, self.in_full[column])
        for j in tests.columns:
            here, size = np.flatnonzero(column == j), int(self.sizes[j])
            split = best[j].splits(here)
            n_branches[here], cut[here] = split.n_branches, split.cut
            if self.is_cut[j]:
                found = self.choice.edges(int(j), split.cut, split.above) if split.edge is None else split.edge
                edge[here], below[here] = found
            branches = split.branches(size, is_cut=bool(self.is_cut[j]))
            if self.if_none_missing[j] != HEAVIEST:
                branches[:, 0] = np.where(branches[:, 0] == HEAVIEST, self.if_none_missing[j], branches[:, 0])
            branch_of[start[here][:, None] + np.arange(size)] = branches
        return tests


def _if_none_missing(policy: Missing, recipe: Recipe) -> int:
    """Where missing values go of which training has none at the node."""
    if policy is Missing.SURROGATE:
        return STOP if recipe.surrogates.then_stop else MAJORITY
    return missing_mark(policy) or HEAVIEST


def with_missing(tests: Tests, of_missing: Ints, recipe: Recipe) -> Array:
    """The branch of every code as a tree keeps it: missing values have their branch, and levels that do not occur at a
    node go where missing values go; where surrogates are asked first, as these do."""
    branch_of: Array = tests.branch_of.copy()
    taken = np.flatnonzero(tests.column >= 0)
    branch_of[tests.branch_start[taken]] = of_missing[taken]
    asks = np.array([policy is Missing.SURROGATE for policy in recipe.missing], np.bool_)
    default_branch = np.where(asks[tests.column], AS_MISSING, of_missing)
    nobody = branch_of < AS_MISSING
    branch_of[nobody] = np.repeat(default_branch, np.diff(tests.branch_start))[nobody]
    return branch_of
