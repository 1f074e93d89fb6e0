"""The order of splits in a finished tree, from that in which they were made."""

import numpy as np

from treewright.kernels.jit import kernel


@kernel
def pairs_by_level(owner, order, node):
    """Put splits in two into ``order``: level by level, those of a level from left to right; ``node`` is which node
    each splits. The branches of the i-th are the nodes 2·i + 1 and 2·i + 2.

    ``owner``: the branch that is split, 2·s + b being branch b of split s; -1 the root, which is split first.
    """
    n_splits = owner.shape[0]
    below = np.full(2 * n_splits, -1, np.int64)
    for s in range(1, n_splits):
        below[owner[s]] = s
    known = min(1, n_splits)
    order[:known], node[:known] = 0, 0
    for place in range(n_splits):
        for branch in range(2):
            found = below[2 * order[place] + branch]
            if found >= 0:
                order[known], node[known] = found, 2 * place + 1 + branch
                known += 1


@pairs_by_level.in_numpy
def pairs_by_level_in_numpy(owner, order, node):
    below, known = np.full(2 * len(owner), -1), min(1, len(owner))
    below[owner[1:]] = np.arange(known, len(owner))
    level = np.zeros(known, np.int64)
    order[:known], node[:known] = 0, 0
    start = 0
    while level.size:
        branches = below[2 * level[:, None] + np.arange(2)]
        nodes = 2 * (start + np.arange(len(level)))[:, None] + np.arange(1, 3)
        start, taken = known, branches >= 0
        level = branches[taken]
        known += len(level)
        order[start:known], node[start:known] = level, nodes[taken]
