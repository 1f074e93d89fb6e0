"""Who counts: an engine is a store and a choice, or a compiled shortcut for such a pair."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Protocol

import numpy as np

from treewright.data.encoded import Encoding
from treewright.data.schema import Kind
from treewright.engines.choices.choice import Best, Choice, TestWriter, with_missing
from treewright.engines.choices.surrogates import with_surrogates
from treewright.engines.paths import Paths
from treewright.engines.stores.case_medians import with_medians
from treewright.engines.stores.store import Frontier, Sent, Store, Tests
from treewright.engines.target_stats import TargetStats
from treewright.engines.workers import Workers
from treewright.recipe_parts.missing import Missing
from treewright.recipe_parts.recipe import ANY, Recipe
from treewright.recipe_parts.significance import p_values
from treewright.tree.build import offsets, spans
from treewright.tree.tree import Tree
from treewright.typing import Array, Floats, Ints, Mask


@dataclass(frozen=True)
class Found:
    """The best split of every node of a frontier; ``column`` is -1 where there is none worth taking."""

    column: Ints
    gain: Floats
    priority: Floats  # gain times the weight of the node: what the whole tree gains
    child_start: Ints  # branches lie end to end: those of node f begin here
    stats: Ints
    tests: Tests
    sent: Sent
    significance: Floats | None = None  # (n, N_TEST): of the splits, where they were tested
    least_p: Floats | None = None  # (n,) of the best splits of all columns, where that is asked for

    @property
    def taken(self) -> Ints:
        return np.flatnonzero(self.column >= 0)


@dataclass(frozen=True)
class Subtrees:
    """All splits below some nodes. Split s has two branches, ``2·s`` and ``2·s + 1`` of ``rows`` and ``stats``."""

    owner: Ints  # the branch that is split, or -1 - f for node f of the frontier
    column: Ints  # always a numeric one
    edge: Floats
    below: Floats  # the training value next below the edge
    gain: Floats
    missing: Ints
    missing_branch: Array
    rows: Ints
    stats: Ints


class Shortcut(Protocol):
    """The compiled search of one pair of store and choice: it finds what the pair finds, without making cells."""

    def serves(self, column: int) -> bool:
        """Whether it searches this column; others are searched by their cells."""
        ...

    def begin(self, nodes: Frontier, *, every_column: bool = False) -> None: ...

    def search(self, column: int, worker: int) -> Best: ...

    def finish(self, nodes: Frontier) -> tuple[Frontier, Frontier, Subtrees | None]:
        """Grow small nodes to the end: the nodes left to be split in rounds, those that were finished, and all splits
        below these."""
        ...


class Engine:
    """Finds and applies the best splits of all open nodes of a round."""

    def __init__(
        self,
        encoded: Encoding,
        recipe: Recipe,
        target: TargetStats,
        store: Store,
        choice: Choice,
        workers: Workers,
        paths: Paths | None = None,
        shortcut: Shortcut | None = None,
    ) -> None:
        self.encoded = encoded
        self.recipe = recipe
        self.target = target
        self.store = store
        self.choice = choice
        self.workers = workers
        self.paths = paths
        self.shortcut = shortcut

    @cached_property
    def writer(self) -> TestWriter:
        """Made when a round is: small nodes may be grown to the end without one."""
        return TestWriter(self.encoded, self.recipe, self.choice)

    def root(self) -> Frontier:
        zero = np.zeros(1, np.int64)
        stats = with_medians(self.target, self.store, self.store.totals()[None, :])
        rows = np.array([self.encoded.n_rows])
        return Frontier(zero, zero, rows, stats, self._is_settled(stats, rows, root=True))

    def settling(self, roots: Frontier) -> Frontier:
        """The same nodes, told which need no split."""
        return replace(roots, settled=self._is_settled(roots.stats, roots.rows, root=True))

    def _is_settled(self, stats: Ints, rows: Ints, *, root: bool = False) -> Mask:
        """Nodes that need no split, or weigh too little for one."""
        settled, least = self.choice.is_settled(stats, rows), self.recipe.stop.least_weight(root=root)
        return settled | (self.target.plain_weights(stats) < least) if least > 0 else settled

    def best(self, nodes: Frontier) -> Found:
        """Search every column at every open node, choose, and send the rows."""
        self.store.open(nodes)
        best = self.search(nodes)
        if self.paths is not None and self.paths.draws is not None:
            best = self.paths.draws.masked(best, nodes.id)
        return self.found(best, nodes)

    def alternatives(self, nodes: Frontier, most: int) -> Iterator[Found]:
        """The best split of every node, then that of the columns not taken yet, and so on: of ``most`` columns.

        Where a column is forced, there is no other. What the store knows of the rows it sent is that of the last.
        """
        self.store.open(nodes)
        best = self.search(nodes, every_column=True)
        forced = np.zeros(len(nodes), np.bool_)
        if self.recipe.constraints is not None:
            forced = self.recipe.constraints.forced_at(nodes.depth) >= 0
        for _ in range(min(most, len(best))):
            found = self.found(best, nodes)
            if not len(found.taken):
                return
            yield found
            best = [one.without((found.column == j) | forced) for j, one in enumerate(best)]

    def found(self, best: Sequence[Best], nodes: Frontier) -> Found:
        """Choose among the best splits of the columns, and send the rows."""
        column, gain = self.choice.select(best, nodes)
        significance = self.choice.significance(column, best)
        least_p = self._least_p(column, best, nodes)
        tests, sent, stats = self.sent(column, best, nodes)  # last: a store may remember where it sent rows
        if not self.choice.gain_is_known:
            gain = self.choice.gains(column, sent.n_missing, nodes.stats, stats, gain, tests.n_branches)
        with np.errstate(over="ignore"):  # the F of branches without spread is the largest float
            priority = gain * self.target.weights(nodes.stats)
        return Found(
            np.where(self.choice.accepts(gain), column, -1), gain, priority, tests.child_start, stats, tests, sent,
            significance, least_p,
        )  # fmt: skip

    def sent(self, column: Ints, best: Sequence[Best], nodes: Frontier) -> tuple[Tests, Sent, Ints]:
        """The tests of these columns, one per node, where they send the rows, and the statistics of the branches."""
        tests = self.writer.tests(column, best)
        if Missing.SURROGATE in self.recipe.missing:
            tests = with_surrogates(self.recipe, self.workers, self.store, tests)
        sent = self.store.send(tests)
        return tests, sent, with_medians(self.target, self.store, sent.stats, nodes, tests, sent)

    def _least_p(self, column: Ints, best: Sequence[Best], nodes: Frontier) -> Floats | None:
        """The smallest p of all columns, each by its best split, at nodes that would be split."""
        if self.recipe.stop.significance is None or self.recipe.stop.significance_of != ANY:
            return None
        least = np.ones(len(nodes))
        for j, one in enumerate(best):
            tests, _, stats = self.sent(np.where((column >= 0) & one.exists, j, -1), best, nodes)
            p = p_values(self.floats(stats), tests.child_start, moments=self.target.moments)
            least = np.minimum(least, p)
        return least

    def search(self, nodes: Frontier, *, every_column: bool = False) -> list[Best]:
        """The best splits of the columns; ``every_column``: also of those after one that no split can beat."""
        found: dict[int, Best] = {}
        n_columns = len(self.encoded.columns)
        if self.shortcut is not None:
            self.shortcut.begin(nodes, every_column=every_column)

        def search(j: int, worker: int) -> None:
            if self.shortcut is not None and self.shortcut.serves(j):
                found[j] = self.shortcut.search(j, worker)
            else:
                found[j] = self.choice.search(j, self.store.cells(j, worker), nodes)

        self.workers.each(n_columns, search, cells=int(nodes.rows.sum()) * n_columns)
        return [found[j] for j in range(n_columns)]

    def finish(self, nodes: Frontier) -> tuple[Frontier, Frontier, Subtrees | None]:
        """Grow small nodes to the end, if the shortcut can; see ``Shortcut``."""
        if self.shortcut is None:
            return nodes, nodes[np.empty(0, np.int64)], None
        return self.shortcut.finish(nodes)

    def split(self, nodes: Frontier, found: Found, taken: Ints, first_id: int) -> Frontier:
        """The children of the taken nodes, numbered from ``first_id`` on."""
        n_branches = np.diff(found.child_start)[taken]
        branches = spans(found.child_start[taken], n_branches)
        stats = found.stats[branches]
        if self.paths is not None:
            self.paths.split(nodes.id[taken], found.column[taken], n_branches)
            if self.recipe.constraints is not None:
                first = offsets(n_branches)[:-1]
                self.paths.bound(found.column[taken], first, self.choice.predicted(stats), self.recipe.constraints)
        ids = np.arange(first_id, first_id + len(branches))
        depth = np.repeat(nodes.depth[taken] + 1, n_branches)
        rows = found.sent.rows[branches]
        return Frontier(ids, depth, rows, stats, self._is_settled(stats, rows))

    def keep(self, nodes: Frontier, found: Found, taken: Ints, children: Frontier, wanted: Mask) -> Frontier:
        """Send the rows of the taken nodes down; returns the wanted children, ready to be searched."""
        if wanted.any():
            self.store.keep(nodes, found.sent, found.tests, taken, children, wanted)
        return children[np.flatnonzero(wanted)]

    def written(self, found: Found, taken: Ints) -> Written:
        """The taken splits as a tree keeps them."""
        return written(self.encoded, self.recipe, found.tests, found.sent.of_missing, taken)

    def gains(self, tree: Tree, stats: Ints) -> Floats:
        """What the splits of a grown tree gain; ``stats`` are the integers of its nodes."""
        inner = np.flatnonzero(tree.n_branches > 0)
        gain = np.zeros(tree.n_nodes)
        gain[inner] = self.choice.gains(
            tree.column[inner], tree.missing[inner], stats[inner], stats[1:], tree.gain[inner], tree.n_branches[inner]
        )
        return gain

    def floats(self, stats: Ints) -> Floats:
        """Statistics as a tree keeps them."""
        return self.target.floats(stats)


@dataclass(frozen=True)
class Written:
    """Splits as a tree keeps them; edges and branches lie end to end."""

    edge_size: Ints
    edges: Floats
    below: Floats
    branch_size: Ints
    branch_of: Array


def written(encoded: Encoding, recipe: Recipe, tests: Tests, of_missing: Ints, taken: Ints) -> Written:
    branch_of = with_missing(tests, of_missing, recipe)
    sizes = np.diff(tests.branch_start)[taken]
    numeric = np.array([column.kind is Kind.NUMERIC for column in encoded.schema.columns], np.bool_)
    in_bins = numeric[tests.column[taken]] & ~tests.is_cut[taken]
    if in_bins.any():
        return _joined_bins(encoded, tests, branch_of, taken, in_bins)
    is_cut = tests.is_cut[taken]
    picked = branch_of[spans(tests.branch_start[taken], sizes)]
    return Written(is_cut.astype(np.int64), tests.edge[taken][is_cut], tests.below[taken][is_cut], sizes, picked)


def _joined_bins(encoded: Encoding, tests: Tests, branch_of: Array, taken: Ints, in_bins: Mask) -> Written:
    """Bins of a numeric column that go the same way are joined: edges, and a branch for each interval between."""
    edges, branches = [], []
    for f, binned in zip(taken, in_bins):
        mine, cut = branch_of[tests.branch_start[f] : tests.branch_start[f + 1]], tests.edge[f : f + tests.is_cut[f]]
        if binned:
            apart = np.flatnonzero(np.diff(mine[1:]))
            kept = mine[1:][np.append(apart, -1)]
            # Known or missing: an edge that every number is below.
            mine = np.concatenate([mine[:1], kept, kept[-1:] if not apart.size else kept[:0]])
            cut = encoded.columns[tests.column[f]].bounds[1][1 + apart] if apart.size else np.array([np.inf])
        edges.append(cut)
        branches.append(mine)
    sizes = [np.array([len(piece) for piece in pieces], np.int64) for pieces in (edges, branches)]
    whole = np.concatenate(edges)
    return Written(sizes[0], whole, np.full(len(whole), np.nan), sizes[1], np.concatenate(branches))
