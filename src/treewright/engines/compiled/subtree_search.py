"""Whole subtrees of small nodes: their rows are copied to blocks, and each block is grown by one call."""

from __future__ import annotations

import numpy as np

from treewright.data.encoded import Encoded
from treewright.engines.engine import Subtrees
from treewright.engines.stores.row_store import RowStore
from treewright.engines.stores.store import Frontier
from treewright.engines.target_stats import PURE, TargetStats
from treewright.engines.workers import Workers
from treewright.kernels.search.block import Block, Roots, copy_coded, copy_rows, copy_sorted
from treewright.kernels.search.subtree import GrownSubtrees, Halt, grow_subtrees
from treewright.kernels.store_kernels.nodes import Rules
from treewright.recipe_parts.recipe import Recipe
from treewright.split import midway
from treewright.ties import TIE
from treewright.tree.build import offsets
from treewright.typing import Array, Floats, Ints


class SubtreeSearch:
    """Grows nodes to the end. Blocks have ``block_rows`` rows or a little more, of at least one node."""

    def __init__(
        self,
        encoded: Encoded,
        recipe: Recipe,
        target: TargetStats,
        store: RowStore,
        workers: Workers,
        rules: Rules,
        block_rows: int,
    ) -> None:
        self.encoded = encoded
        self.columns = encoded.columns
        self.target = target
        self.n_stats = target.n_stats
        self.rules = rules
        self.halt = halt_of(recipe, target)
        self.rows = store
        self.workers = workers
        self.block_rows = block_rows
        self.log_base = recipe.log_base
        self.has_missing = np.array(store.has_missing, np.bool_)
        self.number_of_row = np.empty(encoded.n_rows, np.uint16)

    def grow(self, frontier: Frontier) -> Subtrees:
        """Grow all nodes of the frontier, whose rows have been sent but not yet moved."""
        cells = int(frontier.rows.sum()) * len(self.columns)
        self.rows.open(frontier, renumber=False)
        self.workers.each(len(self.columns), self.rows.column, cells=cells)
        start, before = self.rows.start(frontier), offsets(frontier.rows)
        first, stop = np.zeros(1, np.int64), np.array([len(frontier)])
        if before[-1] > self.block_rows:
            first = np.flatnonzero(np.diff(before[:-1] // self.block_rows, prepend=-1))
            stop = np.append(first[1:], len(frontier))
        rooms: dict[int, tuple[Block, GrownSubtrees]] = {}
        parts: dict[int, GrownSubtrees] = {}
        most = int((before[stop] - before[first]).max())

        def grow_block(k: int, worker: int) -> None:
            mine = slice(first[k], stop[k])
            place = before[mine] - before[first[k]]
            roots = Roots(start[mine], frontier.rows[mine], place, frontier.depth[mine], frontier.stats[mine])
            if worker not in rooms:
                rooms[worker] = self._block(most), self._room(most)
            parts[k] = self._grow(roots, *rooms[worker])

        self.workers.each(len(first), grow_block, cells=cells)
        return self._joined([parts[k] for k in range(len(first))], first, cells)

    def _block(self, n: int) -> Block:
        order, ranks = (np.empty((len(self.columns), n), np.uint16) for _ in range(2))
        return Block(order, ranks, *(np.empty(n, np.int64) for _ in Block._fields[2:]))

    def _room(self, n: int) -> GrownSubtrees:
        """A subtree of n rows has fewer than n splits."""
        owner, column, missing = (np.empty(n, np.int64) for _ in range(3))
        stats = np.empty((2 * n, self.n_stats), np.int64)
        missing_branch, beside, rows = np.empty(n, np.int32), np.empty((n, 2), np.int64), np.empty(2 * n, np.int64)
        return GrownSubtrees(owner, column, np.empty(n), missing, missing_branch, beside, rows, stats)

    def _grow(self, roots: Roots, block: Block, room: GrownSubtrees) -> GrownSubtrees:
        rows = self.rows
        copy_rows(rows.in_row_order, rows.data, roots, block, self.number_of_row)
        for j in range(len(self.columns)):
            copied = block.row, block.order[j], block.ranks[j]
            if j in rows.sorted_columns:
                known = rows.codes[j], rows.bits, rows.is_tied[j]
                copy_sorted(rows.sorted_columns[j], *known, self.number_of_row, roots, *copied)
            else:
                copy_coded(rows.codes[j], rows.n_codes[j], roots, *copied)
        n = grow_subtrees(roots, block, self.has_missing, self.rules, self.halt, room)
        return GrownSubtrees(*(part[: n * (len(part) // len(room.owner))].copy() for part in room))

    def _joined(self, parts: list[GrownSubtrees], first_root: Ints, cells: int) -> Subtrees:
        """The parts end to end, with the numbers that their branches and roots have among all."""
        whole = parts[0] if len(parts) == 1 else _end_to_end(parts, first_root)
        numbers = np.empty((len(whole.owner), 2))
        tested = np.flatnonzero(np.bincount(whole.column))

        def look_up(k: int, worker: int) -> None:
            j = int(tested[k])
            mine = np.flatnonzero(whole.column == j)
            numbers[mine] = numbers_of_rows(self.encoded, self.rows, j, whole.beside[mine])

        self.workers.each(len(tested), look_up, cells=cells)
        edge, below = edges_between(numbers, whole.beside)
        gain = whole.gain / self.log_base
        return Subtrees(
            whole.owner, whole.column, edge, below, gain, whole.missing, self._missing_branch(whole), whole.rows,
            whole.stats,
        )  # fmt: skip

    def _missing_branch(self, whole: GrownSubtrees) -> Array:
        """Where nothing was missing the heavier branch, as rows weigh: without what costs and priors make of them."""
        weight = self.target.plain_weights(whole.stats).reshape(-1, 2)
        return np.where(whole.missing > 0, whole.missing_branch, weight.argmax(1))


def _end_to_end(parts: list[GrownSubtrees], first_root: Ints) -> GrownSubtrees:
    """As one, with the numbers that branches and roots have among all."""
    before = 2 * offsets(np.array([len(part.owner) for part in parts]))
    numbered = zip(parts, first_root, before, strict=False)
    owner = np.concatenate([np.where(p.owner < 0, p.owner - root, p.owner + shift) for p, root, shift in numbered])
    return GrownSubtrees(owner, *(np.concatenate(pieces) for pieces in list(zip(*parts, strict=True))[1:]))


def halt_of(recipe: Recipe, target: TargetStats) -> Halt:
    """The recipe's limits, in the engine's units."""
    stop = recipe.stop
    weight_scale, moment_scale, square_scale = target.scales
    return Halt(
        max_depth=np.iinfo(np.int64).max if stop.max_depth is None else stop.max_depth,
        min_rows=stop.least_rows,
        min_gain=recipe.least_gain * recipe.log_base,
        tie=TIE,
        pure=PURE,
        gain_unit=target.gain_unit,
        square_unit=moment_scale**2 / weight_scale / square_scale,
        weight_scale=weight_scale,
        moment_scale=moment_scale,
        square_scale=square_scale,
        rounding=target.rounding,
    )


def edges_of_rows(encoded: Encoded, store: RowStore, column: int, beside: Ints) -> tuple[Floats, Floats]:
    """The thresholds between the rows on either side of cuts, and the numbers below; -1: only missing on the right."""
    return edges_between(numbers_of_rows(encoded, store, column, beside), beside)


def numbers_of_rows(encoded: Encoded, store: RowStore, column: int, beside: Ints) -> Floats:
    """(cuts, 2): the numbers of the rows on either side, which stand for themselves or for their bin."""
    coded = encoded.columns[column]
    if column in store.sorted_columns:
        return np.asarray(coded.numbers)[store.original[beside]].astype(np.float64)
    codes, numbers = store.codes[column][beside].astype(np.int64) - 1, np.empty(beside.shape)
    numbers[:, 0], numbers[:, 1] = coded.highs[codes[:, 0]], coded.lows[codes[:, 1]]
    return numbers


def edges_between(numbers: Floats, beside: Ints) -> tuple[Floats, Floats]:
    """Midway between two numbers, and the lower of them; both infinite where the right has only missing rows."""
    below, above = numbers.T
    edge, only_missing = midway(below, above), beside[:, 1] < 0
    if only_missing.any():
        return np.where(only_missing, np.inf, edge), np.where(only_missing, np.inf, below)
    return edge, below
