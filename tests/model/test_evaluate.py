"""Curves, figures and comparisons beside scikit-learn's metrics and the trees themselves."""

from __future__ import annotations

import matplotlib
import numpy as np
import pandas as pd
import pytest
from scipy import stats
from sklearn.datasets import load_breast_cancer, load_diabetes, load_iris
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import brier_score_loss, confusion_matrix, f1_score, log_loss, roc_auc_score
from sklearn.model_selection import KFold, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

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


@pytest.mark.parametrize("cv", ["loo", 14])
def test_one_row_is_left_out_in_turn(cv):
    table = tw.datasets.load("play_tennis")
    days = pd.DataFrame({name: cells for name, cells in table.X.items() if name != "day"})
    y = np.array(table.y)
    keep = [np.arange(14) != k for k in range(14)]
    wrong = [tw.ID3Classifier().fit(days[k], y[k]).predict(days[~k])[0] != y[~k][0] for k in keep]
    found = tw.compare([tw.ID3Classifier()], days, y, cv=cv)
    assert found.errors[0].tolist() == [float(each) for each in wrong]
    assert sum(wrong) == 3
    model = tw.ID3Classifier().fit(days, y)
    compared = tw.prune.compare(model, days, y, ["minimum-error"], cv=cv)
    assert compared["unpruned"].validation_error == pytest.approx(3 / 14)
    curve = evaluate.complexity_curve(model, days, y, cv=cv, risk="misclassification")
    assert curve.validation.tolist() == [pytest.approx(5 / 14), pytest.approx(3 / 14)]
    assert model.prune("error-complexity", cv=cv).tree_.n_leaves == 5


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


def test_the_complexity_curve_along_growth(model):
    """Every point is the tree that max_leaves stops at."""
    curve = evaluate.complexity_curve(model, X[REST], Y[REST], along="growth", rule="0se")
    assert curve.sizes.tolist() == list(range(1, model.tree_.n_nodes + 1, 2))
    for k in range(0, len(curve.sizes), 3):
        grown = tw.CARTClassifier(max_leaves=k + 1).fit(X[FIT], Y[FIT])
        assert grown.tree_.n_nodes == curve.sizes[k]
        assert curve.training[k] == pytest.approx(1 - grown.score(X[FIT], Y[FIT]))
        assert curve.validation[k] == pytest.approx(1 - grown.score(X[REST], Y[REST]))
    assert curve.validation[curve.chosen] == curve.validation.min()


def test_the_complexity_curve_along_growth_by_cross_validation():
    """Trees grown without a fold stand in for those of as many leaves."""
    cv = KFold(3, shuffle=True, random_state=1)
    model = tw.CARTClassifier(min_rows_leaf=8).fit(X, Y)
    curve = evaluate.complexity_curve(model, X, Y, cv=cv, along="growth")
    for k in (0, 3, len(curve.sizes) - 1):
        grown = tw.CARTClassifier(min_rows_leaf=8, max_leaves=k + 1)
        wrong = [(grown.fit(X[a], Y[a]).predict(X[b]) != Y[b]).sum() for a, b in cv.split(X)]
        assert curve.validation[k] == pytest.approx(sum(wrong) / len(Y))


def test_the_complexity_curve_of_a_leaf():
    leaf = tw.CARTClassifier(max_depth=0).fit(X[FIT], Y[FIT])
    for along in ("pruning", "growth"):
        curve = evaluate.complexity_curve(leaf, X[REST], Y[REST], along=along)
        assert (curve.sizes.tolist(), curve.chosen) == ([1], 0)
    with pytest.raises(tw.OptionError, match="'pruning', 'growth'"):
        evaluate.complexity_curve(leaf, X[REST], Y[REST], along="shrinking")


@pytest.mark.parametrize("sizes", [[0.0, 2], [], 0, -1, "x", None, [[0.5]], True, [np.nan]])
def test_sizes_of_a_learning_curve_are_shares(sizes):
    with pytest.raises(tw.OptionError, match="shares"):
        evaluate.learning_curve(tw.CARTClassifier(), X, Y, sizes=sizes)


def test_the_learning_curve_of_any_estimator():
    curve = evaluate.learning_curve(DecisionTreeClassifier(random_state=0), X, Y, sizes=[0.1, 1.0], cv=3)
    assert curve.training.max() == 0
    assert curve.validation[1] < curve.validation[0]


