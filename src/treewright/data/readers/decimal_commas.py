"""Numbers in files whose decimal mark is a comma: points between thousands, as in 1.234,50, are read over."""

from __future__ import annotations

import re
from collections.abc import Collection
from typing import Any

from treewright.data.readers.contents import ColumnNote, polars

_GROUPED = r"^[+-]?(?:\d+|[1-9]\d{0,2}(?:[.' ]\d{3})+)(?:,\d+)?$"
_WITHOUT_COMMA = r"^[+-]?(?:\d+|[1-9]\d{0,2}(?:\.\d{3})+)$"  # blanks may as well divide a telephone number
_GROUPED_CELL = re.compile(rb"(?:^|[;\t| \"'])[+-]?[1-9]\d{0,2}(?:\.\d{3})+(?=[;\t| \"'\r\n]|$)", re.MULTILINE)


def may_have_groups(lines: bytes) -> bool:
    """Whether a cell may be 1.234, which polars would read as 1.234 where its column is to hold numbers.

    >>> [may_have_groups(line) for line in (b"7;1.234\\n", b"1.234.567\\n", b"1.234,5;01.02.1980\\n", b"0.125\\n")]
    [True, True, False, False]
    """
    return _GROUPED_CELL.search(lines) is not None


def grouped_numbers(texts: Any) -> Any:
    """A column of texts as numbers; None where a text is written otherwise, or where none has a mark.

    >>> import polars as pl
    >>> [grouped_numbers(pl.Series(texts)).to_list() for texts in (["1.234,50", None, "7"], ["1.234", "12"])]
    [[1234.5, None, 7.0], [1234.0, 12.0]]
    >>> [grouped_numbers(pl.Series(texts)) for texts in (["1.5", "1,5"], ["12", "34"], ["0.125"], ["171 234 567"])]
    [None, None, None, None]
    """
    pl = polars()
    plain = texts.str.strip_chars()
    known = plain.drop_nulls()
    pattern = _GROUPED if known.str.contains(",", literal=True).any() else _WITHOUT_COMMA
    if not known.str.contains(r"[.,]").any() or not known.str.contains(pattern).all():
        return None
    return plain.str.replace_all(r"[.' ]", "").str.replace(",", ".", literal=True).cast(pl.Float64)


def with_grouped_numbers(table: Any, as_written: Collection[str]) -> tuple[Any, list[ColumnNote]]:
    """A table as polars has read it, which takes 1.234,50 for text; columns that are to stay texts are left alone."""
    notes = []
    for name in table.columns:
        if table.schema[name] != polars().String or name in as_written:
            continue
        numbers = grouped_numbers(table[name])
        if numbers is not None:
            notes += _note(table[name])
            table = table.with_columns(numbers.alias(name))
    return table, notes


def _note(texts: Any) -> list[ColumnNote]:
    """What 1.234 means hangs on the rest of the file, where the column itself has no comma."""
    if texts.str.contains(",", literal=True).any():
        return []
    name, example = texts.name, texts.filter(texts.str.contains(".", literal=True))[0]
    return [
        ColumnNote.of(
            name,
            f"column {name!r} holds numbers such as {example}, which is read as {example.replace('.', '')} since the "
            "decimal mark of the file is a comma. Hint: where points are decimal marks say --decimal .",
        )
    ]
