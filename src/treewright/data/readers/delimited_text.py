"""CSV and its kin by way of polars: the whole file, or blocks of lines one after the other."""

from __future__ import annotations

import csv
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from treewright.data.readers.column_notes import codes_in, dates_of_two_meanings, first_cells
from treewright.data.readers.column_types import OddCellError, cast_texts, not_of_type
from treewright.data.readers.contents import Contents, Told, polars, unreadable, wanted_columns
from treewright.data.readers.decimal_commas import may_have_groups, with_grouped_numbers
from treewright.data.readers.dialect import Dialect, decoded, find_dialect, find_encoding, rows_of
from treewright.data.readers.input_source import InputSource, told_of
from treewright.data.readers.row_lengths import HINT, RowLengths, blank_lines
from treewright.data.readers.text_blocks import TextBlock, blocks_of, without_header
from treewright.errors import DataError

BLOCK = 1 << 24  # bytes of lines that are read at a time
_INFERENCE_ROWS = 10_000  # from which polars infers types; if a later row contradicts them all rows are used
_HEAD_LINES = 1000  # that are looked at for texts that look like something else
_NO_TABLES = {  # what a file called .csv may turn out to be, by its beginning
    r"[{\[]\s*([\"{\[]|$)": ("JSON", "say --format jsonl"),
    r"(?i)<(!doctype|html|\?xml)": ("a page of the web or XML", "download the table itself"),
}


@dataclass(frozen=True)
class TextFile:
    """A source whose dialect and column names are known."""

    source: InputSource
    dialect: Dialect
    names: tuple[str, ...]
    told: Told
    notes: tuple[str, ...] = ()
    nameless: tuple[str, ...] = ()  # columns without a name, by the names they are given
    codes: tuple[str, ...] = ()  # columns of codes with leading zeros, which are text

    @cached_property
    def shape(self) -> RowLengths:
        return RowLengths(self.source.name, self.dialect, len(self.names))

    def blocks(self) -> Iterator[TextBlock]:
        """The rows, whole lines at a time, without the header."""
        with self.source.open() as file, told_of(self.source):
            blocks = blocks_of(file, self.dialect, self.source.name, BLOCK)
            yield from without_header(blocks, self.dialect, self.told.header)


def open_text(source: InputSource, told: Told) -> TextFile:
    head = source.head()
    _refuse_others(head, source.name, told)
    dialect = find_dialect(head, source.name, told)
    rows = _first_rows(head, dialect, source.name)
    names, lost = _names(rows[0], source.name) if told.header else ([f"x{k}" for k in range(len(rows[0]))], ())
    notes: tuple[str, ...] = ()
    if told.header and len(rows) > 1 and all(_is_number(cell) for cell in rows[0]):
        notes = (f"the first line of {source.name!r} looks like data; if it has no names use --no-header",)
    known = first_cells(_head_rows(head, dialect, source.name), names, told)
    codes = codes_in(known)
    notes += (*codes.values(), *dates_of_two_meanings(known))
    return TextFile(source, dialect, tuple(names), told, notes, lost, (*codes, *_told_as_text(names, told)))


def _told_as_text(names: list[str], told: Told) -> list[str]:
    """Columns that the user wants as they are written; those of codes are no longer looked for in them."""
    return [name for name in names if told.types.get(name) == polars().String]


def _head_rows(head: bytes, dialect: Dialect, name: str) -> list[list[str]]:
    lines = [line for line in decoded(head, dialect.encoding, name).splitlines()[:_HEAD_LINES] if line.strip()]
    try:
        return rows_of(lines[dialect.skip : -1] or lines[dialect.skip :], dialect.delimiter, dialect.quote)
    except csv.Error:
        return []


def _refuse_others(head: bytes, name: str, told: Told) -> None:
    """JSON cut at its commas would be a table of rubbish, or of rows that fit no header."""
    start = head[:1000].lstrip(b"\xef\xbb\xbf \t\r\n").decode("latin-1")
    for pattern, (what, hint) in _NO_TABLES.items():
        if told.format is None and re.match(pattern, start.partition("\n")[0].strip()):
            raise DataError(f"{name!r} holds {what}, not CSV", hint)