def test_pictures(model):
    """With matplotlib itself: what is drawn is what was measured."""
    matplotlib.use("Agg")
    curve = evaluate.complexity_curve(model, X[REST], Y[REST])
    lines = {line.get_label(): line.get_xydata() for line in curve.plot().get_lines()}
    np.testing.assert_allclose(lines["validation"], np.stack([curve.sizes, curve.validation], axis=1))
    np.testing.assert_allclose(lines["training"], np.stack([curve.sizes, curve.training], axis=1))
    chosen = lines[f"chosen: {curve.sizes[curve.chosen]} nodes"]
    assert chosen.tolist() == [[curve.sizes[curve.chosen], curve.validation[curve.chosen]]]
    axes = evaluate.evaluate(model, X[REST], Y[REST]).plot()
    assert len(axes.collections[0].get_offsets()) == len(evaluate.evaluate(model, X[REST], Y[REST]).calibration)
    found = tw.compare([tw.CARTClassifier(), tw.ID3Classifier()], X[:, :3], Y, cv=3)
    labels = [text.get_text() for text in found.plot().get_yticklabels()]
    assert labels == ["CARTClassifier", "ID3Classifier"]


def test_the_learning_curve_falls():
    curve = evaluate.learning_curve(tw.CARTClassifier(), X, Y, sizes=[0.05, 0.3, 1.0], cv=4)
    assert curve.sizes.tolist() == [round(0.05 * 426.75), round(0.3 * 426.75), 427]
    assert curve.validation[-1] < curve.validation[0]
    assert curve.training.max() == 0


def test_figures_are_those_of_scikit_learn():
    model = tw.CARTClassifier(max_depth=3).fit(X[FIT], Y[FIT])
    found = evaluate.evaluate(model, X[REST], Y[REST])
    shares, predicted = model.predict_proba(X[REST]), model.predict(X[REST])
    np.testing.assert_array_equal(found.confusion, confusion_matrix(Y[REST], predicted))
    np.testing.assert_allclose(found.f1, f1_score(Y[REST], predicted, average=None))
    assert found.error == pytest.approx(1 - model.score(X[REST], Y[REST]))
    assert found.auc == pytest.approx(roc_auc_score(Y[REST], shares[:, 1]))
    assert found.brier == pytest.approx(brier_score_loss(Y[REST], shares[:, 1]))
    assert found.log_loss == pytest.approx(log_loss(Y[REST], shares))
    assert found.log_likelihood == pytest.approx(model.log_likelihood(X[REST], Y[REST], floor=2.220446049250313e-16))
    assert found.log_likelihood == pytest.approx(-log_loss(Y[REST], shares, normalize=False))
    assert "Brier score" in str(found)
    assert "(0 to 1)" in str(found)
    assert "log-loss" in str(found)
    assert found.calibration[:, 2].sum() == len(Y[REST])
    assert found.calibration[:, 1] @ found.calibration[:, 2] == pytest.approx((predicted == Y[REST]).sum())
    assert str(found).splitlines()[0].split() == ["class", "precision", "recall", "f1", "rows"]


def test_rows_thought_impossible_are_counted_and_the_likelihood_is_finite():
    model = tw.CARTClassifier().fit([[1], [2], [3], [4]], list("aabb"))
    rows, truth = [[1], [1], [4], [4]], list("abbb")
    found = evaluate.evaluate(model, rows, truth, sample_weight=[1, 2, 1, 1])
    assert found.impossible == 2
    assert found.log_likelihood == pytest.approx(2 * np.log(np.finfo(float).eps))
    assert found.log_likelihood == model.log_likelihood(rows, truth, [1, 2, 1, 1], floor=np.finfo(float).eps)
    assert model.log_likelihood(rows, truth) == -np.inf
    assert "rows of weight 2 were thought impossible and count as p = 2.2e-16" in str(found)


def test_the_auc_is_of_the_classes_that_occur():
    y = pd.Series(pd.Categorical(np.where(Y == 1, "p", "n"), categories=["n", "p", "other"]))
    declared = evaluate.evaluate(tw.CARTClassifier(max_depth=3).fit(X[FIT], y[FIT]), X[REST], y[REST])
    plain = evaluate.evaluate(tw.CARTClassifier(max_depth=3).fit(X[FIT], Y[FIT]), X[REST], Y[REST])
    assert declared.auc == pytest.approx(plain.auc)


