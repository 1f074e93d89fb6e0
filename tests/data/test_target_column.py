import datetime
import warnings

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.exceptions import DataConversionWarning

from treewright.data.column_values import LevelValues, NumberValues
from treewright.data.target_column import TargetColumn, check_classes, encode_classes, encode_numbers
from treewright.errors import DataError, TreewrightWarning

SERIES = {
    "list": list,
    "tuple": tuple,
    "numpy": np.array,
    "object": lambda y: np.array(y, dtype=object),
    "pandas": pd.Series,
    "polars": pl.Series,
    "arrow": lambda y: pa.chunked_array([y]),
}


@pytest.mark.parametrize("make", SERIES.values(), ids=SERIES)
@pytest.mark.parametrize("y", [["b", "a", "b"], [3, 1, 3], [True, False, True], [2.0, 1.0, 2.0], [-5, -70000, -5]])
def test_classes_are_sorted(make, y):
    classes, codes, keep = encode_classes(make(y))
    assert classes == tuple(sorted(set(y)))
    assert {type(label) for label in classes} == {type(y[0])}
    assert codes.tolist() == [1, 0, 1]
    assert codes.dtype == np.uint8
    assert keep is None


@pytest.mark.parametrize("n_texts", [1, 2, 12, 13, 900])
def test_texts_of_a_long_array_are_those_of_a_list(n_texts):
    """A text that comes up late and only once too."""
    y = np.array([f"c{k % n_texts}" for k in range(5000)] + ["late"])
    classes, codes, keep = encode_classes(y)
    assert (classes, codes.tolist(), keep) == (
        encode_classes(y.tolist())[0],
        encode_classes(y.tolist())[1].tolist(),
        None,
    )
    assert np.array(classes)[codes].tolist() == y.tolist()


@given(st.lists(st.integers(-(2**63), 2**63 - 1) | st.integers(-5, 5), min_size=1, max_size=30))
def test_integer_classes_are_those_of_numpy(y):
    classes, codes, _ = encode_classes(np.array(y, dtype=np.int64))
    expected, inverse = np.unique(y, return_inverse=True)
    assert (list(classes), codes.tolist()) == (expected.tolist(), inverse.tolist())


@pytest.mark.parametrize("dtype", [np.uint8, np.uint64, np.int8])
def test_small_integer_types(dtype):
    y = np.array([0, np.iinfo(dtype).max, 7], dtype=dtype)
    classes, codes, _ = encode_classes(y)
    assert [classes[code] for code in codes] == y.tolist()


def test_many_classes_take_a_wider_type():
    assert encode_classes(np.arange(256))[1].dtype == np.uint8
    assert encode_classes(np.arange(257))[1].dtype == np.uint16


def test_categories_keep_their_order_if_they_occur():
    y = ["low", "high", "low"]
    declared = ["low", "middle", "high"]
    for column in (
        pd.Series(pd.Categorical(y, declared)),
        pd.Categorical(y, declared, ordered=True),
        pl.Series(y, dtype=pl.Enum(declared)),
    ):
        classes, codes, _ = encode_classes(column)
        assert (classes, codes.tolist()) == (("low", "high"), [0, 1, 0])


@pytest.mark.parametrize("make", [list, pd.Series, pl.Series, lambda y: np.array(y, dtype=object)])
def test_missing_classes_are_dropped_and_counted(make):
    with pytest.warns(TreewrightWarning, match="1 of 3 rows"):
        classes, codes, keep = encode_classes(make(["b", None, "a"]))
    assert classes == ("a", "b")
    assert keep.tolist() == [True, False, True]
    assert codes[keep].tolist() == [1, 0]


def test_missing_numbers_are_dropped_and_counted():
    with pytest.warns(TreewrightWarning, match="2 of 3 rows"):
        values, keep = encode_numbers([1.5, None, np.nan])
    assert values[keep].tolist() == [1.5]


@pytest.mark.parametrize("encode", [encode_classes, encode_numbers])
@pytest.mark.parametrize("y", [[None, None], np.full(3, np.nan)])
def test_nothing_known_is_an_error(encode, y):
    with pytest.raises(DataError, match="every row is missing"):
        encode(y)


@pytest.mark.parametrize("make", [*SERIES.values(), lambda y: np.array(y, dtype=np.float32)])
def test_numbers(make):
    values, keep = encode_numbers(make([1, 2, 4]))
    assert (values.dtype, values.tolist(), keep) == (np.float64, [1, 2, 4], None)


def test_booleans_are_numbers_to_a_regressor():
    assert encode_numbers(np.array([True, False]))[0].tolist() == [1, 0]


