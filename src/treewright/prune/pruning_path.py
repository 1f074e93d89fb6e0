"""Nested sequences: each tree of a sequence is the one before it with some nodes made leaves."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, overload

import numpy as np

from treewright.display import Displayed, Sheet
from treewright.prune.methods.bottom_up import ROUNDING
from treewright.tree.edit import cut, levels
from treewright.tree.tree import Tree
from treewright.typing import Floats, Ints


@dataclass(frozen=True, eq=False, repr=False)
class PruningPath(Displayed):
    """Trees from the largest to the root alone, and the α from which on each is the right one.

    ``alphas`` grow from 0. ``leaves``, ``nodes`` and ``risks`` are those of each tree; ``trees`` are made when they are
    looked at.
    """

    tree: Tree
    alphas: Floats
    risks: Floats
    step: Ints  # of every node: the first tree of the sequence in which it is a leaf or gone

    def __len__(self) -> int:
        return len(self.alphas)

    @cached_property
    def leaves(self) -> Ints:
        return np.rint(self.along(np.ones(self.tree.n_nodes))).astype(np.int64)

    @cached_property
    def nodes(self) -> Ints:
        gone = np.bincount(self._window[1], minlength=len(self) + 1)
        return np.asarray(self.tree.n_nodes - np.cumsum(gone)[:-1])

    @property
    def trees(self) -> Trees:
        return Trees(self)

    def along(self, at_leaf: Floats, at_inner: Floats | None = None) -> Floats:
        """The sum over the leaves of each tree of what every node would add as a leaf, and over its inner nodes of what
        they add."""
        own, gone = self._window
        seen = own < gone
        size = len(self) + 1
        change = np.bincount(own[seen], at_leaf[seen], size) - np.bincount(gone[seen], at_leaf[seen], size)
        if at_inner is not None:
            change -= np.bincount(np.minimum(own, gone), at_inner, size)
            change[0] += at_inner.sum()
        return np.asarray(np.cumsum(change)[:-1])

    def place(self, alpha: Floats | float) -> Ints:
        """Which tree is the right one for α."""
        return np.searchsorted(self.alphas, np.asarray(alpha) * (1 + ROUNDING), side="right") - 1

    @cached_property
    def _window(self) -> tuple[Ints, Ints]:
        """A node is a leaf of the trees from the first number up to, not with, the second."""
        own = np.where(self.tree.n_branches > 0, self.step, 0)
        gone = np.full(self.tree.n_nodes, len(self))
        for level in levels(self.tree):
            if level.start:
                above = self.tree.parent[level]
                gone[level] = np.minimum(gone[above], own[above])
        return own, gone

    def _sheet(self) -> Sheet:
        return Sheet(self.to_dict(), f"{len(self)} trees of {self.leaves[0]} to {self.leaves[-1]} leaves")

    def to_dict(self) -> dict[str, list[Any]]:
        """Columns by name, as every dataframe takes them."""
        columns = {"alpha": self.alphas, "leaves": self.leaves, "nodes": self.nodes, "risk": self.risks}
        return {name: values.tolist() for name, values in columns.items()}


@dataclass(frozen=True, eq=False)
class Trees(Sequence[Tree]):
    """The trees of a path. None is kept."""

    path: PruningPath

    def __len__(self) -> int:
        return len(self.path)

    @overload
    def __getitem__(self, index: int) -> Tree: ...
    @overload
    def __getitem__(self, index: slice) -> list[Tree]: ...
    def __getitem__(self, index: int | slice) -> Tree | list[Tree]:
        if isinstance(index, slice):
            return [self[k] for k in range(len(self))[index]]
        k = range(len(self))[index]
        return cut(self.path.tree, (self.path.step <= k) & (self.path.tree.n_branches > 0))


def path_of(tree: Tree, alpha: Floats, risk: Floats, slack: float) -> PruningPath:
    """The sequence in which inner node v becomes a leaf at ``alpha[v]``; values within ``slack`` count as equal.

    AttributeCosts of at most ``slack`` are nothing: those nodes are leaves from the first tree on.
    """
    inner = np.flatnonzero(tree.n_branches > 0)
    reached = _lowest_above(tree, alpha)
    values = np.sort(np.maximum(reached[inner], 0.0))
    starts = np.flatnonzero(np.diff(values, prepend=0.0) > slack)
    ends = np.append(starts, len(values))[1:] - 1
    alphas = np.concatenate([[0.0], values[ends]])
    step = np.zeros(tree.n_nodes, np.int64)
    step[inner] = np.searchsorted(values[starts], np.maximum(reached[inner], 0.0), side="right")
    bare = PruningPath(tree, alphas, np.empty(0), step)
    return PruningPath(tree, alphas, bare.along(risk), step)


def _lowest_above(tree: Tree, alpha: Floats) -> Floats:
    """A node is gone once a node above it is a leaf."""
    lowest = np.array(alpha)
    for level in levels(tree):
        if level.start:
            lowest[level] = np.minimum(lowest[level], lowest[tree.parent[level]])
    return lowest
