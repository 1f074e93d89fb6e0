"""Text files that are read line by line, and rows by the batch."""

from __future__ import annotations

import io
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import TypeVar

from treewright.data.readers.contents import Told
from treewright.data.readers.delimited_text import encoding_of
from treewright.data.readers.input_source import InputSource, told_of
from treewright.errors import DataError

Item = TypeVar("Item")
ROWS = 20_000  # of a batch


def numbered_lines(source: InputSource, told: Told) -> Iterator[tuple[int, str]]:
    """Lines without the blanks around them, numbered from 1."""
    with source.open() as file, told_of(source):
        try:
            text = io.TextIOWrapper(file, encoding=encoding_of(source, told))
            yield from ((number, line.strip()) for number, line in enumerate(text, start=1))
            text.detach()
        except (UnicodeDecodeError, LookupError) as error:
            raise DataError(f"{source.name!r} cannot be read as text: {error}", "say --encoding latin-1") from error


def batches(items: Iterable[Item]) -> Iterator[list[Item]]:
    """Lists of at most ROWS, and one without any where there are none.

    >>> [len(batch) for batch in batches(range(ROWS + 1))], list(batches([]))
    ([20000, 1], [[]])
    """
    left = iter(items)
    yield list(islice(left, ROWS))
    while batch := list(islice(left, ROWS)):
        yield batch
