"""The best cut of M5' at a node: by fifth roots of variances, from sums over the rows in the order they are in.

Four columns are added up side by side: each sum has to wait for the one before it, but not for those of other columns.
Roots take long. So all cuts are first compared by roots of 32 bits, many at a time, and the formula itself is used for
those that could be the best of their column, in columns that could be the best of the node.
"""

from typing import Any, NamedTuple

import numpy as np

import treewright.kernels.linear_kernels.m5_growth_in_numpy as m5_growth_in_numpy
from treewright.kernels.jit import borrowing, inlined_borrowing, kernel, lending, stepwise
from treewright.kernels.linear_kernels.m5_growth_in_numpy import CLOSE, NO_SCORE

LANES = 4  # columns side by side
_BLOCK = 64  # cuts
_ROUGHLY = 1e-5  # by how much of themselves rough roots may be wrong, and more
_NOTHING = 1e-6  # of the node's root: those of smaller variances may be wrong by more
_START_BITS = 1277923859  # six fifths of the bits of 1.0, and what makes the largest error least


class CutRoom(NamedTuple):
    """Room for a search among the columns of a node of n rows."""

    moments: Any  # float64 (6, (BLOCK + 1) · LANES): n, Σ and Σ² below each cut of a block, and above it
    share: Any  # float32 (2, BLOCK · LANES): variances beside cuts, as shares of the node's
    share_bits: Any  # int32: the same memory
    root: Any  # float32 (2, BLOCK · LANES): one over the fifth root
    root_bits: Any  # int32
    cost: Any  # float32 (BLOCK · LANES): what the roots beside each cut come to
    begin: Any  # float64 (columns, n / BLOCK + 1, 6): the moments before every block
    block_least: Any  # float32 (columns, n / BLOCK + 1): no cost in the block is less
    least: Any  # float32 (columns): the least cost of a cut
    whole: Any  # float64 (columns): the weight of the node, as added up along the column
    mass: Any  # float64 (columns): the fifth root of its variance


@lending
def cut_room(n_columns, n):
    n_blocks = n // _BLOCK + 1
    share, root = np.empty((2, _BLOCK * LANES), np.float32), np.empty((2, _BLOCK * LANES), np.float32)
    return CutRoom(
        np.empty((6, (_BLOCK + 1) * LANES)),
        share,
        share.view(np.int32),
        root,
        root.view(np.int32),
        np.empty(_BLOCK * LANES, np.float32),
        np.empty((n_columns, n_blocks, 6)),
        np.empty((n_columns, n_blocks), np.float32),
        np.empty(n_columns, np.float32),
        np.empty(n_columns),
        np.empty(n_columns),
    )


@inlined_borrowing
def _root_of_variance(n, total, squares):
    return (abs(n * squares - total * total) / (n * n)) ** 0.2


@inlined_borrowing
def _weight(w, row):
    if w is None:
        return 1.0
    return w[row]


@inlined_borrowing
def _margin(size):
    return size // 5 if size >= 5 else 1


@borrowing
def _first_sums(y, w, lines, first, start, size, moments):
    """Before the first cut of each column side by side: n, Σ and Σ² of the rows below it, and of those above."""
    last, middle = len(lines) - 1, start + _margin(size)
    for k in range(6):
        for c in range(LANES):
            moments[k, c] = 0.0
    for side in range(2):
        begin, end = (middle, start + size) if side else (start, middle)
        for i in range(begin, end):
            for c in range(LANES):
                row = lines[min(first + c, last), i]
                weight, value = _weight(w, row), y[row]
                part = weight * value
                moments[3 * side, c] += weight
                moments[3 * side + 1, c] += part
                moments[3 * side + 2, c] += part * value


@borrowing
def _block_moments(y, w, lines, first, lanes, start, m, moments):
    """The moments at each of m cuts of the columns from ``first`` on, from those before the first one."""
    last = len(lines) - 1
    for i in range(m):
        for c in range(lanes):
            row = lines[min(first + c, last), start + i]
            weight, value = _weight(w, row), y[row]
            part = weight * value
            squares = part * value
            before, here = i * lanes + c, (i + 1) * lanes + c
            moments[0, here] = moments[0, before] + weight
            moments[1, here] = moments[1, before] + part
            moments[2, here] = moments[2, before] + squares
            moments[3, here] = moments[3, before] - weight
            moments[4, here] = moments[4, before] - part
            moments[5, here] = moments[5, before] - squares


