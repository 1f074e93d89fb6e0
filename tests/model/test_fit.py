"""``tw.fit``: any table, the target by name or number, classes and numbers told apart."""

from __future__ import annotations

import datetime

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import treewright as tw
from refusals import check_refused

TABLE = {
    "outlook": ["sunny", "rain", "sunny", "rain", "overcast", "overcast"],
    "humidity": [85.0, 96.0, 70.0, 70.0, None, 65.0],
    "play": ["no", "no", "yes", "yes", "yes", "yes"],
}
MATRIX = np.array([[1.0, 5.0, 0.0], [2.0, 5.0, 0.0], [3.0, 6.0, 1.0], [4.0, 6.0, 2.0]])
CONTAINERS = {
    "columns": lambda table: table,
    "rows": lambda table: [dict(zip(table, row)) for row in zip(*table.values())],
    "pandas": pd.DataFrame,
    "polars": pl.DataFrame,
    "lazy": pl.LazyFrame,
    "arrow": pa.table,
    "record batch": lambda table: pa.table(table).to_batches()[0],
    "structured": lambda table: pd.DataFrame(table).to_records(index=False),
}


def without(table, name):
    return {other: cells for other, cells in table.items() if other != name}


@pytest.mark.parametrize("make", CONTAINERS.values(), ids=CONTAINERS)
@pytest.mark.parametrize(("method", "estimator"), [("id3", tw.ID3Classifier), ("cart", tw.CARTClassifier)])
def test_every_table_gives_the_tree_of_the_estimator(make, method, estimator):
    model = tw.fit(make(TABLE), target="play", method=method)
    expected = estimator().fit(without(TABLE, "play"), TABLE["play"])
    assert type(model) is estimator
    assert model.schema_.columns == expected.schema_.columns
    assert model.feature_names_in_.tolist() == ["outlook", "humidity"]
    for one, other in zip(model.tree_.arrays(), expected.tree_.arrays()):
        np.testing.assert_array_equal(one, other)
    assert str(model).startswith(f"{estimator.__name__}: play — 6 rows")
    assert model.predict(make(TABLE)).tolist() == TABLE["play"]  # the target among the columns is passed over


@pytest.mark.parametrize("make", CONTAINERS.values(), ids=CONTAINERS)
def test_a_number_is_predicted_as_a_number(make):
    table = {"x": [1, 2, 3, 4], "colour": ["red", "red", "blue", "red"], "n": [0.0, 0.0, 1.5, 1.5]}
    model = tw.fit(make(table), "n")
    assert type(model) is tw.CARTRegressor
    assert model.schema_.target.name == "n"
    assert model.predict(make(table)).tolist() == [0.0, 0.0, 1.5, 1.5]


@pytest.mark.parametrize("make", CONTAINERS.values(), ids=CONTAINERS)
def test_a_few_whole_numbers_are_classes_and_one_is_told(make):
    table = {"x": [1, 2, 3, 4], "n": [0, 0, 1, 1]}
    with pytest.warns(tw.TreewrightWarning, match=r"'n' holds whole numbers of 2 values \(0, 1\).*task=\"numbers\""):
        model = tw.fit(make(table), "n")
    assert type(model) is tw.CARTClassifier
    assert model.predict(make(table)).tolist() == [0, 0, 1, 1]


@pytest.mark.parametrize(
    ("said", "estimator"),
    [
        ({"task": "classes"}, tw.CARTClassifier),
        ({"kinds": {"n": "nominal"}}, tw.CARTClassifier),
        ({"task": "classes", "kinds": {"n": "ordinal"}}, tw.CARTClassifier),
        ({"task": "numbers"}, tw.CARTRegressor),
        ({"kinds": {"n": "numeric"}}, tw.CARTRegressor),
        ({"task": "numbers", "kinds": {"n": "numeric"}}, tw.CARTRegressor),
    ],
)
def test_whoever_says_which_is_told_nothing(said, estimator, recwarn):
    assert type(tw.fit({"x": [1, 2, 3, 4], "n": [0, 0, 1, 1]}, "n", **said)) is estimator
    assert not len(recwarn)


