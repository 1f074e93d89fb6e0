"""The nodes of a tree level by level."""

import numpy as np

from treewright.kernels.jit import kernel


@kernel
def nodes_by_level(first_child, n_branches, order):
    """Put the nodes below node 0 into ``order``, level by level, children in branch order; returns how many."""
    order[0] = 0
    place, known = 0, 1
    while place < known:
        node = order[place]
        for branch in range(n_branches[node]):
            order[known] = first_child[node] + branch
            known += 1
        place += 1
    return known


@nodes_by_level.in_numpy
def nodes_by_level_in_numpy(first_child, n_branches, order):
    level, known = np.zeros(1, np.int64), 0
    while level.size:
        order[known : known + len(level)] = level
        known += len(level)
        inner = level[n_branches[level] > 0]
        sizes = n_branches[inner]
        shift = first_child[inner] - (np.cumsum(sizes) - sizes)
        level = np.arange(int(sizes.sum())) + np.repeat(shift, sizes)
    return known
