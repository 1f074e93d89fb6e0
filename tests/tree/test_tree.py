"""Views of a tree, also of very deep and very large ones."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from sklearn.datasets import load_iris

import treewright as tw
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


def test_the_rule_of_a_node_is_true_of_just_the_rows_that_reach_it():
    X, y = load_iris(return_X_y=True)
    model = tw.CARTClassifier().fit(X, y)
    leaves = model.apply(X)
    assert model.tree_.root.rule == ""
    for leaf in model.tree_.leaves():
        holds = [eval(leaf.rule, {f"x{j}": value for j, value in enumerate(row)}) for row in X]
        np.testing.assert_array_equal(holds, leaves == leaf.id)


def test_the_rule_of_a_node_names_levels_by_code_and_says_where_missing_rows_went():
    X = {"colour": ["red", "red", "blue", "green", None], "size": [1.0, 2.0, 3.0, 4.0, 5.0]}
    tree = tw.TreeClassifier(splits="one-vs-rest", max_depth=1).fit(X, ["a", "a", "b", "b", "b"]).tree_
    assert [leaf.rule for leaf in tree.leaves()] == ["x0 in {3}", "(x0 in {1, 2} or missing)"]