@pytest.mark.parametrize(
    ("cells", "estimator"),
    [
        (list(range(10)) * 2, tw.CARTClassifier),
        (list(range(11)) * 2, tw.CARTRegressor),
        ([0.0, 1.0] * 10 + [0.5], tw.CARTRegressor),
        ([0] * 2000 + list(range(20)), tw.CARTRegressor),
        ([7] * 4, tw.CARTRegressor),
        ([1.0, None, 2.0], tw.CARTClassifier),
    ],
    ids=["ten", "eleven", "decimals", "late", "one", "missing"],
)
@pytest.mark.filterwarnings("ignore::treewright.data.user_warnings.TreewrightWarning")
def test_ten_values_are_the_most(cells, estimator):
    assert type(tw.fit({"x": list(range(len(cells))), "n": cells}, "n")) is estimator


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"task": "regression"}, "task='regression' is not accepted"),
        ({"task": ["numbers"]}, "task=.* is not accepted"),
        ({"task": "numbers", "kinds": {"n": "nominal"}}, "task='numbers' and kinds say different things"),
        ({"task": "classes", "kinds": {"n": "numeric"}}, "task='classes' and kinds say different things"),
        ({"task": "numbers", "method": "id3"}, "id3 predicts classes, and task is 'numbers'"),
    ],
)
def test_tasks_that_make_no_sense(options, message):
    check_refused(lambda: tw.fit({"x": [1, 2], "n": [0, 1]}, "n", **options), message, tw.OptionError)


@pytest.mark.parametrize("name", ["xor", "six_points", "food"])
def test_bundled_tables(name):
    data = tw.datasets.load(name)
    model = tw.fit(data.table, data.target, "id3")
    assert model.predict(data.X).tolist() == data.y
    assert model.schema_.target.name == data.target


# ---------------------------------------------------------------- which column


@pytest.mark.parametrize("target", ["x2", 2, -1, np.int64(2)])
def test_columns_without_names_go_by_number(target):
    model = tw.fit(MATRIX, target, task="numbers")
    assert model.schema_.names == ("x0", "x1")
    assert model.schema_.target.name == "x2"
    assert model.predict(MATRIX[:, :2]).tolist() == MATRIX[:, 2].tolist()


def test_a_target_in_the_middle_of_a_matrix():
    model = tw.fit(MATRIX, 1, task="numbers")
    assert model.schema_.names == ("x0", "x2")
    assert model.predict(MATRIX[:, [0, 2]]).tolist() == MATRIX[:, 1].tolist()
    check_refused(lambda: model.predict(MATRIX), "X has 3 features, but CARTRegressor is expecting 2")


def test_a_number_is_a_label_where_columns_are_labelled_by_numbers():
    table = pd.DataFrame(MATRIX, columns=[3, 2, 1])
    assert tw.fit(table, 3, task="numbers").schema_.target.name == "3"
    assert tw.fit(table, 1, task="numbers").schema_.names == ("3", "2")


def test_rows_as_lists():
    model = tw.fit([[1, "a"], [2, "b"]], "x1")
    assert model.predict([[1], [2]]).tolist() == ["a", "b"]


@pytest.mark.parametrize(
    ("target", "message"),
    [
        ("plya", "there is no column 'plya' to predict.*did you mean 'play'.*The columns are outlook, humidity, play"),
        ("zzz", "there is no column 'zzz'.*the columns are outlook, humidity, play"),
        (7, "there is no column 7"),
        (-4, "there is no column -4"),
        (True, "there is no column True"),
        (None, "name of a column, got a NoneType"),
        (["play"], "name of a column, got a list"),
        (pd.Series(TABLE["play"]), r"got a Series.*fit\(X, y\)"),
    ],
)
def test_a_target_that_is_not_there(target, message):
    check_refused(lambda: tw.fit(TABLE, target), message)


def test_many_columns_are_not_all_listed():
    table = {f"column {number}": [1, 2] for number in range(1000)}
    check_refused(lambda: tw.fit(table, "y"), "column 19, …")


def test_nothing_but_a_target():
    check_refused(lambda: tw.fit({"play": ["yes", "no"]}, "play"), "no column but the target 'play'")


# ---------------------------------------------------------------- methods and options


@pytest.mark.parametrize("method", ["CART", "Cart"])
def test_methods_are_known_in_any_case(method):
    assert type(tw.fit(TABLE, "play", method)) is tw.CARTClassifier


