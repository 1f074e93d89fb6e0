"""The compiled search by score over whole rows: columns of many values along sorted lists, all others by counting."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any

import numpy as np

from treewright.data.encoded import Encoded
from treewright.data.schema import Kind
from treewright.engines.choices.choice import Best
from treewright.engines.choices.proposals import FoundSplits, found_levels
from treewright.engines.compiled.subtree_search import SubtreeSearch, edges_of_rows
from treewright.engines.engine import Subtrees
from treewright.engines.stores.row_store import RowStore
from treewright.engines.stores.store import HEAVIEST, NO_ROWS, Frontier
from treewright.engines.target_stats import TargetStats
from treewright.engines.workers import Workers
from treewright.kernels.search.count import codes_above, search_cuts
from treewright.kernels.search.levels import (
    MULTIWAY,
    ONE_VS_REST,
    SUBSET,
    lay_out_levels,
    search_multiway,
    search_one_vs_rest,
    search_subsets,
)
from treewright.kernels.search.many_classes import MANY_CLASSES, search_subsets_of_many
from treewright.kernels.search.mass import NO_TABLE, Criterion, counts_table
from treewright.kernels.search.scan import search_sorted
from treewright.kernels.search.unweighted_cuts import search_sorted_classes, search_sorted_numbers
from treewright.kernels.store_kernels.nodes import Finds, OpenNodes, Rules
from treewright.recipe_parts.missing import Missing
from treewright.recipe_parts.recipe import ByMedian, ByScore, Recipe, Splits
from treewright.typing import Array, Ints

_BY_LEVELS: dict[Splits, Any] = {
    Splits.MULTIWAY: search_multiway,
    Splits.ONE_VS_REST: search_one_vs_rest,
    Splits.SUBSET: search_subsets,
}
_STYLES = {Splits.MULTIWAY: MULTIWAY, Splits.ONE_VS_REST: ONE_VS_REST, Splits.SUBSET: SUBSET}
_NO_MATTER = (Missing.FRACTIONAL, Missing.EVERY, Missing.STOP, Missing.DROP, Missing.BRANCH)


@dataclass(frozen=True)
class SmallNodes:
    """Which nodes are grown to the end in one go."""

    most_rows: int = 8192
    most_stats: int = 2**20  # of the branches of such a node
    least_share: int = 4  # there must be this many for each thread


def serves(encoded: Encoded, recipe: Recipe) -> bool:
    """Whether criterion and policies are among those that kernels know: missing values go the way that scores better,
    or there are none, and then the policy only says what happens to them at prediction."""
    choice = recipe.choice
    if recipe.draw is not None and recipe.draw.random_cuts:
        return False
    if not isinstance(choice, (ByScore, ByMedian)) or choice.select is not None or recipe.constraints is not None:
        return False
    if recipe.criterion.upper() not in Criterion.__members__:
        return False
    every_level = recipe.splits is Splits.MULTIWAY
    columns = zip(encoded.schema.columns, encoded.columns, recipe.missing, strict=True)
    return all(
        policy in (Missing.LEARNED, Missing.ERROR)
        or (policy in _NO_MATTER and (every_level or column.kind is not Kind.NOMINAL) and not coded.has_missing)
        for column, coded, policy in columns
    )


class ScoreSearch:
    """See ``Shortcut``."""

    def __init__(
        self,
        encoded: Encoded,
        recipe: Recipe,
        target: TargetStats,
        store: RowStore,
        workers: Workers,
        small_nodes: SmallNodes | None = None,
    ) -> None:
        self.encoded = encoded
        self.recipe = recipe
        self.target = target
        self.store = store
        self.workers = workers
        self.small_nodes = small_nodes or SmallNodes()
        self.rules = rules_of(encoded, recipe, target)
        self.nodes = OpenNodes(*(np.empty(0, np.int64),) * 7)

    def serves(self, column: int) -> bool:
        return True

    def begin(self, nodes: Frontier, *, every_column: bool = False) -> None:
        self.nodes = open_nodes(self.recipe, self.target, self.store, nodes, every_column=every_column)

    # ---- one column --------------------------------------------------------------------------------------------

    def search(self, column: int, worker: int) -> Best:
        self.store.column(column, worker)
        finds = new_finds(len(self.nodes.id))
        codes, data = self.store.codes[column], self.store.data
        if column in self.store.sorted_columns:
            sorted_columns = (
                self.store.sorted_columns[column],
                codes,
                self.store.has_missing[column],
                self.store.is_tied[column],
            )
            self._sorted_kernel(column, *sorted_columns, self.nodes, data, self.rules, finds)
        else:
            nominal = self.encoded.schema.columns[column].kind is Kind.NOMINAL
            kernel = self._levels_kernel if nominal else search_cuts
            histogram_columns = codes, self.store.in_row_order, self.nodes, data, self.rules, self.store.tally(column)
            kernel(column, *histogram_columns, finds)
        return Best(
            finds.score,
            finds.ties,
            partial(splits_of, self.encoded, self.recipe, self.store, self.nodes, column, finds),
        )

    @cached_property
    def _levels_kernel(self) -> Any:
        many_classes = not self.target.moments and self.target.n_stats >= MANY_CLASSES
        if many_classes and self.recipe.splits is Splits.SUBSET:
            return search_subsets_of_many
        return _BY_LEVELS[self.recipe.splits]

    @cached_property
    def _sorted_kernel(self) -> Any:
        """The quick ones are for rows that count once, and take the first of equals."""
        quick = {
            "gini": search_sorted_classes,
            "entropy": search_sorted_classes,
            "squared_error": search_sorted_numbers,
        }
        if not self.rules.unit or self.recipe.tie != "first":
            return search_sorted
        return quick.get(self.recipe.criterion, search_sorted)

    # ---- small nodes -------------------------------------------------------------------------------------------

    def finish(self, nodes: Frontier) -> tuple[Frontier, Frontier, Subtrees | None]:
        is_small = nodes.rows <= self.small_node
        if is_small.all() and len(nodes):
            return nodes[:0], nodes, self._subtrees.grow(nodes)
        small, large = nodes[np.flatnonzero(is_small)], nodes[np.flatnonzero(~is_small)]
        if not len(small):
            return large, small, None
        return large, small, self._subtrees.grow(small)

    @cached_property
    def small_node(self) -> int:
        """Nodes of up to so many rows are grown to the end in one go; 0: none.

        There must be enough of them for all threads, and their blocks must take little memory beside the table.
        """
        n_rows, stop, small = self.encoded.n_rows, self.recipe.stop, self.small_nodes
        all_numbers = all(column.kind is Kind.NUMERIC for column in self.encoded.schema.columns)
        by_score = self.rules.seed < 0 and self.recipe.test_costs is None and stop.significance is None
        by_score = by_score and self.recipe.halt is None and stop.max_leaves is None and self.recipe.draw is None
        goes_one_way = all(policy in (Missing.LEARNED, Missing.ERROR, Missing.BRANCH) for policy in self.recipe.missing)
        if not (all_numbers and by_score and goes_one_way):
            return 0
        alone = n_rows * len(self.encoded.columns) < self.workers.small_work
        most = n_rows if alone else n_rows // (small.least_share * self.workers.n_jobs)
        return min(most, small.most_rows, small.most_stats // self.target.n_stats)

    @cached_property
    def _subtrees(self) -> SubtreeSearch:
        return SubtreeSearch(
            self.encoded, self.recipe, self.target, self.store, self.workers, self.rules, self.small_node
        )


def rules_of(encoded: Encoded, recipe: Recipe, target: TargetStats) -> Rules:
    least = recipe.stop.least_leaf_weight(float(target.weights(target.whole)))
    unit = target.weight is None  # then weights are rows
    criterion = int(Criterion[recipe.criterion.upper()])
    return Rules(
        criterion=criterion,
        min_rows=max(recipe.stop.min_rows_leaf, least if unit else 1),
        min_weight=0 if unit else least,
        seed=-1 if recipe.tie == "first" else recipe.seed,
        table=counts_table(criterion, encoded.n_rows) if unit else NO_TABLE,
        unit=unit,
    )


def open_nodes(
    recipe: Recipe, target: TargetStats, store: RowStore, nodes: Frontier, *, every_column: bool = False
) -> OpenNodes:
    start, n = store.start(nodes), len(nodes)
    # Drawing among equals needs all of them, by its cost a test can beat one that splits better, and the column of a
    # perfect split may not be drawn.
    needs_all = every_column or recipe.draw is not None or recipe.tie != "first" or recipe.test_costs is not None
    ceiling = np.full(n, np.inf) if needs_all else target.ceiling(nodes.stats, recipe.criterion)
    settled = np.full(n, len(store.codes))
    return OpenNodes(nodes.id, start, start + nodes.rows, nodes.stats, target.slack(nodes.stats), ceiling, settled)


def new_finds(n: int) -> Finds:
    return Finds(np.empty(n), np.empty(n, np.int64), np.empty(n, np.uint8), np.empty(n, np.int64))


# ---- what was found --------------------------------------------------------------------------------------------------


def splits_of(
    encoded: Encoded, recipe: Recipe, store: RowStore, nodes: OpenNodes, column: int, finds: Finds, chosen: Ints
) -> FoundSplits:
    """The splits of the chosen nodes."""
    if column in store.sorted_columns:
        return _cut_of_list(encoded, store, nodes, column, finds, chosen)
    if encoded.schema.columns[column].kind is not Kind.NOMINAL:
        return _cut_of_codes(encoded, store, nodes, column, finds, chosen)
    style, n_codes = _STYLES[recipe.splits], store.n_codes[column]
    branch_of = unknown_branches(len(chosen), n_codes)
    if style == MULTIWAY:
        branch_of[:, 1:] = np.arange(n_codes - 1)
    by_bits = not (store.target.moments or (store.target.n_stats == 2 and recipe.criterion != "misclassification"))
    lay_out_levels(
        style, by_bits, store.codes[column], store.in_row_order, chosen, nodes, store.data, store.tally(column), finds,
        branch_of,
    )  # fmt: skip
    return found_levels(n_codes - 1 if style == MULTIWAY else 2, branch_of)


def unknown_branches(n: int, n_codes: int) -> Array:
    """Room for the branches of all codes at n nodes. Where no missing value is there, they go down the heaviest."""
    branch_of = np.full((n, n_codes), NO_ROWS, np.int32)
    branch_of[:, 0] = HEAVIEST
    return branch_of


def _cut_of_list(
    encoded: Encoded, store: RowStore, nodes: OpenNodes, column: int, finds: Finds, chosen: Ints
) -> FoundSplits:
    """The cut is after an entry of the sorted list."""
    entries, codes, last = store.sorted_columns[column], store.codes[column], finds.cut[chosen]
    has_more = last + 1 < nodes.stop[chosen]
    below, above = entries[last] >> store.bits, entries[last + has_more] >> store.bits
    beside = np.empty((len(last), 2), np.int64)
    beside[:, 0], beside[:, 1] = below, above
    beside[~has_more, 1] = -1
    edge = edges_of_rows(encoded, store, column, beside)
    if not store.has_missing[column]:
        return FoundSplits(2, codes[below], codes[above], edge=edge)
    first = entries[nodes.start[chosen]] >> store.bits
    to = np.where(codes[first] == 0, 1 - finds.missing_left[chosen].astype(np.int64), HEAVIEST)
    return FoundSplits(2, codes[below], np.where(has_more, codes[above], 0), to, edge=edge)


def _cut_of_codes(
    encoded: Encoded, store: RowStore, nodes: OpenNodes, column: int, finds: Finds, chosen: Ints
) -> FoundSplits:
    cut, (above, n_missing) = finds.cut[chosen], np.zeros((2, len(chosen)), np.int64)
    codes_above(store.codes[column], store.in_row_order, chosen, nodes, store.data, cut, above, n_missing)
    to = np.where(n_missing > 0, 1 - finds.missing_left[chosen].astype(np.int64), HEAVIEST)
    # Where only missing values are above the cut, all codes are below it.
    cut = np.where(above == 0, store.n_codes[column] - 1, cut)
    return FoundSplits(2, cut, above, to)
