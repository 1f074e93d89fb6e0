"""Regions on the plane of two columns are those in which the model predicts."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from matplotlib import pyplot
from matplotlib.colors import to_rgba
from sklearn.datasets import load_diabetes, load_iris
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor

import treewright as tw
from axes_read import cuts, legend_texts, node_boxes, points, region_colours, regions, texts
from strategies import examples
from treewright.palette import LIGHT

X, Y = load_iris(return_X_y=True)


def customers(n=300):
    rng = np.random.default_rng(4)
    age, region = rng.integers(18, 75, n), np.array(["city", "coast", "hills"])[rng.integers(0, 3, n)]
    buys = ((age > 45) & (region != "hills")) | (region == "coast")
    return pd.DataFrame({"age": age, "region": region}), np.where(buys, "buys", "leaves")


def grid_of(axes):
    """Middles of the image's cells, and their values, the lowest row first."""
    (image,) = axes.get_images()
    left, right, bottom, top = image.get_extent()
    values = np.asarray(image.get_array())
    x = left + (np.arange(values.shape[1]) + 0.5) * (right - left) / values.shape[1]
    y = bottom + (np.arange(values.shape[0]) + 0.5) * (top - bottom) / values.shape[0]
    return np.meshgrid(x, y), values


@pytest.mark.parametrize("model", [tw.CARTClassifier(), tw.C45RulesClassifier(), KNeighborsClassifier(3)], ids=repr)
def test_an_image_of_numbers_is_what_any_model_predicts(model):
    model.fit(X[:, :2], Y)
    axes = tw.plots.decision_regions(model, X[:, :2], Y)
    (x, y), codes = grid_of(axes)
    predicted = model.predict(np.column_stack([x.ravel(), y.ravel()]))
    np.testing.assert_array_equal(codes.ravel(), predicted)
    shown = points(axes)
    assert {name: len(rows) for name, rows in shown.items()} == {"0": 50, "1": 50, "2": 50}
    np.testing.assert_allclose(np.sort(shown["1"], axis=0), np.sort(X[Y == 1, :2], axis=0))


@pytest.mark.parametrize("form", [pd.DataFrame, pl.DataFrame, dict], ids=["pandas", "polars", "dict"])
def test_levels_are_strips(form):
    table, y = customers()
    rows = form(table.to_dict("list"))
    model = tw.CARTClassifier().fit(rows, y)
    axes = tw.plots.decision_regions(model, rows, y, ["age", "region"])
    (x, place), codes = grid_of(axes)
    levels = np.array(["city", "coast", "hills"])[np.rint(place.ravel()).astype(int)]
    predicted = model.predict({"age": x.ravel(), "region": levels})
    np.testing.assert_array_equal(np.array(["buys", "leaves"])[codes.ravel()], predicted)
    assert [tick.get_text() for tick in axes.get_yticklabels()] == ["city", "coast", "hills"]
    assert all((np.abs(at[:, 1] - np.rint(at[:, 1])) < 0.301).all() for at in points(axes).values())


def test_rules_alone_have_regions():
    rules = tw.CARTClassifier(max_depth=2).fit(X[:, 2:], Y).rule_set()
    (x, y), codes = grid_of(tw.plots.decision_regions(rules, X[:, 2:], Y))
    np.testing.assert_array_equal(codes.ravel(), rules.predict(np.column_stack([x.ravel(), y.ravel()])))
    assert np.asarray(tw.plots.confusion_matrix(rules, X[:, 2:], Y).get_images()[0].get_array()).sum() == 150


def test_levels_along_both_axes():
    table, y = customers()
    table["age"] = np.where(table["age"] > 45, "old", "young")
    axes = tw.plots.decision_regions(tw.ID3Classifier().fit(table, y), table, y)
    assert grid_of(axes)[1].shape == (3, 2)
    assert grid_of(axes)[1].tolist() == [[0, 1], [0, 0], [1, 1]]


def test_numbers_are_colours_on_a_scale():
    data, y = load_diabetes(return_X_y=True)
    for model in (tw.CARTRegressor(max_depth=3), KNeighborsRegressor(5)):
        model.fit(data[:, [2, 8]], y)
        axes = tw.plots.decision_regions(model, data[:, [2, 8]], y)
        (a, b), values = grid_of(axes)
        np.testing.assert_allclose(values.ravel(), model.predict(np.column_stack([a.ravel(), b.ravel()])))
        assert points(axes)["rows"].shape == (len(y), 2)
        assert len(axes.get_figure().axes) == 2  # the second is the colour bar


def test_other_columns_are_held_where_they_are_said_to_be():
    model = tw.CARTClassifier(max_depth=3).fit(X, Y)
    for at, expected in (({}, np.quantile(X[:, 3], 0.5, method="lower")), ({"x3": 0.2}, 0.2)):
        axes = tw.plots.decision_regions(model, X, Y, [0, 2], at=at)
        (a, b), codes = grid_of(axes)
        rows = np.tile(np.quantile(X, 0.5, axis=0, method="lower"), (a.size, 1))
        rows[:, 0], rows[:, 2], rows[:, 3] = a.ravel(), b.ravel(), expected
        np.testing.assert_array_equal(codes.ravel(), model.predict(rows))
        assert f"x3 = {expected:g}" in axes.get_title(loc="left")


