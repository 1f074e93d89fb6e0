"""A row that is written on the command line."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

from treewright.data.frame import listing
from treewright.errors import DataError, OptionError, near_name


def written_row(text: str, schema: Any, option: str = "--row") -> dict[str, Any]:
    """A row from the command line; every column of the model, None where nothing is said."""
    given = _object(text, option) if text.lstrip().startswith("{") else _pairs(text, option)
    unknown = [name for name in given if name not in schema.names]
    if schema.target.name in unknown:
        raise DataError(f"{schema.target.name!r} is what the model predicts", "leave it out of the row")
    if unknown:
        near = near_name(unknown[0], schema.names)
        known = f"columns are {', '.join(schema.names[:20])}"
        hint = f"did you mean {near!r}? The {known}" if near else f"the {known}"
        raise DataError(f"the model has no column {unknown[0]!r}", hint)
    return {column.name: _value(given.get(column.name), column) for column in schema.columns}


def unseen_levels(row: Mapping[str, Any], schema: Any) -> Iterator[str]:
    """What is said of levels that the model does not know: most are slips of the pen."""
    from treewright.data.schema import Kind, text_of
    from treewright.explain.condition_text import level_text

    for column in schema.columns:
        level = row[column.name]
        if level is None or column.kind is Kind.NUMERIC or not column.levels or text_of(level) in column.code_of_text:
            continue
        texts = list(column.code_of_text)
        near = near_name(text_of(level), texts)
        known = listing([level_text(known) for known in column.levels], most=10)
        hint = f"did you mean {near!r}? The levels are {known}" if near else f"the levels are {known}"
        yield f"{level!r} is no level of {column.name!r} and counts as missing. Hint: {hint}."


def _object(text: str, option: str) -> dict[str, Any]:
    try:
        given = json.loads(text)
    except ValueError as error:
        raise OptionError(f"{option} {text[:60]!r} is not JSON: {error}", """write '{"column": value}'""") from error
    return dict(given)


_PAIR = re.compile(r"""([^=,]*)(=?)\s*("[^"]*"|'[^']*'|[^,]*)\s*(?:,|$)""")  # a value in quotes may have commas
_QUOTED = re.compile(r"""(["']).*\1""")


def _pairs(text: str, option: str) -> dict[str, Any]:
    pairs = [found.groups() for found in _PAIR.finditer(text) if found[0].strip(", ")]
    if not pairs or not all(equals for _, equals, _ in pairs):
        hint = "write 'column=value, column=\"value, with a comma\"', or JSON"
        raise OptionError(f"{option} {text[:60]!r} is not accepted", hint)
    names = [name.strip() for name, _, _ in pairs]
    twice = [name for name in names if names.count(name) > 1]
    if twice:
        raise OptionError(f"{option} gives {twice[0]!r} twice", "give every column once")
    values = [value.strip() for _, _, value in pairs]
    return {name: value[1:-1] if _QUOTED.fullmatch(value) else value for name, value in zip(names, values)}


def _value(given: Any, column: Any) -> Any:
    """A number where the column holds numbers; levels are found by their text."""
    from treewright.data.schema import Kind, Unit
    from treewright.data.written_numbers import written_number

    if given is None or (isinstance(given, str) and given in ("", "?")):
        return None
    if column.kind is not Kind.NUMERIC:
        truth = {"true": True, "false": False}
        is_truth = set(map(type, column.levels)) == {bool}
        return truth.get(str(given).lower(), given) if is_truth else given
    if column.unit is not Unit.NUMBER:
        return given
    try:
        return written_number(given) if isinstance(given, str) else float(given)
    except (TypeError, ValueError):
        raise DataError(f"column {column.name!r} is numeric, got {given!r}", "give a number") from None
