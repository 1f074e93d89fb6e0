"""``treewright fit``: from a file to a tested tree."""

from __future__ import annotations

import textwrap
from dataclasses import dataclass
from typing import Annotated, Any

import typer

from treewright.cli import completions
from treewright.cli.arguments.class_labels import classes_of, costs_option, with_classes
from treewright.cli.arguments.fold_option import METAVAR, FoldNumber, check_folds, fold_number
from treewright.cli.arguments.learner_options import check_names, given_options
from treewright.cli.arguments.pruning_argument import read_pruning
from treewright.cli.arguments.shared_options import Choosing, Reading, Talk, with_options
from treewright.cli.input_tables import Chosen, choose, describe, remarks, rows_for
from treewright.cli.metrics_text import meaning, metrics_text
from treewright.cli.output import progress, result, result_json, say, warn
from treewright.cli.output_file import check_place
from treewright.cli.saved_models import model_made_by, rules_in, text_of
from treewright.cli.settings_command import unused_variables, used_settings
from treewright.cli.startup import resume_collection
from treewright.cli.typed_command import typed_command
from treewright.errors import OptionError

_FOLDED_ROWS = 20_000  # up to which rows are cross-validated without being asked
_FOLDED_SEARCHES = 1_000  # … if each fold is a search that cross-validates as well
_HELD_OUT_CELLS = 50_000_000  # up to which a part is held out without being asked
_DEFAULT_FOLDS, _DEFAULT_SHARE = 10, 0.2
_WIDTH = 100  # of a paragraph
_LEAST_LEARNED = 2  # rows
_AUTOMATIC, _TO_PRUNE = "auto", "cart"  # methods where none is named

EXAMPLES = """
\b
  treewright fit iris.csv
  treewright fit tennis.csv --target play --drop day --method id3
  treewright fit loans.csv -t paid --method c4.5 --confidence 0.1 -o loans.json
  treewright fit loans.csv -t paid --prune cost-complexity --cv 5
  treewright fit loans.csv -t paid --kinds 'size=S<M<L' --max-depth 4 --class-weight balanced
  treewright fit loans.csv -t paid --costs costs.csv --missing learned
  treewright fit rent.csv -t rent --test-size 0.3 --min-rows-leaf 5
  treewright fit loans.csv -t paid --method forest --n-trees 50 -o forest.json
  treewright fit loans.csv -t paid --method knn --k auto --metric gower
  treewright fit --config settings.toml --max-depth 3
"""


@dataclass(frozen=True)
class Validation:
    """How the tree is to be tested."""

    test_size: Annotated[float | None, typer.Option(help="Test on this share of the rows, learned without them.")] = (
        None
    )
    test: Annotated[str | None, typer.Option(help="Test the tree on the rows of another file.")] = None
    cv: Annotated[
        FoldNumber | None,
        typer.Option(
            parser=fold_number,
            metavar=METAVAR,
            help="Cross-validate with this many folds; loo leaves one row out in turn, 0 is none.",
        ),
    ] = None
    seed: Annotated[int, typer.Option(min=0, help="The random seed of the folds and of the hold-out.")] = 0


