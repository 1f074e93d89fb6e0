"""Columns drawn at the nodes of a tree: by a key that every node has from the branches that lead to it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from treewright.engines.choices.choice import Best
from treewright.kernels.random_numbers import BRANCH, COLUMN, CUT, LEVEL, LEVELS, hashed_each
from treewright.recipe_parts.column_draw import ColumnDraw
from treewright.typing import Floats, Ints, Mask

MOST_BITS = 62  # levels of which a subset is one number


class ColumnDraws:
    """See ``ColumnDraw``. ``keys`` are by the numbers of nodes; kernels/forest_kernels/forest.py draws the same."""

    def __init__(self, draw: ColumnDraw, seed: int, n_columns: int) -> None:
        self.random_cuts = draw.random_cuts
        self.n_columns = n_columns
        self.among = np.arange(n_columns) if draw.among is None else np.array(sorted(draw.among), np.int64)
        self.n_first = min(draw.columns, len(self.among))
        self.keys = np.array([seed], np.uint64)

    def split(self, ids: Ints, n_branches: Ints) -> None:
        """The nodes of these numbers have so many branches; their children are the next nodes."""
        before = np.repeat(np.cumsum(n_branches) - n_branches, n_branches)
        branch = np.arange(int(n_branches.sum())) - before
        self.keys = np.concatenate([self.keys, hashed_each(np.repeat(self.keys[ids], n_branches), branch, 0, BRANCH)])

    # ---- columns -----------------------------------------------------------------------------------------------

    def order(self, ids: Ints) -> Ints:
        """(nodes, columns) in the order of the draw, by Fisher and Yates."""
        keys, n = self.keys[ids], len(self.among)
        order = np.tile(self.among, (len(ids), 1))
        if self.n_first == n:
            return order
        every = np.arange(len(ids))
        for i in range(n - 1):
            other = i + (hashed_each(keys, i, 0, COLUMN) % np.uint64(n - i)).astype(np.int64)
            order[every, i], order[every, other] = order[every, other], order[every, i]
        return order

    def turns(self, ids: Ints) -> Ints:
        """(columns, nodes) when a column is drawn; those that are never are last."""
        turns = np.full((self.n_columns, len(ids)), self.n_columns)
        turns[self.order(ids).T, np.arange(len(ids))] = np.arange(len(self.among))[:, None]
        return turns

    def chosen_from(self, exists: Mask, ids: Ints) -> Mask:
        """(columns, nodes) what is drawn, where ``exists`` says which columns have an admissible split."""
        order = self.order(ids).T
        some = exists[order, np.arange(len(ids))]
        some_before = np.cumsum(some, axis=0) - some > 0
        wanted = (np.arange(len(order)) < self.n_first)[:, None] | ~some_before
        chosen = np.zeros(exists.shape, np.bool_)
        chosen[order, np.arange(len(ids))] = wanted
        return chosen

    def masked(self, best: Sequence[Best], ids: Ints) -> list[Best]:
        """As if columns that are not drawn had no split."""
        chosen = self.chosen_from(np.array([one.exists for one in best]), ids)
        return [replace(one, score=np.where(mine, one.score, -np.inf)) for one, mine in zip(best, chosen)]

    # ---- splits ------------------------------------------------------------------------------------------------

    def thresholds(self, column: int, ids: Ints, lowest: Floats, highest: Floats) -> Floats:
        """Drawn evenly, from the lowest number up to the highest and below it."""
        share = (hashed_each(self.keys[ids], column, 0, CUT) >> np.uint64(11)).astype(np.float64) * 2.0**-53
        with np.errstate(invalid="ignore", over="ignore"):  # infinite numbers
            threshold = lowest + share * (highest - lowest)
        return np.where((lowest <= threshold) & (threshold < highest), threshold, lowest)

    def is_on_left(self, column: int | Ints, ids: Ints, n_levels: Ints, node: Ints, place: Ints) -> Mask:
        """Whether levels, each at a node and with a place among the levels there, are in the subset on the left. Some
        are and some are not, at nodes of two levels or more. There may be a column for each node."""
        column = np.broadcast_to(np.asarray(column), ids.shape)
        few = np.minimum(n_levels, MOST_BITS).astype(np.uint64)
        most = (np.uint64(1) << few) - np.uint64(2)
        subset = np.uint64(1) + hashed_each(self.keys[ids], column, 0, LEVELS) % np.maximum(most, np.uint64(1))
        bit = (subset[node] >> np.minimum(place, MOST_BITS).astype(np.uint64)) & np.uint64(1)
        beyond = hashed_each(self.keys[ids][node], column[node], place, LEVEL) & np.uint64(1)
        return np.asarray(np.where(place < MOST_BITS, bit, beyond) == 1)
