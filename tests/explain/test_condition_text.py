"""A test in words says which values take the branch."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from treewright.data.schema import Column, Kind, Unit
from treewright.explain.condition_text import condition, level_text, one_line, phrase, to_ascii, value_text
from treewright.explain.region import Interval, MissingRoute, Region, intersect, region_of
from treewright.split import EVERY_BRANCH, Split

X = Column("x", Kind.NUMERIC)
SIZE = Column("size", Kind.ORDINAL, ("S", "M", "L", "XL"))
COLOUR = Column("colour", Kind.NOMINAL, ("red", "green", "blue", "black", "white", "pink"))
NO_EDGES = np.empty(0)


def numeric(edges, branch_of, printed=None):
    shown = None if printed is None else np.array(printed, np.float64)
    return Split(0, np.array(edges, np.float64), np.array(branch_of), printed=shown)


def nominal(*branch_of):
    return Split(0, NO_EDGES, np.array(branch_of))


def words(split, column, **options):
    return [condition(split, column, branch, **options) for branch in range(split.n_branches)]


@pytest.mark.parametrize(
    ("split", "expected"),
    [
        (numeric([75.5], [1, 0, 1]), ["x ≤ 75.5", "x > 75.5 or missing"]),
        (numeric([75.5], [0, 0, 1]), ["x ≤ 75.5 or missing", "x > 75.5"]),
        (numeric([75.5], [2, 0, 1]), ["x ≤ 75.5", "x > 75.5", "x is missing"]),
        (numeric([75.5], [-1, 0, 1]), ["x ≤ 75.5 or missing (shared)", "x > 75.5 or missing (shared)"]),
        (numeric([2, 5], [0, 0, 1, 2]), ["x ≤ 2 or missing", "2 < x ≤ 5", "x > 5"]),
        (numeric([2, 5], [1, 0, 1, 0]), ["x ≤ 2 or x > 5", "2 < x ≤ 5 or missing"]),
        (numeric([2, 5, 7], [0, 0, 0, 1, 1]), ["x ≤ 5 or missing", "x > 5"]),
        (numeric([np.inf], [1, 0, 0]), ["x is known", "x is missing"]),
        (numeric([np.inf], [1, 0, 1]), ["x is known", "x is missing"]),
        (numeric([-np.inf], [1, 0, 1]), ["x ≤ -inf", "x > -inf or missing"]),
        (numeric([3], [0, 0, 0]), ["x is anything"]),
    ],
)
def test_numeric_tests(split, expected):
    assert words(split, X) == expected


def test_nominal_tests():
    assert words(nominal(1, 0, 0, 1, 1, 1, 1), COLOUR, missing=False) == [
        "colour in {red, green}",
        "colour in {blue, black, white, pink}",
    ]
    assert words(nominal(0, 0, 1, 1, 1, 1, 1), COLOUR) == [
        "colour = red or missing",
        "colour in {green, blue, black, white, pink}",
    ]
    assert words(nominal(1, 0, 0, 0, 0, 0, 0), COLOUR) == ["colour is known", "colour is missing"]
    assert words(nominal(1, 0, 0, 0, 0, 0, 0), COLOUR, missing=False)[1] == "colour is missing"


def test_long_lists_are_shortened_where_asked():
    split = nominal(1, 0, 0, 1, 1, 1, 1)
    assert words(split, COLOUR, missing=False, max_levels=2) == ["colour in {red, green}", "colour in {blue, black +2}"]
    assert words(split, COLOUR, max_levels=2, other=True) == ["colour in {red, green}", "colour = other (4) or missing"]
    assert words(split, COLOUR, missing=False, max_levels=0)[1] == "colour in {blue +3}"
    assert words(split, COLOUR, max_levels=4, other=True)[1] == "colour in {blue, black, white, pink} or missing"


@pytest.mark.parametrize(
    ("split", "expected"),
    [
        (nominal(1, 0, 0, 1, 1), ["size ≤ M", "size > M or missing"]),
        (nominal(0, 0, 1, 2, 3), ["size ≤ S or missing", "size = M", "size = L", "size > L"]),
        (nominal(0, 0, 1, 1, 0), ["size in {S, XL} or missing", "S < size ≤ L"]),
        (nominal(1, 0, 0, 0, 0), ["size is known", "size is missing"]),
    ],
)
def test_ordinal_tests(split, expected):
    assert words(split, SIZE) == expected


def test_plain_characters_on_request():
    assert words(numeric([2, 5], [0, 0, 1, 2]), Column("größe", Kind.NUMERIC), ascii=True, missing=False) == [
        r"gr\xf6\xdfe <= 2",
        r"2 < gr\xf6\xdfe <= 5",
        r"gr\xf6\xdfe > 5",
    ]
    assert condition(nominal(1, 0, 0, 1, 1), SIZE, 0, ascii=True) == "size <= M"


def test_thresholds_of_one_test_are_told_apart():
    split = numeric([1.00000001, 1.00000002], [0, 0, 1, 2])
    assert words(split, X, missing=False) == ["x ≤ 1.00000001", "1.00000001 < x ≤ 1.00000002", "x > 1.00000002"]
    close = numeric([1.0, np.nextafter(1.0, 2)], [0, 0, 1, 2])
    assert condition(close, X, 1, missing=False) == "1 < x ≤ 1.0000000000000002"


def test_thresholds_are_printed_in_full_where_it_is_not_known_what_to_print():
    assert condition(numeric([9.710000038], [0, 0, 1]), X, 1) == "x > 9.710000038"
    known = numeric([9.710000038], [0, 0, 1], printed=[9.71])
    assert condition(known, X, 1, exact=True) == "x > 9.710000038"
    assert condition(known, X, 1) == "x > 9.71"


def test_numbers_that_would_leave_nothing_between_them_are_not_printed():
    split = numeric([1.1, 1.2], [0, 0, 1, 2], printed=[1.0, 1.0])
    assert condition(split, X, 1, missing=False) == "1.1 < x ≤ 1.2"


@pytest.mark.parametrize(
    ("unit", "edge", "expected"),
    [
        (Unit.DATE, 19000.0, "x ≤ 2022-01-08"),
        (Unit.DATE, 19000.5, "x ≤ 2022-01-08 12:00:00"),
        (Unit.DATETIME, 1641600000.0, "x ≤ 2022-01-08 00:00:00"),
        (Unit.DATETIME, 1641600000.5, "x ≤ 2022-01-08 00:00:00.5"),
        (Unit.DURATION, 273600.0, "x ≤ 3 days 04:00:00"),
    ],
)
def test_thresholds_are_in_the_unit_of_the_column(unit, edge, expected):
    column = Column("x", Kind.NUMERIC, (), unit)
    assert condition(numeric([edge], [1, 0, 1]), column, 0) == expected


def test_times_within_one_second_are_told_apart():
    column = Column("t", Kind.NUMERIC, (), Unit.DATETIME)
    assert condition(numeric([0.25, 0.5], [0, 0, 1, 2]), column, 1) == (
        "1970-01-01 00:00:00.25 < t ≤ 1970-01-01 00:00:00.5"
    )


@pytest.mark.parametrize(
    ("level", "text"),
    [
        ("sunny", "sunny"),
        ("", "''"),
        (" ", "' '"),
        ("a ", "'a '"),
        ("a, b", "'a, b'"),
        ("a\nb", "a\\nb"),
        ("\x1b[31m", "\\x1b[31m"),
        (True, "True"),
        (3, "3"),
        (3.0, "3"),
        (0.1, "0.1"),
        (float("inf"), "inf"),
        ("年", "年"),
    ],
)
def test_levels(level, text):
    assert level_text(level) == text


@given(text=st.text())
def test_no_text_breaks_a_line(text):
    assert one_line(text).isprintable()
    assert level_text(text).isprintable()
    assert to_ascii(text).isascii()


def test_values_in_words():
    assert value_text(2.0, SIZE) == "M"
    assert value_text(0.0, SIZE) == value_text(np.nan, X) == value_text(np.nan, SIZE) == "missing"
    assert value_text(0.5, Column("t", Kind.NUMERIC, (), Unit.DATE)) == "1970-01-01"


def test_regions_of_one_column_intersect():
    above, below = numeric([30.0], [1, 0, 1]), numeric([50.0], [0, 0, 1])
    both = intersect(region_of(above, X, 1), region_of(below, X, 0))
    assert phrase(both) == "30 < x ≤ 50 or missing"
    never = intersect(region_of(above, X, 0), region_of(numeric([50.0], [0, 0, 1]), X, 1))
    assert phrase(never) == "x in {}"
    some = intersect(
        region_of(nominal(1, 0, 0, 1, 1, 1, 1), COLOUR, 0), region_of(nominal(1, 1, 0, 0, 1, 1, 1), COLOUR, 0)
    )
    assert phrase(some) == "colour = green"


def test_missing_values_come_along_only_if_every_test_lets_them():
    def region(missing):
        return Region(X, (Interval(None, 1.0),), np.empty(0, bool), missing)

    for other in MissingRoute:
        assert intersect(region(MissingRoute.ELSEWHERE), region(other)).missing is MissingRoute.ELSEWHERE
    assert intersect(region(MissingRoute.HERE), region(MissingRoute.SHARED)).missing is MissingRoute.SHARED
    assert intersect(region(MissingRoute.HERE), region(MissingRoute.HERE)).missing is MissingRoute.HERE


EDGES = st.lists(st.floats(allow_nan=False), min_size=1, max_size=4, unique=True).map(sorted)


@st.composite
def numeric_splits(draw):
    edges = draw(EDGES)
    branches = st.lists(st.integers(0, 2), min_size=len(edges) + 1, max_size=len(edges) + 1)
    return numeric(edges, [draw(st.integers(EVERY_BRANCH, 2)), *draw(branches)])


def accepts(region, x):
    return any((i.low is None or i.low < x) and x <= i.high for i in region.intervals)


@given(first=numeric_splits(), second=numeric_splits(), x=st.floats(allow_nan=False), data=st.data())
def test_regions_hold_just_the_values_that_take_the_branch(first, second, x, data):
    x = data.draw(st.sampled_from([x, *first.edges, *second.edges]))
    regions = [region_of(first, X, 0), region_of(second, X, 1)]
    taken = [first.branches(np.array([x]))[0] == 0, second.branches(np.array([x]))[0] == 1]
    assert [accepts(region, x) for region in regions] == taken
    assert accepts(intersect(*regions), x) == all(taken)


@given(split=numeric_splits(), branch=st.integers(0, 2), x=st.floats(allow_nan=False))
def test_exact_words_are_true_of_just_the_values_that_take_the_branch(split, branch, x):
    """The words are read back as Python."""
    said = condition(split, X, branch, ascii=True, missing=False, exact=True)
    fixed = {"x in {}": "False", "x is missing": "False", "x is known": "True", "x is anything": "True"}
    spoken = eval(fixed.get(said, said), {"x": x, "inf": np.inf})
    assert spoken == (split.branches(np.array([x]))[0] == branch)
