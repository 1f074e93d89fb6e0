"""Reduced error pruning (Quinlan 1987, *International Journal of Man-Machine Studies* 27, 221–234)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from treewright.data.schema import Schema
from treewright.prune.bottom_up import ROUNDING, better_as_leaf, highest, sum_up
from treewright.prune.holdout import HoldOut, needed
from treewright.prune.option_checks import check_choice
from treewright.tree.edit import cut
from treewright.tree.tree import Tree
from treewright.typing import Mask

_ORDERS = ("bottom-up", "greedy")


@dataclass(frozen=True)
class ReducedError:
    """Make a node a leaf if that does no harm on held-out rows: error(T') ≤ error(T).

    ``order="bottom-up"`` decides for each node once, after all nodes below it, and ends at the smallest of the subtrees
    with the least error on those rows. ``"greedy"`` always takes the node whose removal improves most (of equals the
    one nearest the root), until any removal would harm. The error of a number is its squared error. A node that no
    held-out row reaches becomes a leaf, since nothing speaks for its split.

    >>> ReducedError(order="greedy")
    ReducedError(order='greedy')
    """

    order: str = "bottom-up"

    needs_data = True

    def __post_init__(self) -> None:
        check_choice("order", self.order, _ORDERS)

    def __call__(self, tree: Tree, schema: Schema, data: HoldOut | None = None) -> Tree:
        rows = needed(data, "reduced-error")
        if self.order == "greedy":
            return cut(tree, _most_improving_first(tree, rows))
        return cut(tree, better_as_leaf(tree, rows.loss, of_split=rows.stopped, slack=_slack(rows)))


def _slack(rows: HoldOut) -> float:
    return ROUNDING * float(rows.loss[0])


def _most_improving_first(tree: Tree, rows: HoldOut) -> Mask:
    """Nodes that are taken in that order, found at once.

    A removal takes from the improvement of the nodes above it what it improves itself, and from no other. So a node
    that is not better than all below it is worse than nothing after the first removal there, and is never taken.
    """
    inner = tree.n_branches > 0
    gain = np.where(inner, sum_up(tree, rows.loss, rows.stopped) - rows.loss, -np.inf)
    return np.asarray(inner & (gain >= -_slack(rows)) & (gain >= highest(tree, gain) - _slack(rows)))
