"""``treewright datasets``: the bundled tables."""

from __future__ import annotations

import csv
import io
from typing import Annotated, Any

import typer

from treewright.cli import completions
from treewright.cli.arguments.shared_options import Talk, with_options
from treewright.cli.output import columns, result, result_json, say
from treewright.cli.output_file import replacing

EXAMPLES = """
\b
  treewright datasets
  treewright datasets play_tennis
  treewright datasets play_tennis -o tennis.csv
"""


@with_options(talk=Talk)
def datasets(
    name: Annotated[
        str | None, typer.Argument(autocompletion=completions.tables, help="A table to print, as CSV.")
    ] = None,
    output: Annotated[str | None, typer.Option("--output", "-o", help="Write the table here.")] = None,
    *,
    talk: Talk,
) -> None:
    """List the small tables that come with treewright, or print one of them."""
    from treewright import datasets as tables
    from treewright.errors import OptionError

    if name is None:
        if output is not None:
            raise OptionError("-o needs the name of a table", f"there are {', '.join(tables.names())}")
        _list([tables.load(each) for each in tables.names()], talk)
        return
    table = tables.load(name)
    if talk.json:
        result_json(table)
        return
    with replacing(output) as file:
        file.write(_csv(table.columns).encode())
    if output is not None:
        say(talk, f"Saved as {output}. Its target is {table.target!r}.")


def _list(found: list[Any], talk: Talk) -> None:
    if talk.json:
        result_json(
            [{"name": t.name, "rows": len(t.y), "target": t.target, "description": t.description} for t in found]
        )
        return
    rows = [
        ("name", "rows", "target", "what it is"),
        *((t.name, str(len(t.y)), t.target, t.description) for t in found),
    ]
    result(columns(rows, right=[1]))


def _csv(table: dict[str, list[Any]]) -> str:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(table)
    writer.writerows(zip(*table.values()))
    return text.getvalue()
