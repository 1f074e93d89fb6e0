"""Trees folded from their leaves up, a level at a time."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from treewright.tree.edit import levels
from treewright.tree.tree import Tree
from treewright.typing import Array, Floats, Ints, Mask

ROUNDING = 1e-12  # costs that differ by less than this share are equal


def families(tree: Tree) -> Iterator[tuple[Ints, slice, Ints]]:
    """Parents of a level, the slice of all their children, and where in it each family starts; deepest level first."""
    for level in reversed(list(levels(tree))):
        nodes = np.arange(level.start, level.stop)[tree.n_branches[level] > 0]
        if nodes.size:
            starts = tree.first_child[nodes] - level.stop  # the families of a level stand end to end
            yield nodes, slice(level.stop, level.stop + int(tree.n_branches[level].sum())), starts


def sum_up(tree: Tree, at_leaves: Array, at_inner: Array | None = None) -> Array:
    """The sum of a quantity over the leaves below each node, and of another over the inner nodes there."""
    total = np.array(at_leaves)
    for nodes, children, starts in families(tree):
        total[nodes] = np.add.reduceat(total[children], starts, axis=0)
        if at_inner is not None:
            total[nodes] += at_inner[nodes]
    return total


def highest(tree: Tree, values: Floats) -> Floats:
    """The largest value at each node or below it."""
    top = np.array(values)
    for nodes, children, starts in families(tree):
        top[nodes] = np.maximum(top[nodes], np.maximum.reduceat(top[children], starts))
    return top


def better_as_leaf(
    tree: Tree, cost: Floats, *, of_split: Floats | float = 0.0, slack: float = 0.0, strictly: bool = False
) -> Mask:
    """Nodes that cost no more as a leaf than the best subtree below them and its split cost; from the bottom up.

    ``slack`` is what rounding may hide; ``strictly`` keeps the subtree when both cost the same.
    """
    best = np.array(cost, np.float64)
    split = np.broadcast_to(of_split, best.shape)
    as_leaf = np.zeros(tree.n_nodes, np.bool_)
    for nodes, children, starts in families(tree):
        below = split[nodes] + np.add.reduceat(best[children], starts)
        as_leaf[nodes] = best[nodes] < below - slack if strictly else best[nodes] <= below + slack
        best[nodes] = np.where(as_leaf[nodes], best[nodes], below)
    return as_leaf
