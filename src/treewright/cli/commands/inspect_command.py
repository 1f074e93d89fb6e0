"""``treewright inspect``: what the columns of a table are taken for."""

from __future__ import annotations

from typing import Annotated

import typer

from treewright.cli.arguments.shared_options import Reading, Talk, with_options
from treewright.cli.input_tables import as_written, kinds_of, told
from treewright.cli.messages import cli_message
from treewright.cli.output import result, result_json, warn

EXAMPLES = """
\b
  treewright inspect iris.csv
  treewright inspect loans.csv --kinds 'size=S<M<L'
  treewright inspect rent.csv --json
"""


@with_options(reading=Reading, talk=Talk)
def inspect(
    data: Annotated[
        str, typer.Argument(help="A file, a pattern in quotes, a database's URL, or - for standard input.")
    ],
    kinds: Annotated[
        list[str] | None, typer.Option(help="COLUMN=nominal, numeric, ordinal, 'S<M<L' or %m/%d/%Y. May be repeated.")
    ] = None,
    *,
    reading: Reading,
    talk: Talk,
) -> None:
    """Show what fit would take the columns of a table for: kind, levels, missing share, examples and warnings.

    Columns that name the rows are left out of learning: text that differs in every row, and whole numbers
    that do and have the name of a key. Texts that are all dates are read as dates. --kinds COLUMN=KIND says otherwise.
    """
    from treewright.data.readers import read_table
    from treewright.data.readers.contents import ColumnNote
    from treewright.data.summary import inspect as inspect_table

    contents = read_table(data, told(reading, types=as_written(kinds)))
    given = kinds_of(contents, contents.table, kinds)
    notes = [note for note in contents.notes if isinstance(note, ColumnNote)]
    for note in contents.notes:
        if note not in notes:
            warn(talk, note)
    remarks = [(note.column, str(note)) for note in notes if note.column not in given]
    found = inspect_table(contents.table, given).with_remarks(remarks)
    if talk.json:
        result_json({"data": data, "rows": found.n_rows, "columns": list(found.columns)})
        return
    result(cli_message(str(found)))
