"""What an option is, in words: the one text that ``help()``, the command line and the reference all show."""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from inspect import cleandoc
from typing import Any

_WIDTH = 100


@dataclass(frozen=True)
class OptionText:
    """What an option means, and a value one might give it.

    ``example`` is the value itself or, where only a program can make it, its :class:`Code`. ``type`` is its type in
    Python where what the option accepts does not tell, ``typed`` the example as a command line has it where its value
    does not tell.
    """

    meaning: str
    example: Any
    type: str | None = None
    typed: str | None = None


class Code(str):
    """A value as it is written in Python."""

    __slots__ = ()

    def __repr__(self) -> str:
        return str(self)


@dataclass(frozen=True)
class Parameter:
    """An option of one class, ready to be shown."""

    name: str
    type: str
    default: str
    meaning: str
    accepts: str = ""
    example: str = ""

    def to_numpydoc(self) -> str:
        """Its lines in the section Parameters of a docstring."""
        limits = f" Accepted: {self.accepts}." if self.accepts else ""
        default = f", default {self.default}" if self.default else ""
        body = textwrap.fill(f"{self.meaning}{limits}", _WIDTH, **_INDENT)
        example = f"\n    Example: ``{self.name}={self.example}``." if self.example else ""
        return f"{self.name} : {self.type}{default}\n{body}{example}"


_INDENT: dict[str, Any] = {
    "initial_indent": "    ", "subsequent_indent": "    ", "break_long_words": False, "break_on_hyphens": False,
}  # fmt: skip


class WithParameters:
    """A class's docstring that ends with its options. It is put together when somebody reads it, not at import."""

    def __init__(self, text: str, parameters: Callable[[type], Iterable[Parameter]]) -> None:
        self._text, self._parameters = text, parameters

    def __get__(self, instance: object, owner: type) -> str:
        shown = [parameter.to_numpydoc() for parameter in self._parameters(owner)]
        text = cleandoc(self._text)
        return "\n".join([text, "", "Parameters", "----------", *shown]) + "\n" if shown else text
