"""Importance is scikit-learn's where trees are the same."""

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_diabetes, load_iris, load_wine
from sklearn.exceptions import NotFittedError
from sklearn.feature_selection import SelectFromModel
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

import treewright as tw
from treewright.criteria import CRITERIA


def same_tree(ours, theirs):
    """Trees of other ties are of no use to compare importances with."""
    tested = theirs.tree_.feature[theirs.tree_.feature >= 0]
    return np.array_equal(np.sort(ours.tree_.column[ours.tree_.column >= 0]), np.sort(tested))


@pytest.mark.parametrize("criterion", ["gini", "entropy"])
@pytest.mark.parametrize("load", [load_iris, load_wine, load_breast_cancer], ids=lambda load: load.__name__)
def test_classes_as_scikit_learn_has_it(load, criterion):
    X, y = load(return_X_y=True)
    weights = np.random.default_rng(0).uniform(0.5, 2, len(y))
    for seed in range(30):
        theirs = DecisionTreeClassifier(criterion=criterion, max_depth=2, random_state=seed).fit(X, y, weights)
        ours = tw.CARTClassifier(criterion=criterion, max_depth=2).fit(X, y, weights)
        if same_tree(ours, theirs):
            np.testing.assert_allclose(ours.feature_importances_, theirs.feature_importances_, atol=1e-9)
            return
    pytest.fail("no tree of scikit-learn breaks ties as ours does")


@pytest.mark.parametrize("depth", [1, 2, 3])
def test_numbers_as_scikit_learn_has_it(depth):
    X, y = load_diabetes(return_X_y=True)
    ours = tw.CARTRegressor(max_depth=depth).fit(X, y)
    theirs = DecisionTreeRegressor(max_depth=depth, random_state=0).fit(X, y)
    assert same_tree(ours, theirs)
    np.testing.assert_allclose(ours.feature_importances_, theirs.feature_importances_, rtol=1e-6)


def test_class_weights_as_scikit_learn_has_them():
    X, y = load_breast_cancer(return_X_y=True)
    weights = {0: 1.0, 1: 4.0}
    ours = tw.CARTClassifier(max_depth=2, class_weight=weights).fit(X, y)
    theirs = DecisionTreeClassifier(max_depth=2, class_weight=weights, random_state=1).fit(X, y)
    assert same_tree(ours, theirs)
    np.testing.assert_allclose(ours.feature_importances_, theirs.feature_importances_)


def test_priors_count_as_they_did_while_the_tree_grew():
    X, y = load_breast_cancer(return_X_y=True)
    counts = np.bincount(y)
    priors = {0: 0.2, 1: 0.8}
    by_prior = tw.CARTClassifier(max_depth=2, priors=priors).fit(X, y)
    by_weight = tw.CARTClassifier(max_depth=2, class_weight={k: p / counts[k] for k, p in priors.items()}).fit(X, y)
    np.testing.assert_allclose(by_prior.feature_importances_, by_weight.feature_importances_)


@pytest.mark.parametrize(
    "model",
    [tw.ID3Classifier(), tw.C45Classifier(), tw.CHAIDClassifier(), tw.TreeClassifier(criterion="chi2_p"),
     tw.CARTRegressor(criterion="absolute_error"), tw.CHAIDRegressor()],
    ids=repr,
)  # fmt: skip
def test_shares_of_every_learner_add_up(model):
    X, y = load_iris(return_X_y=True)
    shares = model.fit(X, y).feature_importances_
    assert shares.shape == (4,)
    assert shares.sum() == pytest.approx(1)
    assert (shares[[j for j in range(4) if j not in model.tree_.column]] == 0).all()
    assert (shares >= 0).all()


def test_a_leaf_gains_nothing_and_a_pruned_tree_less(tmp_path):
    X, y = load_iris(return_X_y=True)
    assert tw.CARTClassifier(max_depth=0).fit(X, y).feature_importances_.tolist() == [0, 0, 0, 0]
    model = tw.CARTClassifier().fit(X, y)
    stump = model.prune("depth", depth=1)
    assert sorted(stump.feature_importances_) == [0, 0, 0, 1]
    model.save(tmp_path / "model.json")
    np.testing.assert_array_equal(tw.load(tmp_path / "model.json").feature_importances_, model.feature_importances_)
    with pytest.raises(NotFittedError):
        tw.CARTClassifier().feature_importances_  # noqa: B018


def test_columns_can_be_selected_by_it():
    X, y = load_iris(return_X_y=True)
    chosen = SelectFromModel(tw.CARTClassifier()).fit(X, y)
    assert chosen.transform(X).shape[1] < 4


def test_scores_that_grow_with_the_rows_are_known():
    counts = np.array([[8.0, 2.0], [2.0, 8.0]])
    moments = tw.Table.of_moments([1, 1, 2, 2], [1.0, 2.0, 5.0, 4.0])
    for name, criterion in CRITERIA.items():
        if criterion.target == "values" or name == "mdl":  # mdl is per row, less what the description of a row costs
            continue
        once, twice = (counts, 2 * counts) if criterion.is_for_classes else (moments, moments + moments)
        grows = not np.isclose(criterion.score(once), criterion.score(twice))
        assert grows is not criterion.is_per_row, name