def places_of(boxes, rows):
    """Of every point the one rectangle (left, right] × (bottom, top] it lies in."""
    inside = [[k for k, (a, b, c, d) in enumerate(boxes) if a < x <= c and b < y <= d] for x, y in rows]
    assert all(len(found) == 1 for found in inside)
    return np.array([found[0] for found in inside])


def is_one_to_one(first, second):
    pairs = set(zip(first.tolist(), second.tolist()))
    return len(pairs) == len(set(first.tolist())) == len(set(second.tolist()))


def area_of(boxes):
    return sum((right - left) * (top - bottom) for left, bottom, right, top in boxes)


@settings(max_examples=examples(30), deadline=None)
@given(st.integers(0, 10_000), st.integers(2, 6))
def test_the_regions_of_a_tree_are_where_apply_leads(seed, depth):
    rng = np.random.default_rng(seed)
    rows = np.round(rng.normal(size=(40, 2)), 1)
    labels = rng.integers(0, 3, 40)
    model = tw.CARTClassifier(max_depth=depth).fit(rows, labels)
    axes = tw.plots.tree_regions(model, rows, labels, labels=False)
    boxes = regions(axes)
    probes = np.vstack([rows, rng.uniform(rows.min(0), rows.max(0), (200, 2))])
    places = places_of(boxes, probes)
    assert is_one_to_one(places, model.apply(probes))
    tints = np.array([to_rgba(LIGHT.tint(LIGHT.hues[k])) for k in range(3)])
    code = np.searchsorted(model.classes_, model.predict(probes))
    np.testing.assert_allclose(region_colours(axes)[places], tints[code])
    assert len(boxes) == model.tree_.n_leaves
    assert area_of(boxes) == pytest.approx(np.prod(np.ptp([axes.get_xlim(), axes.get_ylim()], axis=1)))
    pyplot.close("all")


def test_cuts_are_the_thresholds_of_the_nodes():
    table = tw.datasets.load("isolated_point")
    model = tw.ID3Classifier().fit(table.X, table.y)
    splits = [node.split for node in model.tree_.nodes() if not node.is_leaf]
    expected = sorted((split.column, float(split.edges[0])) for split in splits)
    assert cuts(tw.plots.tree_regions(model, table.X, table.y)) == expected


def test_known_cuts_of_the_notes():
    """x1 ≤ 0.5, then x2: six points at 1.5, four points at 0.5; the exclusive or is cut once and twice."""
    for name, expected in (
        ("six_points", [(0, 0.5), (1, 1.5)]),
        ("four_points", [(0, 0.5), (1, 0.5)]),
        ("xor", [(0, 0.5), (1, 0.5), (1, 0.5)]),
    ):
        table = tw.datasets.load(name)
        model = tw.CARTClassifier(criterion="entropy").fit(table.X, table.y)
        assert cuts(tw.plots.tree_regions(model)) == expected


def test_regions_of_levels_and_of_held_columns():
    table, y = customers()
    model = tw.CARTClassifier().fit(table, y)
    axes = tw.plots.tree_regions(model, table, y, ["age", "region"])
    places = {"city": 0, "coast": 1, "hills": 2}
    rows = [(age, places[region]) for age, region in table.to_numpy()]
    found = places_of(regions(axes), rows)
    assert len(set(zip(found.tolist(), model.apply(table).tolist()))) == len(set(found.tolist()))
    held = tw.plots.tree_regions(tw.CARTClassifier(max_depth=3).fit(X, Y), X, Y, ["x0", "x2"], at={"x3": 0.2})
    assert "x3 = 0.2" in held.get_title(loc="left")


def test_multiway_trees_have_a_region_per_branch():
    table, y = customers()
    model = tw.ID3Classifier(max_depth=1).fit(table[["region"]].assign(other=1.0), y)
    assert len(regions(tw.plots.tree_regions(model, columns=["other", "region"]))) == 3


def test_regions_of_numbers():
    data, y = load_diabetes(return_X_y=True)
    model = tw.CARTRegressor(max_leaves=6).fit(data[:, [2, 8]], y)
    axes = tw.plots.tree_regions(model, data[:, [2, 8]], y)
    places = places_of(regions(axes), data[:, [2, 8]])
    assert is_one_to_one(places, model.apply(data[:, [2, 8]]))
    assert any(text.endswith("]") for text in texts(axes))


def test_a_tree_of_one_leaf_is_one_region():
    model = tw.CARTClassifier(max_depth=0).fit(X[:, :2], Y)
    axes = tw.plots.tree_regions(model, X[:, :2], Y)
    assert len(regions(axes)) == 1
    assert len(regions(tw.plots.tree_regions(model))) == 1


