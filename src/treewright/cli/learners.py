"""Options of the learners: whatever the library's estimators have, under their own names, with dashes.

There is no list of them here. A command that learns takes every option it does not know itself, looks whether an
estimator has it, and hands it on; the library says which values are accepted.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from dataclasses import fields
from typing import Any, cast

import typer
from typer.core import TyperCommand

from treewright.errors import OptionError, unknown

_KEY = "treewright.learner_options"
_SET_BY_COMMANDS = ("kinds", "prune", "progress", "costs")


class LearnerCommand(TyperCommand):
    """A command that takes the learners' options beside its own."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        known = {name for option in self.params for name in (*option.opts, *option.secondary_opts)}
        rest, given = _separate(args, known)
        ctx.meta[_KEY] = given
        return super().parse_args(ctx, rest)


_PAIRS = re.compile(r"[^=,{}\[\]]+=[^=,{}\[\]]+(,[^=,{}\[\]]+=[^=,{}\[\]]+)*")  # name=value,name=value


def given_options(context: typer.Context) -> dict[str, Any]:
    return dict(context.meta[_KEY])


def _separate(args: list[str], known: set[str]) -> tuple[list[str], dict[str, Any]]:
    """The arguments that are the command's own, and the learners' options."""
    rest: list[str] = []
    given: dict[str, Any] = {}
    waiting = list(args)
    while waiting:
        argument = waiting.pop(0)
        name, equals, text = argument.partition("=")
        if argument == "--":
            return [*rest, argument, *waiting], given
        if not re.match(r"--[a-z]", name) or name in known or name == "--help":
            rest.append(argument)
            if name in known and not equals and _takes_value(name, waiting):
                rest.append(waiting.pop(0))
            continue
        option, value = _option(name, text if equals else None, waiting)
        given[option] = value
    return rest, given


def _takes_value(name: str, waiting: list[str]) -> bool:
    """Whether what follows an option of the command's own might look like an option itself: ``--na --``."""
    return name == "--na" and bool(waiting)


def _option(written: str, text: str | None, waiting: list[str]) -> tuple[str, Any]:
    name = written.removeprefix("--").replace("-", "_")
    options = all_options()
    if name.startswith("no_") and isinstance(options.get(name[3:]), bool) and text is None:
        return name[3:], False
    if name not in options:
        raise unknown("option", written, [_written(option) for option in options])
    if text is None and isinstance(options[name], bool):
        follows = waiting[0].lower() if waiting else ""
        return name, (parsed(waiting.pop(0)) if follows in ("true", "false", "yes", "no") else True)
    if text is None:
        if not waiting:
            raise OptionError(f"{written} needs a value", f"write {written} VALUE")
        text = waiting.pop(0)
    return name, parsed(text)


def _written(option: str) -> str:
    return f"--{option.replace('_', '-')}"


def all_options() -> dict[str, Any]:
    """Every option of every learner with its default."""
    from treewright.model.fitting import methods

    return {name: default for method in methods() for name, default in options_of(method).items()}


def options_of(method: str) -> dict[str, Any]:
    """The options of a method with their defaults."""
    from treewright.model.fitting import estimators_of

    found: dict[str, Any] = {}
    for kind in estimators_of(method):
        made = kind().get_params(deep=False)
        found |= {f.name: made[f.name] for f in fields(kind) if f.init and f.name not in _SET_BY_COMMANDS}
    return found


def accepted(method: str, option: str) -> str:
    """What an option takes, in the library's words: it is offered something that no option takes."""
    from treewright.model.fitting import estimators_of

    words, nothing = [], cast(Any, object())
    for kind in estimators_of(method):
        if option not in {f.name for f in fields(kind)}:
            continue
        try:
            kind(**{option: nothing})._check_options()
        except OptionError as refusal:
            words.append((refusal.hint or "").removeprefix(f"{option} is "))
    return "; for numbers ".join(dict.fromkeys(words))


def parsed(text: str) -> Any:
    """A value as it is written on the command line.

    >>> [parsed(text) for text in ("3", "0.5", "yes", "none", "gini", "3,5", '{"a": 2}')]
    [3, 0.5, True, None, 'gini', [3, 5], {'a': 2}]
    >>> parsed("age=fractional,income=branch"), parsed("0=age")
    ({'age': 'fractional', 'income': 'branch'}, {0: 'age'})
    """
    words = {"true": True, "yes": True, "false": False, "no": False, "none": None}
    if text.lower() in words:
        return words[text.lower()]
    if re.fullmatch(r"\d+(,\d+)+", text):
        return [int(part) for part in text.split(",")]
    if _PAIRS.fullmatch(text):
        pairs = (pair.split("=") for pair in text.split(","))
        return {_key(name.strip()): parsed(value.strip()) for name, value in pairs}
    for kind in (int, float, _object):
        try:
            return kind(text)
        except ValueError:
            continue
    return text


def _object(text: str) -> Any:
    if not text.startswith(("{", "[")):
        raise ValueError(text)
    made = json.loads(text)
    return {_key(name): value for name, value in made.items()} if isinstance(made, dict) else made


def _key(name: str) -> str | int:
    """Depths and numbered classes are numbers, though JSON has only text for keys."""
    return int(name) if name.isdecimal() else name


def named_options(text: str) -> tuple[str, dict[str, Any]]:
    """A method with its options: ``cost-complexity:alpha=0.01``.

    >>> named_options("minimum-error:m=2")
    ('minimum-error', {'m': 2})
    """
    name, _, rest = text.partition(":")
    return name, dict(_pair(part) for part in _parts(rest))


def _parts(text: str) -> Iterable[str]:
    return [part for part in re.split(r",(?=\w+=)", text) if part]


def _pair(text: str) -> tuple[str, Any]:
    name, equals, value = text.partition("=")
    if not equals:
        raise OptionError(f"{text!r} is no option", "write METHOD:OPTION=VALUE, for example cost-complexity:alpha=0.01")
    return name.strip().replace("-", "_"), parsed(value.strip())
