"""Errors along pruning and growth are drawn as they are measured."""

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_diabetes
from sklearn.tree import DecisionTreeClassifier

import treewright as tw
from axes_read import lines, stairs, texts

X, Y = load_breast_cancer(return_X_y=True)
GROW, PRUNE, TEST = tw.evaluate.three_parts(Y)


@pytest.fixture(scope="module")
def model():
    return tw.CARTClassifier().fit(X[GROW], Y[GROW])


def test_errors_along_reduced_error_pruning(model):
    axes = tw.plots.pruning_errors(model, X[PRUNE], Y[PRUNE], X[TEST], Y[TEST])
    curve = tw.evaluate.pruning_curve(model, X[PRUNE], Y[PRUNE], X[TEST], Y[TEST])
    found = lines(axes)
    for name in ("training", "validation", "test"):
        np.testing.assert_allclose(found[name], np.column_stack([curve.nodes, getattr(curve, name)]))
    pruned = model.prune(tw.prune.ReducedError(order="greedy"), X[PRUNE], Y[PRUNE])
    stop = found[f"pruning stops: {pruned.tree_.n_nodes} nodes"]
    assert stop[0, 1] == pytest.approx(1 - pruned.score(X[PRUNE], Y[PRUNE]))
    assert found["test"][curve.chosen, 1] == pytest.approx(1 - pruned.score(X[TEST], Y[TEST]))
    assert found["training"][0, 1] == 0
    assert "test" not in lines(tw.plots.pruning_errors(model, X[PRUNE], Y[PRUNE]))


def test_the_cost_complexity_path_is_that_of_scikit_learn(model):
    peer = DecisionTreeClassifier(random_state=0).fit(X[GROW], Y[GROW])
    ours = stairs(tw.plots.cost_complexity_path(model))["training risk"]
    theirs = peer.cost_complexity_pruning_path(X[GROW], Y[GROW])
    assert ours[0][-1] == pytest.approx(theirs.impurities[-1])
    assert ours[1][-2] == pytest.approx(theirs.ccp_alphas[-1])
    path = model.pruning_path()
    np.testing.assert_allclose(ours[0], path.risks)
    np.testing.assert_allclose(ours[1][:-1], path.alphas)


def test_validation_error_along_the_path(model):
    axes = tw.plots.cost_complexity_path(model, X[PRUNE], Y[PRUNE])
    pruned = model.prune("cost-complexity", X[PRUNE], Y[PRUNE])
    path = model.pruning_path()
    place = path.leaves.tolist().index(pruned.tree_.n_leaves)
    errors, _ = stairs(axes)["validation error"]
    assert errors[place] == pytest.approx(1 - pruned.score(X[PRUNE], Y[PRUNE]))
    assert f"chosen: {pruned.tree_.n_leaves} leaves" in [text.get_text() for text in axes.get_legend().get_texts()]
    assert set(texts(axes)) <= set(map(str, path.leaves))


def test_a_leaf_has_a_path_of_one_tree():
    leaf = tw.CARTClassifier(max_depth=0).fit(X, Y)
    assert stairs(tw.plots.cost_complexity_path(leaf))["training risk"][1].tolist() == [0, 1]
    curve = tw.evaluate.pruning_curve(leaf, X, Y)
    assert (curve.nodes.tolist(), curve.chosen) == ([1], 0)


def test_curves_are_those_of_evaluate(model):
    shown = lines(tw.plots.complexity_curve(model, X[TEST], Y[TEST], along="growth", rule="0se"))
    curve = tw.evaluate.complexity_curve(model, X[TEST], Y[TEST], along="growth", rule="0se")
    np.testing.assert_allclose(shown["validation"], np.column_stack([curve.sizes, curve.validation]))
    small = tw.CARTClassifier(max_leaves=4)
    shown = lines(tw.plots.learning_curve(small, X, Y, sizes=[0.3, 1.0], cv=3))
    curve = tw.evaluate.learning_curve(small, X, Y, sizes=[0.3, 1.0], cv=3)
    np.testing.assert_allclose(shown["training"], np.column_stack([curve.sizes, curve.training]))
    found = tw.evaluate.bias_variance(small, X, Y, [1, 3], rounds=3)
    shown = lines(tw.plots.bias_variance(small, X, Y, [1, 3], rounds=3))
    np.testing.assert_allclose(shown["variance"], np.column_stack([found.leaves, found.variance]))


