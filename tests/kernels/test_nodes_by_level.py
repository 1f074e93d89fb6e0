"""Nodes level by level, against a queue."""

from collections import deque

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from treewright.kernels.nodes_by_level import nodes_by_level, nodes_by_level_in_numpy


@given(st.lists(st.integers(0, 4), min_size=1, max_size=40), st.randoms(use_true_random=False))
def test_it_is_the_order_of_a_queue(wanted, random):
    first_child, n_branches = _tree(wanted, random)
    expected, waiting = [], deque([0])
    while waiting:
        node = waiting.popleft()
        expected.append(node)
        waiting.extend(range(first_child[node], first_child[node] + n_branches[node]))
    for by_level in (nodes_by_level, nodes_by_level_in_numpy):
        order = np.full(len(first_child) + 2, -1)
        n = by_level(first_child, n_branches, order)
        assert order[:n].tolist() == expected
        assert (order[n:] == -1).all()


def _tree(wanted, random):
    """Nodes are split in any order, as where the most promising goes first, and some that were made are not reached."""
    first_child, n_branches, leaves = [-1], [0], [0]
    for size in wanted:
        node = leaves.pop(random.randrange(len(leaves))) if leaves else 0
        if n_branches[node]:
            break
        if random.random() < 0.1:  # made, but of no node
            first_child.append(-1)
            n_branches.append(0)
        first_child[node], n_branches[node] = (len(first_child), size) if size else (-1, 0)
        leaves += range(len(first_child), len(first_child) + size)
        first_child += [-1] * size
        n_branches += [0] * size
    return np.array(first_child), np.array(n_branches)
