"""Which cases fail the conditions of a rule, as sets of bits: case i is bit i % 64 of word i // 64.

A rule's conditions are dropped one by one, and what matters each time are the cases that fail just one of those left.
With 64 cases in a word these are found without looking at every case.
"""

import numpy as np

from treewright.kernels.jit import borrowing, inlined, kernel

UP_TO, ABOVE, AMONG, BESIDE = 0, 1, 2, 3  # what a condition asks: x <= cut, x > cut, one of values, not applicable
WORD = 64
_NONE, _ONE = np.uint64(0), np.uint64(1)

# The place of the only bit of a word: the first six bits of the product with this number differ for all 64 places.
_SEQUENCE, _FIRST_SIX = np.uint64(0x03F79D71B4CB0A89), np.uint64(WORD - 6)
_PLACES = np.zeros(WORD, np.int64)
_PLACES[[(0x03F79D71B4CB0A89 << k) % 2**64 >> (WORD - 6) for k in range(WORD)]] = np.arange(WORD)


@kernel
def find_failures(values, ask, cut, among, fails):
    """The cases that fail a condition; unknown values fail all. ``among``: whether a value (an integer) meets it.

    Nothing is decided in the loops: which way a case goes cannot be foretold.
    """
    low, high = (-np.inf, cut) if ask == UP_TO else (cut, np.inf)
    for w in range(len(fails)):
        word, first = _NONE, w * WORD
        n = min(WORD, len(values) - first)
        if ask == AMONG:
            for k in range(n):
                value = values[first + k]
                is_known = value == value
                met = is_known & among[np.int64(value if is_known else 0.0)]
                word |= np.uint64(not met) << np.uint64(k)
        elif ask == BESIDE:
            for k in range(n):
                word |= np.uint64(values[first + k] != -np.inf) << np.uint64(k)
        else:
            for k in range(n):
                value = values[first + k]
                word |= np.uint64(not ((value > low) & (value <= high))) << np.uint64(k)
        fails[w] = word


@find_failures.in_numpy
def find_failures_in_numpy(values, ask, cut, among, fails):
    if ask == AMONG:
        known = ~np.isnan(values)
        met = known & among[np.where(known, values, 0.0).astype(np.int64)]
    elif ask == BESIDE:
        met = values == -np.inf
    elif ask == UP_TO:
        met = (values <= cut) & (values != -np.inf)
    else:
        met = values > cut
    fails[:] = as_bits(~met)


def as_bits(is_in: np.ndarray) -> np.ndarray:
    """A set of bits of the cases that are in."""
    padded = np.zeros(-(-len(is_in) // WORD) * WORD, np.bool_)
    padded[: len(is_in)] = is_in
    return np.packbits(padded, bitorder="little").view("<u8").astype(np.uint64)


def _as_mask(bits):
    return np.unpackbits(bits.astype("<u8").view(np.uint8), axis=-1, bitorder="little").astype(np.bool_)


@inlined
def _lowest(word):
    """The place of the lowest bit."""
    return _PLACES[((word & (~word + _ONE)) * _SEQUENCE) >> _FIRST_SIX]


@kernel
def members(bits):
    """The cases of a set in ascending order."""
    found, n = np.empty(len(bits) * WORD, np.int64), 0
    for w in range(len(bits)):
        left = bits[w]
        while left != _NONE:
            found[n] = w * WORD + _lowest(left)
            left &= left - _ONE
            n += 1
    return found[:n].copy()


@members.in_numpy
def members_in_numpy(bits):
    return np.flatnonzero(_as_mask(bits))


@borrowing
def count_failures(fails, kept, among, never, once):
    """Of the cases ``among`` those that fail none and those that fail just one of the conditions that are kept."""
    never[:] = _NONE  # those that fail any, at first
    once[:] = _NONE  # those that fail several, at first
    for d in range(len(kept)):
        if kept[d]:
            row = fails[d]
            for w in range(len(never)):
                once[w] |= never[w] & row[w]
                never[w] |= row[w]
    for w in range(len(never)):
        once[w] = among[w] & never[w] & ~once[w]
        never[w] = among[w] & ~never[w]


@count_failures.in_numpy
def count_failures_in_numpy(fails, kept, among, never, once):
    never[:], several = _NONE, np.zeros_like(once)
    for d in np.flatnonzero(kept):
        several |= never & fails[d]
        never |= fails[d]
    once[:] = among & never & ~several
    never[:] = among & ~never


@kernel
def weigh(is_in, labels, weights, error_cost):
    """The weight of a set of cases and what its errors cost, added up in ascending order."""
    total, errors = 0.0, 0.0
    for w in range(len(is_in)):
        left = is_in[w]
        while left != _NONE:
            case = w * WORD + _lowest(left)
            left &= left - _ONE
            total += weights[case]
            errors += weights[case] * error_cost[labels[case]]
    return total, errors


@weigh.in_numpy
def weigh_in_numpy(is_in, labels, weights, error_cost):
    cases = members_in_numpy(is_in)
    return _added(0.0, weights[cases]), _added(0.0, weights[cases] * error_cost[labels[cases]])


def _added(start, amounts):
    """One after the other, as a loop does: a sum in another order is another number."""
    return float(np.cumsum(np.concatenate([[start], amounts]))[-1])


@kernel
def weigh_near_misses(fails, kept, once, labels, weights, error_cost, total, errors):
    """Add the cases that fail one condition to what that condition keeps out, in ascending order."""
    for w in range(len(once)):
        if once[w] == _NONE:
            continue
        for d in range(len(kept)):
            left = once[w] & fails[d, w] if kept[d] else _NONE
            while left != _NONE:
                case = w * WORD + _lowest(left)
                left &= left - _ONE
                total[d] += weights[case]
                errors[d] += weights[case] * error_cost[labels[case]]


@weigh_near_misses.in_numpy
def weigh_near_misses_in_numpy(fails, kept, once, labels, weights, error_cost, total, errors):
    for d in np.flatnonzero(kept):
        cases = members_in_numpy(once & fails[d])
        total[d] = _added(total[d], weights[cases])
        errors[d] = _added(errors[d], weights[cases] * error_cost[labels[cases]])
