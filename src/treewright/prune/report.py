"""What pruning did."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from treewright.data.schema import Schema
from treewright.prune.counts import training_error
from treewright.tree.edit import levels
from treewright.tree.tree import Tree
from treewright.typing import Ints


@dataclass(frozen=True)
class Pruned:
    """What was cut. ``nodes`` are the numbers, in the tree as it was, of inner nodes that are leaves now.

    Pairs are before and after. The error is that of the training rows: the share predicted wrongly, or the mean squared
    error.
    """

    method: str
    nodes: tuple[int, ...]
    n_nodes: tuple[int, int]
    n_leaves: tuple[int, int]
    training_error: tuple[float, float]

    def __str__(self) -> str:
        (leaves, fewer), (error, now) = self.n_leaves, self.training_error
        return f"{self.method}: {leaves} → {fewer} leaves, training error {error:.4g} → {now:.4g}"


def report(before: Tree, after: Tree, schema: Schema, method: str) -> Pruned:
    """Compare a tree with what a pruner made of it."""
    old = _old_numbers(before, after)
    cut = old[(after.n_branches == 0) & (before.n_branches[old] > 0)]
    return Pruned(
        method,
        tuple(cut.tolist()),
        (before.n_nodes, after.n_nodes),
        (before.n_leaves, after.n_leaves),
        (training_error(before, schema), training_error(after, schema)),
    )


def _old_numbers(before: Tree, after: Tree) -> Ints:
    """The number each node had: branches are walked side by side."""
    old = np.zeros(after.n_nodes, np.int64)
    for level in levels(after):
        if level.start:
            nodes = np.arange(level.start, level.stop)
            parent = after.parent[level]
            old[level] = before.first_child[old[parent]] + nodes - after.first_child[parent]
    return old
