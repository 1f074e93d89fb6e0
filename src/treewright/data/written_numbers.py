"""Numbers as people write them in text: 12.5, 12,5, 1.234,50 and 12 %."""

from __future__ import annotations

import re

_COMMA = re.compile(r"[+-]?(?:\d+|\d{1,3}(?:[.' ]\d{3})+),\d+")
_GROUPED = re.compile(r"[+-]?\d{1,3}(?:[.' ]\d{3})+")
_BETWEEN = str.maketrans("", "", ".' ")


def written_number(text: str) -> float:
    """The number of a text, of a percentage that before the sign; a comma is a decimal mark.

    >>> [written_number(text) for text in ("12.5", " 12,5 ", "1.234,50", "3 %", "1e3")]
    [12.5, 12.5, 1234.5, 3.0, 1000.0]
    """
    plain = text.strip()
    plain = plain[:-1].rstrip() if plain.endswith("%") else plain
    if _COMMA.fullmatch(plain):
        whole, _, part = plain.partition(",")
        return float(f"{whole.translate(_BETWEEN)}.{part}")
    return float(plain)


def is_grouped(text: str) -> bool:
    """Whether a text is 1.234, which is 1234 where commas are decimal marks, and else 1.234.

    >>> is_grouped("1.234"), is_grouped("12.5"), is_grouped("1.234,5")
    (True, False, False)
    """
    return _GROUPED.fullmatch(text.strip().rstrip("% ")) is not None


def has_decimal_comma(text: str) -> bool:
    """Whether a text is a number with a decimal comma."""
    return _COMMA.fullmatch(text.strip().rstrip("% ")) is not None