def test_figures_of_rows_that_do_not_fit(model):
    with pytest.raises(tw.DataError, match="y holds 2"):
        evaluate.evaluate(model, X, Y + 1)
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
    for models in ([], [3], 3, [tw.CARTClassifier]):
        with pytest.raises(tw.OptionError, match="models are estimators"):
            tw.compare(models, X, Y)
    with pytest.raises(tw.OptionError, match="all predict classes or all predict numbers"):
        tw.compare([tw.CARTClassifier(), tw.CARTRegressor()], X, Y)
    for options in ({"repeats": 0}, {"repeats": "x"}, {"random_state": None}, {"cv": 1}, {"cv": "x"}):
        with pytest.raises(tw.OptionError, match="at least"):
            tw.compare(tw.CARTClassifier(), X, Y, **options)


def test_estimators_of_other_libraries():
    """On the same folds, given the rows as the user has them."""
    table = pd.DataFrame(X[:, :4]).add_prefix("x")
    cv = KFold(4, shuffle=True, random_state=0)
    models = {"ours": tw.CARTClassifier(), "tree": DecisionTreeClassifier(random_state=0),
              "line": make_pipeline(StandardScaler(), LogisticRegression())}  # fmt: skip
    names = np.where(Y == 1, "benign", "malignant")
    found = tw.compare(models, table, names, cv=cv)
    for k, model in enumerate(models.values()):
        np.testing.assert_allclose(found.errors[k], 1 - cross_val_score(model, table, names, cv=cv))
    assert found["tree"].leaves > 2
    assert np.isnan(found["line"].leaves)
    numbers = load_diabetes(return_X_y=True)
    squared = tw.compare([DecisionTreeRegressor(max_depth=2), tw.CARTRegressor(max_depth=2)], *numbers, cv=3)
    assert squared.errors[0] == pytest.approx(squared.errors[1])
    with pytest.raises(tw.DataError, match="dict of columns"):
        tw.compare([DecisionTreeClassifier()], {"x": [1, 2, 3, 4]}, ["a", "b", "a", "b"], cv=2)


def test_rows_without_a_target_are_left_out_of_other_estimators_too():
    y = Y.astype(float)
    y[::7] = np.nan
    known = ~np.isnan(y)
    with pytest.warns(tw.TreewrightWarning, match="no target"):
        found = tw.compare([DecisionTreeClassifier(random_state=0)], X, y, cv=KFold(3))
    expected = 1 - cross_val_score(DecisionTreeClassifier(random_state=0), X[known], Y[known], cv=KFold(3))
    np.testing.assert_allclose(found.errors[0], expected)


def test_the_corrected_test():
    d = np.array([0.02, 0.01, 0.04, 0.0, 0.03, 0.01])
    plain = stats.ttest_1samp(d, 0).pvalue
    assert evaluate.corrected_t_test(d, 0.0) == pytest.approx(plain)
    assert evaluate.corrected_t_test(d, 0.1) > plain
    assert (evaluate.corrected_t_test([0, 0], 0.1), evaluate.corrected_t_test([1, 1], 0.1)) == (1, 0)
    for differences in ([0.1], "x", [[1, 2]], None):
        with pytest.raises(tw.OptionError, match="two differences"):
            evaluate.corrected_t_test(differences, 0.1)
    with pytest.raises(tw.OptionError, match="test_per_training"):
        evaluate.corrected_t_test([0.1, 0.2], -1)


def test_what_is_no_tree_of_ours():
    for work in (evaluate.complexity_curve, evaluate.evaluate):
        with pytest.raises(tw.OptionError, match="a fitted tree of treewright"):
            work(DecisionTreeClassifier().fit(X, Y), X, Y)
        with pytest.raises(ValueError, match="not fitted"):
            work(tw.CARTClassifier(), X, Y)
    with pytest.raises(tw.OptionError, match="models are estimators"):
        evaluate.learning_curve(3, X, Y)
    with pytest.raises(tw.OptionError, match="bins"):
        evaluate.evaluate(tw.CARTClassifier().fit(X, Y), X, Y, bins=0)


# ---------------------------------------------------------------- overfitting