def _first_rows(head: bytes, dialect: Dialect, name: str) -> list[list[str]]:
    text = decoded(head, dialect.encoding, name)
    lines = [line for line in text.splitlines()[:1000] if line.strip()][dialect.skip :]
    try:
        rows = rows_of(lines[:50], dialect.delimiter, dialect.quote)
    except csv.Error as error:
        raise unreadable(name, error, HINT) from error
    return [[cell.strip() for cell in row] for row in rows]


def _names(cells: list[str], name: str) -> tuple[list[str], tuple[str, ...]]:
    """Columns without a name are called by their place, as spreadsheets do with a column of row numbers."""
    named = [cell or f"column{place}" for place, cell in enumerate(cells, start=1)]
    twice = [cell for cell, times in Counter(named).items() if times > 1]
    if twice:
        raise DataError(
            f"{name!r} has two columns called {twice[0]!r}", "rename one, or use --no-header if the file has no names"
        )
    return named, tuple(n for n, cell in zip(named, cells) if not cell)


def _about(file: TextFile, empty: list[str]) -> tuple[str, ...]:
    """Remarks on the file; a column with neither name nor values is what a delimiter at the end of lines makes."""
    called = [name for name in file.nameless if name not in empty]
    return (*file.notes, *(f"a column of {file.source.name!r} has no name and is called {n!r}" for n in called))


def _is_number(cell: str) -> bool:
    try:
        float(cell)
    except ValueError:
        return False
    return True


# ---- the whole file --------------------------------------------------------------------------------------------------


def read_text(source: InputSource, told: Told) -> Contents:
    file, table = _parsed(open_text(source, told))
    _check_last(file, table[:, -1])
    if not len(table):
        raise _no_rows(file)
    nameless = [name for name in file.nameless if table[name].null_count() == len(table)]
    table, grouped = with_grouped_numbers(table, file.codes) if file.dialect.decimal_comma else (table, [])
    return Contents(f"CSV, {file.dialect}", table.drop(nameless), notes=(*_about(file, nameless), *grouped))


def _parsed(file: TextFile) -> tuple[TextFile, Any]:
    """The table, and the file as it turned out to be written."""
    raised = polars().exceptions
    try:
        return file, _parse_all(file, _whole(file))
    except raised.NoDataError as error:
        raise _no_rows(file) from error
    except raised.PolarsError as error:
        return _second_try(file, error)


def _no_rows(file: TextFile) -> DataError:
    return DataError(
        f"{file.source.name!r} has a line of names and no rows", "add the rows, or check that the file is a table"
    )


def _whole(file: TextFile) -> Any:
    """What polars reads: the name of a plain file, else its lines. Rows are looked at on the way."""
    sound = True
    for block in file.blocks():
        sound = not file.shape.check(block) and sound
    if sound and file.source.is_plain_file and file.dialect.is_plain:
        return file.source.name
    return _lines_of(file)


def _lines_of(file: TextFile) -> bytes:
    quote = file.dialect.quote.encode()
    return b"".join(_without_blank_lines(block.rows, quote) for block in file.blocks())


def _check_last(file: TextFile, last: Any) -> None:
    if last.null_count():
        for block in file.blocks():
            file.shape.check_last(block, last)


def _parse_all(file: TextFile, whole: Any) -> Any:
    if file.dialect.spaces:
        return _trimmed(_parse(file, whole, infer=False), file)
    try:
        return _parse(file, whole, rows=_INFERENCE_ROWS)
    except polars().exceptions.ComputeError as error:
        if "could not parse" not in str(error):
            raise
        return _parse(file, whole, rows=None)


