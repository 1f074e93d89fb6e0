"""The engine of C4.5: cases with missing values go down every branch by share, and the gain ratio chooses."""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property

import numpy as np

from treewright.data.encoded import Encoded
from treewright.data.schema import Kind
from treewright.engines.cases import CaseStore
from treewright.engines.engine import Found, Frontier
from treewright.engines.fixed_point import to_fine
from treewright.engines.paid import Paid
from treewright.engines.target import ClassStats
from treewright.engines.workers import Workers
from treewright.kernels.cases import CUT, GROUPS, MULTIWAY, ONE_VS_REST, Tests, resolve_tests
from treewright.kernels.count import new_tally
from treewright.kernels.groups import new_blocks, search_groups
from treewright.kernels.ratio import (
    Best,
    RatioRules,
    search_levels,
    search_list,
    search_one_level,
    search_tallied_cuts,
)
from treewright.recipes.recipe import Ratio, Recipe, Splits
from treewright.split import EVERY_BRANCH
from treewright.tree.build import offsets
from treewright.typing import Array, Floats, Ints, Mask

_SMALL = 20_000  # cells below which a round is not worth waking other threads for
_KINDS = {Splits.MULTIWAY: MULTIWAY, Splits.ONE_VS_REST: ONE_VS_REST}
_NO_GROUPS = np.empty((1, 1), np.int32)
_FINE = 64.0  # numbers below this are less than the gap of C4.5 apart in 32 bits


