"""Docstrings for the reference as ``help()`` has them, made fit for Markdown.

Those of estimators and functions end with their options, which come from one table: the source alone does not tell.
"""

from __future__ import annotations

import re
from enum import Enum
from inspect import getdoc, signature
from typing import Any

import griffe

ROLE = re.compile(r":(?:class|func|data|mod|meth):`~?([^`]+)`")
TYPE = re.compile(r"^(\*{0,2}\w+ : )(.+?)(, default .*)?$", re.M)
EXAMPLES = re.compile(r"(?:^>>> .*\n(?:^\S.*\n)*)+", re.M)


class OptionDocstrings(griffe.Extension):
    """Docstrings of classes and functions come from these themselves."""

    def on_object(self, *, obj: griffe.Object, **given: Any) -> None:
        if obj.is_class or obj.is_function:
            with_values(obj)
        if obj.docstring is None:
            return
        if obj.is_class or obj.is_function:
            obj.docstring.value = getdoc(griffe.dynamic_import(obj.path)) or ""
        obj.docstring.value = in_markdown(obj.docstring.value)


def with_values(obj: griffe.Object) -> None:
    """Let the signature say what a default is, where the source names a constant."""
    parameters = getattr(obj, "parameters", None)
    try:
        known = signature(griffe.dynamic_import(obj.path)).parameters
    except (TypeError, ValueError, ImportError, AttributeError):
        return
    for parameter in parameters or ():
        if parameter.default is not None and parameter.name in known:
            parameter.default = default_text(known[parameter.name].default, parameter.default)


def default_text(value: Any, written: Any) -> Any:
    """A plain value as it is written in a call; of anything else what the source says."""
    if isinstance(value, Enum):
        value = value.value
    if isinstance(value, str):
        return f'"{value}"'
    is_plain = value is None or isinstance(value, (bool, int, float)) or value == ()
    return repr(value) if is_plain else written


def in_markdown(text: str) -> str:
    """Roles as code, and examples in blocks; a section of examples is one already."""
    text = ROLE.sub(r"`\1`", text)
    text = TYPE.sub(lambda found: found[1] + _type(found[2]) + (found[3] or ""), text)
    before, heading, after = text.partition("Examples\n--------\n")
    return (
        EXAMPLES.sub(lambda found: f"```pycon\n{found[0]}```\n", before + "\n").rstrip()
        + "\n\n" * bool(heading)
        + heading
        + after
    )


def _type(words: str) -> str:
    """A type that is not taken for an expression: a comma would make a tuple, a dash a difference."""
    return words.replace(", ", " or ").replace("array-like", "array")
