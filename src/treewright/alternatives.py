"""Growing with alternatives: nodes near the root keep the best split of each of their best columns.

Alternatives are more open nodes of the same frontier. Rows are at the children of all of them, so the table of a level
has a row as often as it has alternatives; below the last of these levels everything grows at once, as ever.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from treewright.data.encoded import Encoded
from treewright.engines.dispatch import Beginning, engine_for, paths_of, plain_engine, seconds_of_rows
from treewright.engines.engine import Engine
from treewright.engines.paths import Paths
from treewright.engines.stores.node_cells import Cases
from treewright.engines.stores.store import BranchStore, Frontier
from treewright.engines.workers import Workers
from treewright.grow import Growth, Report
from treewright.recipe_parts.recipe import ByScore, Recipe
from treewright.tree.and_or_tree import AndOrBuilder, AndOrTree
from treewright.tree.build import Round, offsets, spans
from treewright.typing import Ints

MOST_CELLS = 8_000_000  # of rows that are copied at a time


def grow_alternatives(
    encoded: Encoded,
    recipe: Recipe,
    search: Sequence[int],
    workers: Workers,
    report: Report | None = None,
    most_cells: int = MOST_CELLS,
) -> AndOrTree:
    """Nodes at depth d keep the best splits of ``search[d]`` columns, deeper ones of one column.

    At most ``most_cells`` cells of the table are copied at a time or, if that is more, the rows of one node.
    ``report`` is told how far it is: in all, of as many rows as the table has.
    """
    growth = AlternativeGrowth(encoded, recipe, _without_ones(search), workers, report, most_cells)
    return growth.grow()


def grow_side_by_side(
    encoded: Encoded,
    recipe: Recipe,
    search: Sequence[int],
    workers: Workers,
    samples: Sequence[Ints],
    report: Report | None = None,
    most_cells: int = MOST_CELLS,
) -> AndOrTree:
    """The and/or trees of several samples of the rows, as one of as many roots: to grow a frontier of many small nodes
    takes little longer than one of a few. See ``may_grow_side_by_side``."""
    growth = AlternativeGrowth(encoded, recipe, _without_ones(search), workers, report, most_cells)
    return growth.grow_from(samples)


def may_grow_side_by_side(encoded: Encoded, recipe: Recipe) -> bool:
    """Whether nodes of one sample know nothing of others: no share of all rows is asked for, nothing is kept of the way
    to a node, nobody is told its number, and what leaves predict depends on their own rows. Statistics are counts:
    sums of numbers and weights round by what all rows add up to."""
    leaf, stop = recipe.leaf, recipe.stop
    counts = encoded.schema.target.classes is not None and encoded.weights is None
    own_rows = leaf.empty == "parent" and leaf.smoothing in (0.0, "laplace") and encoded.schema.target.priors is None
    by_score = isinstance(recipe.choice, ByScore) and recipe.choice.select is None
    no_share = stop.min_weight_fraction_leaf == 0 and recipe.halt is None and recipe.tie == "first"
    return bool(counts and own_rows and by_score and no_share and paths_of(encoded, recipe) is None)


def plain_seconds_of(encoded: Encoded, recipe: Recipe, search: Sequence[int]) -> float:
    """About how long such a growth takes without compiled kernels."""
    work = _work_of_levels(_without_ones(search), encoded.n_rows)
    return sum(seconds_of_rows(encoded, recipe, encoded.n_rows * copies, levels) for copies, levels in work)


def _work_of_levels(widths: Sequence[int], n_rows: int) -> list[tuple[int, float]]:
    """Of every depth: how often it has a row at most, and the rounds in which its nodes are grown; all that are deeper
    count with the last."""
    deeper = max(math.log2(n_rows + 1) - len(widths), 1.0)
    return [(math.prod(widths[:depth]), 1.0) for depth in range(len(widths))] + [(math.prod(widths), deeper)]


def _without_ones(search: Sequence[int]) -> tuple[int, ...]:
    """Nodes that keep one split need no level of their own at the end."""
    last = max((depth for depth, width in enumerate(search) if width > 1), default=-1)
    return tuple(search[: last + 1])


@dataclass(frozen=True)
class OpenLevel:
    """Open nodes of one depth: the engine that holds their rows, which rows of the table these are, and the numbers of
    the nodes in the and/or tree."""

    engine: Engine
    nodes: Frontier  # numbered from 0
    rows: Ints | None  # None: all, as they are
    ids: Ints
    depth: int


@dataclass(frozen=True)
class Batch:
    """Nodes that wait to be grown, whose rows are copied at the same time. It holds the numbers of these rows alone."""

    nodes: Frontier
    rows: Ints
    ids: Ints
    paths: Paths | None
    depth: int


class AlternativeGrowth:
    """An and/or tree while it grows: batch by batch, those below a batch before the next one beside it."""

    def __init__(
        self,
        encoded: Encoded,
        recipe: Recipe,
        search: tuple[int, ...],
        workers: Workers,
        report: Report | None,
        most_cells: int,
    ) -> None:
        self.encoded = encoded
        self.recipe = recipe
        self.search = search
        self.workers = workers
        self.report = report or (lambda rows: None)
        self.most_cells = most_cells
        self.builder = AndOrBuilder()
        self.work = _work_of_levels(search, encoded.n_rows)
        self.done = 0.0

    def grow(self) -> AndOrTree:
        self._grow_all(self._split_level(self._root()))
        return self._finished(self.encoded.n_rows)

    def grow_from(self, samples: Sequence[Ints]) -> AndOrTree:
        """From a root for each sample of the rows."""
        engine = plain_engine(self.encoded, self.recipe, self.workers)
        self.target = engine.target
        roots = engine.settling(self._roots(samples))
        ids = self.builder.add_nodes(roots.rows, engine.floats(roots.stats), np.full(len(samples), -1))
        wanted = np.flatnonzero(Growth(engine, self.recipe, self.report).may_split(roots))
        if len(wanted):  # a store holds the rows of nodes that may all be split
            rows = np.concatenate([samples[int(r)] for r in wanted])
            self._grow_all([Batch(roots[wanted], rows, ids[wanted], None, 0)])
        else:
            self._split_level(OpenLevel(engine, roots[wanted], None, ids[wanted], 0))
        return self._finished(sum(map(len, samples)))

    def _root(self) -> OpenLevel:
        engine = engine_for(self.encoded, self.recipe, self.workers)
        self.target = engine.target
        root = engine.root()
        ids = self.builder.add_nodes(root.rows, engine.floats(root.stats), np.array([-1]))
        return OpenLevel(engine, root, None, ids, 0)

    def _roots(self, samples: Sequence[Ints]) -> Frontier:
        rows, sizes = np.concatenate(samples), np.array([len(sample) for sample in samples])
        n_roots, target = len(sizes), self.target.take(rows)
        at = np.repeat(np.arange(n_roots), sizes)
        stats = Cases(rows, at, target.case_labels, target.case_amounts).sums(at, n_roots, target.n_stats)
        nothing = np.zeros(n_roots, np.int64)
        return Frontier(np.arange(n_roots), nothing, sizes, stats, nothing.astype(np.bool_))

    def _grow_all(self, waiting: list[Batch]) -> None:
        """A batch that has been split is gone before the next one is begun: the rows of one are held at a time."""
        waiting = waiting[::-1]
        while waiting:
            waiting.extend(self._split_level(self._begun(waiting.pop()))[::-1])

    def _split_level(self, level: OpenLevel) -> list[Batch]:
        """Add what grows from these nodes; returns the children that wait, none of the last level."""
        growth = Growth(level.engine, self.recipe, lambda rows: None)
        frontier = growth.start_at(level.nodes)
        if level.depth == len(self.search):
            growth.level_by_level(frontier)
            self._add(growth, level.ids)
            self._tell(level)
            return []
        children, rows = self._split(growth, frontier, self.search[level.depth])
        ids, paths = self._add(growth, level.ids), level.engine.paths
        self._tell(level)
        table_rows, start = rows if level.rows is None else level.rows[rows], offsets(children.rows)
        return [
            Batch(
                children[part],
                table_rows[start[part[0]] : start[part[-1] + 1]],
                ids[children.id[part]],
                None if paths is None else paths.of(children.id[part]),
                level.depth + 1,
            )
            for part in self._batches(children)
        ]

    def _tell(self, level: OpenLevel) -> None:
        """How far the growth is, if no branch ends before the last level."""
        before = int(self.done)
        self.done += self.work[level.depth][1] * int(level.nodes.rows.sum()) / sum(map(math.prod, self.work))
        self.report(int(self.done) - before)

    def _finished(self, n_rows: int) -> AndOrTree:
        self.report(n_rows - int(self.done))
        return self.builder.freeze(self.recipe.leaf.kind)

    def _split(self, growth: Growth, frontier: Frontier, most: int) -> tuple[Frontier, Ints]:
        """Take all alternatives; returns their children that may be split further, and the rows of these end to end."""
        store = growth.engine.store
        assert isinstance(store, BranchStore)
        kept, rows = [], [np.empty(0, np.int64)]
        for found in growth.engine.alternatives(frontier, most) if len(frontier) else ():
            found = growth.significant(found)
            children = growth.children(frontier, found, found.taken)
            wanted = np.flatnonzero(growth.may_split(children))
            sent = store.branch_rows(frontier, found.sent, found.tests, found.taken)
            rows.append(sent[spans(offsets(children.rows)[wanted], children.rows[wanted])])
            kept.append(children[wanted])
        return _joined(kept, frontier), np.concatenate(rows)

    def _batches(self, children: Frontier) -> Iterator[Ints]:
        """The children in groups whose rows can be copied at the same time."""
        if not len(children):
            return
        cells = np.cumsum(children.rows) * len(self.encoded.columns)
        start = 0
        while start < len(children):
            before = cells[start - 1] if start else 0
            stop = max(start + 1, int(np.searchsorted(cells, before + self.most_cells, side="right")))
            yield np.arange(start, stop)
            start = stop

    def _begun(self, batch: Batch) -> OpenLevel:
        """The nodes of a batch with their rows, ready to be searched."""
        numbered = replace(batch.nodes, id=np.arange(len(batch.nodes)))
        to_the_end = batch.depth == len(self.search)
        beginning = Beginning(numbered, self.target.take(batch.rows), batch.paths, to_the_end)
        begun = engine_for(self.encoded.copy_rows(batch.rows), self.recipe, self.workers, beginning)
        return OpenLevel(begun, numbered, batch.rows, batch.ids, batch.depth)

    def _add(self, growth: Growth, ids: Ints) -> Ints:
        """Add what has grown from nodes that are there; returns the numbers of all nodes of the growth."""
        builder, engine, splits = growth.builder, growth.engine, growth.builder.all_splits()
        stats = np.concatenate(builder.stats)
        rows, n_roots = np.concatenate(builder.rows), len(ids)
        n_branches = np.diff(splits.first_child, append=builder.n_nodes)
        gain = engine.choice.gains(
            splits.column, splits.missing, stats[splits.id], stats[n_roots:], splits.gain, n_branches
        )
        numbers = np.concatenate([ids, self.builder.n_nodes + np.arange(builder.n_nodes - n_roots)])
        parent = np.repeat(numbers[splits.id], n_branches)
        self.builder.add_nodes(rows[n_roots:], engine.floats(stats[n_roots:]), parent)
        first_child = numbers[splits.first_child]
        moved: Round = replace(splits, id=numbers[splits.id], first_child=first_child, gain=gain)
        self.builder.add_splits(moved, n_branches)
        return numbers


def _joined(parts: list[Frontier], none: Frontier) -> Frontier:
    if not parts:
        return none[np.empty(0, np.int64)]
    names = ("id", "depth", "rows", "stats", "settled")
    return Frontier(*(np.concatenate([getattr(part, name) for part in parts]) for name in names))
