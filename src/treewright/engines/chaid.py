"""The engine of CHAID: rows and nodes as in the local engine, columns by merged levels and adjusted p-values."""

from __future__ import annotations

import math
from dataclasses import replace
from functools import cached_property

import numpy as np

from treewright.data.encoded import Encoded
from treewright.data.schema import Kind
from treewright.engines.engine import Found, Frontier
from treewright.engines.local import LocalEngine
from treewright.engines.workers import Workers
from treewright.kernels.chaid import Merged, new_merged, resolve_merges, search_merges
from treewright.kernels.differences import Difference
from treewright.kernels.merging import Items, MergeRules, new_items
from treewright.kernels.nodes import Meaning, OpenNodes
from treewright.recipes.chaid import FLOATING, NOMINAL, ORDINAL, adjusted, significant
from treewright.recipes.recipe import Merging, Recipe
from treewright.split import Split
from treewright.tree.build import offsets
from treewright.tree.tree import SplitTest
from treewright.typing import Array, Floats, Ints, Mask

_EQUAL = 1e-12  # logarithms of p-values this close are equal


class ChaidEngine(LocalEngine):
    """Finds and applies the most significant splits of all open nodes of a round (see ``Engine``)."""

    def __init__(self, encoded: Encoded, recipe: Recipe, workers: Workers, min_rows_split: float) -> None:
        assert recipe.merging is not None
        super().__init__(encoded, recipe, workers)
        self.merging: Merging = recipe.merging
        self.min_rows_split = min_rows_split
        self.merge_rules = merge_rules(recipe.merging, self.target.units(), int(self._n_branches.max(initial=2)))

    # ---- set-up ------------------------------------------------------------------------------------------------

    @cached_property
    def _n_branches(self) -> Ints:
        """At most: every code a group of its own."""
        return np.array([column.n_codes for column in self.encoded.columns], np.int64)

    @cached_property
    def _is_ordered(self) -> Mask:
        return np.array([column.kind is not Kind.NOMINAL for column in self.encoded.schema.columns])

    @cached_property
    def _items(self) -> list[Items]:
        n_sums = 3 if self.merge_rules.scores.size else self.target.n_stats
        return [new_items(column.n_codes, n_sums) for column in self.encoded.columns]

    # ---- one round ---------------------------------------------------------------------------------------------

    def root(self) -> Frontier:
        return self._without_light(super().root())

    def split(self, frontier: Frontier, found: Found, taken: Ints, first_id: int) -> Frontier:
        return self._without_light(super().split(frontier, found, taken, first_id))

    def _without_light(self, nodes: Frontier) -> Frontier:
        """Nodes of too little weight are as good as pure."""
        weight = self.weight_of(nodes.stats)
        return replace(nodes, pure=nodes.pure | (weight < self.min_rows_split))

    def weight_of(self, stats: Ints) -> Floats:
        known = self.floats(stats)
        return known[:, 0] if self.target.bits == 0 else np.asarray(known.sum(-1))

    def best(self, frontier: Frontier) -> Found:
        """Merge every column at every open node, take the most significant, and say what its groups mean."""
        self.rows.begin_round(frontier, all_open=self.recipe.stop.max_leaves is None)
        start = self.rows.start(frontier)
        small = self._is_small(int(frontier.rows.sum()))
        merged, adjusted_p = self.compare(start, start + frontier.rows, small=small)
        column = self._most_significant(merged, adjusted_p)
        nodes = self._open_nodes(frontier)
        picked = column, np.arange(len(column))
        chosen = Merged(*(part[picked] for part in merged))
        meaning = self._resolved(column, np.where(column >= 0, chosen.groups, 0), nodes)
        test = np.stack([*self._test_parts(chosen), adjusted_p[picked]], axis=-1)
        edge_start, edges, branch_start, branch_of = thresholds(
            self.encoded, column, meaning.branch_start, meaning.branch_of
        )
        priority = self._gained(frontier.stats, meaning.stats, meaning.child_start)
        gain = priority / self.target.weights(frontier.stats)
        return Found(
            np.where(self.recipe.worth_taking(gain), column, -1), gain, priority, meaning.edge, meaning.n_missing,
            meaning.child_start, meaning.stats, meaning.rows, branch_start, branch_of, edge_start, edges, test,
        )  # fmt: skip

    def compare(self, start: Ints, stop: Ints, *, small: bool = False) -> tuple[Merged, Floats]:
        """What every column comes to at every node (columns × nodes), and the logarithms of the adjusted p-values."""
        merged = self._merged(start, stop, small)
        kind = np.where(merged.floating, FLOATING, np.where(self._is_ordered, ORDINAL, NOMINAL)[:, None])
        return merged, adjusted(merged.log_p, merged.levels, merged.groups, kind, self.merging)

    def _merged(self, start: Ints, stop: Ints, small: bool) -> Merged:
        merged = new_merged(len(self.encoded.columns), len(start))

        def search(j: int, worker: int) -> None:
            self.rows.column(j, worker)
            mine = Merged(*(part[j] for part in merged))
            entries, tally, ordered = self.rows.in_row_order, self._tallies[j], bool(self._is_ordered[j])
            nodes = start, stop, self.rows.data, ordered, self.merge_rules
            search_merges(self.rows.codes[j], entries, *nodes, tally, self._items[j], mine)

        self.workers.each(len(self.encoded.columns), search, small=small)
        return merged

    def candidates(self) -> list[tuple[SplitTest, Split | None]]:
        """How every column would split all rows, significant or not; None: it has no two groups to split into."""
        root = self.root()
        merged, adjusted_p = self.compare(np.zeros(1, np.int64), root.rows)
        tests = np.stack([*self._test_parts(merged), adjusted_p], axis=-1)[:, 0]
        splits = (self._split_by(j, int(groups), root) for j, groups in enumerate(merged.groups[:, 0]))
        return [(SplitTest(*test.tolist()), split) for test, split in zip(tests, splits)]

    def _split_by(self, j: int, groups: int, root: Frontier) -> Split | None:
        if not groups:
            return None
        column = np.array([j])
        meaning = self._resolved(column, np.array([groups]), self._open_nodes(root))
        _, edges, _, branch_of = thresholds(self.encoded, column, meaning.branch_start, meaning.branch_of)
        return Split(j, edges, branch_of)

    def _most_significant(self, merged: Merged, adjusted_p: Floats) -> Ints:
        return most_significant(adjusted_p, merged.groups, self.merging)

    def _test_parts(self, chosen: Merged) -> list[Floats]:
        kind = np.full(chosen.log_p.shape, float(self.merge_rules.test))
        return [kind, chosen.statistic, chosen.freedom, chosen.within, chosen.log_p]

    def _resolved(self, column: Ints, groups: Ints, nodes: OpenNodes) -> Meaning:
        codes = np.where(column >= 0, self._n_branches[column], 0)
        meaning = self._meaning(offsets(groups), offsets(codes))
        for j in np.unique(column[column >= 0]).tolist():
            self._resolve_column(j, np.flatnonzero(column == j), nodes, meaning)
        return meaning

    def _resolve_column(self, j: int, chosen: Ints, nodes: OpenNodes, meaning: Meaning) -> None:
        coded, entries = self.rows.codes[j], self.rows.in_row_order
        rules = bool(self._is_ordered[j]), self.merge_rules
        resolve_merges(
            coded, entries, chosen, nodes, self.rows.data, *rules,
            self._tallies[j], self._items[j], self.rows.side, meaning,
        )  # fmt: skip