class FractionalEngine:
    """Finds and applies the best tests of all open nodes of a round (see ``Engine``), level by level."""

    moments = False

    def __init__(self, encoded: Encoded, recipe: Recipe, workers: Workers) -> None:
        assert recipe.ratio is not None
        self.encoded = encoded
        self.recipe = recipe
        self.ratio: Ratio = recipe.ratio
        self.workers = workers
        weights = np.ones(encoded.n_rows) if encoded.weights is None else encoded.weights
        fixed = to_fine(weights)
        self.target = ClassStats(encoded.y, encoded.n_classes, fixed, encoded.class_factors)
        self.store = CaseStore(encoded, fixed, workers)
        ratio = self.ratio
        # Costs and priors shall not forbid a branch of enough rows, whatever its classes.
        lightest = 1.0 if encoded.class_factors is None else float(encoded.class_factors.min())
        min_cases = ratio.min_cases * lightest
        self.rules = RatioRules(
            1 / fixed.scale, min_cases, ratio.slack, ratio.tolerance, ratio.gap, ratio.mdl, ratio.by_ratio,
            ratio.narrow,
        )  # fmt: skip
        self._groups: dict[int, Array] = {}
        self.paid = None if recipe.prices is None else Paid(recipe.prices)
        self._tests: Tests | None = None
        self._side = np.empty(0, np.int32)

    # ---- set-up ------------------------------------------------------------------------------------------------

    def _kind(self, j: int) -> int:
        column = self.encoded.schema.columns[j]
        if column.kind is not Kind.NOMINAL:
            return CUT
        if self.recipe.splits is Splits.GROUPS:
            return GROUPS if len(column.levels) > 2 else MULTIWAY
        return _KINDS[self.recipe.splits]

    @cached_property
    def _kinds(self) -> Ints:
        return np.array([self._kind(j) for j in range(len(self.encoded.columns))], np.int64)

    @cached_property
    def _is_numeric(self) -> Mask:
        return np.array([column.kind is Kind.NUMERIC for column in self.encoded.schema.columns])

    @cached_property
    def _n_codes(self) -> Ints:
        return np.array([column.n_codes for column in self.encoded.columns], np.int64)

    @cached_property
    def _values(self) -> list[Floats]:
        """The number that each code of an ordered column stands for; that of code 0 means nothing."""
        return [self._values_of(j) for j in range(len(self.encoded.columns))]

    def _values_of(self, j: int) -> Floats:
        column = self.encoded.columns[j]
        if not self._is_numeric[j]:
            return np.arange(column.n_codes, dtype=np.float64)
        values = np.full(column.n_codes, -np.inf)
        if column.lows.size:
            values[1:] = column.lows
        elif column.numbers is not None:
            values[column.codes] = column.numbers
        return values

    @cached_property
    def _rounded(self) -> list[Floats]:
        """The same numbers as they are compared with the middle of a cut: C4.5 reads them into 32 bits."""
        return [_in_32_bits(values) for values in self._values] if self.ratio.narrow else self._values

    @cached_property
    def _seen(self) -> list[Floats]:
        """The same numbers as neighbours are told apart. Large ones are not rounded: 32 bits would make them equal."""
        if not self.ratio.narrow:
            return self._values
        return [np.where(abs(x) < _FINE, y, x) for x, y in zip(self._values, self._rounded, strict=True)]

    def _widest(self, j: int) -> int:
        """A power of two by which no two codes are apart whose numbers are closer than the gap."""
        values, widest = self._seen[j][1:], 1
        while widest < len(values) and (values[widest:] - values[:-widest] <= self.ratio.gap).any():
            widest *= 2
        return widest

    @cached_property
    def _widths(self) -> dict[int, int]:
        return {j: self._widest(j) for j in self.store.listed}

    @cached_property
    def _counts_in_average(self) -> Mask:
        """Columns of very many levels have large gains for nothing; they count only if there are no others, or where
        levels are grouped."""
        few = (
            (self._kinds == CUT)
            | (self._kinds == GROUPS)
            | (self._n_codes - 1 < self.ratio.many_levels * self.encoded.n_rows)
        )
        return np.asarray(few if few.any() else ~few)

    def floats(self, stats: Ints) -> Floats:
        return self.target.floats(stats)

    # ---- one round ---------------------------------------------------------------------------------------------

    def root(self) -> Frontier:
        stats = self.target.totals()[None, :]
        zero = np.zeros(1, np.int64)
        return Frontier(zero, zero, np.array([self.encoded.n_rows]), stats, self._is_settled(stats))

    def _is_settled(self, stats: Ints) -> Mask:
        """One class, or too little weight for two branches."""
        weights = self.floats(stats)
        total, tolerance = weights.sum(-1), self.ratio.tolerance
        return np.asarray((total - weights.max(-1) <= tolerance) | (total < 2 * self.ratio.min_cases - tolerance))

    def best(self, frontier: Frontier) -> Found:
        small = int(frontier.rows.sum()) * len(self.encoded.columns) < _SMALL
        best = self._search(frontier, small)
        column, score = self._select(best, frontier.id)
        picked = np.arange(len(column))
        cut, above = best.cut[column, picked], best.above[column, picked]
        tests = self._resolve(column, cut, frontier)
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
        store, kind = self.store, self._kinds[j]
        nodes = store.start, store.stop, totals, self.rules
        if j in store.listed:
            search_list(
                *store.listed[j], self._seen[j], self._widths[j], store.cases.weight, store.cases.label, *nodes, mine
            )
            return
        codes, tally = self.encoded.columns[j].codes, new_tally(int(self._n_codes[j]), self.target.n_stats)
        if kind == CUT:
            search_tallied_cuts(codes, self._seen[j], store.cases, *nodes, tally, mine)
        elif kind == GROUPS:
            self._groups[j] = np.empty((len(store.start), int(self._n_codes[j])), np.int32)
            blocks = new_blocks(int(self._n_codes[j]), self.target.n_stats)
            search_groups(codes, store.cases, *nodes, tally, blocks, self._groups[j], mine)
        else:
            (search_levels if kind == MULTIWAY else search_one_level)(codes, store.cases, *nodes, tally, mine)

    def _select(self, best: Best, ids: Ints) -> tuple[Ints, Floats]:
        """Column and score at every node: the first whose ratio leads, among those of at least average gain.

        Where tests have prices the ratio (or gain) is what it is worth by them.
        """
        usable = best.gain > -np.inf
        counted = usable & self._counts_in_average[:, None]
        gains, n = np.where(counted, best.gain, 0.0).sum(0), counted.sum(0)
        average = np.divide(gains, n, out=np.full(len(n), np.inf), where=n > 0)
        informed = usable & (best.info > self.ratio.min_info)
        if self.ratio.by_ratio:
            informed &= best.gain >= average - self.ratio.near_average
            worth = np.divide(best.gain, best.info, out=np.zeros_like(best.gain), where=informed)
            worth = worth.astype(np.float32).astype(np.float64) if self.ratio.narrow else worth
        else:
            worth = best.gain
        priced = worth if self.paid is None else self.paid.worth(worth, ids)
        column, top = np.full(len(n), -1), np.full(len(n), self.ratio.least - self.ratio.lead)
        for j in range(len(usable)):
            leads = informed[j] & (priced[j] > top + self.ratio.lead)
            column[leads], top[leads] = j, priced[j][leads]
        return column, np.where(column >= 0, worth[column, np.arange(len(n))], top)

    def _resolve(self, column: Ints, cut: Ints, frontier: Frontier) -> Tests:
        """Send the cases of every node that is split to its branches, for their statistics."""
        n_branches = np.where(self._kinds == MULTIWAY, self._n_codes - 1, 2)[column]
        n_branches = np.where(self._kinds[column] == GROUPS, cut, n_branches)
        child_start = offsets(np.where(column >= 0, n_branches, 0))
        n = int(child_start[-1])
        tests = Tests(
            cut, child_start, np.zeros(len(column), np.int64), np.zeros(n, np.int64),
            np.zeros((n, self.target.n_stats), np.int64), np.zeros(n, np.int64),
        )  # fmt: skip
        self._side = np.zeros(len(self.store.cases.row), np.int32)
        for j in np.unique(column[column >= 0]):
            codes, chosen = self.encoded.columns[j].codes, np.flatnonzero(column == j)
            nodes = self.store.start, self.store.stop, self.store.cases
            groups = self._groups.get(int(j), _NO_GROUPS)
            resolve_tests(self._kinds[j], codes, groups, chosen, *nodes, tests, self._side)
        return tests

    def _edges(self, column: Ints, cut: Ints, above: Ints) -> Floats:
        """Thresholds: the middle between the numbers beside the cut, or the largest training value below it."""
        edges = np.full(len(column), np.nan)
        for j in np.unique(column[self._is_numeric[column] & (column >= 0)]):
            here, values = column == j, self._values[j]
            low, high = values[cut[here]], values[above[here]]
            middle = low / 2 + high / 2
            between = (low <= middle) & (middle < high)
            if self.ratio.at_values:
                middle = np.clip(
                    values[self._last_below_middle(j, cut[here], above[here])], low, values[above[here] - 1]
                )
            edges[here] = np.where(between, middle, low)
        return edges

    def _last_below_middle(self, j: int, cut: Ints, above: Ints) -> Ints:
        """Codes of the largest training values up to the middle of cuts."""
        seen = self._rounded[j]
        middle = seen[cut] / 2 + seen[above] / 2
        middle = _in_32_bits(middle) if self.ratio.narrow else middle + self.ratio.tolerance
        return np.searchsorted(seen[1:], middle, side="right")

    def _branches(self, column: Ints, cut: Ints) -> tuple[Ints, Array]:
        """The branch of every code: missing values take every branch."""
        sizes = np.where(column >= 0, np.where(self._is_numeric, 3, self._n_codes)[column], 0)
        start = offsets(sizes)
        code = np.arange(start[-1]) - np.repeat(start[:-1], sizes)
        kind, cut = (np.repeat(x, sizes) for x in (self._kinds[column], np.where(self._is_numeric[column], 1, cut)))
        branches = np.where(kind == MULTIWAY, code - 1, np.where(kind == CUT, code > cut, code != cut))
        for f in np.flatnonzero((column >= 0) & (self._kinds[column] == GROUPS)):
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


def _in_32_bits(values: Floats) -> Floats:
    """Rounded to 32 bits where that is a number."""
    with np.errstate(over="ignore"):
        small = values.astype(np.float32).astype(np.float64)
    return np.where(np.isfinite(small), small, values)
