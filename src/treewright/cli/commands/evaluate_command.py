"""``treewright evaluate``: a saved model on rows whose target is known."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any

import typer

from treewright.cli.arguments.shared_options import Reading, Talk, with_options
from treewright.cli.input_tables import remarks, rows_for
from treewright.cli.metrics_text import share
from treewright.cli.output import columns, result, result_json
from treewright.cli.saved_models import ModelPath, load, rules_in, schema_of
from treewright.errors import OptionError, near_name

EXAMPLES = """
\b
  treewright evaluate loans.json new.csv
  treewright evaluate loans.json new.csv --json
  treewright evaluate loans.json new.csv --gains yes --benefit 10 --cost 2
"""


@with_options(reading=Reading, talk=Talk)
def evaluate(
    model: ModelPath,
    data: Annotated[str, typer.Argument(help="A table with the model's columns and its target.")],
    weights: Annotated[str | None, typer.Option(help="A column of DATA that says how much each row counts.")] = None,
    gains: Annotated[str | None, typer.Option(help="Lift and gains of this class as well, by its probability.")] = None,
    bins: Annotated[
        int | None, typer.Option(min=1, help="--gains: how many bins rows are put into. [default: 10]")
    ] = None,
    benefit: Annotated[
        float | None, typer.Option(help="--gains: what a row of the class earns; adds the profit. [default: 1]")
    ] = None,
    cost: Annotated[
        float | None, typer.Option(help="--gains: what every row costs that is taken; adds the profit. [default: 0]")
    ] = None,
    *,
    reading: Reading,
    talk: Talk,
) -> None:
    """Compare a model's predictions with what is known.

    Accuracy with its interval, metrics per class, confusion; or errors, if a number is predicted. The rows should not
    be those the model was learned from. Overfitting is how far the error is above that of the training rows: the share
    of wrong predictions, or the mean squared error (the mean absolute one of trees that predict medians).
    """
    fitted = load(model)
    options = {
        name: value for name, value in (("bins", bins), ("benefit", benefit), ("cost", cost)) if value is not None
    }
    if gains is None and options:
        raise OptionError(
            f"--{next(iter(options))} is of the table of --gains", "say --gains CLASS too, or leave it out"
        )
    label = None if gains is None else _class_named(fitted, gains)
    with remarks(talk):
        rows = rows_for(fitted, data, reading, weights)
        record = _of_classes(fitted, rows) if rows.classes is not None else _of_numbers(fitted, rows)
        table = None if gains is None else _gains(fitted, rows, label, options)
    if talk.json:
        result_json(record if table is None else {**record, "gains": table.to_dict()})
        return
    result(_text(record) if table is None else f"{_text(record)}\n\n{table}")


def _gains(fitted: Any, rows: Any, label: Any, options: dict[str, Any]) -> Any:
    from treewright.model.evaluate import gains

    return gains(fitted, rows.frame, rows.target, label, sample_weight=rows.weights, **options)


def _class_named(fitted: Any, text: str) -> Any:
    classes = schema_of(fitted).target.classes
    if classes is None:
        raise OptionError("--gains is of a class, and the model predicts numbers", "leave it out")
    by_text = {str(one): one for one in classes}
    if text not in by_text:
        near = near_name(text, list(by_text))
        hint = f"did you mean {near!r}?" if near else f"the classes are {', '.join(map(repr, by_text))}"
        raise OptionError(f"there is no class {text!r} for --gains", hint)
    return by_text[text]


def _of_classes(fitted: Any, rows: Any) -> dict[str, Any]:
    from treewright.model.evaluate import evaluate as evaluated
    from treewright.model.validation import effective_rows, share_interval

    found = evaluated(fitted, rows.frame, rows.target, sample_weight=rows.weights)
    low, high = share_interval(found.error, effective_rows(rows.weights, rows.n_rows))
    return {
        "rows": rows.n_rows,
        "error": found.error,
        "interval": [low, high],
        "baseline": _baseline(fitted, rows),
        "overfitting": _overfitting(found.overfitting),
        "cost_per_row": _cost(fitted, found),
        "auc": found.auc,
        "brier": found.brier,
        "log_loss": found.log_loss,
        "log_likelihood": found.log_likelihood,
        "impossible": found.impossible,
        "classes": [
            {"class": label, "precision": p, "recall": r, "f1": f, "rows": n}
            for label, p, r, f, n in zip(
                found.classes, found.precision.tolist(), found.recall.tolist(), found.f1.tolist(),
                found.confusion.sum(1).tolist(),
            )
        ],
        "confusion": found.confusion.tolist(),
    }  # fmt: skip


def _baseline(fitted: Any, rows: Any) -> float:
    """The error of always predicting the commonest class of the training rows."""
    import numpy as np

    commonest = int(np.argmax(_training_stats(fitted)))
    wrong = rows.codes_among(schema_of(fitted).target.classes) != commonest
    return float(np.average(wrong, weights=rows.weights))


def _training_stats(fitted: Any) -> Any:
    rules = rules_in(fitted)
    return fitted.training_stats if rules is None else rules.stats


def _cost(fitted: Any, found: Any) -> float | None:
    """The mean cost of a prediction, if the model was told what errors cost."""
    import numpy as np

    costs = schema_of(fitted).target.costs
    return None if costs is None else float((found.confusion * np.array(costs)).sum() / found.confusion.sum())


def _of_numbers(fitted: Any, rows: Any) -> dict[str, Any]:
    import numpy as np

    from treewright.model.evaluate import evaluate as evaluated

    found = evaluated(fitted, rows.frame, rows.target, sample_weight=rows.weights)
    weight, total, *_ = _training_stats(fitted)
    return {
        "rows": rows.n_rows,
        **{name: getattr(found, name) for name in ("rmse", "mae", "median_error", "max_error", "r2", "bias")},
        "baseline": float(np.average((rows.y - total / weight) ** 2, weights=rows.weights)) ** 0.5,
        "overfitting": _overfitting(found.overfitting, _error_of(fitted)),
    }


def _error_of(fitted: Any) -> str:
    """Which error of numbers is compared with that of the training rows."""
    return "mean absolute error" if getattr(fitted, "criterion", None) == "absolute_error" else "mean squared error"


def _overfitting(found: Any, of: str = "error") -> dict[str, Any] | None:
    """How far the error is above that of the training rows; None of rules, which do not keep the latter."""
    if found is None:
        return None
    interval = [found.low, found.high]
    return {"of": of, "amount": found.amount, "interval": interval, "training_error": found.training_error}


def _text(record: dict[str, Any]) -> str:
    from treewright.model.evaluate.classification_metrics import probability_metrics_text

    if "rmse" in record:
        table = columns([
            ("rows", f"{record['rows']:,}"), ("root mean squared error", f"{record['rmse']:.4g}"),
            ("mean absolute error", f"{record['mae']:.4g}"), ("R²", f"{record['r2']:.4g}"),
            ("median absolute error", f"{record['median_error']:.4g}"),
            ("greatest error", f"{record['max_error']:.4g}"), ("bias", _bias(record)),
            ("baseline: the mean", f"{record['baseline']:.4g}"),
        ], right=[1])  # fmt: skip
        return "\n\n".join([table, *_overfitting_text(record["overfitting"], "{:.4g}".format)])
    low, high = record["interval"]
    head = (
        f"accuracy {share(1 - record['error'])} of {record['rows']:,} rows "
        f"(95 % interval {share(1 - high)} to {share(1 - low)}); "
        f"baseline, the commonest class: {share(1 - record['baseline'])}"
    )
    names = ("auc", "brier", "log_loss", "log_likelihood", "impossible")
    more = probability_metrics_text(**{name: record[name] for name in names}, n_classes=len(record["classes"]))
    if record["cost_per_row"] is not None:
        more = f"cost per row {record['cost_per_row']:.4g}, {more}"
    return "\n\n".join(
        [head, *_overfitting_text(record["overfitting"], share), _classes(record), _confusion(record), more]
    )


def _bias(record: dict[str, Any]) -> str:
    """What is left of rounding is no bias."""
    return f"{record['bias'] if abs(record['bias']) > 1e-9 * record['baseline'] else 0.0:.4g}"


def _overfitting_text(told: dict[str, Any] | None, number: Callable[[float], str]) -> list[str]:
    if told is None:
        return []
    low, high = told["interval"]
    error = number(told["training_error"] + told["amount"])
    return [
        f"overfitting {number(told['amount'])} (95 % interval {number(low)} to {number(high)}): "
        f"{told['of']} {error}, on the training rows {number(told['training_error'])}"
    ]


def _count(n: float) -> str:
    """Rows, or what they weigh."""
    return f"{n:,}" if float(n).is_integer() else f"{n:,.4g}"


def _classes(record: dict[str, Any]) -> str:
    rows: list[tuple[str, ...]] = [("class", "precision", "recall", "f1", "rows")]
    for row in record["classes"]:
        metrics = (f"{row[name]:.3f}" for name in ("precision", "recall", "f1"))
        rows.append((str(row["class"]), *metrics, _count(row["rows"])))
    return columns(rows, right=[1, 2, 3, 4])


def _confusion(record: dict[str, Any]) -> str:
    names = [str(row["class"]) for row in record["classes"]]
    rows = [("true \\ predicted", *names)]
    rows += [(name, *map(_count, counts)) for name, counts in zip(names, record["confusion"])]
    return columns(rows, right=range(1, len(names) + 1))
