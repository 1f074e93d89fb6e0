"""Options of the learners: whatever the library's estimators have, under their own names, with dashes.

There is no list of them here. A command that learns takes every option it does not know itself, looks whether an
estimator has it, and hands it on; the library says which values are accepted. An option whose name the command needs
for something else is written ``--learner-NAME``.
"""

from __future__ import annotations

import inspect
import re
import shlex
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any

import typer
from typer.core import TyperCommand

from treewright.cli.arguments.option_values import named_options, parsed, readings, typed
from treewright.errors import OptionError, shown

_METHOD_KEY = "treewright.method_in_help"
GIVEN = "treewright.learner_options"  # where a context keeps them
_SET_BY_COMMANDS = ("kinds", "prune", "progress", "costs", "warm_start")  # a command has no fit to go on from
_PREFIX = "--learner-"
_AUTOMATIC = "auto"  # the method whose options are described where none is named


@dataclass(frozen=True)
class Accepting:
    """An option of one estimator; ``words`` say what it takes, ``meaning`` what it does."""

    default: Any
    words: str
    meaning: str = field(compare=False)
    example: str = field(compare=False)  # as it is written


@dataclass(frozen=True)
class Suggestion:
    """What a shell completes to, with the attributes it asks for."""

    value: str
    type: str = "plain"
    help: str | None = None


class LearnerCommand(TyperCommand):
    """A command that takes the learners' options beside its own."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        known = {name for option in self.params for name in (*option.opts, *option.secondary_opts)}
        if {"-h", "--help"} & set(args):
            ctx.meta[_METHOD_KEY] = _method_in(args)
            return super().parse_args(ctx, ["--help"])
        rest, given = _separate(args, known, _known_method(args))
        ctx.meta[GIVEN] = given
        return super().parse_args(ctx, rest)

    def format_options(self, ctx: Any, formatter: Any) -> None:
        """The command's own options, and those of the method that is named beside --help."""
        from treewright.cli.arguments.option_table import further_options, learner_options_text

        super().format_options(ctx, formatter)
        if not any("--method" in option.opts for option in self.params):
            return
        named = ctx.meta.get(_METHOD_KEY)
        method, width = named or _AUTOMATIC, formatter.width - 2
        _section(formatter, f"Options of --method {method}", learner_options_text(method, width))
        if named is None:
            others = further_options(method, _methods())
            _section(formatter, "Options of other methods, which fit --method NAME --help describes", others)

    def shell_complete(self, ctx: Any, incomplete: str) -> list[Any]:
        """Options of learners beside those of the command."""
        found = super().shell_complete(ctx, incomplete)
        names = [written(option) for option in all_options()] if incomplete.startswith("--") else []
        return [*found, *(Suggestion(name) for name in names if name.startswith(incomplete))]

    def invoke(self, ctx: Any) -> Any:
        """What the library says about an option of Python's is said about the one that was written."""
        from treewright.model.options.familiar_names import value_called_here
        from treewright.model.options.option_limits import RefusedOptionError

        try:
            return super().invoke(ctx)
        except RefusedOptionError as refusal:
            name = written(refusal.option)
            value = _as_written(refusal.value)
            words = refusal.limit.written or "for programs in Python only"
            ours = value_called_here(refusal.option, refusal.value, refusal.limit)
            hint = f"{name} is {words}" if ours is None else f"{name} {value} is {name} {ours} here"
            raise OptionError(f"{name} {value} is not accepted", hint) from refusal


def _method_in(args: list[str]) -> str | None:
    """The method that the arguments name."""
    for argument, following in zip(args, [*args[1:], ""]):
        name, equals, value = argument.partition("=")
        if name in ("--method", "-m"):
            return (value if equals else following).lower()
    return None


def _section(formatter: Any, title: str, text: str) -> None:
    """A part of the help that is laid out already."""
    with formatter.section(title):
        formatter.write("".join(f"  {line}\n" for line in text.splitlines()))


def _as_written(value: Any) -> str:
    if isinstance(value, dict):
        return ",".join(f"{name}={item}" for name, item in value.items())
    return value if isinstance(value, str) else shown(value)


def given_options(context: typer.Context) -> dict[str, Any]:
    return dict(context.meta[GIVEN])


