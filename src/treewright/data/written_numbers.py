"""Numbers as people write them in text: 12.5, 12,5, 1.234,50, 12 % and $1,234.50."""

from __future__ import annotations

import re

_COMMA = re.compile(r"[+-]?(?:\d+|\d{1,3}(?:[.' ]\d{3})+),\d+")
_GROUPED = re.compile(r"[+-]?\d{1,3}(?:[.' ]\d{3})+")
_BETWEEN = str.maketrans("", "", ".' ")
MONEY = r"(?:[$€£¥]|EUR|USD|GBP|CHF)"
_AMOUNT = re.compile(rf"([+-]?)({MONEY})?\s*([+-]?)(\d[\d.,' ]*)({MONEY})?")
_MONEY = re.compile(MONEY)
_OF_COMMAS = ("$", "£", "¥", "USD", "GBP")  # beside which commas are only between thousands
_THOUSANDS = re.compile(r"\d{1,3}(?:,\d{3})+")


def written_number(text: str) -> float:
    """The number of a text, of a percentage or an amount of money that without the sign; a comma is a decimal mark, but
    for amounts that have it between thousands.

    >>> [written_number(text) for text in ("12.5", " 12,5 ", "1.234,50", "3 %", "1e3", "$1,234.50", "1.234,50 €")]
    [12.5, 12.5, 1234.5, 3.0, 1000.0, 1234.5, 1234.5]
    """
    plain = text.strip()
    if has_money(plain):
        return _amount(plain)
    plain = plain[:-1].rstrip() if plain.endswith("%") else plain
    if _COMMA.fullmatch(plain):
        whole, _, part = plain.partition(",")
        return float(f"{whole.translate(_BETWEEN)}.{part}")
    return float(plain)


def has_money(text: str) -> bool:
    """Whether a sign of money stands in a text."""
    return _MONEY.search(text) is not None


def _amount(text: str) -> float:
    """An amount of money. 1.234 € and 1,234 € have two meanings, and are refused as what is no number."""
    found = _AMOUNT.fullmatch(text.replace("\N{NO-BREAK SPACE}", " "))
    if found is None or bool(found[2]) == bool(found[5]) or (found[1] and found[3]):
        raise ValueError(f"could not convert {text!r}")
    digits = re.sub(r"(?<=\d)[' ](?=\d{3}(?!\d))", "", found[4].rstrip())
    point = "." if (found[2] or found[5]) in _OF_COMMAS else _decimal_mark(digits)
    whole, _, part = digits.partition(point) if point else (digits, "", "")
    grouped = whole if point == "." else whole.replace(".", ",")
    if "," in grouped and _THOUSANDS.fullmatch(grouped) is None:
        raise ValueError(f"could not convert {text!r}")
    return float(f"{found[1]}{found[3]}{grouped.replace(',', '')}.{part}")


def _decimal_mark(digits: str) -> str:
    """The last mark, if it stands once; 1.234 has two meanings."""
    marks = re.sub(r"\d", "", digits)
    if len(marks) == 1 and re.search(r"\D\d{3}$", digits):
        raise ValueError(f"could not convert {digits!r}, which has two meanings")
    return marks[-1:] if marks.count(marks[-1:]) == 1 else ""


def is_grouped(text: str) -> bool:
    """Whether a text is 1.234, which is 1234 where commas are decimal marks, and else 1.234.

    >>> is_grouped("1.234"), is_grouped("12.5"), is_grouped("1.234,5")
    (True, False, False)
    """
    return _GROUPED.fullmatch(text.strip().rstrip("% ")) is not None


def has_decimal_comma(text: str) -> bool:
    """Whether a text is a number with a decimal comma."""
    return _COMMA.fullmatch(text.strip().rstrip("% ")) is not None
