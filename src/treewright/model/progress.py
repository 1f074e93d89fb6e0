"""A bar for long fits, on the error stream: works in a terminal and in a notebook."""

from __future__ import annotations

import sys
from types import TracebackType
from typing import TextIO

_WIDTH = 30


class Bar:
    """How many rows have found their leaf."""

    def __init__(self, total: int, label: str, stream: TextIO | None = None) -> None:
        self.total = total
        self.label = label
        self.stream: TextIO | None = stream or sys.stderr
        self.done = 0

    def __call__(self, rows: int) -> None:
        self.done += rows
        share = self.done / self.total
        filled = int(share * _WIDTH)
        bar = "#" * filled + "-" * (_WIDTH - filled)
        self._write(f"\r{self.label} [{bar}] {share:4.0%} of {self.total:,} rows in leaves")

    def __enter__(self) -> Bar:
        self(0)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if kind is None:
            self(self.total - self.done)
        self._write("\n")

    def _write(self, text: str) -> None:
        if self.stream is not None:  # programs without a console have no error stream
            self.stream.write(text)
            self.stream.flush()
