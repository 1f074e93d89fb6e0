"""Conditions read back from text: what prints write, and what people write."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import treewright as tw
from treewright.by_hand.condition_reader import ConditionReader
from treewright.by_hand.outline import Accepted
from treewright.data.schema import Column, Kind, Unit
from treewright.explain.condition_text import condition
from treewright.explain.region import Interval, MissingRoute
from treewright.split import Split

COLUMNS = (
    Column("x", Kind.NUMERIC),
    Column("x1", Kind.NUMERIC),
    Column("two words: a", Kind.NUMERIC),
    Column("colour", Kind.NOMINAL, ("red", "light, blue", "a: b", "or missing", "red wine")),
    Column("size", Kind.ORDINAL, ("S", "M", "L", "XL")),
    Column("zip", Kind.NOMINAL, (1, 10, 100)),
    Column("day", Kind.NUMERIC, unit=Unit.DATE),
    Column("at", Kind.NUMERIC, unit=Unit.DATETIME),
    Column("took", Kind.NUMERIC, unit=Unit.DURATION),
)
INF = math.inf


def read(text: str) -> tuple[str, Accepted]:
    reader = ConditionReader(COLUMNS)
    place, accepted = reader.whole(text)
    return COLUMNS[place].name, accepted


@pytest.mark.parametrize(
    ("text", "name", "interval"),
    [
        ("x ≤ 2.5", "x", Interval(None, 2.5)),
        ("x <= 2.5?", "x", Interval(None, 2.5)),
        ("x<=-1e-3", "x", Interval(None, -0.001)),
        ("x1 > .5", "x1", Interval(0.5, INF)),
        ("x < 3", "x", Interval(None, math.nextafter(3, -INF))),
        ("x ≥ 3", "x", Interval(math.nextafter(3, -INF), INF)),
        ("2 < x ≤ 5", "x", Interval(2.0, 5.0)),
        ("two words: a ≤ 7", "two words: a", Interval(None, 7.0)),
        ("day ≤ 2022-01-08", "day", Interval(None, 19000.0)),
        ("day > 2022-01-08 12:00:00", "day", Interval(19000.5, INF)),
        ("at ≤ 2022-01-08 00:00:00.5", "at", Interval(None, 1641600000.5)),
        ("at > 2022-01-08 00:00:00 UTC", "at", Interval(1641600000.0, INF)),
        ("took ≤ 3 days 04:00:00", "took", Interval(None, 273600.0)),
        ("took > -00:00:01.25", "took", Interval(-1.25, INF)),
    ],
)
def test_numbers(text, name, interval):
    assert read(text) == (name, Accepted((interval,)))


@pytest.mark.parametrize(
    ("text", "levels"),
    [
        ("colour = red", ("red",)),
        ("colour = red wine", ("red wine",)),
        ("colour in {red, 'light, blue', a: b}", ("red", "light, blue", "a: b")),
        ("size ≤ M", ("S", "M")),
        ("size > M", ("L", "XL")),
        ("size < M", ("S",)),
        ("S < size ≤ L", ("M", "L")),
        ("zip in {1, 100}", (1, 100)),
        ("colour is known", COLUMNS[3].levels),
    ],
)
def test_levels(text, levels):
    assert read(text)[1].levels == levels


def test_missing_values_and_the_rest():
    assert read("x ≤ 2 or missing")[1].missing is MissingRoute.HERE
    assert read("colour = red or missing (shared)")[1] == Accepted(levels=("red",), missing=MissingRoute.SHARED)
    assert read("x is missing")[1] == Accepted(missing=MissingRoute.HERE)
    assert read("x ≤ 2 or x > 5 or missing")[1].intervals == (Interval(None, 2.0), Interval(5.0, INF))
    assert read("x ≤ 5 [4.5, 6]")[1].bounds == (4.5, 6.0)
    assert read("colour in {red +3}")[1] == Accepted(levels=("red",), rest=True)


def test_a_level_that_no_row_has_is_remembered():
    reader = ConditionReader(COLUMNS)
    assert reader.whole("colour = mauve")[1].levels == ("mauve",)
    assert reader.whole("colour in {mauve, red}")[1].levels == ("mauve", "red")
    assert reader.unseen == {3: ["mauve"]}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("y ≤ 3", "no condition on a column.*the columns are x, x1"),
        ("x", "no condition"),
        ("x ≤ red", "compared with 'red', which is no number"),
        ("colour ≤ red", "no order"),
        ("size = huge", "no level 'huge'.*S, M, L, XL"),
        ("zip = a", "no level 'a'"),
        ("colour in {red", "does not end"),
        ("x ≤ 3 and x > 1", "no condition"),
        ("colur = red", "did you mean the column 'colour'"),
    ],
)
def test_what_is_no_condition_is_refused(text, message):
    with pytest.raises(tw.DataError, match=message):
        read(text)


@given(st.data())
def test_every_printed_condition_is_read_back(data):
    """Edges as a reader of print has them: what is written is what is read."""
    place = data.draw(st.sampled_from([0, 2, 3, 4, 5]))
    column = COLUMNS[place]
    if column.kind is Kind.NUMERIC:
        edges = np.unique(data.draw(st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=4)))
        n_codes = len(edges) + 1
    else:
        edges, n_codes = np.empty(0), len(column.levels)
    branch_of = np.array(data.draw(st.lists(st.integers(0, 1), min_size=n_codes + 1, max_size=n_codes + 1)))
    split = Split(place, edges, branch_of)
    for branch in set(branch_of[1:].tolist()):
        for ascii in (False, True):
            text = condition(split, column, branch, ascii=ascii, exact=True)
            found = ConditionReader(COLUMNS).begin(f"{text}: yes [3] (4)")
            assert found is not None
            assert (found[0], found[2]) == (place, len(text))
            assert (found[1].missing is MissingRoute.HERE) == (branch_of[0] == branch)
            if column.kind is Kind.NUMERIC:
                back = [any((i.low is None or x > i.low) and x <= i.high for i in found[1].intervals) for x in edges]
                assert back == (branch_of[1:-1] == branch).tolist()
            else:
                taken = [level for level, b in zip(column.levels, branch_of[1:]) if b == branch]
                assert list(found[1].levels) == taken
