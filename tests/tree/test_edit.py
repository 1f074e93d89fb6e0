"""Cutting a tree: what is left is what a walk that stops at the cut nodes would see."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.datasets import load_iris

import treewright as tw
from treewright.tree.edit import cut, levels


@pytest.fixture(scope="module")
def iris():
    X, y = load_iris(return_X_y=True)
    return tw.CARTClassifier().fit(X, y).tree_


def test_levels_are_slices_by_depth(iris):
    depths = iris.depths()
    for depth, level in enumerate(levels(iris)):
        assert (depths[level] == depth).all()
    assert sum(level.stop - level.start for level in levels(iris)) == iris.n_nodes


def walk(node, stop):
    """Nodes in depth-first order as (statistics, test) down to the nodes in ``stop``."""
    if node.is_leaf or node.id in stop:
        return [(node.stats.tolist(), None)]
    test = (node.split.column, node.split.edges.tolist(), node.split.branch_of.tolist(), node.gain)
    return [(node.stats.tolist(), test), *(part for child in node.children for part in walk(child, stop))]


@given(st.data())
def test_a_cut_tree_is_the_old_one_up_to_the_cuts(iris, data):
    at = data.draw(st.sets(st.integers(0, iris.n_nodes - 1)))
    before = [part.copy() for part in iris.arrays()]
    smaller = cut(iris, np.array(sorted(at), dtype=int))
    assert walk(smaller.root, set()) == walk(iris.root, at)
    assert all(child.parent.id == node.id for node in smaller.nodes() for child in node.children)
    for part, original in zip(iris.arrays(), before, strict=True):
        np.testing.assert_array_equal(part, original)


def test_cutting_nothing_gives_the_same_tree(iris):
    for part, original in zip(cut(iris, np.array([], dtype=int)).arrays(), iris.arrays(), strict=True):
        np.testing.assert_array_equal(part, original)
        assert part.dtype == original.dtype
