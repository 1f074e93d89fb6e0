"""Metrics are those of scikit-learn; lift, gains and profit are those of the rows in order."""

import numpy as np
import pytest
from sklearn import metrics
from sklearn.datasets import load_breast_cancer, load_diabetes, load_iris

import treewright as tw
from treewright.errors import DataError, OptionError
from treewright.kernels import switch

CANCER = load_breast_cancer(return_X_y=True)
IRIS = load_iris(return_X_y=True)
DIABETES = load_diabetes(return_X_y=True)
WEIGHTS = np.random.default_rng(0).random(600) + 0.1


@pytest.mark.parametrize("weighted", [False, True])
def test_classes(weighted):
    for X, y in (CANCER, IRIS):
        fit, rest = np.arange(len(y)) % 2 == 0, np.arange(len(y)) % 2 == 1
        weight = WEIGHTS[: len(y)][rest] if weighted else None
        with switch.compiling("never"):
            model = tw.CARTClassifier(max_depth=2).fit(X[fit], y[fit])
            found = tw.evaluate.evaluate(model, X[rest], y[rest], sample_weight=weight)
            shares = model.predict_proba(X[rest])
        two = shares.shape[1] == 2
        scored = shares[:, 1] if two else shares
        auc = metrics.roc_auc_score(y[rest], scored, multi_class="ovr", sample_weight=weight)
        assert found.auc == pytest.approx(auc)
        hits = np.eye(shares.shape[1])[y[rest]]
        by_row = ((shares - hits) ** 2).sum(1) / (2 if two else 1)
        assert found.brier == pytest.approx(np.average(by_row, weights=weight))
        if two:
            assert found.brier == pytest.approx(metrics.brier_score_loss(y[rest], scored, sample_weight=weight))
        assert found.log_loss == pytest.approx(metrics.log_loss(y[rest], shares, sample_weight=weight))
        assert f"Brier score {found.brier:.4g} (0 to {1 if two else 2}), log-loss {found.log_loss:.4g}" in str(found)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize(
    "model", [tw.CARTRegressor(), tw.CubistRegressor(), tw.KNNRegressor(), tw.RandomForestRegressor(n_trees=2)]
)
def test_numbers(model, weighted):
    X, y = (part[::8] for part in DIABETES)
    weight = WEIGHTS[: len(y)] if weighted else None
    with switch.compiling("never"):
        model.fit(X[::2], y[::2])
        found, predicted = tw.evaluate.evaluate(model, X, y, sample_weight=weight), model.predict(X)
    assert found.mse == pytest.approx(metrics.mean_squared_error(y, predicted, sample_weight=weight))
    assert found.rmse == pytest.approx(metrics.root_mean_squared_error(y, predicted, sample_weight=weight))
    assert found.mae == pytest.approx(metrics.mean_absolute_error(y, predicted, sample_weight=weight))
    assert found.r2 == pytest.approx(metrics.r2_score(y, predicted, sample_weight=weight))
    assert found.median_error == pytest.approx(metrics.median_absolute_error(y, predicted, sample_weight=weight))
    assert found.max_error == pytest.approx(metrics.max_error(y, predicted))
    assert found.bias == pytest.approx(np.average(predicted - y, weights=weight))
    assert found.calibration[:, 2].sum() == pytest.approx(len(y) if weight is None else weight.sum())
    assert (found.overfitting is not None) == hasattr(model, "tree_")
    assert str(found).startswith(f"{len(y)} rows: RMSE {found.rmse:.4g}, MAE {found.mae:.4g}, R²")
    assert "calibration" not in found.to_dict()
    assert found.plot().get_xlabel() == "mean prediction"


