"""Pruning by hand: where one points, where something holds, to a depth, to a number of leaves."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from numbers import Integral
from typing import Any

import numpy as np

from treewright.data.schema import Schema
from treewright.errors import OptionError, shown
from treewright.leaves import decided
from treewright.prune.holdout import HoldOut
from treewright.prune.methods.bottom_up import families
from treewright.prune.methods.cost_complexity import CostComplexity
from treewright.prune.option_checks import check_whole
from treewright.tree.edit import cut
from treewright.tree.tree import LeafKind, Node, Tree


@dataclass(frozen=True)
class AtNodes:
    """Make the nodes of these numbers leaves. Leaves, and nodes below another of the numbers, change nothing.

    >>> AtNodes([2, 5])
    AtNodes(nodes=(2, 5))
    """

    nodes: Iterable[int]

    needs_data = False

    def __post_init__(self) -> None:
        ids = tuple(self.nodes) if isinstance(self.nodes, Iterable) else (self.nodes,)
        odd = [id for id in ids if not isinstance(id, Integral) or isinstance(id, bool) or id < 0]
        if odd:
            raise OptionError(
                f"nodes are known by whole numbers from 0, got {shown(odd[0])}", "print the model to see them"
            )
        object.__setattr__(self, "nodes", tuple(map(int, ids)))

    def __call__(self, tree: Tree, schema: Schema, data: HoldOut | None = None) -> Tree:
        ids = np.array(self.nodes, np.int64)
        if ids.size and ids.max() >= tree.n_nodes:
            raise OptionError(
                f"there is no node {ids.max()}", f"the nodes are numbered from 0 to {tree.n_nodes - 1}; print the model"
            )
        return cut(tree, ids)


@dataclass(frozen=True)
class Where:
    """Make every inner node a leaf for which a function of the :class:`Node` is true, such as ``node.n < 50``.

    >>> import treewright as tw
    >>> model = tw.CARTClassifier().fit([[1], [2], [3], [4]], ["a", "a", "b", "a"])
    >>> model.prune(tw.prune.Where(lambda node: node.n < 3)).tree_.n_leaves
    2
    """

    holds: Callable[[Node], Any]

    needs_data = False

    def __post_init__(self) -> None:
        if not callable(self.holds):
            raise OptionError(
                f"holds must be a function of a node, got {shown(self.holds)}", "lambda node: node.n < 50"
            )

    def __call__(self, tree: Tree, schema: Schema, data: HoldOut | None = None) -> Tree:
        inner = (tree.node(int(v)) for v in np.flatnonzero(tree.n_branches > 0))
        return cut(tree, np.array([node.id for node in inner if self.holds(node)], np.int64))


@dataclass(frozen=True)
class ToDepth:
    """Make every node of the given depth a leaf; 0 leaves the root alone.

    >>> ToDepth(3)
    ToDepth(depth=3)
    """

    depth: int

    needs_data = False

    def __post_init__(self) -> None:
        check_whole("depth", self.depth, least=0, hint="0 leaves the root alone")

    def __call__(self, tree: Tree, schema: Schema, data: HoldOut | None = None) -> Tree:
        return cut(tree, tree.depths() == self.depth)


@dataclass(frozen=True)
class ToLeaves:
    """At most so many leaves: the first tree of the cost-complexity sequence that has no more.

    It may have fewer, since one step of the sequence can take several leaves away. ``risk`` is that of
    :class:`CostComplexity`.

    >>> ToLeaves(8)
    ToLeaves(leaves=8, risk=None)
    """

    leaves: int
    risk: str | None = None

    needs_data = False

    def __post_init__(self) -> None:
        check_whole("leaves", self.leaves, least=1, hint="1 leaves the root alone")
        CostComplexity(risk=self.risk)

    def __call__(self, tree: Tree, schema: Schema, data: HoldOut | None = None) -> Tree:
        if tree.n_leaves <= self.leaves:
            return cut(tree, np.empty(0, np.int64))
        path = CostComplexity(risk=self.risk).path(tree, schema)
        return path.trees[int(np.flatnonzero(path.leaves <= self.leaves)[0])]


@dataclass(frozen=True)
class MergeSame:
    """Make a node a leaf if all its branches are leaves that predict what it predicts itself, from the bottom up.

    No prediction changes, only probabilities do. For numbers the predictions have to be equal.

    >>> MergeSame()
    MergeSame()
    """

    needs_data = False

    def __call__(self, tree: Tree, schema: Schema, data: HoldOut | None = None) -> Tree:
        if tree.models.exist:
            return tree  # two models that predict alike everywhere are hardly ever found
        says = decided(tree.value, schema.target) if tree.leaf is LeafKind.CLASSES else tree.value[:, 0]
        is_leaf = tree.n_branches == 0
        for nodes, children, starts in families(tree):
            same = is_leaf[children] & (says[children] == says[tree.parent[children]])
            is_leaf[nodes] = np.logical_and.reduceat(same, starts)
        return cut(tree, is_leaf & (tree.n_branches > 0))