@pytest.mark.parametrize("encode", [encode_classes, encode_numbers])
@pytest.mark.parametrize(
    "make", [lambda y: np.array(y)[:, np.newaxis], lambda y: [[v] for v in y], lambda y: pd.DataFrame({"y": y})]
)
def test_a_column_vector_is_flattened_with_a_warning(encode, make):
    with pytest.warns(DataConversionWarning, match="A column-vector y was passed when a 1d array was expected"):
        assert encode(make([2, 1, 2]))[0] is not None


@pytest.mark.parametrize("encode", [encode_classes, encode_numbers])
@pytest.mark.parametrize(
    ("y", "message"),
    [
        (None, "requires y to be passed, but the target y is None"),
        ("yes", "y should be a 1d array"),
        (3, "y should be a 1d array"),
        (np.zeros((3, 2)), r"y should be a 1d array, got an array of shape \(3, 2\)"),
        ([[1, 2], [3, 4]], r"shape \(2, 2\)"),
        (pd.DataFrame({"a": [1], "b": [2]}), r"shape \(1, 2\)"),
        ([], "no rows"),
        ([1, "a"], "mixes types.*convert y"),
        ([{"a": 1}], "'y' holds a dict in row 0"),
        (np.array([1j]), "Complex data not supported"),
        (np.array([1.0, np.inf]), "Input y contains infinity"),
    ],
)
def test_bad_targets(encode, y, message):
    if encode is encode_numbers and "convert y" in message:
        message = "mixes types"
    with pytest.raises(DataError, match=message) as caught:
        encode(y)
    assert caught.value.hint


@pytest.mark.parametrize("encode", [encode_classes, encode_numbers])
def test_length_must_match(encode):
    encode([1, 2], n_rows=2)
    with pytest.raises(DataError, match=r"inconsistent numbers of samples: X has 3 rows, y has 2"):
        encode([1, 2], n_rows=3)


@pytest.mark.parametrize("y", [[0.5, 1.0], np.array([1.5, 2.5], dtype=np.float32), pl.Series([0.1])])
def test_continuous_targets_are_no_classes(y):
    with pytest.raises(DataError, match="Unknown label type: continuous"):
        encode_classes(y)


@pytest.mark.parametrize("y", [["a", "b"], [datetime.date(2020, 1, 1)]])
def test_a_regressor_wants_numbers(y):
    with pytest.raises(DataError, match="a regressor predicts numbers"):
        encode_numbers(y)


def test_no_warning_when_all_is_well():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        encode_classes(["a", "b"])
        encode_numbers([1, 2])


@pytest.mark.parametrize(
    ("cells", "classes"),
    [
        (LevelValues(np.array([3, 0, 1], np.uint8), ("c", "b", "a"), declared=True), ("c", "a")),
        (NumberValues(np.array([5.0, np.nan, 2.0])), (2.0, 5.0)),
    ],
)
def test_a_column_that_is_read_already(cells, classes):
    with pytest.warns(TreewrightWarning, match="1 of 3 rows"):
        found, codes, keep = encode_classes(TargetColumn("t", cells), 3)
    assert found == classes
    assert codes[keep].tolist() == [1, 0]


def test_a_column_is_called_by_its_name():
    with pytest.raises(DataError, match="column 't' holds 'a', but a regressor predicts numbers"):
        encode_numbers(TargetColumn("t", LevelValues(np.array([1], np.uint8), ("a",))))


@pytest.mark.parametrize("y", [[True, False, None], np.array([True, False]), pl.Series([True, None, False])])
@pytest.mark.filterwarnings("ignore:1 of 3 rows")
def test_truth_values_of_any_table_are_numbers_to_a_regressor(y):
    values, keep = encode_numbers(y)
    assert (values if keep is None else values[keep]).tolist() == [1.0, 0.0]


@pytest.mark.parametrize(("classes", "n_rows"), [((0, 1), 2), (tuple(range(9)), 9), (tuple(range(18)), 20)])
def test_classes_to_tell_apart(classes, n_rows):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        check_classes(classes, np.arange(n_rows) % len(classes))


def test_too_few_or_too_many_classes():
    with pytest.raises(DataError, match="only one class, 'a'"):
        check_classes(("a",), np.zeros(5, np.uint8))
    with pytest.raises(DataError, match="only one class, 'b'"):
        check_classes(("a", "b", "c"), np.ones(5, np.uint8))
    with pytest.raises(DataError, match="10,001 classes"):
        check_classes(tuple(range(10_001)), np.array([0, 1]))
    with pytest.warns(TreewrightWarning, match="looks like an identifier: 10 different classes in 10 rows"):
        check_classes(tuple(range(10)), np.arange(10))
