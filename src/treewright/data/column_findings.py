"""What is odd about a column: it names rows, or its text stands for something else. Fitting, the command line and
``tw.inspect`` all ask here."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from treewright.data.column_values import LevelValues, NumberValues
from treewright.data.frame import listing
from treewright.data.schema import Level, Unit
from treewright.data.text_forms import TextForm, form_but_for, text_form
from treewright.data.user_warnings import warn_user
from treewright.data.written_dates import month_first_format
from treewright.data.written_numbers import has_money, written_number
from treewright.typing import Array

IDENTIFIER_ROWS = 10
IDENTIFIER_SHARE = 0.9
RUNNING_ROWS = 30  # below which numbers in order, or amounts that differ in nearly every row, may be a made-up example
MANY_LEVELS = 50
ROWS_PER_LEVEL = 5  # below which a level tells little
_FEW_NUMBERS = 10  # different texts of whole numbers, which may well be codes

_ONE_BY_ONE = 8  # columns of the same remark that are warned of one by one
_NUMBER = re.compile(r"\d+(?:\.\d+)?")
_KEY_WORDS = {"id", "ids", "key", "uuid", "guid", "index", "idx", "nr", "no", "nummer", "rowid", "rownum", "pk"}
_KEYS_AFTER = {"number", "num", "code"}  # … of something: customer_number, not number
_NAMED_THINGS = (
    "row|record|case|customer|client|user|member|passenger|patient|person|employee|student|subject|sample|product|item|"
    "order|invoice|account|transaction|session|device|kunden|artikel|rechnungs|bestell|personal|lauf"
)
_KEY = re.compile(rf"(?:{_NAMED_THINGS})(?:id|key|nr|no|nummer|number)", re.IGNORECASE)


@dataclass(frozen=True)
class Finding:
    """``left_out``: the column names the rows and is not learned from, unless its kind is given. ``unit``: text is read
    as dates or times. ``remarks`` say so, and what to do."""

    left_out: bool = False
    unit: Unit | None = None
    remarks: tuple[str, ...] = ()


def finding_of(name: str, cells: NumberValues | LevelValues, *, named: bool, leave_out: bool) -> Finding:
    """What is odd about a column whose kind nobody has given. ``named``: it has a name of its own. ``leave_out``:
    whether columns that name the rows are left out."""
    if isinstance(cells, NumberValues):
        return _of_numbers(name, cells, leave_out) if named else Finding()
    return Finding() if cells.ordered else _of_levels(name, cells, leave_out)


def looks_like_identifier(n_levels: int, n_rows: int) -> bool:
    """Whether nearly every row has a value of its own.

    >>> looks_like_identifier(95, 100), looks_like_identifier(5, 5)
    (True, False)
    """
    return n_rows >= IDENTIFIER_ROWS and n_levels > IDENTIFIER_SHARE * n_rows


# ---- numbers ---------------------------------------------------------------------------------------------------------


def _of_numbers(name: str, cells: NumberValues, leave_out: bool) -> Finding:
    if cells.unit is not Unit.NUMBER or len(cells.values) < IDENTIFIER_ROWS:
        return Finding()
    if named_like_key(name) and (n_known := _different_whole_numbers(cells.values)):
        return _identifier(name, n_known, n_known, "numeric", leave_out)
    if is_running(cells.values):
        return Finding(remarks=(f"column {name!r} numbers the rows and looks like an identifier. Hint: leave it out.",))
    return Finding()


@lru_cache(maxsize=4096)
def named_like_key(name: str) -> bool:
    """Whether the name is one that keys have.

    >>> [named_like_key(name) for name in ("id", "customerId", "KundenNr", "order_number", "passengerid", "index")]
    [True, True, True, True, True, True]
    >>> [named_like_key(name) for name in ("paid", "number", "number_of_rooms", "humid", "age")]
    [False, False, False, False, False]
    """
    words = [word.lower() for word in re.findall(r"[A-ZÄÖÜ]+(?![a-zäöü])|[A-ZÄÖÜ]?[a-zäöü]+", name)]
    if not words:
        return False
    last = words[-1] in _KEY_WORDS or (len(words) > 1 and words[-1] in _KEYS_AFTER)
    return last or words[0] in ("id", "unnamed") or _KEY.fullmatch(name.replace("_", "")) is not None


def _different_whole_numbers(values: Array) -> int:
    """How many there are, if all known ones are whole and different; else 0."""
    head = values[:1000]
    if len(np.unique(head[~np.isnan(head)])) < np.count_nonzero(~np.isnan(head)):
        return 0
    known = values[~np.isnan(values)]
    is_whole = values.dtype.kind in "iu" or bool((known == np.floor(known)).all())
    enough = len(known) >= IDENTIFIER_ROWS
    return len(known) if enough and is_whole and len(np.unique(known)) == len(known) else 0


def is_running(values: Array) -> bool:
    """Whether they are whole numbers that rise or fall by the same from row to row, in many rows."""
    if len(values) < RUNNING_ROWS:
        return False
    first, second, third = values[:3].tolist()
    if second - first != third - second:  # most columns are told by their beginning
        return False
    for part in (values[:RUNNING_ROWS], values):
        steps = np.diff(part.astype(np.float64))
        if not ((steps == steps[0]).all() and abs(steps[0]) >= 1 and float(steps[0]).is_integer()):
            return False
    return True


# ---- levels ----------------------------------------------------------------------------------------------------------


def _of_levels(name: str, cells: LevelValues, leave_out: bool) -> Finding:
    seen = cells.occurring_levels
    known = int(np.count_nonzero(cells.codes))
    is_text = bool(seen) and all(isinstance(level, str) for level in seen)
    form = text_form([str(level) for level in seen]) if is_text and not cells.declared else None
    if form is TextForm.DATES:
        return _dates(name, seen)
    names_rows = looks_like_identifier(len(seen), known)
    are_amounts = form is TextForm.AMOUNTS and known >= RUNNING_ROWS  # some may be equal by chance
    left_out = names_rows and leave_out and is_text and (len(seen) == known or are_amounts)
    about = None
    if is_text and not cells.declared and not (left_out and named_like_key(name)):
        about = _about_form(name, form, seen, left_out) if form else _about_others(name, seen, left_out)
    if about:
        return Finding(left_out, remarks=(about,))
    if names_rows:
        return _identifier(name, len(seen), known, "nominal", left_out)
    return Finding(remarks=_many_levels(name, len(seen), known))


_MISSING = {
    "", "-", "--", "?", "*", "na", "n/a", "#n/a", "nan", "null", "nil", "none", "unknown", "missing", "ka", "nv",
}  # fmt: skip
_WRITE_DATES = "write them all as 2024-05-31 to compare them as dates"
_YEAR_FIRST = re.compile(r"\d{4}-")


def _dates(name: str, texts: tuple[Level, ...]) -> Finding:
    has_clock = any(":" in str(text) for text in texts)
    order = "" if all(_YEAR_FIRST.match(str(text).strip()) for text in texts) else ", the day before the month"
    remark = (
        f"column {name!r} holds dates as text, such as {texts[0]!r}, and is read as dates{order}. "
        f'Hint: to take them as text say kinds={{{name!r}: "nominal"}}.'
    )
    return Finding(unit=Unit.DATETIME if has_clock else Unit.DATE, remarks=(remark,))


def _about_form(name: str, form: TextForm, texts: tuple[Level, ...], left_out: bool) -> str | None:
    if form is TextForm.CODES or _are_few_whole_numbers(form, texts):
        return None
    return f"column {name!r} holds {form.value} as text, such as {texts[0]!r}{_outcome(left_out)}. Hint: " + (
        f"{_remedy(name, form, texts)}."
    )


def _remedy(name: str, form: TextForm, texts: tuple[Level, ...]) -> str:
    if form is TextForm.TIMES:
        return "make them times, such as datetime.time(14, 30), to compare them"
    if form is TextForm.AMOUNTS and not all(map(_is_amount, texts)):
        return "write them without currency and separators, such as 1234.5, to compare them as numbers"
    what, kind = "numbers", "numeric"
    if form is TextForm.MONTH_FIRST_DATES:
        what, kind = "dates", month_first_format([str(text) for text in texts]) or ""
    return f'to compare them as {what} say kinds={{{name!r}: "{kind}"}}' if kind else _WRITE_DATES


def _is_amount(text: Level) -> bool:
    """Whether it is read as a number where that is wanted."""
    try:
        written_number(str(text))
    except ValueError:
        return False
    return has_money(str(text)) or "," not in str(text)


def _about_others(name: str, texts: tuple[Level, ...], left_out: bool) -> str | None:
    """Numbers or dates with a word or two among them, such as n/a: they were taken for levels."""
    found = form_but_for([str(text) for text in texts])
    if found is None:
        return None
    form, others = found
    written = tuple(text for text in texts if text not in others)
    if form is TextForm.CODES or (
        _are_few_whole_numbers(form, written) and not _MISSING.issuperset(map(_word, others))
    ):
        return None
    words = " and ".join(map(repr, others))
    they_are, them = ("it is", "it") if len(others) == 1 else ("they are", "them")
    return (
        f"column {name!r} holds {form.value} as text, such as {written[0]!r}, but for {words}{_outcome(left_out)}. "
        f"Hint: make {words} None if {they_are} missing, or write {them} as the others."
    )


def _word(text: str) -> str:
    return re.sub(r"[\s.]", "", text).lower()


def _are_few_whole_numbers(form: TextForm, texts: tuple[Level, ...]) -> bool:
    """Which may well be codes."""
    is_whole = form is TextForm.NUMBERS and all(str(text).strip().isdigit() for text in texts)
    return is_whole and len(texts) <= _FEW_NUMBERS


def _outcome(left_out: bool) -> str:
    return ", and is left out since nearly all of them differ" if left_out else ""


def _identifier(name: str, n_levels: int, n_known: int, kind: str, left_out: bool) -> Finding:
    words = f"column {name!r} looks like an identifier: {n_levels} different values in {n_known} rows."
    if left_out:
        return Finding(True, remarks=(f'{words} It is left out. Hint: to keep it say kinds={{{name!r}: "{kind}"}}.',))
    return Finding(remarks=(f"{words} Hint: drop it, since no new row will have the same values.",))


def _many_levels(name: str, n_levels: int, n_known: int) -> tuple[str, ...]:
    if n_levels < MANY_LEVELS or n_known >= ROWS_PER_LEVEL * n_levels:
        return ()
    return (
        f"column {name!r} has {n_levels} levels, each of {n_known / n_levels:.1f} rows on average: tests of it may be "
        "chance. Hint: put rare levels together, or leave it out.",
    )


def warn_of_columns(told: Sequence[tuple[str, str]]) -> None:
    """Warn of what is odd about columns, by name; where many have the same remark but for their names and numbers, of
    the first ones one by one, and of the others at once."""
    alike: dict[str, list[str]] = {}
    for name, remark in told:
        others = alike.setdefault(_NUMBER.sub("0", remark.replace(repr(name), "")), [])
        others.append(name)
        if len(others) <= _ONE_BY_ONE:
            warn_user(remark)
    for names in alike.values():
        if more := names[_ONE_BY_ONE:]:
            warn_user(
                f"{len(more)} more columns have the same remark as column {names[0]!r}: {listing(more)}. "
                "Hint: tw.inspect, or treewright inspect, has what is odd about every column."
            )
