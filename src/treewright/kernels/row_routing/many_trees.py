"""Rows down many trees, whose nodes are packed: four numbers of 32 bits each, so that a step reads one cache line.

Values are keys: whole numbers without a sign, in the order of the values, 0 (MISSING) where there is none; levels are
their codes, 0 where missing. A node is (4 · column + kind, threshold, first child, rest):

- UP_TO, missing values go left: right if key > threshold.
- UP_TO_RIGHT, missing values go right: right if key − 1 > threshold; the threshold is one less, and 0 − 1 is the
  greatest number there is.
- BY_BITS, levels that go two ways: bit ``code`` of threshold + 2³² · rest.
- BY_TABLE, other levels: ``branches[threshold + code]``.

A leaf is its own child, whatever the key is: (0, the greatest number, itself, where its values are).
"""

import numpy as np

from treewright.kernels.jit import inlined_borrowing, kernel

MISSING = 0
UP_TO, UP_TO_RIGHT, BY_BITS, BY_TABLE = range(4)
BITS = 64  # codes that fit in a node
LANES = 32  # rows that go down side by side: their look-ups do not depend on each other, so the processor overlaps them
ONE = np.uint64(1)


@kernel
def send_down(keys, first_row, nodes, roots, has_levels, branches, weights, values, sums, leaves):
    """Add what the trees say of each row to ``sums``, by the trees' weights; or note the leaves, where there is room.

    Rows of ``keys`` are those from ``first_row`` on.
    """
    at, rows = np.empty(LANES, np.uint64), np.empty(LANES, np.uint64)
    for t in range(roots.shape[0]):
        if has_levels:
            down_one(True, t, keys, first_row, nodes, roots[t], branches, weights[t], values, sums, leaves, at, rows)
        else:
            down_one(False, t, keys, first_row, nodes, roots[t], branches, weights[t], values, sums, leaves, at, rows)


@inlined_borrowing
def down_one(has_levels, t, keys, first_row, nodes, root, branches, weight, values, sums, leaves, at, rows):
    """All rows down one tree. A row that has arrived makes room for the next.

    Places are numbers without a sign: from others numba would first tell whether they count from the end.
    """
    n_rows, start, first, wants_leaves = (
        np.uint64(keys.shape[0]),
        np.uint64(root),
        np.uint64(first_row),
        len(leaves) > 0,
    )
    n_lanes = min(np.uint64(LANES), n_rows)
    following = n_lanes
    for i in range(n_lanes):
        at[i], rows[i] = start, i
    while n_lanes > np.uint64(0):
        i = np.uint64(0)
        while i < n_lanes:
            v = at[i]
            child = below(has_levels, keys, rows[i], nodes, v, branches)
            if child != v:
                at[i] = child
                i += ONE
                continue
            row = first + rows[i]
            if wants_leaves:
                leaves[row, t] = v - start
            else:
                place = np.uint64(nodes[v, 3])
                for k in range(values.shape[1]):
                    sums[row, k] += weight * values[place, k]
            if following < n_rows:
                at[i], rows[i] = start, following
                following += ONE
            else:
                n_lanes -= ONE
                at[i], rows[i] = at[n_lanes], rows[n_lanes]


@inlined_borrowing
def below(has_levels, keys, row, nodes, v, branches):
    """The child that a row goes to; a leaf itself. What is right is worked out for both kinds of test and chosen from:
    the processor could not tell beforehand which is asked for."""
    kind, threshold, child = nodes[v, 0] & np.uint32(3), nodes[v, 1], np.uint64(nodes[v, 2])
    key = keys[row, np.uint64(nodes[v, 0] >> np.uint32(2))]
    right = np.uint32(key - (kind & np.uint32(1))) > threshold
    if has_levels:
        if kind == np.uint32(BY_TABLE):
            return child + np.uint64(branches[np.uint64(threshold) + np.uint64(key)])
        bits = np.uint64(threshold) | (np.uint64(nodes[v, 3]) << np.uint64(32))
        has_bit = (bits >> (np.uint64(key) & np.uint64(63))) & ONE == ONE
        right = has_bit if kind == np.uint32(BY_BITS) else right
    return child + np.uint64(right)
