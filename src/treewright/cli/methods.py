"""``treewright methods``: the learners and their options, as the library has them."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from treewright.cli.learners import accepted, options_of
from treewright.cli.options import Talk, with_options
from treewright.cli.output import columns, result, result_json

EXAMPLES = """
\b
  treewright methods
  treewright methods c4.5
"""


@with_options(talk=Talk)
def methods(
    method: Annotated[str | None, typer.Argument(help="A method whose options are listed.")] = None, *, talk: Talk
) -> None:
    """List the methods of learning and of pruning, or the options of one learner with what they accept."""
    if method is None:
        _list(talk)
        return
    found = {name: (default, accepted(method, name)) for name, default in options_of(method).items()}
    if talk.json:
        result_json({name: {"default": default, "accepts": words} for name, (default, words) in found.items()})
        return
    rows = [("option", "default", "accepts")]
    rows += [(f"--{name.replace('_', '-')}", _shown(default), words) for name, (default, words) in found.items()]
    result(columns(rows))


def _shown(default: Any) -> str:
    return {None: "none", True: "yes", False: "no"}.get(default, str(default)) if _is_word(default) else str(default)


def _is_word(value: Any) -> bool:
    return value is None or isinstance(value, bool)


def _list(talk: Talk) -> None:
    from treewright.model.fitting import estimators_of
    from treewright.model.fitting import methods as known
    from treewright.model.plan import pruning_names

    kinds = {name: [kind.__name__ for kind in estimators_of(name)] for name in known()}
    if talk.json:
        result_json({"methods": kinds, "pruning": pruning_names()})
        return
    rows = [("--method", "estimators"), *((name, ", ".join(found)) for name, found in kinds.items())]
    result(f"{columns(rows)}\n\n--prune: {', '.join(pruning_names())}")
