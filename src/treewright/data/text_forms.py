"""Texts that stand for something else: dates, numbers, percentages, codes with leading zeros."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from enum import Enum

import numpy as np

from treewright.data.objects import naive_time

_CLOCK = r"(?:[T ]+\d{1,2}:\d{2}(?::\d{2}(?:\.\d+)?)?)?"
_NUMBER = r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?"
_FIRST = 20  # texts that are looked at before all are


class TextForm(str, Enum):
    """How all texts of a column are written."""

    DATES = "dates"  # 2024-05-31 or 31.5.2024, the day before the month, with or without a time
    MONTH_FIRST_DATES = "dates with the month first"
    CODES = "codes with leading zeros"
    NUMBERS = "numbers"
    DECIMAL_COMMAS = "numbers with a decimal comma"
    PERCENTAGES = "percentages"


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


def _is_date(text: str) -> bool:
    try:
        return not np.isnat(naive_time(text.strip()))
    except ValueError:
        return False
