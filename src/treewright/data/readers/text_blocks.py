"""A stream of text cut into blocks of whole rows, which know the line of the file they begin at."""

from __future__ import annotations

import codecs
from collections.abc import Iterator
from typing import IO, NamedTuple

from treewright.data.readers.dialect import Dialect
from treewright.errors import DataError

_LONGEST_ROW = 1 << 28


class TextBlock(NamedTuple):
    """Whole rows in UTF-8, the first of them at ``line`` of the file, which counts from 1 as editors do."""

    line: int
    rows: bytes


def blocks_of(file: IO[bytes], dialect: Dialect, name: str, size: int) -> Iterator[TextBlock]:
    """The file in blocks of about ``size`` bytes.

    >>> import io
    >>> list(blocks_of(io.BytesIO(b"a,b\\n1,2\\n3,4\\n"), Dialect(), "a.csv", 8))
    [TextBlock(line=1, rows=b'a,b\\n1,2\\n'), TextBlock(line=3, rows=b'3,4\\n')]
    """
    line = 1
    for rows in _line_blocks(_utf8(file, dialect, name, size), dialect.quote.encode()):
        yield TextBlock(line, rows)
        line += rows.count(b"\n")


def without_header(blocks: Iterator[TextBlock], dialect: Dialect, header: bool) -> Iterator[TextBlock]:
    """Blocks from the first row on: without the names and what stands above them."""
    left = dialect.skip + header
    for line, rows in blocks:
        while left and rows:
            first, _, rest = _split_line(rows, dialect.quote.encode())
            line += rows.count(b"\n", 0, len(rows) - len(rest))
            left -= bool(first.strip())
            rows = rest
        if rows:
            yield TextBlock(line, rows)


def _utf8(file: IO[bytes], dialect: Dialect, name: str, size: int) -> Iterator[bytes]:
    """Pieces of the file in UTF-8, without a byte order mark, lines ending in a line feed."""
    pieces = iter(lambda: file.read(size), b"")
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


def _split_line(block: bytes, quote: bytes) -> tuple[bytes, bytes, bytes]:
    """The first row and the rest; a quoted line break does not end a row."""
    end = block.find(b"\n")
    while end >= 0 and block.count(quote, 0, end) % 2:
        end = block.find(b"\n", end + 1)
    return (block, b"", b"") if end < 0 else (block[:end], b"\n", block[end + 1 :])
