"""Trees that are kept narrow are the trees that were given."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import treewright as tw
from ensemble_tables import DIABETES, IRIS, PROGRESSION, SPECIES, mixed_table
from recipes_by_hand import by_score
from strategies import problems
from tables import encode_problem
from treewright.engines.workers import Workers
from treewright.grow_many import Member, fit_trees
from treewright.narrow_trees import NarrowTree, NarrowTrees, tree_bytes
from treewright.predict_many import ManyTrees


def check(trees):
    """The same arrays, number by number, of the same types."""
    found = NarrowTrees(trees)
    assert len(found) == len(trees)
    for tree, other in zip(trees, found, strict=True):
        assert other.leaf is tree.leaf
        for one, again in zip(tree.arrays(), other.arrays(), strict=True):
            np.testing.assert_array_equal(np.asarray(one), np.asarray(again))
            assert one.dtype == again.dtype
        np.testing.assert_array_equal(other.below, tree.below)
    return found


@given(problems("classes"), st.sampled_from(["learned", "common"]))
def test_trees_of_classes(problem, policy):
    recipe = by_score(problem, "gini", missing=policy)
    with Workers(1) as workers:
        encoded = encode_problem(problem, sorted_columns=False)
        trees = list(NarrowTrees(fit_trees(encoded, recipe, [Member(0), Member(1)], workers)))
    for narrow, tree in zip(check(trees).kept, trees):
        assert isinstance(narrow, NarrowTree)
        assert narrow.columns_used.tolist() == tree.columns_used.tolist()
        np.testing.assert_array_equal(narrow.leaf_values, tree.value[tree.n_branches == 0])


@pytest.mark.parametrize(
    "learner",
    [
        tw.CARTClassifier(),
        tw.CARTClassifier(priors="equal"),
        tw.CARTClassifier(missing="surrogate"),
        tw.CARTClassifier(prune="pessimistic"),
        tw.C45Classifier(),
        tw.C45Classifier(laplace=True),
        tw.ID3Classifier(),
        tw.CHAIDClassifier(min_rows_split=20, min_rows_leaf=5),
    ],
    ids=repr,
)
def test_learners_of_classes(learner):
    table, y = mixed_table()
    model = learner.fit(table, y)
    weighted = learner.fit(table, y, sample_weight=np.random.default_rng(0).random(len(y)))
    check([model.tree_, weighted.tree_])


@pytest.mark.parametrize(
    "learner",
    [tw.CARTRegressor(), tw.CARTRegressor(criterion="absolute_error"), tw.M5Regressor(), tw.CHAIDRegressor()],
    ids=repr,
)
def test_learners_of_numbers(learner):
    check([learner.fit(DIABETES, PROGRESSION).tree_])


def test_trees_with_more_than_tests_are_kept_as_they_are():
    table, y = mixed_table()
    tree = tw.CARTClassifier(missing="surrogate").fit(table, y).tree_
    assert tree.surrogates.exist
    assert NarrowTrees([tree]).kept[0] is tree
    assert tree_bytes(tree) > tree.stats.nbytes


def test_a_kept_tree_takes_a_third():
    tree = tw.CARTClassifier().fit(*mixed_table()).tree_
    (narrow,) = NarrowTrees([tree]).kept
    assert tree_bytes(narrow) < tree_bytes(tree) / 3


def test_leaves_of_no_weight_predict_as_their_parent():
    table = {"colour": ["red", "green", "blue", "red", "green", "blue"], "size": [1, 2, 3, 4, 5, 6]}
    tree = tw.ID3Classifier().fit(table, list("aababb")).tree_
    leaf = int(np.flatnonzero(tree.n_branches == 0)[-1])
    stats = tree.stats.copy()
    stats[leaf] = 0
    tree = tree._replace(stats=stats, value=tree.value.copy())
    tree.value[leaf] = tree.value[tree.parent[leaf]]
    (narrow,) = check([tree]).kept
    assert narrow.value is None
    np.testing.assert_array_equal(narrow.leaf_values, tree.value[tree.n_branches == 0])


def test_narrow_trees_are_not_made_narrow_again():
    trees = NarrowTrees([tw.CARTClassifier().fit(IRIS, SPECIES).tree_])
    assert NarrowTrees(trees.kept).kept[0] is trees.kept[0]
    assert trees[:1].kept[0] is trees.kept[0]
    assert ManyTrees(trees).trees is trees


def test_copies_and_representation():
    trees = NarrowTrees([tw.CARTClassifier().fit(IRIS, SPECIES).tree_])
    (again,) = pickle.loads(pickle.dumps(trees))
    assert all(np.array_equal(one, other) for one, other in zip(again.arrays(), trees[0].arrays(), strict=True))
    assert repr(trees) == f"<1 trees of {trees[0].n_nodes} nodes>"
