"""Texts that stand for something else: dates, times, numbers, percentages, amounts, codes with leading zeros."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from enum import Enum
from itertools import islice

import numpy as np

from treewright.data.objects import naive_time
from treewright.data.written_numbers import MONEY

_CLOCK = r"(?:[T ]+\d{1,2}:\d{2}(?::\d{2}(?:\.\d+)?)?)?"
_NUMBER = r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?"
_AMOUNT = r"(?:\d{1,3}(?:[,.' ]\d{3})+|\d+)(?:[.,]\d+)?"
_FIRST = 20  # texts that are looked at before all are
_MOST_OTHERS = 2  # texts that may be written in no form, where all others are
_FEWEST = 3  # texts that make a form, where others are not written in it


class TextForm(str, Enum):
    """How all texts of a column are written."""

    DATES = "dates"  # 2024-05-31 or 31.5.2024, the day before the month, with or without a time
    MONTH_FIRST_DATES = "dates with the month first"
    CODES = "codes with leading zeros"
    NUMBERS = "numbers"
    DECIMAL_COMMAS = "numbers with a decimal comma"
    PERCENTAGES = "percentages"
    TIMES = "times of day"
    AMOUNTS = "amounts"  # with a sign of money, or with commas between thousands


def _pattern(text: str) -> Callable[[str], bool]:
    compiled = re.compile(text)
    return lambda cell: compiled.fullmatch(cell.strip()) is not None


_WRITTEN: dict[TextForm, Callable[[str], bool]] = {
    TextForm.DATES: _pattern(rf"(?:\d{{4}}-\d{{1,2}}-\d{{1,2}}|\d{{1,2}}([./-])\d{{1,2}}\1\d{{4}}){_CLOCK}"),
    TextForm.MONTH_FIRST_DATES: _pattern(rf"\d{{1,2}}([/-])\d{{1,2}}\1\d{{4}}{_CLOCK}"),
    TextForm.CODES: _pattern(r"\d+"),
    TextForm.NUMBERS: _pattern(_NUMBER),
    TextForm.DECIMAL_COMMAS: _pattern(r"[+-]?(?:\d+|\d{1,3}(?:[.' ]\d{3})+)(?:,\d+)?\s*%?"),
    TextForm.PERCENTAGES: _pattern(rf"{_NUMBER}\s*%"),
    TextForm.TIMES: _pattern(r"(?:[01]?\d|2[0-3]):[0-5]\d(?::[0-5]\d(?:\.\d+)?)?"),
    TextForm.AMOUNTS: _pattern(rf"[+-]?(?:{MONEY}\s*)?[+-]?{_AMOUNT}(?:\s*{MONEY})?"),
}


def text_form(texts: Sequence[str]) -> TextForm | None:
    """The form in which every one of these is written; None if there is none.

    >>> [text_form(texts) for texts in (["31.12.2024", "1.2.2024"], ["12 %", "3.5 %"], ["a", "1"])]
    [<TextForm.DATES: 'dates'>, <TextForm.PERCENTAGES: 'percentages'>, None]
    >>> text_form(["01067", "80331"])
    <TextForm.CODES: 'codes with leading zeros'>
    >>> text_form(["01/31/2024", "02/01/2024"])
    <TextForm.MONTH_FIRST_DATES: 'dates with the month first'>
    """
    for form, is_written in _WRITTEN.items():
        if texts and all(map(is_written, texts[:_FIRST])) and all(map(is_written, texts)) and _holds(form, texts):
            return form
    return None


def _holds(form: TextForm, texts: Sequence[str]) -> bool:
    if form is TextForm.DATES:
        return all(map(_is_date, texts))
    if form is TextForm.MONTH_FIRST_DATES:
        return all(_is_date(re.sub(r"(\d+)([/-])(\d+)", r"\3\2\1", text, count=1)) for text in texts)
    if form is TextForm.CODES:
        return any(len(text) > 1 and text.strip().startswith("0") for text in texts)
    return form is not TextForm.DECIMAL_COMMAS or any("," in text for text in texts)


def form_but_for(texts: Sequence[str]) -> tuple[TextForm, list[str]] | None:
    """The form of all but one or two of these, and those; a word among numbers often stands for a missing value.

    >>> form_but_for(["1.5", "12", "3.25", "n/a"])
    (<TextForm.NUMBERS: 'numbers'>, ['n/a'])
    >>> form_but_for(["1.5", "red", "green", "blue"]) is None
    True
    """
    for form, is_written in _WRITTEN.items():
        others = list(islice((text for text in texts if not is_written(text)), _MOST_OTHERS + 1))
        if 0 < len(others) <= _MOST_OTHERS and len(texts) - len(others) >= _FEWEST:
            rest = [text for text in texts if text not in others]
            if _holds(form, rest):
                return form, others
    return None


def _is_date(text: str) -> bool:
    try:
        return not np.isnat(naive_time(text.strip()))
    except ValueError:
        return False
