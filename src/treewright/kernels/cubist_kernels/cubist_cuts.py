"""How Cubist scores the division of cases by a number: by the standard deviation of residuals it leaves.

A numeric cut is credited with the line that could be drawn on either side. Sums of the cases up to a cut are taken in
their order, and those above it are the totals with cases taken off one by one: rounding decides ties. So that no time
goes into cuts that cannot win, a bound of every score is computed first, many at a time; the formula itself is used
where the bound reaches the best score.
"""

from typing import Any, NamedTuple

import numpy as np

from treewright.kernels.cubist_kernels.cubist_spreads import ALWAYS, BESIDE_VARIANCES, side, spreads_in_numpy
from treewright.kernels.cubist_kernels.cubist_sums import BLOCK, gather
from treewright.kernels.jit import borrowing, dividing, kernel, stepwise

_STEADY = 1e7  # a sum of squares may be so many times its deviation from the mean for a bound to be trusted
_FEW = 24  # cases of whose cuts no bounds are computed
_CREDIT = 1e-6  # by which a bound is too good, much more than its rounding
_LOW, _HIGH = 12 * BLOCK, 13 * BLOCK  # where a block has the least correlations below and above its cuts


class CutScratch(NamedTuple):
    """Arrays that the search of a cut reuses; of n cases at most."""

    x: Any  # float32 (n): sorted cases
    residual: Any  # float32 (n)
    w: Any  # float64 (n)
    bound: Any  # float64 (n)
    moments: (
        Any  # float64 (14 · BLOCK): w, wx, wx², wr, wr², wxr up to each case of a block, the same above, and limits
    )
    begin: Any  # float64 (n / BLOCK + 1, 12): the moments before every block


