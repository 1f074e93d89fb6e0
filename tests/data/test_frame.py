import datetime
from decimal import Decimal

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from scipy import sparse

from treewright.data.frame import read_frame
from treewright.data.labelled import labelled
from treewright.data.schema import Kind, Unit
from treewright.errors import DataError

DAY = datetime.date(2020, 1, 1)
NOON = datetime.datetime(2020, 1, 1, 12)


def levels_and_codes(frame, column=0, wanted=None):
    cells = frame.cells(column, wanted)
    return cells.levels, cells.codes.tolist()


TABLES = {
    "dict": lambda c: c,
    "rows": lambda c: [dict(zip(c, row)) for row in zip(*c.values())],
    "pandas": pd.DataFrame,
    "polars": pl.DataFrame,
    "lazy": lambda c: pl.DataFrame(c).lazy(),
    "arrow": pa.table,
    "numpy in dict": lambda c: {name: np.array(cells, dtype=object) for name, cells in c.items()},
    "series in dict": lambda c: {name: pd.Series(cells) for name, cells in c.items()},
}


@pytest.mark.parametrize("make", TABLES.values(), ids=TABLES)
def test_every_table_reads_alike(make):
    frame = read_frame(
        make(
            {
                "t": ["b", None, "a"],
                "n": [2.5, None, 1.0],
                "i": [3, 1, 2],
                "b": [True, False, True],
                "d": [DAY, None, DAY],
            }
        )
    )
    assert (frame.names, frame.n_rows, frame.named) == (("t", "n", "i", "b", "d"), 3, True)
    assert levels_and_codes(frame) == (("a", "b"), [2, 0, 1])
    np.testing.assert_array_equal(frame.cells(1).values, [2.5, np.nan, 1.0])
    assert frame.cells(2).values.tolist() == [3, 1, 2]
    assert levels_and_codes(frame, 3) == ((False, True), [2, 1, 2])
    np.testing.assert_array_equal(frame.cells(4).values, [18262, np.nan, 18262])
    assert frame.cells(4).unit is Unit.DATE


@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.int64, np.uint8])
def test_a_matrix_of_numbers_is_not_copied(dtype):
    matrix = np.zeros((3, 2), dtype=dtype)
    frame = read_frame(matrix)
    assert frame.matrix is matrix
    assert (frame.names, frame.named) == (("x0", "x1"), False)


@pytest.mark.parametrize("dtype", ["U5", "S5", object])
def test_text_arrays_are_nominal(dtype):
    frame = read_frame(np.array([["b", "x"], ["a", "x"]], dtype=dtype))
    assert levels_and_codes(frame) == (("a", "b"), [2, 1])


def test_a_boolean_array_is_nominal():
    assert levels_and_codes(read_frame(np.array([[True], [False]]))) == ((False, True), [2, 1])


def test_an_object_array_is_inferred_by_column():
    frame = read_frame(np.array([[1.5, "b", None, 2], [None, "a", None, 3], [np.nan, None, None, 4]], dtype=object))
    np.testing.assert_array_equal(frame.cells(0).values, [1.5, np.nan, np.nan])
    assert levels_and_codes(frame, 1) == (("a", "b"), [2, 1, 0])
    assert np.isnan(frame.cells(2).values).all()
    assert frame.cells(3).values.tolist() == [2, 3, 4]


def test_lists_of_lists():
    assert read_frame([[1, 2.5], [3, 4]]).matrix.tolist() == [[1, 2.5], [3, 4]]
    mixed = read_frame([[1, "a"], (2, None)])
    assert levels_and_codes(mixed, 1) == (("a",), [1, 0])
    assert levels_and_codes(read_frame([[True, 1], [False, 2]])) == ((False, True), [2, 1])


def test_rows_may_lack_keys():
    frame = read_frame([{"a": 1}, {"b": "x"}])
    np.testing.assert_array_equal(frame.cells(0).values, [1, np.nan])
    assert levels_and_codes(frame, 1) == (("x",), [0, 1])