def test_the_amount_of_overfitting_is_the_error_less_that_of_the_training_rows(model):
    """004: error_true(h) − error(h, D_train); a test set estimates the first."""
    found = evaluate.overfitting(model, X[REST], Y[REST])
    wrong, n = 1 - model.score(X[REST], Y[REST]), len(Y[REST])
    assert found.training_error == 1 - model.score(X[FIT], Y[FIT]) == 0
    assert (found.error, found.amount) == (pytest.approx(wrong), pytest.approx(wrong))
    interval = stats.binomtest(round(wrong * n), n).proportion_ci(method="wilson")
    assert (found.low, found.high) == (pytest.approx(interval.low), pytest.approx(interval.high))
    assert found.is_certain
    stump = model.prune("depth", depth=1)
    less = evaluate.overfitting(stump, X[REST], Y[REST])
    assert less.training_error == pytest.approx(1 - stump.score(X[FIT], Y[FIT]))
    assert less.amount == pytest.approx(stump.score(X[FIT], Y[FIT]) - stump.score(X[REST], Y[REST]))
    assert less.high - less.low == pytest.approx(np.diff(
        stats.binomtest(round(less.error * n), n).proportion_ci(method="wilson"))[0])  # fmt: skip
    assert evaluate.evaluate(stump, X[REST], Y[REST]).overfitting == less
    assert str(less) in str(evaluate.evaluate(stump, X[REST], Y[REST]))


@pytest.mark.parametrize("criterion", ["squared_error", "absolute_error"])
def test_the_amount_of_overfitting_of_numbers(criterion):
    numbers, target = load_diabetes(return_X_y=True)
    weight = np.arange(1.0, len(target[REST]) + 1)
    tree = tw.CARTRegressor(criterion=criterion, max_depth=3).fit(numbers[FIT], target[FIT])
    found = evaluate.overfitting(tree, numbers[REST], target[REST], sample_weight=weight)

    def lost(rows):
        residual = np.abs(tree.predict(numbers[rows]) - target[rows])
        return residual if criterion == "absolute_error" else residual**2

    assert found.training_error == pytest.approx(lost(FIT).mean())
    assert found.error == pytest.approx(np.average(lost(REST), weights=weight))
    spread = np.average((lost(REST) - found.error) ** 2, weights=weight)
    half = 1.959964 * np.sqrt(spread / (weight.sum() ** 2 / (weight**2).sum()))
    assert (found.low, found.high) == (pytest.approx(found.amount - half), pytest.approx(found.amount + half))


def test_overfitting_of_the_noisy_day():
    """002: ID3 fits D1 to D14 without an error, and D15 is D11 with the other answer."""
    table = tw.datasets.load("play_tennis_noisy")
    days = pd.DataFrame({name: cells for name, cells in table.X.items() if name != "day"})
    tree = tw.ID3Classifier().fit(days[:14], table.y[:14])
    assert evaluate.overfitting(tree, days[14:], table.y[14:]).amount == 1
    assert evaluate.overfitting(tree, days[:14], table.y[:14]).amount == 0


# ---------------------------------------------------------------- bias and variance


@pytest.mark.parametrize("numbers", [False, True])
def test_bias_falls_and_variance_rises_with_complexity(numbers):
    """002: usually, the bias is a decreasing function of the complexity, the variance an increasing one."""
    rng = np.random.default_rng(0)
    x = rng.uniform(size=(400, 2))
    signal = np.sin(6 * x[:, 0]) + x[:, 1]
    y = signal + rng.normal(size=400) / 2
    y = y if numbers else np.where(y > 0.6, "high", "low")
    tree = tw.CARTRegressor() if numbers else tw.CARTClassifier()
    found = evaluate.bias_variance(tree, x, y, leaves=[1, 2, 8, 64], rounds=30)
    assert found.leaves.tolist() == [1, 2, 8, 64]
    assert found.bias[0] > found.bias[1] > found.bias[2]
    assert found.variance[0] < found.variance[2] < found.variance[3]
    np.testing.assert_allclose(found.error, found.bias + found.net_variance)
    if numbers:
        np.testing.assert_allclose(found.net_variance, found.variance)
    assert found.to_dict()["error"] == found.error.tolist()
    assert str(found).count("\n") == 4


