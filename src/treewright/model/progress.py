"""How far long work is: a bar on the error stream, in a terminal and in a notebook, or whoever listens."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from contextvars import ContextVar
from types import TracebackType
from typing import TextIO

_WIDTH = 30

Step = Callable[[int], None]  # told how much more is done
Listener = Callable[[str, int], AbstractContextManager[Step]]  # of what there is to do, and how much

_LISTENER: ContextVar[Listener | None] = ContextVar("listener", default=None)


@contextmanager
def listening(listener: Listener) -> Iterator[None]:
    """Let ``listener`` know how far the work is that is done meanwhile."""
    before = _LISTENER.set(listener)
    try:
        yield
    finally:
        _LISTENER.reset(before)


@contextmanager
def steps(what: str, total: int) -> Iterator[Step]:
    """Work of so many steps; what is yielded is called with how many more are done.

    Of work within work only the outermost is told: folds, not the trees of each.

    >>> from contextlib import nullcontext
    >>> with listening(lambda what, total: nullcontext(lambda n: print(what, n, "of", total))):
    ...     with steps("folds", 2) as step, steps("trees", 9) as inner:
    ...         inner(3)
    ...         step(1)
    folds 1 of 2
    """
    listener = _LISTENER.get()
    with nullcontext(_nobody) if listener is None else listener(what, total) as step:
        before = _LISTENER.set(None)
        try:
            yield step
        finally:
            _LISTENER.reset(before)


def _nobody(done: int) -> None:
    """Nobody listens."""


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
