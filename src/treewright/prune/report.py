"""What pruning did."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from treewright.data.schema import Schema
from treewright.prune.counts import training_error
from treewright.tree.edit import levels
from treewright.tree.tree import Tree
from treewright.typing import Floats, Ints


@dataclass(frozen=True)
class Pruned:
    """What was cut. ``nodes`` are the numbers, in the tree as it was, of inner nodes that are leaves now, ``raised`` of
    those whose place a branch of theirs has taken.

    Pairs are before and after. The error is that of the training rows: the share predicted wrongly, or the mean squared
    error.
    """

    method: str
    nodes: tuple[int, ...]
    n_nodes: tuple[int, int]
    n_leaves: tuple[int, int]
    training_error: tuple[float, float]
    raised: tuple[int, ...] = ()

    def __str__(self) -> str:
        (leaves, fewer), (error, now) = self.n_leaves, self.training_error
        return f"{self.method}: {leaves} → {fewer} leaves, training error {error:.4g} → {now:.4g}"


class Traced(NamedTuple):
    """A pruned tree; for each of its nodes that of the old tree whose place it has and the one whose test it has."""

    tree: Tree
    place: Ints
    test: Ints

    @property
    def moved(self) -> bool:
        """Whether a branch has taken the place of its parent, so that nodes hold other rows than before."""
        return bool((self.place != self.test).any())

    def with_value(self, value: Floats) -> Traced:
        return self._replace(tree=self.tree._replace(value=value))


def untouched(after: Tree, before: Tree) -> Traced:
    """A tree in which nodes were made leaves and nothing else was done: branches are walked side by side."""
    old = np.zeros(after.n_nodes, np.int64)
    for level in levels(after):
        if level.start:
            nodes = np.arange(level.start, level.stop)
            parent = after.parent[level]
            old[level] = before.first_child[old[parent]] + nodes - after.first_child[parent]
    return Traced(after, old, old)


def report(before: Tree, after: Tree | Traced, schema: Schema, method: str) -> Pruned:
    """Compare a tree with what a pruner made of it."""
    traced = after if isinstance(after, Traced) else untouched(after, before)
    tree, place = traced.tree, traced.place
    is_cut = (tree.n_branches == 0) & (before.n_branches[place] > 0)
    return Pruned(
        method,
        tuple(place[is_cut].tolist()),
        (before.n_nodes, tree.n_nodes),
        (before.n_leaves, tree.n_leaves),
        (training_error(before, schema), training_error(tree, schema)),
        tuple(place[place != traced.test].tolist()),
    )