def _parse(file: TextFile, whole: Any, *, rows: int | None = None, infer: bool = True) -> Any:
    named = isinstance(whole, str) and file.told.header
    return _polars_csv(
        whole, file, has_header=named, infer_schema_length=rows, infer_schema=infer,
        new_columns=list(file.names), try_parse_dates=infer and not file.dialect.decimal_comma,
        schema_overrides=dict.fromkeys(file.codes, polars().String),
    )  # fmt: skip


def _polars_csv(data: Any, file: TextFile, **more: Any) -> Any:
    dialect = file.dialect
    return polars().read_csv(
        data, separator=dialect.delimiter, quote_char=dialect.quote, decimal_comma=dialect.decimal_comma,
        null_values=list(file.told.missing), glob=False, **more,
    )  # fmt: skip


def _trimmed(table: Any, file: TextFile) -> Any:
    """Cells without the blanks around them, then typed."""
    cells = {name: table[name].str.strip_chars() for name in table.columns}
    comma = file.dialect.decimal_comma
    read = (
        column.set(column.is_in(list(file.told.missing)), None)
        if name in file.codes
        else typed(column, file.told, comma)
        for name, column in cells.items()
    )
    return polars().DataFrame(list(read))


def typed(column: Any, told: Told, decimal_comma: bool = False) -> Any:
    """A column of text as whole numbers, numbers, truth values or dates, if every known cell is one; else as it is."""
    pl = polars()
    known = column.set(column.is_in(list(told.missing)), None)
    numbers = known.str.replace(",", ".", literal=True) if decimal_comma else known
    for cells, kind in ((known, pl.Int64), (numbers, pl.Float64)):
        try:
            return cells.cast(kind)
        except pl.exceptions.PolarsError:
            continue
    if known.str.to_lowercase().is_in(["true", "false"]).all() and known.null_count() < len(known):
        return (known.str.to_lowercase() == "true").rename(column.name)
    try:
        return known.str.to_date("%Y-%m-%d") if known.null_count() < len(known) else known
    except pl.exceptions.PolarsError:
        return known


def _second_try(file: TextFile, error: Exception) -> tuple[TextFile, Any]:
    """A letter that is not UTF-8 far down the file: then it is the western encoding all through."""
    if "utf-8" not in str(error) or file.told.encoding or file.dialect.encoding != "utf-8":
        raise parse_error(file, error) from error
    again = replace(file, dialect=replace(file.dialect, encoding="cp1252"))
    try:
        return again, _parse_all(again, _lines_of(again))
    except polars().exceptions.PolarsError as second:
        raise parse_error(again, second) from second


def parse_error(file: TextFile, error: Exception, block: TextBlock | None = None) -> DataError:
    """polars' words are about its own options; keep what they say about the file, or the block that was read."""
    text = str(error)
    cell = re.search(r"could not parse `(.{0,60})", text, re.DOTALL)
    where = re.search(r"at column '(.*?)'", text)
    name = file.source.name
    if "more fields" in text or "not found in CSV" in text:
        for each in file.blocks() if block is None else [block]:
            file.shape.refuse_uneven(each)
        return DataError(f"rows of {name!r} have different numbers of cells", HINT)
    if "malformed" in text:
        return DataError(f"quotes in {name!r} do not enclose whole cells", "if they are text say --quote none")
    if cell and where:
        content = " ".join(cell[1].partition("`")[0].split())
        if content.startswith(file.dialect.quote):
            return DataError(f"a quoted cell of {name!r} does not end: {content!r}", "close the quote, or say --quote")
        column = _column_name(file, where[1])
        return not_of_type(column, content, _place_of(file, block, column, content), file.told.types.get(column))
    return unreadable(name, error, HINT)


def _place_of(file: TextFile, block: TextBlock | None, column: str, text: str) -> str | None:
    if block is None or column not in file.names:
        return None
    line = file.shape.line_of(block, file.names.index(column), text)
    return None if line is None else f"line {line} of {file.source.name!r}"


def _column_name(file: TextFile, polars_name: str) -> str:
    """polars calls columns of a file without a header column_1, column_2, …"""
    place = re.fullmatch(r"column_(\d+)", polars_name)
    known = polars_name not in file.names and place is not None and int(place[1]) <= len(file.names)
    return file.names[int(place[1]) - 1] if known and place else polars_name


