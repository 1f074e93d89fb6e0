"""Trees of other programs beside ours: walked together node by node, and where scores tie, on along the other's split.

Programs break ties between columns as they like (scikit-learn at random). So a node may be split otherwise than ours
only if both splits gain the same; then our estimator is fitted anew to the rows of each branch the other program made,
and the walk goes on. Every leaf of the other tree is compared in this way.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol

import numpy as np
import pandas as pd

from oracle import IMPURITIES, decrease

SAME_GAIN = 1e-9  # relative to the node's impurity
SAME_CUT = 1e-6  # thresholds are stored with seven digits, and halfway between 32-bit floats in scikit-learn


class Cut(NamedTuple):
    """``x <= threshold`` (or ``<``) of one column, by its place in the table."""

    column: int
    threshold: float


class Peer(Protocol):
    """A tree of another program. Nodes are whatever it calls them."""

    root: int

    def branches(self, node: int, rows: np.ndarray) -> list[tuple[int, np.ndarray]]:
        """The children of a node, each with its share of the node's rows; none at a leaf."""

    def cut(self, node: int) -> Cut | None:
        """The test of a node if it is a threshold."""


@dataclass(frozen=True)
class ArrayTree:
    """scikit-learn's arrays."""

    left: np.ndarray
    right: np.ndarray
    feature: np.ndarray
    threshold: np.ndarray
    X: np.ndarray  # 32-bit, as scikit-learn sees the table

    root = 0

    def branches(self, node: int, rows: np.ndarray) -> list[tuple[int, np.ndarray]]:
        if self.left[node] < 0:
            return []
        goes_left = self.X[rows, self.feature[node]] <= self.threshold[node]
        return [(self.left[node], rows[goes_left]), (self.right[node], rows[~goes_left])]

    def cut(self, node: int) -> Cut:
        return Cut(int(self.feature[node]), float(self.threshold[node]))


@dataclass(frozen=True)
class NumberedTree:
    """A binary tree given by the leaf of every row, the children of node v being 2v and 2v + 1."""

    leaf_of_row: np.ndarray
    cuts: dict[int, Cut]

    root = 1

    def branches(self, node: int, rows: np.ndarray) -> list[tuple[int, np.ndarray]]:
        if (self.leaf_of_row[rows] == node).any():
            return []
        depth = node.bit_length()
        child = np.array([leaf >> (leaf.bit_length() - depth - 1) for leaf in self.leaf_of_row[rows].tolist()])
        return [(2 * node, rows[child == 2 * node]), (2 * node + 1, rows[child == 2 * node + 1])]

    def cut(self, node: int) -> Cut | None:
        return self.cuts.get(node)


@dataclass
class Walk:
    """What a walk has found: how often the other tree was followed at a tie, its leaves, and the leaf of every row.

    ``values[row]`` is what our tree predicts: class shares, or a number.
    """

    values: np.ndarray
    leaf: np.ndarray
    ties: int = 0
    leaves: int = 0


Fit = Callable[[np.ndarray, int], Any]  # from rows and the depth of their node to a fitted estimator


class Pair(NamedTuple):
    """Our node and theirs; the same ``rows`` of the table reach both."""

    ours: int
    theirs: int
    rows: np.ndarray
    depth: int


