"""The commands. Their modules import little: the library is imported by a command when it runs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated

import typer
from typer.core import TyperCommand

from treewright.cli.arguments.learner_options import LearnerCommand
from treewright.cli.commands import (
    byhand_command,
    compare_command,
    datasets_command,
    demo_command,
    doctor_command,
    draw_command,
    evaluate_command,
    explain_command,
    fit_command,
    importance_command,
    init_command,
    inspect_command,
    methods_command,
    plot_command,
    predict_command,
    prune_command,
    rank_command,
    report_command,
    rules_command,
    show_command,
    summary_command,
    teach_command,
)
from treewright.cli.settings_command import SettingsCommand

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


_add(inspect_command.inspect, "Show what the columns of a table are taken for.", inspect_command.EXAMPLES)
_add(init_command.init, "Write a settings file for fit, from a few questions.", init_command.EXAMPLES)
_add(fit_command.fit, "Learn a tree from a table, show it and test it.", fit_command.EXAMPLES, SettingsCommand)
_add(show_command.show, "Print the tree of a saved model.", show_command.EXAMPLES)
_add(summary_command.summary, "Print every node of a saved tree in all detail.", summary_command.EXAMPLES)
_add(draw_command.draw, "Draw the tree of a saved model.", draw_command.EXAMPLES)
_add(rules_command.rules, "Print a saved model as rules.", rules_command.EXAMPLES)
_add(explain_command.explain, "Say why a row is predicted as it is.", explain_command.EXAMPLES)
_add(importance_command.importance, "Rank the columns by how much a model needs them.", importance_command.EXAMPLES)
_add(predict_command.predict, "Predict every row of a table.", predict_command.EXAMPLES)
_add(evaluate_command.evaluate, "Compare predictions with what is known.", evaluate_command.EXAMPLES)
_add(report_command.report, "Write a report of a model as one page.", report_command.EXAMPLES)
_add(prune_command.prune, "Make a smaller tree of a saved one.", prune_command.EXAMPLES)
_add(
    compare_command.compare, "Cross-validate methods or models side by side.", compare_command.EXAMPLES, LearnerCommand
)
_add(byhand_command.byhand, "Make a model of a tree that is written in a file.", byhand_command.EXAMPLES)
_add(rank_command.rank, "Rank the columns of a table by every measure.", rank_command.EXAMPLES)
_add(plot_command.plot, "Draw a plot of a table or a model, or list the plots.", plot_command.EXAMPLES)
_add(methods_command.methods, "List the methods, or the options of one.", methods_command.EXAMPLES)
_add(datasets_command.datasets, "List the bundled tables, or print one.", datasets_command.EXAMPLES)
_add(teach_command.teach, "Step through a calculation by hand.", teach_command.EXAMPLES)
_add(demo_command.demo, "Show a first tree, its rules and its reasons.", demo_command.EXAMPLES)
_add(doctor_command.doctor, "Check that all that is needed is there and works.", doctor_command.EXAMPLES)
