"""A bar for fits of many members, on the error stream, with the time that is left."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from types import TracebackType
from typing import TextIO

_WIDTH = 30


class MemberBar:
    """How many members are there, and about how long the others will take."""

    def __init__(
        self,
        total: int,
        label: str,
        stream: TextIO | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.total, self.label, self.clock = total, label, clock
        self.stream: TextIO | None = stream or sys.stderr
        self.done, self.start = 0, clock()

    def __call__(self, members: int = 1) -> None:
        self.done += members
        filled = _WIDTH * self.done // self.total
        bar = "#" * filled + "-" * (_WIDTH - filled)
        self._write(f"\r{self.label} [{bar}] {self.done} of {self.total}{self._left():<18}")

    def _left(self) -> str:
        if not 0 < self.done < self.total:
            return ""
        seconds = (self.clock() - self.start) * (self.total - self.done) / self.done
        return f", {seconds:.0f} s left" if seconds < 120 else f", {seconds / 60:.0f} min left"

    def __enter__(self) -> MemberBar:
        self(0)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._write("\n")

    def _write(self, text: str) -> None:
        if self.stream is not None:  # programs without a console have no error stream
            self.stream.write(text)
            self.stream.flush()
