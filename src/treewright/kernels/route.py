"""Send rows down a tree."""

from typing import NamedTuple

import numpy as np
from numba import njit


class BinaryTree(NamedTuple):
    """A tree all of whose tests are ``x <= edge``."""

    column: np.ndarray
    edge: np.ndarray
    branches: np.ndarray  # (n, 3): of missing, left and right
    first_child: np.ndarray


@njit(nogil=True, cache=True)
def apply_binary(matrix, first_row, last_row, tree, out):
    """Leaf of each row when every test is ``x <= edge``.

    Rows go down eight at a time: their look-ups do not depend on each other, so the processor overlaps them.
    """
    column, edge, branches, first_child = tree.column, tree.edge, tree.branches, tree.first_child
    i = first_row
    at = np.zeros(8, np.int64)
    while i + 8 <= last_row:
        at[:] = 0
        moving = True
        while moving:
            moving = False
            for j in range(8):
                v = at[j]
                first = first_child[v]
                if first >= 0:
                    x = matrix[i + j, column[v]]
                    code = np.int64(x <= edge[v]) + 2 * np.int64(x > edge[v])  # neither: missing
                    at[j] = first + branches[v, code]
                    moving = True
        for j in range(8):
            out[i + j] = at[j]
        i += 8
    while i < last_row:
        v = 0
        while first_child[v] >= 0:
            x = matrix[i, column[v]]
            code = np.int64(x <= edge[v]) + 2 * np.int64(x > edge[v])
            v = first_child[v] + branches[v, code]
        out[i] = v
        i += 1


@njit(nogil=True, cache=True)
def apply_any(matrix, first_row, last_row, tree, out):
    """Leaf of each row for any tree."""
    for i in range(first_row, last_row):
        v = 0
        while tree.n_branches[v] > 0:
            v = tree.first_child[v] + branch_at(tree, v, matrix[i, tree.column[v]])
        out[i] = v


@njit(nogil=True, cache=True, inline="always")
def branch_at(tree, v, x):
    first, last = tree.edge_start[v], tree.edge_start[v + 1]
    if np.isnan(x):
        code = 0
    elif first == last:
        code = np.int64(x)
    else:
        code = 1
        while first < last and x > tree.edges[first]:
            code += 1
            first += 1
    return tree.branch_of[tree.branch_start[v] + code]
