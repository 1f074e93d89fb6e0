"""Trees in the place of leaves: every row is answered as by the tree first and the grafted one then."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import treewright as tw
from treewright.prediction import predicted_values
from treewright.tree.check import check_tree
from treewright.tree.graft import graft

RNG = np.random.default_rng(3)
X = {
    "a": RNG.normal(size=300),
    "b": np.where(RNG.random(300) < 0.1, np.nan, RNG.normal(size=300)),
    "g": RNG.choice(list("pqrs"), 300),
}
Y = (X["a"] > 0.3).astype(int) + (X["g"] == "p")


def trees(first, others):
    return first.tree_, *others.values()


def cuts_in_more(tree):
    return (np.diff(tree.edge_start) > 1).any()


@pytest.mark.filterwarnings("ignore::treewright.TreewrightWarning")
@given(st.data())
def test_rows_go_on_where_the_leaf_was(data):
    makers = (
        tw.CARTClassifier(max_depth=2), tw.ID3Classifier(max_depth=2), tw.C45Classifier(), tw.CHAIDClassifier(),
        tw.C45Classifier(soft_thresholds=True), tw.CARTClassifier(max_depth=2, missing="surrogate"),
    )  # fmt: skip
    first = data.draw(st.sampled_from(makers)).fit(X, Y)
    leaves = [leaf.id for leaf in first.tree_.leaves()]
    chosen = data.draw(st.lists(st.sampled_from(leaves), unique=True))
    others = {leaf: data.draw(st.sampled_from(makers)).fit(X, Y).tree_ for leaf in chosen}
    if any(tree.bounds.size for tree in trees(first, others)) and any(map(cuts_in_more, trees(first, others))):
        with pytest.raises(tw.OptionError, match="soft thresholds"):
            graft(first.tree_, others)
        return
    made = graft(first.tree_, others)
    check_tree(made, first.schema_)
    assert made.n_leaves == first.tree_.n_leaves + sum(tree.n_leaves - 1 for tree in others.values())
    whole = {name: column[~np.isnan(X["b"])] for name, column in X.items()}
    matrix, reached = first._matrix(whole), first.apply(whole)
    is_parted = made.bounds.size > 0
    for leaf in leaves if not is_parted else ():
        rows = matrix[reached == leaf]
        below = others.get(leaf)
        expected = first.tree_.value[np.full(len(rows), leaf)] if below is None else predicted_values(below, rows, 1)
        np.testing.assert_array_equal(predicted_values(made, rows, 1), expected)


def test_nothing_grafted_is_the_same_tree():
    tree = tw.CARTClassifier(max_depth=3).fit(X, Y).tree_
    np.testing.assert_equal(list(graft(tree, {}).arrays()), list(tree.arrays()))