@pytest.mark.parametrize("missing", [None, np.nan, float("nan"), pd.NA, pd.NaT])
def test_every_missing_value_in_text_and_numbers(missing):
    frame = read_frame({"t": ["x", missing], "n": [1, missing], "d": [DAY, missing]})
    assert levels_and_codes(frame) == (("x",), [1, 0])
    assert np.isnan(frame.cells(1).values).tolist() == [False, True]
    assert np.isnan(frame.cells(2).values).tolist() == [False, True]


def test_numbers_of_many_types_are_numeric():
    frame = read_frame({"n": [1, 2.5, Decimal("3.5"), np.float32(4), np.int8(5), np.inf]})
    assert frame.cells(0).values.tolist() == [1, 2.5, 3.5, 4, 5, np.inf]


def test_times_are_numbers_with_units():
    paris = datetime.timezone(datetime.timedelta(hours=1))
    frame = read_frame(
        {"at": [NOON, None], "tz": [NOON.replace(tzinfo=paris), None], "for": [datetime.timedelta(minutes=1), None]}
    )
    seconds = 18262.5 * 86400
    assert (frame.cells(0).values[0], frame.cells(0).unit) == (seconds, Unit.DATETIME)
    assert (frame.cells(1).values[0], frame.cells(1).unit) == (seconds - 3600, Unit.UTC_DATETIME)
    assert (frame.cells(2).values[0], frame.cells(2).unit) == (60, Unit.DURATION)


@pytest.mark.parametrize("make", [pd.Series, pl.Series, lambda c: np.array(c, dtype="M8[us]")])
def test_typed_datetimes(make):
    frame = read_frame({"at": make([NOON, None])})
    assert frame.cells(0).values[0] == 18262.5 * 86400
    assert np.isnan(frame.cells(0).values[1])
    assert frame.unit(0) is Unit.DATETIME


@pytest.mark.parametrize("make", [pd.Series, pl.Series, list])
def test_times_with_a_zone_are_known_as_such(make):
    frame = read_frame({"at": make([NOON.replace(tzinfo=datetime.timezone.utc), None])})
    cells = frame.cells(0)
    assert (cells.values[0], cells.unit) == (18262.5 * 86400, Unit.UTC_DATETIME)
    assert np.isnan(cells.values[1])


def test_times_with_and_without_a_zone_are_not_mixed():
    frame = read_frame({"at": [None, NOON, NOON.replace(tzinfo=datetime.timezone.utc)]})
    with pytest.raises(DataError, match=r"'at' mixes times with a zone, such as 2020-01-01 12:00:00\+00:00 in row 2"):
        frame.cells(0)


def test_categories():
    cells = ["M", None, "S"]
    ordered = pd.Categorical(cells, categories=["S", "M", "L"], ordered=True)
    frame = read_frame(pd.DataFrame({"o": ordered, "u": pd.Categorical(cells, categories=["S", "M", "L"])}))
    assert levels_and_codes(frame) == (("S", "M", "L"), [2, 0, 1])
    assert frame.cells(0).ordered
    assert not frame.cells(1).ordered
    enum = read_frame(pl.DataFrame({"o": pl.Series(cells, dtype=pl.Enum(["S", "M", "L"]))}))
    assert enum.cells(0).ordered
    assert levels_and_codes(enum) == levels_and_codes(frame)
    arrow = read_frame(pa.Table.from_pandas(pd.DataFrame({"o": ordered})))
    assert arrow.cells(0).ordered
    assert levels_and_codes(arrow) == levels_and_codes(frame)


def test_arrow_dictionaries_may_differ_between_chunks():
    chunks = [pa.array(cells).dictionary_encode() for cells in (["b", "a"], ["c", None, "a"])]
    cells = read_frame(pa.table({"d": pa.chunked_array(chunks)})).cells(0)
    assert [cells.levels[code - 1] if code else None for code in cells.codes] == ["b", "a", "c", None, "a"]


