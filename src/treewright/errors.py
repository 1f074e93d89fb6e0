"""What treewright raises. Every message says what was wrong, what was got and, after ``Hint:``, what to do."""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from typing import Any

_LONGEST_VALUE = 80  # characters


class TreewrightError(Exception):
    """Base of every error treewright raises on purpose.

    >>> print(TreewrightError("the table has no rows", hint="pass at least one row"))
    the table has no rows. Hint: pass at least one row.
    """

    def __init__(self, problem: str, hint: str | None = None) -> None:
        self.problem = problem
        self.hint = hint
        end = "" if (hint or "").endswith(("?", "!")) else "."
        super().__init__(f"{problem}. Hint: {hint}{end}" if hint else problem)

    def __reduce__(self) -> tuple[type, tuple[str, str | None]]:
        return type(self), (self.problem, self.hint)


class DataError(TreewrightError, ValueError):
    """The data cannot be learned from or predicted on."""


class OneClassError(DataError):
    """A target of classes has only one, which may happen to a part of the rows where a class is rare."""

    label: Any = None


class OptionError(TreewrightError, ValueError):
    """An option has a name or a value that is not accepted."""


class NotKeptError(OptionError, AttributeError):
    """A fitted model has no such attribute, by its options or by what it was made of: ``hasattr`` says no."""


class ModelFileError(TreewrightError, ValueError):
    """A saved model cannot be read."""


class TreewrightWarning(UserWarning):
    """Something a colleague would point out; the work goes on."""


def unknown(what: str, given: Any, known: Iterable[str]) -> OptionError:
    """The error for a name that does not exist, with the nearest that does."""
    names = sorted(known)
    near = difflib.get_close_matches(str(given).lower(), names, n=1)
    hint = f"did you mean {near[0]!r}? There are" if near else "there are"
    return OptionError(f"unknown {what} {shown(given)}", f"{hint} {', '.join(names)}")


def shown(value: Any) -> str:
    """A value in one line of a message: whoever passes a table does not want to read it all again."""
    text = " ".join(repr(value).split())
    return text if len(text) <= _LONGEST_VALUE else f"{text[:_LONGEST_VALUE]}… (a {type(value).__name__})"