def test_bias_and_variance_are_those_of_the_trees_of_that_size():
    """Of a constant column every tree is one leaf: the main prediction is the commonest class or about the mean."""
    y = np.array(["a"] * 70 + ["b"] * 30)
    found = evaluate.bias_variance(tw.CARTClassifier(), np.zeros((100, 1)), y, rounds=20)
    assert (found.leaves.tolist(), found.bias.tolist(), found.variance.tolist()) == ([1], [0.3], [0.0])
    same = evaluate.bias_variance(tw.CARTClassifier(), np.zeros((100, 1)), y, rounds=20)
    assert same.to_dict() == found.to_dict()
    assert evaluate.bias_variance(tw.CARTClassifier(), X, Y, rounds=3).plot().get_xlabel() == "leaves"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"leaves": 0}, "leaves=0"), ({"leaves": [1.5]}, "leaves="), ({"leaves": "x"}, "leaves='x'"),
        ({"rounds": 1}, "rounds"), ({"share": 2}, "between 0 and 1"), ({"random_state": None}, "random_state"),
    ],
)  # fmt: skip
def test_bias_and_variance_of_nonsense(options, message):
    with pytest.raises(tw.OptionError, match=message):
        evaluate.bias_variance(tw.CARTClassifier(), X, Y, **options)
    with pytest.raises(tw.OptionError, match="a tree of treewright"):
        evaluate.bias_variance(DecisionTreeClassifier(), X, Y)


# ---------------------------------------------------------------- measures and many levels


def test_gain_and_gini_prefer_many_levels_and_the_ratio_less_so():
    """002: information gain and Gini are biased towards multivalued attributes."""
    found = evaluate.measure_bias(["gain", "gain_ratio", "gini", "chi2_p"])
    gain, ratio, gini, p = found.chosen
    np.testing.assert_allclose(found.chosen.sum(1), 1)
    assert gain[-1] > 0.85
    assert gini[-1] > 0.85
    assert 0.25 < ratio[-1] < gain[-1]
    assert all(0.15 < share < 0.35 for share in p)
    assert (np.diff(found.score[[0, 2]]) > 0).all()  # what is gained by chance rises with the levels
    assert len(found.to_dict()["chosen"]) == 16


def test_the_mean_gain_of_nothing_is_about_its_degrees_of_freedom():
    """2·N·ln 2 times the gain is about χ² of (levels − 1)·(classes − 1) degrees of freedom, and that is its mean."""
    found = evaluate.measure_bias(["gain"], [2, 5], rows=2000, rounds=500)
    np.testing.assert_allclose(found.score[0] * 2 * 2000 * np.log(2), [1, 4], rtol=0.15)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"measures": ["gian"]}, "unknown measure for classes 'gian'.*gain"),
        ({"measures": ["squared_error"]}, "unknown measure for classes"),
        ({"levels": [2]}, "levels="), ({"levels": 3}, "levels=3"), ({"levels": [1, 2]}, "levels="),
        ({"rows": 1}, "rows"), ({"classes": 1}, "classes"), ({"rounds": 0}, "rounds"),
    ],
)  # fmt: skip
def test_measures_of_nonsense(options, message):
    with pytest.raises(tw.OptionError, match=message):
        evaluate.measure_bias(**options)


def test_a_comparison_tells_time_size_and_training_error_of_any_estimators():
    """What closes the notes: trees beside neighbours, of this library and of scikit-learn."""
    from sklearn.neighbors import KNeighborsClassifier

    models = {
        "tree": tw.ID3Classifier(),
        "1-NN": tw.KNNClassifier(k=1, scale=None),
        "5-NN": tw.KNNClassifier(k=5, scale=None),
        "scikit-learn's": KNeighborsClassifier(1),
    }
    distinct = np.sort(np.unique(X, axis=0, return_index=True)[1])
    found = tw.compare(models, X[distinct], Y[distinct], cv=4)
    rows = {name: found[name] for name in models}
    assert rows["tree"].training_error == rows["1-NN"].training_error == 0
    assert rows["5-NN"].training_error > 0
    assert rows["1-NN"].error == rows["scikit-learn's"].error
    assert rows["1-NN"].stored_bytes > rows["tree"].stored_bytes > 100
    assert all(row.fit_seconds > 0 and row.predict_seconds > 0 for row in rows.values())
    assert rows["5-NN"].training_standard_error > 0
    assert "training error" in str(found)
    assert list(found.to_dict()) == list(tw.evaluate.ModelRow.__dataclass_fields__)
