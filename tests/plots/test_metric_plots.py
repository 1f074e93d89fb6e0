"""Metrics are those of scikit-learn, read back from the axes."""

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_digits, load_iris
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import confusion_matrix, roc_auc_score, roc_curve

import treewright as tw
from axes_read import legend_texts, lines, points, texts
from treewright.plots.metric_plots import cumulative

DATA = load_breast_cancer()
FIT, REST = slice(0, None, 2), slice(1, None, 2)
X, Y = DATA.data, DATA.target_names[DATA.target]
MODEL = tw.CARTClassifier(min_rows_leaf=8).fit(X[FIT], Y[FIT])


def test_confusion_is_counted():
    axes = tw.plots.confusion_matrix(MODEL, X[REST], Y[REST])
    expected = confusion_matrix(Y[REST], MODEL.predict(X[REST]))
    np.testing.assert_array_equal(np.asarray(axes.get_images()[0].get_array()), expected)
    assert sorted(map(int, texts(axes))) == sorted(expected.ravel())
    assert [tick.get_text() for tick in axes.get_xticklabels()] == ["benign", "malignant"]
    share = tw.plots.confusion_matrix(MODEL, X[REST], Y[REST], normalise=True)
    np.testing.assert_allclose(np.asarray(share.get_images()[0].get_array()).sum(1), 1)
    weights = np.arange(len(Y[REST])) % 3
    weighted = tw.plots.confusion_matrix(MODEL, X[REST], Y[REST], sample_weight=weights)
    assert np.asarray(weighted.get_images()[0].get_array()).sum() == weights.sum()


def test_roc_is_that_of_scikit_learn():
    axes = tw.plots.roc(MODEL, X[REST], Y[REST], positive="benign")
    shares, hit = MODEL.predict_proba(X[REST])[:, 0], Y[REST] == "benign"
    area = roc_auc_score(hit, shares)
    false, true, _ = roc_curve(hit, shares, drop_intermediate=False)
    np.testing.assert_allclose(lines(axes)[f"benign: area {area:.3f}"], np.column_stack([false, true]))
    other = LogisticRegression().fit(X[FIT, :2], Y[FIT])
    assert len(tw.plots.roc(other, X[REST, :2], Y[REST]).get_lines()) == 2


def test_roc_of_many_classes_names_the_worst():
    data, y = load_digits(return_X_y=True)
    model = tw.CARTClassifier(max_depth=6).fit(data[::2], y[::2])
    axes = tw.plots.roc(model, data[1::2], y[1::2])
    areas = {k: roc_auc_score(y[1::2] == k, model.predict_proba(data[1::2])[:, k]) for k in range(10)}
    worst = sorted(areas, key=areas.get)[:6]
    assert {text.partition(":")[0] for text in legend_texts(axes)[1:]} == set(map(str, worst))
    assert len(axes.get_lines()) == 11


def test_calibration_is_that_of_evaluate():
    found = tw.evaluate.evaluate(MODEL, X[REST], Y[REST], bins=5)
    shown = points(tw.plots.calibration(MODEL, X[REST], Y[REST], bins=5))["predictions (area: rows)"]
    np.testing.assert_allclose(shown, found.calibration[:, :2])


def test_gains_and_lift_of_sorted_rows():
    shares = MODEL.predict_proba(X[REST])[:, 1]
    hit = Y[REST] == "malignant"
    gains = lines(tw.plots.gains_chart(MODEL, X[REST], Y[REST]))["model"]
    lift = lines(tw.plots.lift(MODEL, X[REST], Y[REST]))["_points"]
    for k, threshold in enumerate(np.unique(shares)[::-1]):
        above = shares >= threshold
        assert gains[k + 1].tolist() == pytest.approx([above.mean(), hit[above].sum() / hit.sum()])
        assert lift[k].tolist() == pytest.approx([above.mean(), hit[above].mean() / hit.mean()])
    assert gains[0].tolist() == [0, 0]
    curve = lines(tw.plots.lift(MODEL, X[REST], Y[REST]))["model"]
    assert (curve[:, 1] <= np.minimum(1 / hit.mean(), 1 / curve[:, 0]) + 1e-9).all()


def test_shares_of_equal_scores_come_together():
    assert cumulative(np.array([0.1, 0.1 + 1e-15, 0.2]), np.ones(3)).tolist() == [0, 1 / 3, 1]


def test_what_has_no_metrics_is_refused():
    iris, y = load_iris(return_X_y=True)
    model = tw.CARTClassifier().fit(iris, y)
    with pytest.raises(tw.OptionError, match="3 classes, and one is to be found"):
        tw.plots.lift(model, iris, y)
    with pytest.raises(tw.OptionError, match="unknown class 'x'"):
        tw.plots.gains_chart(model, iris, y, positive="x")
    assert "class" not in tw.plots.gains_chart(model, iris, y, positive="2").get_title()
    with pytest.raises(tw.DataError, match="y holds 7"):
        tw.plots.confusion_matrix(model, iris, np.full(150, 7))
    with pytest.raises(tw.OptionError, match="predicts numbers"):
        tw.plots.roc(tw.CARTRegressor().fit(iris, y), iris, y)
    with pytest.raises(tw.DataError, match="one class only"):
        tw.plots.roc(model, iris[:50], y[:50])
    with pytest.raises(tw.DataError, match="no row is of class 2"):
        tw.plots.lift(model, iris[:50], y[:50], positive=2)
