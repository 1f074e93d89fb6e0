"""Options that several commands share, in groups; and those of the learners, which only the library knows.

A group is a frozen dataclass whose fields are typer's. ``with_options`` lets a command take groups as parameters, and
typer see their fields.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from dataclasses import MISSING, dataclass, fields
from typing import Annotated, Any, TypeVar, get_args, get_type_hints

import typer
from typer.models import ArgumentInfo

Returned = TypeVar("Returned")


@dataclass(frozen=True)
class Talk:
    """How much is said, and in which form."""

    json: Annotated[bool, typer.Option("--json", help="Print the result as JSON.")] = False
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Print results and errors only.")] = False
    verbose: Annotated[bool, typer.Option("--verbose", "-v", help="Say more about what is done.")] = False


@dataclass(frozen=True)
class Reading:
    """How a file is to be read where it does not show by itself."""

    format: Annotated[str | None, typer.Option(help="csv, parquet, arrow, jsonl, excel, arff or c4.5.")] = None
    delimiter: Annotated[str | None, typer.Option(help="What separates cells, such as ';' or tab.")] = None
    quote: Annotated[str | None, typer.Option(help="What quotes cells, or none.")] = None
    encoding: Annotated[str | None, typer.Option(help="Such as utf-8, latin-1 or utf-16.")] = None
    decimal: Annotated[str | None, typer.Option(help="The decimal mark, . or ,")] = None
    no_header: Annotated[bool, typer.Option("--no-header", help="The first line is a row: columns are x0, x1, …")] = (
        False
    )
    na: Annotated[list[str] | None, typer.Option(help="A text that means missing, instead of the usual ones.")] = None
    sheet: Annotated[str | None, typer.Option(help="Which sheet of a spreadsheet.")] = None


@dataclass(frozen=True)
class Choosing:
    """Which columns of a table are what."""

    target: Annotated[str | None, typer.Option("--target", "-t", help="The column to predict. [default: the last]")] = (
        None
    )
    drop: Annotated[list[str] | None, typer.Option(help="A column to leave out, or several between commas.")] = None
    kinds: Annotated[
        list[str] | None,
        typer.Option(
            help="COLUMN=nominal, COLUMN=numeric, an order of levels, COLUMN='S<M<L', or how dates are written, "
            "COLUMN=%m/%d/%Y; several between commas."
        ),
    ] = None
    weights: Annotated[str | None, typer.Option(help="A column that says how much each row counts.")] = None


def with_options(**groups: type) -> Callable[[Callable[..., Returned]], Callable[..., Returned]]:
    """Let a command take groups of options under these names."""

    def decorate(command: Callable[..., Returned]) -> Callable[..., Returned]:
        @functools.wraps(command)
        def called(**values: Any) -> Returned:
            made = {
                name: group(**{f.name: values.pop(f.name) for f in fields(group)}) for name, group in groups.items()
            }
            return command(**values, **made)

        own = [p for p in inspect.signature(command).parameters.values() if p.name not in groups]
        hints = get_type_hints(command, include_extras=True)
        parameters = [p.replace(annotation=hints[p.name], kind=p.KEYWORD_ONLY) for p in own]
        parameters += [p for group in groups.values() for p in _parameters(group)]
        for parameter in parameters:
            _say_what_it_takes(parameter)
        called.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
        called.__annotations__ = {p.name: p.annotation for p in parameters}
        del called.__wrapped__
        return called

    return decorate


_FILES = ("output", "test", "costs", "data", "validation", "models")
_COLUMNS = ("target", "drop", "weights", "keep", "column")


def _say_what_it_takes(parameter: inspect.Parameter) -> None:
    """In capitals, as texts of the help name it: FILE, COLUMN, NUMBER, or the name of the argument."""
    if not hasattr(parameter.annotation, "__metadata__"):
        return
    kind, (shown, *_) = get_args(parameter.annotation)[0], parameter.annotation.__metadata__
    kinds = {kind, *get_args(kind)}
    if shown.metavar or bool in kinds:
        return
    if isinstance(shown, ArgumentInfo):
        shown.metavar = parameter.name.upper()
    elif parameter.name in _FILES or parameter.name in _COLUMNS:
        shown.metavar = "FILE" if parameter.name in _FILES else "COLUMN"
    else:
        shown.metavar = "NUMBER" if kinds & {int, float} else "TEXT"


def _parameters(group: type) -> list[inspect.Parameter]:
    hints = get_type_hints(group, include_extras=True)
    return [
        inspect.Parameter(
            f.name,
            inspect.Parameter.KEYWORD_ONLY,
            default=inspect.Parameter.empty if f.default is MISSING else f.default,
            annotation=hints[f.name],
        )
        for f in fields(group)
    ]
