"""What a user gets wrong: the error says what was wrong, what was got and what to do, and nothing is lost."""

from __future__ import annotations

import datetime
import warnings
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from scipy import sparse
from sklearn.exceptions import DataConversionWarning

import treewright as tw
from refusals import CLASSES, HUGE, NUMBERS, X4, check_refused, classify, regress

# ---------------------------------------------------------------- tables

NO_TABLES = {
    "nothing": (None, "not a table: got None"),
    "a path": ("data.csv", "not a table: got 'data.csv'"),
    "a number": (3, "not a table: got 3"),
    "a NumPy number": (np.float64(3), "not a table"),
    "any object": (object(), "not a table: got a object"),
    "a generator": ((row for row in [[1], [2]]), "not a table: got a generator"),
    "a list of texts": (["ab", "cd"], r"2-D table, got a 1-D array of shape \(2,\)"),
    "a list of numbers": ([1, 2], "2-D table"),
    "a series": (pd.Series([1, 2]), "2-D table"),
    "an Arrow array": (pa.array([1, 2]), "2-D table"),
    "three dimensions": (np.zeros((2, 2, 2)), r"3-D array of shape \(2, 2, 2\)"),
    "rows of sets": ([{1, 2}, {3, 4}], "a set, which is not a row"),
    "a row that is None": ([[1, 2], None], "None, which is not a row"),
    "rows of two sorts": ([[1, 2], {"a": 1}], "a dict, which is not a row"),
    "frames as rows": ([pd.DataFrame({"q": [1, 2]})], "a DataFrame, which is not a row"),
    "frames as columns": ({"a": pd.DataFrame({"q": [1, 2]})}, r"column 'a' has shape \(2, 1\)"),
    "matrices as columns": ({"a": np.zeros((2, 2))}, r"column 'a' has shape \(2, 2\)"),
    "dictionaries as columns": ({"a": {"q": 1}}, "column 'a' is not a sequence: got a dict"),
    "numbers as columns": ({"a": 1, "b": 2}, "column 'a' is not a sequence: got 1"),
    "texts as columns": ({"a": "xy"}, "column 'a' is not a sequence: got 'xy'"),
    "ragged rows": ([[1, 2], [3]], "row 0 has 2 cells, row 1 has 1"),
    "ragged columns": ({"a": [1, 2], "b": [1]}, "differ in length: 'a' 2, 'b' 1"),
    "sparse matrix": (sparse.csr_matrix([[1], [2]]), "Sparse data is not supported: got a csr_matrix"),
    "sparse array": (sparse.coo_array([[1], [2]]), "Sparse data is not supported: got a coo_array"),
    "complex matrix": (np.array([[1j], [2]]), "Complex data not supported"),
    "complex column": (pd.DataFrame({"a": [1j, 2]}), "'a' holds 1j in row 0"),
    "complex cells": ([[2], [1j]], "Complex data not supported"),
    "a query that fails": (pl.LazyFrame({"a": [1, 2]}).select("zz"), "lazy table cannot be collected: .*zz"),
}


@pytest.mark.parametrize(("table", "message"), NO_TABLES.values(), ids=NO_TABLES)
def test_what_is_no_table(table, message):
    check_refused(lambda: classify(table), message)


EMPTY = {
    "list": [],
    "dictionary": {},
    "pandas": pd.DataFrame(),
    "polars": pl.DataFrame(),
    "rows of nothing": [[], []],
    "dictionaries of nothing": [{}, {}],
    "no columns, NumPy": np.empty((3, 0)),
    "no columns, pandas": pd.DataFrame(index=range(3)),
    "no rows, dictionary": {"a": []},
    "no rows, NumPy": np.empty((0, 3)),
    "no rows, pandas": pd.DataFrame({"a": []}),
    "no rows, polars": pl.DataFrame({"a": []}),
    "no rows, Arrow": pa.table({"a": []}),
}


@pytest.mark.parametrize("table", EMPTY.values(), ids=EMPTY)
@pytest.mark.parametrize("method", [classify, regress, lambda X, y: tw.fit(X, "a")], ids=["class", "number", "tw.fit"])
def test_empty_tables(table, method):
    check_refused(lambda: method(table, []), r"0 (feature|sample)\(s\).*the table is empty")


BAD_NAMES = {
    "twice, pandas": (pd.DataFrame([[1, 2], [3, 4]], columns=["a", "a"]), "'a' occurs more than once"),
    "twice, Arrow": (pa.table([[1, 2], [3, 4]], names=["a", "a"]), "'a' occurs more than once"),
    "None among texts": ({None: [1, 2], "a": [1, 2]}, r"string names, got \[None, 'a'\]"),
    "numbers among texts": (pd.DataFrame([[1, 2], [3, 4]], columns=[0, "a"]), r"string names, got \[0, 'a'\]"),
}


