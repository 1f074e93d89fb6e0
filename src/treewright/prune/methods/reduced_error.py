"""Reduced error pruning (Quinlan 1987, *International Journal of Man-Machine Studies* 27, 221–234)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from treewright.data.schema import Schema
from treewright.prune.holdout import HoldOut, needed
from treewright.prune.methods.bottom_up import ROUNDING, better_as_leaf, highest, sum_up
from treewright.prune.option_checks import check_choice, check_yes_no
from treewright.prune.pruning_path import PruningPath
from treewright.tree.edit import cut
from treewright.tree.tree import Node, Tree
from treewright.typing import Floats, Mask

_ORDERS = ("bottom-up", "top-down", "greedy")


@dataclass(frozen=True)
class ReducedError:
    """Make a node a leaf if that does no harm on held-out rows: error(T') ≤ error(T); ``strict``, if it helps: <.

    ``order="bottom-up"`` decides for each node once, after all nodes below it, and ends at the smallest of the subtrees
    with the least error on those rows (``strict``: at the largest). ``"top-down"`` decides for each node before those
    below it, against all leaves that were grown there. ``"greedy"`` always takes the node whose removal improves most
    (of equals the one nearest the root), until any removal would harm. The error of a number is its squared error. A
    node that no held-out row reaches becomes a leaf, since nothing speaks for its split, unless it is to be ``strict``.

    To repeat it changes nothing. What is pruned below a node lowers the error of its subtree or leaves it, so that a
    node which was better split once is better split ever after.

    >>> ReducedError(order="greedy")
    ReducedError(order='greedy', strict=False)
    """

    order: str = "bottom-up"
    strict: bool = False

    needs_data = True

    def __post_init__(self) -> None:
        check_choice("order", self.order, _ORDERS)
        check_yes_no("strict", self.strict)

    def __call__(self, tree: Tree, schema: Schema, data: HoldOut | None = None) -> Tree:
        rows = needed(data, "reduced-error")
        if self.order == "bottom-up":
            smaller = better_as_leaf(tree, rows.loss, of_split=rows.stopped, slack=_slack(rows), strictly=self.strict)
            return cut(tree, smaller)
        gain = _improvement(tree, rows)
        helps = gain > _slack(rows) if self.strict else gain >= -_slack(rows)
        return cut(tree, helps if self.order == "top-down" else helps & _most_improving(tree, gain, _slack(rows)))


def removal_path(tree: Tree, data: HoldOut) -> PruningPath:
    """The trees that greedy reduced-error pruning comes by, and those it would come by if it did not stop there.

    Every step makes a leaf of the node that improves most on the held-out rows (of equals the one nearest the root),
    until the root is left. ``alphas`` count the steps, ``risks`` are what the held-out rows lose.
    """
    gain, slack = _improvement(tree, data), _slack(data)
    step, k = np.zeros(tree.n_nodes, np.int64), 0
    while (best := gain.max()) > -np.inf:
        k, v = k + 1, int(np.argmax(gain >= best - slack))
        for node in Node(tree, v).path()[:-1]:
            gain[node.id] -= gain[v]  # what is improved below a node does not speak for its removal any more
        removed = _still_split(tree, v, gain)
        step[removed], gain[removed] = k, -np.inf
    bare = PruningPath(tree, np.arange(k + 1.0), np.empty(0), step)
    return PruningPath(tree, bare.alphas, bare.along(data.loss, data.stopped), step)


def _still_split(tree: Tree, v: int, gain: Floats) -> list[int]:
    """The inner nodes from v down that are there yet: those that can be removed have a gain."""
    found = [v]
    for u in found:
        children = range(int(tree.first_child[u]), int(tree.first_child[u] + tree.n_branches[u]))
        found.extend(child for child in children if gain[child] > -np.inf)
    return found


def _improvement(tree: Tree, rows: HoldOut) -> Floats:
    """How much less is lost on the rows if a node is made a leaf; a leaf cannot be."""
    return np.where(tree.n_branches > 0, sum_up(tree, rows.loss, rows.stopped) - rows.loss, -np.inf)


def _slack(rows: HoldOut) -> float:
    return ROUNDING * float(rows.loss[0])


def _most_improving(tree: Tree, gain: Floats, slack: float) -> Mask:
    """Nodes that improve no less than any below them: of those that help, the ones that are taken one by one.

    A removal takes from the improvement of the nodes above it what it improves itself, and from no other. So a node
    that is not better than all below it is worse than nothing after the first removal there, and is never taken.
    """
    return np.asarray(gain >= highest(tree, gain) - slack)
