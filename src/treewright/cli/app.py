"""The commands. Their modules import little: the library is imported by a command when it runs."""

from __future__ import annotations

import typer

from treewright.cli import explain, fit, predict, rules, show
from treewright.cli.learners import LearnerCommand

app = typer.Typer(
    name="treewright",
    help="Decision trees from the command line: learn, show, test, prune and predict.",
    no_args_is_help=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)


def _add(command: object, examples: str, cls: type | None = None) -> None:
    """The help of a command ends with examples, which a test runs."""
    app.command(cls=cls, epilog=f"Examples:\n{examples}")(command)  # type: ignore[arg-type]


_add(fit.fit, fit.EXAMPLES, LearnerCommand)
_add(predict.predict, predict.EXAMPLES)
_add(show.show, show.EXAMPLES)
_add(rules.rules, rules.EXAMPLES)
_add(explain.explain, explain.EXAMPLES)