def test_comparisons_are_those_of_compare(model):
    found = tw.prune.compare(model, X[PRUNE], Y[PRUNE], ["mdl", "pessimistic"])
    axes = tw.plots.pruning_comparison(model, X[PRUNE], Y[PRUNE], ["mdl", "pessimistic"])
    points = [tuple(bar.lines[0].get_xydata()[0]) for bar in axes.containers]
    assert points == [(row.leaves, row.validation_error) for row in found.rows]
    models = {"$a$": tw.CARTClassifier(max_depth=1), "_b": tw.CARTClassifier()}
    axes = tw.plots.model_comparison(models, X, Y, cv=3)
    axes.get_figure().canvas.draw()
    assert [tick.get_text().strip() for tick in axes.get_yticklabels()] == [r"\$a\$", "_b"]


def test_parts_of_the_rows():
    """The notes: 30 % to test on, and 30 % of the rest to prune with."""
    axes = tw.plots.row_parts(["yes", "no"] * 50)
    assert texts(axes) == ["training\n70", "test\n30", "growing\n49", "pruning\n21", "test\n30"]
    assert [patch.get_width() for patch in axes.patches] == [70, 30, 49, 21, 30]


def test_steps_of_a_regression_tree():
    rng = np.random.default_rng(0)
    x = np.sort(rng.uniform(0, 6, 100))
    model = tw.CARTRegressor(max_leaves=6).fit({"x": x}, np.sin(x))
    values, edges = stairs(tw.plots.regression_steps(model, {"x": x}, np.sin(x)))["prediction"]
    np.testing.assert_array_equal(edges[1:-1], np.sort(model.tree_.edges))
    assert len(values) == 6
    np.testing.assert_allclose(values[np.searchsorted(edges, x) - 1], model.predict({"x": x}))
    np.testing.assert_allclose(values, model.predict({"x": edges[1:]}))


def test_steps_hold_other_columns_and_refuse_classes():
    data, y = load_diabetes(return_X_y=True)
    model = tw.CARTRegressor(max_depth=4).fit(data, y)
    axes = tw.plots.regression_steps(model, data, y, "x2", at={"x8": 0.05})
    values, edges = stairs(axes)["prediction"]
    rows = np.tile(np.quantile(data, 0.5, axis=0, method="lower"), (len(values), 1))
    rows[:, 2], rows[:, 8] = edges[1:], 0.05
    np.testing.assert_allclose(values, model.predict(rows))
    assert "x8 = 0.05" in axes.get_title(loc="left")
    with pytest.raises(tw.OptionError, match="predicts classes"):
        tw.plots.regression_steps(tw.CARTClassifier().fit(X, Y), X, Y)
    with pytest.raises(tw.OptionError, match="go together"):
        tw.evaluate.pruning_curve(model, data, y, data)


def test_cells_of_a_kd_tree_hold_at_most_so_many_rows():
    rng = np.random.default_rng(1)
    rows = rng.normal(size=(40, 2))
    axes = tw.plots.kd_tree_cells(rows, leaf_size=3)
    n_cuts = sum(len(part.get_segments()) for part in axes.collections if hasattr(part, "get_segments"))
    assert axes.get_title(loc="left") == f"{n_cuts + 1} cells of at most 3 rows"
    first = axes.collections[0].get_segments()[0]
    assert (rows[:, 0] <= first[0, 0]).sum() == 20  # the first cut is at the median
    assert tw.plots.kd_tree_cells(np.zeros((5, 2))).get_title(loc="left") == "1 cell of at most 1 row"
    with pytest.raises(tw.OptionError, match="leaf_size"):
        tw.plots.kd_tree_cells(rows, leaf_size=0)
    with pytest.raises(tw.DataError, match="cuts numbers"):
        tw.plots.kd_tree_cells({"a": ["x", "y"], "b": [1.0, 2.0]})
