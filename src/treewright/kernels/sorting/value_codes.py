"""From values to codes: few distinct values by hashing, many by their sorted order, or by quantile bins.

Codes start at 1; 0 is missing. All work is on the integer keys of ``radix_sort.py``, where missing is key 0.
"""

import numpy as np

from treewright.kernels.jit import inlined, kernel
from treewright.kernels.sorting.radix_sort import float_keys_in_numpy, key32, key64

N_SLOTS = 1024  # four times the most values a hashed column may have, so that probes stay short
GLANCE = 2048  # rows that show of most columns that they have too many values


@inlined
def first_slot(key):
    """Fibonacci hashing of the two halves of the key; a 32 x 32-bit product cannot overflow."""
    wide = np.uint64(key)
    folded = (wide ^ (wide >> np.uint64(32))) & np.uint64(0xFFFFFFFF)
    return np.intp(((folded * np.uint64(0x9E3779B1)) >> np.uint64(22)) & np.uint64(N_SLOTS - 1))


@kernel
def code_few(bits, limit, codes, values, counts, missing):
    """Code the columns of at most ``limit`` distinct values; ``bits`` is (column, row), ``codes`` uint8 of that shape.

    ``values[column]`` gets the keys of the distinct values in order, ``counts[column]`` how many there are and
    ``missing[column]`` how many rows have none. The count is -1 as soon as there are more than ``limit``: the other
    entries of that column are then worthless.
    """
    slots = np.empty(N_SLOTS, dtype=np.int16)
    rank = np.empty(limit + 1, dtype=np.uint8)
    for column in range(bits.shape[0]):
        slots[:] = 0
        count = number_by_appearance(bits[column], limit, codes[column], values[column], slots)
        counts[column] = count
        missing[column] = 0
        if count >= 0:
            rank_values(values[column], count, rank)
            for row in range(bits.shape[1]):
                missing[column] += codes[column, row] == 0
                codes[column, row] = rank[codes[column, row]]


@code_few.in_numpy
def code_few_in_numpy(bits, limit, codes, values, counts, missing):
    if bits.shape[1] <= GLANCE:
        code_few_rows(bits, limit, codes, values, counts, missing)
        return
    for column in range(bits.shape[0]):
        counts[column] = -1
        if _known(_keys(bits[column, :GLANCE])).size > limit:
            continue
        keys = _keys(bits[column])
        known = _known(keys)
        if known.size <= limit:
            counts[column], missing[column] = known.size, np.count_nonzero(keys == 0)
            values[column, : known.size] = known
            codes[column] = np.searchsorted(known, keys) + (keys != 0)


def code_few_rows(bits, limit, codes, values, counts, missing):
    """All columns at a time: of few rows that is quicker than one by one."""
    keys = _keys(bits)
    order = np.argsort(keys, axis=1)
    ordered = np.take_along_axis(keys, order, axis=1)
    rank = np.cumsum(np.diff(ordered, axis=1, prepend=bits.dtype.type(0)) != 0, axis=1)
    counts[:] = rank[:, -1] if rank.shape[1] else 0
    counts[counts > limit] = -1
    missing[:] = np.count_nonzero(keys == 0, axis=1)
    np.put_along_axis(codes, order, rank.astype(np.uint8), axis=1)  # worthless where there are too many values
    column, place = np.nonzero((rank > 0) & (counts >= 0)[:, None])
    values[column, rank[column, place] - 1] = ordered[column, place]


def _keys(bits):
    keys = np.empty(bits.shape, bits.dtype)
    float_keys_in_numpy(bits, keys)
    return keys


def _known(keys):
    """The distinct known values in order."""
    return np.unique(keys[keys != 0])


@kernel
def number_by_appearance(bits, limit, codes, values, slots):
    """Number the distinct values 1, 2, … as they appear; how many, or -1 past ``limit``."""
    count = 0
    for row in range(bits.size):
        key = key32(bits[row]) if bits.itemsize == 4 else key64(bits[row])
        if key == 0:
            codes[row] = 0
            continue
        slot = first_slot(key)
        while slots[slot] != 0 and values[slots[slot] - 1] != key:
            slot = (slot + 1) & (N_SLOTS - 1)
        if slots[slot] == 0:
            if count == limit:
                return -1
            values[count] = key
            count += 1
            slots[slot] = count
        codes[row] = slots[slot]
    return count


