"""The tree as data: flat arrays that never change, and views to walk them.

Node 0 is the root. Nodes are numbered level by level and the children of a node stand side by side, so that
``child = first_child[node] + branch``. The same numbers appear in ``apply``, the printed tree, the rules and pictures.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from treewright.display import DisplayedRecord
from treewright.split import EVERY_BRANCH, Split, Surrogate
from treewright.table import N_MOMENTS
from treewright.tree.linear_models import NO_MODELS, LinearModels
from treewright.typing import Array, Floats, Ints

N_TEST = 6
NO_TESTS: Floats = np.empty((0, 0))
TEST_NAMES = ("χ²", "G", "F", "mean scores χ²")


class LeafKind(str, Enum):
    """What the leaves of a tree are: what nodes predict, and which statistics of their training rows they keep.

    ========= =========================== ==========================================================================
    classes   probability of each class   weight of each class
    means     one number                  the moments Σ w, Σ w·y, Σ w·y²
    medians   one number                  the moments, the median, Σ w·|y − median|, Σ w·|y − median of the parent|
    linear    a linear model              the moments
    logistic  a model for each class      weight of each class
    ========= =========================== ==========================================================================

    The last of the sums of medians tells what rows lose that a missing value has stopped at the parent. A tree says its
    kind, and so do files; that statistics of two kinds may be equally many means nothing. Models stand beside the tree
    (``Tree.models``); what a node with a model has as its value is the mean, or the shares of the classes.
    """

    CLASSES = "classes"
    MEANS = "means"
    MEDIANS = "medians"
    LINEAR = "linear"
    LOGISTIC = "logistic"

    def n_stats(self, n_classes: int) -> int:
        """How many statistics a node keeps."""
        return {
            LeafKind.CLASSES: n_classes,
            LeafKind.MEANS: N_MOMENTS,
            LeafKind.MEDIANS: N_MOMENTS + 3,
            LeafKind.LINEAR: N_MOMENTS,
            LeafKind.LOGISTIC: n_classes,
        }[self]

    def n_values(self, n_classes: int) -> int:
        """How many numbers a node predicts."""
        return n_classes if self.of_classes else 1

    @property
    def of_classes(self) -> bool:
        """Whether the target is one of several classes."""
        return self in (LeafKind.CLASSES, LeafKind.LOGISTIC)

    @property
    def has_models(self) -> bool:
        """Whether what a node predicts depends on the row."""
        return self in (LeafKind.LINEAR, LeafKind.LOGISTIC)

    def weight(self, stats: Floats) -> Floats:
        """The weight of the rows that statistics are of; these lie along the last axis.

        >>> stats = np.array([2.0, 3.0, 5.0])
        >>> LeafKind.CLASSES.weight(stats).item(), LeafKind.MEANS.weight(stats).item()
        (10.0, 2.0)
        """
        return np.asarray(stats.sum(-1) if self.of_classes else stats[..., 0])


class SplitTest(NamedTuple):
    """The test that a split passed, in the order of ``Tree.test``. p-values are kept as logarithms: they underflow."""

    kind: float  # place in TEST_NAMES
    statistic: float
    freedom: float  # degrees of freedom
    within: float  # those within groups, for F; else 0
    log_p: float
    log_adjusted_p: float  # for the number of ways in which levels could have been merged

    @property
    def name(self) -> str:
        return TEST_NAMES[int(self.kind)]

    @property
    def p(self) -> float:
        return math.exp(self.log_p)

    @property
    def adjusted_p(self) -> float:
        return math.exp(self.log_adjusted_p)


class Surrogates(NamedTuple):
    """Tests that stand in for missing values, best first; those of node v are ``[start[v]:start[v+1]]``.

    Trees without any have no starts either.
    """

    start: Array = np.empty(0, np.int64)  # (n + 1,) or nothing
    column: Array = np.empty(0, np.int32)
    edge: Floats = np.empty(0)  # NaN where the column is not numeric
    branch_start: Array = np.zeros(1, np.int64)  # one more than there are surrogates
    branch_of: Array = np.empty(0, np.int32)  # branch of a code; -1: it does not say
    agreement: Floats = np.empty(0)
    adjusted: Floats = np.empty(0)
    printed: Floats = np.empty(0)  # what is printed for each edge; empty: the edges in full

    @property
    def exist(self) -> bool:
        return self.start.size > 0

    def of(self, node: int) -> tuple[Surrogate, ...]:
        if not self.exist:
            return ()
        return tuple(self._one(k) for k in range(self.start[node], self.start[node + 1]))

    def _one(self, k: int) -> Surrogate:
        edges = np.empty(0) if np.isnan(self.edge[k]) else self.edge[k : k + 1]
        printed = self.printed[k : k + 1] if edges.size and self.printed.size else None
        branch_of = self.branch_of[self.branch_start[k] : self.branch_start[k + 1]]
        split = Split(int(self.column[k]), edges, branch_of, printed=printed)
        return Surrogate(split, float(self.agreement[k]), float(self.adjusted[k]))


NO_SURROGATES = Surrogates()
EXTRAS: dict[str, Any] = {
    "surrogates": Surrogates,
    "models": LinearModels,
}  # fields of a tree that hold arrays of their own, and are empty in most trees

CRISP: Floats = np.empty((0, 2))
IN_FULL: Floats = np.empty(0)


class Routes(NamedTuple):
    """What sends rows down a tree and answers them, arrays only: kernels are given this. See ``Tree``."""

    first_child: Array
    n_branches: Array
    column: Array
    edge_start: Array
    edges: Floats
    branch_start: Array
    branch_of: Array
    value: Floats
    surrogates: Surrogates
    bounds: Floats


class Tree(NamedTuple):
    """``n`` nodes. Ragged arrays (edges, branch_of) lie end to end: those of node v are ``[start[v]:start[v+1]]``."""

    parent: Array  # (n,) int32, -1 at the root
    first_child: Array  # (n,) int32, -1 at a leaf
    n_branches: Array  # (n,) int32, 0 at a leaf
    column: Array  # (n,) int32, -1 at a leaf
    edge_start: Array  # (n + 1,) int64
    edges: Floats
    branch_start: Array  # (n + 1,) int64
    branch_of: Array  # int32: branch of a code, the first entry being that of missing values
    stats: Floats  # (n, n_stats) statistics of the training rows at the node, see LeafKind
    rows: Ints  # (n,) training rows that reached the node
    missing: Ints  # (n,) of these, rows whose tested value was missing
    gain: Floats  # (n,) score of the split taken, 0 at a leaf
    value: Floats  # (n, n_classes) class probabilities, or (n, 1) predicted number
    leaf: LeafKind  # what the leaves are; stats and value mean what it says
    test: Floats = NO_TESTS  # (n, 6) significance of the splits, see SplitTest; empty where none was tested
    surrogates: Surrogates = NO_SURROGATES
    bounds: Floats = CRISP  # (edges, 2) between which a number takes both sides; empty where all thresholds are hard
    printed: Floats = IN_FULL  # (edges,) what is printed: sends all training rows as the edge does; empty: not known
    models: LinearModels = NO_MODELS  # of trees whose leaves predict by a model
    below: Floats = IN_FULL  # (edges,) while it grows: the value next below of the training rows at the node, or NaN

    def __repr__(self) -> str:
        """Arrays of thousands of numbers tell a reader nothing."""
        return f"<Tree of {self.n_nodes} nodes, {self.n_leaves} of them leaves, of depth {self.depth}>"

    @property
    def n_nodes(self) -> int:
        return len(self.column)

    @property
    def n_leaves(self) -> int:
        return int((self.n_branches == 0).sum())

    @property
    def depth(self) -> int:
        return int(self.depths().max())

    @property
    def weights(self) -> Floats:
        """The weight of the training rows at every node."""
        return self.leaf.weight(self.stats)

    @property
    def routes(self) -> Routes:
        return Routes(*(getattr(self, name) for name in Routes._fields))

    def arrays(self) -> Iterator[Array]:
        """All arrays, one after the other: trees are equal if these are, and their leaves are of one kind."""
        for name in ARRAYS:
            yield getattr(self, name)
        for name in EXTRAS:
            yield from getattr(self, name)

    @property
    def columns_used(self) -> Ints:
        """The columns a row is asked for: those tested, that stand in for missing values, and those of models."""
        asked = np.concatenate([self.column, self.surrogates.column, self.models.columns_used])
        return np.flatnonzero(np.bincount(asked + 1)[1:])

    @property
    def root(self) -> Node:
        return Node(self, 0)

    def node(self, id: int) -> Node:
        return Node(self, id)

    def nodes(self) -> Iterator[Node]:
        return (Node(self, id) for id in range(self.n_nodes))

    def leaves(self) -> Iterator[Node]:
        return (Node(self, int(id)) for id in np.flatnonzero(self.n_branches == 0))

    def depths(self) -> Ints:
        """Distance of every node from the root.

        Each round doubles how far ``above`` looks up, so a tree of depth d takes log2(d) rounds over its nodes.
        """
        above = np.maximum(self.parent, 0)
        depths = (self.parent >= 0).astype(np.int64)
        while above.any():
            depths += depths[above]
            above = above[above]
        return depths


ARRAYS = tuple(name for name in Tree._fields if name not in ("leaf", "below", *EXTRAS))


@dataclass(frozen=True, repr=False)
class Node(DisplayedRecord):
    """A node of a tree: a view, never stored."""

    tree: Tree
    id: int

    @property
    def is_leaf(self) -> bool:
        return bool(self.tree.n_branches[self.id] == 0)

    @property
    def children(self) -> tuple[Node, ...]:
        first, count = int(self.tree.first_child[self.id]), int(self.tree.n_branches[self.id])
        return tuple(Node(self.tree, first + branch) for branch in range(count))

    @property
    def parent(self) -> Node | None:
        return Node(self.tree, int(self.tree.parent[self.id])) if self.id else None

    @property
    def branch(self) -> int:
        """Which branch of its parent leads here; -1 at the root."""
        return self.id - int(self.tree.first_child[self.tree.parent[self.id]]) if self.id else -1

    @property
    def split(self) -> Split | None:
        if self.is_leaf:
            return None
        tree, v = self.tree, self.id
        return Split(
            column=int(tree.column[v]),
            edges=tree.edges[tree.edge_start[v] : tree.edge_start[v + 1]],
            branch_of=tree.branch_of[tree.branch_start[v] : tree.branch_start[v + 1]],
            bounds=self._bounds(),
            printed=tree.printed[tree.edge_start[v] : tree.edge_start[v + 1]] if tree.printed.size else None,
        )

    def _bounds(self) -> tuple[float, float] | None:
        at, bounds = int(self.tree.edge_start[self.id]), self.tree.bounds
        if not bounds.size or self.tree.edge_start[self.id + 1] == at or bounds[at, 0] == bounds[at, 1]:
            return None
        return float(bounds[at, 0]), float(bounds[at, 1])

    @property
    def surrogates(self) -> tuple[Surrogate, ...]:
        """Tests on other columns that stand in where the tested value is missing, best first."""
        return self.tree.surrogates.of(self.id)

    @property
    def stats(self) -> Floats:
        return np.asarray(self.tree.stats[self.id])

    @property
    def value(self) -> Floats:
        return np.asarray(self.tree.value[self.id])

    @property
    def n(self) -> int:
        """Training rows that reached the node."""
        return int(self.tree.rows[self.id])

    @property
    def gain(self) -> float:
        return float(self.tree.gain[self.id])

    @property
    def test(self) -> SplitTest | None:
        """The significance of the split, if the learner tested it (CHAID)."""
        if self.is_leaf or not self.tree.test.size:
            return None
        return SplitTest(*self.tree.test[self.id].tolist())

    def path(self) -> tuple[Node, ...]:
        """The nodes from the root to this one."""
        ids = [self.id]
        while ids[-1]:
            ids.append(int(self.tree.parent[ids[-1]]))
        return tuple(Node(self.tree, id) for id in reversed(ids))

    @property
    def rule(self) -> str:
        """The tests that lead here, columns by number and levels by code; ``rules()`` of a model has the names.

        ``x2 <= 2.45 and x0 in {1, 3}``; empty at the root. ``or missing`` where missing training rows came this way.
        """
        return " and ".join(_test_text(parent, child.branch) for parent, child in pairwise(self.path()))

    def _facts(self) -> dict[str, Any]:
        """By the names of columns and classes, if the tree knows them."""
        schema = getattr(self.tree, "schema", None)
        told: dict[str, Any] = {"node": self.id, "depth": len(self.path()) - 1, "rows": self.n}
        if not self.is_leaf:
            column = int(self.tree.column[self.id])
            told["tests"] = f"x{column}" if schema is None else schema.names[column]
            told |= {"gain": self.gain, "children": tuple(child.id for child in self.children)}
        classes = None if schema is None else schema.target.classes
        if classes is None:
            return told | {"value": self.value.tolist()}
        return told | {str(label): float(share) for label, share in zip(classes, self.value)}


def _test_text(node: Node, branch: int) -> str:
    split = node.split
    assert split is not None
    codes = np.flatnonzero(split.branch_of[1:] == branch) + 1
    name = f"x{split.column}"
    levels = f"{name} in {{{', '.join(map(str, codes))}}}"
    words = _interval_text(name, split.edges, codes) if split.is_numeric else levels
    takes_missing = node.tree.missing[node.id] > 0 and split.branch_of[0] in (branch, EVERY_BRANCH)
    return f"({words} or missing)" if takes_missing else words


def _interval_text(name: str, edges: Floats, codes: Ints) -> str:
    """Codes of numbers are bins between edges; a branch is one run of them, or holds only missing values."""
    if not codes.size:
        return f"{name} not known"
    below = [f"{name} > {float(edges[codes[0] - 2])!r}"] if codes[0] > 1 else []
    above = [f"{name} <= {float(edges[codes[-1] - 1])!r}"] if codes[-1] <= edges.size else []
    return " and ".join(below + above) or f"{name} known"
