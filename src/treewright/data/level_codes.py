"""Levels of one table in the codes of another: what was learned from meets what is predicted on."""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np

from treewright.data.column_values import LevelValues, smallest_unsigned
from treewright.data.schema import Column, Level, Unit, text_of
from treewright.errors import DataError
from treewright.typing import Codes

_SEVERAL = 2  # levels: one may be new
_FORMS = {  # of text that may stand for something else
    "numbers": re.compile(r"\s*[-+]?\.?\d"),
    "times": re.compile(r"\s*\d+[-./:]\d"),
    "truth values": re.compile(r"(?i)true$|false$"),
}


def match_levels(cells: LevelValues, column: Column) -> Codes:
    """The column's code of every cell; 0 for missing and for levels the column does not have.

    A level is found by its value or, failing that, by its text, so that 1 is found as 1.0 and as "1", True as "True".
    """
    if cells.levels == column.levels:
        return cells.codes
    return _new_codes(cells.levels, column)[cells.codes]


def _new_codes(levels: tuple[Level, ...], column: Column) -> Codes:
    """``[code]`` is the column's code of the level that has ``code`` in ``levels``; 0 where it has none."""
    codes = np.zeros(len(levels) + 1, dtype=smallest_unsigned(len(column.levels) + 1))
    codes[1:] = [_code_of(level, column) for level in levels]
    return codes


def _code_of(level: Level, column: Column) -> int:
    code = column.code_of.get(level, 0)
    return code or column.code_of_text.get(text_of(level), 0)


def require_known(cells: LevelValues, column: Column, where: str) -> None:
    """Raise for the first cell whose level is not in the column."""
    unseen = (match_levels(cells, column) == 0) & (cells.codes != 0)
    if unseen.any():
        row = int(np.argmax(unseen))
        raise DataError(
            f"column {column.name!r} holds the level {cells.levels[cells.codes[row] - 1]!r} in row {row}, "
            f"which is not in {where}",
            f"the levels are {_level_names(column.levels)}; make the cell None if it is missing",
        )


def require_same_type(cells: LevelValues, column: Column, unit: Unit | None) -> None:
    """Raise for cells of which the column has no level at all, where they are of another type: it is another column.

    A single new level may be of any type. ``unit`` is that of cells that are dates, times or durations.
    """
    given = [cells.levels[code - 1] for code in np.unique(cells.codes[cells.codes > 0]).tolist()]
    if len(given) < _SEVERAL or not column.levels:
        return
    of_given = {"times"} if unit not in (None, Unit.NUMBER) else _types(given)
    of_learned = _types(column.levels)
    if not of_given & of_learned:
        raise DataError(
            f"column {column.name!r} holds {_in_words(of_given)}, such as {given[0]!r}, and the model learned from "
            f"{_in_words(of_learned)}, such as {column.levels[0]!r}",
            "give the column as it was learned from, or fit again",
        )


def _types(levels: Sequence[Level]) -> set[str]:
    """What the levels are, or could be read as."""
    found = set()
    for level in levels:
        if isinstance(level, str):
            found.add("text")
            found |= {name for name, form in _FORMS.items() if form.match(level)}
        else:
            found.add("truth values" if isinstance(level, bool) else "numbers")
    return found


def _in_words(types: set[str]) -> str:
    return "text" if "text" in types else " and ".join(sorted(types))


def _level_names(levels: tuple[Level, ...], most: int = 12) -> str:
    return ", ".join(map(repr, levels[:most])) + (", …" if len(levels) > most else "")