def merge_rules(merging: Merging, unit: Floats, most_codes: int) -> MergeRules:
    """As kernels take them; ``unit`` is what one of the engine's integers is worth."""
    resplit = math.log(merging.alpha_resplit) if merging.alpha_resplit else -math.inf
    most = merging.max_branches or most_codes + 1
    return MergeRules(
        int(Difference[merging.test.upper()]), math.log(merging.alpha_merge), resplit, merging.exhaustive, most,
        float(merging.min_rows), float(merging.small_share), np.array(merging.scores, np.float64), unit,
    )  # fmt: skip


def most_significant(adjusted_p: Floats, groups: Ints, merging: Merging) -> Ints:
    """The column of the smallest adjusted p at every node, the first of equals; -1 if none is significant."""
    if not len(adjusted_p):
        return np.full(adjusted_p.shape[1], -1)
    usable = np.where(significant(adjusted_p, groups, merging), adjusted_p, np.inf)
    top = usable.min(0)
    slack = _EQUAL * np.maximum(1.0, np.abs(np.where(np.isfinite(top), top, 1.0)))
    return np.where(top < np.inf, (usable <= top + slack).argmax(0), -1)


def thresholds(
    encoded: Encoded, column: Ints, branch_start: Ints, branches_of: Array
) -> tuple[Ints, Floats, Ints, Array]:
    """Bins of a numeric column that go the same way are joined: edges, and a branch for each interval between."""
    edges: list[Floats] = []
    branches: list[Array] = []
    for f, j in enumerate(column.tolist()):
        branch_of = branches_of[branch_start[f] : branch_start[f + 1]]
        numeric = j >= 0 and encoded.schema.columns[j].kind is Kind.NUMERIC
        apart = np.flatnonzero(np.diff(branch_of[1:])) if numeric else np.empty(0, np.int64)
        cut = encoded.columns[j].highs[apart] if numeric else np.empty(0)
        if numeric:
            kept = branch_of[1:][np.append(apart, -1)]
            # Known or missing: an edge that every number is below.
            branch_of = np.concatenate([branch_of[:1], kept, kept[-1:] if not apart.size else kept[:0]])
            cut = cut if apart.size else np.array([np.inf])
        edges.append(cut)
        branches.append(branch_of)
    return offsets(_sizes(edges)), _joined(edges), offsets(_sizes(branches)), _joined(branches)


def _sizes(pieces: list[Array]) -> Ints:
    return np.array([len(piece) for piece in pieces], np.int64)


def _joined(pieces: list[Array]) -> Array:
    return np.concatenate(pieces) if pieces else np.empty(0)
