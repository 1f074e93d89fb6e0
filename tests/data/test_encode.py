import subprocess
import sys

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from treewright.data import numeric
from treewright.data.encode import SMALL_TABLE, encode, make_schema
from treewright.data.encoded import EncodedColumn
from treewright.data.frame import read_frame
from treewright.data.schema import Target
from treewright.errors import DataError, OptionError


def encode_table(table, *, max_bins=None, n_jobs=1, kinds=None):
    frame = read_frame(table)
    schema = make_schema(frame, Target("y"), kinds)
    return encode(frame, schema, np.zeros(frame.n_rows), None, max_bins=max_bins, n_jobs=n_jobs)


def encode_values(values, max_bins=None):
    return encode_table(np.asarray(values)[:, np.newaxis], max_bins=max_bins).columns[0]


def check_exact(column, values):
    """Dense ranks of the distinct values, 0 for missing, in the smallest type."""
    known = ~np.isnan(values)
    distinct, ranks = np.unique(values[known].astype(np.float64) + 0.0, return_inverse=True)
    expected = np.zeros(len(values), dtype=int)
    expected[known] = ranks + 1
    assert column.codes.tolist() == expected.tolist()
    assert column.n_codes == len(distinct) + 1
    assert column.has_missing == (not known.all())
    if len(distinct) <= 255:
        assert column.codes.dtype == np.uint8
        assert column.lows.tolist() == distinct.tolist()
        assert column.highs is column.lows
        assert column.order is None
    else:
        np.testing.assert_array_equal(column.numbers, values)
        assert column.codes.dtype == np.uint32
        assert column.order.dtype == np.uint32
        assert column.order.tolist() == np.argsort(expected, kind="stable").tolist()


def check_binned(column, values, max_bins):
    """Codes follow the values, every bin has rows and knows its smallest and largest."""
    known = ~np.isnan(values)
    assert column.codes.dtype == np.uint8
    assert column.order is None
    assert ((column.codes == 0) == ~known).all()
    assert column.n_codes - 1 <= max_bins
    for code in range(1, column.n_codes):
        inside = values[column.codes == code]
        assert (column.lows[code - 1], column.highs[code - 1]) == (inside.min(), inside.max())
    assert (column.lows[1:] > column.highs[:-1]).all()


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("max_bins", [None, 255])
@given(data=st.data())
def test_few_values_are_coded_exactly(dtype, max_bins, data):
    width = 8 * np.dtype(dtype).itemsize
    values = data.draw(arrays(dtype, st.integers(1, 40), elements=st.floats(width=width)))
    check_exact(encode_values(values, max_bins), values)


@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.int64, np.int16])
@pytest.mark.parametrize("n_rows", [256, 3000, 70_000])
def test_many_values_are_coded_exactly(dtype, n_rows):
    values = np.random.default_rng(n_rows).permutation(n_rows).astype(dtype)
    if values.dtype.kind == "f":
        values[::7] = np.nan
        values[::5] = np.inf
        values[3] = -0.0
    check_exact(encode_values(values), values)


@pytest.mark.parametrize("cells", [[np.nan], [np.nan] * 3, [2.0], [-0.0, 0.0], [np.inf, -np.inf, np.nan]])
@pytest.mark.parametrize("max_bins", [None, 255, 2])
def test_edge_cases_are_coded_exactly(cells, max_bins):
    check_exact(encode_values(np.array(cells), max_bins), np.array(cells))


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("max_bins", [2, 16, 255])
def test_bins_hold_even_shares(dtype, max_bins):
    values = np.random.default_rng(0).normal(size=5000).astype(dtype)
    values[:50] = np.nan
    column = encode_values(values, max_bins)
    check_binned(column, values, max_bins)
    assert column.n_codes == max_bins + 1
    sizes = np.bincount(column.codes)[1:]
    assert sizes.max() - sizes.min() <= 1


def test_a_frequent_value_takes_one_bin_and_leaves_the_others_to_the_rest():
    values = np.random.default_rng(0).normal(size=4000)
    values[:3000] = 0.0
    column = encode_values(values, 20)
    check_binned(column, values, 20)
    assert column.n_codes == 21


@given(st.lists(st.one_of(st.integers(0, 30), st.just(np.nan)), min_size=1, max_size=80), st.integers(2, 10))
def test_any_column_is_binned(cells, max_bins):
    values = np.array(cells, dtype=np.float64)
    column = encode_values(values, max_bins)
    if len(np.unique(values[~np.isnan(values)])) > max_bins:
        check_binned(column, values, max_bins)
    else:
        check_exact(column, values)


def test_bins_from_a_sample_cover_all_rows(monkeypatch):
    monkeypatch.setattr(numeric, "SAMPLE_ROWS", 100)
    values = np.random.default_rng(1).normal(size=10_000)
    values[::2] = np.nan  # a stride over all rows would meet missing values only
    column = encode_values(values, 10)
    check_binned(column, values, 10)
    assert column.n_codes == 11


