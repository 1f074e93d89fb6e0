"""Grows and prunes C5.0's trees: room for the kernels that do it, and threads for large nodes."""

from __future__ import annotations

from typing import Any

import numpy as np

from treewright.c50.node import NO_GROUPS, C50Node, TestKind
from treewright.c50.training import Training
from treewright.engines.workers import Workers
from treewright.kernels.c50_kernels import c50_frames as frames_of
from treewright.kernels.c50_kernels.c50_division import NOWHERE
from treewright.kernels.c50_kernels.c50_frames import Frames, MadeTree, Work
from treewright.kernels.c50_kernels.c50_growth import (
    choose,
    finish_orders,
    mark,
    measure,
    place_orders,
    sort_column,
)
from treewright.kernels.c50_kernels.c50_search import NodeCases, TestsOfColumns, gather_node, number_room
from treewright.kernels.c50_kernels.c50_work import DONE, LARGE_NODE, begin_growing, begin_pruning, work_on
from treewright.kernels.jit import on_this_road
from treewright.typing import Ints

_LARGE = 8192  # cases of a node that is searched by several threads
_NEVER = 2**62
_LISTS_AT_ONCE = 3  # sorted cases are kept for nodes of so many times the cases of the root


class TreeMaker:
    """Makes one tree from the cases of a training, which it moves."""

    def __init__(self, training: Training, workers: Workers) -> None:
        self.training, self.workers = training, workers
        self._most = int(training.table.n_values.max(initial=3))
        self._tree = _room_for_tree(training, 64 * (self._most + 2))
        self._frames = _room_for_frames(training, 32, 32 * (self._most + 2))
        self._large = _LARGE if workers.n_jobs > 1 else _NEVER
        self._rooms = [number_room(len(training.table.labels), training.n_classes)]
        self._work = self._room_for_work()

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

    def root(self) -> C50Node:
        """The tree as nodes."""
        return _as_nodes(self._tree, self.training.table.n_values)

    def columns_tested(self) -> set[int]:
        return {node.column for node in self.root().walk() if not node.is_leaf}

    def _begin(self, cases: Ints) -> None:
        self._work = self._work._replace(cases=cases.copy())

    def _work_on(self) -> None:
        run = on_this_road(work_on)
        while (why := run(self._work, self._tree, self._frames, self._most, self._large)) != DONE:
            if why == LARGE_NODE:
                self._search_large_node()
            else:
                self._tree, self._frames = _doubled(self._tree), _doubled(self._frames)

    def _search_large_node(self) -> None:
        """One column to a thread at a time."""
        work, tree, frames = self._work, self._tree, self._frames
        d = int(work.control[frames_of.TOP]) - 1
        above = on_this_road(place_orders)(work, frames, d)
        on_this_road(mark)(work, frames, d, True)
        sort = on_this_road(sort_column)
        alone = above >= 0 and frames.order_at[d] == frames.order_at[above]  # lists are written over in their order
        cells = 0 if alone else np.inf
        self.workers.each(len(work.sorted.columns), lambda p, _: sort(work, frames, d, above, p), cells=cells)
        on_this_road(mark)(work, frames, d, False)
        on_this_road(finish_orders)(work, frames, d, above)
        cases = work.cases[frames.first[d] : frames.last[d]]
        on_this_road(gather_node)(cases, work.table.labels, work.weights, work.here)
        while len(self._rooms) < self.workers.n_jobs:
            self._rooms.append(number_room(len(work.table.labels), work.table.n_classes))
        columns, one = np.flatnonzero(work.in_use), on_this_road(measure)
        self.workers.each(
            len(columns), lambda i, worker: one(work, tree, frames, d, int(columns[i]), self._rooms[worker])
        )
        work.control[frames_of.THE_COLUMN] = on_this_road(choose)(work, tree, frames, d)
        frames.step[d] = frames_of.CHOSEN

    def _room_for_work(self) -> Work:
        training, table = self.training, self.training.table
        n_cases, n_columns, n_classes = len(table.labels), len(table.kinds), training.n_classes
        n_numbers = len(training.sorted.columns)
        return Work(
            table=table,
            sorted=training.sorted,
            cases=np.empty(0, np.int64),
            weights=training.weights,
            factors=training.factors,
            in_use=training.in_use,
            tested=np.zeros(n_columns, np.int64),
            is_here=np.zeros(n_cases, np.bool_),
            room_for_orders=np.empty(_LISTS_AT_ONCE * n_numbers * n_cases + 1, np.int32),
            search=training.search,
            stops=training.stops,
            estimates=training.estimates,
            found=TestsOfColumns(
                gain=np.full(n_columns, -1.0),
                information=np.zeros(n_columns),
                cut=np.zeros(n_columns),
                n_branches=np.zeros(n_columns, np.int64),
                groups=np.full((n_columns, self._most + 1), NOWHERE, np.int64),
            ),
            here=NodeCases(np.empty(n_cases, np.int64), np.empty(n_cases, np.int64), np.empty(n_cases)),
            room=self._rooms[0],
            sums=np.zeros(n_classes),
            totals=np.zeros(n_classes + 3),
            control=np.zeros(2, np.int64),
            result=np.zeros(1),
        )


