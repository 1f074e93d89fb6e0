"""Reduced error pruning (Quinlan 1987, *International Journal of Man-Machine Studies* 27, 221–234)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from treewright.data.schema import Schema
from treewright.prune.bottom_up import ROUNDING, better_as_leaf, highest, sum_up
from treewright.prune.holdout import HoldOut, needed
from treewright.prune.option_checks import check_choice, check_yes_no
from treewright.tree.edit import cut
from treewright.tree.tree import Tree
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
        gain = np.where(tree.n_branches > 0, sum_up(tree, rows.loss, rows.stopped) - rows.loss, -np.inf)
        helps = gain > _slack(rows) if self.strict else gain >= -_slack(rows)
        return cut(tree, helps if self.order == "top-down" else helps & _most_improving(tree, gain, _slack(rows)))


def _slack(rows: HoldOut) -> float:
    return ROUNDING * float(rows.loss[0])


def _most_improving(tree: Tree, gain: Floats, slack: float) -> Mask:
    """Nodes that improve no less than any below them: of those that help, the ones that are taken one by one.

    A removal takes from the improvement of the nodes above it what it improves itself, and from no other. So a node
    that is not better than all below it is worse than nothing after the first removal there, and is never taken.
    """
    return np.asarray(gain >= highest(tree, gain) - slack)
