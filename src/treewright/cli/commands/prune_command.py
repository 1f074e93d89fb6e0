"""``treewright prune``: a smaller model of a saved one."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from treewright.cli import completions
from treewright.cli.arguments.fold_option import METAVAR, FoldNumber, fold_number, folds_of
from treewright.cli.arguments.pruning_argument import pruning_hints, read_pruning
from treewright.cli.arguments.shared_options import Reading, Talk, with_options
from treewright.cli.input_tables import remarks, rows_for
from treewright.cli.output import progress, result, result_json, say
from treewright.cli.output_file import check_place
from treewright.cli.saved_models import ModelPath, load_tree, model_made_by, text_of
from treewright.cli.typed_command import typed_command
from treewright.errors import OptionError

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
        str,
        typer.Option(
            "--method",
            "-m",
            autocompletion=completions.pruning,
            help="Such as pessimistic, reduced-error or cost-complexity:alpha=0.01.",
        ),
    ],
    data: Annotated[str | None, typer.Option(help="Rows to choose with, for methods that need some.")] = None,
    cv: Annotated[
        FoldNumber | None,
        typer.Option(
            parser=fold_number,
            metavar=METAVAR,
            help="Choose by cross-validation over DATA, the rows that were learned from; loo leaves one row out.",
        ),
    ] = None,
    seed: Annotated[int, typer.Option(min=0, help="The random seed of the folds.")] = 0,
    weights: Annotated[str | None, typer.Option(help="A column of DATA that says how much each row counts.")] = None,
    output: Annotated[str | None, typer.Option("--output", "-o", help="Save the smaller model here.")] = None,
    *,
    reading: Reading,
    talk: Talk,
) -> None:
    """Make a smaller tree of a saved one, say what was cut, and show it. MODEL stays as it is."""
    check_place(output, model, data)
    fitted = load_tree(model)
    name, options = read_pruning(method)
    with remarks(talk), progress(talk), pruning_hints(data):
        smaller = fitted.prune(name, **_rows(fitted, data, weights, cv, seed, reading), **options)
    smaller = model_made_by(smaller, typed_command())
    if output is not None:
        smaller.save(output)
    if talk.json:
        result_json({"pruned": smaller.pruned_, "saved": output})
        return
    result(f"{smaller.pruned_}\n\n{text_of(smaller, 'treewright show')}")
    say(talk, f"\nSaved as {output}." if output else "\nNot saved: give -o smaller.json to keep the tree.")


def _rows(
    fitted: Any, data: str | None, weights: str | None, cv: FoldNumber | None, seed: int, reading: Reading
) -> dict[str, Any]:
    if data is None:
        for given, option in ((cv, "--cv"), (weights, "--weights")):
            if given is not None:
                raise OptionError(f"{option} needs rows", "name those that were learned from with --data")
        return {}
    rows = rows_for(fitted, data, reading, weights)
    found = {"X_val": rows.frame, "y_val": rows.target, "sample_weight": rows.weights}
    return found if cv is None else {**found, "cv": folds_of(cv, rows.n_rows, rows.n_rows, seed)}
