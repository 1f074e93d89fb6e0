"""``treewright explain``: why a row is predicted as it is."""

from __future__ import annotations

import json
from typing import Annotated, Any

import typer

from treewright.cli.input_tables import table_for
from treewright.cli.output import result, result_json
from treewright.cli.saved_models import ModelPath, load, schema_of
from treewright.cli.shared_options import Reading, Talk, with_options
from treewright.errors import DataError, OptionError

EXAMPLES = """
\b
  treewright explain loans.json --row 'income=2300, size=M'
  treewright explain loans.json loans.csv --row 1 --row 5
"""


@with_options(reading=Reading, talk=Talk)
def explain(
    model: ModelPath,
    data: Annotated[str | None, typer.Argument(help="A table whose rows are explained, by number.")] = None,
    row: Annotated[
        list[str] | None,
        typer.Option(help="'column=value, …' or a JSON object; with DATA, a row's number from 1. May be repeated."),
    ] = None,
    *,
    reading: Reading,
    talk: Talk,
) -> None:
    """Say in words which tests a row meets, with the counts of the training rows at each step.

    Columns that are not given are missing.
    """
    fitted = load(model)
    if not row:
        raise OptionError("no row is given", "write --row 'column=value, …', or name a table and --row 1")
    cases = (
        [_written(text, schema_of(fitted)) for text in row] if data is None else _numbered(data, row, fitted, reading)
    )
    found = [fitted.explain(case) for case in cases]
    if talk.json:
        result_json(found[0] if len(found) == 1 else found)
        return
    result("\n\n".join(map(str, found)))


def _numbered(data: str, row: list[str], fitted: Any, reading: Reading) -> list[dict[str, Any]]:
    table = table_for(fitted, data, reading)
    return [_at(table, text, data) for text in row]


def _at(table: Any, text: str, data: str) -> dict[str, Any]:
    if not text.isdigit() or not 1 <= int(text) <= table.height:
        raise OptionError(f"--row {text} is no row of {data!r}", f"rows are numbered from 1 to {table.height}")
    return dict(table.row(int(text) - 1, named=True))


def _written(text: str, schema: Any) -> dict[str, Any]:
    """A row from the command line; every column of the model, None where nothing is said."""
    given = _object(text) if text.lstrip().startswith("{") else _pairs(text)
    unknown = [name for name in given if name not in schema.names]
    if unknown:
        raise DataError(f"the model has no column {unknown[0]!r}", f"the columns are {', '.join(schema.names[:20])}")
    return {column.name: _value(given.get(column.name), column) for column in schema.columns}


def _object(text: str) -> dict[str, Any]:
    try:
        given = json.loads(text)
    except ValueError as error:
        raise OptionError(f"--row {text[:60]!r} is not JSON: {error}", """write '{"column": value}'""") from error
    return dict(given)


def _pairs(text: str) -> dict[str, Any]:
    pairs = [part.partition("=") for part in text.split(",") if part.strip()]
    if not pairs or not all(equals for _, equals, _ in pairs):
        raise OptionError(f"--row {text[:60]!r} is not accepted", "write 'column=value, column=value', or JSON")
    names = [name.strip() for name, _, _ in pairs]
    twice = [name for name in names if names.count(name) > 1]
    if twice:
        raise OptionError(f"--row gives {twice[0]!r} twice", "give every column once")
    return {name: value.strip() for name, (_, _, value) in zip(names, pairs)}


def _value(given: Any, column: Any) -> Any:
    """A number where the column holds numbers; levels are found by their text."""
    from treewright.data.schema import Kind, Unit

    if given is None or (isinstance(given, str) and given in ("", "?")):
        return None
    if column.kind is not Kind.NUMERIC:
        truth = {"true": True, "false": False}
        is_truth = set(map(type, column.levels)) == {bool}
        return truth.get(str(given).lower(), given) if is_truth else given
    if column.unit is not Unit.NUMBER:
        return given
    try:
        return float(given)
    except (TypeError, ValueError):
        raise DataError(f"column {column.name!r} is numeric, got {given!r}", "give a number") from None
