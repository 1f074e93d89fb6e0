"""``treewright compare``: methods, or models, side by side."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from treewright.cli.arguments.class_labels import classes_of, costs_option, with_classes
from treewright.cli.arguments.fold_option import METAVAR, FoldNumber, fold_number, folds_of
from treewright.cli.arguments.learner_options import (
    check_names,
    given_options,
    has_option,
    knows_classes,
    knows_numbers,
    value_of,
    written,
)
from treewright.cli.arguments.option_values import named_options
from treewright.cli.arguments.shared_options import Choosing, Reading, Talk, with_options
from treewright.cli.input_tables import Chosen, choose, remarks
from treewright.cli.output import progress, result, result_json, say
from treewright.cli.saved_models import load
from treewright.cli.startup import resume_collection
from treewright.errors import ModelFileError, OptionError

EXAMPLES = """
\b
  treewright compare iris.csv
  treewright compare loans.csv -t paid --methods c4.5,cart,cart:max_depth=3 --cv 5
  treewright compare loans.csv -t paid --models loans.json,smaller.json
  treewright compare loans.csv -t paid --costs costs.csv --methods cart,c4.5
  treewright compare loans.csv -t paid --methods cart,forest:n_trees=50,adaboost --cv 5
"""
_USUAL_FOLDS = 10
# Is what its options make of it, and CART without any; and takes many times as long as others.
_WHEN_NAMED = ("tree", "search", "auto")
_MEASURES = {
    "error": "share of wrong predictions",
    "squared error": "mean squared error",
    "cost": "mean cost of a prediction",
}


@with_options(choosing=Choosing, reading=Reading, talk=Talk)
def compare(
    context: typer.Context,
    data: Annotated[str, typer.Argument(help="A table to learn from.")],
    methods: Annotated[
        str | None,
        typer.Option(help="Methods, with options if you like, between commas. [default: all of one tree that suit]"),
    ] = None,
    models: Annotated[
        str | None, typer.Option(help="Saved models between commas, learned anew from all of DATA.")
    ] = None,
    costs: Annotated[str | None, typer.Option(help="A file that says what errors cost; rows are the truth.")] = None,
    cv: Annotated[
        FoldNumber | None,
        typer.Option(
            parser=fold_number,
            metavar=METAVAR,
            help="Folds of the cross-validation; loo leaves one row out. [default: 10, or as many as rows]",
        ),
    ] = None,
    seed: Annotated[int, typer.Option(min=0, help="The random seed of the folds.")] = 0,
    *,
    choosing: Choosing,
    reading: Reading,
    talk: Talk,
) -> None:
    """Cross-validate several methods, or the methods of saved models, on the same folds.

    Each is tested against the first: p is how probable so large a difference would be between equals. The error is the
    share of wrong predictions, the mean squared error or, with --costs, the mean cost of a prediction.
    """
    from treewright.data.labelled import labelled
    from treewright.model.evaluate import compare as compared

    chosen = choose(data, reading, choosing, talk)
    resume_collection()
    with remarks(talk):
        named, y, error_costs = _models(chosen, methods, models, given_options(context), costs, talk)
        X = chosen.frame.without(chosen.frame.names.index(chosen.target))
        is_classifier = hasattr(next(iter(named.values())), "predict_proba")
        n_rows = labelled(X, y, is_classifier=is_classifier, sample_weight=chosen.weights).n_rows
    folds = folds_of(cv, _USUAL_FOLDS, n_rows, seed)
    say(talk, f"Cross-validating {len(named)} models on {n_rows:,} rows, {folds.n_folds} folds …")
    with remarks(Talk(quiet=True)), progress(talk):  # about parts of the table
        found = compared(named, X, y, folds, sample_weight=chosen.weights, costs=error_costs)
    measure = "cost" if error_costs is not None else "error" if is_classifier else "squared error"
    if talk.json:
        result_json({"rows": found.rows, "errors": dict(zip(named, found.errors.tolist())), "measure": measure})
        return
    say(talk, f"Below, the error is the {_MEASURES[measure]}.")
    result(str(found))


def _models(
    chosen: Chosen, methods: str | None, models: str | None, given: dict[str, Any], costs: str | None, talk: Talk
) -> tuple[dict[str, Any], Any, Any]:
    """The models by name, the target as they see it, and what errors cost."""
    if methods is not None and models is not None:
        raise OptionError("--methods and --models do not go together", "give one of them")
    if models is not None:
        return _saved(models, chosen, given, costs, talk)
    asked = {**given, **({} if costs is None else {"costs": costs})}
    wanted = _suitable(chosen, asked) if methods is None else _named_methods(methods)
    classes = classes_of(chosen, wanted[0][1])
    options = {**with_classes(given, chosen, classes), **costs_option(costs, chosen, classes, talk)}
    more = {text: with_classes(its_own, chosen, classes) for text, _, its_own in wanted}
    made = {text: _made(chosen, name, {**options, **more[text]}) for text, name, _ in wanted}
    y = next(iter(made.values()))[1]
    return {text: estimator for text, (estimator, _) in made.items()}, y, options.get("costs")


def _made(chosen: Chosen, method: str, options: dict[str, Any]) -> tuple[Any, Any]:
    from treewright.model.fitting import prepare

    check_names(method, options)
    return prepare(chosen.frame, chosen.target, method, {**options, "kinds": chosen.kinds or None})


def _named_methods(methods: str) -> list[tuple[str, str, dict[str, Any]]]:
    import re

    texts = [text for text in re.split(r",(?!\w+=)", methods) if text]
    if not texts:
        raise OptionError(f"--methods {methods!r} names none", "for example --methods c4.5,cart")
    _refuse_twice(texts)
    return [(text, *named_options(text, value_of)) for text in texts]


def _refuse_twice(names: list[str]) -> None:
    twice = [name for name in names if names.count(name) > 1]
    if twice:
        raise OptionError(f"{twice[0]!r} is named twice", "name it once")


def _suitable(chosen: Chosen, given: dict[str, Any]) -> list[tuple[str, str, dict[str, Any]]]:
    """All methods of one tree that have the options given and know the target: classes or, if it is one, a number."""
    from treewright.model.fitting import is_ensemble, methods

    known = [name for name in methods() if name not in _WHEN_NAMED and not is_ensemble(name)]
    having = [name for name in known if all(has_option(name, option) for option in given)]
    is_number = classes_of(chosen, "cart") is None
    found = [name for name in having if (knows_numbers(name) if is_number else knows_classes(name))]
    if not found:
        raise OptionError(f"no method has {' and '.join(map(written, given))}", "see treewright methods")
    return [(name, name, {}) for name in found]


def _saved(
    models: str, chosen: Chosen, given: dict[str, Any], costs: str | None, talk: Talk
) -> tuple[dict[str, Any], Any, Any]:
    """Models of the kinds that were saved, under the names of their files; they are what their options make them."""
    if given:
        raise OptionError(
            f"{written(next(iter(given)))} does not go with --models", "saved models keep the options they have"
        )
    paths = [path for path in models.split(",") if path]
    _refuse_twice(paths)
    stems = [Path(path).stem for path in paths]
    found = {path if stems.count(stem) > 1 else stem: _unfitted(path) for path, stem in zip(paths, stems)}
    if not found:
        raise OptionError(f"--models {models!r} names none", "for example --models loans.json,smaller.json")
    y = _made(chosen, "cart", {})[1]
    classes = classes_of(chosen, "cart")
    odd = [name for name, model in found.items() if hasattr(model, "predict_proba") != (classes is not None)]
    if odd:
        what = "numbers" if classes is None else "classes"
        raise OptionError(f"the model {odd[0]!r} does not predict {what}, as the target wants", "choose another model")
    error_costs = costs_option(costs, chosen, classes, talk).get("costs")
    return found, y, _common_costs(found) if costs is None else error_costs


def _unfitted(path: str) -> Any:
    from sklearn.base import clone

    model = load(path)
    if not hasattr(model, "get_params"):
        raise ModelFileError(f"{path!r} holds rules alone, which cannot be learned anew", "name the model of a learner")
    return clone(model)


def _common_costs(models: dict[str, Any]) -> Any:
    """What errors cost, if all models say the same."""
    first, *others = (model.get_params(deep=False).get("costs") for model in models.values())
    return first if all(other == first for other in others) else None
