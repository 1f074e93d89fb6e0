"""``treewright compare``: methods, or models, side by side."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from treewright.cli.learners import check_names, given_options, value_of
from treewright.cli.models import load
from treewright.cli.options import Choosing, Reading, Talk, with_options
from treewright.cli.output import result, result_json, say
from treewright.cli.startup import settle
from treewright.cli.tables import Chosen, choose, remarks
from treewright.cli.values import named_options
from treewright.errors import OptionError

EXAMPLES = """
\b
  treewright compare iris.csv
  treewright compare loans.csv -t paid --methods c4.5,cart,cart:max_depth=3 --cv 5
  treewright compare loans.csv -t paid --models loans.json,smaller.json
"""


@with_options(choosing=Choosing, reading=Reading, talk=Talk)
def compare(
    context: typer.Context,
    data: Annotated[str, typer.Argument(help="A table to learn from.")],
    methods: Annotated[
        str | None, typer.Option(help="Methods, with options if you like, between commas. [default: all that suit]")
    ] = None,
    models: Annotated[str | None, typer.Option(help="Saved models between commas, learned anew from DATA.")] = None,
    cv: Annotated[int, typer.Option(min=2, help="Folds of the cross-validation.")] = 10,
    seed: Annotated[int, typer.Option(min=0, help="Decides how rows are dealt.")] = 0,
    *,
    choosing: Choosing,
    reading: Reading,
    talk: Talk,
) -> None:
    """Cross-validate several methods, or the methods of saved models, on the same folds.

    Each is tested against the first: p is how probable so large a difference would be between equals.
    """
    from treewright.model.evaluate import compare as compared
    from treewright.model.trial import Folds

    chosen = choose(data, reading, choosing, talk)
    settle()
    with remarks(talk):
        named, y = _models(chosen, methods, models, given_options(context))
        X = chosen.frame.without(chosen.frame.names.index(chosen.target))
        say(talk, f"Cross-validating {len(named)} models on {chosen.frame.n_rows:,} rows …")
        found = compared(named, X, y, Folds(cv, seed))
    if talk.json:
        result_json({"rows": found.rows, "errors": dict(zip(named, found.errors.tolist()))})
        return
    result(str(found))


def _models(chosen: Chosen, methods: str | None, models: str | None, options: dict[str, Any]) -> tuple[Any, Any]:
    from treewright.model.fitting import prepare

    if methods is not None and models is not None:
        raise OptionError("--methods and --models do not go together", "give one of them")
    if models is not None:
        return _saved(models.split(","), chosen)
    kinds = {"kinds": chosen.kinds or None}
    wanted = _suitable(chosen) if methods is None else _listed(methods)
    made = {
        text: prepare(chosen.frame, chosen.target, name, {**kinds, **options, **more}) for text, name, more in wanted
    }
    return {text: estimator for text, (estimator, _) in made.items()}, next(iter(made.values()))[1]


def _listed(methods: str) -> list[tuple[str, str, dict[str, Any]]]:
    import re

    texts = [text for text in re.split(r",(?!\w+=)", methods) if text]
    if not texts:
        raise OptionError(f"--methods {methods!r} names none", "for example --methods c4.5,cart")
    return [(text, *named_options(text)) for text in texts]


def _suitable(chosen: Chosen) -> list[tuple[str, str, dict[str, Any]]]:
    """All methods that know the target: classes or, if the target is a number, numbers."""
    from sklearn.base import is_classifier

    from treewright.model.fitting import methods, prepare

    kinds = {"kinds": chosen.kinds or None}
    found = {name: prepare(chosen.frame, chosen.target, name, kinds)[0] for name in methods()}
    numbers = [name for name, estimator in found.items() if not is_classifier(estimator)]
    return [(name, name, {}) for name in (numbers or found)]


def _saved(paths: list[str], chosen: Chosen) -> tuple[Any, Any]:
    """Models of the kinds that were saved, under the names of their files."""
    from sklearn.base import clone

    from treewright.data.cells import Numbers
    from treewright.model.fitting import prepare

    found = {Path(path).stem: clone(load(path)) for path in paths}
    _, y = prepare(chosen.frame, chosen.target, "cart", {"kinds": chosen.kinds or None})
    wanted = not isinstance(y.cells, Numbers)
    odd = [name for name, model in found.items() if hasattr(model, "predict_proba") != wanted]
    if odd:
        what = "classes" if wanted else "numbers"
        raise OptionError(f"the model {odd[0]!r} does not predict {what}, as the target wants", "choose another model")
    return found, y
