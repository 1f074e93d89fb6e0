"""The best cut of M5' in a column: by fifth roots of variances, from sums over the rows in the order they are in.

Roots take long. So all cuts are first compared by roots of 32 bits, many at a time, and the formula itself is used for
those that could be the best.
"""

from typing import Any, NamedTuple

import numpy as np

import treewright.kernels.linear_kernels.m5_growth_in_numpy as m5_growth_in_numpy
from treewright.kernels.jit import inlined_borrowing, kernel, stepwise
from treewright.kernels.linear_kernels.m5_growth_in_numpy import CLOSE, NO_SCORE

_BLOCK = 256
_FEW = 12  # rows of which every cut is scored
_ROUGHLY = 1e-4  # by how much of themselves rough roots may be wrong, and more
_NOTHING = 1e-6  # of the node's root: those of smaller variances may be wrong by more
_START_BITS = 852282573  # four fifths of the bits of 1.0


class RootScratch(NamedTuple):
    """Room for a search among n rows."""

    moments: Any  # float64 (6, BLOCK): n, Σ and Σ² up to each row of a block, and above it
    begin: Any  # float64 (n / BLOCK + 1, 6): the same before every block
    rough: Any  # float32 (n): what the roots beside each cut come to
    share: Any  # float32 (2, BLOCK): variances beside cuts, as shares of the node's
    share_bits: Any  # int32: the same memory
    root: Any  # float32 (2, BLOCK)
    root_bits: Any  # int32