def written(option: str) -> str:
    """How an option of a learner is written: what ``fit`` needs for itself has a prefix.

    >>> written("max_depth"), written("test")
    ('--max-depth', '--learner-test')
    """
    from treewright.cli.commands.fit_command import fit

    prefix = _PREFIX if option in inspect.signature(fit).parameters and option not in _SET_BY_COMMANDS else "--"
    return prefix + option.replace("_", "-")


def _known_method(args: list[str]) -> str | None:
    """The method that the arguments name, if there is such a one."""
    from treewright.model.fitting import estimators_of

    method = _method_in(args)
    if method is None:
        return None
    try:
        estimators_of(method)
    except OptionError:
        return None
    return method


def _separate(args: list[str], known: set[str], method: str | None) -> tuple[list[str], dict[str, Any]]:
    """The arguments that are the command's own, and the learners' options."""
    rest: list[str] = []
    given: dict[str, Any] = {}
    waiting = list(args)
    while waiting:
        argument = waiting.pop(0)
        name, equals, text = argument.partition("=")
        if argument == "--":
            return [*rest, argument, *waiting], given
        if re.fullmatch(r"-[A-Za-z]", name) and name not in {*known, "-h"}:
            raise _unknown(name, None, waiting, known, method)  # a letter of another program, such as J48's -M 5
        if not re.match(r"--[A-Za-z]", name) or name in known or name == "--help":
            rest.append(argument)
            if name in known and not equals and _takes_value(name, waiting):
                rest.append(waiting.pop(0))
            continue
        option, value = _option(name, text if equals else None, waiting, known, method)
        given[option] = _together(name, given[option], value) if option in given else value
    return rest, given


def _takes_value(name: str, waiting: list[str]) -> bool:
    """Whether what follows an option of the command's own might look like an option itself: ``--na --``."""
    return name == "--na" and bool(waiting)


def _together(name: str, before: Any, value: Any) -> Any:
    """Lists and pairs may be given one by one."""
    if isinstance(before, list) and isinstance(value, list):
        return before + value
    if isinstance(before, dict) and isinstance(value, dict):
        return before | value
    raise OptionError(f"{name} is given twice", "give it once")


def _option(given: str, text: str | None, waiting: list[str], own: set[str], method: str | None) -> tuple[str, Any]:
    name = given.removeprefix(_PREFIX).removeprefix("--").replace("-", "_")
    defaults = {option: kinds[0].default for option, kinds in all_options().items()}
    if name.startswith("no_") and isinstance(defaults.get(name[3:]), bool) and text is None:
        return name[3:], False
    if name not in defaults:
        raise _unknown(given, text, waiting, own, method)
    if text is None and _is_flag(name, waiting):
        follows = waiting[0].lower() if waiting else ""
        return name, (parsed(waiting.pop(0)) if follows in ("true", "false", "yes", "no") else True)
    if text is None:
        if not waiting:
            raise OptionError(f"{given} needs a value", f"write {given} VALUE")
        text = waiting.pop(0)
    return name, value_of(name, text)


def _unknown(given: str, text: str | None, waiting: list[str], own: set[str], method: str | None) -> OptionError:
    from treewright.cli.arguments.option_suggestion import meant_option

    follows = [word for word in waiting[:1] if _is_number(word) or not word.startswith("-")]
    value = text if text is not None else next(iter(follows), None)
    meant = meant_option(given, value, own, method)
    lists = f"treewright methods {method} lists its options"
    if method is None:
        lists = "treewright methods c4.5 lists those of C4.5, and so on"
    between = "" if not meant else " " if meant.endswith("?") else "; "
    return OptionError(f"unknown option {given!r}", f"{meant}{between}{lists}")


def _is_flag(name: str, waiting: list[str]) -> bool:
    """Whether an option needs no value. One that is a switch of some learners and a number of others takes a number
    that follows: ``--rules`` is C5.0's, and ``--rules 20`` Cubist's."""
    kinds = [kind for method in _methods() for kind in options_of(method).get(name, ())]
    switches = [isinstance(kind.default, bool) for kind in kinds]
    return all(switches) or (any(switches) and not (waiting and _is_number(waiting[0])))


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def value_of(option: str, text: str) -> Any:
    """What a text means as the value of an option: the likeliest reading that some learner accepts. A member is a
    method with its options, as in ``cart:max_depth=3``."""
    if option == "member":
        return named_options(text, value_of)
    found = list(readings(text))
    return next((value for value in found if _accepts(option, value)), found[0])


