"""The commands. Their modules import little: the library is imported by a command when it runs."""

from __future__ import annotations

from collections.abc import Callable

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
    help="Decision trees from the command line: learn, show, test, prune and predict.",
    no_args_is_help=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)


def _add(command: Callable[..., None], examples: str, cls: type[TyperCommand] | None = None) -> None:
    """The help of a command ends with examples, which a test runs."""
    app.command(cls=cls, epilog=f"Examples:\n{examples}")(command)


_add(fit.fit, fit.EXAMPLES, LearnerCommand)
_add(show.show, show.EXAMPLES)
_add(rules.rules, rules.EXAMPLES)
_add(explain.explain, explain.EXAMPLES)
_add(predict.predict, predict.EXAMPLES)
_add(evaluate.evaluate, evaluate.EXAMPLES)
_add(prune.prune, prune.EXAMPLES)
_add(compare.compare, compare.EXAMPLES, LearnerCommand)
_add(rank.rank, rank.EXAMPLES)
_add(methods.methods, methods.EXAMPLES)
_add(datasets.datasets, datasets.EXAMPLES)
_add(teach.teach, teach.EXAMPLES)
_add(demo.demo, demo.EXAMPLES)
_add(doctor.doctor, doctor.EXAMPLES)