# ---- blocks of lines -------------------------------------------------------------------------------------------------


def text_chunks(source: InputSource, told: Told) -> Contents:
    """The file a block at a time, with the types the user says."""
    file = open_text(source, told)
    return Contents(f"CSV, {file.dialect}", chunks=_chunks(file), notes=file.notes)


def _chunks(file: TextFile) -> Iterator[Any]:
    pl = polars()
    wanted = set(wanted_columns(file.told, file.names))
    schema = {name: file.told.types.get(name, pl.String) for name in file.names}
    kept = [name for name in file.names if name in wanted]
    table = None
    for block in file.blocks():
        has_blanks = file.shape.check(block)
        lines = _without_blank_lines(block.rows, file.dialect.quote.encode()) if has_blanks else block.rows
        if lines:
            looked_at = file.names[-1:] if file.shape.hides(block) else ()
            table = _block_table(file, block, lines, schema, {*kept, *looked_at})
            file.shape.check_last(block, table[:, -1])
            yield table.select(kept)
    if table is None:
        yield pl.DataFrame(schema={name: schema[name] for name in kept})


def _block_table(file: TextFile, block: TextBlock, lines: bytes, schema: dict[str, Any], kept: set[str]) -> Any:
    pl = polars()
    places = [place for place, name in enumerate(file.names) if name in kept]
    if not file.dialect.spaces:
        try:
            if file.dialect.decimal_comma and may_have_groups(lines):
                return _read_as_texts(file, block, lines, schema, places)
            return _polars_csv(lines, file, has_header=False, schema=schema, columns=places)
        except pl.exceptions.PolarsError as error:
            return _written_otherwise(file, block, lines, schema, places, error)
    try:
        text = _polars_csv(lines, file, has_header=False, schema=dict.fromkeys(schema, pl.String))
    except pl.exceptions.PolarsError as error:
        raise parse_error(file, error, block) from error
    return _typed_texts(text[:, places], file, schema)


def _written_otherwise(
    file: TextFile, block: TextBlock, lines: bytes, schema: dict[str, Any], places: list[int], error: Exception
) -> Any:
    """A block whose numbers may be percentages or have decimal commas; else what was wrong about it."""
    try:
        return _read_as_texts(file, block, lines, schema, places)
    except polars().exceptions.PolarsError:
        raise parse_error(file, error, block) from error


def _read_as_texts(file: TextFile, block: TextBlock, lines: bytes, schema: dict[str, Any], places: list[int]) -> Any:
    pl = polars()
    text = _polars_csv(lines, file, has_header=False, schema=dict.fromkeys(schema, pl.String), columns=places)
    try:
        return _typed_texts(text, file, schema)
    except OddCellError as odd:
        place = _place_of(file, block, odd.column, odd.text)
        raise OddCellError(odd.column, odd.text, odd.kind, place) from None


def _typed_texts(text: Any, file: TextFile, schema: dict[str, Any]) -> Any:
    pl = polars()
    cells = text.select(pl.all().str.strip_chars())
    missing = pl.all().is_in(list(file.told.missing))
    known = cells.select(pl.when(missing).then(None).otherwise(pl.all()).name.keep())
    if file.dialect.decimal_comma:
        known, _ = with_grouped_numbers(known, [name for name, kind in schema.items() if kind != pl.Float64])
    return cast_texts(known, schema)


def _without_blank_lines(rows: bytes, quote: bytes) -> bytes:
    """polars makes rows of blank lines. Those within quotes stay."""
    if not blank_lines(rows):
        return rows
    kept, quoted = [], False
    for line in rows.split(b"\n"):
        if quoted or line.strip():
            kept.append(line + b"\n")
        quoted ^= bool(line.count(quote) % 2)
    return b"".join(kept)


def encoding_of(source: InputSource, told: Told) -> str:
    return told.encoding or find_encoding(source.head(), source.name)
