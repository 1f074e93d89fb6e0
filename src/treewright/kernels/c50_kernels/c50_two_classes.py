"""C5.0's cuts of a column of numbers where there are two classes.

The gain of a cut is that of its two sides, each T·KL(p ‖ q): T is the weight of the side, p the share of the first
class there, q that share in all. By Taylor's formula T·KL is at most T·(p − q)² / (2·ln 2·v), where v is the lesser of
p·(1 − p) and q·(1 − q), and it is never more than T·(p − q)² / (ln 2·q·(1 − q)). These bounds need no logarithm, and
few cuts are left that may gain as much as the one of the highest bound.
"""

import numpy as np

from treewright.kernels.c50_kernels.c50_information import lg, total_information
from treewright.kernels.c50_kernels.c50_rough_scores import STEP, at_most_off, rough_scores
from treewright.kernels.jit import inlined_borrowing, stepwise

_ZERO, _ONE, _TWO = np.float32(0.0), np.float32(1.0), np.float32(2.0)
_TINY = np.float32(1e-30)  # so that nothing is divided by nothing
_PER_BIT = np.float32(1.0002 / np.log(2.0))  # a little too much, as rounding may make bounds too low
_OFF = 5e-7  # how far rounding may move the weight of a class below a cut, as a share of all
_FEW_CUTS = 8  # that are scored as the program does without a rough score first


@inlined_borrowing
def list_cuts(at, top, kind, lower, room):
    """List the cuts from ``at`` to ``top`` that are scored; returns how many they are, and how many cuts there are.

    ``kind`` is the class of all cases just below the first one, ``lower`` their weight, and the room has the class
    weights there. Sums go no way through memory between two cases. To add 0 changes nothing.
    """
    values, labels, weights, sums = room.values, room.labels, room.weights, room.sums
    zero, one, rest_zero, rest_one = room.below[0], room.below[1], room.rest[0], room.rest[1]
    n_tries, k, own = 1, 0, -2
    room.at[0], room.lower[0] = at, lower  # a cut stands where the next one will if it is not scored,
    sums[0, 0], sums[1, 0], sums[2, 0], sums[3, 0] = zero, one, rest_zero, rest_one  # which the cases above it tell
    for i in range(at + 1, top + 1):
        label, weight = labels[i], weights[i]
        of_one = weight * np.float64(label)
        of_zero = weight - of_one
        zero, one, rest_zero, rest_one = zero + of_zero, one + of_one, rest_zero - of_zero, rest_one - of_one
        lower += weight
        own = label if (own == -2) | (own == label) else -1
        if values[i + 1] > values[i]:
            n_tries, k = n_tries + 1, k + ((kind == -1) | (own != kind) | (i == top))
            room.at[k], room.lower[k], kind, own = i, lower, own, -2
            sums[0, k], sums[1, k], sums[2, k], sums[3, k] = zero, one, rest_zero, rest_one
    return k + 1, n_tries


@inlined_borrowing
def least_of_list(n, room):
    """The least score of the ``n`` cuts that are listed, the last case below that cut, and the weight below it.

    The lowest among equals. The list is written over.
    """
    whole = room.whole
    total, most = whole[0] + whole[1], whole[0] if whole[0] > whole[1] else whole[1]
    if n > 2 and total - most > 1e-4 * total:
        bound_gains(room.sums, n, whole[0], whole[1], room.greatest, room.rough)
        enough = gain_of_highest(n, room) - 2.0 * at_most_off(total, 2)
        n = keep(n, room, -enough, -_ONE)
    if n > _FEW_CUTS:
        rough_scores(room.sums, room.bits, n, room.scratch, room.scratch_bits, room.rough)
        least = room.rough[0]
        for k in range(1, n):
            least = room.rough[k] if room.rough[k] < least else least
        n = keep(n, room, np.float64(least) + 2.0 * at_most_off(total, 2), _ONE)
    best, best_at = np.inf, 0
    for k in range(n):
        score = score_of(room.sums, k)
        if score < best:
            best, best_at = score, k
    return best, room.at[best_at], room.lower[best_at]


@inlined_borrowing
def score_of(sums, k):
    """``total_information`` below the cut and above it."""
    zero, one = np.float64(sums[0, k]), np.float64(sums[1, k])
    rest_zero, rest_one = np.float64(sums[2, k]), np.float64(sums[3, k])
    below, above = zero + one, rest_zero + rest_one
    score = below * lg(below) - (zero * lg(zero) + one * lg(one))
    return score + (above * lg(above) - (rest_zero * lg(rest_zero) + rest_one * lg(rest_one)))


@stepwise
def bound_gains(sums, n, zero, one, greatest, out):
    """The most that each cut may gain, in bits times cases; every STEP-th of them has its highest in ``greatest``.

    The list is filled up to whole steps with its last cut.
    """
    total = zero + one
    share, mixed = np.float32(zero / total), np.float32(zero * one / (total * total))
    off, n_steps = np.float32(_OFF * total), (n + STEP - 1) // STEP
    for k in range(n, n_steps * STEP):
        for c in range(4):
            sums[c, k] = sums[c, n - 1]
    for i in range(STEP):
        greatest[i] = _ZERO
    for step in range(n_steps):
        for i in range(STEP):
            k = step * STEP + i
            own_zero, own_one = max(sums[0, k], _ZERO), max(sums[1, k], _ZERO)
            rest_zero, rest_one = max(sums[2, k], _ZERO), max(sums[3, k], _ZERO)
            below, above = own_zero + own_one, rest_zero + rest_one
            apart = abs(own_zero - share * below) + off
            low, high = mixed * below, mixed * above
            one_side = min(max(_TWO * own_zero * own_one / (below + _TINY), low), _TWO * low)
            other = min(max(_TWO * rest_zero * rest_one / (above + _TINY), high), _TWO * high)
            bound = _PER_BIT * apart * apart * (one_side + other) / (one_side * other)
            out[k] = bound
            greatest[i] = max(greatest[i], bound)


@inlined_borrowing
def gain_of_highest(n, room):
    """What the cut of the highest bound gains."""
    highest, k = room.greatest[0], 0
    for i in range(1, STEP):
        highest = max(highest, room.greatest[i])
    while k < n - 1 and room.rough[k] < highest:
        k += 1
    return total_information(room.whole) - score_of(room.sums, k)


@inlined_borrowing
def keep(n, room, most, sign):
    """Keep the cuts whose number in ``rough``, times ``sign``, is at most that; returns how many are kept."""
    sums, rough, m = room.sums, room.rough, 0
    for k in range(n):
        if np.float64(sign * rough[k]) <= most:
            room.at[m], room.lower[m] = room.at[k], room.lower[k]
            for c in range(4):
                sums[c, m] = sums[c, k]
            m += 1
    return m
