"""Columns that name the rows are left out; text that stands for something else is recognised or named."""

import warnings

import numpy as np
import pandas as pd
import polars as pl
import pytest

import treewright as tw
from treewright.data.column_findings import finding_of
from treewright.data.frame import read_frame
from treewright.data.schema import Kind
from treewright.data.text_forms import text_form
from treewright.errors import DataError, TreewrightWarning
from treewright.kernels import switch

ROWS = 40
RNG = np.random.default_rng(0)
SHUFFLED = RNG.permutation(ROWS)
X = {
    "customer_id": SHUFFLED + 1000,
    "name": [f"n{k}" for k in range(ROWS)],
    "joined": [f"{1 + k % 28}.{1 + k % 12}.2023" for k in range(ROWS)],
    "size": RNG.normal(size=ROWS),
}
Y = np.where(X["size"] > 0, "a", "b")


def found(name, cells, *, leave_out=True):
    return finding_of(name, read_frame({name: cells}).cells(0), named=True, leave_out=leave_out)


@pytest.mark.parametrize(
    ("name", "cells", "left_out", "said"),
    [
        ("name", X["name"], True, "40 rows. It is left out. Hint: to keep it say kinds={'name': \"nominal\"}"),
        ("name", [*X["name"][:-1], "n0"], False, "an identifier: 39 different values in 40 rows. Hint: drop it"),
        ("fee", [*(f"${k}.50" for k in range(1, 40)), "$1.50"], True, "amounts as text.*left out since nearly all"),
        ("name", [*X["name"][:-4], *X["name"][:4]], False, ""),
        ("name", X["name"][:9], False, ""),
        ("customer_id", SHUFFLED, True, 'kinds={\'customer_id\': "numeric"}'),
        ("customer_id", SHUFFLED.astype(float), True, "It is left out"),
        ("customer_id", SHUFFLED + 0.5, False, ""),
        ("customer_id", SHUFFLED // 2, False, ""),
        ("spent", SHUFFLED, False, ""),
        ("spent", np.arange(ROWS), False, "numbers the rows"),
        ("spent", np.arange(ROWS)[::-1] * 10, False, "numbers the rows"),
        ("city", [f"c{k % 60}" for k in range(120)], False, "60 levels, each of 2.0 rows on average"),
        ("share", ["12 %", "3.5%"], False, "holds percentages as text, such as '12 %'"),
        ("us", ["01/31/2024", "02/01/2024"], False, "dates with the month first as text.*kinds={'us': \"%m/%d/%Y\"}"),
        ("amount", ["1.234,50", "2,3"], False, "numbers with a decimal comma as text"),
        ("amount", ["1.5", "2"], False, 'numbers as text.*kinds={\'amount\': "numeric"}'),
        ("grade", ["1", "2", "3"], False, ""),
        ("zip", ["01067", "80331"] * 20, False, ""),
        ("zip", ["01067", "80331", "02000", "n/a"] * 9, False, ""),
        ("age", ["31", "45", "28", "n/a"] * 9, False, "numbers as text.*but for 'n/a'. Hint: make 'n/a' None if it is"),
        ("age", ["1", "2", "3", "3+"] * 9, False, ""),
        ("age", ["1.5", "2.5", "3", "-", "old"], False, "but for '-' and 'old'. Hint: make '-' and 'old' None if they"),
        ("age", ["1.5", "2.5", "3", "-", "old", "young"], False, ""),
        ("pay", [*(f"{k}.5" for k in range(20)), "-"], True, "'-', and is left out since nearly all"),
        ("born", ["2024-01-31", "2024-02-01", "2024-03-05", "unknown"], False, "holds dates as text.*for 'unknown'"),
        ("born", ["2024-01-31", "2024-02-01", "2024-03-32", "unknown"], False, ""),
        ("start", ["14:04", "03:10", "22:59"], False, "times of day as text, such as '03:10'. Hint: make them times"),
        ("price", ["$1,039.77", "$3"], False, "amounts as text, such as '$1,039.77'.*kinds={'price': \"numeric\"}"),
        ("price", ["0,40 €", "12 €"], False, "amounts as text.*kinds={'price': \"numeric\"}"),
        ("price", ["1.234 €", "12 €"], False, "amounts as text.*write them without currency"),
        ("price", ["1,039.77", "3.00"], False, "amounts as text.*write them without currency"),
        ("score", ["1:3", "24:00"], False, ""),
    ],
)  # fmt: skip
def test_what_is_found(name, cells, left_out, said):
    finding = found(name, list(cells))
    text = "\n".join(finding.remarks)
    assert finding.left_out == left_out
    assert bool(text) == bool(said)
    head, _, rest = said.partition(".*")
    assert head in text
    assert rest in text


def test_nothing_is_left_out_where_all_columns_are_wanted():
    finding = found("name", X["name"], leave_out=False)
    assert not finding.left_out
    assert "Hint: drop it" in finding.remarks[0]


@pytest.mark.parametrize("make", [dict, pd.DataFrame, pl.DataFrame])
def test_every_table_is_learned_without_its_identifiers(make):
    with switch.compiling("never"), pytest.warns(TreewrightWarning) as caught:
        model = tw.CARTClassifier().fit(make(X), Y)
    assert [str(warning.message)[:32] for warning in caught] == [
        "column 'customer_id' looks like ", "column 'name' looks like an iden", "column 'joined' holds dates as t",
    ]  # fmt: skip
    kinds = [(column.kind.value, column.unit.value, column.is_left_out) for column in model.schema_.columns]
    assert kinds == [("nominal", "number", True)] * 2 + [("numeric", "date", False), ("numeric", "number", False)]
    assert model.n_features_in_ == 4
    assert model.predict(make(X)).tolist() == Y.tolist()
    rest = {name: X[name] for name in ("size", "joined")}
    assert model.predict(make(rest)).tolist() == Y.tolist()


@pytest.mark.parametrize("method", ["c4.5", "c5.0", "chaid", "knn", "forest", "c4.5rules", "m5", "cubist", "m5rules"])
def test_every_method_leaves_them_out(method, tmp_path):
    numbers = method in ("m5", "cubist", "m5rules")
    table = {**X, "y": X["size"] * 2 if numbers else Y}
    options = {"n_trees": 3} if method == "forest" else {"k": 3} if method == "knn" else {}
    with switch.compiling("never"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = tw.fit(table, "y", method, unseen="error", **options)
        assert [column.name for column in model.schema_.columns if column.is_left_out] == ["customer_id", "name"]
        model.save(tmp_path / "model.json")
        again = tw.load(tmp_path / "model.json")
        others = {**X, "name": ["new"] * ROWS}  # what was left out is never unseen
        assert np.array_equal(again.predict(others), model.predict(X))


def test_kinds_keep_a_column_without_a_word():
    with warnings.catch_warnings(), switch.compiling("never"):
        warnings.simplefilter("error")
        model = tw.CARTClassifier(kinds={"name": "nominal", "joined": "nominal", "customer_id": "numeric"}).fit(X, Y)
    assert [len(column.levels) for column in model.schema_.columns[1:3]] == [40, 40]


@pytest.mark.parametrize(
    ("texts", "unit", "numbers"),
    [
        (["31.12.2024", None, "1.1.1970"], "date", [20088, np.nan, 0]),
        (["1970-01-02 00:00", "1970-01-01T12:00"], "datetime", [86400, 43200]),
        (["12 %", "3.5%", " 4 "], "number", [12, 3.5, 4]),
    ],
)
def test_text_can_be_read_as_numbers(texts, unit, numbers):
    cells = read_frame({"x": texts}).cells(0, Kind.NUMERIC)
    assert cells.unit.value == unit
    assert np.array_equal(cells.values, numbers, equal_nan=True)


def test_a_text_that_is_no_date_is_named():
    with pytest.raises(DataError, match="'x' cannot be read as numbers: row 0 holds '1.1.2024'"):
        tw.CARTRegressor(kinds={"x": "numeric"}).fit({"x": ["1.1.2024", "soon"]}, [1.0, 2.0])


@pytest.mark.parametrize("text", ["32.12.2024", "31.02.2024", "2024-13-01"])
def test_what_looks_like_a_date_and_is_none(text):
    assert text_form([text]) is None


def test_large_keys_are_left_out_and_no_error():
    with pytest.warns(TreewrightWarning, match="'row_id' looks like an identifier"):
        tw.CARTClassifier().fit({"row_id": (np.arange(20) + 2**60).tolist(), "x": [0.0, 1.0] * 10}, ["a", "b"] * 10)


def test_inspect_says_the_same():
    seen = tw.inspect({**X, "size": [None, *X["size"][1:]]})
    assert [column.kind for column in seen] == ["left out", "left out", "numeric", "numeric"]
    assert seen["size"].missing == 1
    assert seen["joined"].examples[0] == "2023-01-01"
    assert len(seen.warnings) == 3
    frame = seen.to_frame()
    assert frame.columns.tolist() == ["column", "kind", "levels", "missing", "examples", "warnings"]
    assert frame["missing"].tolist() == [0, 0, 0, 1 / ROWS]
    assert "left out" in seen._repr_html_()
    assert seen.to_markdown().count("\n| ") == 6
    assert repr(seen) == str(seen)


def test_a_column_that_fitting_refuses_is_told_of_among_the_others():
    found = tw.inspect({"m": [1, "a", 2.5, None] * 5, "x": list(range(20))})
    assert [column.kind for column in found] == ["refused", "numeric"]
    assert "column 'm' mixes types" in str(found)


def test_dates_that_begin_with_the_year_have_no_doubtful_order():
    (iso,) = tw.inspect({"d": [f"2024-05-{day}" for day in range(10, 25)]})
    (german,) = tw.inspect({"d": [f"{day}.5.2024" for day in range(10, 25)]})
    assert "the day before the month" not in iso.remarks[0]
    assert "the day before the month" in german.remarks[0]


def test_a_column_is_remarked_upon_once():
    """Text of numbers that all differ is left out, and the remedy is to read it as numbers."""
    table = {"income": [f"{100 + n}.5" for n in range(40)], "share": [f"{n} %" for n in range(40)]}
    for column in tw.inspect({**table, "customer_id": [str(n) for n in range(40)]}):
        assert column.kind == "left out"
        (remark,) = column.remarks
        kept = "nominal" if column.name == "customer_id" else "numeric"
        assert remark.endswith(f'kinds={{{column.name!r}: "{kept}"}}.')


def test_many_columns_of_the_same_remark_are_warned_of_at_once():
    n = 120
    X = {f"c{j}": [f"l{(k + j) % 60}" for k in range(n)] for j in range(30)} | {"id": [f"k{k}" for k in range(n)]}
    with pytest.warns(tw.TreewrightWarning) as caught:
        tw.CARTClassifier(max_depth=1).fit(X, np.arange(n) % 2)
    told = [str(warning.message) for warning in caught]
    assert len(told) == 8 + 1 + 1
    assert "column 'c7' has 60 levels" in told[7]
    assert "column 'id' looks like an identifier" in told[8]
    assert told[9].startswith("22 more columns have the same remark as column 'c0': c8, c9, ")
