"""Numbers, dates and shares as text."""

import math
from datetime import date, datetime, timezone

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from treewright.data.schema import Unit
from treewright.explain.number_text import (
    format_exactly,
    format_number,
    format_rounded,
    format_share,
    format_value,
    plural,
    rounded_number,
)

FLOATS = st.floats(allow_nan=False, allow_infinity=False)


@pytest.mark.parametrize(
    ("x", "text"),
    [
        (9.710000038, "9.71"),
        (0.30000000000000004, "0.3"),
        (75.0, "75"),
        (75.5, "75.5"),
        (-0.0, "0"),
        (-2.5, "-2.5"),
        (1234567.0, "1234567"),
        (1234567.5, "1234567.5"),
        (1234567.26, "1234567"),
        (123456.789, "123457"),
        (0.000012345678, "1.23457e-05"),
        (1e300, "1e+300"),
        (math.inf, "inf"),
        (-math.inf, "-inf"),
    ],
)
def test_numbers_read_well(x, text):
    assert format_number(x) == text


@given(x=FLOATS)
def test_exact_numbers_read_back_as_themselves(x):
    assert float(format_number(x, exact=True)) == x


@given(x=FLOATS)
def test_numbers_are_close_to_what_they_say(x):
    assert math.isclose(float(format_number(x)), x, rel_tol=5.001e-6)


@given(a=FLOATS, b=FLOATS)
def test_rounding_never_turns_the_order_around(a, b):
    assume(a <= b)
    assert float(format_number(a)) <= float(format_number(b))


@given(k=st.integers(-(10**14), 10**14))
def test_what_lies_between_two_whole_numbers_is_never_rounded_onto_one(k):
    assert k < float(format_value(k + 0.5)) < k + 1


@given(days=st.floats(-700_000, 2_900_000))
def test_dates_are_cut_to_the_day(days):
    expected = date.fromordinal(date(1970, 1, 1).toordinal() + math.floor(days))
    assert format_value(days, Unit.DATE) == expected.isoformat()


@given(seconds=st.integers(0, 10**11), part=st.sampled_from([0.0, 0.25, 0.5, 0.75]))
def test_times_are_cut_to_the_second_unless_exact(seconds, part):
    moment = datetime.fromtimestamp(seconds, tz=timezone.utc).strftime("%Y-%m-%d %H:%M:%S")
    assert format_value(seconds + part, Unit.DATETIME) == moment
    assert format_exactly(seconds + part, Unit.DATETIME) == moment + str(part)[1:].removesuffix(".0")


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (273_600, "3 days 04:00:00"),
        (86_400, "1 day 00:00:00"),
        (59, "00:00:59"),
        (1.5, "00:00:01.5"),
        (59.99999999, "00:01:00"),
        (86_399.99999999, "1 day 00:00:00"),
        (-90, "-00:01:30"),
        (0, "00:00:00"),
        (-1e-9, "00:00:00"),
        (math.inf, "inf"),
    ],
)
def test_durations(seconds, text):
    assert format_value(seconds, Unit.DURATION) == text


@given(x=st.floats(allow_nan=False), unit=st.sampled_from(Unit), write=st.sampled_from([format_value, format_exactly]))
def test_every_threshold_has_a_text_on_one_line(x, unit, write):
    assert write(x, unit).isprintable()


@given(x=FLOATS)
def test_the_rounded_number_is_the_one_that_is_written(x):
    assert rounded_number(x) == float(format_value(x))
    assert math.isclose(rounded_number(x), x, rel_tol=5.001e-6)
    assert len(format_value(x).lstrip("-0.").partition("e")[0].replace(".", "")) <= max(6, len(f"{abs(x):.0f}") + 1)


@given(seconds=st.floats(0, 4e9))
def test_exact_times_read_back_as_themselves(seconds):
    second, _, fraction = format_exactly(seconds, Unit.DATETIME).partition(".")
    moment = datetime.fromisoformat(f"{second}+00:00")
    assert float(f"{round(moment.timestamp())}.{fraction or 0}") == seconds


def test_exact_dates_with_a_time_of_day_show_it():
    assert format_exactly(19000.25, Unit.DATE) == "2022-01-08 06:00:00"
    assert format_exactly(19000.0, Unit.DATE) == "2022-01-08"


@given(p=st.floats(0, 1))
def test_only_nothing_is_nothing_and_only_everything_is_everything(p):
    assert (format_share(p) == "0%") == (p == 0)
    assert (format_share(p, " ") == "100 %") == (p == 1)


@given(x=st.floats(-1e9, 1e9), decimals=st.integers(0, 8))
def test_rounded_numbers(x, decimals):
    text = format_rounded(x, decimals)
    assert abs(float(text) - x) <= 0.5 * 10.0**-decimals + 1e-15 * abs(x)
    assert "." not in text or not text.endswith("0")
    assert text != "-0"


def test_counts_have_separators():
    assert plural(1, "row") == "1 row"
    assert plural(0, "row") == "0 rows"
    assert plural(12_345, "leaf", "leaves") == "12,345 leaves"


def test_times_that_came_with_a_zone_are_said_to_be_in_utc():
    assert format_exactly(0.5, Unit.UTC_DATETIME) == "1970-01-01 00:00:00.5 UTC"
    assert format_value(86400.75, Unit.UTC_DATETIME) == "1970-01-02 00:00:00 UTC"
