"""``treewright methods``: the learners and pruners and their options, as the library has them."""

from __future__ import annotations

import shutil
from dataclasses import MISSING, fields
from typing import Annotated, Any

import typer

from treewright.cli import completions
from treewright.cli.arguments.learner_options import options_of
from treewright.cli.arguments.option_table import learner_options_text, option_entry, option_record
from treewright.cli.arguments.option_values import typed
from treewright.cli.arguments.shared_options import Talk, with_options
from treewright.cli.output import columns, result, result_json, say
from treewright.option_text import Code

EXAMPLES = """
\b
  treewright methods
  treewright methods c4.5
  treewright methods cost-complexity
"""


IN_WORDS = {
    "adaboost": "many small trees, each learned where those before it err",
    "auto": "a small and accurate tree, searched for: what fit does if no method is named",
    "bagging": "many trees, each of rows drawn at random",
    "c4.5": "gain ratio, a branch for every level, pruned by estimated errors",
    "c4.5rules": "rules made from a C4.5 tree",
    "c5.0": "the successor of C4.5: a tree or rules, boosting, winnowing of columns",
    "cart": "binary splits by Gini, entropy or squared error",
    "chaid": "tests of significance; levels that do not differ are merged",
    "cubist": "rules with linear models",
    "extra-trees": "many trees whose cuts are drawn at random",
    "forest": "a random forest: many trees of rows and columns drawn at random",
    "id3": "information gain, a branch for every level",
    "knn": "no tree: the nearest rows decide",
    "m5": "a tree with a linear model at every leaf",
    "m5rules": "rules with linear models, made from trees of m5",
    "search": "the search of auto, with defaults that do not depend on the table",
    "tree": "the general tree: criterion, splits, leaves and stopping are options",
}


@with_options(talk=Talk)
def methods(
    method: Annotated[
        str | None,
        typer.Argument(autocompletion=completions.methods_and_pruning, help="A method whose options are shown."),
    ] = None,
    *,
    talk: Talk,
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
    from treewright.cli.arguments.learner_options import knows_classes, knows_numbers
    from treewright.model.fitting import estimators_of, presets
    from treewright.model.fitting import methods as known
    from treewright.model.learning_plan import pruning_names

    kinds = {name: [kind.__name__ for kind in estimators_of(name)] for name in known()}
    if talk.json:
        result_json({"methods": kinds, "presets": presets(), "pruning": pruning_names()})
        return

    def predicts(method: str) -> str:
        sides = {"classes": knows_classes(method), "numbers": knows_numbers(method)}
        return ", ".join(side for side, is_known in sides.items() if is_known)

    rows = [("--method", "predicts", "learns"), *((name, predicts(name), IN_WORDS[name]) for name in kinds)]
    rows += [
        (name, predicts(method), f"{method} with the defaults of that program") for name, method in presets().items()
    ]
    result(f"{columns(rows)}\n\npruning: {', '.join(pruning_names())}")
    say(talk, "\ntreewright methods NAME describes the options of one.")


def _learner(method: str, talk: Talk) -> None:
    if talk.json:
        result_json({name: option_record(kinds) for name, kinds in options_of(method).items()})
        return
    result(learner_options_text(method, _width()))


def _pruner(method: str, talk: Talk) -> None:
    from treewright.prune.pruning_methods import METHODS
    from treewright.prune.pruning_option_texts import TEXTS

    kind = METHODS[method]
    texts = TEXTS[kind.__name__]
    found = {f.name: f.default for f in fields(kind) if f.init}
    if talk.json:
        result_json({
            name: {"default": None if default is MISSING else default, "meaning": texts[name].meaning}
            for name, default in found.items()
        })  # fmt: skip
        return
    if not found:
        result(f"{method} has no options.")
        return
    result("\n".join(_pruning_option(method, name, default, texts[name]) for name, default in found.items()))


def _pruning_option(method: str, name: str, default: Any, text: Any) -> str:
    needed = "must be given" if default is MISSING else f"default {typed(default)}"
    example = "in Python only" if isinstance(text.example, Code) else f"{method}:{name}={typed(text.example)}"
    return option_entry(name, needed, text.meaning, example, _width())


def _width() -> int:
    return shutil.get_terminal_size((120, 24)).columns
