import datetime

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from treewright.data.frame import read_frame
from treewright.data.kinds import make_schema
from treewright.data.matrix import prediction_matrix
from treewright.data.schema import Target
from treewright.errors import DataError, OptionError

LEARNED = {"size": [3.5, 1.0, 2.0], "colour": ["red", "blue", "red"]}
ROWS = {"colour": ["red", "pink", None], "extra": [1, 2, 3], "size": [2, None, 7]}
EXPECTED = [[2, 2], [np.nan, np.nan], [7, np.nan]]


def schema_of(table, kinds=None):
    return make_schema(read_frame(table), Target("y"), kinds)


def matrix_of(table, schema, *args, **options):
    return prediction_matrix(read_frame(table), schema, *args, **options)


@pytest.mark.parametrize(
    "make", [dict, pd.DataFrame, pl.DataFrame, pa.table, lambda c: pd.DataFrame(c).to_dict("records")]
)
def test_columns_are_matched_by_name(make):
    np.testing.assert_array_equal(matrix_of(make(ROWS), schema_of(LEARNED)), EXPECTED)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_a_matrix_of_floats_is_returned_itself(dtype):
    matrix = np.array([[1.0, 2.0], [np.nan, np.inf]], dtype=dtype)
    assert matrix_of(matrix, schema_of(matrix)) is matrix


def test_a_matrix_is_returned_itself_when_its_levels_are_not_used():
    matrix = np.array([[1.0, 2.0], [3.0, 4.0]])
    schema = schema_of(matrix, {1: "nominal"})
    assert matrix_of(matrix, schema, [0]) is matrix
    assert matrix_of(matrix, schema).tolist() == [[1, 1], [3, 2]]


@pytest.mark.parametrize(("dtype", "result"), [(np.int64, np.float64), (np.int8, np.float32), (np.float16, np.float32)])
def test_other_numbers_become_floats(dtype, result):
    matrix = matrix_of(np.array([[1, 2]], dtype=dtype), schema_of(np.zeros((1, 2))))
    assert (matrix.dtype, matrix.tolist()) == (result, [[1, 2]])


def test_float32_columns_make_a_float32_matrix():
    table = pd.DataFrame({"a": np.float32([1, 2]), "b": ["x", "y"]})
    assert matrix_of(table, schema_of(table)).dtype == np.float32
    wide = table.assign(a=table["a"].astype(float))
    assert matrix_of(wide, schema_of(table)).dtype == np.float64


def test_unused_columns_are_not_read():
    table = {"size": [2.0], "colour": [["not", "a", "cell"]]}
    matrix = matrix_of(table, schema_of(LEARNED), [0])
    assert matrix[0, 0] == 2.0


@pytest.mark.parametrize(
    ("learned", "given", "codes"),
    [
        ([1, 2], ["1", "2"], [1, 2]),
        ([1, 2], [2.0, 1.0], [2, 1]),
        (["1", "2"], [2, 1], [2, 1]),
        (["1", "2"], [2.0, 3.0], [2, np.nan]),
        ([True, False], ["True", "False"], [2, 1]),
        ([1, 2], ["1", 2, None], [1, 2, np.nan]),
        (["a", "b"], [b"b", b"a"], [2, 1]),
    ],
)
def test_levels_are_matched_by_value_then_by_text(learned, given, codes):
    schema = schema_of({"c": learned}, {"c": "nominal"})
    np.testing.assert_array_equal(matrix_of({"c": given}, schema)[:, 0], codes)


@given(st.lists(st.sampled_from(["a", "b", "c", "d", None]), min_size=1, max_size=30))
def test_every_table_gives_the_same_codes(cells):
    schema = schema_of({"c": ["b", "d", "a"]})
    expected = [{"a": 1.0, "b": 2.0, "d": 3.0}.get(cell, np.nan) for cell in cells]
    typed = pd.array(cells, dtype="string")
    for column in (cells, np.array(cells, dtype=object), pl.Series(cells, dtype=pl.String), pd.Series(typed),
                   pd.Series(pd.Categorical(cells)), pl.Series(cells, dtype=pl.Categorical),
                   pa.chunked_array([pa.array(cells, pa.string())])):  # fmt: skip
        np.testing.assert_array_equal(matrix_of({"c": column}, schema)[:, 0], expected)


def test_unseen_levels_can_be_an_error():
    with pytest.raises(DataError, match="'colour' holds the level 'pink' in row 1"):
        matrix_of(ROWS, schema_of(LEARNED), unseen="error")
    known = {"size": [1.0, 2.0], "colour": ["red", None]}
    np.testing.assert_array_equal(matrix_of(known, schema_of(LEARNED), unseen="error"), [[1, 2], [2, np.nan]])


def test_a_lost_column_is_named():
    with pytest.raises(DataError, match=r"(?s)those that were passed during fit.*now missing:\n- colour\. Hint"):
        matrix_of({"size": [1.0], "color": ["red"]}, schema_of(LEARNED))


def test_the_number_of_unnamed_columns_is_checked():
    with pytest.raises(DataError, match="X has 3 features, but CARTClassifier is expecting 2 features as input"):
        matrix_of(np.zeros((1, 3)), schema_of(np.zeros((1, 2))), estimator="CARTClassifier")
    with pytest.raises(DataError, match="X has 1 features"):
        matrix_of(pd.DataFrame({"a": [1.0]}), schema_of(np.zeros((1, 2))))


