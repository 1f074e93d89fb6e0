"""What the first rows of a text file show about its columns: codes with leading zeros, dates of two meanings."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from treewright.data.readers.contents import ColumnNote, Told
from treewright.data.written_dates import month_first_format

_CODE_DIGITS = 3  # of what a code has at least; two digits, as in 07, may well be a month
_DATE = re.compile(r"(\d{1,2})([/-])(\d{1,2})\2\d{4}(?:[T ].*)?")
_MONTHS = 12


def first_cells(rows: Sequence[Sequence[str]], names: Sequence[str], told: Told) -> dict[str, list[str]]:
    """The known cells of the first rows, by column; columns whose type is told are left out."""
    whole = [row for row in rows[int(told.header) :] if len(row) == len(names)]
    return {
        name: [cell.strip() for cell in cells if cell.strip() and cell.strip() not in told.missing]
        for name, cells in zip(names, zip(*whole))
        if name not in told.types
    }


def codes_in(cells: Mapping[str, list[str]]) -> dict[str, ColumnNote]:
    """Columns of digits alone that somewhere begin with a zero, as in 01067: read as numbers they would lose it.

    >>> print(*codes_in({"zip": ["01067", "80331"], "month": ["07"]}).values())
    column 'zip' holds codes with leading zeros, such as 01067, and is read as text. Hint: ...
    """
    found = {}
    for name, known in cells.items():
        code = next((cell for cell in known if len(cell) >= _CODE_DIGITS and cell.startswith("0")), None)
        if code is not None and all(cell.isdigit() for cell in known):
            found[name] = ColumnNote.of(
                name,
                f"column {name!r} holds codes with leading zeros, such as {code}, and is read as text. "
                f'Hint: to compare them as numbers say kinds={{{name!r}: "numeric"}}.',
            )
    return found


def dates_of_two_meanings(cells: Mapping[str, list[str]]) -> list[ColumnNote]:
    """Columns of dates such as 03/04/2024, none of which tells whether the month comes first.

    >>> print(*dates_of_two_meanings({"joined": ["03/04/2024", "1/2/2024"], "left": ["31/12/2024", "1/2/2024"]}))
    column 'joined' holds dates such as 03/04/2024, which are read with the day before the month. Hint: ...
    """
    return [
        ColumnNote.of(
            name,
            f"column {name!r} holds dates such as {known[0]}, which are read with the day before the month. "
            f'Hint: where the month comes first, say kinds={{{name!r}: "{month_first_format(known) or "%m/%d/%Y"}"}}.',
        )
        for name, known in cells.items()
        if known and all(map(_may_begin_with_the_month, known))
    ]


def _may_begin_with_the_month(text: str) -> bool:
    date = _DATE.fullmatch(text)
    return date is not None and int(date[1]) <= _MONTHS and int(date[3]) <= _MONTHS
