"""Whole subtrees of small nodes: their rows are copied to blocks, and each block is grown by one call."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from treewright.data.encoded import Encoded
from treewright.engines.engine import Frontier, Subtrees
from treewright.engines.rows import RowStore
from treewright.engines.target_stats import PURE, TIE, ClassStats, MomentStats
from treewright.engines.workers import Workers
from treewright.kernels.block import Block, Roots, copy_counted, copy_listed, copy_rows
from treewright.kernels.nodes import Rules
from treewright.kernels.subtree import Grown, Halt, grow_subtrees
from treewright.recipe.recipe import Recipe
from treewright.tree.build import offsets
from treewright.typing import Floats, Ints

Edges = Callable[[int, Ints], Floats]  # from a column and the rows on either side of its cuts


class SubtreeGrower:
    """Grows nodes to the end. Blocks have ``block_rows`` rows or a little more, of at least one node."""

    def __init__(
        self,
        encoded: Encoded,
        target: ClassStats | MomentStats,
        recipe: Recipe,
        rules: Rules,
        rows: RowStore,
        edges: Edges,
        block_rows: int,
    ) -> None:
        self.columns = encoded.columns
        self.n_stats = target.n_stats
        self.rules = rules
        self.halt = halt_of(recipe, target)
        self.rows = rows
        self.edges = edges
        self.block_rows = block_rows
        self.log_base = recipe.log_base
        self.has_missing = np.array([column.has_missing for column in encoded.columns], np.bool_)
        self.number_of_row = np.empty(encoded.n_rows, np.uint16)

    def grow(self, frontier: Frontier, workers: Workers, small: bool) -> Subtrees:
        """Grow all nodes of the frontier, whose rows have been routed but not yet moved."""
        self.rows.begin_round(frontier, all_open=False)
        workers.each(len(self.columns), self.rows.column, small=small)
        start, before = self.rows.start(frontier), offsets(frontier.rows)
        first = np.flatnonzero(np.diff(before[:-1] // self.block_rows, prepend=-1))
        stop = np.append(first[1:], len(frontier))
        rooms: dict[int, tuple[Block, Grown]] = {}
        parts: dict[int, Grown] = {}
        most = int((before[stop] - before[first]).max())

        def grow_block(k: int, worker: int) -> None:
            mine = slice(first[k], stop[k])
            place = before[mine] - before[first[k]]
            roots = Roots(start[mine], frontier.rows[mine], place, frontier.depth[mine], frontier.stats[mine])
            if worker not in rooms:
                rooms[worker] = self._block(most), self._room(most)
            parts[k] = self._grow(roots, *rooms[worker])

        workers.each(len(first), grow_block, small=small)
        return self._joined([parts[k] for k in range(len(first))], first, workers, small)

    def _block(self, n: int) -> Block:
        order, ranks = (np.empty((len(self.columns), n), np.uint16) for _ in range(2))
        return Block(order, ranks, *(np.empty(n, np.int64) for _ in Block._fields[2:]))

    def _room(self, n: int) -> Grown:
        """A subtree of n rows has fewer than n splits."""
        owner, column, missing = (np.empty(n, np.int64) for _ in range(3))
        stats = np.empty((2 * n, self.n_stats), np.int64)
        missing_branch, beside, rows = np.empty(n, np.int32), np.empty((n, 2), np.int64), np.empty(2 * n, np.int64)
        return Grown(owner, column, np.empty(n), missing, missing_branch, beside, rows, stats)

    def _grow(self, roots: Roots, block: Block, room: Grown) -> Grown:
        rows = self.rows
        copy_rows(rows.in_row_order, rows.data, roots, block, self.number_of_row)
        for j, column in enumerate(self.columns):
            copied = block.row, block.order[j], block.ranks[j]
            if j in rows.listed:
                tied = column.has_missing or column.n_codes <= len(self.number_of_row)
                copy_listed(rows.listed[j], rows.codes[j], rows.bits, tied, self.number_of_row, roots, *copied)
            else:
                copy_counted(rows.codes[j], column.n_codes, roots, *copied)
        n = grow_subtrees(roots, block, self.has_missing, self.rules, self.halt, room)
        return Grown(*(part[: n * (len(part) // len(room.owner))].copy() for part in room))

    def _joined(self, parts: list[Grown], first_root: Ints, workers: Workers, small: bool) -> Subtrees:
        """The parts end to end, with the numbers that their branches and roots have among all."""
        before = 2 * offsets(np.array([len(part.owner) for part in parts]))
        numbered = zip(parts, first_root, before, strict=False)
        owner = np.concatenate([np.where(p.owner < 0, p.owner - root, p.owner + shift) for p, root, shift in numbered])
        whole = Grown(owner, *(np.concatenate(pieces) for pieces in list(zip(*parts, strict=True))[1:]))
        edge = np.empty(len(owner))

        def find_edges(j: int, worker: int) -> None:
            mine = np.flatnonzero(whole.column == j)
            if len(mine):
                edge[mine] = self.edges(j, whole.beside[mine])

        workers.each(len(self.columns), find_edges, small=small)
        gain = whole.gain / self.log_base
        return Subtrees(
            owner, whole.column, edge, gain, whole.missing, whole.missing_branch, whole.rows, whole.stats
        )  # fmt: skip


def halt_of(recipe: Recipe, target: ClassStats | MomentStats) -> Halt:
    """The recipe's limits, in the engine's units."""
    stop = recipe.stop
    weight_scale, moment_scale, square_scale = target.scales
    return Halt(
        max_depth=np.iinfo(np.int64).max if stop.max_depth is None else stop.max_depth,
        min_rows=stop.least_rows,
        min_gain=recipe.least_gain,
        tie=TIE,
        pure=PURE,
        gain_unit=target.gain_unit,
        square_unit=moment_scale**2 / weight_scale / square_scale,
        weight_scale=weight_scale,
        moment_scale=moment_scale,
        square_scale=square_scale,
    )
