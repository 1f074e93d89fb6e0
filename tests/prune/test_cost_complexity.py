"""Cost-complexity pruning beside scikit-learn's, and its extremes."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_diabetes, load_iris, load_wine
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

import treewright as tw
from made_trees import of_scikit_learn
from treewright.errors import OptionError

ALPHAS = [0.0005, 0.002, 0.008, 0.02, 0.05]


@pytest.mark.parametrize("load", [load_iris, load_wine, load_breast_cancer])
@pytest.mark.parametrize("criterion", ["gini", "entropy"])
@pytest.mark.parametrize("alpha", ALPHAS)
def test_classes_as_in_scikit_learn(load, criterion, alpha):
    """Of its own tree, since it breaks ties between columns at random."""
    X, y = load(return_X_y=True)
    peer = DecisionTreeClassifier(criterion=criterion, random_state=0)
    tree, schema = of_scikit_learn(peer.fit(X, y))
    ours = tw.prune.CostComplexity(alpha, risk=criterion)(tree, schema)
    theirs = peer.set_params(ccp_alpha=alpha).fit(X, y).tree_
    assert (ours.n_leaves, ours.depth) == (theirs.n_leaves, theirs.max_depth)
    assert sorted(ours.edges) == sorted(theirs.threshold[theirs.children_left >= 0])


@pytest.mark.parametrize("alpha", [1, 10, 50, 200])
def test_numbers_as_in_scikit_learn(alpha):
    X, y = load_diabetes(return_X_y=True)
    ours = tw.CARTRegressor(prune=tw.prune.CostComplexity(alpha)).fit(X, y)
    theirs = DecisionTreeRegressor(ccp_alpha=alpha, random_state=0).fit(X, y)
    assert ours.tree_.n_leaves == theirs.get_n_leaves()
    np.testing.assert_allclose(ours.predict(X), theirs.predict(X))


def test_no_price_keeps_every_split_that_helps_and_a_high_one_leaves_the_root():
    X, y = load_iris(return_X_y=True)
    full = tw.CARTClassifier().fit(X, y).tree_
    assert tw.CARTClassifier(prune=tw.prune.CostComplexity(0)).fit(X, y).tree_.n_leaves == full.n_leaves
    assert tw.CARTClassifier(prune=tw.prune.CostComplexity(10)).fit(X, y).tree_.n_nodes == 1


def test_relative_measures_in_units_of_the_root():
    X, y = load_wine(return_X_y=True)
    root = tw.criteria.misclassification(np.bincount(y))
    absolute = tw.prune.CostComplexity(0.1 * float(root), risk="misclassification")
    relative = tw.prune.CostComplexity(0.1, risk="misclassification", relative=True)
    sizes = {tw.CARTClassifier(prune=pruner).fit(X, y).tree_.n_leaves for pruner in (absolute, relative)}
    assert len(sizes) == 1


@pytest.mark.parametrize(
    ("options", "message"),
    [({"alpha": -1}, "alpha"), ({"alpha": np.nan}, "alpha"), ({"alpha": 0, "risk": "x"}, "risk")],
)
def test_bad_options(options, message):
    with pytest.raises(OptionError, match=message):
        tw.prune.CostComplexity(**options)


def test_a_class_risk_is_refused_for_numbers():
    with pytest.raises(OptionError, match="number"):
        tw.CARTRegressor(prune=tw.prune.CostComplexity(0.1, risk="gini")).fit([[1], [2], [3]], [1.0, 2.0, 3.0])