def test_layout_and_threads_do_not_matter():
    matrix = np.random.default_rng(0).normal(size=(SMALL_TABLE // 4, 5)).astype(np.float32)
    matrix[::11, 2] = np.nan
    for max_bins in (None, 255):
        one = encode_table(matrix, max_bins=max_bins)
        for other in (
            encode_table(matrix, max_bins=max_bins, n_jobs=2),
            encode_table(matrix, max_bins=max_bins, n_jobs=9),
            encode_table(np.asfortranarray(matrix), max_bins=max_bins),
            encode_table(np.repeat(matrix, 2, axis=1)[:, ::2], max_bins=max_bins),
            encode_table(pd.DataFrame(matrix), max_bins=max_bins),
            encode_table(matrix.astype(">f4"), max_bins=max_bins),
        ):
            for a, b in zip(one.columns, other.columns):
                np.testing.assert_array_equal(a.codes, b.codes)
                np.testing.assert_array_equal(a.lows, b.lows)
                np.testing.assert_array_equal(a.highs, b.highs)
                assert (a.order is None) == (b.order is None)
                assert a.order is None or (a.order == b.order).all()
        for index, column in enumerate(one.columns):
            if max_bins is None:
                check_exact(column, matrix[:, index])
            else:
                check_binned(column, matrix[:, index], max_bins)


def test_small_and_large_tables_are_coded_alike():
    matrix = np.random.default_rng(0).integers(0, 300, size=(400, 3))
    for index, column in enumerate(encode_table(matrix).columns):
        check_exact(column, matrix[:, index].astype(float))


def test_the_input_is_left_alone():
    matrix = np.asfortranarray(np.random.default_rng(0).normal(size=(SMALL_TABLE, 2)))
    before = matrix.copy()
    encode_table(matrix)
    encode_table(matrix, max_bins=8)
    assert (matrix == before).all()


def test_levels_are_coded_in_order():
    column = encode_table({"c": ["b", None, "a", "b"]}).columns[0]
    assert column.codes.tolist() == [2, 0, 1, 2]
    assert (column.codes.dtype, column.n_codes, column.has_missing, column.order) == (np.uint8, 3, True, None)
    assert not len(column.lows)


def test_declared_levels_count_even_if_unused():
    column = encode_table({"c": ["M", "M"]}, kinds={"c": ["S", "M", "L"]}).columns[0]
    assert (column.codes.tolist(), column.n_codes) == ([2, 2], 4)
    unordered = pd.DataFrame({"c": pd.Categorical(["M", "L"], categories=["S", "L", "M"])})
    assert encode_table(unordered).columns[0].codes.tolist() == [2, 1]


def test_many_levels_take_a_wider_type():
    cells = [f"v{i:03}" for i in range(300)] * 2
    column = encode_table({"c": cells}).columns[0]
    assert (column.codes.dtype, column.n_codes, column.codes.max()) == (np.uint16, 301, 300)


def test_a_matrix_with_a_nominal_column():
    encoded = encode_table(np.array([[5.0, 2.0], [4.0, 9.0]]), kinds={"x1": "nominal"})
    assert [column.codes.tolist() for column in encoded.columns] == [[2, 1], [1, 2]]
    assert encoded.schema.columns[1].levels == (2.0, 9.0)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:column 'c' looks like an identifier")
def test_a_million_levels():
    cells = pl.Series("c", np.arange(1_000_000)).cast(pl.String)
    column = encode_table(pl.DataFrame({"c": cells})).columns[0]
    assert column.n_codes == 1_000_001
    assert len(np.unique(column.codes)) == 1_000_000


@pytest.mark.parametrize("max_bins", [0, 1, 256])
def test_bad_max_bins(max_bins):
    with pytest.raises(OptionError, match="max_bins"):
        encode_table(np.zeros((2, 2)), max_bins=max_bins)


@pytest.mark.parametrize("n_rows", [2, SMALL_TABLE])
def test_huge_integers_name_their_column(n_rows):
    matrix = np.ones((n_rows, 2), dtype=np.int64)
    matrix[1, 1] = -(2**53) - 1
    with pytest.raises(DataError, match="'x1' holds the integer -9007199254740993"):
        encode_table(matrix)


def test_importing_data_does_not_import_numba():
    code = (
        "import sys, treewright.data.encode, treewright.data.target_column, treewright.data.weights\n"
        "import treewright.datasets\n"
        "print([m for m in ('numba', 'sklearn', 'narwhals', 'pandas') if m in sys.modules])"
    )
    paths = {"PYTHONPATH": ":".join(path for path in sys.path if path)}
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, env=paths)
    assert done.stdout.strip() == "[]"


def test_rows_copied_by_number():
    """Codes, numbers and order of a table whose rows are given several times, in any order."""
    random = np.random.default_rng(0)
    number = random.normal(size=400)
    number[::9] = np.nan
    frame = read_frame({"many": number, "few": random.integers(0, 4, 400), "level": random.choice(list("abc"), 400)})
    schema = make_schema(frame, Target("y", None))
    encoded = encode(frame, schema, random.normal(size=400), random.random(400), max_bins=None)
    rows = random.integers(0, 400, 700)
    copied = encoded.copy_rows(rows)
    np.testing.assert_array_equal(copied.y, encoded.y[rows])
    np.testing.assert_array_equal(copied.weights, encoded.weights[rows])
    for old, new in zip(encoded.columns, copied.columns):
        np.testing.assert_array_equal(new.codes, old.codes[rows])
        assert new.has_missing == old.has_missing
    many = copied.columns[0]
    assert sorted(many.order) == list(range(700))
    assert (np.diff(many.codes[many.order].astype(int)) >= 0).all()
    np.testing.assert_array_equal(many.numbers, encoded.columns[0].numbers[rows])


def test_rows_of_a_column_without_values():
    """Its numbers go with its codes: drawn cuts ask for both."""
    nothing = np.empty(0)
    column = EncodedColumn(np.zeros(4, np.uint8), 1, True, nothing, nothing, numbers=np.full(4, np.nan))
    some = column.take(np.array([True, False, True, False]))
    assert len(some.numbers) == len(some.codes) == 2
    assert [len(bound) for bound in some.bounds] == [1, 1]