@pytest.mark.parametrize(
    ("method", "message"),
    [
        ("crat", "unknown method 'crat'.*did you mean 'cart'"),
        ("shrub", "there are adaboost, auto, bagging, c4.5, c4.5rules, c5.0, cart, chaid, cubist, extra-trees, forest"),
        (None, "method None"),
    ],
)
def test_unknown_methods(method, message):
    check_refused(lambda: tw.fit(TABLE, "play", method), message, tw.OptionError)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"max_dept": 3}, "unknown CARTClassifier option 'max_dept'.*did you mean 'max_depth'"),
        ({"method": "id3", "splits": "binary"}, "unknown ID3Classifier option 'splits'.*base, class_weight"),
        ({"criterion": "foo"}, "criterion='foo' is not accepted"),
        ({"kinds": 3}, "kinds must be a dictionary, got 3"),
        ({"kinds": {"humid": "numeric"}}, "kinds names a column that does not exist: 'humid'.*'humidity'"),
    ],
)
def test_bad_options(options, message):
    check_refused(lambda: tw.fit(TABLE, "play", **options), message, tw.OptionError)


def test_options_reach_the_estimator():
    model = tw.fit(TABLE, "play", max_depth=1, criterion="entropy", sample_weight=[1, 1, 1, 1, 1, 5])
    assert (model.max_depth, model.criterion, model.tree_.depth) == (1, "entropy", 1)
    assert model.tree_.stats[0].tolist() == [2, 8]


# ---------------------------------------------------------------- classes or numbers

ORDER = ["low", "middle", "high"]


@pytest.mark.parametrize(
    "table",
    [
        pd.DataFrame({"x": [1, 2, 3], "t": pd.Categorical(["high", "low", "middle"], ORDER, ordered=True)}),
        pl.DataFrame({"x": [1, 2, 3], "t": pl.Series(["high", "low", "middle"], dtype=pl.Enum(ORDER))}),
    ],
    ids=["pandas", "polars"],
)
def test_ordered_categories_are_classes_in_their_order(table):
    assert tw.fit(table, "t").classes_.tolist() == ORDER


@pytest.mark.parametrize("cells", [[True, False, True], pd.array([True, False, None], dtype="boolean")])
@pytest.mark.filterwarnings("ignore:1 of 3 rows")
def test_truth_values_are_classes(cells):
    assert tw.fit({"x": [1, 2, 3], "t": cells}, "t").classes_.tolist() == [False, True]


@pytest.mark.parametrize("kind", ["nominal", "ordinal"])
@pytest.mark.parametrize("make", CONTAINERS.values(), ids=CONTAINERS)
def test_kinds_make_a_number_a_class(make, kind):
    model = tw.fit(make({"x": [1, 2, 3], "t": [2, 0, 2]}), "t", kinds={"t": kind, "x": "nominal"})
    assert type(model) is tw.CARTClassifier
    assert model.classes_.tolist() == [0, 2]
    assert model.classes_.dtype.kind == "i"
    assert model.kinds == {"x": "nominal"}
    assert model.schema_.columns[0].levels == (1, 2, 3)


def test_kinds_by_number_mean_columns_of_the_whole_table():
    model = tw.fit(MATRIX, 0, kinds={0: "nominal", 2: "nominal"})
    assert type(model) is tw.CARTClassifier
    assert [column.kind.value for column in model.schema_.columns] == ["numeric", "nominal"]


def test_kinds_list_the_classes_in_order():
    table = {"x": [1, 2, 3], "t": ["high", "low", "low"]}
    assert tw.fit(table, "t", kinds={"t": ORDER}).classes_.tolist() == ORDER
    check_refused(lambda: tw.fit(table, "t", kinds={"t": ["low"]}), "'t' holds the level 'high' in row 0")


def test_kinds_make_text_a_number():
    model = tw.fit({"x": [1, 2, 3], "t": ["1.5", "2", "3"]}, "t", kinds={"t": "numeric"})
    assert model.predict({"x": [1, 2, 3]}).tolist() == [1.5, 2.0, 3.0]


@pytest.mark.parametrize("make", CONTAINERS.values(), ids=CONTAINERS)
def test_methods_that_know_classes_only_take_whole_numbers_as_such(make):
    model = tw.fit(make({"x": [1, 2, 3], "t": [2, 0, 2]}), "t", "id3")
    assert model.classes_.tolist() == [0, 2]