def test_numbers_forced_nominal_keep_their_type():
    assert levels_and_codes(read_frame({"z": [10, 9, None]}), 0, Kind.NOMINAL) == ((9, 10), [2, 1, 0])
    levels, _ = levels_and_codes(read_frame(pl.DataFrame({"z": [10, 9, None]})), 0, Kind.NOMINAL)
    assert [type(level) for level in levels] == [int, int]
    assert levels_and_codes(read_frame(np.array([[2.5], [1.5]])), 0, Kind.NOMINAL) == ((1.5, 2.5), [2, 1])


def test_mixed_types_forced_nominal_go_by_text():
    frame = read_frame({"m": [1, "a", 1.0, None, True]})
    assert levels_and_codes(frame, 0, Kind.NOMINAL) == (("1", "True", "a"), [1, 3, 1, 0, 2])


def test_text_forced_numeric_is_parsed():
    np.testing.assert_array_equal(read_frame({"n": ["1.5", None]}).cells(0, Kind.NUMERIC).values, [1.5, np.nan])
    np.testing.assert_array_equal(read_frame(pl.DataFrame({"n": ["1.5"]})).cells(0, Kind.NUMERIC).values, [1.5])
    with pytest.raises(DataError, match=r"'n'.*row 1 holds 'two'"):
        read_frame({"n": ["1", "two"]}).cells(0, Kind.NUMERIC)


def test_huge_integers_may_be_nominal():
    huge = 2**60
    for table in (np.array([[huge], [1]]), {"x0": [huge, 1]}, pl.DataFrame({"x0": [huge, 1]})):
        frame = read_frame(table)
        assert frame.cells(0, Kind.NOMINAL).levels == (1, huge)
        with pytest.raises(DataError, match=rf"'x0' holds the integer {huge}.*kinds=\{{'x0': \"nominal\""):
            frame.cells(0, Kind.NUMERIC)
    with pytest.raises(DataError, match=rf"'x0' holds the integer {huge}"):
        read_frame(np.array([[huge], [1]])).floats()
    assert read_frame({"n": [2**53, -(2**53)]}).cells(0).values.tolist() == [2.0**53, -(2.0**53)]
    with pytest.raises(DataError, match="too large"):
        read_frame([[2**70]]).cells(0)


def test_pandas_labels_that_are_numbers_are_no_names():
    assert read_frame(pd.DataFrame([[1, 2]])).names == ("x0", "x1")
    frame = read_frame(pd.DataFrame([[1, 2]], columns=[7, 9]))
    assert (frame.names, frame.named) == (("7", "9"), False)


def test_structured_and_masked_arrays():
    frame = read_frame(np.array([(1, "a"), (2, "b")], dtype=[("n", int), ("t", "U1")]))
    assert (frame.names, frame.named) == (("n", "t"), True)
    masked = read_frame(np.ma.masked_equal(np.array([[1.0], [2.0]]), 2.0))
    np.testing.assert_array_equal(masked.matrix, [[1.0], [np.nan]])


@pytest.mark.parametrize("make", [*TABLES.values(), lambda c: np.array(list(zip(*c.values())), dtype=object)])
def test_take_keeps_rows(make):
    frame = read_frame(make({"t": ["b", "c", "a"], "n": [3, 2, 1]})).take(np.array([True, False, True]))
    assert frame.n_rows == 2
    assert levels_and_codes(frame) == (("a", "b"), [2, 1])
    assert frame.cells(1).values.tolist() == [3, 1]


