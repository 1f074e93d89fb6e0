"""Warnings that point at the line of the user's program that caused them, however deep they arise."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager

from treewright.errors import TreewrightWarning

_OURS = __name__.partition(".")[0]


def warn_user(message: str, category: type[Warning] = TreewrightWarning) -> None:
    """Warn the caller outside this package."""
    level, frame = 1, sys._getframe()
    while frame.f_back is not None and frame.f_globals.get("__name__", "").partition(".")[0] == _OURS:
        level, frame = level + 1, frame.f_back
    warnings.warn(message, category, stacklevel=level)


@contextmanager
def without_warnings() -> Iterator[None]:
    """For the rows of a fitted model and parts of them: what is odd about their columns was said at the fit."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", TreewrightWarning)
        yield