@pytest.mark.parametrize(("table", "message"), BAD_NAMES.values(), ids=BAD_NAMES)
def test_bad_column_names(table, message):
    check_refused(lambda: classify(table), message)


@pytest.mark.parametrize("name", ["", " ", "a\nb", "größe 🎄", "x" * 5000, "'\"", "<b>", "\ud800"])
def test_odd_column_names_work(name):
    model = classify({name: [1.0, 2.0]})
    assert model.feature_names_in_.tolist() == [name]
    assert len(str(model).splitlines()) == 3
    assert model.predict({name: [2.0]}).tolist() == [1]
    assert model.explain({name: 1.0})


def test_columns_called_by_numbers():
    model = classify(pd.DataFrame([[1, 2], [3, 4]], columns=[7, 8]), kinds={8: "nominal"})
    assert [(column.name, column.kind.value) for column in model.schema_.columns] == [
        ("7", "numeric"),
        ("8", "nominal"),
    ]
    assert not hasattr(model, "feature_names_in_")


# ---------------------------------------------------------------- cells

BAD_CELLS = {
    "mixed": ([1, "x"], "'a' mixes types: int .1. in row 0 and str .'x'. in row 1.*kinds={'a': \"nominal\"}"),
    "mixed, pandas": (pd.Series([1, "x"]), "'a' mixes types"),
    "dates and times": ([datetime.date(2020, 1, 1), datetime.datetime(2020, 1, 1)], "'a' mixes types: date"),
    "huge integers": ([HUGE, HUGE + 1], f"'a' holds the integer {HUGE + 1}, too large"),
    "huge integers, NumPy": (np.array([HUGE, 1]), f"the integer {HUGE}, too large"),
    "huge integers, polars": (pl.Series([HUGE, 1]), f"the integer {HUGE}, too large"),
    "endless integers": ([10**400, 1], "an integer of 400 digits"),
    "endless fractions": ([Fraction(10**400), Fraction(1, 3)], "'a' holds a number too large for a float64"),
    "lists": ([[1], [2]], "'a' holds a list in row 0"),
    "dictionaries": (pd.Series([{}, {}]), "'a' holds a dict in row 0"),
    "sets": ([{1}, {2}], "'a' holds a set in row 0"),
    "lists in tuples": ([(1, 2), (3, [4])], "'a' holds a tuple in row 1"),
    "lists, polars": (pl.Series([[1], [2]]), "'a' holds a list in row 0"),
    "structs, polars": (pl.Series([{"q": 1}, {"q": 2}]), "'a' holds a dict in row 0"),
    "lists, Arrow": (pa.chunked_array([[[1], [2]]]), "'a' holds a list in row 0"),
}


@pytest.mark.parametrize(("cells", "message"), BAD_CELLS.values(), ids=BAD_CELLS)
def test_bad_cells(cells, message):
    check_refused(lambda: classify({"b": [1, 2], "a": cells}), message)


GOOD_CELLS = {
    "infinities": [1.0, np.inf, -np.inf],
    "text": ["ä", "ß\n", ""],
    "long text": ["x" * 10**6, "y" * 10**6, "z"],
    "text that differs after a NUL": ["a\0b", "a\0c", "a"],
    "half of a character": ["\ud800", "y", "z"],
    "bytes": [b"x", b"y", b"z"],
    "bytes of no text": [b"\xff", b"\xfe\xfd", b"z"],
    "tuples": [(1, 2), (3, 4), (5, 6)],
    "decimals": [Decimal("1.5"), Decimal("sNaN"), Decimal("1e999")],
    "fractions": [Fraction(1, 2), Fraction(2, 3), None],
    "truth": np.array([True, False, True]),
    "dates": [datetime.date(1, 1, 1), datetime.date(9999, 12, 31), None],
    "array of dates": np.array([datetime.date(2020, 1, 1), None, datetime.date(2021, 1, 1)], dtype=object),
    "times with a zone": [
        datetime.datetime(2020, 1, day, tzinfo=datetime.timezone(datetime.timedelta(hours=day))) for day in (1, 2, 3)
    ],
    "times of day": [datetime.time(1), datetime.time(2), None],
    "intervals": pd.interval_range(0, 3).to_series().reset_index(drop=True),
    "periods": pd.Series(pd.period_range("2020-01", periods=3, freq="M")),
    "sparse column": pd.Series(pd.arrays.SparseArray([0, 1, 2])),
    "nullable": pd.Series([1, None, 3], dtype="Int64"),
    "categories of two types": pd.Series(pd.Categorical([1, "x", None])),
    "integers of 128 bits": pl.Series([1, None, 3], dtype=pl.Int128),
    "half floats": np.array([1, 2, 3], np.float16),
    "long floats": np.array([1, 2, 3], np.longdouble),
    "other byte order": np.array([1, 2, 3], ">f4"),
    "Arrow decimals": pa.chunked_array([[Decimal("1.5"), None, Decimal("2.5")]]),
    "nothing known": [None, np.nan, pd.NaT],
    "nothing known, Arrow": pa.chunked_array([pa.nulls(3)]),
    "objects": [object(), object(), None],
}  # fmt: skip


