"""Weka's ARFF: attributes are declared before the rows, which may be dense or sparse."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from treewright.data.readers.contents import Contents, Told, polars
from treewright.data.readers.delimited_text import typed
from treewright.data.readers.input_source import InputSource
from treewright.data.readers.text_lines import batches, numbered_lines
from treewright.errors import DataError

_ATTRIBUTE = re.compile(r"""@attribute\s+('(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|\S+)\s+(.+)""", re.IGNORECASE | re.DOTALL)
_NUMERIC = ("numeric", "real", "integer")
_HINT = "ARFF has a line '@attribute name type' per column, then '@data', then a row per line"


@dataclass(frozen=True)
class Attribute:
    name: str
    type: str  # in lower case
    levels: tuple[str, ...] = ()


def read_arff(source: InputSource, told: Told) -> Contents:
    """The rows as a table; nominal attributes have the levels that are declared, ``?`` is missing.

    The target is the attribute called class, else the last, as in Weka.
    """
    lines = numbered_lines(source, told)
    attributes = _header(lines, source.name)
    rows = [_row(text, attributes, number, source.name) for number, text in _stated(lines)]
    if not rows:
        raise DataError(f"{source.name!r} has no rows after @data", "add the rows")
    target = next((a.name for a in attributes if a.name.lower() == "class"), attributes[-1].name)
    kinds = {a.name: "nominal" for a in attributes if a.levels}
    return Contents("ARFF", _table(attributes, rows, told), target=target, kinds=kinds)


def arff_chunks(source: InputSource, told: Told) -> Contents:
    lines = numbered_lines(source, told)
    attributes = _header(lines, source.name)
    rows = (_row(text, attributes, number, source.name) for number, text in _stated(lines))
    return Contents("ARFF", chunks=(_table(attributes, part, told) for part in batches(rows)))


def _table(attributes: list[Attribute], rows: list[list[str | None]], told: Told) -> Any:
    columns = [_column(a, [row[k] for row in rows], told) for k, a in enumerate(attributes)]
    return polars().DataFrame(columns)


def _stated(lines: Iterator[tuple[int, str]]) -> Iterator[tuple[int, str]]:
    """Lines that are neither blank nor comments."""
    return ((number, line) for number, line in lines if line and not line.startswith("%"))


def _header(lines: Iterator[tuple[int, str]], name: str) -> list[Attribute]:
    """What is declared up to @data; the lines that are left are the rows."""
    attributes = []
    for number, line in _stated(lines):
        word = line.split(None, 1)[0].lower()
        if word == "@attribute":
            attributes.append(_attribute(line, number, name))
        elif word == "@data":
            return _checked(attributes, name)
        elif word != "@relation":
            raise DataError(f"line {number} of {name!r} is no ARFF: {line[:60]!r}", _HINT)
    raise DataError(f"{name!r} has no line @data", _HINT)


def _checked(attributes: list[Attribute], name: str) -> list[Attribute]:
    names = [attribute.name for attribute in attributes]
    if not names or len(set(names)) < len(names):
        raise DataError(f"{name!r} declares {'two attributes of one name' if names else 'no attribute'}", _HINT)
    return attributes


def _attribute(line: str, number: int, name: str) -> Attribute:
    found = _ATTRIBUTE.fullmatch(line)
    if not found:
        raise DataError(f"line {number} of {name!r} declares no attribute: {line[:60]!r}", _HINT)
    title, kind = _unquoted(found[1]), found[2].strip()
    if kind.startswith("{"):
        if not kind.endswith("}"):
            raise DataError(f"the levels of {title!r} in line {number} of {name!r} do not end with }}", _HINT)
        return Attribute(title, "nominal", tuple(_cells(kind[1:-1])))
    word = kind.split()[0].lower()
    if word not in (*_NUMERIC, "string", "date"):
        raise DataError(f"attribute {title!r} in line {number} of {name!r} has the unknown type {kind[:40]!r}", _HINT)
    return Attribute(title, word)


def _unquoted(text: str) -> str:
    text = text.strip()
    if len(text) > 1 and text[0] == text[-1] and text[0] in "'\"":
        return re.sub(r"\\(.)", r"\1", text[1:-1])
    return text


def _cells(text: str) -> list[str]:
    """Cells between commas, quoted by ' or "."""
    quote = '"' if '"' in text and "'" not in text else "'"
    rows = list(csv.reader([text], quotechar=quote, escapechar="\\", skipinitialspace=True))
    return [cell.strip() for cell in rows[0]] if rows else []


def _row(text: str, attributes: list[Attribute], number: int, name: str) -> list[str | None]:
    cells = _sparse(text, attributes, number, name) if text.startswith("{") else _cells(text)
    if len(cells) != len(attributes):
        raise DataError(
            f"line {number} of {name!r} has {_cells_in_words(len(cells))} for {len(attributes)} attributes",
            "correct the line",
        )
    for cell, attribute in zip(cells, attributes):
        if attribute.levels and cell != "?" and cell not in attribute.levels:
            raise DataError(
                f"line {number} of {name!r} has {cell!r}, which is no level of {attribute.name!r}",
                f"the levels are {', '.join(attribute.levels[:12])}",
            )
    return [None if cell == "?" else cell for cell in cells]


def _cells_in_words(n: int) -> str:
    return "1 cell" if n == 1 else f"{n} cells"


def _sparse(text: str, attributes: list[Attribute], number: int, name: str) -> list[str]:
    """``{1 X, 3 Y}``: what is not given is zero, or the first level."""
    cells = [attribute.levels[0] if attribute.levels else "0" for attribute in attributes]
    for pair in _cells(text.strip("{} ")):
        place, _, cell = pair.partition(" ")
        if not place.isdigit() or int(place) >= len(cells):
            raise DataError(f"line {number} of {name!r} fills no attribute with {pair!r}", "count attributes from 0")
        cells[int(place)] = _unquoted(cell)
    return cells


def _column(attribute: Attribute, cells: list[str | None], told: Told) -> Any:
    pl = polars()
    column = pl.Series(attribute.name, cells, dtype=pl.String)
    if attribute.type in _NUMERIC:
        try:
            return column.cast(pl.Float64)
        except pl.exceptions.PolarsError:
            bad = next(cell for cell, n in zip(cells, column.cast(pl.Float64, strict=False)) if cell and n is None)
            raise DataError(f"attribute {attribute.name!r} is numeric and holds {bad!r}", "correct the cell") from None
    if attribute.levels:
        return column.cast(pl.Enum(list(dict.fromkeys(attribute.levels))))
    return typed(column, told) if attribute.type == "date" else column
