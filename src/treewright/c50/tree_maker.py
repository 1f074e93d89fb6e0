"""Grows and prunes C5.0's trees: room for the kernels that do it, and threads for large nodes."""

from __future__ import annotations

from itertools import pairwise
from typing import NamedTuple

import numpy as np

from treewright.c50.node import NO_GROUPS, C50Node, TestKind
from treewright.c50.rounding import single
from treewright.c50.search_buffers import column_room, node_counts
from treewright.c50.training import Training, weighed_cases
from treewright.engines.workers import Workers
from treewright.kernels.c50_kernels import c50_frames as frames_of
from treewright.kernels.c50_kernels.c50_division import AMOUNT, NOWHERE
from treewright.kernels.c50_kernels.c50_frames import Frames, MadeTree, Work
from treewright.kernels.c50_kernels.c50_growth import set_test
from treewright.kernels.c50_kernels.c50_node_search import (
    Search,
    begin_search,
    end_search,
    search_part,
)
from treewright.kernels.c50_kernels.c50_search import (
    ColumnRoom,
    NodeCases,
    TestsOfColumns,
    in_the_running,
    least_gain,
)
from treewright.kernels.c50_kernels.c50_work import DONE, LARGE_NODE, begin_growing, begin_pruning, work_on
from treewright.kernels.jit import on_this_road
from treewright.typing import Array, Floats, Ints

_LARGE = 2048  # cases of a node that is searched by several threads
_NEVER = 2**62
_LISTS_AT_ONCE = 2  # sorted cases are kept for nodes of so many times the cases of the root


class ColumnTest(NamedTuple):
    """How a column would divide a node, at what gain ratio, and whether it gains enough to be chosen."""

    node: C50Node
    ratio: float
    in_the_running: bool


class TreeMaker:
    """Makes one tree from the cases of a training, which it moves."""

    def __init__(self, training: Training, workers: Workers) -> None:
        self.training, self.workers = training, workers
        self._most = int(training.table.n_values.max(initial=3))
        self._tree = _room_for_tree(training, max(64 * (self._most + 2), 2 * len(training.table.labels)))
        self._frames = _room_for_frames(training, 32, 32 * (self._most + 2))
        self._large = _LARGE if workers.n_jobs > 1 else _NEVER
        self._rooms = [self._room_for_columns()]
        self._work, self._search = self._room_for_work(), self._room_for_search()

    def grow(self, cases: Ints) -> None:
        """Grow the tree of these cases."""
        self._begin(cases)
        on_this_road(begin_growing)(self._work, self._tree, self._frames, self.training.unit_weights)
        self._work_on()

    def prune(self, cases: Ints) -> None:
        """Prune the tree with these cases: from the leaves up, with raising and regrowing of branches."""
        self._begin(cases)
        training = self.training
        on_this_road(begin_pruning)(self._work, self._tree, self._frames, training.regrows, training.unit_weights)
        self._work_on()

    def columns_at(self, cases: Ints, tested: Ints) -> list[ColumnTest | None]:
        """The test of every column at a node of these cases; None: it has none.

        ``tested`` says how often each column is tested on the way to the node.
        """
        self._begin(cases)
        self._work.tested[:] = tested
        on_this_road(begin_growing)(self._work, self._tree, self._frames, self.training.unit_weights)
        self._work.control[frames_of.TOP] = 1  # also where growing would make a leaf at once
        self._search_large_node()
        total = float(self._tree.real[0, frames_of.WEIGHT])
        least = float(on_this_road(least_gain)(self._search.found, self._search.options, total))
        return [self._test_of(column, least) for column in range(len(tested))]

    def _test_of(self, column: int, least: float) -> ColumnTest | None:
        found = self._search.found
        gain, information = float(found.gain[column]), float(found.information[column])
        if gain < 0 or information <= 0:
            return None
        self._tree.used[:] = 1, 0
        on_this_road(set_test)(self._tree, 0, column, self._search)
        running = bool(on_this_road(in_the_running)(gain, information, least))
        return ColumnTest(self.root(), float(single(gain / information)), running)

    def root(self) -> C50Node:
        """The tree as nodes."""
        return _as_nodes(self._tree, self.training.table.n_values)

    def columns_tested(self) -> set[int]:
        return {node.column for node in self.root().walk() if not node.is_leaf}

    def _begin(self, cases: Ints) -> None:
        self._work = self._work._replace(cases=cases.copy())
        self._work.weighed[:, AMOUNT] = self.training.weights

    def _work_on(self) -> None:
        run = on_this_road(work_on)
        while True:
            why = run(self._work, self._tree, self._frames, self._search, self._most, self._large)
            if why == DONE:
                self.training.weights[:] = self._work.weighed[:, AMOUNT]
                return
            if why == LARGE_NODE:
                self._search_large_node()
            else:
                self._make_room()

    def _make_room(self) -> None:
        """Twice as much for everything that grows."""
        tree, frames, search = self._tree, self._frames, self._search
        self._tree = MadeTree(_doubled(tree.whole), _doubled(tree.real), _doubled(tree.groups), tree.used)
        slots = np.ascontiguousarray(_doubled(frames.slots.T).T)
        whole, real = _doubled(frames.whole), _doubled(frames.real)
        self._frames = Frames(whole, real, slots, _doubled(frames.is_leaf), _doubled(frames.found))
        self._search = search._replace(known=_doubled(search.known))

    def _search_large_node(self) -> None:
        """Columns are shared out evenly to the threads: to call a kernel takes time as well."""
        work, tree, frames, search, n_jobs = self._work, self._tree, self._frames, self._search, self.workers.n_jobs
        while len(self._rooms) < n_jobs:
            self._rooms.append(self._room_for_columns())
        d = int(work.control[frames_of.TOP]) - 1
        above, sorts = on_this_road(begin_search)(work, frames, d, search)
        search_columns = on_this_road(search_part)
        numbers, levels = (_parts(len(columns), n_jobs) for columns in (search.sorted.columns, search.counts.columns))

        def measure(i: int, worker: int) -> None:
            room = self._rooms[worker]
            search_columns(work, tree, frames, d, above, sorts, numbers[i], levels[i], room, search)

        self.workers.each(n_jobs, measure)
        work.control[frames_of.THE_COLUMN] = on_this_road(end_search)(work, tree, frames, d, above, search)
        frames.whole[d, frames_of.STEP] = frames_of.CHOSEN

    def _room_for_columns(self) -> ColumnRoom:
        return column_room(self.training.table, self._most, subset=self.training.subset)

    def _room_for_work(self) -> Work:
        training, table = self.training, self.training.table
        return Work(
            values=table.values,
            is_unknown=table.is_unknown,
            n_values=table.n_values,
            n_classes=table.n_classes,
            cases=np.empty(0, np.int64),
            branches=np.empty(len(table.labels), np.int32),
            moves=np.empty(len(table.labels), np.int32),
            weighed=weighed_cases(table.labels),
            factors=training.factors,
            tested=np.zeros(len(table.kinds), np.int64),
            stops=training.stops,
            estimates=training.estimates,
            scratch=np.zeros((2, training.n_classes + 3)),
            control=np.zeros(2, np.int64),
            result=np.zeros(1),
        )

    def _room_for_search(self) -> Search:
        training, table = self.training, self.training.table
        n_cases, n_columns, n_numbers = len(table.labels), len(table.kinds), len(training.sorted.columns)
        return Search(
            table=table,
            sorted=training.sorted,
            options=training.search,
            in_use=training.in_use,
            found=TestsOfColumns(
                gain=np.full(n_columns, -1.0),
                information=np.zeros(n_columns),
                cut=np.zeros(n_columns),
                n_branches=np.zeros(n_columns, np.int64),
                groups=np.full((n_columns, self._most + 1), NOWHERE, np.int64),
            ),
            here=NodeCases(np.empty(n_cases, np.int64), np.empty(n_cases, np.int64), np.empty(n_cases)),
            counts=node_counts(table, training.in_use, training.search.most_values, training.sorted),
            room=self._rooms[0],
            is_here=np.zeros(n_cases, np.bool_),
            orders=np.empty(_LISTS_AT_ONCE * n_numbers * n_cases + 1, np.int32),
            known=np.zeros((len(self._frames.whole), n_numbers), np.int64),
        )


