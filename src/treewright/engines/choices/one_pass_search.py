"""The plain pair's search in one pass over the rows of a column, by hot loops: for work of some seconds, in which the
kernels of the compiled engine would take longer to compile than the work takes.

Columns that the loops do not know are searched as ever.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from treewright.criteria.masses import masses, xlogx_table
from treewright.data.encoded import Encoded
from treewright.data.schema import Kind
from treewright.engines.choices.choice import Best
from treewright.engines.choices.proposals import FoundSplits, found_levels
from treewright.engines.choices.score_choice import ScoreChoice
from treewright.engines.choices.stacked_columns import StackedColumns
from treewright.engines.engine import Subtrees
from treewright.engines.stores.plain_store import PlainStore
from treewright.engines.stores.store import HEAVIEST, NO_ROWS, Frontier
from treewright.kernels import cache, switch
from treewright.kernels.jit import Kernel
from treewright.kernels.search.mass import Criterion
from treewright.kernels.search.one_pass import (
    ABOVE,
    BEFORE,
    CUT,
    LEFT,
    MISSING_LEFT,
    ROWS,
    SCORE,
    SEEN,
    SLACK,
    cuts_of_classes,
    cuts_of_numbers,
    sets_of_levels,
)
from treewright.kernels.store_kernels.partition import partition
from treewright.recipe_parts.missing import Missing
from treewright.recipe_parts.recipe import ByScore, Recipe, Splits
from treewright.tree.build import offsets
from treewright.typing import Array, Floats, Ints

LOOPS = (cuts_of_classes, cuts_of_numbers, sets_of_levels)
_CRITERIA = ("gini", "entropy", "squared_error")
_MOST_LEVELS = 256  # which are put in order one by one
_MANY_GONE = 0.7  # lists are made anew when so few of their rows are left
_SHARE_OF_PLAIN = 0.15  # of the time that columns take without the loops


def serves(encoded: Encoded, recipe: Recipe) -> bool:
    """Whether splits are judged by nothing but a score that the loops know, and every row counts once, at one node."""
    choice = recipe.choice
    if not isinstance(choice, ByScore) or recipe.criterion not in _CRITERIA or recipe.tie != "first":
        return False
    otherwise = choice.select, choice.score, recipe.constraints, recipe.draw, encoded.weights
    if any(piece is not None for piece in otherwise) or choice.above_average:
        return False
    return not recipe.stop.min_weight_fraction_leaf and set(recipe.missing) <= {Missing.LEARNED, Missing.ERROR}


def loop_of(encoded: Encoded, recipe: Recipe, column: int) -> Kernel | None:
    """What searches a column; None: the plain pair does."""
    numbers = encoded.schema.target.classes is None
    if encoded.schema.columns[column].kind is not Kind.NOMINAL:
        return cuts_of_numbers if numbers else cuts_of_classes
    along_one_order = recipe.splits is Splits.SUBSET and (numbers or encoded.n_classes == 2)
    return sets_of_levels if along_one_order and encoded.columns[column].n_codes <= _MOST_LEVELS else None


def seconds_with_loops(encoded: Encoded, recipe: Recipe, seconds: float, *, expected: bool = False) -> float:
    """How long work of so many seconds takes once those loops are compiled that pay for it: here they are.

    ``expected``: the work is about to begin, and will be added up when it is done.
    """
    if not serves(encoded, recipe) or cache.holds((partition,)):  # those of the compiled engine are loaded sooner
        return seconds
    ask = switch.expect_hot if expected else switch.compile_hot
    loops = [loop_of(encoded, recipe, j) for j in range(len(encoded.columns))]
    shares = {loop: seconds * loops.count(loop) / len(loops) for loop in LOOPS if loop in loops}
    saved = sum(share for loop, share in shares.items() if ask(share, loop))
    return seconds - saved * (1 - _SHARE_OF_PLAIN)


@dataclass(frozen=True)
class RowsInOrder:
    """The rows of a column by code, and their codes. Rows that have come to a leaf may be gone."""

    row: Array  # int32
    code: Array  # int32

    def open(self, node_of: Array, n_open: int) -> RowsInOrder:
        if n_open > _MANY_GONE * len(self.row):
            return self
        here = node_of[self.row] >= 0
        return RowsInOrder(self.row[here], self.code[here])


class OnePassSearch:
    """See ``Shortcut``. Of a ``PlainStore`` and a ``ScoreChoice``."""

    def __init__(
        self,
        encoded: Encoded,
        recipe: Recipe,
        store: PlainStore,
        choice: ScoreChoice,
        may_run: Callable[[Kernel], bool],
    ) -> None:
        self.encoded, self.recipe, self.store, self.target = encoded, recipe, store, store.target
        self.table = self._table()
        self.loops = {j: loop for j in self._columns() if (loop := loop_of(encoded, recipe, j)) and may_run(loop)}
        self.others = StackedColumns(encoded, recipe, store, choice, leave_out=self.loops.keys())
        self.min_rows = max(recipe.stop.min_rows_leaf, 1)
        self.lists: dict[int, RowsInOrder] = {}
        self.codes: dict[int, Array] = {}
        moments, labels = self.target.moments, self.target.labels.astype(np.int32)
        self.added = self.target.case_amounts[:, 1] if moments else labels  # what rows add, or to which of the counts
        self.moment = self.added.copy() if moments else (labels == 1).astype(np.int64)

    def _table(self) -> Floats | None:
        asked = self.recipe.criterion == "entropy"
        return xlogx_table(int(self.target.int_weights(self.target.whole))) if asked else np.zeros(1)

    def _columns(self) -> range:
        return range(0 if self.table is None else len(self.encoded.columns))

    def serves(self, column: int) -> bool:
        return column in self.loops or self.others.serves(column)

    def begin(self, nodes: Frontier, *, every_column: bool = False) -> None:
        self.others.begin(nodes, every_column=every_column)
        cases, self.nodes, self.slack = self.store.cases, nodes, self.target.slack(nodes.stats)
        self.total = nodes.stats[:, 1:2] if self.target.moments else nodes.stats
        self.row_at = np.column_stack([np.full_like(self.added, -1), self.added])
        self.row_at[cases.row, 0] = cases.node
        self.node_of = self.row_at[:, 0]
        if sets_of_levels in self.loops.values():
            self.by_node = cases.row[np.argsort(cases.node, kind="stable")].astype(np.int32)
            self.start = offsets(nodes.rows)

    def finish(self, nodes: Frontier) -> tuple[Frontier, Frontier, Subtrees | None]:
        """All nodes are split in rounds."""
        return nodes, nodes[np.empty(0, np.int64)], None

    def search(self, column: int, worker: int) -> Best:
        loop = self.loops.get(column)
        if loop is None:
            return self.others.search(column, worker)
        return self._best_sets(column) if loop is sets_of_levels else self._best_cuts(column)

    # ---- cuts ------------------------------------------------------------------------------------------------------

    def _best_cuts(self, column: int) -> Best:
        """Missing values are on the right at first, then alone on the right, and then on the left."""
        nodes, coded = self.nodes, self.encoded.columns[column]
        self.lists[column] = rows = self._list(column).open(self.node_of, len(self.store.cases))
        scores, cuts = np.full((len(nodes), 2), -np.inf), np.zeros((len(nodes), 3), np.int64)
        scores[:, SLACK], score = self.slack, scores[:, SCORE]
        self._try_cuts(rows, self._node_table(), scores, cuts, missing_left=False)
        n_missing, both = np.zeros(len(nodes), np.int64), np.empty(0, np.int64)
        if coded.has_missing:
            n_missing, missing = self._missing(rows)
            both = np.flatnonzero((n_missing > 0) & (n_missing < nodes.rows))
        if len(both):
            self._try_known(both, n_missing, missing, scores, cuts, coded.n_codes - 1)
            table = self._node_table(n_missing, missing)
            self._try_cuts(rows, table, scores, cuts, missing_left=True)

        def splits(chosen: Ints) -> FoundSplits:
            to = np.where(n_missing[chosen] > 0, 1 - cuts[chosen, MISSING_LEFT], HEAVIEST)
            return FoundSplits(2, cuts[chosen, CUT], cuts[chosen, ABOVE], to)

        return Best(score, (score > -np.inf).astype(np.int64), splits)

    def _node_table(self, n_missing: Ints | None = None, missing: Ints | None = None) -> Ints:
        """What a loop keeps of the nodes, before their lowest cut; with missing values on the left of those that have
        some, and no others."""
        k = self.total.shape[1]
        table = np.zeros((len(self.nodes), LEFT + 2 * k), np.int64)
        table[:, ROWS], table[:, LEFT + k :] = self.nodes.rows, self.total
        if n_missing is not None:
            table[:, BEFORE], table[:, SEEN], table[:, LEFT : LEFT + k] = 0, n_missing, missing
            table[n_missing == 0, BEFORE] = -1
        return table

    def _try_cuts(self, rows: RowsInOrder, table: Ints, scores: Floats, cuts: Ints, *, missing_left: bool) -> None:
        told = rows.row, rows.code, self.row_at, table, scores, cuts
        if self.target.moments:
            cuts_of_numbers(*told, self.min_rows, missing_left)
        else:
            cuts_of_classes(*told, self.table, self.recipe.criterion == "entropy", self.min_rows, missing_left)

    def _try_known(
        self, both: Ints, n_missing: Ints, missing: Ints, scores: Floats, cuts: Ints, last_code: int
    ) -> None:
        n_known = self.nodes.rows - n_missing
        both = both[(n_known[both] >= self.min_rows) & (n_missing[both] >= self.min_rows)]
        known = self._mass(n_known[both], (self.total - missing)[both])
        found = known + self._mass(n_missing[both], missing[both])
        better = found > scores[both].sum(1)
        scores[both[better], SCORE], cuts[both[better]] = found[better], (last_code, 0, 0)

    def _mass(self, n_rows: Ints, sums: Ints) -> Floats:
        stats = np.column_stack([n_rows, sums]) if self.target.moments else sums
        return masses(stats, self.recipe.criterion)

    def _missing(self, rows: RowsInOrder) -> tuple[Ints, Ints]:
        """Of every node the rows that are missing, and what they add."""
        row, sums = rows.row[: np.searchsorted(rows.code, 1)], np.zeros_like(self.total)
        node = self.node_of[row].astype(np.int64)
        row, node = row[node >= 0], node[node >= 0]
        if self.target.moments:
            np.add.at(sums[:, 0], node, self.added[row])
        else:
            np.add.at(sums, (node, self.added[row]), 1)
        return np.bincount(node, minlength=len(sums)), sums

    def _list(self, column: int) -> RowsInOrder:
        if column in self.lists:
            return self.lists[column]
        coded = self.encoded.columns[column]
        order = np.array(np.argsort(coded.codes, kind="stable") if coded.order is None else coded.order, np.int32)
        return RowsInOrder(order, coded.codes[order].astype(np.int32))

    # ---- sets of levels --------------------------------------------------------------------------------------------

    def _best_sets(self, column: int) -> Best:
        n, coded = len(self.nodes), self.encoded.columns[column]
        if column not in self.codes:
            self.codes[column] = coded.codes.astype(np.int32)
        score, branch_of = np.full(n, -np.inf), np.full((n, coded.n_codes), NO_ROWS, np.int32)
        branch_of[:, 0] = HEAVIEST
        count, levels = np.zeros((2, coded.n_codes), np.int64)
        sums, means = np.zeros(coded.n_codes, np.int64), np.empty(coded.n_codes)
        sets_of_levels(
            self.by_node, self.start, self.codes[column], self.moment, self.table,
            int(Criterion[self.recipe.criterion.upper()]), self.min_rows, self.slack, count, sums, means, levels, score,
            branch_of,
        )  # fmt: skip
        ties = (score > -np.inf).astype(np.int64)
        return Best(score, ties, lambda chosen: found_levels(2, branch_of[chosen]))
