"""CSV and its kin by way of polars: the whole file, or blocks of lines one after the other."""

from __future__ import annotations

import codecs
import csv
import io
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import IO, Any

from treewright.data.readers.contents import Contents, Told, polars, unreadable, wanted_columns
from treewright.data.readers.dialect import Dialect, decoded, find_dialect, find_encoding, rows_of
from treewright.data.readers.expected import cast_texts, not_of_type
from treewright.data.readers.opening import Source, told_of
from treewright.errors import DataError

BLOCK = 1 << 24  # bytes of lines that are read at a time
_LONGEST_ROW = 1 << 28
_GUESSED_ROWS = 10_000  # from which polars guesses types; if a later row contradicts them it looks at all
_CHECKED_BYTES = 1 << 26  # up to which rows of quoted cells are counted one by one
_BLANK = re.compile(rb"\n\r?\n")
_HINT = "check the lines, or say how cells are separated with --delimiter and quoted with --quote"


@dataclass(frozen=True)
class TextFile:
    """A source whose dialect and column names are known."""

    source: Source
    dialect: Dialect
    names: tuple[str, ...]
    told: Told
    notes: tuple[str, ...] = ()

    def blocks(self) -> Iterator[bytes]:
        """The rows in UTF-8, whole lines at a time, without the header."""
        with self.source.open() as file, told_of(self.source):
            lines = _line_blocks(_utf8(file, self.dialect, self.source.name), self.dialect.quote.encode())
            yield from _without_header(lines, self.dialect, self.told.header)


def open_text(source: Source, told: Told) -> TextFile:
    head = source.head()
    dialect = find_dialect(head, source.name, told)
    rows = _first_rows(head, dialect, source.name)
    names, notes = _names(rows[0], source.name) if told.header else ([f"x{k}" for k in range(len(rows[0]))], ())
    if told.header and len(rows) > 1 and all(_is_number(cell) for cell in rows[0]):
        notes = (*notes, f"the first line of {source.name!r} looks like data; if it has no names use --no-header")
    return TextFile(source, dialect, tuple(names), told, notes)


def _first_rows(head: bytes, dialect: Dialect, name: str) -> list[list[str]]:
    text = decoded(head, dialect.encoding, name)
    lines = [line for line in text.splitlines()[:1000] if line.strip()][dialect.skip :]
    try:
        rows = rows_of(lines[:50], dialect.delimiter, dialect.quote)
    except csv.Error as error:
        raise unreadable(name, error, _HINT) from error
    return [[cell.strip() for cell in row] for row in rows]


def _names(cells: list[str], name: str) -> tuple[list[str], tuple[str, ...]]:
    """Columns without a name are called by their place, as spreadsheets do with a column of row numbers."""
    named = [cell or f"column{place}" for place, cell in enumerate(cells, start=1)]
    twice = [cell for cell in dict.fromkeys(named) if named.count(cell) > 1]
    if twice:
        raise DataError(
            f"{name!r} has two columns called {twice[0]!r}", "rename one, or use --no-header if the file has no names"
        )
    lost = [n for n, cell in zip(named, cells) if not cell]
    return named, tuple(f"a column of {name!r} has no name and is called {n!r}" for n in lost)


def _is_number(cell: str) -> bool:
    try:
        float(cell)
    except ValueError:
        return False
    return True


# ---- the whole file --------------------------------------------------------------------------------------------------


def read_text(source: Source, told: Told) -> Contents:
    file = open_text(source, told)
    whole = _whole(file)
    try:
        table = _parse_all(file, whole)
    except polars().exceptions.ComputeError as error:
        file, table = _second_try(file, error)
    if not len(table):
        raise DataError(f"{source.name!r} has a line of names and no rows", "add the rows")
    return Contents(f"CSV, {file.dialect}", table, notes=file.notes)


def _whole(file: TextFile) -> Any:
    """What polars reads: the name of a plain file, else its lines."""
    sound, quote = _check_rows(file), file.dialect.quote.encode()
    if sound and file.source.is_plain_file and file.dialect.is_plain:
        return file.source.name
    return b"".join(_without_blank_lines(block, quote) for block in file.blocks())


