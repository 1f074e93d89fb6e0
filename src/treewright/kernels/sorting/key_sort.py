"""Sort short lists of keys: a code in the high half, and what is to be carried along in the low half.

Codes are ranks, so they lie about evenly between the lowest and the highest of a list: as many bins as there are keys
put them nearly in order, and the rest is done by moving keys past a few others.
"""

import numpy as np

from treewright.kernels.jit import borrowing, inlined_borrowing

LOW_HALF = np.uint64(0xFFFFFFFF)
FEW = 20  # keys that are sorted by insertion alone
FULL = 48  # keys in one bin from which on insertion would take long
DIGIT = 11  # bits by which the others are then sorted


@inlined_borrowing
def sort_keys(keys, n, lowest, highest, out, begin):
    """The first ``n`` keys by their codes into ``out``; ``begin`` is scratch of 2·n + 2**DIGIT. ``keys`` is used up."""
    if n <= FEW:
        for i in range(n):
            insert(out, i, keys[i])
        return
    shift = np.uint64(0)
    while (np.int64(highest) - np.int64(lowest)) >> np.int64(shift) >= 2 * n:
        shift += np.uint64(1)
    n_bins = ((np.int64(highest) - np.int64(lowest)) >> np.int64(shift)) + 1
    for b in range(n_bins + 1):
        begin[b] = 0
    low, drop = np.uint64(lowest) << np.uint64(32), shift + np.uint64(32)
    for i in range(np.uint64(n)):
        begin[((keys[i] - low) >> drop) + np.uint64(1)] += 1
    fullest = 0
    for b in range(n_bins):
        fullest = max(fullest, begin[b + 1])
        begin[b + 1] += begin[b]
    if shift > 0 and fullest > FULL:
        sort_by_digits(keys, n, low, np.int64(highest) - np.int64(lowest), out, begin)
        return
    for i in range(np.uint64(n)):
        key = keys[i]
        b = (key - low) >> drop
        out[np.uint64(begin[b])] = key
        begin[b] += 1
    if shift > 0:
        for i in range(1, n):
            insert(out, i, out[i])


@inlined_borrowing
def insert(out, i, key):
    """Put a key behind those before it whose code is not larger. Places have no sign: from others numba would first
    tell whether they count from the end."""
    ceiling, place = key | LOW_HALF, np.uint64(i)
    while place > np.uint64(0) and out[place - np.uint64(1)] > ceiling:
        out[place] = out[place - np.uint64(1)]
        place -= np.uint64(1)
    out[place] = key


@borrowing
def sort_by_digits(keys, n, low, spread, out, begin):
    """By the lowest digit of the code first, then by the next, each time keeping the order of equals."""
    drop, here, there = np.uint64(32), keys, out
    in_out = False
    while spread > 0:
        for b in range(2**DIGIT + 1):
            begin[b] = 0
        for i in range(n):
            begin[digit_of(here[i], low, drop) + 1] += 1
        for b in range(2**DIGIT):
            begin[b + 1] += begin[b]
        for i in range(n):
            b = digit_of(here[i], low, drop)
            there[begin[b]] = here[i]
            begin[b] += 1
        here, there = there, here
        in_out = not in_out
        drop += np.uint64(DIGIT)
        spread >>= DIGIT
    if not in_out:
        for i in range(n):
            out[i] = keys[i]


@inlined_borrowing
def digit_of(key, low, drop):
    return np.int64(((key - low) >> drop) & np.uint64(2**DIGIT - 1))