BAD_TARGETS = {
    "continuous": ([0.1, 0.2, 0.3], "id3", "continuous.*column 't' holds numbers such as 0.1"),
    "dates": ([datetime.date(2020, 1, day) for day in (1, 2, 3)], "cart", "column 't' holds dates"),
    "mixed": ([1, "a", 2], "cart", "'t' mixes types.*kinds={'t': \"nominal\"}"),
    "infinite": ([1.0, np.inf, 2.0], "cart", "column 't' contains infinity in row 1"),
    "unknown": ([None] * 3, "cart", "column 't' contains NaN only"),
    "unknown classes": ([None] * 3, "id3", "column 't' contains NaN only"),
    "one class": (["x"] * 3, "cart", "only one class, 'x'"),
    "dates for classes": ([datetime.date(2020, 1, day) for day in (1, 2, 3)], "id3", "column 't' holds a date"),
    "bytes": ([b"x", b"y", b"x"], "cart", "column 't' holds a bytes, b'x'"),
    "lists": ([[1], [2], [3]], "cart", "'t' holds a list in row 0"),
}


@pytest.mark.parametrize(("cells", "method", "message"), BAD_TARGETS.values(), ids=BAD_TARGETS)
def test_bad_targets_are_called_by_their_name(cells, method, message):
    check_refused(lambda: tw.fit({"x": [1, 2, 3], "t": cells}, "t", method), message)


def test_labels_are_taken_by_their_text_if_asked_for():
    days = [datetime.date(2020, 1, day) for day in (1, 2, 1)]
    model = tw.fit({"x": [1, 2, 3], "t": days}, "t", "id3", kinds={"t": "nominal"})
    assert model.predict({"x": [2]}).tolist() == ["2020-01-02"]


def test_a_mixture_is_taken_by_its_text_if_asked_for():
    assert tw.fit({"x": [1, 2, 3], "t": [1, "a", 2]}, "t", kinds={"t": "nominal"}).classes_.tolist() == ["1", "2", "a"]


@pytest.mark.parametrize("method", ["id3", "cart"])
def test_rows_without_a_target_are_left_out(method):
    with pytest.warns(tw.TreewrightWarning, match="1 of 3 rows have no target") as caught:
        model = tw.fit({"x": [1, 2, 3], "t": [1, None, 2]}, "t", method, task="classes")
    assert caught[0].filename == __file__
    assert model.tree_.rows[0] == 2
    assert model.predict({"x": [1, 3]}).tolist() == [1, 2]


# ---------------------------------------------------------------- auto


def test_auto_is_a_search_that_suits_the_size_of_the_table():
    random = np.random.default_rng(0)
    table = {"a": random.normal(size=60), "b": random.normal(size=60)}
    table["y"] = np.where(table["a"] * table["b"] > 0, "yes", "no")
    model = tw.fit(table, "y", method="auto")
    assert isinstance(model, tw.SearchTreeClassifier)
    assert (model.search, model.cv) == ((5, 3, 2), 10)
    assert tw.fit(table, "y", method="auto", search=(2,), cv=3).cv == 3
    assert isinstance(tw.fit({**table, "y": random.normal(size=60)}, "y", method="auto", cv=3), tw.SearchTreeRegressor)


@pytest.mark.parametrize("option", [{"cv": 3}, {"repeats": 2}, {"rule": 1}, {"choose": "oob"}])
def test_auto_of_few_rows_cross_validates_if_it_is_told_how(option):
    table = {"x": list(range(14)), "y": list("aabbabaabbbbab")}
    model = tw.fit(table, "y", method="auto", **option)
    assert model.alpha is None
    assert np.isfinite(model.curve_.errors).all()


def test_auto_of_few_rows_keeps_to_a_number_of_leaves():
    table = {"x": list(range(14)), "y": list("aabbabaabbbbab")}
    assert tw.fit(table, "y", method="auto").tree_.n_leaves > 2
    assert tw.fit(table, "y", method="auto", max_leaves=2).tree_.n_leaves == 2


def test_auto_of_few_rows_takes_the_smallest_tree_without_errors():
    table = tw.datasets.load("same_shape").table
    model = tw.fit(table, "friend", method="auto")
    assert (model.tree_.n_leaves, model.curve_.chosen.training_error) == (6, 0.0)