@pytest.mark.parametrize("make", TABLES.values())
@pytest.mark.parametrize("wanted", [None, Kind.NUMERIC, Kind.NOMINAL])
def test_floats_in_arrays_read_as_before(make, wanted):
    """Also where a number is missing, which NumPy and polars write otherwise."""
    frame = read_frame(make({"whole": [2.5, 1.0, 1.0], "some": [2.5, None, 1.0], "n": [3, 2, 1]}))
    arrays = frame.in_arrays()
    assert arrays.names == frame.names
    for column in range(3):
        mine, before = arrays.cells(column, wanted), frame.cells(column, wanted)
        values = [cells.codes if wanted is Kind.NOMINAL else cells.values for cells in (mine, before)]
        np.testing.assert_array_equal(*values)
        assert getattr(mine, "levels", None) == getattr(before, "levels", None)


def test_folds_of_a_table_take_rows_of_arrays():
    rows = labelled(pl.DataFrame({"x": [1.0, 2.0, 3.0, 4.0]}), list("abab"), is_classifier=True)
    (rest, part), _ = rows.folds(2)
    assert isinstance(rest.frame.raw[0], np.ndarray)
    assert sorted([*rest.frame.raw[0], *part.frame.raw[0]]) == [1, 2, 3, 4]


def test_take_keeps_rows_of_a_matrix():
    assert read_frame(np.array([[1.0], [2.0]])).take(np.array([False, True])).matrix.tolist() == [[2.0]]


def test_text_is_read_once_for_schema_and_codes():
    frame = read_frame({"t": ["a", "b"]})
    assert frame.cells(0) is frame.cells(0, Kind.NOMINAL)


BAD_TABLES = [
    (np.arange(3.0), "Reshape your data"),
    (np.zeros((2, 2, 2)), "3-D"),
    (pd.Series([1, 2]), "Reshape your data"),
    ([1, 2, 3], "Reshape your data"),
    (["a", "b"], "Reshape your data"),
    (3, "not a table: got 3"),
    ("data.csv", "not a table: got 'data.csv'"),
    (None, "not a table: got None"),
    (object(), "not a table: got a object"),
    (sparse.csr_array(np.eye(3)), "[Ss]parse.*toarray"),
    (np.empty((0, 3)), r"0 sample\(s\) \(shape=\(0, 3\)\) while a minimum of 1 is required\."),
    (np.empty((12, 0)), r"0 feature\(s\) \(shape=\(12, 0\)\) while a minimum of 1 is required\."),
    (pd.DataFrame({"a": []}), r"0 sample\(s\)"),
    (pd.DataFrame(index=[0, 1]), r"0 feature\(s\)"),
    ([], r"0 feature\(s\)"),
    ({}, r"0 feature\(s\)"),
    ({"a": []}, r"0 sample\(s\)"),
    ([[], []], r"0 feature\(s\)"),
    (pd.DataFrame([[1, 2]], columns=["a", "a"]), "unique: 'a'"),
    (pa.table([[1], [2]], names=["a", "a"]), "unique: 'a'"),
    ([[1, 2], [3]], "row 0 has 2 cells, row 1 has 1"),
    ({"a": [1, 2], "b": [1]}, "differ in length: 'a' 2, 'b' 1"),
    ({"a": 1}, "column 'a' is not a sequence.*single row"),
    ({"a": "text"}, "column 'a' is not a sequence"),
    ({"a": np.zeros((2, 2))}, r"column 'a' has shape \(2, 2\)"),
    ([{"a": 1}, [1]], "not a row like the others"),
    (np.zeros((2, 2), dtype=complex), "Complex data not supported"),
    (pd.DataFrame([[1, 2]], columns=["a", 1]), "string names"),
]


@pytest.mark.parametrize(("table", "message"), BAD_TABLES)
def test_bad_tables_are_refused_with_a_hint(table, message):
    with pytest.raises(DataError, match=rf"(?s){message}") as caught:
        read_frame(table)
    assert caught.value.hint


