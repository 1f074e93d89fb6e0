"""Trees on the way to a tree, and the tree that limits would have stopped at."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.datasets import load_diabetes

import treewright as tw
from made_trees import same
from plain_pruning import as_if_stopped
from treewright.prune.growth_path import growth_path
from treewright.recipe_parts.recipe import Limits

LIMITS = [
    {"max_leaves": 1},
    {"max_leaves": 5},
    {"max_leaves": 12},
    {"min_rows_split": 30},
    {"min_gain": 0.02},
    {"significance": 0.01},
    {"significance": 0.05, "max_leaves": 4, "min_rows_split": 10},
]


def table(seed: int = 0):
    rng = np.random.default_rng(seed)
    X = {"x": rng.normal(size=200), "level": rng.choice(list("abcd"), 200), "z": rng.normal(size=200)}
    y = np.where((X["x"] > 0) ^ (X["level"] == "a") ^ (rng.random(200) < 0.2), "yes", "no")
    return X, y, rng.random(200)  # weights of their own: no two splits gain the same


@pytest.mark.parametrize("limits", LIMITS, ids=str)
@pytest.mark.parametrize("make", [tw.CARTClassifier, tw.ID3Classifier])
def test_to_undo_splits_is_not_to_make_them(make, limits):
    X, y, w = table()
    full = make().fit(X, y, w)
    assert same(as_if_stopped(full.tree_, Limits(**limits)), make(**limits).fit(X, y, w).tree_)


@pytest.mark.parametrize("limits", [{"max_leaves": 9}, {"min_gain": 50.0}, {"significance": 1e-4}], ids=str)
def test_numbers(limits):
    X, y = load_diabetes(return_X_y=True)
    full = tw.CARTRegressor().fit(X, y)
    assert same(as_if_stopped(full.tree_, Limits(**limits)), tw.CARTRegressor(**limits).fit(X, y).tree_)


def test_the_way_of_growing_has_a_tree_for_every_number_of_leaves():
    X, y, w = table()
    model = tw.CARTClassifier().fit(X, y, w)
    path = growth_path(model.tree_, model.schema_)
    assert path.leaves.tolist() == list(range(model.tree_.n_leaves, 0, -1))
    for k in (0, 7, len(path) - 3, len(path) - 1):
        assert same(path.trees[k], tw.CARTClassifier(max_leaves=int(path.leaves[k])).fit(X, y, w).tree_)


@pytest.mark.parametrize("limits", LIMITS, ids=str)
def test_c45_stops_early_too(limits):
    X, y, w = table()
    plain = {"prune": False, "collapse": False, "mdl": False, "min_cases": 1}
    full, early = tw.C45Classifier(**plain).fit(X, y, w), tw.C45Classifier(**plain, **limits).fit(X, y, w)
    assert early.tree_.n_leaves < full.tree_.n_leaves
    assert early.tree_.n_leaves <= limits.get("max_leaves", np.inf)
    for node in early.tree_.nodes():
        assert node.is_leaf or node.n >= limits.get("min_rows_split", 2)
        assert node.is_leaf or node.gain >= limits.get("min_gain", 0.0)


@pytest.mark.parametrize("option", ["max_leaves", "min_rows_split", "min_gain", "significance"])
def test_c45_refuses_limits_that_are_none(option):
    with pytest.raises(tw.OptionError, match=option):
        tw.C45Classifier(**{option: -1}).fit([[1], [2]], ["a", "b"])
