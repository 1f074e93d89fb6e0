"""Kinds of limits: what an option may be, as a check and in words."""

from __future__ import annotations

import math
import numbers
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Protocol

_WORDS = {"None": "none", "True": "yes", "False": "no"}  # on a command line


class Limit(Protocol):
    """What an option accepts; as text it says so in Python's words, ``written`` in those of a command line."""

    def accepts(self, value: Any) -> bool: ...

    @property
    def written(self) -> str: ...


@dataclass(frozen=True)
class Whole:
    """A whole number from ``least`` on, or None where that is allowed."""

    least: int
    optional: bool = False

    def accepts(self, value: Any) -> bool:
        if value is None:
            return self.optional
        return isinstance(value, numbers.Integral) and not isinstance(value, bool) and int(value) >= self.least

    def __str__(self) -> str:
        return f"a whole number of at least {self.least}" + (" or None" if self.optional else "")

    @property
    def written(self) -> str:
        return f"a whole number of at least {self.least}" + (", or none" if self.optional else "")


@dataclass(frozen=True)
class WholeUpTo:
    """A whole number from ``least`` to ``most``."""

    least: int
    most: int

    def accepts(self, value: Any) -> bool:
        return Whole(self.least).accepts(value) and int(value) <= self.most

    def __str__(self) -> str:
        return f"a whole number from {self.least} to {self.most}"

    @property
    def written(self) -> str:
        return str(self)


@dataclass(frozen=True)
class Number:
    """A finite number from ``least`` on (or above it), up to ``most``."""

    least: float
    above: bool = False
    most: float = math.inf

    def accepts(self, value: Any) -> bool:
        if not isinstance(value, numbers.Real) or isinstance(value, bool):
            return False
        try:
            number = float(value)
        except OverflowError:
            return False
        enough = number > self.least if self.above else number >= self.least
        return math.isfinite(number) and enough and number <= self.most

    def __str__(self) -> str:
        words = f"a finite number {'above' if self.above else 'of at least'} {self.least:g}"
        return words if self.most == math.inf else f"{words} and at most {self.most:g}"

    @property
    def written(self) -> str:
        return str(self)


@dataclass(frozen=True)
class OneOf:
    choices: tuple[Any, ...]

    def accepts(self, value: Any) -> bool:
        return any(value is choice or (isinstance(value, str) and value == choice) for choice in self.choices)

    def __str__(self) -> str:
        words = ", ".join(map(repr, self.choices))
        return words if len(self.choices) == 1 else f"one of {words}"

    @property
    def written(self) -> str:
        """As on a command line: ``yes``, ``no`` and ``none``, and no quotes."""
        *first, last = (_WORDS.get(str(choice), str(choice)) for choice in self.choices)
        return f"{', '.join(first)} or {last}" if first else last


@dataclass(frozen=True)
class Either:
    options: tuple[Any, ...]

    def accepts(self, value: Any) -> bool:
        return any(option.accepts(value) for option in self.options)

    def __str__(self) -> str:
        return ", or ".join(map(str, self.options))

    @property
    def written(self) -> str:
        return ", or ".join(option.written for option in self.options if option.written)


@dataclass(frozen=True)
class Being:
    """Anything that passes a check, in words; and in those of the command line, where they differ.

    ``typed`` is empty where only Python has such a thing.
    """

    check: Callable[[Any], bool]
    words: str
    typed: str | None = None

    def accepts(self, value: Any) -> bool:
        return self.check(value)

    def __str__(self) -> str:
        return self.words

    @property
    def written(self) -> str:
        return self.words if self.typed is None else self.typed


def is_yes_no(limit: Limit | None) -> bool:
    """Whether it is a choice between True and False."""
    return isinstance(limit, OneOf) and all(isinstance(choice, bool) for choice in limit.choices)


def type_of(limit: Limit | None) -> str:
    """The type of what a limit accepts, as far as it tells.

    >>> type_of(Whole(0, optional=True)), type_of(OneOf((True, False, "balanced")))
    ('int or None', 'bool or str')
    """
    names = list(dict.fromkeys(_types(limit)))
    return " or ".join(sorted(names, key=lambda name: name == "None"))


def _types(limit: Limit | None) -> Iterator[str]:
    if isinstance(limit, Whole):
        yield from ["int", "None"] if limit.optional else ["int"]
    elif isinstance(limit, WholeUpTo):
        yield "int"
    elif isinstance(limit, Number):
        yield "float"
    elif isinstance(limit, OneOf):
        yield from ("None" if choice is None else type(choice).__name__ for choice in limit.choices)
    elif isinstance(limit, Either):
        for part in limit.options:
            yield from _types(part)
    else:
        yield "object"
