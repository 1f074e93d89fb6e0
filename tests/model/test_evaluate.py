"""Curves, figures and comparisons beside scikit-learn's metrics and the trees themselves."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats
from sklearn.datasets import load_breast_cancer, load_diabetes, load_iris
from sklearn.metrics import brier_score_loss, confusion_matrix, f1_score, roc_auc_score
from sklearn.model_selection import KFold

import treewright as tw
from treewright import evaluate

X, Y = load_breast_cancer(return_X_y=True)
FIT, REST = slice(0, None, 2), slice(1, None, 2)


@pytest.fixture(scope="module")
def model():
    return tw.CARTClassifier().fit(X[FIT], Y[FIT])


@pytest.mark.parametrize("y", [Y, Y.astype(str), np.linspace(0, 1, len(Y)) + 0.001], ids=["codes", "text", "numbers"])
def test_three_parts_are_all_rows_once(y):
    parts = evaluate.three_parts(y)
    assert sorted(np.concatenate(parts)) == list(range(len(y)))
    assert [len(part) for part in parts] == [278, 120, 171]
    if y is Y:
        assert all(abs(Y[part].mean() - Y.mean()) < 0.01 for part in parts)
    with pytest.raises(tw.OptionError, match="between 0 and 1"):
        evaluate.three_parts(y, test=1)


def test_the_complexity_curve_is_that_of_the_pruned_trees(model):
    curve = evaluate.complexity_curve(model, X[REST], Y[REST], rule="0se")
    path = model.pruning_path()
    assert curve.sizes.tolist() == [tree.n_nodes for tree in path.trees][::-1]
    for k, alpha in enumerate(path.alphas[::-1]):
        pruned = model.prune("cost-complexity", alpha=alpha)
        assert curve.training[k] == pytest.approx(1 - pruned.score(X[FIT], Y[FIT]))
        assert curve.validation[k] == pytest.approx(1 - pruned.score(X[REST], Y[REST]))
    chosen = model.prune("cost-complexity", X[REST], Y[REST], rule="0se")
    assert curve.sizes[curve.chosen] == chosen.tree_.n_nodes
    assert (np.diff(curve.training) <= 0).all()
    assert curve.to_dict()["sizes"] == curve.sizes.tolist()


def test_the_complexity_curve_by_cross_validation_marks_what_prune_chooses():
    data = load_diabetes(return_X_y=True)
    model = tw.CARTRegressor().fit(*data)
    curve = evaluate.complexity_curve(model, *data, cv=5)
    assert curve.sizes[curve.chosen] == model.prune("cost-complexity", cv=5).tree_.n_nodes
    assert curve.validation[curve.chosen] < curve.validation[-1]  # the full tree overfits


def test_the_learning_curve_falls():
    curve = evaluate.learning_curve(tw.CARTClassifier(), X, Y, sizes=[0.05, 0.3, 1.0], cv=4)
    assert curve.sizes.tolist() == [round(0.05 * 426.75), round(0.3 * 426.75), 427]
    assert curve.validation[-1] < curve.validation[0]
    assert curve.training.max() == 0
    with pytest.raises(tw.OptionError, match="shares"):
        evaluate.learning_curve(tw.CARTClassifier(), X, Y, sizes=[0.0, 2])


def test_figures_are_those_of_scikit_learn():
    model = tw.CARTClassifier(max_depth=3).fit(X[FIT], Y[FIT])
    found = evaluate.evaluate(model, X[REST], Y[REST])
    shares, predicted = model.predict_proba(X[REST]), model.predict(X[REST])
    np.testing.assert_array_equal(found.confusion, confusion_matrix(Y[REST], predicted))
    np.testing.assert_allclose(found.f1, f1_score(Y[REST], predicted, average=None))
    assert found.error == pytest.approx(1 - model.score(X[REST], Y[REST]))
    assert found.auc == pytest.approx(roc_auc_score(Y[REST], shares[:, 1]))
    assert found.brier == pytest.approx(2 * brier_score_loss(Y[REST], shares[:, 1]))
    assert found.log_likelihood == pytest.approx(model.log_likelihood(X[REST], Y[REST]))
    assert found.calibration[:, 2].sum() == len(Y[REST])
    assert found.calibration[:, 1] @ found.calibration[:, 2] == pytest.approx((predicted == Y[REST]).sum())
    assert str(found).splitlines()[0].split() == ["class", "precision", "recall", "f1", "rows"]


def test_figures_of_rows_that_do_not_fit(model):
    with pytest.raises(tw.DataError, match="y holds 2"):
        evaluate.evaluate(model, X, Y + 1)
    with pytest.raises(tw.OptionError, match="predicts numbers"):
        evaluate.evaluate(tw.CARTRegressor().fit(X, Y), X, Y)
    assert np.isnan(evaluate.evaluate(model, X[Y == 1], Y[Y == 1]).auc)


def test_models_side_by_side():
    data = load_iris(return_X_y=True)
    cv = KFold(5, shuffle=True, random_state=0)
    models = {"stump": tw.CARTClassifier(max_depth=1), "tree": tw.CARTClassifier()}
    found = tw.compare(models, *data, cv=cv)
    for k, model in enumerate(models.values()):
        errors = [1 - model.fit(data[0][a], data[1][a]).score(data[0][b], data[1][b]) for a, b in cv.split(*data)]
        np.testing.assert_allclose(found.errors[k], errors)
    assert found["stump"].p == 1
    assert found["tree"].p == evaluate.corrected_t_test(found.errors[1] - found.errors[0], 30 / 120)
    assert found["tree"].difference < 0
    assert len(str(found).splitlines()) == 3
    assert found.to_dict()["model"] == ["stump", "tree"]


def test_repeats_and_names_of_their_own():
    found = tw.compare([tw.CARTClassifier(), tw.CARTClassifier(max_depth=2)], X, Y, cv=3, repeats=2)
    assert [row.model for row in found.rows] == ["CARTClassifier", "CARTClassifier 2"]
    assert found.errors.shape == (2, 6)
    for models in ([], [3]):
        with pytest.raises(tw.OptionError, match="estimators of treewright"):
            tw.compare(models, X, Y)


def test_the_corrected_test():
    d = np.array([0.02, 0.01, 0.04, 0.0, 0.03, 0.01])
    plain = stats.ttest_1samp(d, 0).pvalue
    assert evaluate.corrected_t_test(d, 0.0) == pytest.approx(plain)
    assert evaluate.corrected_t_test(d, 0.1) > plain
    assert (evaluate.corrected_t_test([0, 0], 0.1), evaluate.corrected_t_test([1, 1], 0.1)) == (1, 0)
    with pytest.raises(tw.OptionError, match="two differences"):
        evaluate.corrected_t_test([0.1], 0.1)
