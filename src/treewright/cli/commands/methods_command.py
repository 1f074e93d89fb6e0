"""``treewright methods``: the learners and pruners and their options, as the library has them."""

from __future__ import annotations

import shutil
import textwrap
from dataclasses import MISSING, fields
from typing import Annotated, Any

import typer

from treewright.cli.learner_options import Accepting, for_classes_only, options_of, written
from treewright.cli.output import columns, result, result_json
from treewright.cli.shared_options import Talk, with_options

EXAMPLES = """
\b
  treewright methods
  treewright methods c4.5
  treewright methods cost-complexity
"""
_NARROWEST = 30  # what is accepted gets so many letters at least


@with_options(talk=Talk)
def methods(
    method: Annotated[str | None, typer.Argument(help="A method whose options are shown.")] = None, *, talk: Talk
) -> None:
    """List the methods of learning and of pruning, or the options of one of them with what they accept.

    Options of learners are given to fit and compare as they stand here; those of pruning behind the method's name, as
    in --prune cost-complexity:alpha=0.01.
    """
    from treewright.model.learning_plan import pruning_names

    if method is None:
        _list(talk)
    elif method.lower() in pruning_names():
        _pruner(method.lower(), talk)
    else:
        _learner(method, talk)


def _list(talk: Talk) -> None:
    from treewright.model.fitting import estimators_of, presets
    from treewright.model.fitting import methods as known
    from treewright.model.learning_plan import pruning_names

    kinds = {name: [kind.__name__ for kind in estimators_of(name)] for name in known()}
    if talk.json:
        result_json({"methods": kinds, "presets": presets(), "pruning": pruning_names()})
        return
    rows = [("--method", "estimators"), *((name, ", ".join(found)) for name, found in kinds.items())]
    rows += [(name, f"{method} with the defaults of that program") for name, method in presets().items()]
    result(f"{columns(rows)}\n\npruning: {', '.join(pruning_names())}")


def _learner(method: str, talk: Talk) -> None:
    found = options_of(method)
    if talk.json:
        result_json({name: _record(kinds) for name, kinds in found.items()})
        return
    rows = [(written(name), _either([_shown(kind.default) for kind in kinds]), _words(method, name, kinds))
            for name, kinds in found.items()]  # fmt: skip
    result(_table(rows))


def _record(kinds: list[Accepting]) -> dict[str, Any]:
    """Beside what holds for classes, or for both, what holds for numbers if that is something else."""
    first, *other = ({"default": kind.default, "accepts": kind.words} for kind in kinds)
    return {**first, "for_numbers": other[0]} if other else first


def _words(method: str, name: str, kinds: list[Accepting]) -> str:
    words = _either([kind.words for kind in kinds])
    return f"{words} (classes only)" if for_classes_only(method, name) else words


def _either(words: list[str]) -> str:
    return "; for numbers ".join(dict.fromkeys(words))


def _pruner(method: str, talk: Talk) -> None:
    from treewright.prune.pruning_methods import METHODS

    found = {f.name: f.default for f in fields(METHODS[method]) if f.init}
    if talk.json:
        result_json({name: {"default": None if default is MISSING else default} for name, default in found.items()})
        return
    if not found:
        result(f"{method} has no options.")
        return
    rows = [(name, "must be given" if default is MISSING else _shown(default)) for name, default in found.items()]
    first = next(iter(found))
    result(f"{columns([('option', 'default'), *rows])}\n\nWritten as {method}:{first}=VALUE.")


def _shown(default: Any) -> str:
    words = {None: "none", True: "yes", False: "no"}
    if isinstance(default, tuple):
        return ",".join(map(str, default))
    return words[default] if default is None or isinstance(default, bool) else str(default)


def _table(rows: list[tuple[str, str, str]]) -> str:
    """What is accepted in as many lines as it takes."""
    head = [("option", "default", "accepts"), *rows]
    taken = sum(max(len(row[place]) for row in head) + 2 for place in (0, 1))
    room = max(_NARROWEST, shutil.get_terminal_size((120, 24)).columns - taken)
    lines = []
    for option, default, accepts in head:
        first, *more = textwrap.wrap(accepts, room)
        lines += [(option, default, first), *(("", "", line) for line in more)]
    return columns(lines)
