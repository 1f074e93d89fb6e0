"""What treewright raises. Every message says what was wrong, what was got and, after ``Hint:``, what to do."""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from typing import Any

_LONGEST_VALUE = 80  # characters
_MOST_NAMES = 20  # that a hint lists


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


def unknown(what: str, given: Any, known: Iterable[str], command: str | None = None) -> OptionError:
    """The error for a name that does not exist, with the nearest that does. Of very many names only some are told, or
    none where ``command`` lists them.

    >>> print(unknown("theme", "drak", ["dark", "light"]))
    unknown theme 'drak'. Hint: did you mean 'dark'? There are dark, light.
    >>> print(unknown("plot", "nosuch", map(str, range(30)), "treewright plot"))
    unknown plot 'nosuch'. Hint: all 30 are listed by treewright plot.
    """
    names = sorted(known)
    near = difflib.get_close_matches(str(given).lower(), names, n=1)
    told = _names_told(names, command)
    hint = f"did you mean {near[0]!r}? {told[0].upper()}{told[1:]}" if near else told
    return OptionError(f"unknown {what} {shown(given)}", hint)


def _names_told(names: list[str], command: str | None) -> str:
    left = len(names) - _MOST_NAMES
    if left > 0 and command:
        return f"all {len(names)} are listed by {command}"
    return f"there are {', '.join(names[:_MOST_NAMES])}{f' and {left} more' if left > 0 else ''}"


def near_name(given: str, names: Iterable[str]) -> str | None:
    """The name that is meant, where it is misspelt, or has a word too few or too many; None if none is alike.

    >>> near_name("max_deph", ["max_depth", "max_leaves"]), near_name("min_leaf", ["min_rows_leaf", "max_leaves"])
    ('max_depth', 'min_rows_leaf')
    >>> near_name("max_features", ["max_leaves"]) is None
    True
    """
    known, plain = list(names), _plain(given)
    steps = {name: _slips(plain, _plain(name)) for name in known}
    near = min(known, key=lambda name: steps[name], default=None)
    if near is not None and steps[near] <= _most_slips(plain):
        return near
    with_words = [name for name in known if _share_words(plain.split("_"), _plain(name).split("_"))]
    least = min(map(len, with_words), default=0)
    found = [name for name in with_words if len(name) == least]
    return found[0] if len(found) == 1 and (len(with_words) == 1 or "_" in plain) else None


def _plain(name: str) -> str:
    return name.lower().strip("-_").replace("-", "_")


def _most_slips(name: str) -> int:
    return min(len(name) // 4, 3)


def _share_words(given: list[str], known: list[str]) -> bool:
    """Whether one has all words of the other; of single words those of four letters count."""
    fewer, more = sorted((set(given), set(known)), key=len)
    return fewer <= more and (len(fewer) > 1 or (fewer == set(given) and len(given[0]) > 3))


def _slips(a: str, b: str) -> int:
    """How many letters are to be put in, left out, changed or swapped with the next to make one of the other."""
    before, last = [0] * (len(b) + 1), list(range(len(b) + 1))
    for i, letter in enumerate(a):
        row = [i + 1]
        for j, other in enumerate(b):
            least = min(last[j + 1] + 1, row[j] + 1, last[j] + (letter != other))
            swapped = i and j and letter == b[j - 1] and a[i - 1] == other
            row.append(min(least, before[j - 1] + 1) if swapped else least)
        before, last = last, row
    return last[-1]


def shown(value: Any) -> str:
    """A value in one line of a message: whoever passes a table does not want to read it all again."""
    text = " ".join(repr(value).split())
    return text if len(text) <= _LONGEST_VALUE else f"{text[:_LONGEST_VALUE]}… (a {type(value).__name__})"