@stepwise
def _shares_of_variance(moments, shift, m, variance, low, high):
    for i in range(m):
        n, total = moments[0, shift + i], moments[1, shift + i]
        low[i] = abs(n * moments[2, shift + i] - total * total) / (n * n * variance)
        n, total = moments[3, shift + i], moments[4, shift + i]
        high[i] = abs(n * moments[5, shift + i] - total * total) / (n * n * variance)


@stepwise
def _start_roots(bits, m, out):
    """A fifth of the exponent, and of what follows it, less than none."""
    for i in range(m):
        out[i] = np.int32(np.float32(_START_BITS) - np.float32(0.2) * np.float32(bits[i]))


@stepwise
def _improve_roots(share, m, root):
    """Newton's steps to one over the fifth root, which need no division."""
    for i in range(m):
        value, fifth = root[i], np.float32(0.2) * share[i]
        for _ in range(3):
            square = value * value
            value = value * (np.float32(1.2) - fifth * (square * square) * value)
        root[i] = value


@stepwise
def _costs(moments, shift, share, root, m, out):
    low, high, low_root, high_root = share[0], share[1], root[0], root[1]
    for i in range(m):
        square, other = low_root[i] * low_root[i], high_root[i] * high_root[i]
        out[i] = moments[0, shift + i] * (low[i] * (square * square)) + moments[3, shift + i] * (
            high[i] * (other * other)
        )


@borrowing
def _rough_costs(lanes, m, variance, room):
    """What the roots beside every cut of a block come to, weighted: the less the better."""
    n = m * lanes
    _shares_of_variance(room.moments, lanes, n, variance, room.share[0], room.share[1])
    for side in range(2):
        _start_roots(room.share_bits[side], n, room.root_bits[side])
        _improve_roots(room.share[side], n, room.root[side])
    _costs(room.moments, lanes, room.share, room.root, n, room.cost)


@inlined_borrowing
def _may_cut(values, line, i):
    return values[line[i + 1]] - values[line[i]] >= CLOSE


@borrowing
def _lane_least(values, line, start, m, lane, has_ties, known, cost):
    """The least cost of a lane, and whether there is a cut of that cost. Where it is less than ``known``, there is.

    Values are looked at only then: nearly always they differ.
    """
    least = np.float32(np.inf)
    for i in range(m):
        least = min(least, cost[i * LANES + lane])
    if not (has_ties or least < known):
        return least
    if not has_ties:
        for i in range(m):
            if cost[i * LANES + lane] == least and _may_cut(values, line, start + i):
                return least
    least = np.float32(np.inf)
    for i in range(m):
        if cost[i * LANES + lane] < least and _may_cut(values, line, start + i):
            least = cost[i * LANES + lane]
    return least