def _check_rows(file: TextFile) -> bool:
    """Refuse rows of too few cells, which polars would fill up. True if there are no blank lines among the rows."""
    delimiter, quote = file.dialect.delimiter.encode(), file.dialect.quote.encode()
    n_lines = n_delimiters = n_quotes = n_bytes = n_blank = 0
    for block in file.blocks():
        n_lines += block.count(b"\n") + (not block.endswith(b"\n"))
        n_delimiters += block.count(delimiter)
        n_quotes += block.count(quote)
        n_bytes += len(block)
        n_blank += _blank_lines(block)
    if n_quotes % 2:
        raise DataError(f"a quoted cell of {file.source.name!r} does not end", "close the quote, or say --quote")
    expected = (n_lines - n_blank) * (len(file.names) - 1)
    if n_quotes and n_bytes > _CHECKED_BYTES:
        return not n_blank
    if n_quotes or n_delimiters != expected:
        _find_ragged(file)
    return not n_blank


def _blank_lines(block: bytes) -> int:
    if _BLANK.search(block) is None and block[:1] not in b"\r\n":
        return 0
    return sum(not line.strip() for line in block.split(b"\n")[: -1 if block.endswith(b"\n") else None])


def _find_ragged(file: TextFile) -> None:
    """Name the first row that has another number of cells than the header."""
    width, row = len(file.names), 1 + file.told.header + file.dialect.skip
    for block in file.blocks():
        lines = io.StringIO(block.decode("utf-8", errors="replace"), newline="")
        reader = csv.reader(lines, delimiter=file.dialect.delimiter, quotechar=file.dialect.quote)
        for cells in reader:
            if cells and len(cells) != width:
                raise _ragged(file, row, len(cells))
            row += 1


def _ragged(file: TextFile, row: int, found: int) -> DataError:
    cells = "1 cell" if found == 1 else f"{found} cells"
    return DataError(f"row {row} of {file.source.name!r} has {cells}, the first has {len(file.names)}", _HINT)


def _parse_all(file: TextFile, whole: Any) -> Any:
    if file.dialect.spaces:
        return _trimmed(_parse(file, whole, infer=False), file)
    try:
        return _parse(file, whole, rows=_GUESSED_ROWS)
    except polars().exceptions.ComputeError as error:
        if "could not parse" not in str(error):
            raise
        return _parse(file, whole, rows=None)


