"""Docstrings for the reference as ``help()`` has them, made fit for Markdown.

Those of estimators and functions end with their options, which come from one table: the source alone does not tell.
"""

from __future__ import annotations

import re
from inspect import getdoc
from typing import Any

import griffe

ROLE = re.compile(r":(?:class|func|data|mod|meth):`~?([^`]+)`")
TYPE = re.compile(r"^(\*{0,2}\w+ : )(.+?)(, default .*)?$", re.M)
EXAMPLES = re.compile(r"(?:^>>> .*\n(?:^\S.*\n)*)+", re.M)


class OptionDocstrings(griffe.Extension):
    """Docstrings of classes and functions come from these themselves."""

    def on_object(self, *, obj: griffe.Object, **given: Any) -> None:
        if obj.docstring is None:
            return
        if obj.is_class or obj.is_function:
            obj.docstring.value = getdoc(griffe.dynamic_import(obj.path)) or ""
        obj.docstring.value = in_markdown(obj.docstring.value)


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
