"""The price at which each node of a tree had better be a leaf."""

import numpy as np

from treewright.kernels.jit import kernel


@kernel
def weakest_links(first_child, n_branches, risk, alpha):
    """Set ``price[v]`` to the α from which on node v as a leaf costs no more than the best subtree below it.

    The cost of the best subtree below v is a concave, piecewise linear function of α whose slope is its number of
    leaves. A heap per node, largest α on top, holds the places where the line bends and by how much. From the last
    line, on which all branches are leaves, one goes left until the line of v itself, R + α, is met; what was passed is
    never looked at again. So all nodes together take n·log n steps, whatever the depth. Leaves get minus infinity.
    """
    n = len(risk)
    left, right = np.full(n, -1, np.int64), np.full(n, -1, np.int64)
    base_bend, slope_bend = np.zeros(n), np.zeros(n)
    top = np.full(n, -1, np.int64)
    for v in range(n - 1, -1, -1):
        if n_branches[v] == 0:
            alpha[v] = -np.inf
            continue
        base, slope, heap = 0.0, float(n_branches[v]), -1
        for child in range(first_child[v], first_child[v] + n_branches[v]):
            base += risk[child]
            heap = _meld(heap, top[child], left, right, alpha)
        met = _meeting(risk[v] - base, slope)
        while heap >= 0 and met < alpha[heap]:
            base += base_bend[heap]
            slope += slope_bend[heap]
            heap = _meld(left[heap], right[heap], left, right, alpha)
            met = _meeting(risk[v] - base, slope)
        alpha[v], base_bend[v], slope_bend[v] = met, base - risk[v], slope - 1
        left[v], right[v] = -1, -1
        top[v] = _meld(v, heap, left, right, alpha)


@kernel
def shortcut_links(first_child, n_branches, risk, alpha):
    """The same as rpart finds it: the subtree below v is taken as it is when the branches of v become leaves.

    That is the right tree if v lasts longer than its branches. If v is weaker than a branch, more was standing below
    that branch when v became a leaf, and rpart does not go back: its price is not that of the best subtree then.
    """
    n = len(risk)
    kept, n_leaves = risk.copy(), np.ones(n, np.int64)  # of the subtree that stands when v becomes a leaf
    left, right, strength = np.full(n, -1, np.int64), np.full(n, -1, np.int64), np.empty(n)
    for v in range(n - 1, -1, -1):
        if n_branches[v] == 0:
            alpha[v] = -np.inf
            continue
        below, leaves, weakest = 0.0, np.int64(0), np.int64(-1)
        for child in range(first_child[v], first_child[v] + n_branches[v]):
            below += kept[child]
            leaves += n_leaves[child]
            if n_branches[child]:
                weakest = _meld(weakest, child, left, right, strength)
        while weakest >= 0 and _meeting(risk[v] - below, leaves) > alpha[weakest]:
            below += risk[weakest] - kept[weakest]
            leaves += 1 - n_leaves[weakest]
            weakest = _meld(left[weakest], right[weakest], left, right, strength)
        kept[v], n_leaves[v], alpha[v] = below, leaves, _meeting(risk[v] - below, leaves)
        left[v], right[v], strength[v] = -1, -1, -alpha[v]


@kernel
def _meeting(ahead, slope):
    """Where a line of the given slope catches up with one of slope 1 that is ``ahead``."""
    if slope > 1:
        return ahead / (slope - 1)
    return np.inf if ahead > 0 else -np.inf


@kernel
def _meld(a, b, left, right, key):
    """Two skew heaps as one (Sleator & Tarjan 1986): merge along the right spines and swap branches on the way."""
    if a < 0:
        return b
    if b < 0:
        return a
    if key[a] < key[b]:
        a, b = b, a
    root = a
    while True:
        rest = right[a]
        right[a] = left[a]
        if rest < 0:
            left[a] = b
            return root
        if key[rest] < key[b]:
            rest, b = b, rest
        left[a] = rest
        a = rest
