"""The engine of C4.5: cases with missing values go down every branch by share, and the gain ratio chooses."""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property

import numpy as np

from treewright.data.encoded import Encoded
from treewright.engines.cases import CaseStore
from treewright.engines.engine import Found, Frontier
from treewright.engines.fixed_point import to_fine
from treewright.engines.paid import Paid
from treewright.engines.ratio import RatioChoice
from treewright.engines.target_stats import ClassStats
from treewright.engines.workers import Workers
from treewright.kernels.cases import CUT, GROUPS, MULTIWAY, Tests, resolve_tests
from treewright.kernels.count import new_tally
from treewright.kernels.groups import new_blocks, search_groups
from treewright.kernels.ratio import Best, search_levels, search_one_level, search_tallied_cuts
from treewright.kernels.ratio_list import search_list
from treewright.recipe.recipe import Recipe
from treewright.split import EVERY_BRANCH
from treewright.tree.build import offsets
from treewright.typing import Array, Floats, Ints, Mask

_SMALL = 20_000  # cells below which a round is not worth waking other threads for
_NO_MORE = np.empty(0)
_NO_GROUPS = np.empty((1, 1), np.int32)


class FractionalEngine:
    """Finds and applies the best tests of all open nodes of a round (see ``Engine``), level by level."""

    moments = False

    def __init__(self, encoded: Encoded, recipe: Recipe, workers: Workers) -> None:
        self.encoded = encoded
        self.recipe = recipe
        self.choice = RatioChoice(encoded, recipe)
        self.workers = workers
        weights = np.ones(encoded.n_rows) if encoded.weights is None else encoded.weights
        fixed = to_fine(weights)
        self.target = ClassStats(encoded.y, encoded.n_classes, fixed, encoded.class_factors)
        self.store = CaseStore(encoded, fixed, workers)
        self.rules = self.choice.rules(1 / fixed.scale)
        self._groups: dict[int, Array] = {}
        self.paid = None if recipe.prices is None else Paid(recipe.prices)
        self._tests: Tests | None = None
        self._side = np.empty(0, np.int32)

    # ---- set-up ------------------------------------------------------------------------------------------------

    def _widest(self, j: int) -> int:
        """A power of two by which no two codes are apart whose numbers are closer than the gap."""
        values, widest = self.choice.seen[j][1:], 1
        while widest < len(values) and (values[:-widest] + self.choice.ratio.gap >= values[widest:]).any():
            widest *= 2
        return widest

    @cached_property
    def _widths(self) -> dict[int, int]:
        return {j: self._widest(j) for j in self.store.listed}

    def floats(self, stats: Ints) -> Floats:
        return self.target.floats(stats)

    # ---- one round ---------------------------------------------------------------------------------------------

    def root(self) -> Frontier:
        stats = self.target.totals()[None, :]
        zero = np.zeros(1, np.int64)
        return Frontier(zero, zero, np.array([self.encoded.n_rows]), stats, self._is_settled(stats))

    def _is_settled(self, stats: Ints) -> Mask:
        return self.choice.is_settled(self.floats(stats))

    def best(self, frontier: Frontier) -> Found:
        small = int(frontier.rows.sum()) * len(self.encoded.columns) < _SMALL
        best = self._search(frontier, small)
        column, score = self.choice.select(best.gain, best.info, self.paid, frontier.id)
        picked = np.arange(len(column))
        cut, above = best.cut[column, picked], best.above[column, picked]
        tests = self._resolve(column, cut, small)
        self._tests = tests
        branch_start, branch_of = self._branches(column, cut)
        return Found(
            column, score, score * self.target.weights(frontier.stats), self._edges(column, cut, above),
            tests.n_missing, tests.child_start, tests.stats, tests.rows, branch_start, branch_of,
        )  # fmt: skip

    def _search(self, frontier: Frontier, small: bool) -> Best:
        shape = (len(self.encoded.columns), len(frontier))
        found = Best(np.empty(shape), np.empty(shape), np.empty(shape, np.int64), np.empty(shape, np.int64))
        store = self.store

        def search(j: int, worker: int) -> None:
            store.column(j)
            mine = Best(*(part[j] for part in found))
            self._search_column(j, frontier.stats, mine)

        self.workers.each(shape[0], search, small=small)
        return found

    def _search_column(self, j: int, totals: Ints, mine: Best) -> None:
        store, kind = self.store, self.choice.kinds[j]
        nodes = store.start, store.stop, totals, self.rules
        if j in store.listed:
            search_list(
                *store.listed[j],
                self.choice.seen[j],
                self._widths[j],
                store.cases.weight,
                store.cases.label,
                *nodes,
                mine,
            )
            return
        codes, tally = self.encoded.columns[j].codes, new_tally(int(self.choice.n_codes[j]), self.target.n_stats)
        if kind == CUT:
            search_tallied_cuts(codes, self.choice.seen[j], store.cases, *nodes, tally, mine)
        elif kind == GROUPS:
            self._groups[j] = np.empty((len(store.start), int(self.choice.n_codes[j])), np.int32)
            blocks = new_blocks(int(self.choice.n_codes[j]), self.target.n_stats)
            search_groups(codes, store.cases, *nodes, tally, blocks, _NO_MORE, self._groups[j], mine)
        else:
            (search_levels if kind == MULTIWAY else search_one_level)(codes, store.cases, *nodes, tally, mine)

    def _resolve(self, column: Ints, cut: Ints, small: bool) -> Tests:
        """Send the cases of every node that is split to its branches, for their statistics."""
        n_branches = np.where(self.choice.kinds == MULTIWAY, self.choice.n_codes - 1, 2)[column]
        n_branches = np.where(self.choice.kinds[column] == GROUPS, cut, n_branches)
        child_start = offsets(np.where(column >= 0, n_branches, 0))
        n = int(child_start[-1])
        tests = Tests(
            cut, child_start, np.zeros(len(column), np.int64), np.zeros(n, np.int64),
            np.zeros((n, self.target.n_stats), np.int64), np.zeros(n, np.int64),
        )  # fmt: skip
        self._side = np.zeros(len(self.store.cases.row), np.int32)
        chosen = np.unique(column[column >= 0])

        def resolve(k: int, worker: int) -> None:
            j, nodes = int(chosen[k]), (self.store.start, self.store.stop, self.store.cases)
            codes, groups = self.encoded.columns[j].codes, self._groups.get(j, _NO_GROUPS)
            resolve_tests(self.choice.kinds[j], codes, groups, np.flatnonzero(column == j), *nodes, tests, self._side)

        self.workers.each(len(chosen), resolve, small=small)
        return tests

    def _edges(self, column: Ints, cut: Ints, above: Ints) -> Floats:
        edges = np.full(len(column), np.nan)
        for j in np.unique(column[self.choice.is_numeric[column] & (column >= 0)]):
            here = column == j
            edges[here] = self.choice.edges(int(j), cut[here], above[here])
        return edges

    def _branches(self, column: Ints, cut: Ints) -> tuple[Ints, Array]:
        """The branch of every code: missing values take every branch."""
        sizes = np.where(column >= 0, np.where(self.choice.is_numeric, 3, self.choice.n_codes)[column], 0)
        start = offsets(sizes)
        code = np.arange(start[-1]) - np.repeat(start[:-1], sizes)
        kind, cut = (
            np.repeat(x, sizes) for x in (self.choice.kinds[column], np.where(self.choice.is_numeric[column], 1, cut))
        )
        branches = np.where(kind == MULTIWAY, code - 1, np.where(kind == CUT, code > cut, code != cut))
        for f in np.flatnonzero((column >= 0) & (self.choice.kinds[column] == GROUPS)):
            branches[start[f] : start[f + 1]] = self._groups[int(column[f])][f]
        branches[code == 0] = EVERY_BRANCH
        return start, branches.astype(np.int32)

    def split(self, frontier: Frontier, found: Found, taken: Ints, first_id: int) -> Frontier:
        """All branches of the taken nodes, which are all nodes that have some."""
        n_branches = np.diff(found.child_start)[taken]
        depth = np.repeat(frontier.depth[taken] + 1, n_branches)
        ids = np.arange(first_id, first_id + len(found.rows))
        if self.paid is not None:
            self.paid.split(frontier.id[taken], found.column[taken], n_branches)
        return Frontier(ids, depth, found.rows, found.stats, self._is_settled(found.stats))

    def route(self, frontier: Frontier, found: Found, taken: Ints, children: Frontier, wanted: Mask) -> Frontier:
        assert self._tests is not None
        if wanted.any():
            kept = replace(children, rows=np.where(wanted, children.rows, 0))
            self.store.route(self._tests, self._side, taken, kept)
        return children[np.flatnonzero(wanted)]