@pytest.mark.parametrize("cells", GOOD_CELLS.values(), ids=GOOD_CELLS)
def test_odd_cells_are_learned_from_and_predicted_on(cells):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model = classify({"a": cells, "b": [1, 2, 3]}, ["u", "v", "u"])
        assert model.predict({"a": cells, "b": [1, 2, 3]}).tolist() == ["u", "v", "u"]
        alone = classify({"a": cells}, ["u", "v", "u"])
        assert alone.predict({"a": cells}).tolist() in (["u", "v", "u"], ["u"] * 3)
        assert alone.rules()
        assert str(alone)


@pytest.mark.parametrize(
    "table",
    [{"a": [1, 1, 1], "b": ["x", "x", "x"]}, {"a": [None] * 3}, np.full((3, 2), np.nan), np.full((3, 2), np.inf)],
    ids=["constant", "missing", "NaN", "infinite"],
)
def test_columns_that_tell_nothing_make_one_leaf(table):
    assert classify(table, [0, 1, 1]).tree_.n_leaves == 1
    assert tw.ID3Classifier().fit(table, [0, 1, 1]).tree_.n_leaves == 1
    assert regress(table, [0.0, 1.0, 1.0]).tree_.n_leaves == 1


def test_a_column_of_missing_values_is_passed_over():
    model = classify({"a": [None] * 4, "b": [1, 2, 3, 4]}, CLASSES)
    assert model.tree_.column[0] == 1


def test_huge_integers_can_be_levels():
    model = classify({"a": [HUGE, HUGE + 1, 10**400]}, ["u", "v", "u"], kinds={"a": "nominal"})
    assert model.predict({"a": [HUGE, HUGE + 1, 10**400]}).tolist() == ["u", "v", "u"]


@pytest.mark.slow
@pytest.mark.parametrize("make", [tw.CARTClassifier, tw.ID3Classifier, tw.CARTRegressor])
def test_a_million_levels_are_learned(make):
    n_rows = 1_000_000
    table = {"id": [f"id {row}" for row in range(n_rows)], "x": np.arange(n_rows) % 7}
    model = make(max_depth=3, kinds={"id": "nominal"}).fit(table, np.arange(n_rows) % 2)
    assert model.tree_.n_leaves > 1


# ---------------------------------------------------------------- targets

BAD_TARGETS = {
    "nothing": (None, "requires y to be passed"),
    "a number": (3, "y should be a 1d array, got 3"),
    "a text": ("nnpp", "y should be a 1d array, got 'nnpp'"),
    "a dictionary": ({"y": CLASSES}, "got a dict"),
    "a set": ({"n", "p"}, "got a set"),
    "a generator": ((label for label in CLASSES), "got a generator"),
    "too long": ([0, 1, 0, 1, 0], "X has 4 rows, y has 5"),
    "too short": ([0, 1], "X has 4 rows, y has 2"),
    "no rows": ([], "X has 4 rows, y has 0"),
    "two columns": (np.zeros((4, 2)), r"shape \(4, 2\).*fit one model per target"),
    "two columns, pandas": (pd.DataFrame({"a": CLASSES, "b": CLASSES}), r"shape \(4, 2\)"),
    "two columns, polars": (pl.DataFrame({"a": CLASSES, "b": CLASSES}), r"shape \(4, 2\)"),
    "two columns, Arrow": (pa.table({"a": CLASSES, "b": CLASSES}), r"shape \(4, 2\)"),
    "sparse": (sparse.csr_matrix([[1], [0], [1], [0]]), "y is sparse"),
    "lists": ([[1], [1, 2], [1], [1]], "'y' holds a list in row 0"),
    "dictionaries": ([{}, {}, {}, {}], "'y' holds a dict in row 0"),
    "complex": (np.array([1j, 1, 2, 3]), "Complex data not supported"),
    "nothing known": ([None] * 4, "the target of every row is missing"),
    "nothing known, NumPy": (np.full(4, np.nan), "the target of every row is missing"),
    "infinite": (np.array([0, 1, np.inf, 1]), "Input y contains infinity"),
    "infinite, listed": ([0, 1, -np.inf, 1], "Input y contains infinity"),
    "mixed": ([0, "b", 0, 1], "'y' mixes types: int .0. in row 0 and str .'b'. in row 1"),
}