@kernel
def cut_scratch(n):
    return CutScratch(
        np.empty(n, np.float32),
        np.empty(n, np.float32),
        np.ones(n),
        np.empty(n),
        np.empty(14 * BLOCK),
        np.empty((n // BLOCK + 2, 12)),
    )


@kernel
def _gather_sorted(x, residual, w, cases, s):
    """The sorted cases one after the other. Weights that are all 1 are there already."""
    if len(w):
        gather(w, cases, s.w)
    gather(x, cases, s.x)
    gather(residual, cases, s.residual)


@borrowing
def _totals(x, residual, w, n, begin):
    """The weight of all cases. Before the first of them ``begin``: no moments below, those of all above."""
    n_all, of_x, of_xx, of_r, of_rr, of_xr = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    for i in range(n):
        weight, value, rest = w[i], np.float64(x[i]), np.float64(residual[i])
        n_all += weight
        of_x += weight * value
        of_xx += weight * value * value
        of_r += weight * rest
        of_rr += weight * rest * rest
        of_xr += weight * value * rest
    for k in range(6):
        begin[k] = 0.0
    begin[6], begin[7], begin[8], begin[9], begin[10], begin[11] = n_all, of_x, of_xx, of_r, of_rr, of_xr
    return n_all


@borrowing
def _moments(sorted_x, residual, w, begin, after, start, m, out):
    """The moments of the cases up to each of a block, and of those above it; the next block begins where it ends."""
    n, x, xx, r, rr, xr = begin[0], begin[1], begin[2], begin[3], begin[4], begin[5]
    high_n, high_x, high_xx, high_r, high_rr, high_xr = begin[6], begin[7], begin[8], begin[9], begin[10], begin[11]
    for i in range(m):
        weight, value, rest = w[start + i], np.float64(sorted_x[start + i]), np.float64(residual[start + i])
        weighted_x, weighted_r = weight * value, weight * rest
        of_xx, of_rr, of_xr = weighted_x * value, weighted_r * rest, weighted_x * rest
        n += weight
        x += weighted_x
        xx += of_xx
        r += weighted_r
        rr += of_rr
        xr += of_xr
        high_n -= weight
        high_x -= weighted_x
        high_xx -= of_xx
        high_r -= weighted_r
        high_rr -= of_rr
        high_xr -= of_xr
        out[i], out[BLOCK + i], out[2 * BLOCK + i] = n, x, xx
        out[3 * BLOCK + i], out[4 * BLOCK + i], out[5 * BLOCK + i] = r, rr, xr
        out[6 * BLOCK + i], out[7 * BLOCK + i], out[8 * BLOCK + i] = high_n, high_x, high_xx
        out[9 * BLOCK + i], out[10 * BLOCK + i], out[11 * BLOCK + i] = high_r, high_rr, high_xr
    after[0], after[1], after[2], after[3], after[4], after[5] = n, x, xx, r, rr, xr
    after[6], after[7], after[8], after[9], after[10], after[11] = high_n, high_x, high_xx, high_r, high_rr, high_xr


@dividing
def _least_side(least, n, x, xx, r, rr, xr):
    """No more than n times the standard deviation beside the line; 0 where rounding could matter.

    With C = n·Σ² of x, of r and of both around their means, and D = C_x·C_r + 10⁻¹⁰·n⁴, the line leaves the squares
    C_r·(D − C_xr²) / (n·D).
    """
    c_x, c_r, c_xr = n * xx - x * x, n * rr - r * r, n * xr - x * r
    under = c_x * c_r + BESIDE_VARIANCES * (n * n) * (n * n)
    product = c_xr * c_xr
    left = under - product if product >= (least * least - _CREDIT) * under else under
    left -= _CREDIT * under
    left = left if left > 0.0 else 0.0
    squares = (c_r * left + ALWAYS * (1.0 - _CREDIT) * n * under) / (under * n * (n - 1.0))
    is_sure = (
        (n >= 2.0)
        & (n * xx <= _STEADY * c_x)
        & (n * rr <= _STEADY * c_r)
        & (product <= 1.0001 * under)
        & (under < 1e280)
    )
    return n * np.sqrt(squares if is_sure else 0.0)


@stepwise
def _bounds(moments, m, spread, whole, bound):
    """Scores of cuts in a block that are too good rather than too bad."""
    for i in range(m):
        below = _least_side(
            moments[_LOW + i],
            moments[i],
            moments[BLOCK + i],
            moments[2 * BLOCK + i],
            moments[3 * BLOCK + i],
            moments[4 * BLOCK + i],
            moments[5 * BLOCK + i],
        )
        above = _least_side(
            moments[_HIGH + i],
            moments[6 * BLOCK + i],
            moments[7 * BLOCK + i],
            moments[8 * BLOCK + i],
            moments[9 * BLOCK + i],
            moments[10 * BLOCK + i],
            moments[11 * BLOCK + i],
        )
        bound[i] = spread - (below + above) / whole


@borrowing
def _copy_limits(correlation, n, start, m, moments):
    for i in range(m):
        moments[_LOW + i], moments[_HIGH + i] = correlation[start + i + 1], correlation[n - start - i - 1]


@borrowing
def _most_promising(x, bound, first, start, m, highest, at):
    """The greatest bound so far and its place. Between equal values there is no cut."""
    for i in range(start, start + m):
        if not x[i] < x[i + 1] or i < first:
            bound[i] = -np.inf
        elif bound[i] > highest:
            highest, at = bound[i], i
    return highest, at


@borrowing
def _next_above(bound, i, stop, floor):
    """The next place whose bound is not below the floor."""
    while i < stop and bound[i] < floor:
        i += 1
    return i


@borrowing
def _score(moments, i, below, above, spread, whole, overall):
    """What the cut after case i of a block is worth; ``below`` and ``above`` are least correlations."""
    low = side(
        below,
        moments[i],
        moments[BLOCK + i],
        moments[2 * BLOCK + i],
        moments[3 * BLOCK + i],
        moments[4 * BLOCK + i],
        moments[5 * BLOCK + i],
        overall,
    )
    high = side(
        above,
        moments[6 * BLOCK + i],
        moments[7 * BLOCK + i],
        moments[8 * BLOCK + i],
        moments[9 * BLOCK + i],
        moments[10 * BLOCK + i],
        moments[11 * BLOCK + i],
        overall,
    )
    return spread - (low + high) / whole


@borrowing
def best_of_few(x, residual, w, cases, least, spread, overall, correlation):
    """The best cut without bounds, for a few cases."""
    n, best, place = len(cases), 0.0, -1
    high_n, high_x, high_xx, high_r, high_rr, high_xr = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    for case in cases:
        weight = w[case] if len(w) else 1.0
        value, rest = np.float64(x[case]), np.float64(residual[case])
        high_n += weight
        high_x += weight * value
        high_xx += weight * value * value
        high_r += weight * rest
        high_rr += weight * rest * rest
        high_xr += weight * value * rest
    low_n, low_x, low_xx, low_r, low_rr, low_xr = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    whole = high_n
    for i in range(n - least):
        case = cases[i]
        weight = w[case] if len(w) else 1.0
        value, rest = np.float64(x[case]), np.float64(residual[case])
        low_n += weight
        low_x += weight * value
        low_xx += weight * value * value
        low_r += weight * rest
        low_rr += weight * rest * rest
        low_xr += weight * value * rest
        high_n -= weight
        high_x -= weight * value
        high_xx -= weight * value * value
        high_r -= weight * rest
        high_rr -= weight * rest * rest
        high_xr -= weight * value * rest
        if i + 1 < least or not x[case] < x[cases[i + 1]]:
            continue
        low = side(correlation[i + 1], low_n, low_x, low_xx, low_r, low_rr, low_xr, overall)
        high = side(correlation[n - i - 1], high_n, high_x, high_xx, high_r, high_rr, high_xr, overall)
        score = spread - (low + high) / whole
        if score > best:
            best, place = score, i
    return best, place


@kernel
def best_cut(x, residual, w, cases, least, spread, overall, correlation, s):
    """The best cut of cases sorted by a numeric attribute: (score, place of the last case below; -1: none).

    ``w`` is empty where all weights are 1.
    """
    n = len(cases)
    first, stop = least - 1, n - least  # a cut comes after each of these cases
    if stop <= first:
        return 0.0, -1
    if n <= _FEW:
        return best_of_few(x, residual, w, cases, least, spread, overall, correlation)
    _gather_sorted(x, residual, w, cases, s)
    n_all = _totals(s.x, s.residual, s.w, n, s.begin[0])
    highest, at = -np.inf, -1
    last_block = (stop - 1) // BLOCK
    for block in range(last_block + 1):
        start = block * BLOCK
        m = min(BLOCK, stop - start)
        _moments(s.x, s.residual, s.w, s.begin[block], s.begin[block + 1], start, m, s.moments)
        _copy_limits(correlation, n, start, m, s.moments)
        _bounds(s.moments, m, spread, n_all, s.bound[start : start + m])
        highest, at = _most_promising(s.x, s.bound, first, start, m, highest, at)
    if at < 0:
        return 0.0, -1
    in_buffer, best, place = last_block, 0.0, -1
    floor = -1e-9 * spread
    for turn in range(2):  # the most promising cut first; then all that could be better, or as good and lower
        i, end = (at, at + 1) if turn == 0 else (first, stop)
        while True:
            i = _next_above(s.bound, i, end, floor)
            if i == end:
                break
            block = i // BLOCK
            if block != in_buffer:
                start = block * BLOCK
                m = min(BLOCK, stop - start)
                _moments(s.x, s.residual, s.w, s.begin[block], s.begin[block + 1], start, m, s.moments)
                in_buffer = block
            score = _score(
                s.moments, i - block * BLOCK, correlation[i + 1], correlation[n - i - 1], spread, n_all, overall
            )
            if turn == 0:
                if score > 0.0:
                    floor = score - 1e-9 * spread
            elif score > best:
                best, place = score, i
            i += 1
    return best, place


@best_cut.in_numpy
def best_cut_in_numpy(x, residual, w, cases, least, spread, overall, correlation, s):
    n = len(cases)
    value, rest, weight = (
        x[cases].astype(np.float64),
        residual[cases].astype(np.float64),
        w[cases] if len(w) else np.ones(n),
    )
    terms = np.array([weight, weight * value, weight * value * value, weight * rest, weight * rest * rest,
                      weight * value * rest])  # fmt: skip
    low = np.cumsum(terms, axis=1)
    high = np.subtract.accumulate(np.column_stack((low[:, -1], terms)), axis=1)[:, 1:]
    i = np.arange(least - 1, n - least)
    i = i[value[i] < value[i + 1]] if len(i) else i
    if not len(i):
        return 0.0, -1
    sides = np.stack((low[:, i], high[:, i]), axis=1)
    below, above = sides[0] * spreads_in_numpy(sides, correlation[np.stack((i + 1, n - i - 1))], overall)
    score = spread - (below + above) / low[0, -1]
    score = np.where(score > 0.0, score, 0.0)  # also where it is no number
    best = int(score.argmax())
    return (float(score[best]), int(i[best])) if score[best] > 0.0 else (0.0, -1)
