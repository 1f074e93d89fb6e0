"""The pictures of the lecture notes and one of every other plot, made of bundled and of scikit-learn's tables.

``make gallery`` draws them into ``docs/gallery``; ``treewright plot --example NAME`` draws one.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from treewright import datasets, plots
from treewright.model.learners.classifier import CARTClassifier, ID3Classifier
from treewright.model.learners.knn_estimators import KNNClassifier
from treewright.model.learners.regressor import CARTRegressor
from treewright.plot_style import theme, title
from treewright.plots import ensemble_gallery, neighbor_gallery
from treewright.plots.gallery_tables import (
    PICTURES,
    GalleryPicture,
    breast_cancer,
    customers,
    halves,
    iris,
    moons,
    noisy,
    parts_of_rows_in,
    picture,
    shows,
    wave,
)

__all__ = ["PICTURES", "GalleryPicture", "ensemble_gallery", "neighbor_gallery", "picture"]


# ---- the plane ---------------------------------------------------------------------------------------------------


@shows(plots.tree_regions, "Six points and the smaller of their two perfect trees")
def six_points() -> Any:
    table = datasets.load("six_points")
    return plots.tree_regions(CARTClassifier().fit(table.X, table.y), table.X, table.y)


@shows(plots.tree_regions, "Four points: x1 ≤ 0.5, then x2 ≤ 0.5")
def four_points() -> Any:
    table = datasets.load("four_points")
    return plots.tree_regions(CARTClassifier(criterion="entropy").fit(table.X, table.y), table.X, table.y)


@shows(plots.candidate_cuts, "Seven points, their four candidate cuts and what each gains (nats)")
def seven_points() -> Any:
    table = datasets.load("seven_points")
    return plots.candidate_cuts(table.X, table.y, base="e")


@shows(plots.tree_regions, "Exclusive or: no first cut gains anything, and two levels of cuts solve it")
def xor() -> Any:
    table = datasets.load("xor")
    return plots.tree_regions(CARTClassifier().fit(table.X, table.y), table.X, table.y)


@shows(plots.tree_regions, "A dot alone among the stars: the whole tree gives it a region of its own")
def isolated_point() -> Any:
    table = datasets.load("isolated_point")
    return plots.tree_regions(ID3Classifier().fit(table.X, table.y), table.X, table.y)


@shows(plots.pruned_regions, "T and T′ on the validation rows V: the region of the isolated dot costs two errors")
def validation_rows() -> Any:
    table, new = datasets.load("isolated_point"), datasets.load("isolated_point_new")
    whole = ID3Classifier().fit(table.X, table.y)
    return plots.pruned_regions(whole, whole.prune("reduced-error", new.X, new.y), new.X, new.y)


@shows(plots.tree_regions, "Geometry of a decision tree: every node cuts a region in two, parallel to an axis")
def geometry() -> Any:
    X, y = iris((2, 3))
    return plots.tree_regions(CARTClassifier(max_depth=3).fit(X, y), X, y)


@shows(plots.decision_regions, "The decision boundary of a tree of depth 3")
def decision_boundary() -> Any:
    X, y = moons()
    return plots.decision_regions(CARTClassifier(max_depth=3).fit(X, y), X, y)


@shows(plots.decision_regions, "The same rows overfitted: a tree grown until every leaf is pure")
def overfitted_boundary() -> Any:
    X, y = moons()
    return plots.decision_regions(CARTClassifier().fit(X, y), X, y)


@shows(plots.decision_regions, "A number × a nominal column: a strip per level")
def nominal_regions() -> Any:
    X, y = customers()
    return plots.decision_regions(CARTClassifier(max_depth=4).fit(X, y), X, y, ["age", "region"])


@shows(plots.decision_regions, "Any model: the nearest neighbour on two columns of Fisher's irises")
def nearest_neighbour() -> Any:
    return _neighbours(1)


@shows(plots.decision_regions, "Five nearest neighbours: smoother")
def five_neighbours() -> Any:
    return _neighbours(5)


def _neighbours(k: int) -> Any:
    from sklearn.datasets import load_iris

    X, y = load_iris(return_X_y=True)
    axes = plots.decision_regions(KNNClassifier(k=k, scale=None).fit(X[:, :2], y), X[:, :2], y)
    axes.set(xlabel="sepal length", ylabel="sepal width")
    title(axes, f"{k} nearest neighbour{'s' * (k > 1)}")
    return axes


@shows(plots.kd_tree_cells, "A k-d tree, which makes nearest neighbours fast: cuts at medians, columns in turn")
def kd_tree() -> Any:
    X, _ = moons()
    return plots.kd_tree_cells({name: cells[:40] for name, cells in X.items()}, leaf_size=3)


@shows(plots.node_region, "One node: the region that leads to it and the rows that reach it")
def node() -> Any:
    X, y = iris()
    model = CARTClassifier(max_depth=3).fit(X, y)
    return plots.node_region(model, 3, X, y)


@shows(plots.decision_regions, "A predicted number over two columns")
def number_regions() -> Any:
    X, y = _surface()
    return plots.decision_regions(CARTRegressor(max_leaves=12).fit(X, y), X, y)


@shows(plots.tree_regions, "The same as exact regions with their cuts")
def number_cuts() -> Any:
    X, y = _surface()
    return plots.tree_regions(CARTRegressor(max_leaves=12).fit(X, y), X, y)


def _surface() -> tuple[dict[str, Any], Any]:
    rng = np.random.default_rng(5)
    u, v = rng.uniform(-2, 2, (2, 250))
    return {"u": u, "v": v}, np.hypot(u, v) + rng.normal(0, 0.1, 250)


@shows(plots.regression_steps, "A regression tree predicts the mean of each of its regions: steps")
def regression() -> Any:
    X, y = wave()
    return plots.regression_steps(CARTRegressor(max_leaves=8).fit(X, y), X, y)


# ---- measures ----------------------------------------------------------------------------------------------------


@shows(plots.impurity_curves, "The entropy function")
def entropy_function() -> Any:
    return plots.impurity_curves("entropy")


@shows(plots.impurity_curves, "Entropy, Gini index and misclassification of two classes")
def impurity() -> Any:
    return plots.impurity_curves()


@shows(plots.branch_counts, "Play tennis: the classes in the branches of humidity")
def humidity() -> Any:
    table = datasets.load("play_tennis")
    return plots.branch_counts({"humidity": table.X["humidity"]}, table.y)


@shows(plots.branch_counts, "Play tennis: the classes in the branches of outlook")
def outlook() -> Any:
    table = datasets.load("play_tennis")
    return plots.branch_counts({"outlook": table.X["outlook"]}, table.y)


@shows(plots.branch_counts, "Customer loyalty: the branches of gender, which is missing in one row")
def gender() -> Any:
    table = datasets.load("customer_loyalty")
    return plots.branch_counts(table.X, table.y, "gender")


@shows(plots.attribute_ranking, "Which sensor the robot should look at first")
def robot() -> Any:
    table = datasets.load("robot")
    return plots.attribute_ranking(table.X, table.y)


@shows(plots.gain_by_threshold, "Six temperatures: the information gain of each of the five thresholds")
def temperature() -> Any:
    table = datasets.load("temperature")
    return plots.gain_by_threshold(table.X, table.y)


@shows(plots.gain_by_threshold, "The Gini gain of every threshold of a longer column")
def petal_length() -> Any:
    X, y = iris()
    return plots.gain_by_threshold(X, y, "petal length", "gini")


@shows(plots.attribute_ranking, "Play tennis: the columns by information gain")
def ranking() -> Any:
    table = datasets.load("play_tennis")
    return plots.attribute_ranking({name: cells for name, cells in table.X.items() if name != "day"}, table.y)


@shows(plots.attribute_ranking, "Play tennis: the columns by gain ratio")
def ranking_by_ratio() -> Any:
    table = datasets.load("play_tennis")
    days = {name: cells for name, cells in table.X.items() if name != "day"}
    return plots.attribute_ranking(days, table.y, "gain_ratio")


@shows(plots.importance, "The share of every column in what a tree gains")
def column_importance() -> Any:
    X, y = breast_cancer()
    return plots.importance(CARTClassifier(max_depth=4).fit(X, y))


# ---- sizes and pruning -------------------------------------------------------------------------------------------


@shows(plots.complexity_curve, "Overfitting: the tree grows, its training error falls, its validation error turns")
def overfitting() -> Any:
    grown_from, y, _, _, X_test, y_test = parts_of_rows_in(*noisy())
    return plots.complexity_curve(CARTClassifier().fit(grown_from, y), X_test, y_test, along="growth", rule="0se")


@shows(plots.complexity_curve, "The same along cost-complexity pruning, the tree by the 1-SE rule marked")
def complexity() -> Any:
    grown_from, y, _, _, X_test, y_test = parts_of_rows_in(*noisy())
    return plots.complexity_curve(CARTClassifier().fit(grown_from, y), X_test, y_test)


@shows(plots.bias_variance, "Bias falls and variance rises with the size of the tree")
def bias_and_variance() -> Any:
    X, y = noisy()
    return plots.bias_variance(CARTClassifier(), X[:800], y[:800], rounds=20)


@shows(plots.row_parts, "Rows to grow from, to prune with and to test on")
def parts_of_rows() -> Any:
    return plots.row_parts(["yes", "no"] * 50)


@shows(plots.pruning_errors, "Training, validation and test error along reduced-error pruning")
def reduced_error() -> Any:
    X, y, X_val, y_val, X_test, y_test = parts_of_rows_in(*noisy())
    return plots.pruning_errors(CARTClassifier().fit(X, y), X_val, y_val, X_test, y_test)


@shows(plots.pruning_comparison, "One tree pruned by every method")
def pruning_methods() -> Any:
    X, y, X_val, y_val, _, _ = parts_of_rows_in(*noisy())
    return plots.pruning_comparison(CARTClassifier().fit(X, y), X_val, y_val)


@shows(plots.cost_complexity_path, "The cost-complexity sequence and the tree that held-out rows choose")
def cost_complexity() -> Any:
    X, y, X_val, y_val = halves(breast_cancer())
    return plots.cost_complexity_path(CARTClassifier().fit(X, y), X_val, y_val)


@shows(plots.learning_curve, "Errors against the number of rows learned from")
def learning() -> Any:
    X, y = noisy()
    return plots.learning_curve(CARTClassifier(max_leaves=12), X, y, sizes=8)


@shows(plots.model_comparison, "Models on the same folds: every fold's error, the mean and its standard error")
def models() -> Any:
    X, y = breast_cancer()
    trees = {"stump": CARTClassifier(max_depth=1), "depth 3": CARTClassifier(max_depth=3), "whole": CARTClassifier()}
    return plots.model_comparison(trees, X, y)


# ---- metrics -----------------------------------------------------------------------------------------------------


@shows(plots.confusion_matrix, "True and predicted classes")
def confusion() -> Any:
    X, y, X_new, y_new = halves(iris())
    return plots.confusion_matrix(CARTClassifier(max_depth=3).fit(X, y), X_new, y_new)


def _diagnosis() -> tuple[Any, Any, Any]:
    X, y, X_new, y_new = halves(breast_cancer())
    return CARTClassifier(min_rows_leaf=8).fit(X, y), X_new, y_new


@shows(plots.roc, "ROC of the class to be found")
def roc_curve() -> Any:
    return plots.roc(*_diagnosis(), positive="malignant")


@shows(plots.calibration, "How often predictions are right against how sure the tree is of them")
def calibration() -> Any:
    X, y, _, _, X_test, y_test = parts_of_rows_in(*noisy())
    return plots.calibration(CARTClassifier(min_rows_leaf=8).fit(X, y), X_test, y_test)


@shows(plots.gains_chart, "The share of a class found among the likeliest rows")
def gains() -> Any:
    return plots.gains_chart(*_diagnosis(), positive="malignant")


@shows(plots.lift, "How many times more often the class occurs among them")
def lift() -> Any:
    return plots.lift(*_diagnosis(), positive="malignant")


@shows(plots.theme, "All plots can be on dark paper")
def dark_paper() -> Any:
    with theme("dark"):
        return geometry()
