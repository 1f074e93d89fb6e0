"""Formats that name their own columns and types: Parquet, Arrow and Excel."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator
from typing import Any

from treewright.data.readers.contents import Contents, Told, needed, polars, unreadable, wanted_columns
from treewright.data.readers.input_source import InputSource
from treewright.errors import DataError

_ROWS = 250_000  # of a chunk
_DAMAGED = "check that the file is whole and of the format its name says, or say --format"


def read_parquet(source: InputSource, told: Told) -> Contents:
    return Contents("Parquet", clearly(source, lambda: polars().read_parquet(_data(source), glob=False)))


def read_arrow(source: InputSource, told: Told) -> Contents:
    return Contents("Arrow", clearly(source, lambda: _arrow(source)))


def _arrow(source: InputSource) -> Any:
    """A file or, without the mark of a file, a stream."""
    is_file = source.head(6) == b"ARROW1"
    read = polars().read_ipc if is_file else polars().read_ipc_stream
    return read(_data(source))


def read_excel(source: InputSource, told: Told) -> Contents:
    excel = needed("fastexcel", "reading Excel files")
    known = clearly(source, lambda: excel.read_excel(source.read()).sheet_names)
    if told.sheet and told.sheet not in known:
        raise DataError(f"{source.name!r} has no sheet {told.sheet!r}", f"its sheets are {', '.join(known)}")
    sheet = {"sheet_name": told.sheet} if told.sheet else {}
    table = clearly(
        source,
        lambda: polars().read_excel(
            io.BytesIO(source.read()), has_header=told.header, infer_schema_length=None, raise_if_empty=False, **sheet
        ),
    )
    return Contents("Excel", table)


def parquet_chunks(source: InputSource, told: Told) -> Contents:
    return _scanned("Parquet", source, told, lambda: polars().scan_parquet(_data(source), glob=False))


def arrow_chunks(source: InputSource, told: Told) -> Contents:
    if source.head(6) != b"ARROW1":
        return _in_one(read_arrow(source, told))
    return _scanned("Arrow", source, told, lambda: polars().scan_ipc(_data(source), glob=False))


def _scanned(words: str, source: InputSource, told: Told, scan: Callable[[], Any]) -> Contents:
    lazy = clearly(source, scan)
    names = clearly(source, lambda: lazy.collect_schema().names())
    lazy = lazy.select(wanted_columns(told, names))
    return Contents(words, chunks=_slices(source, lazy))


def _slices(source: InputSource, lazy: Any) -> Iterator[Any]:
    start = 0
    while True:
        part = clearly(source, lambda offset: lazy.slice(offset, _ROWS).collect(), start)
        if len(part) or not start:
            yield part
        if len(part) < _ROWS:
            return
        start += _ROWS


def _in_one(contents: Contents) -> Contents:
    return Contents(contents.words, chunks=iter([contents.table]), notes=contents.notes)


def _data(source: InputSource) -> Any:
    return source.name if source.is_plain_file else io.BytesIO(source.read())


def clearly(source: InputSource, read: Callable[..., Any], *arguments: Any, hint: str = _DAMAGED) -> Any:
    """What polars and its helpers say about a broken file, in one line."""
    try:
        return read(*arguments)
    except DataError:
        raise
    except Exception as error:  # every reader raises its own kinds
        raise unreadable(source.name, error, hint) from error
