"""How a text file separates, quotes and writes its cells: found from its beginning, or told."""

from __future__ import annotations

import codecs
import csv
import re
from collections import Counter
from dataclasses import dataclass

from treewright.data.readers.contents import Told
from treewright.errors import DataError

_DELIMITERS = (",", ";", "\t", "|")
_NAMES = {",": "commas", ";": "semicolons", "\t": "tabs", "|": "bars", " ": "spaces"}
_TOLD_DELIMITERS = {"comma": ",", "semicolon": ";", "tab": "\t", "\\t": "\t", "bar": "|", "pipe": "|", "space": " "}
_BYTE_ORDER_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
NO_QUOTE = "\x01"  # a character that no text has
_SAMPLE_LINES = 200
_LONGEST_LINE = 1 << 20
_COMMA_NUMBER = re.compile(r"[+-]?\d+,\d+([eE][+-]?\d+)?")
_POINT_NUMBER = re.compile(r"[+-]?\d*\.\d+([eE][+-]?\d+)?")
_POINT_GROUPS = re.compile(r"[+-]?[1-9]\d{0,2}(\.\d{3})+")  # 1.234, which may be 1234
_COMMA_GROUPS = re.compile(r"[+-]?[1-9]\d{0,2}(,\d{3})+")


@dataclass(frozen=True)
class Dialect:
    """``spaces``: cells are padded. ``skip``: lines before the header. ``returns``: lines end in a carriage return."""

    delimiter: str = ","
    quote: str = '"'
    encoding: str = "utf-8"
    decimal_comma: bool = False
    spaces: bool = False
    skip: int = 0
    returns: bool = False

    @property
    def is_plain(self) -> bool:
        """Nothing has to be done to the file before it is parsed."""
        return self.encoding == "utf-8" and not self.skip and not self.returns

    def __str__(self) -> str:
        parts = [_NAMES.get(self.delimiter, f"{self.delimiter!r}") + " between cells", self.encoding]
        if self.quote != '"':
            parts.append("nothing quoted" if self.quote == NO_QUOTE else f"quoted by {self.quote}")
        return ", ".join([*parts, "decimal comma"] if self.decimal_comma else parts)


def find_dialect(head: bytes, name: str, told: Told) -> Dialect:
    """What the beginning of a file shows, overruled by what the user says.

    >>> str(find_dialect(b"size;price\\n3,5;10\\n4,25;12\\n", "a.csv", Told()))
    'semicolons between cells, utf-8, decimal comma'
    """
    encoding = told.encoding or find_encoding(head, name)
    text = decoded(head, encoding, name)
    lines = _sample(text)
    if not lines:
        raise DataError(f"{name!r} holds nothing but blank lines", "give a line of names and at least one row")
    announced = re.fullmatch(r"(?i)sep=(.)", lines[0].strip("\r"))
    lines = lines[1:] if announced else lines
    quote = _told_quote(told.quote) or _find_quote(lines)
    delimiter = _told_delimiter(told.delimiter) or (announced and announced[1]) or _find_delimiter(lines, quote)
    cells = [cell for row in rows_of(lines, delimiter, quote)[told.header :] for cell in row]
    return Dialect(
        delimiter,
        quote,
        encoding,
        _is_comma(told.decimal) if told.decimal else delimiter != "," and _has_decimal_comma(cells),
        delimiter != " " and _is_padded(cells),
        1 if announced else 0,
        "\r" in text and "\n" not in text,
    )


def find_encoding(head: bytes, name: str) -> str:
    """By the byte order mark, else UTF-8 if it is, else Windows' western one."""
    for mark, encoding in _BYTE_ORDER_MARKS:
        if head.startswith(mark):
            return encoding
    if b"\0" in head:
        raise DataError(f"{name!r} is not text: it has NUL bytes", _instead_of_text(head, name))
    for encoding in ("utf-8", "cp1252"):
        try:
            codecs.getincrementaldecoder(encoding)().decode(head)
        except UnicodeDecodeError:
            continue
        return encoding
    raise DataError(
        f"{name!r} is not text: it is neither UTF-8 nor Windows' western encoding",
        "say how it is written with --encoding, such as latin-1, or what it is with --format",
    )


def _instead_of_text(head: bytes, name: str) -> str:
    for program, place, mark in (("sqlite", 0, b"SQLite format 3"), ("duckdb", 8, b"DUCK")):
        if head[place:].startswith(mark):
            return f"it is a database: write {program}:///{name}, with ?table=NAME if it has several"
    return "say what it is with --format, or save it as CSV"


