"""``treewright show``: the tree of a saved model."""

from __future__ import annotations

import shutil
import sys
from typing import Annotated, Any

import typer

from treewright.cli.arguments.shared_options import Talk, with_options
from treewright.cli.output import result, result_json
from treewright.cli.saved_models import ModelPath, held, load, rules_in, rules_record, schema_of, text_of
from treewright.errors import ModelFileError, OptionError

_MOST_LINES = 200
EXAMPLES = """
\b
  treewright show loans.json
  treewright show loans.json --depth 2 --width 80
  treewright show loans.json --counts
  treewright show loans.json --command
"""


@with_options(talk=Talk)
def show(
    model: ModelPath,
    depth: Annotated[int | None, typer.Option(min=0, help="Fold what is deeper.")] = None,
    width: Annotated[int | None, typer.Option(min=20, help="Shorten longer lines. [default: the terminal's]")] = None,
    lines: Annotated[
        int | None, typer.Option(min=1, help="Fold the smallest branches beyond this many lines. [default: 200]")
    ] = None,
    counts: Annotated[
        bool, typer.Option("--counts", help="Tell at every node how many rows of each class it has.")
    ] = False,
    command: Annotated[
        bool, typer.Option("--command", help="Print the command that made the model, and nothing else.")
    ] = False,
    *,
    talk: Talk,
) -> None:
    """Print the tree of a saved model.

    A line per node, the answer of a leaf behind its test. Numbers in brackets name the nodes, as in rules and
    predictions. The rows that were learned from stand in parentheses, with the share that is predicted wrongly.
    """
    fitted = load(model)
    if command:
        _show_command(fitted, model, talk)
        return
    if talk.json:
        if (depth, width, lines, counts) != (None, None, None, False):
            raise OptionError("--json has the whole tree", "leave --depth, --width, --lines and --counts out")
        result_json(_record(fitted))
        return
    if width is None and sys.stdout.isatty():
        width = shutil.get_terminal_size().columns
    unfold = "a greater --lines" if depth is None else "a greater --depth or --lines"
    if counts and not hasattr(fitted, "tree_"):
        raise OptionError(f"--counts is for trees, and {model!r} holds {held(fitted)}", "leave it out")
    more = {"counts": True} if counts else {}
    result(text_of(fitted, unfold, depth=depth, width=width, max_lines=lines or _MOST_LINES, **more))


def _show_command(fitted: Any, path: str, talk: Talk) -> None:
    origin = fitted.__dict__.get("origin_")
    if origin is None:
        raise ModelFileError(
            f"{path!r} does not say what made it: it holds rules alone, or an older treewright wrote it",
            "save the model again",
        )
    result_json(origin) if talk.json else result(str(origin))


def _record(fitted: Any) -> dict[str, Any]:
    from treewright.tree.io import schema_to_json, tree_to_json

    rules, schema = rules_in(fitted), schema_of(fitted)
    found: dict[str, Any]
    if rules is not None:
        found = {"rules": rules_record(rules)}
    elif hasattr(fitted, "tree_"):
        found = {"tree": tree_to_json(fitted.tree_, schema)}
    else:
        found = fitted.sizes()
    return {"estimator": type(fitted).__name__, "schema": schema_to_json(schema), **found}
