"""Views of a tree, also of very deep and very large ones."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from made_trees import bushy, cases, chain, play_tennis


def depths_one_by_one(tree):
    return [len(node.path()) - 1 for node in tree.nodes()]


@given(case=cases())
def test_depths_are_distances_from_the_root(case):
    tree = case[1]
    assert tree.depths().tolist() == depths_one_by_one(tree)
    assert tree.depth == max(depths_one_by_one(tree))


@given(levels=st.integers(1, 7))
def test_depth_of_a_full_tree(levels):
    assert bushy(levels).depth == levels - 1


def test_a_chain_has_no_limit_of_depth():
    tree = chain(10_000)
    assert tree.depth == 10_000
    assert tree.n_leaves == 10_001
    path = tree.node(tree.n_nodes - 1).path()
    assert [node.id for node in path] == list(range(0, tree.n_nodes, 2))


def test_path_starts_at_the_root_and_ends_at_the_node():
    tree = play_tennis()
    assert [node.id for node in tree.node(6).path()] == [0, 3, 6]
    assert [node.id for node in tree.root.path()] == [0]
    assert np.array_equal(tree.node(6).stats, [2, 0])
