"""``treewright explain``: why a row is predicted as it is."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from treewright.cli.arguments.row_option import written_row
from treewright.cli.arguments.shared_options import Reading, Talk, with_options
from treewright.cli.input_tables import table_for
from treewright.cli.output import result, result_json
from treewright.cli.saved_models import ModelPath, load, schema_of
from treewright.errors import OptionError

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
        [written_row(text, schema_of(fitted)) for text in row]
        if data is None
        else _numbered(data, row, fitted, reading)
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
