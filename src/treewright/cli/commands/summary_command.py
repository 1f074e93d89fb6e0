"""``treewright summary``: a tree in all detail."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from treewright.cli.arguments.fold_option import METAVAR, FoldNumber, fold_number, folds_of
from treewright.cli.arguments.shared_options import Reading, Talk, with_options
from treewright.cli.input_tables import remarks, rows_for
from treewright.cli.output import progress, result, result_json
from treewright.cli.saved_models import ModelPath, load_tree
from treewright.cli.startup import resume_collection
from treewright.errors import OptionError

EXAMPLES = """
\b
  treewright summary loans.json
  treewright summary loans.json --data loans.csv --cv 10
  treewright summary loans.json --data loans.csv --node 0 --node 2
"""


@with_options(reading=Reading, talk=Talk)
def summary(
    model: ModelPath,
    data: Annotated[
        str | None, typer.Option(help="The rows that were learned from: for competing splits, and for --cv.")
    ] = None,
    cv: Annotated[
        FoldNumber | None,
        typer.Option(
            parser=fold_number,
            metavar=METAVAR,
            help="Cross-validate the table of CP over DATA with this many folds; loo leaves one row out in turn.",
        ),
    ] = None,
    seed: Annotated[int, typer.Option(min=0, help="The random seed of the folds.")] = 0,
    weights: Annotated[str | None, typer.Option(help="A column of DATA that says how much each row counts.")] = None,
    node: Annotated[list[int] | None, typer.Option(help="Only this node; may be repeated. [default: all]")] = None,
    *,
    reading: Reading,
    talk: Talk,
) -> None:
    """Print every node of a saved tree in all detail, as summary and printcp of R's rpart do.

    First what the tree is, costs and priors included; then the table of CP: every tree of the cost-complexity sequence
    with its training error and, where it is known, its error on rows left out (xerror) and the standard error of that
    (xstd), relative to the error of the root. Then the importance of the columns. Then the nodes: rows, counts of the
    classes, the split, the splits that competed with it, and surrogates.

    A model file has no rows, so that competing splits need --data. It has xerror if the tree was pruned by
    cost-complexity with --cv or with rows held out; else give --data and --cv. The end says what is not told.
    """
    from dataclasses import replace

    from treewright.model.shown.tree_summary import COMPETITORS, LEFT_OUT, summarize

    fitted = load_tree(model)
    found = _rows(fitted, data, weights, cv, seed, reading, talk)
    resume_collection()
    with remarks(talk), progress(talk):
        made = summarize(fitted, **found, nodes=node or None)
    how = {
        COMPETITORS: "a model file has no rows; name those that were learned from with --data",
        LEFT_OUT: "give --data and --cv 10, or prune by cost-complexity with --cv, which keeps them in the file",
    }
    made = replace(made, not_told={what: how[what] for what in made.not_told})
    result_json(made.to_dict()) if talk.json else result(str(made))


def _rows(
    fitted: Any, data: str | None, weights: str | None, cv: FoldNumber | None, seed: int, reading: Reading, talk: Talk
) -> dict[str, Any]:
    if data is None:
        for given, option in ((cv, "--cv"), (weights, "--weights")):
            if given is not None:
                raise OptionError(f"{option} needs rows", "name those that were learned from with --data")
        return {}
    with remarks(talk):
        rows = rows_for(fitted, data, reading, weights)
    folds = None if cv is None else folds_of(cv, rows.n_rows, rows.n_rows, seed)
    return {"X": rows.frame, "y": rows.target, "sample_weight": rows.weights, "cv": folds}
