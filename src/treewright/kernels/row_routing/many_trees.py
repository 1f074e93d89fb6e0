"""Rows down many trees, whose nodes are packed: four numbers of 32 bits each, so that a step reads one cache line.

Values are keys: whole numbers in the order of the values, MISSING where there is none; levels are their codes, 0 where
missing. A node of an ordered test is (column, key of the threshold, first child, whether missing values go right). One
of levels is (-1 - column, where the branches of its codes begin, first child, 0). A leaf is (0, number of its values,
-1, number of the node in its tree).
"""

import numpy as np

from treewright.kernels.jit import kernel

MISSING = -(2**31)
LANES = 16  # rows that go down side by side: their look-ups do not depend on each other, so the processor overlaps them


@kernel
def send_down(keys, first_row, nodes, roots, branches, weights, values, sums, leaves):
    """Add what the trees say of each row to ``sums``, by the trees' weights; or note the leaves, where there is room.

    Rows of ``keys`` are those from ``first_row`` on. A row that has arrived makes room for the next.
    """
    n_rows, n_values, wants_leaves = keys.shape[0], values.shape[1], leaves.shape[0] > 0
    at, rows = np.empty(LANES, np.int64), np.empty(LANES, np.int64)
    for t in range(roots.shape[0]):
        n_lanes, following = min(LANES, n_rows), min(LANES, n_rows)
        for i in range(n_lanes):
            at[i], rows[i] = roots[t], i
        while n_lanes > 0:
            i = 0
            while i < n_lanes:
                v = at[i]
                child = np.int64(nodes[v, 2])
                if child >= 0:  # written out: a call would count who holds the arrays
                    column = np.int64(nodes[v, 0])
                    if column >= 0:
                        key = keys[rows[i], column]
                        right = np.int64(key > nodes[v, 1])
                        at[i] = child + (np.int64(nodes[v, 3]) if key == MISSING else right)
                    else:
                        at[i] = child + branches[nodes[v, 1] + keys[rows[i], -1 - column]]
                    i += 1
                    continue
                row = first_row + rows[i]
                if wants_leaves:
                    leaves[row, t] = nodes[v, 3]
                else:
                    for k in range(n_values):
                        sums[row, k] += weights[t] * values[nodes[v, 1], k]
                if following < n_rows:
                    at[i], rows[i] = roots[t], following
                    following += 1
                else:
                    n_lanes -= 1
                    at[i], rows[i] = at[n_lanes], rows[n_lanes]