def test_names_and_positions_may_meet():
    np.testing.assert_array_equal(matrix_of([[2, "red"]], schema_of(LEARNED)), [[2, 2]])
    named = pd.DataFrame({"a": [1.0], "b": [2.0]})
    assert matrix_of(named, schema_of(np.zeros((1, 2)))).tolist() == [[1, 2]]
    assert matrix_of(named[["b", "a"]], schema_of(named)).tolist() == [[1, 2]]


def test_dates_may_be_datetimes_or_text():
    day, later = datetime.date(2020, 1, 1), datetime.datetime(2020, 1, 1, 12)
    learned_days, learned_times = schema_of({"d": [day]}), schema_of({"d": [later]})
    assert matrix_of({"d": [later]}, learned_days).tolist() == [[18262.5]]
    assert matrix_of({"d": [day]}, learned_times).tolist() == [[18262 * 86400]]
    np.testing.assert_array_equal(matrix_of({"d": ["2020-01-02", None]}, learned_days), [[18263], [np.nan]])
    assert matrix_of(pl.DataFrame({"d": ["2020-01-01T12:00"]}), learned_times).tolist() == [[18262.5 * 86400]]
    with pytest.raises(DataError, match="'d' cannot be read as dates: row 1 holds 'soon'"):
        matrix_of({"d": ["2020-01-02", "soon"]}, learned_days)


def test_numbers_as_text_are_parsed():
    assert matrix_of({"size": ["2.5"], "colour": ["red"]}, schema_of(LEARNED)).tolist() == [[2.5, 2]]
    with pytest.raises(DataError, match="'size' cannot be read as numbers: row 0 holds 'big'"):
        matrix_of({"size": ["big"], "colour": ["red"]}, schema_of(LEARNED))


def test_a_column_with_nothing_known_is_missing():
    matrix = matrix_of(pl.DataFrame({"size": [None], "colour": [None]}), schema_of(LEARNED))
    assert np.isnan(matrix).all()


def test_bad_unseen():
    with pytest.raises(OptionError, match="unseen"):
        matrix_of(ROWS, schema_of(LEARNED), unseen="ignore")


UTC = datetime.timezone.utc
OF_UNITS = {
    "numbers": [1.0, 2.0],
    "dates": [datetime.date(2020, 1, 1), datetime.date(2020, 1, 2)],
    "times without a zone": [datetime.datetime(2020, 1, 1, 12), datetime.datetime(2020, 1, 2)],
    "times with a zone": [datetime.datetime(2020, 1, 1, 12, tzinfo=UTC), datetime.datetime(2020, 1, 2, tzinfo=UTC)],
    "durations": [datetime.timedelta(hours=1), datetime.timedelta(hours=2)],
}
ALIKE = {"dates", "times without a zone"}  # one may be given for the other


@pytest.mark.parametrize("container", [list, pd.Series, pl.Series])
@pytest.mark.parametrize("given", OF_UNITS)
@pytest.mark.parametrize("learned", OF_UNITS)
def test_a_column_may_not_change_what_its_numbers_stand_for(learned, given, container):
    schema, table = schema_of({"c": OF_UNITS[learned]}), {"c": container(OF_UNITS[given])}
    if given == learned or {given, learned} == ALIKE:
        assert not np.isnan(matrix_of(table, schema)).any()
        return
    with pytest.raises(DataError, match=f"'c' holds {given}, and the model learned from {learned}"):
        matrix_of(table, schema)


@pytest.mark.parametrize("learned", [unit for unit in OF_UNITS if unit != "numbers"])
def test_nor_may_it_become_an_array_of_numbers(learned):
    schema = schema_of({"x0": OF_UNITS[learned]})
    with pytest.raises(DataError, match=f"'x0' holds numbers, and the model learned from {learned}"):
        matrix_of(np.array([[18262.0]]), schema)
    assert np.isnan(matrix_of(np.array([[np.nan]]), schema)).all()


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("2020-01-01T12:00Z", 0),
        ("2020-01-01 12:00:00 UTC", 0),
        ("2020-01-01T14:00+02:00", 0),
        ("1.1.2020 06:30:00.5-0530", 0.5),
    ],
)
def test_texts_of_times_with_a_zone(text, seconds):
    schema = schema_of({"c": OF_UNITS["times with a zone"]})
    assert matrix_of({"c": [text]}, schema).tolist() == [[18262.5 * 86400 + seconds]]


@pytest.mark.parametrize(
    ("learned", "text"),
    [
        ("times with a zone", "2020-01-01T12:00"),
        ("times with a zone", "2020-01-01"),
        ("times without a zone", "2020-01-01T12:00Z"),
        ("dates", "2020-01-01T12:00+01:00"),
        ("dates", "18262"),
    ],
)
def test_texts_of_times_have_a_zone_if_those_learned_from_have(learned, text):
    with pytest.raises(DataError, match="'c' cannot be read as dates: row 0 holds"):
        matrix_of({"c": [text]}, schema_of({"c": OF_UNITS[learned]}))
