"""Many trees of one table, grown side by side in numpy: every round splits all open nodes of all trees.

It is what the plain pair does tree by tree, for the recipes that ``forest_search`` serves, and finds the same splits.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from treewright.engines.column_draws import ColumnDraws
from treewright.engines.side_by_side.looked_at import ChosenSplits, LookedAt
from treewright.engines.side_by_side.open_rows import OpenRows, Visits
from treewright.engines.side_by_side.tree_units import TreeUnits
from treewright.engines.side_by_side.visit_rules import VisitRules
from treewright.engines.side_by_side.visited_cuts import FoundCuts, best_cuts, cuts_at_random
from treewright.engines.side_by_side.visited_levels import FoundLevels, best_levels, levels_at_random
from treewright.engines.target_stats import TargetStats
from treewright.kernels.random_numbers import BRANCH, COLUMN, hashed_each
from treewright.recipe_parts.column_draw import ColumnDraw
from treewright.recipe_parts.recipe import Recipe
from treewright.tree.build import offsets, spans
from treewright.typing import Array, Floats, Ints, Mask

AT_ONCE = 2**17  # rows of visits that are looked at in one go: more would not stay in the fast caches


@dataclass(frozen=True)
class CodedRows:
    """All that trees are grown from. Arrays of columns are as in ``code_table.CodeTable``."""

    codes: Array  # (columns, rows)
    nominal: Mask
    bounds: tuple[tuple[Floats, Floats], ...]
    recipe: Recipe
    draw: ColumnDraw


@dataclass(frozen=True)
class Root:
    """Where a tree begins."""

    key: int
    rows: Array
    target: TargetStats  # of these rows alone
    among: Ints  # the columns it may test


@dataclass(frozen=True)
class Nodes:
    """Open nodes of all trees."""

    tree: Ints
    key: Array  # uint64, of what is random there
    branch: Ints  # by which it is reached, among the branches of all trees; negative: a root
    rows: Ints
    stats: Ints

    def __len__(self) -> int:
        return len(self.tree)

    def __getitem__(self, pick: Array) -> Nodes:
        return Nodes(*(part[pick] for part in vars(self).values()))


class TakenSplits(NamedTuple):
    """Splits of all trees in the order they were made. Branch b of split s is branch 2·s + b."""

    tree: Ints
    owner: Ints  # the branch that is split; negative: a root
    column: Ints
    cut: Ints  # codes beside the cut, 0: only missing above; of nominal columns where the levels begin, and how many
    above: Ints
    threshold: Floats
    missing: Ints
    missing_branch: Ints
    branch_rows: Ints  # (splits, 2)
    branch_stats: Ints  # (splits, 2, n_stats)


class TreeRounds:
    """Grows trees that draw from equally many columns."""

    def __init__(self, table: CodedRows, roots: Sequence[Root]) -> None:
        self.table, self.recipe = table, table.recipe
        self.units = TreeUnits([root.target for root in roots], table.recipe)
        self.among = np.stack([root.among for root in roots])
        sizes = np.array([len(root.rows) for root in roots])
        self.rows = _open_rows(table.codes, roots, sizes)
        keys, whole = np.array([root.key for root in roots], np.uint64), [root.target.whole for root in roots]
        self.nodes = Nodes(np.arange(len(roots)), keys, np.full(len(roots), -1), sizes, np.stack(whole))
        self.taken: list[TakenSplits] = []
        self.levels: list[Ints] = []  # of nominal splits: code · 2 + branch
        self.n_splits = self.n_levels = 0

    def grow(self, report: Callable[[int], None]) -> tuple[TakenSplits, Ints]:
        """All splits, and the levels of nominal ones. ``report`` is told how many more rows are settled."""
        depth, n_rows = 0, len(self.rows.row)
        self._keep(self._may_split(depth))
        while len(self.nodes):
            report(n_rows - len(self.rows.row))
            n_rows = len(self.rows.row)
            chosen = self._chosen()
            self._keep_only(chosen.node)
            if len(chosen.node):
                self._take(chosen.of(np.arange(len(chosen.node))))
            depth += 1
            self._keep(self._may_split(depth))
        report(n_rows)
        none = np.empty(0, np.int64)
        return _joined(self.taken, self.nodes), np.concatenate([none, *self.levels])

    def _may_split(self, depth: int) -> Mask:
        stop, nodes = self.recipe.stop, self.nodes
        if stop.max_depth is not None and depth >= stop.max_depth:
            return np.zeros(len(nodes), np.bool_)
        return (nodes.rows >= stop.least_rows) & ~self.units.is_pure(nodes.tree, nodes.stats, nodes.rows)

    def _keep(self, wanted: Mask) -> None:
        if not wanted.all():
            self._keep_only(np.flatnonzero(wanted))

    def _keep_only(self, here: Ints) -> None:
        """Some of the open nodes and their rows."""
        if len(here) < len(self.nodes):
            sizes = self.nodes.rows[here]
            self.rows = self.rows.take(spans(self.rows.start[here], sizes), sizes)
            self.nodes = self.nodes[here]

    # ---- what is looked at -------------------------------------------------------------------------------------------

    def _chosen(self) -> ChosenSplits:
        """The best split of the columns that are drawn; more are drawn while none has a split."""
        n, n_columns = len(self.nodes), self.among.shape[1]
        rules, order, every = self._rules(), self.among[self.nodes.tree], np.arange(n)
        looked, n_first = LookedAt(n, n_columns), min(self.table.draw.columns, n_columns)
        if n_first < n_columns:
            self._draw(order, every, range(n_first))
        self._look(looked, every, order[:, :n_first], 0, rules)
        fruitless = np.flatnonzero(looked.top == -np.inf)
        if len(fruitless) and n_first < n_columns:
            self._draw(order, fruitless, range(n_first, n_columns - 1))
            self._look(looked, fruitless, order[fruitless, n_first:], n_first, rules)
            looked.forget_after_first(fruitless)
        return looked.chosen(rules.slack, order)

    def _draw(self, order: Ints, nodes: Ints, turns: range) -> None:
        """Put the columns of these turns in their places, by Fisher and Yates; see ``ColumnDraws.order``."""
        n = order.shape[1]
        for t in turns:
            if t < n - 1:
                other = t + (hashed_each(self.nodes.key[nodes], t, 0, COLUMN) % np.uint64(n - t)).astype(np.int64)
                order[nodes, t], order[nodes, other] = order[nodes, other], order[nodes, t]

    def _rules(self) -> VisitRules:
        nodes, draws = self.nodes, ColumnDraws(self.table.draw, 0, len(self.table.codes))
        draws.keys = nodes.key
        lows, highs = (tuple(part) for part in zip(*self.table.bounds))
        slack, least = self.units.slack(nodes.tree, nodes.stats), self.units.least_weight
        least_of_nodes = None if least is None else least[nodes.tree]
        before, xlogx_table = self.units.before(nodes.stats), self.units.xlogx_table
        return VisitRules(self.recipe, highs, lows, draws, nodes.stats, before, xlogx_table, slack, least_of_nodes)

    def _look(self, looked: LookedAt, nodes: Ints, columns: Ints, first_turn: int, rules: VisitRules) -> None:
        """Search the columns (nodes × turns) of these nodes."""
        visits = Visits(np.repeat(nodes, columns.shape[1]), columns.ravel())
        turns = np.tile(np.arange(first_turn, first_turn + columns.shape[1]), len(nodes))
        nominal = self.table.nominal[visits.column]
        for mine, search in ((np.flatnonzero(~nominal), self._cuts), (np.flatnonzero(nominal), self._levels)):
            for part in in_parts(mine, self.nodes.rows[visits.node[mine]]):
                looked.add(visits.of(part), turns[part], search(visits.of(part), rules))

    def _cuts(self, visits: Visits, rules: VisitRules) -> FoundCuts:
        return (cuts_at_random if self.table.draw.random_cuts else best_cuts)(self.rows, visits, rules)

    def _levels(self, visits: Visits, rules: VisitRules) -> FoundLevels:
        return (levels_at_random if self.table.draw.random_cuts else best_levels)(self.rows, visits, rules)

    # ---- what is taken -----------------------------------------------------------------------------------------------

    def _take(self, chosen: ChosenSplits) -> None:
        """Send the rows of all open nodes down these splits, where they gain enough, and open the children."""
        right = self._goes_right(chosen, self._codes(chosen))
        stats = self.rows.sums(self.nodes.stats.shape[1], right)
        sides = np.stack([self.nodes.stats - stats, stats], 1)
        enough = self.recipe.is_acceptable(self.units.gain(self.nodes.tree, self.nodes.stats, sides))
        if not enough.all():
            right, sides = right[np.repeat(enough, self.nodes.rows)], sides[enough]
            chosen = chosen.of(np.flatnonzero(enough))
            self._keep(enough)
        if len(self.nodes):
            n_right = np.add.reduceat(right, self.rows.start[:-1], dtype=np.int64)
            rows = np.column_stack([self.nodes.rows - n_right, n_right])
            self._record(chosen, rows, sides)
            self._open_children(right, rows, sides)

    def _codes(self, chosen: ChosenSplits) -> Ints:
        """Of every row, of the column that its node tests."""
        at = np.repeat(chosen.column * self.table.codes.shape[1], self.nodes.rows) + self.rows.row
        return self.table.codes.reshape(-1)[at].astype(np.int64)

    def _goes_right(self, chosen: ChosenSplits, code: Ints) -> Mask:
        sizes, nominal = self.nodes.rows, np.repeat(chosen.is_nominal, self.nodes.rows)
        right = np.where(code == 0, np.repeat(~chosen.missing_left, sizes), code > np.repeat(chosen.cut, sizes))
        if nominal.any():
            right[nominal] = chosen.side_of(np.repeat(np.arange(len(sizes)), sizes)[nominal], code[nominal])
        return right

    def _record(self, chosen: ChosenSplits, rows: Ints, sides: Ints) -> None:
        code, start = self._codes(chosen), self.rows.start[:-1]
        cut, above = chosen.cut.copy(), self._above(chosen, code)
        missing_branch = np.where(chosen.missing_left, 0, 1)
        if self.table.draw.random_cuts:  # drawn between codes that need not be at the node
            cut = np.maximum.reduceat(np.where(code <= np.repeat(cut, self.nodes.rows), code, 0), start)
        some = np.flatnonzero(chosen.is_nominal)
        if len(some):
            cut[some], above[some] = self.n_levels + offsets(chosen.sides.sizes)[:-1], chosen.sides.sizes
            missing_branch[some] = chosen.sides.branch_of_missing
            self.levels.append(2 * chosen.sides.code + chosen.sides.on_right)
            self.n_levels += len(chosen.sides.code)
        missing = np.add.reduceat(code == 0, start, dtype=np.int64)
        nodes = self.nodes
        self.taken.append(TakenSplits(
            nodes.tree, nodes.branch, chosen.column, cut, above, chosen.threshold, missing, missing_branch, rows, sides,
        ))  # fmt: skip

    def _above(self, chosen: ChosenSplits, code: Ints) -> Ints:
        """The lowest code above each cut at its node; 0: there is none."""
        beyond = np.iinfo(np.int64).max
        higher = np.where(code > np.repeat(chosen.cut, self.nodes.rows), code, beyond)
        found = np.minimum.reduceat(higher, self.rows.start[:-1])
        return np.where(found < beyond, found, 0)

    def _open_children(self, right: Mask, rows: Ints, sides: Ints) -> None:
        nodes, n = self.nodes, len(self.nodes)
        branch = np.tile(np.arange(2), n)
        keys = hashed_each(np.repeat(nodes.key, 2), branch, 0, BRANCH)
        numbers = 2 * self.n_splits + np.arange(2 * n)
        self.n_splits += n
        self.nodes = Nodes(np.repeat(nodes.tree, 2), keys, numbers, rows.ravel(), sides.reshape(2 * n, -1))
        self.rows = self.rows.take(_parted(right, self.rows.start, rows), rows.ravel())


def in_parts(visits: Ints, sizes: Ints, at_once: int | None = None) -> Iterator[Ints]:
    """The visits, several at once: as many as have so many rows in all, but at least one."""
    part = (np.cumsum(sizes) - sizes) // (AT_ONCE if at_once is None else at_once)
    begins = np.flatnonzero(np.diff(part, prepend=-1))
    yield from (piece for piece in np.split(visits, begins) if len(piece))


def _parted(right: Mask, start: Ints, rows: Ints) -> Ints:
    """The rows of every node, those that go left before those that go right; ``rows``: how many."""
    place, sizes = np.empty(len(right), np.int64), rows.sum(1)
    n_right_before = np.cumsum(right, dtype=np.int64) - right
    own: Ints = n_right_before - np.repeat(n_right_before[start[:-1]], sizes)
    every = np.arange(len(right))
    to = np.where(right, np.repeat(start[:-1] + rows[:, 0], sizes) + own, every - own)
    place[to] = every
    return place


def _open_rows(codes: Array, roots: Sequence[Root], sizes: Ints) -> OpenRows:
    labels = np.concatenate([root.target.case_labels for root in roots])
    amounts = np.concatenate([root.target.case_amounts for root in roots])
    rows = np.concatenate([root.rows for root in roots]).astype(np.int64)
    return OpenRows(codes, rows, sizes, labels, np.ascontiguousarray(amounts.T))


def _joined(rounds: list[TakenSplits], nodes: Nodes) -> TakenSplits:
    if rounds:
        return TakenSplits(*map(np.concatenate, zip(*rounds)))
    none, n_stats = np.empty(0, np.int64), nodes.stats.shape[1]
    pair = np.empty((0, 2), np.int64), np.empty((0, 2, n_stats), np.int64)
    return TakenSplits(none, none, none, none, none, np.empty(0), none, none, *pair)


def splits_of(taken: TakenSplits, n_trees: int) -> Iterator[TakenSplits]:
    """Those of each tree, whose branches are then numbered among its own."""
    order = np.argsort(taken.tree, kind="stable")
    start = np.searchsorted(taken.tree[order], np.arange(n_trees + 1))
    place = np.empty(len(order), np.int64)
    place[order] = np.arange(len(order))
    for t in range(n_trees):
        mine = TakenSplits._make(part[order[start[t] : start[t + 1]]] for part in taken)
        own = 2 * (place[mine.owner >> 1] - start[t]) + (mine.owner & 1)
        yield mine._replace(owner=np.where(mine.owner < 0, -1, own))