@pytest.mark.parametrize(("y", "message"), BAD_TARGETS.values(), ids=BAD_TARGETS)
@pytest.mark.parametrize("method", [classify, regress], ids=["class", "number"])
def test_bad_targets(y, message, method):
    check_refused(lambda: method(X4, y), message)


BAD_CLASSES = {
    "one class": (["n"] * 4, "only one class, 'n'"),
    "one class, the others missing": (["n", None, "n", None], "only one class, 'n'"),
    "numbers": ([0.5, 1.0, 1.5, 2.0], "continuous.*numbers such as 0.5.*use a regressor"),
    "mixed with truth": ([0, True, 0, 1], "'y' mixes types"),
    "bytes": (
        [b"n", b"n", b"p", b"p"],
        r"y holds a bytes, b'n', and predictions could only be its text.*astype\(str\)",
    ),
    "array of bytes": (np.array([b"n", b"n", b"p", b"p"]), "y holds a bytes"),
    "tuples": ([(1, "a"), None, (2, "b"), None], "y holds a tuple"),
    "tuples of several sizes": ([(1, [2]), (1, [2, 3]), (1, 2), (1, 2)], "y holds a tuple"),
    "frozensets": ([frozenset("n"), frozenset("p")] * 2, "y holds a frozenset"),
    "dates": ([datetime.date(2020, 1, 1), datetime.date(2021, 1, 1)] * 2, "y holds a date"),
    "times": (pd.Series(pd.date_range("2020", periods=4)), "y holds a (Timestamp|datetime)"),
    "array of times": (np.arange(4).astype("M8[s]"), "y holds a datetime64"),
    "durations": (pl.Series([datetime.timedelta(day) for day in range(4)]), "y holds a timedelta"),
    "fractions of a kind": ([Fraction(1, 3), Fraction(2, 3)] * 2, "y holds a Fraction"),
    "intervals": (pd.cut(pd.Series([1, 2, 3, 4]), 2), "y holds a Interval"),
    "objects": ([object(), object()] * 2, "y holds a object"),
}


@pytest.mark.parametrize(("y", "message"), BAD_CLASSES.values(), ids=BAD_CLASSES)
def test_bad_classes(y, message):
    check_refused(lambda: classify(X4, y), message)


BAD_NUMBERS = {
    "text": (CLASSES, "y holds 'n', but a regressor predicts numbers"),
    "numbers as text": (["1", "2", "3", "4"], "y holds '1'"),
    "dates": ([datetime.date(2020, 1, 1)] * 4, "y holds dates"),
    "too large to be squared": ([1e200, 1, 2, 3], r"too large to be squared: 1e\+200 in row 0"),
    "too small to be squared": ([1e-150, 0, 2e-150, 3e-150], "y holds numbers too small to be squared: none is beyond"),
    "much too small": ([1e-300, 0, None, 3e-300], "too small to be squared.*multiply the target"),
    "huge integers": ([HUGE, 1, 2, 3], "too large to be compared exactly.*pass it as floats"),
    "endless integers": ([10**400, 1, 2, 3], "an integer of 400 digits"),
}


@pytest.mark.parametrize(("y", "message"), BAD_NUMBERS.values(), ids=BAD_NUMBERS)
def test_bad_numbers(y, message):
    check_refused(lambda: regress(X4, y), message)


@pytest.mark.parametrize(("y", "least"), [([-1, 2, 3, 4], "-1"), ([0, 0, 0, 0], "0")])
def test_poisson_wants_counts(y, least):
    check_refused(lambda: regress(X4, y, criterion="poisson"), f"the least is {least}")


def test_too_many_classes_are_refused_before_memory_is_gone():
    rows = np.arange(20_000)
    check_refused(lambda: classify(rows[:, np.newaxis], rows.astype(str)), "20,000 classes.*limit is 10,000")