@with_options(validation=Validation, choosing=Choosing, reading=Reading, talk=Talk)
def fit(
    context: typer.Context,
    data: Annotated[
        str, typer.Argument(help="A file, a pattern in quotes, a database's URL, or - for standard input.")
    ],
    method: Annotated[
        str | None,
        typer.Option(
            "--method",
            "-m",
            autocompletion=completions.methods,
            help="See: treewright methods. [default: auto, with --prune cart]",
        ),
    ] = None,
    prune: Annotated[
        str | None,
        typer.Option(autocompletion=completions.pruning, help="A method, such as cost-complexity:cv=5, or none."),
    ] = None,
    costs: Annotated[str | None, typer.Option(help="A file that says what errors cost; rows are the truth.")] = None,
    output: Annotated[str | None, typer.Option("--output", "-o", help="Save the model here, as JSON.")] = None,
    config: Annotated[
        str | None, typer.Option(help="A settings file: options as TOML, such as treewright init writes.")
    ] = None,
    *,
    validation: Validation,
    choosing: Choosing,
    reading: Reading,
    talk: Talk,
) -> None:
    """Learn a tree from a table, show it, and say how well it predicts new rows.

    The tree is learned from all rows of DATA; if --prune needs rows that the tree has not seen, from 70 % of
    them. Metrics come from trees learned in the same way without the rows they are tested on: by cross-validation up to
    20,000 rows (1,000 if trees are searched for), else on a fifth of the rows, unless you say otherwise.

    The method auto searches for a small and accurate tree: several splits are tried near the root, and how large the
    tree is to be is chosen by cross-validation within the rows it learns from.

    Every option of the learner is accepted under its own name; treewright methods c4.5 lists those of C4.5.

    An option on the command line counts more than one in the settings file of --config, that more than a variable of
    the environment such as TREEWRIGHT_MAX_DEPTH, and that more than the default. The model keeps the command that made
    it.
    """
    check_place(output, data, validation.test, costs, config)
    for name, hint in unused_variables(context):
        warn(talk, f"the variable {name} is no option of fit and is not used. Hint: {hint}")
    method = method or (_AUTOMATIC if prune is None else _TO_PRUNE)
    check_names(method, given_options(context))
    chosen = choose(data, reading, choosing, talk)
    summary = describe(chosen, data, talk)
    plan, rows = _prepared(chosen, method, given_options(context), costs, prune, validation.seed, talk)
    wanted = _wanted(validation, rows, searched=hasattr(plan.estimator, "search"))
    with remarks(talk), progress(talk):
        model = plan.learn(rows)
    resume_collection()
    found = _validated(
        plan, model, rows, validation, wanted, _testing(model, validation, choosing, reading, talk), talk
    )
    notes = _notes(model, rows, found)
    for note in notes:
        warn(talk, note)
    model = model_made_by(model, typed_command(used_settings(context)))
    if output is not None:
        model.save(output)
    _show(model, found, talk)
    if talk.json:
        result_json(_record(data, method, model, summary, found, notes, output))
    elif output is not None:
        say(talk, f"\nSaved as {output}.")
    else:
        say(talk, "\nNot saved: give -o model.json to keep the model.")


def _prepared(
    chosen: Chosen, method: str, given: dict[str, Any], costs: str | None, prune: str | None, seed: int, talk: Talk
) -> tuple[Any, Any]:
    """How to learn, and the rows to learn from."""
    from treewright.data.labelled import labelled
    from treewright.model.fitting import prepare
    from treewright.model.learning_plan import Plan

    frame, classes = chosen.frame, classes_of(chosen, method)
    options = {**with_classes(given, chosen, classes), **costs_option(costs, chosen, classes, talk)}
    check_names(method, options)
    with remarks(talk):
        estimator, y = prepare(frame, chosen.target, method, {**options, "kinds": chosen.kinds or None})
    with remarks(Talk(quiet=True)):  # fitting says it all again
        pruning, pruning_options = _pruning(prune, estimator, method)
        rows = labelled(
            frame.without(frame.names.index(chosen.target)), y, is_classifier=classes is not None,
            sample_weight=chosen.weights,
        )  # fmt: skip
    return Plan(estimator, pruning, pruning_options, seed), rows


def _pruning(prune: str | None, estimator: Any, method: str) -> tuple[str | None, dict[str, Any]]:
    """The method and its options. A learner that prunes by itself leaves it to the one that is asked for."""
    if prune is None:
        return None, {}
    if not hasattr(estimator, "prune"):
        raise OptionError(f"{method} makes {estimator.holds}, and --prune is for trees", "leave it out")
    if estimator.get_params().get("prune"):
        estimator.set_params(prune=False if estimator.get_params()["prune"] is True else None)
    if prune == "none":
        return None, {}
    return read_pruning(prune, at_fit=True)


def _testing(model: Any, validation: Validation, choosing: Choosing, reading: Reading, talk: Talk) -> Any:
    """The rows of the file to test on, or None."""
    if validation.test is None:
        return None
    with remarks(talk):
        return rows_for(model, validation.test, reading, choosing.weights)