def test_t_and_t_prime_on_v():
    """The notes: the region of the isolated dot costs two of eight validation rows; pruned there is no error."""
    table, new = tw.datasets.load("isolated_point"), tw.datasets.load("isolated_point_new")
    whole = tw.ID3Classifier().fit(table.X, table.y)
    before, after = tw.plots.pruned_regions(whole, whole.prune("reduced-error", new.X, new.y), new.X, new.y)
    assert before.get_title(loc="left") == "T: 2 of 8 wrong"
    assert after.get_title(loc="left") == "T′: 0 of 8 wrong"
    assert points(before)["wrong"].tolist() == [[4.7, 1.8], [5.2, 2.2]]
    assert "wrong" not in points(after)
    assert before.get_xlim() == after.get_xlim()
    assert legend_texts(after) == ["dot", "star", "wrong"]


def test_pruned_trees_of_numbers_tell_their_squared_error():
    data, y = load_diabetes(return_X_y=True)
    model = tw.CARTRegressor(max_leaves=9).fit(data[:, [2, 8]], y)
    pruned = model.prune("depth", depth=1)
    _, after = tw.plots.pruned_regions(model, pruned, data[:, [2, 8]], y)
    error = np.mean((pruned.predict(data[:, [2, 8]]) - y) ** 2)
    assert after.get_title(loc="left") == f"T′: squared error {error:.4g}"


@pytest.mark.parametrize("node", [0, 2, 3])
def test_the_region_of_a_node_and_its_rows(node):
    model = tw.CARTClassifier(max_depth=3).fit(X, Y)
    axes = tw.plots.node_region(model, node, X, Y)
    here = np.asarray(model.decision_path(X)[:, node].todense()).ravel() > 0
    shown = points(axes)
    assert len(shown["other rows"]) == (~here).sum()
    assert sum(len(rows) for name, rows in shown.items() if name != "other rows") == here.sum()
    ((left, bottom, right, top),) = node_boxes(axes)
    x, y = X[:, int(axes.get_xlabel()[1:])], X[:, int(axes.get_ylabel()[1:])]
    assert ((left < x) & (x <= right) & (bottom < y) & (y <= top)).tolist() == here.tolist()
    assert axes.get_title(loc="left").startswith(f"node {node}: {here.sum()} rows")


def test_many_classes_share_the_last_mark():
    rng = np.random.default_rng(0)
    rows, labels = rng.normal(size=(400, 2)), rng.integers(0, 12, 400)
    axes = tw.plots.decision_regions(tw.CARTClassifier(max_depth=6).fit(rows, labels), rows, labels)
    assert legend_texts(axes)[-1] == "other (5 classes)"
    assert len(legend_texts(axes)) == 8


def test_axes_that_are_given_are_drawn_on():
    ax = pyplot.figure().add_subplot()
    model = tw.CARTClassifier(max_depth=2).fit(X[:, :2], Y)
    assert tw.plots.decision_regions(model, X[:, :2], Y, ax=ax) is ax
    assert tw.plots.tree_regions(model, ax=ax) is ax
    assert tw.plots.node_region(model, 1, ax=ax) is ax


def test_what_cannot_be_shown_is_refused():
    model = tw.CARTClassifier(max_depth=4).fit(X, Y)
    with pytest.raises(tw.OptionError, match="two different"):
        tw.plots.decision_regions(model, X, Y, ["x0", "x0"])
    with pytest.raises(tw.OptionError, match="no column 'x9'"):
        tw.plots.decision_regions(model, X, Y, ["x0", "x9"])
    with pytest.raises(tw.OptionError, match="which the plane does not show"):
        tw.plots.tree_regions(model, columns=["x0", "x1"])
    with pytest.raises(tw.OptionError, match="no node 99"):
        tw.plots.node_region(model, 99)
    with pytest.raises(tw.OptionError, match="without the rows"):
        tw.plots.tree_regions(model, None, Y)
    with pytest.raises(tw.OptionError, match="a fitted model is needed"):
        tw.plots.decision_regions("model", X, Y)
    with pytest.raises(tw.OptionError, match="a fitted tree of treewright"):
        tw.plots.tree_regions(KNeighborsClassifier().fit(X, Y), X, Y)
    with pytest.raises(tw.DataError, match="two columns"):
        tw.plots.decision_regions(tw.CARTClassifier().fit(X[:, :1], Y), X[:, :1], Y)


def test_dates_and_missing_values_have_their_place():
    days = pd.date_range("2024-01-01", periods=60)
    table = pd.DataFrame({"day": days, "size": np.r_[np.nan, np.arange(59.0)]})
    labels = np.where(np.arange(60) > 30, "late", "early")
    model = tw.CARTClassifier().fit(table, labels)
    axes = tw.plots.decision_regions(model, table, labels, ["day", "size"])
    axes.get_figure().canvas.draw()
    assert any(tick.get_text().startswith("2024-") for tick in axes.get_xticklabels())
    assert axes.get_title(loc="left") == "1 row with a missing value not shown"
    other = tw.plots.tree_regions(model, table, labels, ["day", "size"])
    assert other.get_title(loc="left") == "1 row with a missing value not shown"
