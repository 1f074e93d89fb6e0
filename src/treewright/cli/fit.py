"""``treewright fit``: from a file to a tested tree."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Annotated, Any

import typer

from treewright.cli.figures import figures_text, meaning
from treewright.cli.files import check_place
from treewright.cli.learners import check_names, given_options, value_of
from treewright.cli.options import Choosing, Reading, Talk, with_options
from treewright.cli.output import progress, result, result_json, say, warn
from treewright.cli.startup import settle
from treewright.cli.tables import Chosen, choose, describe, remarks, rows_for
from treewright.cli.values import named_options
from treewright.errors import DataError, OptionError

_FOLDED_ROWS = 20_000  # up to which rows are cross-validated without being asked
_HELD_OUT_CELLS = 50_000_000  # up to which a part is held out without being asked
_LONG_FIT = 200_000  # rows from which a bar is shown
_DEFAULT_FOLDS, _DEFAULT_SHARE = 10, 0.2

EXAMPLES = """
\b
  treewright fit iris.csv
  treewright fit tennis.csv --target play --drop day --method id3
  treewright fit loans.csv -t paid --method c4.5 --confidence 0.1 -o loans.json
  treewright fit loans.csv -t paid --prune cost-complexity --cv 5
  treewright fit loans.csv -t paid --kinds 'size=S<M<L' --max-depth 4 --class-weight balanced
  treewright fit loans.csv -t paid --costs costs.csv --missing learned
  treewright fit rent.csv -t rent --test-size 0.3 --min-rows-leaf 5
