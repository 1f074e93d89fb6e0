"""A tree of splits in two, in the order a depth-first search makes them."""

import numpy as np

from treewright.tree.build_pairs import PairSplits, tree_of_pairs
from treewright.tree.tree import LeafKind


def pairs(owner):
    n = len(owner)
    return PairSplits(
        owner=np.array(owner, np.int64),
        column=np.arange(n),
        is_number=np.ones(n, np.bool_),
        edge=np.arange(n) + 0.5,
        below=np.arange(n) + 0.0,
        missing=np.arange(n),
        branch_size=np.full(n, 3),
        branch_of=np.tile(np.array([0, 0, 1], np.int32), n),
        branch_rows=10 + np.arange(2 * n),
        branch_stats=np.arange(4 * n).reshape(2 * n, 2),
    )


def test_nodes_stand_level_by_level():
    # Split 1 is on the right of the root, 2 on the left of that, 3 on the left of the root.
    tree, inner, stats = tree_of_pairs(pairs([-1, 1, 2, 0]), 99, np.array([7, 8]), LeafKind.CLASSES)
    assert inner.tolist() == [0, 1, 2, 5]
    assert tree.column.tolist() == [0, 3, 1, -1, -1, 2, -1, -1, -1]
    assert tree.parent.tolist() == [-1, 0, 0, 1, 1, 2, 2, 5, 5]
    assert tree.first_child.tolist() == [1, 3, 5, -1, -1, 7, -1, -1, -1]
    assert tree.rows.tolist() == [99, 10, 11, 16, 17, 12, 13, 14, 15]
    assert tree.edges.tolist() == [0.5, 3.5, 1.5, 2.5]
    assert tree.edge_start.tolist() == [0, 1, 2, 3, 3, 3, 4, 4, 4, 4]
    assert tree.missing.tolist() == [0, 3, 1, 0, 0, 2, 0, 0, 0]
    assert stats[[0, 1, 3, 7]].tolist() == [[7, 8], [0, 1], [12, 13], [8, 9]]


def test_a_root_alone():
    tree, inner, stats = tree_of_pairs(pairs([]), 5, np.array([2, 3]), LeafKind.CLASSES)
    assert (tree.n_nodes, tree.rows.tolist(), inner.size, stats.tolist()) == (1, [5], 0, [[2, 3]])
