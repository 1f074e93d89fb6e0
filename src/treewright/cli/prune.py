"""``treewright prune``: a smaller model of a saved one."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Annotated, Any

import typer

from treewright.cli.files import check_place
from treewright.cli.models import ModelPath, load
from treewright.cli.options import Reading, Talk, with_options
from treewright.cli.output import result, result_json, say
from treewright.cli.tables import remarks, rows_for
from treewright.cli.values import named_options
from treewright.errors import OptionError, unknown

EXAMPLES = """
\b
  treewright prune loans.json --method pessimistic -o smaller.json
  treewright prune loans.json --method reduced-error --data new.csv -o smaller.json
  treewright prune loans.json --method cost-complexity --data loans.csv --cv 10
  treewright prune loans.json --method depth:depth=2
  treewright prune loans.json --method nodes:nodes=1
"""


@with_options(reading=Reading, talk=Talk)
def prune(
    model: ModelPath,
    method: Annotated[
        str, typer.Option("--method", "-m", help="Such as pessimistic, reduced-error or cost-complexity:alpha=0.01.")
    ],
    data: Annotated[str | None, typer.Option(help="Rows to choose with, for methods that need some.")] = None,
    cv: Annotated[
        int | None, typer.Option(help="Choose by cross-validation over DATA, the rows that were learned from.")
    ] = None,
    output: Annotated[str | None, typer.Option("--output", "-o", help="Save the smaller model here.")] = None,
    *,
    reading: Reading,
    talk: Talk,
) -> None:
    """Make a smaller tree of a saved one, say what was cut, and show it. MODEL stays as it is."""
    check_place(output, model, data)
    fitted = load(model)
    name, options = _method(method)
    with remarks(talk), _hints(data):
        smaller = fitted.prune(name, **_rows(fitted, data, cv, reading), **options)
    if output is not None:
        smaller.save(output)
    if talk.json:
        result_json({"pruned": smaller.pruned_, "saved": output})
        return
    result(f"{smaller.pruned_}\n\n{smaller.to_text()}")
    say(talk, f"\nSaved as {output}." if output else "\nNot saved: give -o smaller.json to keep the tree.")


@contextmanager
def _hints(data: str | None) -> Iterator[None]:
    """Where the library asks for rows, the command line has an option."""
    try:
        yield
    except OptionError as error:
        if data is None and re.search("X_val|pass them", error.hint or ""):
            raise OptionError(error.problem, "name a file with the rows with --data") from error
        raise


def _method(text: str) -> tuple[str, dict[str, Any]]:
    from treewright.prune.methods import METHODS

    name, options = named_options(text)
    known = [method for method in METHODS if method != "where"]  # that one wants a function
    if name not in known:
        raise unknown("pruning method", name, known)
    return name, options


def _rows(fitted: Any, data: str | None, cv: int | None, reading: Reading) -> dict[str, Any]:
    if data is None:
        if cv is not None:
            raise OptionError("--cv needs the rows that were learned from", "name them with --data")
        return {}
    rows = rows_for(fitted, data, reading)
    found = {"X_val": rows.frame, "y_val": rows.target}
    return found if cv is None else {**found, "cv": cv}