@kernel
def rank_values(values, count, rank):
    """Sort ``values[:count]`` by insertion; ``rank[number by appearance]`` is the code by size."""
    came = np.empty(count, dtype=np.int16)
    for i in range(count):
        value = values[i]
        place = i
        while place > 0 and values[place - 1] > value:
            values[place] = values[place - 1]
            came[place] = came[place - 1]
            place -= 1
        values[place] = value
        came[place] = i
    rank[0] = 0
    for place in range(count):
        rank[came[place] + 1] = place + 1


@kernel
def count_distinct(sorted_keys):
    """How many distinct known values there are."""
    count = 0
    before = np.uint64(0)
    for i in range(sorted_keys.size):
        key = np.uint64(sorted_keys[i])
        count += key != before
        before = key
    return count


@count_distinct.in_numpy
def count_distinct_in_numpy(sorted_keys):
    return int(np.count_nonzero(_is_new(sorted_keys)))


def _is_new(sorted_keys):
    """Where a known value appears for the first time."""
    return np.diff(sorted_keys, prepend=sorted_keys.dtype.type(0)) != 0


@kernel
def ranks_from_order(sorted_keys, order, codes):
    """Give every row the dense rank of its value."""
    code = 0
    before = np.uint64(0)
    for i in range(order.size):
        key = np.uint64(sorted_keys[i])
        if key != before:
            code += 1
            before = key
        codes[order[i]] = code


@ranks_from_order.in_numpy
def ranks_from_order_in_numpy(sorted_keys, order, codes):
    codes[order] = np.cumsum(_is_new(sorted_keys))


@kernel
def known_sample(keys, step, sample):
    """Every ``step``-th known key; how many."""
    known = 0
    count = 0
    for row in range(keys.size):
        if keys[row] != 0:
            if known % step == 0:
                sample[count] = keys[row]
                count += 1
            known += 1
    return count


@known_sample.in_numpy
def known_sample_in_numpy(keys, step, sample):
    chosen = keys[keys != 0][::step]
    sample[: chosen.size] = chosen
    return chosen.size


@kernel
def quantile_edges(sorted_keys, max_bins, edges):
    """The last key of every bin but the top one; how many edges.

    Bins are closed from below as soon as they hold an even share of what is left, so that a value more frequent than
    a bin's share takes a bin of its own and the others still get all the rest.
    """
    count = 0
    left = sorted_keys.size
    held = 0
    for i in range(sorted_keys.size - 1):
        held += 1
        if sorted_keys[i] != sorted_keys[i + 1] and held * (max_bins - count) >= left and count < max_bins - 1:
            edges[count] = sorted_keys[i]
            count += 1
            left -= held
            held = 0
    return count


@quantile_edges.in_numpy
def quantile_edges_in_numpy(sorted_keys, max_bins, edges):
    ends = np.flatnonzero(sorted_keys[:-1] != sorted_keys[1:]) + 1  # rows up to the last of a value
    count, start = 0, 0
    while count < max_bins - 1:
        share = -(-(sorted_keys.size - start) // (max_bins - count))
        place = np.searchsorted(ends, start + max(share, 1))
        if place == ends.size:
            break
        start = int(ends[place])
        edges[count] = sorted_keys[start - 1]
        count += 1
    return count


@kernel
def bin_codes(keys, edges, codes):
    """Code every key by 1 + how many edges lie below it. ``edges`` is padded to 255 with the largest key."""
    for row in range(keys.size):
        key = keys[row]
        code = 0
        for step in (128, 64, 32, 16, 8, 4, 2, 1):
            code += step if edges[code + step - 1] < key else 0
        codes[row] = code + 1 if key != 0 else 0


@bin_codes.in_numpy
def bin_codes_in_numpy(keys, edges, codes):
    codes[:] = np.where(keys != 0, np.searchsorted(edges, keys) + 1, 0)


@kernel
def bin_ranges(keys, codes, lows, highs):
    """The smallest and largest key of every code (``lows`` starts at the largest key, ``highs`` at 0)."""
    for row in range(keys.size):
        key = keys[row]
        code = codes[row]
        if key < lows[code]:
            lows[code] = key
        if key > highs[code]:
            highs[code] = key


@bin_ranges.in_numpy
def bin_ranges_in_numpy(keys, codes, lows, highs):
    np.minimum.at(lows, codes, keys)
    np.maximum.at(highs, codes, keys)
