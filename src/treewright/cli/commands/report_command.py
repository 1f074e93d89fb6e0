"""``treewright report``: all about a saved model on some rows, as one page."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Annotated

import typer

from treewright.cli.arguments.shared_options import Reading, Talk, with_options
from treewright.cli.input_tables import remarks, rows_for
from treewright.cli.output import result_json, say
from treewright.cli.output_file import check_place
from treewright.cli.saved_models import ModelPath, load
from treewright.errors import ModelFileError, OptionError

EXAMPLES = """
\b
  treewright report loans.json new.csv -o report.html
"""


@with_options(reading=Reading, talk=Talk)
def report(
    model: ModelPath,
    data: Annotated[str, typer.Argument(help="A table with the model's columns and its target.")],
    output: Annotated[str, typer.Option("--output", "-o", help="The page to write.")],
    weights: Annotated[str | None, typer.Option(help="A column of DATA that says how much each row counts.")] = None,
    *,
    reading: Reading,
    talk: Talk,
) -> None:
    """Write a report of a model: one page of HTML that needs no other file and prints well.

    A summary of the rows, metrics, confusion, the interactive tree, rules, the errors of smaller trees, a ranking of
    the columns, warnings, and how it was made. The rows should not be those the model was learned from.
    """
    from treewright.model.shown.model_report import write_report

    check_place(output, model, data)
    if Path(output).suffix.lower() not in ("", ".html", ".htm"):
        raise OptionError(f"a report is a page of HTML, and {output!r} is none", "name it .html; a browser prints it")
    fitted = load(model)
    if not hasattr(fitted, "report") or not hasattr(fitted, "schema_"):
        raise ModelFileError(f"{model!r} holds rules without their learner", "name a model that treewright fit saved")
    with remarks(talk):
        rows = rows_for(fitted, data, reading, weights)
        write_report(
            fitted, output, rows.frame, rows.target, sample_weight=rows.weights,
            command=_again(model, data, output, weights, reading),
        )  # fmt: skip
    if talk.json:
        result_json({"saved": output, "rows": rows.n_rows})
        return
    say(talk, f"Report on {rows.n_rows:,} rows saved as {output}")


def _again(model: str, data: str, output: str, weights: str | None, reading: Reading) -> str:
    """The command that writes this report."""
    words = ["treewright", "report", model, data, "-o", output]
    words += [] if weights is None else ["--weights", weights]
    for name, value in vars(reading).items():
        option = f"--{name.replace('_', '-')}"
        if value is True:
            words.append(option)
        for one in value if isinstance(value, list) else [] if value in (None, False, True) else [value]:
            words += [option, str(one)]
    return shlex.join(words)
