"""Plots as files: the same drawing is the same file, and text in an SVG is text."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from os import PathLike
from pathlib import Path
from typing import IO, Any

from treewright.errors import OptionError
from treewright.plot_style import require_pyplot

FORMATS = ("png", "svg", "pdf")


def format_of(path: str | PathLike[str]) -> str:
    """The format that the end of a name asks for.

    >>> format_of("errors.SVG")
    'svg'
    """
    ending = Path(path).suffix.lower().removeprefix(".")
    if ending not in FORMATS:
        endings = ", ".join(f".{known}" for known in FORMATS)
        raise OptionError(f"a picture cannot be written to {str(path)!r}", f"let the name end in {endings}")
    return ending


def write_picture(axes: Any, file: IO[bytes] | str | PathLike[str], format: str, dpi: int = 100) -> None:
    """Write the picture that axes belong to, and let go of it. ``axes`` may be several of one picture."""
    from matplotlib import pyplot, rc_context

    first = axes[0] if isinstance(axes, Sequence) else axes
    whole = first.get_figure()
    date = {"svg": {"Date": None}, "pdf": {"CreationDate": None}}.get(format, {})
    with rc_context({"svg.fonttype": "none", "svg.hashsalt": "treewright"}):
        whole.savefig(file, format=format, dpi=dpi, metadata=date, facecolor=whole.get_facecolor())
    pyplot.close(whole)


@contextmanager
def without_display() -> Iterator[None]:
    """Pictures are made for files: no window is opened, whatever the machine offers."""
    pyplot = require_pyplot()
    before = pyplot.get_backend()
    pyplot.switch_backend("Agg")
    try:
        yield
    finally:
        pyplot.switch_backend(before)
