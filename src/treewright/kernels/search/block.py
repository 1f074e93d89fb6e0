"""Blocks: copies of the rows of small nodes, packed so that they fit the fast caches.

In a block a row is known by its number within its node, and a code by its rank among the codes of the node.
"""

from typing import NamedTuple

import numpy as np

from treewright.kernels.jit import kernel

MISSING = 0  # the rank of a missing value; others count from 1


class Roots(NamedTuple):
    """Small nodes. Node r has the rows ``[start:start + size]`` of the lists, ``[place:place + size]`` of a block."""

    start: np.ndarray  # (n,) int64
    size: np.ndarray  # (n,) int64
    place: np.ndarray  # (n,) int64
    depth: np.ndarray  # (n,) int64
    totals: np.ndarray  # (n, n_stats) int64


class Block(NamedTuple):
    """The rows of some small nodes, node by node."""

    order: np.ndarray  # (columns, rows) uint16: the rows of a node by code, as numbers within the node
    ranks: np.ndarray  # (columns, rows) uint16: the rank of the code of each row of a node
    row: np.ndarray  # (rows,) int64: the row that it is elsewhere
    label: np.ndarray  # (rows,) int64
    weight: np.ndarray  # (rows,) int64, fixed point
    moment: np.ndarray  # (rows,) int64
    square: np.ndarray  # (rows,) int64


@kernel
def copy_rows(entries, data, roots, block, number_of_row):
    """What the rows of the nodes count for, and their numbers within their node."""
    bits, labels = data.bits, (1 << data.bits) - 1
    for r in range(roots.start.shape[0]):
        start, place = roots.start[r], roots.place[r]
        for k in range(roots.size[r]):
            entry = entries[start + k]
            row = entry >> bits
            number_of_row[row] = k
            block.row[place + k] = row
            block.label[place + k] = entry & labels
            block.weight[place + k] = data.weight[row] if data.weight.shape[0] else 1
            if data.moment.shape[0]:
                block.moment[place + k] = data.moment[row]
                block.square[place + k] = data.square[row]


@kernel
def copy_sorted(entries, codes, bits, tied, number_of_row, roots, rows, order, ranks):
    """The sorted order of one column that is kept as a list."""
    codes_here = np.empty(roots.size.max(), codes.dtype)
    for r in range(roots.start.shape[0]):
        place, size = roots.place[r], roots.size[r]
        entries_here = entries[roots.start[r] : roots.start[r] + size]
        rows_here, order_here = rows[place : place + size], order[place : place + size]
        ranks_here = ranks[place : place + size]
        for k in range(size if tied else 0):  # by row: along the list every look-up would miss the fast caches
            codes_here[k] = codes[rows_here[k]]
        rank, last = 0, np.int64(0)  # code 0 is missing, and so is rank 0
        for k in range(size):
            number = number_of_row[entries_here[k] >> bits]
            code = np.int64(codes_here[number]) if tied else k + 1
            rank += code != last
            last = code
            order_here[k] = number
            ranks_here[number] = rank


@kernel
def copy_coded(codes, n_codes, roots, rows, order, ranks):
    """The sorted order of one column of few codes, by counting them."""
    first = np.zeros(n_codes + 1, np.int64)
    for r in range(roots.start.shape[0]):
        place, size = roots.place[r], roots.size[r]
        for c in range(n_codes + 1):
            first[c] = 0
        for k in range(place, place + size):
            first[codes[rows[k]] + 1] += 1
        for c in range(n_codes):
            first[c + 1] += first[c]
        for k in range(size):
            code = codes[rows[place + k]]
            order[place + first[code]] = k
            ranks[place + k] = code  # a code is as good as its rank
            first[code] += 1
