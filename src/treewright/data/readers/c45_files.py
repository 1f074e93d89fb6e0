"""C4.5's own files: ``stem.names`` declares classes and attributes, ``stem.data`` and ``stem.test`` hold the rows."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, TypeAlias

from treewright.data.readers.contents import Contents, Told, polars
from treewright.data.readers.input_source import InputSource, sources
from treewright.data.readers.text_lines import batches, numbered_lines
from treewright.errors import DataError

Attributes: TypeAlias = "dict[str, str | tuple[str, ...]]"  # "continuous", "ignore", "discrete" or the levels

CLASS = "class"
_WORDS = "C4.5 names and data"
_HINT = "a .names file lists the classes, then a line 'attribute: continuous.' or 'attribute: a, b, c.' for each column"


def is_c45(source: InputSource) -> bool:
    """A .names file, or a .data or .test file beside one."""
    path = Path(source.name)
    return source.suffix == ".names" or (source.suffix in (".data", ".test") and path.with_suffix(".names").exists())


def read_c45(source: InputSource, told: Told) -> Contents:
    """The rows with the attributes' names; the target is called class. Given .names, the rows are those of .data."""
    attributes, rows_path = _opened(source, told)
    rows = list(_rows(attributes, rows_path, told))
    if not rows:
        raise DataError(f"{rows_path!r} has no rows", "add the rows")
    table = _table(attributes, rows)
    kinds = {name: "nominal" for name, kind in attributes.items() if isinstance(kind, tuple) and name in table.columns}
    return Contents(_WORDS, table, target=CLASS, kinds=kinds)


def c45_chunks(source: InputSource, told: Told) -> Contents:
    attributes, rows_path = _opened(source, told)
    return Contents(_WORDS, chunks=(_table(attributes, part) for part in batches(_rows(attributes, rows_path, told))))


def _opened(source: InputSource, told: Told) -> tuple[Attributes, str]:
    """The attributes, and the file of the rows."""
    path = Path(source.name)
    names = str(path.with_suffix(".names"))
    rows_path = path.with_suffix(".data") if source.suffix == ".names" else path
    attributes = _declared("\n".join(line for _, line in numbered_lines(sources(names)[0], told)), names)
    if not rows_path.exists():
        raise DataError(f"there is no {str(rows_path)!r} beside the .names file", "put the rows there")
    return attributes, str(rows_path)


def _table(attributes: Attributes, rows: list[list[str]]) -> Any:
    columns = [_column(name, kind, [r[k] for r in rows]) for k, (name, kind) in enumerate(attributes.items())]
    return polars().DataFrame([column for column in columns if column is not None])


def _without_comments(text: str) -> str:
    return re.sub(r"(?<!\\)\|.*", "", text)


def _split(text: str) -> list[str]:
    """Parts between commas; a backslash keeps the next character."""
    parts = re.split(r"(?<!\\),", text)
    return [re.sub(r"\s+", " ", re.sub(r"\\(.)", r"\1", part)).strip() for part in parts]


def _declared(text: str, name: str) -> Attributes:
    """Attribute to "continuous", "ignore", "discrete" or its levels; the class last.

    An entry ends with a period at the end of a line (the last may go without). A period within a name does not end it.
    """
    entries = [entry.strip() for entry in re.split(r"\.\s*(?:\n|$)|\n", _without_comments(text)) if entry.strip()]
    joined = _joined(entries)
    if not joined or _colon(joined[0]) >= 0:
        raise DataError(f"{name!r} does not begin with the classes", _HINT)
    attributes: Attributes = {}
    for entry in joined[1:]:
        at = _colon(entry)
        title, kind = _split(entry[:at])[0] if at > 0 else "", entry[at + 1 :].strip()
        if not title or not kind:
            raise DataError(f"{name!r} declares no attribute with {entry[:60]!r}", _HINT)
        attributes[title] = _kind(kind)
    if not attributes or CLASS in attributes:
        what = f"an attribute called {CLASS!r}" if attributes else "no attribute"
        raise DataError(f"{name!r} declares {what}", _HINT)
    attributes[CLASS] = tuple(_split(joined[0]))
    return attributes


def _joined(lines: list[str]) -> list[str]:
    """Entries of several lines in one: a line that follows a comma, or begins with one, goes on."""
    entries: list[str] = []
    for line in lines:
        if entries and (entries[-1].endswith((",", ":")) or line.startswith(",")):
            entries[-1] += " " + line
        else:
            entries.append(line)
    return entries


def _colon(entry: str) -> int:
    found = re.search(r"(?<!\\):", entry)
    return found.start() if found else -1


def _kind(text: str) -> str | tuple[str, ...]:
    word = text.split()[0].lower()
    if word in ("continuous", "ignore", "discrete"):
        return word
    return tuple(_split(text))


def _rows(attributes: Attributes, path: str, told: Told) -> Iterator[list[str]]:
    for number, line in numbered_lines(sources(path)[0], told):
        stated = _without_comments(line).strip()
        if not stated:
            continue
        cells = _split(re.sub(r"\.\s*$", "", stated))
        if len(cells) != len(attributes):
            raise DataError(
                f"line {number} of {path!r} has {len(cells)} cells for {len(attributes)} attributes and class",
                "correct the line or the .names file",
            )
        yield cells


def _column(name: str, kind: str | tuple[str, ...], cells: list[str]) -> Any:
    pl = polars()
    if kind == "ignore":
        return None
    known = [None if cell == "?" else cell for cell in cells]
    column = pl.Series(name, known, dtype=pl.String)
    if kind == "continuous":
        try:
            return column.cast(pl.Float64)
        except pl.exceptions.PolarsError:
            bad = next(cell for cell, n in zip(known, column.cast(pl.Float64, strict=False)) if cell and n is None)
            raise DataError(f"attribute {name!r} is continuous and holds {bad!r}", "correct the cell") from None
    undeclared = {cell for cell in known if cell is not None and isinstance(kind, tuple) and cell not in kind}
    if undeclared:
        raise DataError(
            f"attribute {name!r} holds {sorted(undeclared)[0]!r}, which is not in its declaration",
            "correct the row or the .names file",
        )
    return column.cast(pl.Enum(list(dict.fromkeys(kind)))) if isinstance(kind, tuple) else column