def test_gains_by_hand():
    table = {"p": [0.8, 0.8, 0.8, 0.1, 0.1, 0.1]}
    truth = ["yes", "yes", "no", "no", "yes", "no"]
    model = tw.CARTClassifier(max_depth=1).fit(table, truth)
    found = tw.evaluate.gains(model, table, truth, bins=3, benefit=5, cost=2)
    assert found.label == "yes"
    # the first bin ends among three rows of equal probability, which share two hits; the others share one
    assert found.rows.tolist() == [2, 2, 2]
    np.testing.assert_allclose(found.hits, [4 / 3, 1, 2 / 3])
    np.testing.assert_allclose(found.gain, np.cumsum([4 / 3, 1, 2 / 3]) / 3)
    np.testing.assert_allclose(found.lift, found.hits / 2 / 0.5)
    np.testing.assert_allclose(found.total_lift, found.gain / [1 / 3, 2 / 3, 1])
    np.testing.assert_allclose(found.profit, [5 * 4 / 3 - 4, 5 * 7 / 3 - 8, 3])
    assert found.best == 2
    assert "profit is greatest with the first 67% of the rows: 3.66667" in str(found)
    assert found.to_frame()["profit"].iloc[-1] == pytest.approx(3)
    assert found.plot().get_ylabel() == "share of all yes"


def test_gains_of_random_scores_agree_with_the_area_under_the_curve():
    """The area under the gains curve is prevalence / 2 + (1 − prevalence) · AUC."""
    X, y = CANCER
    with switch.compiling("never"):
        model = tw.CARTClassifier(max_depth=2).fit(X[:300], y[:300])
        found = tw.evaluate.gains(model, X[300:], y[300:], bins=2000)
        auc = tw.evaluate.evaluate(model, X[300:], y[300:]).auc
    area = np.trapezoid([0, *found.gain], [0, *found.depth]) if hasattr(np, "trapezoid") else None
    if area is not None:
        share = y[300:].mean()
        assert area == pytest.approx(share / 2 + (1 - share) * auc, abs=1e-3)


@pytest.mark.parametrize(
    ("model", "y", "options", "error", "said"),
    [
        ("classes", ["a", "b"], {"label": "c"}, OptionError, "there is no class 'c'"),
        ("classes", ["a", "a"], {}, DataError, "no row is 'b', the class that is looked for"),
        ("numbers", [1.0, 2.0], {}, OptionError, "predicts numbers, and gains are of a class"),
        ("classes", ["a", "b"], {"bins": 0}, OptionError, "bins"),
    ],
)
def test_bad_questions(model, y, options, error, said):
    made = tw.CARTClassifier() if model == "classes" else tw.CARTRegressor()
    made.fit([[1], [2]], ["a", "b"] if model == "classes" else [1.0, 2.0])
    with pytest.raises(error, match=said):
        tw.evaluate.gains(made, [[1], [2]], y, **options)


def test_an_evaluation_tells_its_metrics_by_name_and_what_was_taken_for_what():
    X = {"size": [1, 2, 3, 4, 5, 6], "age": [1, 1, 2, 2, 3, 3]}
    y = ["no", "no", "yes", "no", "yes", "yes"]
    found = tw.evaluate.evaluate(tw.CARTClassifier(max_depth=1, random_state=0).fit(X, y), X, y)
    told = found.to_dict()
    assert told["accuracy"] == found.accuracy == 1 - found.error
    assert told["error"] == found.error
    assert told["auc"] == found.auc
    assert told["log_loss"] == found.log_loss
    assert told["classes"]["class"] == ["no", "yes"]
    assert told["confusion"] == found.confusion.tolist()
    assert "true \\ predicted  no  yes" in str(found)
    assert f"accuracy {found.accuracy:.4g}" in str(found)
    assert "accuracy" in found.to_markdown()
    assert list(found.to_frame()["rows"]) == [3, 3]


def test_what_is_left_of_rounding_is_no_bias():
    X, y = [[k] for k in range(12)], [0.1 * k for k in range(12)]
    found = tw.evaluate.evaluate(tw.CARTRegressor(max_depth=1).fit(X, y), X, y)
    assert "bias 0\n" in str(found)
