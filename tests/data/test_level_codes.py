"""Levels of one type may not become those of another at predict: all of them would count as missing, in silence."""

import datetime

import numpy as np
import pandas as pd
import polars as pl
import pytest

import treewright as tw
from treewright.errors import DataError

COLOURS = ["red", "blue"] * 10
DAYS = [datetime.datetime(2024, 5, 1) + datetime.timedelta(days) for days in range(20)]


def fitted(levels):
    return tw.CARTClassifier(kinds={"g": "nominal"}).fit({"g": levels}, ["yes", "no"] * 10)


@pytest.mark.parametrize(
    ("learned", "given", "said"),
    [
        (COLOURS, np.arange(20), "holds numbers, such as 0, and the model learned from text, such as 'blue'"),
        (COLOURS, np.arange(20) / 4, "holds numbers"),
        (COLOURS, [True, False] * 10, "holds truth values"),
        (COLOURS, pd.Series(DAYS), "holds times.*learned from text"),
        (COLOURS, pl.Series(DAYS), "holds times.*learned from text"),
        (COLOURS, pd.to_timedelta(np.arange(20), unit="h"), "holds times.*learned from text"),
        ([1, 2] * 10, COLOURS, "holds text, such as 'blue', and the model learned from numbers, such as 1"),
        ([True, False] * 10, COLOURS, "holds text.*learned from truth values"),
    ],
)
def test_another_type_is_an_error(learned, given, said):
    with pytest.raises(DataError, match=f"column 'g' {said}.*Hint: give the column as it was learned from"):
        fitted(learned).predict(pd.DataFrame({"g": given}) if not isinstance(given, pl.Series) else {"g": given})


@pytest.mark.parametrize(
    ("learned", "given"),
    [
        (COLOURS, ["green", "black"] * 10),  # new levels of the same type
        (COLOURS, [5] * 20),  # one new level
        (COLOURS, [None] * 20),
        (COLOURS, [np.nan] * 20),
        (COLOURS, ["red", 7] * 10),  # one that is known
        ([1, 2] * 10, [3.0, 4.0] * 10),
        (["1", "2"] * 10, [3, 4] * 10),  # a file may have told text, and a data frame numbers
        ([1, 2] * 10, ["3", "4"] * 10),
        (["A12", "B7"] * 10, ["17", "18"] * 10),
        (["2024-01-01", "x"] * 10, DAYS),
        ([1, 0] * 10, [True, False] * 10),  # equal numbers
    ],
)
def test_new_levels_are_missing(learned, given):
    assert len(fitted(learned).predict(pd.DataFrame({"g": given}))) == 20