def _parse(file: TextFile, whole: Any, *, rows: int | None = None, infer: bool = True) -> Any:
    named = isinstance(whole, str) and file.told.header
    return _polars_csv(
        whole, file, has_header=named, infer_schema_length=rows, infer_schema=infer,
        new_columns=list(file.names), try_parse_dates=infer and not file.dialect.decimal_comma,
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
    return polars().DataFrame([typed(column, file.told, file.dialect.decimal_comma) for column in cells.values()])


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
    return again, _parse_all(again, b"".join(again.blocks()))


def parse_error(file: TextFile, error: Exception) -> DataError:
    """polars' words are about its own options; keep what they say about the file."""
    text = str(error)
    cell = re.search(r"could not parse `(.{0,60})", text, re.DOTALL)
    where = re.search(r"at column '(.*?)'", text)
    name = file.source.name
    if "more fields" in text:
        _find_ragged(file)
        return DataError(f"a row of {name!r} has more cells than the first", _HINT)
    if cell and where:
        content = " ".join(cell[1].partition("`")[0].split())
        if content.startswith(file.dialect.quote):
            return DataError(f"a quoted cell of {name!r} does not end: {content!r}", "close the quote, or say --quote")
        return not_of_type(_column_name(file, where[1]), content)
    return unreadable(name, error, _HINT)


def _column_name(file: TextFile, polars_name: str) -> str:
    """polars calls columns of a file without a header column_1, column_2, …"""
    place = re.fullmatch(r"column_(\d+)", polars_name)
    known = polars_name not in file.names and place is not None and int(place[1]) <= len(file.names)
    return file.names[int(place[1]) - 1] if known and place else polars_name


# ---- blocks of lines -------------------------------------------------------------------------------------------------


def text_chunks(source: Source, told: Told) -> Contents:
    """The file a block at a time, with the types the user says."""
    file = open_text(source, told)
    return Contents(f"CSV, {file.dialect}", chunks=_chunks(file), notes=file.notes)


def _chunks(file: TextFile) -> Iterator[Any]:
    pl = polars()
    wanted = set(wanted_columns(file.told, file.names))
    schema = {name: file.told.types.get(name, pl.String) for name in file.names}
    kept = [place for place, name in enumerate(file.names) if name in wanted]
    for block in file.blocks():
        lines = _without_blank_lines(block, file.dialect.quote.encode())
        if lines:
            yield _block_table(file, lines, schema, kept)


def _block_table(file: TextFile, lines: bytes, schema: dict[str, Any], kept: list[int]) -> Any:
    pl = polars()
    if file.dialect.spaces:
        text = _polars_csv(lines, file, has_header=False, schema=dict.fromkeys(schema, pl.String))
        cells = text[:, kept].select(pl.all().str.strip_chars())
        missing = pl.all().is_in(list(file.told.missing))
        return cast_texts(cells.select(pl.when(missing).then(None).otherwise(pl.all()).name.keep()), schema)
    try:
        return _polars_csv(lines, file, has_header=False, schema=schema, columns=kept)
    except pl.exceptions.PolarsError as error:
        raise parse_error(file, error) from error


def _without_blank_lines(block: bytes, quote: bytes) -> bytes:
    if not _blank_lines(block) or quote in block:
        return block
    return b"".join(line + b"\n" for line in block.split(b"\n") if line.strip())


def _utf8(file: IO[bytes], dialect: Dialect, name: str) -> Iterator[bytes]:
    """Pieces of the file in UTF-8, without a byte order mark, lines ending in a line feed."""
    pieces = iter(lambda: file.read(BLOCK), b"")
    if dialect.encoding == "utf-8":
        yield from (_with_line_feeds(piece, dialect) for piece in pieces)
        return
    decoder = codecs.getincrementaldecoder(dialect.encoding)("strict")
    try:
        for piece in pieces:
            yield _with_line_feeds(decoder.decode(piece).encode("utf-8", errors="surrogatepass"), dialect)
        yield decoder.decode(b"", final=True).encode("utf-8")
    except UnicodeError as error:
        raise DataError(f"{name!r} is not written in {dialect.encoding}", "try --encoding latin-1") from error


def _with_line_feeds(piece: bytes, dialect: Dialect) -> bytes:
    return piece.replace(b"\r", b"\n") if dialect.returns else piece


def _line_blocks(pieces: Iterator[bytes], quote: bytes) -> Iterator[bytes]:
    """The same bytes cut after line ends that no quoted cell contains."""
    rest = b""
    for piece in pieces:
        rest += piece
        cut = _last_line_end(rest, quote)
        if cut:
            yield rest[:cut]
            rest = rest[cut:]
        elif len(rest) > _LONGEST_ROW:
            raise DataError(f"a row is longer than {_LONGEST_ROW >> 20} MB", "a quote that never ends? Try --quote")
    if rest.strip():
        yield rest


def _last_line_end(block: bytes, quote: bytes) -> int:
    """Where the last line ends before which quotes come in pairs; 0 if there is none."""
    end, n_quotes = block.rfind(b"\n") + 1, block.count(quote)
    if not end or not n_quotes:
        return end
    n_quotes = block.count(quote, 0, end)
    while end and n_quotes % 2:
        opened = block.rfind(quote, 0, end)
        end = block.rfind(b"\n", 0, opened) + 1
        n_quotes = block.count(quote, 0, end)
    return end


def _without_header(blocks: Iterator[bytes], dialect: Dialect, header: bool) -> Iterator[bytes]:
    left = dialect.skip + header
    for block in blocks:
        while left and block:
            line, _, block = _split_line(block, dialect.quote.encode())
            left -= bool(line.strip())
        if block:
            yield block


def _split_line(block: bytes, quote: bytes) -> tuple[bytes, bytes, bytes]:
    """The first row and the rest; a quoted line break does not end a row."""
    end = block.find(b"\n")
    while end >= 0 and block.count(quote, 0, end) % 2:
        end = block.find(b"\n", end + 1)
    return (block, b"", b"") if end < 0 else (block[:end], b"\n", block[end + 1 :])


def encoding_of(source: Source, told: Told) -> str:
    return told.encoding or find_encoding(source.head(), source.name)