def test_a_class_for_every_row_is_warned_about():
    with pytest.warns(tw.TreewrightWarning, match="the target looks like an identifier: 20 different classes"):
        classify(np.arange(20)[:, np.newaxis], np.arange(20))


@pytest.mark.parametrize(
    ("make", "y"), [(tw.CARTClassifier, ["n", None, "p", np.nan]), (tw.CARTRegressor, [1.0, None, 2.0, np.nan])]
)
def test_rows_without_a_target_are_counted_and_left_out(make, y):
    with pytest.warns(tw.TreewrightWarning, match="2 of 4 rows have no target") as caught:
        model = make().fit(X4, y)
    assert caught[0].filename == __file__  # the warning points at the caller
    assert model.tree_.rows[0] == 2
    assert model.schema_.columns[1].levels == ("x",)  # the level of rows that are left out is not known
    without = make().fit({"a": [1, 3], "b": ["x", "x"]}, [y[0], y[2]])
    np.testing.assert_array_equal(model.tree_.stats, without.tree_.stats)


def test_a_target_of_one_column_is_taken_with_a_warning():
    with pytest.warns(DataConversionWarning) as caught:
        model = tw.CARTClassifier().fit(X4, pd.DataFrame({"a": CLASSES}))
    assert caught[0].filename == __file__
    assert model.predict(X4).tolist() == CLASSES


@pytest.mark.parametrize(
    "labels",
    [
        [2**70, 1],
        [-1, 2**63],
        ["a\0", "a"],
        ["ä", "🎄"],
        ["x" * 10_000, "y"],
        [True, False],
        [1.0, 2.0],
        [Decimal("1"), Decimal("2")],
    ],
    ids=["huge", "signed and unsigned", "NUL", "unicode", "long", "truth", "floats", "decimals"],
)
def test_odd_classes_come_back_as_they_were(labels):
    model = classify([[1], [2]], labels)
    assert model.predict([[1], [2]]).tolist() == labels
    assert sorted(model.classes_.tolist()) == sorted(labels)


@pytest.mark.parametrize("number", [7, 0, 1e-300])
def test_a_constant_number_makes_one_leaf(number):
    assert regress(X4, [number] * 4).tree_.n_leaves == 1


@pytest.mark.parametrize("make", [regress, tw.TreeRegressor().fit, tw.CARTRegressor(criterion="absolute_error").fit])
@pytest.mark.parametrize("scale", [1e-99, 1e-50, 1e50, 1e99])
def test_numbers_of_any_size_that_can_be_squared_are_told_apart(make, scale):
    y = np.array([1.0, 2.0, 3.0, 5.0]) * scale
    assert make(X4, y).predict(X4).tolist() == pytest.approx(y.tolist(), rel=1e-12, abs=0)


def test_truth_values_are_numbers_to_a_regressor():
    assert regress([[1], [2]], [True, False]).predict([[1], [2]]).tolist() == [1.0, 0.0]


# ---------------------------------------------------------------- weights

BAD_WEIGHTS = {
    "negative": ([1, -1, 1, 1], "negative value in row 1: -1"),
    "NaN": ([1, 1, np.nan, 1], "NaN or infinite value in row 2"),
    "infinite": ([np.inf, 1, 1, 1], "NaN or infinite value in row 0"),
    "None": ([None, 1, 1, 1], "NaN or infinite value in row 0"),
    "all zero": ([0, 0, 0, 0], "every row has a weight of zero"),
    "too short": ([1, 1], r"shape \(2,\), expected \(4,\)"),
    "a column": ([[1], [1], [1], [1]], r"shape \(4, 1\), expected \(4,\)"),
    "text": (["a", "b", "c", "d"], "must be numbers, got a list"),
    "a name": ("b", "must be numbers, got 'b'"),
    "complex": ([1j, 1, 1, 1], "must be numbers"),
    "too large": ([1e308] * 4, "add up to inf"),
    "too small": ([1e-320] * 4, "add up to 3.99996e-320"),
}


@pytest.mark.parametrize(("weights", "message"), BAD_WEIGHTS.values(), ids=BAD_WEIGHTS)
@pytest.mark.parametrize(("make", "y"), [(tw.CARTClassifier, CLASSES), (tw.CARTRegressor, NUMBERS)])
def test_bad_weights(weights, message, make, y):
    check_refused(lambda: make().fit(X4, y, sample_weight=weights), message)


def test_weights_that_leave_only_rows_without_a_target():
    action = lambda: tw.CARTRegressor().fit(X4, [1.0, None, 2.0, None], sample_weight=[0, 1, 0, 1])  # noqa: E731
    check_refused(action, "every row has a weight of zero")