@dataclass(frozen=True)
class Comparison:
    """Walks a peer's tree and ours, and at ties the trees that ``refit`` makes. ``classes`` is None for a number.

    ``refit`` None says that no part of the tree can be grown by itself (the number of leaves is limited, or the tree is
    pruned by a measure of the whole): then nothing may differ.
    """

    peer: Peer
    X: pd.DataFrame
    y: np.ndarray
    criterion: str
    classes: list[Any] | None
    weights: np.ndarray
    refit: Fit | None

    def walk(self, model: Any) -> Walk:
        """Compare every node; raises AssertionError at the first that differs without a tie."""
        n_rows = len(self.y)
        values = np.full((n_rows, len(self.classes) if self.classes else 1), np.nan)
        found = Walk(values, np.full(n_rows, -1))
        self._walk(model, Pair(0, self.peer.root, np.arange(n_rows), 0), found)
        return found

    def _walk(self, model: Any, start: Pair, found: Walk) -> None:
        reached = model.decision_path(self.X.iloc[start.rows]).toarray().astype(bool)
        waiting = [start]
        while waiting:
            pair = waiting.pop()
            below = self.peer.branches(pair.theirs, pair.rows)
            node = model.tree_.node(pair.ours)
            assert bool(below) != node.is_leaf, self._unequal(pair, node, below)
            if not below:
                self._keep_leaf(model, pair, found)
                continue
            mine = [start.rows[reached[:, child.id]] for child in node.children]
            mine = [np.intersect1d(part, pair.rows) for part in mine]
            order = _matching(mine, [rows for _, rows in below])
            if order is None:
                self._follow(pair, mine, below, found)
                continue
            self._check_cut(pair, node)
            for branch, (theirs, rows) in zip(order, below):
                waiting.append(Pair(node.children[branch].id, theirs, rows, pair.depth + 1))

    def _keep_leaf(self, model: Any, pair: Pair, found: Walk) -> None:
        value = model.tree_.value[pair.ours]
        if self.classes is None:
            found.values[pair.rows] = value
        else:
            found.values[pair.rows] = 0.0
            for label, share in zip(model.classes_.tolist(), value):
                found.values[pair.rows, self.classes.index(label)] = share
        found.leaf[pair.rows] = pair.theirs
        found.leaves += 1

    def _follow(self, pair: Pair, mine: list[np.ndarray], below: list[tuple[int, np.ndarray]], found: Walk) -> None:
        """At a tie, go on below the other program's split with trees of our own."""
        theirs = [rows for _, rows in below]
        gains = self.gain(pair.rows, mine), self.gain(pair.rows, theirs)
        slack = SAME_GAIN * max(1.0, IMPURITIES[self.criterion](self.y[pair.rows], self.weights[pair.rows]))
        assert abs(gains[0] - gains[1]) <= slack, f"node {pair.theirs} is split otherwise: gains {gains}"
        assert self.refit is not None, f"node {pair.theirs} is split otherwise, and cannot be grown by itself"
        found.ties += 1
        for node, rows in below:
            if len(np.unique(self.y[rows])) == 1:
                self._keep_pure(node, rows, found)
            else:
                self._walk(self.refit(rows, pair.depth + 1), Pair(0, node, rows, pair.depth + 1), found)

    def _keep_pure(self, node: int, rows: np.ndarray, found: Walk) -> None:
        assert not self.peer.branches(node, rows), f"node {node} of a single value is split"
        label = self.y[rows[0]]
        found.values[rows] = label if self.classes is None else [float(label == other) for other in self.classes]
        found.leaf[rows] = node
        found.leaves += 1

    def gain(self, rows: np.ndarray, parts: list[np.ndarray]) -> float:
        """Decrease of impurity by a split of the rows into parts, from its definition."""
        branch = np.zeros(len(self.y), int)
        for number, part in enumerate(parts):
            branch[part] = number
        return decrease(self.y[rows], self.weights[rows], branch[rows], self.criterion)

    def _check_cut(self, pair: Pair, node: Any) -> None:
        """The same column must be cut at the same place."""
        cut = self.peer.cut(pair.theirs)
        if cut is not None and cut.column == node.split.column and node.split.is_numeric:
            np.testing.assert_allclose(node.split.edges, [cut.threshold], rtol=SAME_CUT)

    def _unequal(self, pair: Pair, node: Any, below: list[Any]) -> str:
        who, gain = ("they", self.gain(pair.rows, [rows for _, rows in below])) if below else ("we", node.gain)
        return f"only {who} split node {pair.theirs} ({len(pair.rows)} rows), with a gain of {gain}"


def _matching(mine: list[np.ndarray], theirs: list[np.ndarray]) -> tuple[int, ...] | None:
    """Which of my branches has the rows of each of theirs; None if the rows are dealt otherwise."""
    for order in ((0, 1), (1, 0)):
        if len(mine) == len(theirs) == 2 and all(np.array_equal(mine[b], rows) for b, rows in zip(order, theirs)):
            return order
    return None
