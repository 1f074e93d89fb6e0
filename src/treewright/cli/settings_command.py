"""A command whose options may also come from a settings file and from the environment."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import Any

import typer

from treewright.cli.arguments.learner_options import GIVEN, LearnerCommand, all_options, value_of, written
from treewright.cli.settings_file import CONFIG, as_text, from_environment, from_settings_file, variable
from treewright.errors import OptionError, near_name

_SETTINGS = "treewright.settings"
_SOURCES = "treewright.settings_sources"
_UNUSED = "treewright.unused_variables"
_LEARNER = "learner_"


class SettingsCommand(LearnerCommand):
    """It takes its own options and those of the learners: from the command line, a settings file, the environment."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        own = {option.name: option for option in self.params if option.name != CONFIG}
        said = _Said() if ctx.resilient_parsing else _settings(args, own)  # a shell completes
        settings, ctx.meta[_UNUSED] = said.options, said.unused
        ctx.default_map = {name: _own_value(own[name], value) for name, value in settings.items() if name in own}
        rest = super().parse_args(ctx, args)
        learners = {name: value for name, value in settings.items() if name not in own}
        typed = {name for name in own if _is_typed(ctx, name)}
        typed |= {name for name in learners if name.removeprefix(_LEARNER) in ctx.meta[GIVEN]}
        more = {name.removeprefix(_LEARNER): value for name, value in learners.items() if name not in typed}
        ctx.meta[GIVEN] = {**{name: _learner_value(name, value) for name, value in more.items()}, **ctx.meta[GIVEN]}
        ctx.meta[_SETTINGS] = {name: value for name, value in settings.items() if name not in typed}
        ctx.meta[_SOURCES] = {name: said.source(name) for name in ctx.meta[_SETTINGS]}
        return rest

    def invoke(self, ctx: Any) -> Any:
        try:
            return super().invoke(ctx)
        except OptionError as error:
            for name, source in ctx.meta[_SOURCES].items():
                if re.search(rf"(?<![\w-])(--)?{re.sub('[_-]', '[_-]', name)}(?![\w-])", error.problem):
                    raise OptionError(f"{error.problem} ({source} says so)", error.hint) from error
            raise


@dataclass(frozen=True)
class _Said:
    """What the environment and a settings file say; ``unused`` are variables that are no options."""

    options: dict[str, Any] = field(default_factory=dict)
    unused: list[str] = field(default_factory=list)
    path: str | None = None
    in_file: Collection[str] = ()

    def source(self, option: str) -> str:
        return repr(self.path) if option in self.in_file else variable(option)


def used_settings(context: typer.Context) -> dict[str, Any] | None:
    """What a settings file or the environment has said and the command line has not; None: there is neither."""
    found: dict[str, Any] = context.meta[_SETTINGS]
    return found or None


def unused_variables(context: typer.Context) -> list[tuple[str, str]]:
    """Variables of the environment that look like options and are none, and what to do."""
    return [(variable(name), _meant(name, context)) for name in context.meta[_UNUSED]]


def _meant(name: str, context: typer.Context) -> str:
    own = [str(parameter.name) for parameter in context.command.params]
    near = near_name(name, [*own, *all_options()])
    return f"did you mean {variable(near)}?" if near else "treewright fit --help lists them."


def _settings(args: list[str], own: Mapping[str, Any]) -> _Said:
    """What the environment says, and a settings file over it.

    To know all options takes time, which is not taken where nothing is said.
    """
    path, said = _settings_file_named(args), from_environment()
    if path is None and not said:
        return _Said()
    known = {*own, *(written(option).removeprefix("--").replace("-", "_") for option in all_options())}
    path = path or said.pop(CONFIG, None)
    found: dict[str, Any] = {name: value for name, value in said.items() if name in known}
    unused = [name for name in said if name not in found and name != CONFIG]
    in_file = {} if path is None else from_settings_file(path, known)
    return _Said({**found, **in_file}, unused, path, in_file.keys())


def _settings_file_named(args: list[str]) -> str | None:
    for place, argument in enumerate(args):
        name, equals, path = argument.partition("=")
        if name == f"--{CONFIG}":
            if not equals and place + 1 == len(args):
                raise OptionError(f"--{CONFIG} needs a value", f"write --{CONFIG} FILE")
            return path if equals else args[place + 1]
    return None


def _is_typed(ctx: Any, name: str) -> bool:
    source = ctx.get_parameter_source(name)
    return source is not None and source.name == "COMMANDLINE"


def _own_value(option: Any, value: Any) -> Any:
    """For the command's own reading, which is of texts."""
    if isinstance(value, bool) and getattr(option, "is_flag", False):
        return value
    text = as_text(value)
    if getattr(option, "multiple", False):
        return text if isinstance(text, list) else [text]
    if isinstance(text, list):
        raise OptionError(f"{option.name} takes one value, got {value!r}", "write one")
    return text


def _learner_value(name: str, value: Any) -> Any:
    """Texts mean what they mean on the command line; other values of a settings file are themselves."""
    return value_of(name, value) if isinstance(value, str) else value
