import warnings

import numpy as np
import pandas as pd
import polars as pl
import pytest

from treewright import datasets
from treewright.data.frame import read_frame
from treewright.data.kinds import make_schema
from treewright.data.schema import Kind, Target, Unit
from treewright.errors import DataError, OptionError, TreewrightWarning

TARGET = Target("y")


def columns_of(table, kinds=None):
    return make_schema(read_frame(table), TARGET, kinds).columns


def column_of(cells, kind=None):
    return columns_of({"c": cells}, None if kind is None else {"c": kind})[0]


def test_a_matrix_is_numeric():
    schema = make_schema(read_frame(np.zeros((2, 3))), TARGET)
    assert schema.names == ("x0", "x1", "x2")
    assert {column.kind for column in schema.columns} == {Kind.NUMERIC}
    assert schema.target is TARGET


@pytest.mark.parametrize(
    ("cells", "kind", "levels"),
    [
        (["b", "a"], Kind.NOMINAL, ("a", "b")),
        ([True, False], Kind.NOMINAL, (False, True)),
        ([1, 2], Kind.NUMERIC, ()),
        ([None, None], Kind.NUMERIC, ()),
        (pd.Categorical(["M"], ["S", "M", "L"], ordered=True), Kind.ORDINAL, ("S", "M", "L")),
        (pd.Categorical(["M", "L"], ["S", "M", "L"]), Kind.NOMINAL, ("M", "L")),
        (pl.Series(["M"], dtype=pl.Enum(["S", "M", "L"])), Kind.ORDINAL, ("S", "M", "L")),
        (pl.Series(["M", "L"], dtype=pl.Categorical), Kind.NOMINAL, ("L", "M")),
    ],
)
def test_inferred_kinds(cells, kind, levels):
    column = column_of(pd.Series(cells) if isinstance(cells, pd.Categorical) else cells)
    assert (column.kind, column.levels) == (kind, levels)


@pytest.mark.parametrize(
    ("cells", "unit"),
    [
        (np.array(["2020-01-01"], "M8[D]"), Unit.DATE),
        (np.array(["2020-01-01"], "M8[s]"), Unit.DATETIME),
        (np.array([3], "m8[s]"), Unit.DURATION),
        (np.array([3.0]), Unit.NUMBER),
    ],
)
def test_units(cells, unit):
    assert (column_of(cells).kind, column_of(cells).unit) == (Kind.NUMERIC, unit)


@pytest.mark.parametrize(
    ("cells", "wanted", "kind", "levels"),
    [
        ([10, 9], "nominal", Kind.NOMINAL, (9, 10)),
        ([10, 9], Kind.ORDINAL, Kind.ORDINAL, (9, 10)),
        (["1", "2"], "numeric", Kind.NUMERIC, ()),
        (["M", "S"], ["S", "M", "L"], Kind.ORDINAL, ("S", "M", "L")),
        ([1, 2], ["1", "2", "3"], Kind.ORDINAL, ("1", "2", "3")),
        ([True, False], "ordinal", Kind.ORDINAL, (False, True)),
        ([1, "a"], "nominal", Kind.NOMINAL, ("1", "a")),
        (pd.Series(pd.Categorical(["M"], ["S", "M"])), "ordinal", Kind.ORDINAL, ("S", "M")),
        (pd.Series(pd.Categorical(["M"], ["S", "M"], ordered=True)), "nominal", Kind.NOMINAL, ("M",)),
    ],
)
def test_kinds_overrule(cells, wanted, kind, levels):
    column = column_of(cells, wanted)
    assert (column.kind, column.levels) == (kind, levels)


def test_kinds_by_index_and_by_default_name():
    matrix = np.array([[1.0, 2.0], [3.0, 4.0]])
    for kinds in ({1: "nominal"}, {"x1": "nominal"}, {np.int64(1): Kind.NOMINAL}):
        assert [column.kind for column in columns_of(matrix, kinds)] == [Kind.NUMERIC, Kind.NOMINAL]


@pytest.mark.parametrize(
    ("kinds", "message"),
    [
        ({"sise": "nominal"}, r"'sise'.*did you mean 'size'\? The columns are size, zip"),
        ({5: "nominal"}, "does not exist: 5.*the columns are size, zip"),
        ({"size": "categorical"}, "kinds={'size': 'categorical'}.*'numeric', 'ordinal', 'nominal'"),
        ({"size": None}, "kinds={'size': None}"),
        ({"size": []}, "every level of the column once"),
        ({"size": ["S", "S"]}, "every level of the column once"),
        ({"size": "ordinal"}, "order of its levels is not known.*list the levels in order"),
        (["nominal"], "must be a dictionary"),
    ],
)
def test_bad_kinds(kinds, message):
    with pytest.raises(OptionError, match=message):
        columns_of({"size": ["S", "M"], "zip": [1, 2]}, kinds)


def test_a_listed_column_may_hold_nothing_else():
    with pytest.raises(DataError, match="'c' holds the level 'XL' in row 1.*'S', 'M'"):
        column_of(["S", "XL"], ["S", "M"])


def test_identifiers_are_flagged():
    table = datasets.load("play_tennis").X
    with pytest.warns(
        TreewrightWarning, match="'day' looks like an identifier: 14 different values in 14 rows"
    ) as caught:
        columns_of(table)
    assert len(caught) == 1


def test_levels_that_do_not_occur_make_no_identifier():
    frame = read_frame(pd.DataFrame({"c": pd.Categorical(["a", "b"] * 5, list("abcdefghij"))}))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        (column,) = make_schema(frame, Target("y"), unused=True).columns
    assert len(column.levels) == 10


@pytest.mark.parametrize(
    "cells",
    [
        list("abcdefghi"),  # nine rows
        [*"abcdefghi", "a"],  # exactly 90 %
        [*"abcdefghi", None],  # nine known
        list(range(29)),  # numbers of a small example
    ],
)
def test_other_columns_are_not_flagged(cells):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        columns_of({"c": cells})