"""


@dataclass(frozen=True)
class Trials:
    """How the tree is to be tested."""

    test_size: Annotated[float | None, typer.Option(help="Test on this share of the rows, learned without them.")] = (
        None
    )
    test: Annotated[str | None, typer.Option(help="Test the tree on the rows of another file.")] = None
    cv: Annotated[int | None, typer.Option(help="Cross-validate with this many folds; 0 for none.")] = None
    seed: Annotated[int, typer.Option(min=0, help="Decides how rows are dealt.")] = 0


@with_options(trials=Trials, choosing=Choosing, reading=Reading, talk=Talk)
def fit(
    context: typer.Context,
    data: Annotated[
        str, typer.Argument(help="A file, a pattern in quotes, a database's URL, or - for standard input.")
    ],
    method: Annotated[str, typer.Option("--method", "-m", help="See: treewright methods.")] = "cart",
    prune: Annotated[str | None, typer.Option(help="A method, such as cost-complexity:alpha=0.01, or none.")] = None,
    costs: Annotated[str | None, typer.Option(help="A file that says what errors cost; rows are the truth.")] = None,
    output: Annotated[str | None, typer.Option("--output", "-o", help="Save the model here, as JSON.")] = None,
    *,
    trials: Trials,
    choosing: Choosing,
    reading: Reading,
    talk: Talk,
) -> None:
    """Learn a tree from a table, show it, and say how well it predicts new rows.

    The tree is learned from all rows of DATA; if --prune needs rows that the tree has not seen, from 70 % of
    them. Figures come from trees learned in the same way without the rows they are tried on: by cross-validation up to
    20,000 rows, else on a fifth of the rows, unless you say otherwise.

    Every option of the learner is accepted under its own name, such as --max-depth 3 or --min-rows-leaf 5; see
    treewright methods c4.5 for those of C4.5.
    """
    check_place(output, data, trials.test, costs)
    chosen = choose(data, reading, choosing, talk)
    summary = describe(chosen, data, talk)
    options = {**given_options(context), **_costs(costs, chosen)}
    plan, rows = prepare_plan(chosen, method, options, prune, trials.seed, talk)
    with remarks(talk):
        model = plan.learn(rows)
    settle()
    found = _trials(plan, model, rows, trials, reading, talk)
    notes = _notes(model, rows, found)
    for note in notes:
        warn(talk, note)
    if output is not None:
        model.save(output)
    _show(model, found, talk)
    if talk.json:
        result_json(_record(data, method, model, summary, found, notes, output))
    elif output is not None:
        say(talk, f"\nSaved as {output}.")
    else:
        say(talk, "\nNot saved: give -o model.json to keep the tree.")


def _costs(path: str | None, chosen: Chosen) -> dict[str, Any]:
    """Costs of errors between the classes of the target, which the file names by their texts."""
    from treewright.data.readers.costs import read_costs
    from treewright.data.schema import text_of
    from treewright.data.summary import summarise

    if path is None:
        return {}
    kinds = {chosen.target: chosen.kinds.get(chosen.target, "nominal")}
    (target,) = (column for column in summarise(chosen.frame, kinds) if column.name == chosen.target)
    classes = {text_of(level): level for level in target.levels}
    found = read_costs(path)
    odd = [name for pair in found for name in pair if name not in classes]
    if odd:
        raise DataError(f"{path!r} names the class {odd[0]!r}, which {chosen.target!r} does not have",
                        f"the classes are {', '.join(classes)}")  # fmt: skip
    return {"costs": {(classes[truth], classes[guess]): cost for (truth, guess), cost in found.items()}}


def prepare_plan(
    chosen: Chosen, method: str, options: dict[str, Any], prune: str | None, seed: int, talk: Talk
) -> tuple[Any, Any]:
    """How to learn, and the rows to learn from."""
    from treewright.data.labelled import labelled
    from treewright.model.fitting import prepare
    from treewright.model.plan import Plan, check_pruning

    frame = chosen.frame
    pruning, pruning_options = (None, {}) if prune in (None, "none") else named_options(str(prune))
    check_pruning(pruning, pruning_options)
    with remarks(Talk(quiet=True)):  # fitting says it all again
        estimator, y = prepare(frame, chosen.target, method, {**options, "kinds": chosen.kinds or None})
        if prune is not None and estimator.get_params().get("prune") is True:
            estimator.set_params(prune=False)
        is_classifier = hasattr(estimator, "predict_proba")
        rows = labelled(
            frame.without(frame.names.index(chosen.target)), y, is_classifier=is_classifier,
            sample_weight=chosen.weights,
        )  # fmt: skip
    estimator.set_params(progress=_wants_bar(rows.n_rows, talk))
    return Plan(estimator, pruning, pruning_options, seed), rows


def _wants_bar(n_rows: int, talk: Talk) -> bool:
    import sys

    return n_rows >= _LONG_FIT and not talk.quiet and sys.stderr.isatty()


def _trials(plan: Any, model: Any, rows: Any, trials: Trials, reading: Reading, talk: Talk) -> list[Any]:
    """Figures of the ways of testing that were asked for, or of the one that suits the size of the table."""
    from treewright.model.trial import cross_validated, held_out, scored

    quiet = replace(plan, estimator=plan.estimator.set_params(progress=False))
    folds, share = _wanted(trials, rows)
    found = []
    with remarks(Talk(quiet=True)):  # about parts of a table that has been remarked upon
        if trials.test is not None:
            found.append(scored(model, rows, rows_for(model, trials.test, reading), f"test ({trials.test})"))
        if share is not None:
            found.append(held_out(quiet.learn, rows, share, trials.seed))
        if folds:
            with progress(talk, "cross-validating", folds) as step:
                found.append(cross_validated(lambda part: _stepped(quiet, part, step), rows, folds, trials.seed))
    if not found and trials.cv is None:
        say(talk, "Not tested: give --test-size, --test or --cv to see how well it predicts new rows.")
    return found


def _stepped(plan: Any, part: Any, step: Any) -> Any:
    model = plan.learn(part)
    step(1)
    return model


def _wanted(trials: Trials, rows: Any) -> tuple[int | None, float | None]:
    if trials.cv is not None and trials.cv != 0 and trials.cv < 2:
        raise OptionError(f"--cv {trials.cv} is not accepted", "cross-validation needs at least 2 folds; 0 is none")
    if trials.test_size is not None and not 0 < trials.test_size < 1:
        raise OptionError(f"--test-size {trials.test_size} is not accepted", "give a share of the rows, such as 0.3")
    if (trials.cv, trials.test_size, trials.test) != (None, None, None):
        return trials.cv, trials.test_size
    if 2 * _DEFAULT_FOLDS <= rows.n_rows <= _FOLDED_ROWS:
        return _DEFAULT_FOLDS, None
    big = rows.n_rows * rows.frame.n_columns > _HELD_OUT_CELLS
    return None, None if big or rows.n_rows < 2 * _DEFAULT_FOLDS else _DEFAULT_SHARE


def _notes(model: Any, rows: Any, found: list[Any]) -> list[str]:
    from treewright.model.advice import advice

    return [*advice(model, rows), *meaning(found, rows.classes is not None)]


def _show(model: Any, found: list[Any], talk: Talk) -> None:
    if talk.json:
        return
    result(model.to_text())
    if found:
        result(f"\n{figures_text(found, model.schema_.target.classes is not None)}")


def _record(
    data: str, method: str, model: Any, summary: Any, found: list[Any], notes: list[str], output: str | None
) -> dict[str, Any]:
    tree = model.tree_
    return {
        "data": data,
        "method": method,
        "estimator": type(model).__name__,
        "target": model.schema_.target.name,
        "classes": model.schema_.target.classes,
        "columns": summary,
        "rows": int(tree.rows[0]),
        "leaves": tree.n_leaves,
        "depth": tree.depth,
        "nodes": tree.n_nodes,
        "training_error": model._training_error(tree),
        "figures": found,
        "warnings": notes,
        "saved": output,
    }