BAD_COLUMNS = [
    ([1, "a"], r"'c' mixes types: int \(1\) in row 0 and str \('a'\) in row 1.*kinds=\{'c': \"nominal\"\}"),
    ([None, True, 2], r"'c' mixes types: bool \(True\) in row 1 and int \(2\) in row 2"),
    (["a", [1]], "'c' holds a list in row 1"),
    ([1.5, {"a": 1}], "'c' holds a dict in row 1"),
    ([(1, [2]), (3,)], "'c' holds a tuple in row 0"),
    ([1, 2j], "Complex data not supported: column 'c'"),
]


@pytest.mark.parametrize(("cells", "message"), BAD_COLUMNS)
def test_bad_columns_are_refused_with_a_hint(cells, message):
    with pytest.raises(DataError, match=message) as caught:
        read_frame({"c": cells}).cells(0)
    assert caught.value.hint


def test_unhashable_cells_are_type_errors_too():
    """scikit-learn's checks expect one."""
    with pytest.raises(TypeError, match=r"argument must be .* string.* number"):
        read_frame(np.array([[{"foo": "bar"}], [1.0]], dtype=object)).cells(0)


@pytest.mark.parametrize("make", [pl.DataFrame, pa.table])
def test_nested_columns_are_refused(make):
    with pytest.raises(DataError, match="'c' holds a list in row 0"):
        read_frame(make({"c": [[1], [2]]})).cells(0)


@pytest.mark.parametrize(
    ("table", "key", "place"),
    [
        ({"a": [1], "b": [2]}, "b", 1),
        ({"a": [1], "b": [2]}, "c", None),
        ({"a": [1], "b": [2]}, 1, 1),
        ({"a": [1], "b": [2]}, -1, 1),
        ({"a": [1], "b": [2]}, 2, None),
        ({"a": [1], "b": [2]}, -3, None),
        ({"a": [1], "b": [2]}, True, None),
        ({"a": [1], "b": [2]}, None, None),
        ({"a": [1], "b": [2]}, 1.0, None),
        ({"1": [1], "0": [2]}, 1, 1),
        (np.zeros((1, 3)), "x2", 2),
        (np.zeros((1, 3)), np.int64(2), 2),
        (pd.DataFrame([[1, 2, 3]], columns=[2, 1, 0]), 2, 0),
        (pd.DataFrame([[1, 2, 3]], columns=[2, 1, 0]), "2", 0),
    ],
)
def test_columns_by_name_or_number(table, key, place):
    assert read_frame(table).place(key) == place


@pytest.mark.parametrize("make", [*TABLES.values(), lambda c: np.column_stack(list(c.values()))])
def test_all_columns_but_one(make):
    frame = read_frame(make({"a": [1, 2], "b": [3, 4], "c": [5, 6]}))
    rest = frame.without(1)
    assert rest.names == (frame.names[0], frame.names[2])
    assert (rest.n_rows, rest.named) == (2, frame.named)
    assert [rest.cells(column).values.tolist() for column in range(2)] == [[1, 2], [5, 6]]
    assert frame.n_columns == 3


def test_a_frame_is_read_as_it_is():
    frame = read_frame({"a": [1, 2]})
    assert read_frame(frame) is frame
    with pytest.raises(DataError, match="the table is empty"):
        read_frame(frame.without(0))


def test_hints_name_the_nearest_column_and_not_too_many():
    frame = read_frame({f"column {number}": [1] for number in range(30)})
    assert frame.hint_for("colum 7").startswith("did you mean 'column 7'? The columns are column 0, column 1,")
    assert frame.hint_for("zzz").endswith("column 18, column 19, …")


def test_record_batches_have_names():
    assert read_frame(pa.record_batch({"a": [1, 2], "b": ["x", "y"]})).names == ("a", "b")


def test_integers_of_128_bits():
    frame = read_frame(pl.DataFrame({"a": pl.Series([3, None, 1], dtype=pl.Int128)}))
    np.testing.assert_array_equal(frame.cells(0).values, [3, np.nan, 1])
    assert levels_and_codes(frame, 0, Kind.NOMINAL) == ((1, 3), [2, 0, 1])
