"""Results go to standard output, messages to the error stream; JSON when asked for."""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, is_dataclass
from typing import Any

from treewright.cli.messages import cli_message
from treewright.cli.shared_options import Talk


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
def progress(talk: Talk, what: str, total: int | None) -> Iterator[Any]:
    """A bar on a terminal; what is yielded is called with how much more is done."""
    if talk.quiet or not sys.stderr.isatty():
        yield lambda step: None
        return
    from rich.console import Console
    from rich.progress import Progress

    with Progress(console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(what, total=total)
        yield lambda step: bar.advance(task, step)


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
