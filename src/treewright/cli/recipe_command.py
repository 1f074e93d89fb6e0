"""A command whose options may also come from a recipe and from the environment."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import typer

from treewright.cli.fit_recipe import CONFIG, as_text, from_environment, from_recipe, variable
from treewright.cli.learner_options import GIVEN, LearnerCommand, all_options, value_of, written
from treewright.errors import OptionError

_SETTINGS = "treewright.settings"
_UNUSED = "treewright.unused_variables"
_LEARNER = "learner_"


class RecipeCommand(LearnerCommand):
    """It takes its own options and those of the learners: from the command line, a recipe, the environment."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        own = {option.name: option for option in self.params if option.name != CONFIG}
        settings, ctx.meta[_UNUSED] = ({}, []) if ctx.resilient_parsing else _settings(args, own)  # a shell completes
        ctx.default_map = {name: _own_value(own[name], value) for name, value in settings.items() if name in own}
        rest = super().parse_args(ctx, args)
        learners = {name: value for name, value in settings.items() if name not in own}
        typed = {name for name in own if _is_typed(ctx, name)}
        typed |= {name for name in learners if name.removeprefix(_LEARNER) in ctx.meta[GIVEN]}
        more = {name.removeprefix(_LEARNER): value for name, value in learners.items() if name not in typed}
        ctx.meta[GIVEN] = {**{name: _learner_value(name, value) for name, value in more.items()}, **ctx.meta[GIVEN]}
        ctx.meta[_SETTINGS] = {name: value for name, value in settings.items() if name not in typed}
        return rest


def used_settings(context: typer.Context) -> dict[str, Any] | None:
    """What a recipe or the environment has said and the command line has not; None: there is neither."""
    found: dict[str, Any] = context.meta[_SETTINGS]
    return found or None


def unused_variables(context: typer.Context) -> list[str]:
    """Variables of the environment that look like options and are none."""
    return [variable(name) for name in context.meta[_UNUSED]]


def _settings(args: list[str], own: Mapping[str, Any]) -> tuple[dict[str, Any], list[str]]:
    """What the environment says, and a recipe over it; and which variables are no options.

    To know all options takes time, which is not taken where nothing is said.
    """
    path, said = _recipe_named(args), from_environment()
    if path is None and not said:
        return {}, []
    known = {*own, *(written(option).removeprefix("--").replace("-", "_") for option in all_options())}
    path = path or said.pop(CONFIG, None)
    found: dict[str, Any] = {name: value for name, value in said.items() if name in known}
    unused = [name for name in said if name not in found and name != CONFIG]
    return found if path is None else {**found, **from_recipe(path, known)}, unused


def _recipe_named(args: list[str]) -> str | None:
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
    """Texts mean what they mean on the command line; other values of a recipe are themselves."""
    return value_of(name, value) if isinstance(value, str) else value