@kernel
def root_scratch(n):
    share, root = np.empty((2, _BLOCK), np.float32), np.empty((2, _BLOCK), np.float32)
    return RootScratch(
        np.empty((6, _BLOCK)),
        np.empty((n // _BLOCK + 2, 6)),
        np.empty(n, np.float32),
        share,
        share.view(np.int32),
        root,
        root.view(np.int32),
    )


@inlined_borrowing
def _root_of_variance(n, total, squares):
    return (abs(n * squares - total * total) / (n * n)) ** 0.2


@kernel
def _sums_beside(y, w, rows, margin, begin):
    """Before the first cut: n, Σ and Σ² of the rows below it, and of those above."""
    for k in range(6):
        begin[k] = 0.0
    n, total, squares = 0.0, 0.0, 0.0
    for i in range(margin):
        weight, value = w[rows[i]], y[rows[i]]
        n += weight
        total += weight * value
        squares += weight * value * value
    begin[0], begin[1], begin[2] = n, total, squares
    n, total, squares = 0.0, 0.0, 0.0
    for i in range(margin, len(rows)):
        weight, value = w[rows[i]], y[rows[i]]
        n += weight
        total += weight * value
        squares += weight * value * value
    begin[3], begin[4], begin[5] = n, total, squares


@inlined_borrowing
def _move(y, w, row, sums):
    """A row from above the cut to below it."""
    n, total, squares, high_n, high_total, high_squares = sums
    weight, value = w[row], y[row]
    part = weight * value
    part_squares = part * value
    return (
        n + weight,
        total + part,
        squares + part_squares,
        high_n - weight,
        high_total - part,
        high_squares - part_squares,
    )


@kernel
def _block_moments(y, w, rows, start, m, begin, after, out):
    sums = (begin[0], begin[1], begin[2], begin[3], begin[4], begin[5])
    for i in range(m):
        sums = _move(y, w, rows[start + i], sums)
        out[0, i], out[1, i], out[2, i], out[3, i], out[4, i], out[5, i] = sums
    after[0], after[1], after[2], after[3], after[4], after[5] = sums


@stepwise
def _shares_of_variance(moments, m, variance, out):
    low, high = out[0], out[1]
    for i in range(m):
        n, total = moments[0, i], moments[1, i]
        low[i] = abs(n * moments[2, i] - total * total) / (n * n * variance)
        n, total = moments[3, i], moments[4, i]
        high[i] = abs(n * moments[5, i] - total * total) / (n * n * variance)


@stepwise
def _start_roots(bits, m, out):
    """A fifth of the exponent, and of what follows it."""
    for i in range(m):
        out[i] = np.int32(np.float32(0.2) * np.float32(bits[i]) + np.float32(_START_BITS))


@stepwise
def _improve_roots(share, m, root):
    for i in range(m):
        value = root[i]
        for _ in range(3):
            square = value * value
            value = np.float32(0.8) * value + np.float32(0.2) * share[i] / (square * square)
        root[i] = value


@stepwise
def _rough_costs(moments, root, m, out):
    low, high = root[0], root[1]
    for i in range(m):
        out[i] = moments[0, i] * low[i] + moments[3, i] * high[i]


@kernel
def _rough_block(moments, m, variance, out, s):
    _shares_of_variance(moments, m, variance, s.share)
    for side in range(2):
        _start_roots(s.share_bits[side], m, s.root_bits[side])
        _improve_roots(s.share[side], m, s.root[side])
    _rough_costs(moments, s.root, m, out)


@kernel
def _score_all(keys, y, w, rows, margin, mass, whole, sums):
    best, place = NO_SCORE, -1
    for i in range(margin, len(rows) - margin - 1):
        sums = _move(y, w, rows[i], sums)
        if keys[i + 1] - keys[i] >= CLOSE:
            low, high = _root_of_variance(sums[0], sums[1], sums[2]), _root_of_variance(sums[3], sums[4], sums[5])
            score = mass - sums[0] / whole * low - sums[3] / whole * high
            if score > best:
                best, place = score, i
    return best, place


@kernel
def best_cut(keys, y, w, rows, s):
    """The cut of most decrease in the fifth root of the variance among rows sorted by ``keys``: (score, place).

    The place is that of the last row below the cut; -1: there is no cut.
    """
    n = len(rows)
    margin = n // 5 if n >= 5 else 1
    if n < 4:
        return NO_SCORE, -1
    begin = s.begin[0]
    _sums_beside(y, w, rows, margin, begin)
    whole, total, squares = begin[0] + begin[3], begin[1] + begin[4], begin[2] + begin[5]
    variance = abs(squares - total * total / whole) / whole
    mass = variance**0.2
    if n <= _FEW or not 1e-200 < variance < 1e200:
        sums = (begin[0], begin[1], begin[2], begin[3], begin[4], begin[5])
        return _score_all(keys, y, w, rows, margin, mass, whole, sums)
    stop, least = n - margin - 1, np.float32(np.inf)
    for start in range(margin, stop, _BLOCK):
        m, block = min(_BLOCK, stop - start), (start - margin) // _BLOCK
        _block_moments(y, w, rows, start, m, s.begin[block], s.begin[block + 1], s.moments)
        rough = s.rough[start : start + m]
        _rough_block(s.moments, m, variance, rough, s)
        for i in range(m):
            if keys[start + i + 1] - keys[start + i] < CLOSE:
                rough[i] = np.inf
            elif rough[i] < least:
                least = rough[i]
    most = np.float32(least * (1.0 + _ROUGHLY) + _NOTHING * whole)
    best, place = NO_SCORE, -1
    for start in range(margin, stop, _BLOCK):
        m, block = min(_BLOCK, stop - start), (start - margin) // _BLOCK
        is_there = False
        for i in range(start, start + m):
            if s.rough[i] == np.inf or s.rough[i] > most:
                continue
            if not is_there:
                _block_moments(y, w, rows, start, m, s.begin[block], s.begin[block + 1], s.moments)
                is_there = True
            at = s.moments[:, i - start]
            low, high = _root_of_variance(at[0], at[1], at[2]), _root_of_variance(at[3], at[4], at[5])
            score = mass - at[0] / whole * low - at[3] / whole * high
            if score > best:
                best, place = score, i
    return best, place


best_cut.in_numpy(m5_growth_in_numpy.best_cut)
