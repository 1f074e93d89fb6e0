"""Reduced error pruning (Quinlan 1987, *International Journal of Man-Machine Studies* 27, 221–234)."""

from __future__ import annotations

import heapq
from dataclasses import dataclass

import numpy as np

from treewright.data.schema import Schema
from treewright.errors import OptionError
from treewright.prune.fold import ROUNDING, better_as_leaf, sum_up
from treewright.prune.holdout import HoldOut, needed
from treewright.tree.edit import cut
from treewright.tree.tree import Tree
from treewright.typing import Mask

_ORDERS = ("bottom-up", "greedy")


@dataclass(frozen=True)
class ReducedError:
    """Make a node a leaf if that does no harm on held-out rows: error(T') ≤ error(T).

    ``order="bottom-up"`` decides for each node once, after all nodes below it, and ends at the smallest of the subtrees
    with the least error on those rows. ``"greedy"`` always takes the node whose removal improves most (of equals the
    one nearest the root), until any removal would harm; each removal costs a walk to the root. The error of a number is
    its squared error. A node that no held-out row reaches becomes a leaf, since nothing speaks for its split.

    >>> ReducedError(order="greedy")
    ReducedError(order='greedy')
    """

    order: str = "bottom-up"

    needs_data = True

    def __post_init__(self) -> None:
        if self.order not in _ORDERS:
            raise OptionError(f"order={self.order!r} is not accepted", f"order is one of {', '.join(_ORDERS)}")

    def __call__(self, tree: Tree, schema: Schema, data: HoldOut | None = None) -> Tree:
        rows = needed(data, "reduced-error")
        if self.order == "greedy":
            return cut(tree, _most_improving_first(tree, rows))
        return cut(tree, better_as_leaf(tree, rows.loss, slack=_slack(rows)))


def _slack(rows: HoldOut) -> float:
    return ROUNDING * float(rows.loss[0])


def _most_improving_first(tree: Tree, rows: HoldOut) -> Mask:
    """A heap of improvements. A removal lowers those above it and changes no other, so old entries are too hopeful
    and are put back with what is left of them when they come up."""
    gain = sum_up(tree, rows.loss) - rows.loss
    waiting = [(-gain[v], v) for v in np.flatnonzero(tree.n_branches > 0).tolist()]
    heapq.heapify(waiting)
    removed = np.zeros(tree.n_nodes, np.bool_)
    slack = _slack(rows)
    while waiting and -waiting[0][0] >= -slack:
        promised, v = heapq.heappop(waiting)
        above = _ancestors(tree, v)
        if removed[above].any():
            continue
        if gain[v] < -promised:
            heapq.heappush(waiting, (-gain[v], v))
            continue
        removed[v] = True
        gain[above] -= gain[v]
    return removed


def _ancestors(tree: Tree, v: int) -> list[int]:
    above = []
    while v:
        v = int(tree.parent[v])
        above.append(v)
    return above
