"""Stable radix sort of floats by order-preserving integer keys.

A float's bits become an unsigned integer that compares as the float does: flip every bit of a negative number, set the
sign bit of a positive one. -0.0 is read as 0.0, and NaN becomes key 0, below the key of -inf: missing rows come first.
"""

import numpy as np

from treewright.kernels.jit import inlined, kernel

DIGIT_BITS = 11
N_DIGITS = 1 << DIGIT_BITS


@inlined
def key32(bits):
    """The key of a float32 given as its bits.

    bits   0|mantissa…  →  1|mantissa…      (positive: above every negative)
           1|mantissa…  →  0|~mantissa…     (negative: larger magnitude, smaller key)
    """
    wide = np.int64(bits)
    if (wide & 0x7FFFFFFF) > 0x7F800000:
        return np.uint32(0)
    if wide == 0x80000000:
        return np.uint32(0x80000000)
    return np.uint32(wide ^ 0xFFFFFFFF) if wide >> 31 else np.uint32(wide | 0x80000000)


@inlined
def key64(bits):
    """The key of a float64 given as its bits."""
    sign = np.uint64(0x8000000000000000)
    wide = np.uint64(bits)
    if (wide & ~sign) > np.uint64(0x7FF0000000000000):
        return np.uint64(0)
    if wide == sign:
        return sign
    return ~wide if wide & sign else wide | sign


@kernel
def float_keys(bits, keys):
    """Fill ``keys`` with the key of every float whose bits are given."""
    if bits.itemsize == 4:
        for row in range(bits.size):
            keys[row] = key32(bits[row])
    else:
        for row in range(bits.size):
            keys[row] = key64(bits[row])


@float_keys.in_numpy
def float_keys_in_numpy(bits, keys):
    sign, infinite = _constants(bits.dtype)
    keys[:] = np.where(bits & sign, ~bits, bits | sign)
    keys[bits == sign] = sign  # -0.0
    keys[(bits & ~sign) > infinite] = 0


def _constants(dtype):
    """The bits of -0.0 and of infinity."""
    floats = np.float32 if dtype.itemsize == 4 else np.float64
    return np.array([-0.0, np.inf], floats).view(dtype)


@kernel
def float_bits(keys):
    """Turn keys back into the bits of their floats, in place (key 0 must not occur)."""
    top = np.uint64(8 * keys.itemsize - 1)
    sign = np.uint64(1) << top
    for i in range(keys.size):
        key = np.uint64(keys[i])
        keys[i] = key ^ sign if key & sign else ~key


@float_bits.in_numpy
def float_bits_in_numpy(keys):
    sign, _ = _constants(keys.dtype)
    keys[:] = np.where(keys & sign, keys ^ sign, ~keys)


@kernel
def digit_starts(keys, starts):
    """Where each digit's bucket begins, for every pass at once; returns a bit set of the passes that move anything."""
    starts[:] = 0
    mask = np.uint64(N_DIGITS - 1)
    for row in range(keys.size):
        key = np.uint64(keys[row])
        for digit in range(starts.shape[0]):
            starts[digit, np.intp((key >> np.uint64(digit * DIGIT_BITS)) & mask)] += 1
    moving = 0
    for digit in range(starts.shape[0]):
        total = 0
        for bucket in range(N_DIGITS):
            count = starts[digit, bucket]
            if 0 < count < keys.size:
                moving |= 1 << digit
            starts[digit, bucket] = total
            total += count
    return moving


@kernel
def sort_rows(keys, spare_keys, order, spare_rows, starts):
    """Fill ``order`` with the rows by key, ties by row; returns the sorted keys (held in ``keys`` or ``spare_keys``).

    ``starts`` is scratch of shape (passes, 2048): 3 passes for 32-bit keys, 6 for 64-bit.
    """
    mask = np.uint64(N_DIGITS - 1)
    moving = digit_starts(keys, starts)
    left = 0
    for digit in range(starts.shape[0]):
        left += (moving >> digit) & 1
    if left == 0:
        for row in range(keys.size):
            order[row] = row
        return keys
    # Passes swap two row buffers; begin with the one that makes the last pass end in ``order``.
    rows, target = (order, spare_rows) if left % 2 == 0 else (spare_rows, order)
    first = True
    for digit in range(starts.shape[0]):
        if not (moving >> digit) & 1:
            continue
        shift = np.uint64(digit * DIGIT_BITS)
        for i in range(keys.size):
            key = keys[i]
            bucket = np.intp((np.uint64(key) >> shift) & mask)
            place = starts[digit, bucket]
            starts[digit, bucket] = place + 1
            spare_keys[place] = key
            target[place] = i if first else rows[i]
        first = False
        keys, spare_keys = spare_keys, keys
        rows, target = target, rows
    return keys


@sort_rows.in_numpy
def sort_rows_in_numpy(keys, spare_keys, order, spare_rows, starts):
    order[:] = np.argsort(keys, kind="stable")
    return np.take(keys, order, out=spare_keys)
