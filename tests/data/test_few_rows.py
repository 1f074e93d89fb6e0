"""Few rows are read as any rows are, only quicker."""

from __future__ import annotations

import datetime

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import treewright as tw
from strategies import examples
from treewright.data.few_rows import few_numbers, is_few_rows
from treewright.data.frame import read_frame
from treewright.data.matrix import few_numbers_of, prediction_matrix
from treewright.data.schema import Column, Kind, Schema, Target
from treewright.errors import DataError

NAMES = ("a", "b")
SCHEMA = Schema((Column("a", Kind.NUMERIC), Column("b", Kind.NUMERIC)), Target("y", ("no", "yes")))
WHOLE = st.integers(1 - 2**53, 2**53 - 1)
FLOATS = st.floats(-1e15, 1e15) | st.none()
COLUMN = st.one_of(
    st.tuples(st.just("int64"), st.lists(WHOLE, min_size=3, max_size=3)),
    st.tuples(st.just("uint8"), st.lists(st.integers(0, 255), min_size=3, max_size=3)),
    st.tuples(st.just("float64"), st.lists(FLOATS, min_size=3, max_size=3)),
    st.tuples(st.just("float32"), st.lists(st.floats(-999.5, 999.5, width=32), min_size=3, max_size=3)),
)
FRAMES = {
    "pandas": lambda columns: pd.DataFrame({n: pd.Series(v, dtype=t) for n, (t, v) in columns.items()}),
    "polars": lambda columns: pl.DataFrame([pl.Series(n, v, getattr(pl, _title(t))) for n, (t, v) in columns.items()]),
    "arrow": lambda columns: pa.table({n: pa.array(v, getattr(pa, t)()) for n, (t, v) in columns.items()}),
}


def _title(name):
    return name.replace("uint", "UInt") if name.startswith("u") else name.capitalize()


@pytest.mark.parametrize("kind", FRAMES)
@given(first=COLUMN, second=COLUMN)
@settings(max_examples=examples(40))
def test_numbers_are_those_of_the_long_way(kind, first, second):
    table = FRAMES[kind](dict(zip(NAMES, (first, second))))
    found = few_numbers_of(table, SCHEMA, "missing")
    assert found is not None
    expected = prediction_matrix(read_frame(table), SCHEMA)
    np.testing.assert_array_equal(found, expected.astype(np.float64))


ODD = {
    "other order": {"b": [1.0], "a": [2.0]},
    "another column": {"a": [1.0], "b": [2.0], "c": [3.0]},
    "too large to be exact": {"a": [1], "b": [2**53 + 1]},
    "infinite": {"a": [1.0], "b": [np.inf]},
    "text": {"a": [1.0], "b": ["2"]},
    "truth": {"a": [1.0], "b": [True]},
    "times": {"a": [1.0], "b": [datetime.datetime(2024, 5, 1)]},
}


@pytest.mark.parametrize("kind", ["pandas", "polars", "arrow"])
@pytest.mark.parametrize("odd", ODD)
def test_what_is_not_plain_goes_the_long_way(kind, odd):
    make = {"pandas": pd.DataFrame, "polars": pl.DataFrame, "arrow": pa.table}[kind]
    assert few_numbers(make(ODD[odd]), NAMES) is None


def test_many_rows_lists_and_no_rows_go_the_long_way():
    for table in (
        pd.DataFrame({"a": range(9), "b": range(9)}),
        pd.DataFrame({"a": [], "b": []}),
        [[1, 2]],
        np.ones((1, 2)),
    ):
        assert not is_few_rows(table)


@pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame, pa.table], ids=["pandas", "polars", "arrow"])
def test_one_row_is_predicted_as_among_many(make):
    random = np.random.default_rng(0)
    a, b = random.normal(size=(2, 60))
    y = np.where(a + b > 0, "yes", "no")
    model = tw.CARTClassifier().fit({"a": a, "b": b}, y)
    all_at_once, leaves = model.predict_proba({"a": a, "b": b}), model.apply({"a": a, "b": b})
    for i in range(60):
        one = make({"a": a[i : i + 1], "b": b[i : i + 1]})
        np.testing.assert_array_equal(model.predict_proba(one), all_at_once[i : i + 1])
        assert model.apply(one).tolist() == [leaves[i]]
        assert model.predict(one).tolist() == model.predict({"a": [a[i]], "b": [b[i]]}).tolist()


def test_after_pruning_one_row_goes_down_the_new_tree():
    X, y = {"a": [1.0, 2, 3, 4, 5, 6]}, ["x", "y", "x", "y", "y", "y"]
    model = tw.CARTClassifier().fit(X, y)
    one = pd.DataFrame({"a": [1.0]})
    assert model.predict(one).tolist() == ["x"]
    model.tree_ = model.prune("cost-complexity", alpha=10.0).tree_
    assert model.tree_.n_leaves == 1
    assert model.predict(one).tolist() == ["y"]


def test_errors_are_those_of_the_long_way():
    model = tw.CARTClassifier().fit({"a": [1.0, 2, 3, 4]}, list("xxyy"))
    with pytest.raises(DataError, match="holds times without a zone"):
        model.predict(pd.DataFrame({"a": [pd.Timestamp(2024, 5, 1)]}))
    with pytest.raises(DataError, match="feature names should match"):
        model.predict(pl.DataFrame({"b": [1.0]}))