def _validated(
    plan: Any,
    model: Any,
    rows: Any,
    validation: Validation,
    wanted: tuple[int | None, float | None],
    testing: Any,
    talk: Talk,
) -> list[Any]:
    """Metrics by the ways of testing that were asked for, or by the one that suits the size of the table."""
    from treewright.model.validation import cross_validated, held_out, scored

    folds, share = wanted
    costs = _cost_matrix(plan.estimator, rows)
    found = []
    with remarks(Talk(quiet=True)), progress(talk):  # about parts of a table that has been remarked upon
        if testing is not None:
            found.append(scored(model, rows, testing, f"test ({validation.test})", costs))
        if share is not None:
            found.append(held_out(plan.learn, rows, share, validation.seed, costs))
        if folds:
            found.append(cross_validated(plan.learn, rows, folds, validation.seed, costs))
    if not found and validation.cv is None:
        say(talk, "Not tested: give --test-size, --test or --cv to see how well it predicts new rows.")
    return found


def _cost_matrix(estimator: Any, rows: Any) -> Any:
    from treewright.costs import cost_matrix

    costs = estimator.get_params(deep=False).get("costs")
    return None if costs is None else cost_matrix(costs, rows.classes)


def _wanted(validation: Validation, rows: Any, *, searched: bool) -> tuple[int | None, float | None]:
    """How many folds, and which share is held out."""
    folds = None if validation.cv is None else validation.cv.of(rows.n_rows)
    check_folds(folds or None, rows.n_rows)
    if validation.test_size is not None and not 0 < validation.test_size < 1:
        raise OptionError(
            f"--test-size {validation.test_size} is not accepted", "give a share of the rows, such as 0.3"
        )
    if validation.test_size is not None and rows.n_rows * (1 - validation.test_size) < _LEAST_LEARNED:
        raise OptionError(
            f"--test-size {validation.test_size} of {rows.n_rows} rows leaves none to learn from",
            "give a smaller share",
        )
    if (validation.cv, validation.test_size, validation.test) != (None, None, None):
        return folds, validation.test_size
    if 2 * _DEFAULT_FOLDS <= rows.n_rows <= (_FOLDED_SEARCHES if searched else _FOLDED_ROWS):
        return _DEFAULT_FOLDS, None
    big = rows.n_rows * rows.frame.n_columns > _HELD_OUT_CELLS
    return None, None if big or rows.n_rows < 2 * _DEFAULT_FOLDS else _DEFAULT_SHARE


def _notes(model: Any, rows: Any, found: list[Any]) -> list[str]:
    from treewright.model.fit_warnings import advice

    return [*advice(model, rows), *meaning(found, rows.classes is not None)]


def _show(model: Any, found: list[Any], talk: Talk) -> None:
    if talk.json:
        return
    result(text_of(model, "treewright show"))
    if hasattr(model, "curve_"):
        result(f"\n{textwrap.fill(model.summary(), _WIDTH)}")
    if found:
        result(f"\n{metrics_text(found, model.schema_.target.classes is not None)}")


def _record(
    data: str, method: str, model: Any, summary: Any, found: list[Any], notes: list[str], output: str | None
) -> dict[str, Any]:
    return {
        "data": data,
        "method": method,
        "estimator": type(model).__name__,
        "target": model.schema_.target.name,
        "classes": model.schema_.target.classes,
        "columns": summary,
        **_size(model),
        **({"summary": model.summary()} if hasattr(model, "curve_") else {}),
        "metrics": found,
        "warnings": notes,
        "saved": output,
    }


def _size(model: Any) -> dict[str, Any]:
    rules = rules_in(model)
    if rules is not None:
        return {"rules": len(rules)}
    if not hasattr(model, "tree_"):
        sizes: dict[str, Any] = model.sizes()
        return sizes
    tree = model.tree_
    return {
        "rows": int(tree.rows[0]),
        "leaves": tree.n_leaves,
        "depth": tree.depth,
        "nodes": tree.n_nodes,
        "training_error": model._training_error(tree),
    }
