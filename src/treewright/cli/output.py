"""Results go to standard output, messages to the error stream; JSON when asked for."""

from __future__ import annotations

import json
import math
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, is_dataclass
from typing import Any

from treewright.cli.arguments.shared_options import Talk
from treewright.cli.messages import cli_message

_MOMENT = 0.5  # seconds


def say(talk: Talk, text: str = "") -> None:
    """A message, unless there shall be quiet."""
    if not talk.quiet:
        _write(sys.stderr, text)


def detail(talk: Talk, text: str) -> None:
    """A message for those who want to know more."""
    if talk.verbose:
        _write(sys.stderr, text)


def warn(talk: Talk, remark: str) -> None:
    if not talk.quiet:
        say(talk, f"{_painted('Warning:', 'yellow')} {cli_message(remark)}")


def result(text: str) -> None:
    _write(sys.stdout, text)


def result_json(value: Any) -> None:
    """One object; numbers that JSON does not know are null."""
    _write(sys.stdout, json.dumps(plain(value), ensure_ascii=False, indent=2))


def plain(value: Any) -> Any:
    """A value of lists, dictionaries, texts and numbers.

    >>> plain({"error": float("nan"), "rows": (1, 2)})
    {'error': None, 'rows': [1, 2]}
    """
    if is_dataclass(value) and not isinstance(value, type):
        value = asdict(value)
    if isinstance(value, dict):
        return {str(key): plain(item) for key, item in value.items()}
    if hasattr(value, "tolist"):
        value = value.tolist()
    if isinstance(value, (list, tuple)):
        return [plain(item) for item in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


def columns(rows: Sequence[Sequence[str]], right: Sequence[int] = ()) -> str:
    """Rows of cells as aligned text; columns in ``right`` are set to the right.

    >>> print(columns([("name", "n"), ("a", "10")], right=[1]))
    name   n
    a     10
    """
    widths = [max(map(len, cells)) for cells in zip(*rows)]
    lines = (
        "  ".join(
            cell.rjust(width) if place in right else cell.ljust(width)
            for place, (cell, width) in enumerate(zip(row, widths))
        )
        for row in rows
    )
    return "\n".join(line.rstrip() for line in lines)


@contextmanager
def progress(talk: Talk) -> Iterator[None]:
    """On a terminal a bar with the time that is left, for all work meanwhile that takes longer than a moment."""
    if talk.quiet or not sys.stderr.isatty():
        yield
        return
    from treewright.model.progress import listening

    with listening(bar):
        yield


@contextmanager
def bar(what: str, total: int | None) -> Iterator[Callable[[int], None]]:
    """A bar on the error stream; what is yielded is called with how much more is done. It is gone when all is.

    Nothing is shown of what is done within a moment: to import what draws bars would take as long.
    """
    made = _LateBar(what, total)
    try:
        yield made
    finally:
        made.close()


class _LateBar:
    def __init__(self, what: str, total: int | None) -> None:
        self.what, self.total, self.done = what, total, 0
        self.start = time.monotonic()
        self.shown: Any = None
        self.task: Any = None

    def __call__(self, more: int) -> None:
        self.done += more
        self.total = self.total and max(self.total, self.done)  # which may be an estimate
        if self.shown is not None:
            self.shown.update(self.task, completed=self.done, total=self.total)
        elif time.monotonic() - self.start > _MOMENT and self.done != self.total:
            self._show()

    def _show(self) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
        from rich.progress import TimeRemainingColumn as TimeLeft

        left = (TimeLeft(elapsed_when_finished=True), TextColumn("left")) if self.total is not None else ()
        texts = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
        self.shown = Progress(*texts, *left, console=Console(stderr=True), transient=True)
        self.task = self.shown.add_task(self.what, total=self.total)
        self.shown.start()
        self.shown.update(self.task, completed=self.done)

    def close(self) -> None:
        if self.shown is not None:
            self.shown.stop()


def _painted(text: str, colour: str) -> str:
    """In colour on a terminal that wants it."""
    import os

    import typer

    wanted = sys.stderr.isatty() and "NO_COLOR" not in os.environ
    return typer.style(text, fg=colour) if wanted else text


def _write(stream: Any, text: str) -> None:
    try:
        stream.write(f"{text}\n")
    except UnicodeEncodeError:
        stream.write(text.encode(stream.encoding, errors="replace").decode(stream.encoding) + "\n")
