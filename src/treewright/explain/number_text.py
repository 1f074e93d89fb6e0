"""Numbers as people write them: one way everywhere, so that a number reads the same in every print."""

from __future__ import annotations

import math

import numpy as np

from treewright.data.schema import Unit

_WHOLE = 1e15  # below this a float still tells neighbouring halves apart
_DAY = 86_400
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
        return repr(x)
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


def format_threshold(x: float, unit: Unit = Unit.NUMBER, digits: int = 6, *, exact: bool = False) -> str:
    """A threshold in the unit of its column. Dates are cut to the day and times to the second, unless ``exact``.

    >>> format_threshold(19000.5, Unit.DATE), format_threshold(1641600000.5, Unit.DATETIME)
    ('2022-01-08', '2022-01-08 00:00:00')
    >>> format_threshold(273600.0, Unit.DURATION)
    '3 days 04:00:00'
    """
    if unit is Unit.NUMBER or not math.isfinite(x):
        return format_number(x, digits, exact=exact)
    if unit is Unit.DURATION:
        return _duration(x, 9 if exact else 6)
    if unit is Unit.DATE and not (exact and x % 1):
        return _instant(x, "D")
    return _datetime(x * _DAY if unit is Unit.DATE else x, exact)


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
        return format_number(x)
    return str(np.datetime64(math.floor(x), code)).replace("T", " ")  # type: ignore[call-overload]


def _datetime(x: float, exact: bool) -> str:
    text = _instant(x, "s")
    fraction = f"{math.floor(x % 1 * 1e6):06d}".rstrip("0")
    return f"{text}.{fraction}" if exact and fraction and abs(x) <= _CALENDAR else text


def _duration(x: float, decimals: int) -> str:
    seconds = round(abs(x), decimals)
    days, rest = divmod(seconds, _DAY)
    hours, rest = divmod(rest, 3600)
    minutes, rest = divmod(rest, 60)
    second, _, fraction = f"{rest:.{decimals}f}".rstrip("0").partition(".")
    clock = f"{int(hours):02d}:{int(minutes):02d}:{int(second):02d}" + (f".{fraction}" if fraction else "")
    sign = "-" if x < 0 and seconds else ""
    return sign + (f"{int(days)} day{'s' * (days != 1)} {clock}" if days else clock)
