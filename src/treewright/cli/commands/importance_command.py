"""``treewright importance``: how much a model needs its columns."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from treewright.cli.input_tables import remarks, rows_for
from treewright.cli.output import result, result_json
from treewright.cli.saved_models import ModelPath, is_ensemble, load
from treewright.cli.shared_options import Reading, Talk, with_options
from treewright.errors import OptionError

EXAMPLES = """
\b
  treewright importance loans.json
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
    repeats: Annotated[int, typer.Option(min=1, help="How often columns of new rows are permuted.")] = 10,
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
    much the error of a forest rises when a column is permuted, among rows that its trees did not learn from. drop is by
    how much the error out of bag rises when the forest is learned without the column.
    """
    fitted, wanted = load(model), how or ("impurity" if data is None else "permutation")
    if not is_ensemble(fitted):
        found = _of_tree(fitted, wanted)
    elif data is None:
        found = fitted.importance(_without_rows(wanted), groups=_groups(group or []))
    else:
        with remarks(talk):
            rows = rows_for(fitted, data, reading, weights)
        found = fitted.importance(
            wanted, rows.frame, rows.target, rows.weights, groups=_groups(group or []), new_rows=new_rows,
            repeats=repeats,
        )  # fmt: skip
    result_json(found) if talk.json else result(str(found))


def _of_tree(fitted: Any, how: str) -> Any:
    import numpy as np

    from treewright.ensemble.importance_methods import ColumnImportances

    if how != "impurity" or not hasattr(fitted, "feature_importances_"):
        raise OptionError(
            f"{type(fitted).__name__} has no {how} importance", "learn a forest, or give the model of a tree alone"
        )
    shares = fitted.feature_importances_
    return ColumnImportances(how, fitted.schema_.names, shares, np.full(len(shares), np.nan))


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