def _accepts(option: str, value: Any) -> bool:
    kinds = [kind for method in _methods() for kind in _kinds(method) if _has(kind, option)]
    return any(option not in kind.option_limits or kind.option_limits[option].accepts(value) for kind in kinds)


def all_options() -> dict[str, list[Accepting]]:
    """Every option of every learner."""
    return {name: kinds for method in _methods() for name, kinds in options_of(method).items()}


def options_of(method: str) -> dict[str, list[Accepting]]:
    """The options of a method: as the estimator for classes has them and, where it differs, the one for numbers. A
    program that is named as a method has defaults of its own."""
    from treewright.model.fitting import preset_options
    from treewright.model.options.option_texts import place_of_option

    found: dict[str, list[Accepting]] = {}
    for kind in _kinds(method):
        defaults = {**kind().get_params(deep=False), **preset_options(method, numbers=_is_for_numbers(kind))}
        for option in fields(kind):
            if option.init and option.name not in _SET_BY_COMMANDS:
                made = _accepting(kind, option.name, defaults[option.name])
                known = found.setdefault(option.name, [])
                known += [made] if made.words and made not in known else []
    return {name: found[name] for name in sorted(found, key=place_of_option) if found[name]}


def _accepting(kind: Any, option: str, default: Any) -> Accepting:
    from treewright.model.options.option_texts import text_of_option

    text = text_of_option(kind, option)
    name, value = written(option), shlex.quote(text.typed or typed(text.example))
    example = (name if text.example else f"--no-{name[2:]}") if isinstance(text.example, bool) else f"{name} {value}"
    return Accepting(default, _words(kind, option), _as_typed(text.meaning, kind), example)


def _as_typed(meaning: str, kind: Any) -> str:
    """A meaning in the words of a command line: options by the names they have there, ``none`` in small letters."""
    names = {f.name for f in fields(kind) if "_" in f.name}
    return re.sub(r"\w+", lambda word: written(word[0]) if word[0] in names else word[0], meaning).replace(
        "None", "none"
    )


def check_names(method: str, options: Mapping[str, Any]) -> None:
    """Refuse a method that there is not, or an option that it does not have, and name those that do."""
    _kinds(method)
    for name, value in options.items():
        if not has_option(method, name):
            problem = f"the method {method} has no option {written(name)}"
            raise OptionError(problem, f"{_meant(method, name, value)}treewright methods {method} lists its own")


def _meant(method: str, name: str, value: Any) -> str:
    """What another method's option is called here, or who has it."""
    from treewright.cli.arguments.option_suggestion import pruning_meant
    from treewright.model.fitting import is_ensemble
    from treewright.model.options.familiar_names import called_here

    own = options_of(method)
    here = called_here(name, value, own)
    if here is not None:
        return f"it is {written(here.option)} here; "
    pruning = pruning_meant(name, typed(value))
    if pruning is not None and not is_ensemble(method):
        return f"it is {pruning} here; "
    others = [other for other in _methods() if any(_has(kind, name) for kind in _kinds(other))]
    if "member" in own and "cart" in others:
        return f"members have it, as in --member cart:{name}={value}; "
    return f"it is an option of {', '.join(others)}; " if others else ""


def has_option(method: str, option: str) -> bool:
    return any(_has(kind, option) for kind in _kinds(method))


def for_classes_only(method: str, option: str) -> bool:
    """Whether the method also knows numbers, but not this option for them."""
    return knows_numbers(method) and not any(_has(kind, option) for kind in _kinds(method) if _is_for_numbers(kind))


def knows_numbers(method: str) -> bool:
    return any(map(_is_for_numbers, _kinds(method)))


def knows_classes(method: str) -> bool:
    return not all(map(_is_for_numbers, _kinds(method)))


def _is_for_numbers(kind: Any) -> bool:
    return not hasattr(kind, "predict_proba")


def _words(kind: Any, option: str) -> str:
    """What an option takes; empty for what only Python has."""
    limit = kind.option_limits.get(option)
    return "any value" if limit is None else str(limit.written)


def _has(kind: Any, option: str) -> bool:
    return any(f.name == option and f.init for f in fields(kind))


def _methods() -> tuple[str, ...]:
    from treewright.model.fitting import methods

    return methods()


def _kinds(method: str) -> tuple[Any, ...]:
    from treewright.model.fitting import estimators_of

    return estimators_of(method)
