"""Rows down a tree of C5.0, as its released predictor sends them."""

from typing import NamedTuple

import numpy as np

from treewright.kernels.c50_kernels.c50_information import EPSILON, single
from treewright.kernels.jit import borrowing, kernel

_FOLLOWED = 1e-6  # the least part of a row that is followed
_EVERY, _STOP = -1, -2
_WHOLE_IN_SINGLES = 2.0**24  # up to here 32 bits hold all whole numbers


class C50Routes(NamedTuple):
    """An ordinary tree with the class counts of the model text."""

    first_child: np.ndarray
    n_branches: np.ndarray
    column: np.ndarray
    edge_start: np.ndarray
    edges: np.ndarray
    branch_start: np.ndarray
    branch_of: np.ndarray
    bounds: np.ndarray  # (edges, 2); empty where all thresholds are sharp
    counts: np.ndarray  # (nodes, classes)
    weight: np.ndarray


@kernel
def sum_leaves(matrix, routes, shares, weights):
    """Of every row the class shares and the weight of its leaves, by the part of the row that reaches each."""
    size = len(routes.column) + 1
    nodes, above, parts = np.zeros(size, np.int64), np.zeros(size, np.int64), np.zeros(size)
    n_classes = routes.counts.shape[1]
    for row in range(len(matrix)):
        nodes[0], above[0], parts[0], n = 0, 0, 1.0, 1
        while n > 0:
            n -= 1
            node, parent, part = nodes[n], above[n], parts[n]
            first, branch, left = routes.first_child[node], _STOP, -1.0
            if routes.n_branches[node] > 0:
                value = np.float64(matrix[row, routes.column[node]])
                start, stop = routes.edge_start[node], routes.edge_start[node + 1]
                code = 0
                if not np.isnan(value):
                    code = np.int64(value) if start == stop else 1
                    for e in range(start, stop):
                        code += value > routes.edges[e]
                    if len(routes.bounds) and stop - start == 1:
                        left = _left_share(value, routes.edges[start], routes.bounds[start])
                branch = routes.branch_of[routes.branch_start[node] + code]
            if branch == _STOP:
                of = parent if routes.weight[node] < EPSILON else node
                for c in range(n_classes):
                    shares[row, c] += single(single(part * routes.counts[of, c]) / routes.weight[of])
                weights[row] += part * routes.weight[of]
            elif branch == _EVERY:
                for k in range(routes.n_branches[node] - 1, -1, -1):
                    if routes.weight[first + k] > EPSILON:
                        nodes[n], above[n] = first + k, node
                        parts[n] = single(single(part * routes.weight[first + k]) / routes.weight[node])
                        n += 1
            elif left >= 0.0:
                for k in (1, 0):
                    share = single(part * (left if k == 0 else 1.0 - left))
                    if share >= _FOLLOWED:
                        nodes[n], above[n], parts[n] = first + k, node, share
                        n += 1
            else:
                nodes[n], above[n], parts[n] = first + branch, node, part
                n += 1


@borrowing
def _left_share(value, edge, bounds):
    """The part that goes left between soft bounds, a half at the threshold; -1 where a row is not parted."""
    lower, upper, cut = bounds[0], bounds[1], edge
    if abs(edge) < _WHOLE_IN_SINGLES:  # times are beyond
        cut, value = single(edge), single(value)
    if not lower < upper or value <= lower or value >= upper:
        return -1.0
    if value <= cut:
        return single(1.0 - 0.5 * (value - lower) / (cut - lower + 1e-10))
    return single(0.5 * (value - upper) / (cut - upper + 1e-10))
