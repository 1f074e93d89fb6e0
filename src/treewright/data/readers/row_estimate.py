"""About how many rows a source has, without reading it."""

from __future__ import annotations

import os

from treewright.data.readers.input_source import InputSource, sources
from treewright.errors import TreewrightError

_LOOKED_AT = 1 << 20  # bytes of a text
_TEXTS = ("", ".csv", ".tsv", ".txt", ".data", ".jsonl", ".ndjson")


def estimated_rows(data: str) -> int | None:
    """Of texts by the length of the first lines and the size of the file, of Parquet as it says; None: not known.

    It is for a bar that says how much time is left, and need not be right.
    """
    try:
        counts = [_rows(source) for source in sources(data)]
    except (TreewrightError, OSError):  # whoever reads the source tells what is wrong with it
        return None
    known = [count for count in counts if count is not None]
    return sum(known) if known and len(known) == len(counts) else None


def _rows(source: InputSource) -> int | None:
    if not source.is_plain_file:
        return None
    if source.suffix == ".parquet":
        from treewright.data.readers.contents import polars

        return int(polars().scan_parquet(source.name).select(polars().len()).collect().item())
    if source.suffix not in _TEXTS:
        return None
    head = source.head(_LOOKED_AT)
    lines = head.count(b"\n")
    return max(1, round(os.path.getsize(source.name) * lines / len(head))) if lines else None
