"""Formats that name their own columns and types: Parquet, Arrow, Excel, and JSON lines."""

from __future__ import annotations

import io
import json
from collections.abc import Callable, Iterator
from typing import Any

from treewright.data.readers.contents import Contents, Told, needed, polars, unreadable, wanted_columns
from treewright.data.readers.opening import Source, told_of
from treewright.errors import DataError

_ROWS = 250_000  # of a chunk
_BYTES = 1 << 24  # of a chunk of lines
_DAMAGED = "check that the file is whole and of the format its name says, or say --format"


def read_parquet(source: Source, told: Told) -> Contents:
    return Contents("Parquet", _told(source, lambda: polars().read_parquet(_data(source), glob=False)))


def read_arrow(source: Source, told: Told) -> Contents:
    return Contents("Arrow", _told(source, lambda: _arrow(source)))


def _arrow(source: Source) -> Any:
    """A file or, lacking its mark, a stream."""
    is_file = source.head(6) == b"ARROW1"
    read = polars().read_ipc if is_file else polars().read_ipc_stream
    return read(_data(source))


def read_json_lines(source: Source, told: Told) -> Contents:
    table = _told(source, lambda: polars().read_ndjson(_lines(source), infer_schema_length=None))
    return Contents("JSON lines", _flat(table, source))


def _lines(source: Source) -> Any:
    """JSON lines, or the objects of one JSON list."""
    data = source.read()
    if not data.lstrip().startswith(b"["):
        return io.BytesIO(data)
    try:
        rows = json.loads(data)
    except ValueError as error:
        raise unreadable(source.name, error, "check that the file is whole JSON") from error
    return io.BytesIO("\n".join(map(json.dumps, rows)).encode())


def _flat(table: Any, source: Source) -> Any:
    for name, kind in table.schema.items():
        if kind.is_nested():
            raise DataError(
                f"column {name!r} of {source.name!r} holds lists or objects", "give every column one value per row"
            )
    return table


def json_chunks(source: Source, told: Told) -> Contents:
    """Blocks of lines; a list in one piece."""
    if source.head(1 << 12).lstrip().startswith(b"["):
        return _in_one(read_json_lines(source.held(), told))
    return Contents("JSON lines", chunks=_json_blocks(source))


def _json_blocks(source: Source) -> Iterator[Any]:
    """Columns are those of the first block; a later one that lacks one has no values there."""
    names: list[str] = []
    with source.open() as file, told_of(source):
        rest = b""
        while piece := file.read(_BYTES):
            lines, newline, rest = (rest + piece).rpartition(b"\n")
            if newline:
                yield from _json_block(source, lines, names)
        yield from _json_block(source, rest, names)


def _json_block(source: Source, lines: bytes, names: list[str]) -> Iterator[Any]:
    if not lines.strip():
        return
    table = _flat(_told(source, lambda: polars().read_ndjson(lines, infer_schema_length=None)), source)
    if not names:
        names += table.columns
    lacking = [polars().lit(None).alias(name) for name in names if name not in table.columns]
    yield table.with_columns(lacking).select(names)


def read_excel(source: Source, told: Told) -> Contents:
    needed("fastexcel", "reading Excel files")
    sheet = {"sheet_name": told.sheet} if told.sheet else {}
    table = _told(
        source,
        lambda: polars().read_excel(
            io.BytesIO(source.read()), has_header=told.header, infer_schema_length=None, raise_if_empty=False, **sheet
        ),
    )
    return Contents("Excel", table)


def parquet_chunks(source: Source, told: Told) -> Contents:
    return _scanned("Parquet", source, told, lambda: polars().scan_parquet(_data(source), glob=False))


def arrow_chunks(source: Source, told: Told) -> Contents:
    if source.head(6) != b"ARROW1":
        return _in_one(read_arrow(source, told))
    return _scanned("Arrow", source, told, lambda: polars().scan_ipc(_data(source), glob=False))


def _scanned(words: str, source: Source, told: Told, scan: Callable[[], Any]) -> Contents:
    lazy = _told(source, scan)
    names = _told(source, lambda: lazy.collect_schema().names())
    lazy = lazy.select(wanted_columns(told, names))
    return Contents(words, chunks=_slices(source, lazy))


def _slices(source: Source, lazy: Any) -> Iterator[Any]:
    start = 0
    while True:
        part = _told(source, lambda offset: lazy.slice(offset, _ROWS).collect(), start)
        if len(part):
            yield part
        if len(part) < _ROWS:
            return
        start += _ROWS


def _in_one(contents: Contents) -> Contents:
    return Contents(contents.words, chunks=iter([contents.table]), notes=contents.notes)


def _data(source: Source) -> Any:
    return source.name if source.is_plain_file else io.BytesIO(source.read())


def _told(source: Source, read: Callable[..., Any], *arguments: Any) -> Any:
    """What polars and its helpers say about a broken file, in one line."""
    try:
        return read(*arguments)
    except DataError:
        raise
    except Exception as error:  # every reader raises its own kinds
        raise unreadable(source.name, error, _DAMAGED) from error
