"""How Cubist divides the levels of an attribute into two groups."""

import numpy as np

from treewright.kernels.cubist_kernels.cubist_kinds import BINARY, ORDERED
from treewright.kernels.cubist_kernels.cubist_spreads import spread_of
from treewright.kernels.jit import kernel
from treewright.kernels.ordered_sums import in_order

_FEWEST = 3  # the weight of a group


@kernel
def _level_moments(x, residual, w, cases, weight, total, squares):
    """The moments of every level; returns the weight of all."""
    weight[:], total[:], squares[:] = 0.0, 0.0, 0.0
    whole = 0.0
    for case in cases:
        level, rest = np.int64(x[case]), np.float64(residual[case])
        weight[level] += w[case]
        total[level] += w[case] * rest
        squares[level] += w[case] * rest * rest
        whole += w[case]
    return whole


@_level_moments.in_numpy
def _level_moments_in_numpy(x, residual, w, cases, weight, total, squares):
    level, rest, here = x[cases].astype(np.int64), residual[cases].astype(np.float64), w[cases]
    for out, terms in ((weight, here), (total, here * rest), (squares, here * rest * rest)):
        out[:] = np.bincount(level, terms, len(out))  # in the order of the cases
    return in_order(here)


@kernel
def best_levels(x, residual, w, cases, n_levels, kind, spread, overall, second):
    """The best two groups of levels: their score. ``second`` marks the levels of the second group."""
    weight, total, squares = np.empty(n_levels), np.empty(n_levels), np.empty(n_levels)
    whole = _level_moments(x, residual, w, cases, weight, total, squares)
    best = np.float32(-1e30)
    low_n, low_r, low_rr = 0.0, 0.0, 0.0
    for level in range(n_levels):
        low_n += weight[level]
        low_r += total[level]
        low_rr += squares[level]
    high_n, high_r, high_rr = 0.0, 0.0, 0.0
    moved = weight <= 0.0
    n_left = n_levels - moved.sum()
    in_second = np.zeros(n_levels, np.bool_)
    while n_left > 1:
        pick = -1
        for level in range(n_levels):
            if moved[level]:
                continue
            if kind == BINARY or kind == ORDERED:
                pick = level
            elif pick < 0 or total[level] / weight[level] > total[pick] / weight[pick]:
                pick = level
        moved[pick], in_second[pick] = True, True
        n_left -= 1
        high_n += weight[pick]
        high_r += total[pick]
        high_rr += squares[pick]
        low_n -= weight[pick]
        low_r -= total[pick]
        low_rr -= squares[pick]
        if low_n >= _FEWEST and high_n >= _FEWEST:
            score = (
                spread
                - (
                    low_n * spread_of(low_n, low_r, low_rr, overall)
                    + high_n * spread_of(high_n, high_r, high_rr, overall)
                )
                / whole
            )
            if score > best:
                best = np.float32(score)
                second[:] = in_second
    return best
