"""Numbers as people write them: one way everywhere, so that a number reads the same in every print."""

from __future__ import annotations

import math
from decimal import ROUND_FLOOR, Decimal

import numpy as np

from treewright.data.schema import Unit
from treewright.typing import Floats

_WHOLE = 1e15  # below this a float still tells neighbouring halves apart
_DAY = 86_400
_EXACT_POWERS, _EXACT_DIGITS = 22, 15  # powers of ten, and whole numbers of so many digits, that are floats
_MOST_DECIMALS = 9  # of a second
_CALENDAR = 1e14  # days or seconds from 1970 that still have a date


def format_number(x: float, digits: int = 6, *, exact: bool = False) -> str:
    """The number with at most ``digits`` significant digits, but never fewer than its whole part has.

    Whole numbers and halves are kept as they are: a half is what lies between two whole numbers, and rounding it would
    move a threshold onto one of them. ``exact`` writes the shortest text that reads back as the same float.

    >>> [format_number(x) for x in (9.710000038, 75.0, 1234567.5, 0.13793103448275862)]
    ['9.71', '75', '1234567.5', '0.137931']
    >>> format_number(9.710000038, exact=True)
    '9.710000038'
    """
    x = float(x)
    if not math.isfinite(x):
        return str(x)
    if abs(x) < _WHOLE and (2 * x).is_integer():
        return f"{x + 0.0:.1f}".removesuffix(".0")  # adding 0.0 turns -0.0 into 0.0
    if exact:
        return repr(x).removesuffix(".0")
    if 10**digits <= abs(x) < _WHOLE:
        return f"{x:.0f}"
    return f"{x:.{digits}g}"


def format_rounded(x: float, decimals: int) -> str:
    """The number rounded to so many decimals, without the zeros that say nothing.

    >>> format_rounded(22.5328, 2), format_rounded(22.0, 2), format_rounded(-0.001, 2)
    ('22.53', '22', '0')
    """
    text = f"{x:.{decimals}f}" if abs(x) < _WHOLE else f"{x:.6g}"
    text = text.rstrip("0").removesuffix(".") if "." in text and "e" not in text else text
    return "0" if text == "-0" else text


def format_value(x: float, unit: Unit = Unit.NUMBER) -> str:
    """A number in the unit of its column, rounded as people write it; see ``rounded_numbers``.

    >>> format_value(19000.5, Unit.DATE), format_value(1641600000.5, Unit.DATETIME)
    ('2022-01-08', '2022-01-08 00:00:00')
    """
    return format_exactly(rounded_number(x, unit), unit)


def format_exactly(x: float, unit: Unit = Unit.NUMBER) -> str:
    """A number in the unit of its column, in full: the shortest text that reads back as the same float.

    >>> format_exactly(19000.25, Unit.DATE), format_exactly(273600.0, Unit.DURATION)
    ('2022-01-08 06:00:00', '3 days 04:00:00')
    """
    if unit is Unit.NUMBER or not math.isfinite(x):
        return format_number(x, exact=True)
    if unit is Unit.DURATION:
        return _duration(x)
    if unit is Unit.UTC_DATETIME:
        return f"{_datetime(x)} UTC"
    return _instant(x, "D") if unit is Unit.DATE and x % 1 == 0 else _datetime(x * _DAY if unit is Unit.DATE else x)


def rounded_numbers(x: Floats, unit: Unit = Unit.NUMBER, more: int = 0) -> Floats:
    """The numbers that are written for ``x``: six significant digits and ``more``, but never fewer than the whole part
    has, and halves as they are (see ``format_number``). Dates are cut to the day and times to the second, durations
    rounded to the microsecond; ``more`` are then decimals of the second. The more, the nearer.

    >>> rounded_numbers(np.array([9.710000038, 1234567.25])).tolist()
    [9.71, 1234567.0]
    >>> rounded_numbers(np.array([1.5, 0.123]), Unit.DATETIME, more=1).tolist()
    [1.5, 0.1]
    """
    if unit is Unit.NUMBER:
        return _to_digits(x, 6 + more)
    if unit is Unit.DURATION:
        with np.errstate(over="ignore", invalid="ignore"):
            return np.where(np.abs(x) < _WHOLE, np.round(x, 6 + more), x)
    if unit is Unit.DATE:
        return np.floor(x) if not more else x
    return np.floor(x * 10.0**more) / 10.0**more if more <= _MOST_DECIMALS else x