def decoded(data: bytes, encoding: str, name: str) -> str:
    """Text of the beginning of a file; a letter cut in two at its end is left out."""
    try:
        return codecs.getincrementaldecoder(encoding)().decode(data)
    except LookupError:
        raise DataError(f"unknown encoding {encoding!r}", "for example utf-8, cp1252, latin-1 or utf-16") from None
    except (UnicodeDecodeError, UnicodeError):
        raise DataError(f"{name!r} is not written in {encoding}", "leave --encoding out, or try latin-1") from None


def _sample(text: str) -> list[str]:
    lines = text[:_LONGEST_LINE].splitlines(keepends=True)
    whole = lines if len(lines) == 1 or text[:_LONGEST_LINE].endswith("\n") else lines[:-1]
    return [line.rstrip("\r\n") for line in whole if line.strip()][:_SAMPLE_LINES]


def _told_quote(quote: str | None) -> str | None:
    if quote and quote.lower() == "none":
        return NO_QUOTE
    if quote and (len(quote) != 1 or not quote.isascii()):
        raise DataError(f"the quote {quote!r} is not one character", "give one, such as ' or \", or none")
    return quote


def rows_of(lines: list[str], delimiter: str, quote: str) -> list[list[str]]:
    """Lines as rows of cells; a quoted line break joins lines."""
    csv.field_size_limit(1 << 30)
    return [row for row in csv.reader((f"{line}\n" for line in lines), delimiter=delimiter, quotechar=quote) if row]


def _find_delimiter(lines: list[str], quote: str) -> str:
    """The one that cuts most lines into the same number of cells.

    Of equals the one that cuts the first line so too: decimal commas come as regularly, but not in a line of names.
    Where that is no help, one that leaves numbers with decimal commas; at last the one that makes more cells.
    """
    best = max(_DELIMITERS, key=lambda d: _regularity(lines, d, quote))
    return best if _regularity(lines, best, quote)[-1] > 1 else _blank_or_comma(lines)


def _regularity(lines: list[str], delimiter: str, quote: str) -> tuple[float, bool, bool, int]:
    rows = rows_of(lines, delimiter, quote)
    width, count = Counter(map(len, rows)).most_common(1)[0]
    if width == 1:
        return 0.0, False, False, 1
    has_decimals = delimiter != "," and _has_decimal_comma([cell for row in rows for cell in row])
    return round(count / len(rows), 1), len(rows[0]) == width, has_decimals, width


def _blank_or_comma(lines: list[str]) -> str:
    """Columns set apart by single blanks, as some old files have them; else a file of one column."""
    widths = {len(line.split(" ")) for line in lines}
    return " " if len(widths) == 1 and len(lines) > 1 and widths != {1} else ","


def _find_quote(lines: list[str]) -> str:
    text = "\n".join(lines)
    single = len(re.findall(r"(?:^|[,;\t|])'[^'\n]*'(?=[,;\t|]|$)", text, re.MULTILINE))
    return "'" if single and '"' not in text else '"'


def _told_delimiter(told: str | None) -> str | None:
    if told is None:
        return None
    delimiter = _TOLD_DELIMITERS.get(told.lower(), told)
    if len(delimiter) != 1 or not delimiter.isascii() or delimiter in '"\r\n':
        raise DataError(
            f"a delimiter is one character, got {told!r}", f"for example ';', or one of {', '.join(_TOLD_DELIMITERS)}"
        )
    return delimiter


def _is_comma(told: str) -> bool:
    if told not in (",", "."):
        raise DataError(f"the decimal mark is a comma or a point, got {told!r}", "use --decimal , or --decimal .")
    return told == ","


def _has_decimal_comma(cells: list[str]) -> bool:
    """Beside 1,5 a point in 1.234 is taken for one between thousands, any other for a decimal mark."""
    commas = [cell for cell in map(str.strip, cells) if _COMMA_NUMBER.fullmatch(cell)]
    points = [cell for cell in map(str.strip, cells) if _POINT_NUMBER.fullmatch(cell)]
    if not commas or not points:
        return bool(commas)
    return all(map(_POINT_GROUPS.fullmatch, points)) and not all(map(_COMMA_GROUPS.fullmatch, commas))


def _is_padded(cells: list[str]) -> bool:
    return any(cell != cell.strip(" ") for cell in cells)
