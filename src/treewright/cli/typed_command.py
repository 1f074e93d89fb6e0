"""The command as it was typed, for the files it makes."""

from __future__ import annotations

import re
import shlex
from collections.abc import Mapping, Sequence
from contextvars import ContextVar
from typing import Any

_TYPED: ContextVar[tuple[str, ...]] = ContextVar("typed", default=())
_PASSWORD = re.compile(r"(://[^/:@\s]*:)[^@/\s]*@")


def remember(arguments: Sequence[str]) -> None:
    """Before a command runs."""
    _TYPED.set(tuple(arguments))


def typed_command(more: Mapping[str, Any] | None = None) -> str:
    """The command in one line, for a shell; passwords of databases are left out.

    ``more`` are options that a settings file or the environment gave, by name: they are written out, and the
    settings file is not named, so that the line says all.

    >>> remember(["fit", "a b.csv", "--config", "r.toml"])
    >>> typed_command({"max_depth": 3, "gain_ratio": True, "target": "paid"})
    "treewright fit 'a b.csv' --max-depth 3 --gain-ratio --target paid"
    """
    arguments = list(_TYPED.get())
    words = arguments if more is None else [*_without_settings_file(arguments), *_written_out(more)]
    return _PASSWORD.sub(r"\1***@", shlex.join(["treewright", *words]))


def _without_settings_file(arguments: list[str]) -> list[str]:
    kept, skip = [], False
    for argument in arguments:
        if not skip and argument != "--config" and not argument.startswith("--config="):
            kept.append(argument)
        skip = argument == "--config"
    return kept


def _written_out(options: Mapping[str, Any]) -> list[str]:
    words: list[str] = []
    for name, value in options.items():
        option = f"--{name.replace('_', '-')}"
        if name == "data":
            words.append(str(value))
        elif value is True:
            words.append(option)
        elif value is False:
            words.append(f"--no-{option[2:]}")
        else:
            words += [word for text in _texts(value) for word in (option, text)]
    return words


def _texts(value: Any) -> list[str]:
    from treewright.cli.settings_file import as_text

    text = as_text(value)
    return text if isinstance(text, list) else [text]