def rounded_number(x: float, unit: Unit = Unit.NUMBER) -> float:
    """The number that is written for one."""
    return float(rounded_numbers(np.array([x], np.float64), unit)[0])


def _to_digits(x: Floats, digits: int) -> Floats:
    """A whole number divided by a power of ten, both exact, is the float nearest to that decimal."""
    with np.errstate(over="ignore", divide="ignore", invalid="ignore"):
        size = np.abs(x)
        as_is = ~np.isfinite(x) | (size < _WHOLE) & (2 * x == np.rint(2 * x))
        decimals = np.where(as_is | (size < _WHOLE) & (size >= 10.0**digits), 0, digits - 1 - np.floor(np.log10(size)))
        exact = (decimals >= 0) & (decimals <= _EXACT_POWERS) & (digits <= _EXACT_DIGITS)
        power = 10.0 ** np.where(exact, decimals, 0)
        rounded = np.where(as_is, x, np.rint(x * power) / power)
    others = np.flatnonzero(~exact)
    rounded[others] = [float(text) for text in map(f"%.{digits}g".__mod__, x[others].tolist())]
    return rounded


def format_share(share: float, space: str = "") -> str:
    """A share in per cent; only nothing is 0 % and only everything is 100 %.

    >>> [format_share(p) for p in (0.0, 0.001, 0.08, 0.9999, 1.0)]
    ['0%', '<1%', '8%', '>99%', '100%']
    """
    if 0 < share < 0.01:
        return f"<1{space}%"
    if 0.99 < share < 1:
        return f">99{space}%"
    return f"{100 * share:.0f}{space}%"


def plural(count: int, one: str, many: str | None = None) -> str:
    """A count with its noun.

    >>> plural(1, "leaf", "leaves"), plural(1214, "row")
    ('1 leaf', '1,214 rows')
    """
    return f"{count:,} {one if count == 1 else many or one + 's'}"


def _instant(x: float, code: str) -> str:
    """The day (``D``) or second (``s``) since 1970 as ISO text; a plain number where no calendar reaches."""
    if abs(x) > _CALENDAR:
        return format_number(x, exact=True)
    return str(np.datetime64(math.floor(x), code)).replace("T", " ")  # type: ignore[call-overload]


def _datetime(x: float) -> str:
    if abs(x) > _CALENDAR:
        return format_number(x, exact=True)
    exact = Decimal(repr(float(x)))
    second = exact.to_integral_value(ROUND_FLOOR)
    fraction = f"{exact - second:f}".partition(".")[2].rstrip("0")
    return _instant(float(second), "s") + (f".{fraction}" if fraction else "")


def _duration(x: float) -> str:
    if abs(x) > _CALENDAR:
        return format_number(x, exact=True)
    seconds = abs(Decimal(repr(float(x))))
    days, rest = divmod(seconds, _DAY)
    hours, rest = divmod(rest, 3600)
    minutes, rest = divmod(rest, 60)
    second, _, fraction = f"{rest:f}".partition(".")
    fraction = fraction.rstrip("0")
    clock = f"{int(hours):02d}:{int(minutes):02d}:{int(second):02d}" + (f".{fraction}" if fraction else "")
    sign = "-" if x < 0 and seconds else ""
    return sign + (f"{int(days)} day{'s' * (days != 1)} {clock}" if days else clock)
