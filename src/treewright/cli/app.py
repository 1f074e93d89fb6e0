"""The commands. Their modules import little: the library is imported by a command when it runs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated

import typer
from typer.core import TyperCommand

from treewright.cli import (
    compare,
    datasets,
    demo,
    doctor,
    evaluate,
    explain,
    fit,
    methods,
    predict,
    prune,
    rank,
    rules,
    show,
    teach,
)
from treewright.cli.learners import LearnerCommand

app = typer.Typer(
    name="treewright",
    no_args_is_help=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)


def _print_version(wanted: bool) -> None:
    if wanted:
        import treewright

        print(f"treewright {treewright.__version__}")
        raise typer.Exit


@app.callback(help="Decision trees from the command line: learn, show, test, prune and predict.")
def _treewright(
    version: Annotated[
        bool, typer.Option("--version", help="Print the version and exit.", callback=_print_version, is_eager=True)
    ] = False,
) -> None:
    """Options that stand before a command."""


def _add(command: Callable[..., None], summary: str, examples: str, cls: type[TyperCommand] = TyperCommand) -> None:
    """A command under its own name, with its line in the list. Its help ends with examples, which a test runs."""
    app.command(cls=cls, short_help=summary, epilog=f"Examples:\n{examples}")(command)


_add(fit.fit, "Learn a tree from a table, show it and test it.", fit.EXAMPLES, LearnerCommand)
_add(show.show, "Print the tree of a saved model.", show.EXAMPLES)
_add(rules.rules, "Print a saved model as rules.", rules.EXAMPLES)
_add(explain.explain, "Say why a row is predicted as it is.", explain.EXAMPLES)
_add(predict.predict, "Predict every row of a table.", predict.EXAMPLES)
_add(evaluate.evaluate, "Compare predictions with what is known.", evaluate.EXAMPLES)
_add(prune.prune, "Make a smaller tree of a saved one.", prune.EXAMPLES)
_add(compare.compare, "Cross-validate methods or models side by side.", compare.EXAMPLES, LearnerCommand)
_add(rank.rank, "Rank the columns of a table by every measure.", rank.EXAMPLES)
_add(methods.methods, "List the methods, or the options of one.", methods.EXAMPLES)
_add(datasets.datasets, "List the bundled tables, or print one.", datasets.EXAMPLES)
_add(teach.teach, "Step through a calculation by hand.", teach.EXAMPLES)
_add(demo.demo, "Show a first tree, its rules and its reasons.", demo.EXAMPLES)
_add(doctor.doctor, "Check that all that is needed is there and works.", doctor.EXAMPLES)
