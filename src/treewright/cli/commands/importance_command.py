"""``treewright importance``: how much a model needs its columns."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from treewright.cli.arguments.shared_options import Reading, Talk, with_options
from treewright.cli.input_tables import remarks, rows_for
from treewright.cli.output import result, result_json
from treewright.cli.saved_models import ModelPath, load
from treewright.errors import OptionError

EXAMPLES = """
\b
  treewright importance loans.json
  treewright importance loans.json new.csv
  treewright importance forest.json loans.csv
  treewright importance forest.json new.csv --new-rows
  treewright importance forest.json loans.csv --how drop --group 'money=income,size'
"""


@with_options(reading=Reading, talk=Talk)
def importance(
    model: ModelPath,
    data: Annotated[str | None, typer.Argument(help="The table the model was learned from, or new rows.")] = None,
    how: Annotated[
        str | None,
        typer.Option(help="permutation, drop or impurity. [default: permutation with DATA, impurity without]"),
    ] = None,
    new_rows: Annotated[bool, typer.Option("--new-rows", help="DATA are rows the model was not learned from.")] = False,
    repeats: Annotated[int, typer.Option(min=1, help="How often columns are permuted.")] = 10,
    cv: Annotated[int, typer.Option(min=2, help="How many folds drop is cross-validated with.")] = 5,
    group: Annotated[
        list[str] | None, typer.Option(help="NAME=COLUMN,COLUMN: columns that count as one. May be repeated.")
    ] = None,
    weights: Annotated[str | None, typer.Option(help="A column of DATA that says how much each row counts.")] = None,
    *,
    reading: Reading,
    talk: Talk,
) -> None:
    """Rank the columns by how much a model needs them.

    impurity is the share of a column in what the splits gain. It favours columns of many values. permutation is by how
    much the error on the rows of DATA rises when a column is permuted among them; of a forest, whose DATA are the rows
    it was learned from, among those that each tree left out. drop is by how much the error rises when the model is
    learned without the column: by cross-validation or, of a forest, out of bag.
    """
    fitted, wanted = load(model), how or ("impurity" if data is None else "permutation")
    if not hasattr(fitted, "importance"):
        raise OptionError(f"{model!r} holds rules alone, which have no importance", "give the model they were made of")
    options: dict[str, Any] = {"groups": _groups(group or [])}
    if data is None:
        found = fitted.importance(_without_rows(wanted), **options)
    else:
        with remarks(talk):
            rows = rows_for(fitted, data, reading, weights)
        more = {"new_rows": new_rows} if hasattr(fitted, "members_") else {}
        with remarks(Talk(quiet=True)):  # about parts of a table
            found = fitted.importance(
                wanted, rows.frame, rows.target, rows.weights, repeats=repeats, cv=cv, **options, **more
            )
    result_json(found) if talk.json else result(str(found))


def _without_rows(how: str) -> str:
    if how != "impurity":
        raise OptionError(f"{how} importance needs rows, and none are given", "name the table after the model")
    return how


def _groups(texts: list[str]) -> dict[str, list[str]] | None:
    found: dict[str, list[str]] = {}
    for text in texts:
        name, equals, columns = text.partition("=")
        if not equals or not name or not columns:
            raise OptionError(f"--group {text!r} is not accepted", "write NAME=COLUMN,COLUMN")
        found[name.strip()] = [column.strip() for column in columns.split(",") if column.strip()]
    return found or None