@borrowing
def _search_lanes(x, y, w, lines, first, start, size, variance, has_ties, room):
    """The least costs of some columns side by side, by blocks of cuts."""
    moments, margin, n_columns = room.moments, _margin(size), len(lines)
    lanes = min(LANES, n_columns - first)
    for c in range(lanes):
        room.least[first + c] = np.inf
    n_cuts = size - 2 * margin - 1
    for block in range((n_cuts + _BLOCK - 1) // _BLOCK):
        at, m = block * _BLOCK, min(_BLOCK, n_cuts - block * _BLOCK)
        for k in range(6):
            for c in range(lanes):
                room.begin[first + c, block, k] = moments[k, c]
        _block_moments(y, w, lines, first, LANES, start + margin + at, m, moments)
        _rough_costs(LANES, m, variance, room)
        for k in range(6):
            for c in range(LANES):
                moments[k, c] = moments[k, m * LANES + c]
        for c in range(lanes):
            j = first + c
            least = _lane_least(x[j], lines[j], start + margin + at, m, c, has_ties[j], room.least[j], room.cost)
            room.block_least[j, block] = least
            room.least[j] = min(room.least[j], least)


@inlined_borrowing
def _score(moments, i, mass, whole):
    low = _root_of_variance(moments[0, i], moments[1, i], moments[2, i])
    high = _root_of_variance(moments[3, i], moments[4, i], moments[5, i])
    return mass - moments[0, i] / whole * low - moments[3, i] / whole * high


@borrowing
def _best_of_column(x, y, w, lines, j, start, size, variance, exactly, room):
    """The cut of the greatest score, the first of equals: (score, place of the last row below it)."""
    moments, margin, whole, mass = room.moments, _margin(size), room.whole[j], room.mass[j]
    most = np.float32(np.inf)
    if not exactly:
        most = np.float32(room.least[j] * (1.0 + _ROUGHLY) + _NOTHING * whole)
    best, place, n_cuts = NO_SCORE, -1, size - 2 * margin - 1
    for block in range((n_cuts + _BLOCK - 1) // _BLOCK):
        if not exactly and room.block_least[j, block] > most:
            continue
        at, m = start + margin + block * _BLOCK, min(_BLOCK, n_cuts - block * _BLOCK)
        if not exactly or block == 0:
            for k in range(6):
                moments[k, 0] = room.begin[j, block, k]
        _block_moments(y, w, lines, j, 1, at, m, moments)
        if not exactly:
            _rough_costs(1, m, variance, room)
        for i in range(m):
            if (exactly or room.cost[i] <= most) and _may_cut(x[j], lines[j], at + i):
                score = _score(moments, i + 1, mass, whole)
                if score > best:
                    best, place = score, at + i
        for k in range(6):
            moments[k, 0] = moments[k, m]
    return best, place


@kernel
def best_split(x, y, w, lines, start, stop, has_ties, room):
    """The best cut of all columns at a node, whose rows sorted by column j are ``lines[j, start:stop]``.

    Returns (score, column, place in its line of the last row below the cut); the column is -1 where there is no cut. A
    later column is taken if it is better by more than what counts as equal. Columns of which it is known that no
    values are equal have no ``has_ties``.
    """
    size, n_columns, variance, exactly = stop - start, len(lines), 0.0, False
    best, column, place = NO_SCORE, -1, -1
    if size < 4:
        return best, column, place
    for first in range(0, n_columns, LANES):
        moments = room.moments
        _first_sums(y, w, lines, first, start, size, moments)
        for c in range(min(LANES, n_columns - first)):
            j, whole = first + c, moments[0, c] + moments[3, c]
            total, squares = moments[1, c] + moments[4, c], moments[2, c] + moments[5, c]
            own = abs(squares - total * total / whole) / whole
            room.whole[j], room.mass[j] = whole, own**0.2
            for k in range(6):
                room.begin[j, 0, k] = moments[k, c]
            if j == 0:
                variance, exactly = own, not 1e-200 < own < 1e200
        if not exactly:
            _search_lanes(x, y, w, lines, first, start, size, variance, has_ties, room)
    least_score, unit = NO_SCORE, variance**0.2
    for j in range(n_columns):
        least_score = max(least_score, _rough_score(room, j, unit) - _error(room, j, unit))
    least_score -= (n_columns + 1) * CLOSE  # a column is kept from its place by one that is worse by CLOSE, and so on
    for j in range(n_columns):
        if exactly or _rough_score(room, j, unit) + _error(room, j, unit) >= least_score:
            score, at = _best_of_column(x, y, w, lines, j, start, size, variance, exactly, room)
            if at >= 0 and score > best + CLOSE:
                best, column, place = score, j, at
    return best, column, place


@inlined_borrowing
def _rough_score(room, j, unit):
    return room.mass[j] - unit * room.least[j] / room.whole[j]


@inlined_borrowing
def _error(room, j, unit):
    return unit * (_ROUGHLY * room.least[j] / room.whole[j] + _NOTHING)


best_split.in_numpy(m5_growth_in_numpy.best_split)
