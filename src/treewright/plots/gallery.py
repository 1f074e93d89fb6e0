"""The pictures of the lecture notes and one of every other plot, made of bundled and of scikit-learn's tables.

``make gallery`` draws them into ``docs/gallery``; ``treewright plot --example NAME`` draws one.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from treewright import datasets, plots
from treewright.errors import unknown
from treewright.model.classifier import CARTClassifier, ID3Classifier
from treewright.model.evaluate.row_partition import three_parts
from treewright.model.knn_estimators import KNNClassifier
from treewright.model.regressor import CARTRegressor
from treewright.plot_style import theme, title
from treewright.plots.neighbor_gallery import NEIGHBOUR_PICTURES


@dataclass(frozen=True)
class GalleryPicture:
    """A picture by name: what it shows, the plot it is made by, and how."""

    name: str
    caption: str
    plot: str
    draw: Callable[[], Any]


PICTURES: dict[str, GalleryPicture] = {}


def picture(name: str) -> GalleryPicture:
    """The picture of this name."""
    if name not in PICTURES:
        raise unknown("example", name, PICTURES)
    return PICTURES[name]


def _shows(plot: Callable[..., Any], caption: str) -> Callable[[Callable[[], Any]], Callable[[], Any]]:
    """Enter a function into the gallery; underscores of its name become dashes."""

    def enter(draw: Callable[[], Any]) -> Callable[[], Any]:
        name = draw.__name__.replace("_", "-")
        PICTURES[name] = GalleryPicture(name, caption, plot.__name__, draw)
        return draw

    return enter


# ---- tables ------------------------------------------------------------------------------------------------------


def _noisy() -> tuple[Any, Any]:
    """Classes of which three in ten are noise."""
    from sklearn.datasets import make_classification

    X, y = make_classification(2000, n_features=8, n_informative=4, flip_y=0.3, random_state=1)
    return X, y


def _parts(X: Any, y: Any) -> tuple[Any, ...]:
    grow, prune, test = three_parts(y)
    return X[grow], y[grow], X[prune], y[prune], X[test], y[test]


def _iris(columns: tuple[int, ...] = (0, 1, 2, 3)) -> tuple[dict[str, Any], Any]:
    from sklearn.datasets import load_iris

    data = load_iris()
    names = [name.removesuffix(" (cm)") for name in data.feature_names]
    return {names[j]: data.data[:, j] for j in columns}, np.array(data.target_names)[data.target]


def _moons() -> tuple[Any, Any]:
    from sklearn.datasets import make_moons

    X, y = make_moons(160, noise=0.3, random_state=3)
    return {"x1": X[:, 0], "x2": X[:, 1]}, np.where(y == 1, "crescent", "arch")


def _wave() -> tuple[dict[str, Any], Any]:
    rng = np.random.default_rng(0)
    x = np.sort(rng.uniform(0, 6, 120))
    return {"x": x}, np.sin(x) + rng.normal(0, 0.2, 120)


def _breast() -> tuple[dict[str, Any], Any]:
    from sklearn.datasets import load_breast_cancer

    data = load_breast_cancer()
    return dict(zip(map(str, data.feature_names), data.data.T)), np.array(data.target_names)[data.target]


def _halves(table: tuple[Any, Any]) -> tuple[Any, Any, Any, Any]:
    X, y = table
    return {n: c[::2] for n, c in X.items()}, y[::2], {n: c[1::2] for n, c in X.items()}, y[1::2]


def _customers() -> tuple[dict[str, Any], Any]:
    """Who buys: a number and levels, and a twentieth that does not follow the rule."""
    rng = np.random.default_rng(4)
    age, region = rng.integers(18, 75, 300), np.array(["city", "coast", "hills", "plain"])[rng.integers(0, 4, 300)]
    buys = ((age > 45) & (region != "hills")) | ((region == "coast") & (age > 28))
    return {"age": age, "region": region}, np.where(buys ^ (rng.random(300) < 0.05), "buys", "leaves")


# ---- the plane ---------------------------------------------------------------------------------------------------


@_shows(plots.tree_regions, "Six points and the smaller of their two perfect trees")
def six_points() -> Any:
    table = datasets.load("six_points")
    return plots.tree_regions(CARTClassifier().fit(table.X, table.y), table.X, table.y)


@_shows(plots.tree_regions, "Four points: x1 ≤ 0.5, then x2 ≤ 0.5")
def four_points() -> Any:
    table = datasets.load("four_points")
    return plots.tree_regions(CARTClassifier(criterion="entropy").fit(table.X, table.y), table.X, table.y)


@_shows(plots.candidate_cuts, "Seven points, their four candidate cuts and what each gains (nats)")
def seven_points() -> Any:
    table = datasets.load("seven_points")
    return plots.candidate_cuts(table.X, table.y, base="e")


@_shows(plots.tree_regions, "Exclusive or: no first cut gains anything, and two levels of cuts solve it")
def xor() -> Any:
    table = datasets.load("xor")
    return plots.tree_regions(CARTClassifier().fit(table.X, table.y), table.X, table.y)


@_shows(plots.tree_regions, "A dot alone among the stars: the whole tree gives it a region of its own")
def isolated_point() -> Any:
    table = datasets.load("isolated_point")
    return plots.tree_regions(ID3Classifier().fit(table.X, table.y), table.X, table.y)


@_shows(plots.pruned_regions, "T and T′ on the validation rows V: the region of the isolated dot costs two errors")
def validation_rows() -> Any:
    table, new = datasets.load("isolated_point"), datasets.load("isolated_point_new")
    whole = ID3Classifier().fit(table.X, table.y)
    return plots.pruned_regions(whole, whole.prune("reduced-error", new.X, new.y), new.X, new.y)


@_shows(plots.tree_regions, "Geometry of a decision tree: every node cuts a region in two, parallel to an axis")
def geometry() -> Any:
    X, y = _iris((2, 3))
    return plots.tree_regions(CARTClassifier(max_depth=3).fit(X, y), X, y)


@_shows(plots.decision_regions, "The decision boundary of a tree of depth 3")
def decision_boundary() -> Any:
    X, y = _moons()
    return plots.decision_regions(CARTClassifier(max_depth=3).fit(X, y), X, y)


@_shows(plots.decision_regions, "The same rows overfitted: a tree grown until every leaf is pure")
def overfitted_boundary() -> Any:
    X, y = _moons()
    return plots.decision_regions(CARTClassifier().fit(X, y), X, y)


@_shows(plots.decision_regions, "A number × a nominal column: a strip per level")
def nominal_regions() -> Any:
    X, y = _customers()
    return plots.decision_regions(CARTClassifier(max_depth=4).fit(X, y), X, y, ["age", "region"])


@_shows(plots.decision_regions, "Any model: the nearest neighbour on two columns of Fisher's irises")
def nearest_neighbour() -> Any:
    return _neighbours(1)


@_shows(plots.decision_regions, "Five nearest neighbours: smoother")
def five_neighbours() -> Any:
    return _neighbours(5)


def _neighbours(k: int) -> Any:
    from sklearn.datasets import load_iris

    X, y = load_iris(return_X_y=True)
    axes = plots.decision_regions(KNNClassifier(k=k, scale=None).fit(X[:, :2], y), X[:, :2], y)
    axes.set(xlabel="sepal length", ylabel="sepal width")
    title(axes, f"{k} nearest neighbour{'s' * (k > 1)}")
    return axes


@_shows(plots.kd_tree_cells, "A k-d tree, which makes nearest neighbours fast: cuts at medians, columns in turn")
def kd_tree() -> Any:
    X, _ = _moons()
    return plots.kd_tree_cells({name: cells[:40] for name, cells in X.items()}, leaf_size=3)


@_shows(plots.node_region, "One node: the region that leads to it and the rows that reach it")
def node() -> Any:
    X, y = _iris()
    model = CARTClassifier(max_depth=3).fit(X, y)
    return plots.node_region(model, 3, X, y)


@_shows(plots.decision_regions, "A predicted number over two columns")
def number_regions() -> Any:
    X, y = _surface()
    return plots.decision_regions(CARTRegressor(max_leaves=12).fit(X, y), X, y)


@_shows(plots.tree_regions, "The same as exact regions with their cuts")
def number_cuts() -> Any:
    X, y = _surface()
    return plots.tree_regions(CARTRegressor(max_leaves=12).fit(X, y), X, y)


def _surface() -> tuple[dict[str, Any], Any]:
    rng = np.random.default_rng(5)
    u, v = rng.uniform(-2, 2, (2, 250))
    return {"u": u, "v": v}, np.hypot(u, v) + rng.normal(0, 0.1, 250)


@_shows(plots.regression_steps, "A regression tree predicts the mean of each of its regions: steps")
def regression() -> Any:
    X, y = _wave()
    return plots.regression_steps(CARTRegressor(max_leaves=8).fit(X, y), X, y)


# ---- measures ----------------------------------------------------------------------------------------------------


@_shows(plots.impurity_curves, "The entropy function")
def entropy_function() -> Any:
    return plots.impurity_curves("entropy")


@_shows(plots.impurity_curves, "Entropy, Gini index and misclassification of two classes")
def impurity() -> Any:
    return plots.impurity_curves()


@_shows(plots.branch_counts, "Play tennis: the classes in the branches of humidity")
def humidity() -> Any:
    table = datasets.load("play_tennis")
    return plots.branch_counts({"humidity": table.X["humidity"]}, table.y)


@_shows(plots.branch_counts, "Play tennis: the classes in the branches of outlook")
def outlook() -> Any:
    table = datasets.load("play_tennis")
    return plots.branch_counts({"outlook": table.X["outlook"]}, table.y)


@_shows(plots.branch_counts, "Customer loyalty: the branches of gender, which is missing in one row")
def gender() -> Any:
    table = datasets.load("customer_loyalty")
    return plots.branch_counts(table.X, table.y, "gender")


@_shows(plots.attribute_ranking, "Which sensor the robot should look at first")
def robot() -> Any:
    table = datasets.load("robot")
    return plots.attribute_ranking(table.X, table.y)


@_shows(plots.gain_by_threshold, "Six temperatures: the information gain of each of the five thresholds")
def temperature() -> Any:
    table = datasets.load("temperature")
    return plots.gain_by_threshold(table.X, table.y)


@_shows(plots.gain_by_threshold, "The Gini gain of every threshold of a longer column")
def petal_length() -> Any:
    X, y = _iris()
    return plots.gain_by_threshold(X, y, "petal length", "gini")


@_shows(plots.attribute_ranking, "Play tennis: the columns by information gain")
def ranking() -> Any:
    table = datasets.load("play_tennis")
    return plots.attribute_ranking({name: cells for name, cells in table.X.items() if name != "day"}, table.y)


@_shows(plots.attribute_ranking, "Play tennis: the columns by gain ratio")
def ranking_by_ratio() -> Any:
    table = datasets.load("play_tennis")
    days = {name: cells for name, cells in table.X.items() if name != "day"}
    return plots.attribute_ranking(days, table.y, "gain_ratio")


@_shows(plots.importance, "The share of every column in what a tree gains")
def column_importance() -> Any:
    X, y = _breast()
    return plots.importance(CARTClassifier(max_depth=4).fit(X, y))


# ---- sizes and pruning -------------------------------------------------------------------------------------------


@_shows(plots.complexity_curve, "Overfitting: the tree grows, its training error falls, its validation error turns")
def overfitting() -> Any:
    grown_from, y, _, _, X_test, y_test = _parts(*_noisy())
    return plots.complexity_curve(CARTClassifier().fit(grown_from, y), X_test, y_test, along="growth", rule="0se")


@_shows(plots.complexity_curve, "The same along cost-complexity pruning, the tree by the 1-SE rule marked")
def complexity() -> Any:
    grown_from, y, _, _, X_test, y_test = _parts(*_noisy())
    return plots.complexity_curve(CARTClassifier().fit(grown_from, y), X_test, y_test)


@_shows(plots.bias_variance, "Bias falls and variance rises with the size of the tree")
def bias_and_variance() -> Any:
    X, y = _noisy()
    return plots.bias_variance(CARTClassifier(), X[:800], y[:800], rounds=20)


@_shows(plots.row_parts, "Rows to grow from, to prune with and to test on")
def parts_of_rows() -> Any:
    return plots.row_parts(["yes", "no"] * 50)


@_shows(plots.pruning_errors, "Training, validation and test error along reduced-error pruning")
def reduced_error() -> Any:
    X, y, X_val, y_val, X_test, y_test = _parts(*_noisy())
    return plots.pruning_errors(CARTClassifier().fit(X, y), X_val, y_val, X_test, y_test)


@_shows(plots.pruning_comparison, "One tree pruned by every method")
def pruning_methods() -> Any:
    X, y, X_val, y_val, _, _ = _parts(*_noisy())
    return plots.pruning_comparison(CARTClassifier().fit(X, y), X_val, y_val)


@_shows(plots.cost_complexity_path, "The cost-complexity sequence and the tree that held-out rows choose")
def cost_complexity() -> Any:
    X, y, X_val, y_val = _halves(_breast())
    return plots.cost_complexity_path(CARTClassifier().fit(X, y), X_val, y_val)


@_shows(plots.learning_curve, "Errors against the number of rows learned from")
def learning() -> Any:
    X, y = _noisy()
    return plots.learning_curve(CARTClassifier(max_leaves=12), X, y, sizes=8)


@_shows(plots.model_comparison, "Models on the same folds: every fold's error, the mean and its standard error")
def models() -> Any:
    X, y = _breast()
    trees = {"stump": CARTClassifier(max_depth=1), "depth 3": CARTClassifier(max_depth=3), "whole": CARTClassifier()}
    return plots.model_comparison(trees, X, y)


# ---- metrics -----------------------------------------------------------------------------------------------------


@_shows(plots.confusion_matrix, "True and predicted classes")
def confusion() -> Any:
    X, y, X_new, y_new = _halves(_iris())
    return plots.confusion_matrix(CARTClassifier(max_depth=3).fit(X, y), X_new, y_new)


def _diagnosis() -> tuple[Any, Any, Any]:
    X, y, X_new, y_new = _halves(_breast())
    return CARTClassifier(min_rows_leaf=8).fit(X, y), X_new, y_new


@_shows(plots.roc, "ROC of the class to be found")
def roc_curve() -> Any:
    return plots.roc(*_diagnosis(), positive="malignant")


@_shows(plots.calibration, "How often predictions are right against how sure the tree is of them")
def calibration() -> Any:
    X, y, _, _, X_test, y_test = _parts(*_noisy())
    return plots.calibration(CARTClassifier(min_rows_leaf=8).fit(X, y), X_test, y_test)


@_shows(plots.gains_chart, "The share of a class found among the likeliest rows")
def gains() -> Any:
    return plots.gains_chart(*_diagnosis(), positive="malignant")


@_shows(plots.lift, "How many times more often the class occurs among them")
def lift() -> Any:
    return plots.lift(*_diagnosis(), positive="malignant")


for _plot, _caption, _draw in NEIGHBOUR_PICTURES:
    _shows(_plot, _caption)(_draw)


@_shows(plots.theme, "All plots can be on dark paper")
def dark_paper() -> Any:
    with theme("dark"):
        return geometry()