def _room_for_tree(training: Training, size: int) -> MadeTree:
    whole = {name: np.zeros(size, np.int64) for name in MadeTree._fields[:6]}
    real = {name: np.zeros(size) for name in ("cut", "gain", "weight", "errors")}
    counts = np.zeros((size, training.n_classes))
    return MadeTree(**whole, **real, counts=counts, groups=np.zeros(size, np.int64), used=np.zeros(2, np.int64))


def _room_for_frames(training: Training, depth: int, slots: int) -> Frames:
    n_classes, n_numbers = training.n_classes, len(training.sorted.columns)
    first_real = Frames._fields.index("state")
    whole = {name: np.zeros(depth, np.int64) for name in (*Frames._fields[:first_real], "order_at", "order_size")}
    real = ("weight", "wrong", "unknown", "as_leaf", "as_tree", "heaviest", "light")
    of_depth = {name: np.zeros(depth) for name in real}
    of_slots = {name: np.zeros(slots) for name in ("own", "real", "shares")}
    return Frames(
        **whole,
        **of_depth,
        **of_slots,
        state=np.zeros((depth, 7), np.int64),
        light_counts=np.zeros((depth, n_classes)),
        order_known=np.zeros((depth, n_numbers), np.int64),
        is_leaf=np.zeros(slots, np.bool_),
        found=np.zeros((slots, n_classes + 3)),
    )


def _doubled(room: Any) -> Any:
    """The same arrays, of twice the length; ``used`` keeps its own."""
    made = {name: np.concatenate([array, np.zeros_like(array)]) for name, array in room._asdict().items()}
    return room._replace(**{**made, **({"used": room.used} if "used" in made else {})})


def _as_nodes(tree: MadeTree, n_values: Ints) -> C50Node:
    root = _node(tree, 0, n_values)
    waiting = [(0, root)]
    while waiting:
        at, node = waiting.pop()
        first = int(tree.first_child[at])
        children = range(first, first + int(tree.n_branches[at]))
        node.branches = [_node(tree, child, n_values) for child in children]
        waiting.extend(zip(children, node.branches))
    return root


def _node(tree: MadeTree, at: int, n_values: Ints) -> C50Node:
    kind, column, groups = TestKind(int(tree.kind[at])), int(tree.column[at]), NO_GROUPS
    if kind in (TestKind.EACH_VALUE, TestKind.SETS):
        start = int(tree.group_start[at])
        groups = tree.groups[start : start + int(n_values[column]) + 1].copy()
    return C50Node(
        tree.counts[at].copy(), float(tree.weight[at]), int(tree.label[at]), float(tree.errors[at]), kind, column,
        groups, float(tree.cut[at]), gain=float(tree.gain[at]),
    )  # fmt: skip
