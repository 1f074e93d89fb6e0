"""The build of a tree of cells, in threads."""

from __future__ import annotations

from functools import partial

import numpy as np

from treewright.engines.workers import Workers
from treewright.kernels.neighbor_kernels.median_cells import LEAF, NOT_THERE, SpaceCells, cut_all_in_numpy, cut_nodes
from treewright.kernels.switch import should_compile
from treewright.typing import Floats, Ints

PLAIN_BUILD = 4e-7  # seconds a row takes per level without compiled kernels
_SMALL = 20_000  # rows below which threads are not woken


def uncut(n_rows: int, leaf_size: int) -> SpaceCells:
    """Room for all nodes of a tree that halves its rows; the root has them all."""
    depth = 0
    while -(-n_rows // (1 << depth)) > leaf_size:
        depth += 1
    n_nodes = (2 << depth) - 1
    axis = np.full(n_nodes, NOT_THERE, np.int32)
    axis[0] = LEAF
    start, end = np.zeros(n_nodes, np.int64), np.zeros(n_nodes, np.int64)
    end[0] = n_rows
    return SpaceCells(axis, np.zeros(n_nodes), np.zeros(n_nodes), start, end, np.zeros(n_nodes, np.bool_))


def cut_cells(points: Floats, order: Ints, cells: SpaceCells, leaf_size: int, rotate: bool, n_jobs: int) -> None:
    depth = (len(cells.axis) + 1).bit_length() - 2
    if not should_compile(PLAIN_BUILD * len(points) * (depth + 1), cut_nodes):
        cut_all_in_numpy(points, order, leaf_size, rotate, cells)
        return
    top = min(depth + 1, n_jobs.bit_length() + 2) if n_jobs > 1 and len(points) > _SMALL else 0
    with Workers(n_jobs) as workers:
        for level in range(top + 1):  # the first levels node by node, then whatever is below each
            n_levels = 1 if level < top else depth + 1 - level
            workers.each(1 << level, partial(_cut_one, points, order, cells, leaf_size, rotate, level, n_levels))


def _cut_one(
    points: Floats, order: Ints, cells: SpaceCells, leaf_size: int, rotate: bool, level: int, n_levels: int,
    place: int, _: int,
) -> None:  # fmt: skip
    """Cut one node of a level, and so many levels from it on."""
    node = (1 << level) - 1 + place
    if n_levels > 0:
        cut_nodes(points, order, node, node + 1, n_levels, leaf_size, rotate, cells)


def levels(n_nodes: int) -> list[tuple[int, int]]:
    """Numbers of nodes in parts of about equal work: a level each, that of the leaves being the last."""
    depth = (n_nodes + 1).bit_length() - 1
    return [((1 << level) - 1, (2 << level) - 1) for level in range(depth)]
