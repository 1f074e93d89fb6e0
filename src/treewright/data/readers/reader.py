"""Which reader a source wants: by its name, by its first bytes, or as told."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any

from treewright.data.readers.arff import arff_chunks, read_arff
from treewright.data.readers.binary import arrow_chunks, parquet_chunks, read_arrow, read_excel, read_parquet
from treewright.data.readers.c45_files import c45_chunks, is_c45, read_c45
from treewright.data.readers.contents import Contents, Told, polars
from treewright.data.readers.database import database_chunks, is_database, read_database
from treewright.data.readers.delimited_text import read_text, text_chunks
from treewright.data.readers.input_source import InputSource, sources
from treewright.data.readers.json_lines import json_chunks, read_json_lines
from treewright.errors import DataError, unknown


@dataclass(frozen=True)
class Format:
    """``minds`` is what may be told about such a file. ``chunks`` is None where a file is always read whole."""

    suffixes: tuple[str, ...]
    minds: frozenset[str]
    read: Callable[[InputSource, Told], Contents]
    chunks: Callable[[InputSource, Told], Contents] | None = None
    magic: tuple[bytes, ...] = ()


_TEXT = frozenset({"delimiter", "quote", "encoding", "decimal", "header", "missing"})
_ENCODING, _SHEET, _NOTHING = frozenset({"encoding"}), frozenset({"sheet", "header"}), frozenset[str]()
_WRITTEN = {"header": "--no-header", "missing": "--na"}

FORMATS = {
    "csv": Format((".csv", ".tsv", ".txt", ".tab"), _TEXT, read_text, text_chunks),
    "parquet": Format((".parquet", ".pq"), _NOTHING, read_parquet, parquet_chunks, (b"PAR1",)),
    "arrow": Format((".arrow", ".feather", ".ipc"), _NOTHING, read_arrow, arrow_chunks, (b"ARROW1",)),
    "jsonl": Format((".jsonl", ".ndjson", ".json"), _NOTHING, read_json_lines, json_chunks),
    "excel": Format((".xlsx", ".xls", ".xlsb", ".ods"), _SHEET, read_excel, None, (b"PK\x03\x04", b"\xd0\xcf\x11\xe0")),
    "arff": Format((".arff",), _ENCODING, read_arff, arff_chunks),
    "c4.5": Format((".names",), _ENCODING, read_c45, c45_chunks),
}


_ARCHIVES = (".zip", ".7z", ".tar", ".tgz", ".rar")


def read_table(source: str, told: Told | None = None) -> Contents:
    """Read a file, several that fit a pattern, standard input (``-``) or a table of a database, whole.

    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp(), "flats.csv")
    >>> _ = path.write_text("rooms;rent\\n2;700,50\\n3;910,00\\n")
    >>> contents = read_table(str(path))
    >>> contents.words, contents.table["rent"].to_list()
    ('CSV, semicolons between cells, utf-8, decimal comma', [700.5, 910.0])
    """
    told = Told() if told is None else told
    if is_database(source):
        return _checked(_with_unminded(read_database(source), source, _NOTHING, told), source)
    found = [item.held() for item in sources(source)]
    parts = [_read(item, told) for item in found]
    return _checked(parts[0] if len(parts) == 1 else _together(parts, found), source)


def read_chunks(source: str, told: Told | None = None) -> Contents:
    """The same a part at a time. Columns of text files have the types in ``told.types``; the others stay text.

    Of a table without rows there is one part without rows, which has its columns; of JSON there is none.

    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp(), "flats.csv")
    >>> _ = path.write_text("rooms,rent\\n2,700\\n3,910\\n")
    >>> [chunk.height for chunk in read_chunks(str(path)).chunks]
    [2]
    """
    told = Told() if told is None else told
    if is_database(source):
        return _with_unminded(database_chunks(source), source, _NOTHING, told)
    found = sources(source)
    first = _chunked(found[0], told)
    return Contents(first.words, chunks=_one_after_the_other(first, found[1:], told), notes=first.notes)


def _one_after_the_other(first: Contents, others: list[InputSource], told: Told) -> Iterator[Any]:
    yield from first.chunks or ()
    for source in others:
        yield from _chunked(source, told).chunks or ()


def _chunked(source: InputSource, told: Told) -> Contents:
    format = _format(source, told)
    if format.chunks is not None:
        return _with_unminded(format.chunks(source, told), source.name, format.minds, told)
    whole = _read(source, told)
    return Contents(whole.words, chunks=iter([whole.table]), notes=whole.notes)


def _read(source: InputSource, told: Told) -> Contents:
    format = _format(source, told)
    return _with_unminded(format.read(source, told), source.name, format.minds, told)


def _with_unminded(contents: Contents, name: str, minds: frozenset[str], told: Told) -> Contents:
    """A note on what was told that does not matter for such a file. It is no error: other files of a call may mind."""
    usual, options = Told(), sorted((_TEXT | _SHEET) - minds)
    unminded = [_WRITTEN.get(o, f"--{o}") for o in options if getattr(told, o) != getattr(usual, o)]
    note = f"{name!r} is read as {contents.words}, which {' and '.join(unminded)} cannot change"
    return replace(contents, notes=(*contents.notes, note)) if unminded else contents


def _format(source: InputSource, told: Told) -> Format:
    if told.format is not None:
        if told.format.lower() not in FORMATS:
            raise unknown("format", told.format, FORMATS)
        return FORMATS[told.format.lower()]
    if is_c45(source):
        return FORMATS["c4.5"]
    if source.suffix in _ARCHIVES:
        raise DataError(f"{source.name!r} is an archive of files", "unpack it, and name the file that is wanted")
    named = next((format for format in FORMATS.values() if source.suffix in format.suffixes), None)
    if named is not None:
        return named
    return _by_content(source)


def _by_content(source: InputSource) -> Format:
    head = source.head(1 << 12)
    for format in FORMATS.values():
        if any(head.startswith(magic) for magic in format.magic):
            return format
    start = head.lstrip()[:64].lower()
    if start.startswith((b"@relation", b"%")):
        return FORMATS["arff"]
    return FORMATS["jsonl" if start.startswith((b"{", b"[{")) else "csv"]


def _together(parts: list[Contents], found: list[InputSource]) -> Contents:
    """Several files one below the other; they have to have the same columns."""
    first = parts[0].table.columns
    for part, source in zip(parts, found):
        if sorted(part.table.columns) != sorted(first):
            odd = sorted(set(part.table.columns) ^ set(first))
            raise DataError(
                f"{source.name!r} has other columns than {found[0].name!r}: {', '.join(odd[:6])}",
                "choose files with the same columns",
            )
    levels = {name: _levels_in_all([part.table[name] for part in parts]) for name in first}
    shared = [polars().col(name).cast(levels) for name, levels in levels.items() if levels is not None]
    try:
        table = polars().concat(
            [part.table.select(first).with_columns(shared) for part in parts], how="vertical_relaxed"
        )
    except polars().exceptions.PolarsError as error:
        reason = str(error).partition("\n")[0]
        raise DataError(f"the {len(parts)} files differ in the types of a column: {reason}", "correct it") from error
    notes = tuple(dict.fromkeys(note for part in parts for note in part.notes))
    return Contents(f"{len(parts)} files, {parts[0].words}", table, target=parts[0].target, kinds=parts[0].kinds,
                    notes=notes)  # fmt: skip


def _levels_in_all(columns: list[Any]) -> Any:
    """The type that has the levels of all files, if each of them declares some."""
    pl = polars()
    if not all(column.dtype == pl.Enum for column in columns):
        return None
    return pl.Enum(list(dict.fromkeys(level for column in columns for level in column.dtype.categories)))


def _checked(contents: Contents, source: str) -> Contents:
    table = contents.table
    if table.height == 0 or table.width == 0:
        raise DataError(f"{source!r} has no rows", "give at least one row")
    return contents
