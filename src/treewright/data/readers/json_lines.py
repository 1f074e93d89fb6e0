"""Rows as JSON: an object per line, or all in one list."""

from __future__ import annotations

import codecs
import io
import json
import re
from collections.abc import Iterator
from typing import IO, Any

from treewright.data.readers.binary import clearly
from treewright.data.readers.contents import Contents, Told, polars, unreadable
from treewright.data.readers.input_source import InputSource, told_of
from treewright.errors import DataError

BYTES = 1 << 24  # of a chunk
_BETWEEN = re.compile(r"[\s,]*")
_HINT = "check that the file is whole JSON: an object per line, or a list of objects"


def read_json_lines(source: InputSource, told: Told) -> Contents:
    parts = list(_blocks(source))
    if not parts:
        raise DataError(f"{source.name!r} holds no objects", _HINT)
    return Contents("JSON lines", _flat(_parsed(source, b"\n".join(parts)), source))


def json_chunks(source: InputSource, told: Told) -> Contents:
    return Contents("JSON lines", chunks=_tables(source))


def _tables(source: InputSource) -> Iterator[Any]:
    """Columns are those of the first block; a later block without one of them has missing values there."""
    names: list[str] = []
    for lines in _blocks(source):
        table = _flat(_parsed(source, lines), source)
        names = names or table.columns
        missing = [polars().lit(None).alias(name) for name in names if name not in table.columns]
        yield table.with_columns(missing).select(names)


def _parsed(source: InputSource, lines: bytes) -> Any:
    return clearly(source, lambda: polars().read_ndjson(io.BytesIO(lines), infer_schema_length=None), hint=_HINT)


def _flat(table: Any, source: InputSource) -> Any:
    for name, kind in table.schema.items():
        if kind.is_nested():
            raise DataError(
                f"column {name!r} of {source.name!r} holds lists or objects", "give every column one value per row"
            )
    return table


def _blocks(source: InputSource) -> Iterator[bytes]:
    """Blocks of lines, an object in each."""
    is_list = source.head(1 << 12).lstrip(codecs.BOM_UTF8).lstrip().startswith(b"[")
    with source.open() as file, told_of(source):
        blocks = _from_list(source, file) if is_list else _lines(file)
        yield from (block for block in blocks if block.strip())


def _lines(file: IO[bytes]) -> Iterator[bytes]:
    rest = file.read(len(codecs.BOM_UTF8)).replace(codecs.BOM_UTF8, b"")
    while piece := file.read(BYTES):
        lines, newline, rest = (rest + piece).rpartition(b"\n")
        if newline:
            yield lines
    yield rest


def _from_list(source: InputSource, file: IO[bytes]) -> Iterator[bytes]:
    """The objects of one list, found one after the other, so that no more than a piece of it is held."""
    decoder = codecs.getincrementaldecoder("utf-8-sig")()
    text, piece = _decoded(source, decoder, file.read(1 << 12)).lstrip().removeprefix("["), b"["
    while piece:
        piece = file.read(BYTES)
        found, text = _objects(text + _decoded(source, decoder, piece))
        yield "\n".join(found).encode()
    if text.strip() != "]":
        raise unreadable(source.name, ValueError(f"not JSON from {text.strip()[:40]!r} on"), _HINT)


def _decoded(source: InputSource, decoder: codecs.IncrementalDecoder, piece: bytes) -> str:
    try:
        return decoder.decode(piece, final=not piece)
    except UnicodeDecodeError as error:
        raise unreadable(source.name, error, _HINT) from error


def _objects(text: str) -> tuple[list[str], str]:
    """The objects a text begins with, each in one line, and what follows them.

    >>> _objects('{"a": 1},\\n {"a":\\n 2}, {"a')
    (['{"a": 1}', '{"a": 2}'], '{"a')
    """
    found: list[str] = []
    decoder, place = json.JSONDecoder(), 0
    while True:
        between = _BETWEEN.match(text, place)
        place = place if between is None else between.end()
        if not text.startswith("{", place):
            return found, text[place:]
        try:
            made, place = decoder.raw_decode(text, place)
        except ValueError:
            return found, text[place:]
        found.append(json.dumps(made))
