"""Whether every row has as many cells as there are columns: polars would fill up a shorter one in silence."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from treewright.data.readers.dialect import Dialect
from treewright.data.readers.text_blocks import TextBlock
from treewright.errors import DataError

HINT = "check the lines, or say how cells are separated with --delimiter and quoted with --quote"
_BLANK = re.compile(rb"\n\r?\n")


@dataclass(frozen=True)
class RowLengths:
    """What rows of a file are like. Messages name the line of the file, from 1, at which a row begins."""

    source: str
    dialect: Dialect
    width: int

    def check(self, block: TextBlock) -> bool:
        """Refuse a quote that does not end and, where nothing is quoted, rows of another number of cells.

        True if there are blank lines.
        """
        n_quotes, n_blank = block.rows.count(self.dialect.quote.encode()), blank_lines(block.rows)
        if n_quotes % 2:
            raise DataError(
                f"a quoted cell of {self.source!r} does not end, after line {block.line}",
                "close the quote, or say --quote",
            )
        if not n_quotes and _count(block.rows, self.dialect.delimiter) != (self.width - 1) * (
            _count(block.rows, "\n") + (not block.rows.endswith(b"\n")) - n_blank
        ):
            self.refuse_uneven(block)
        return n_blank > 0

    def hides(self, block: TextBlock) -> bool:
        """Cells are quoted, so that delimiters cannot be counted."""
        return self.dialect.quote.encode() in block.rows

    def check_last(self, block: TextBlock, last: Any) -> None:
        """The same where cells are quoted: only a row whose ``last`` cell was found empty can be too short."""
        if last.null_count() and self.hides(block):
            self.refuse_uneven(block)

    def refuse_uneven(self, block: TextBlock) -> None:
        """Name the first row that has another number of cells than there are columns, if one has."""
        for line, cells in self._rows(block):
            if cells and len(cells) != self.width:
                count = "1 cell" if len(cells) == 1 else f"{len(cells)} cells"
                raise DataError(f"line {line} of {self.source!r} has {count} for {self.width} columns", HINT)

    def line_of(self, block: TextBlock, column: int, text: str) -> int | None:
        """The line at which a row begins whose cell in a column begins with a text."""
        rows = self._rows(block)
        return next((line for line, row in rows if len(row) > column and row[column].strip().startswith(text)), None)

    def _rows(self, block: TextBlock) -> Iterator[tuple[int, list[str]]]:
        lines = io.StringIO(block.rows.decode("utf-8", errors="replace"), newline="")
        reader = csv.reader(lines, delimiter=self.dialect.delimiter, quotechar=self.dialect.quote)
        line = block.line
        for cells in reader:
            yield line, cells
            line = block.line + reader.line_num


def _count(rows: bytes, letter: str) -> int:
    """As ``rows.count``, which takes its time over letters that are frequent."""
    return int(np.count_nonzero(np.frombuffer(rows, np.uint8) == ord(letter)))


def blank_lines(rows: bytes) -> int:
    if _BLANK.search(rows) is None and rows[:1] not in (b"\r", b"\n"):
        return 0
    return sum(not line.strip() for line in rows.split(b"\n")[: -1 if rows.endswith(b"\n") else None])