def _room_for_tree(training: Training, size: int) -> MadeTree:
    whole = np.zeros((size, frames_of.GROUP_START + 1), np.int64)
    real = np.zeros((size, frames_of.COUNTS + training.n_classes))
    return MadeTree(whole, real, np.zeros(size, np.int64), np.zeros(2, np.int64))


def _room_for_frames(training: Training, depth: int, slots: int) -> Frames:
    n_classes = training.n_classes
    return Frames(
        whole=np.zeros((depth, frames_of.STATE + 7), np.int64),
        real=np.zeros((depth, frames_of.LIGHT_COUNTS + n_classes)),
        slots=np.zeros((4, slots)),
        is_leaf=np.zeros(slots, np.bool_),
        found=np.zeros((slots, n_classes + 3)),
    )


def _parts(n: int, n_parts: int) -> list[tuple[int, int]]:
    """So many things shared out evenly, each part from the first of a pair to before the second.

    >>> _parts(7, 2)
    [(0, 3), (3, 7)]
    """
    ends = [n * part // n_parts for part in range(n_parts + 1)]
    return list(pairwise(ends))


def _doubled(array: Array) -> Array:
    return np.concatenate([array, np.zeros_like(array)])


def _as_nodes(tree: MadeTree, n_values: Ints) -> C50Node:
    """The root and all that is below it; nodes that pruning has cut off are left."""
    places = _places_below(tree)
    real = tree.real[places]
    counts, numbers = real[:, frames_of.COUNTS :], real[:, : frames_of.COUNTS].tolist()
    kinds = tree.whole[places].tolist()
    nodes = [_node(tree, *parts, n_values) for parts in zip(kinds, numbers, counts)]
    first = 1  # of its branches: a level follows on the one above, in the same order
    for node, (_, _, _, _, n_branches, _) in zip(nodes, kinds):
        node.branches = nodes[first : first + n_branches]
        first += n_branches
    return nodes[0]


def _places_below(tree: MadeTree) -> Ints:
    """Where the root and the nodes below it are, level by level."""
    levels = [np.zeros(1, np.int64)]
    while len(level := levels[-1]):
        first, n = tree.whole[level, frames_of.FIRST_CHILD], tree.whole[level, frames_of.N_BRANCHES]
        before = np.cumsum(n) - n  # branches of the nodes before it
        levels.append(np.repeat(first - before, n) + np.arange(int(n.sum())))
    return np.concatenate(levels)


def _node(tree: MadeTree, whole: list[int], real: list[float], counts: Floats, n_values: Ints) -> C50Node:
    kind, column, label, _, _, start = whole
    cut, gain, weight, errors = real
    groups = NO_GROUPS
    if kind in (frames_of.EACH_VALUE, frames_of.SETS):
        groups = tree.groups[start : start + int(n_values[column]) + 1].copy()
    return C50Node(counts, weight, label, errors, TestKind(kind), column, groups, cut, gain=gain)
