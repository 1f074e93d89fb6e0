"""``treewright evaluate``: a saved model on rows whose target is known."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from treewright.cli.models import ModelPath, load
from treewright.cli.options import Reading, Talk, with_options
from treewright.cli.output import columns, result, result_json
from treewright.cli.tables import remarks, rows_for

EXAMPLES = """
\b
  treewright evaluate loans.json new.csv
  treewright evaluate loans.json new.csv --json
"""


@with_options(reading=Reading, talk=Talk)
def evaluate(
    model: ModelPath,
    data: Annotated[str, typer.Argument(help="A table with the model's columns and its target.")],
    *,
    reading: Reading,
    talk: Talk,
) -> None:
    """Compare a model's predictions with what is known: accuracy with its interval, figures per class, confusion.

    The rows should not be those the model was learned from.
    """
    fitted = load(model)
    with remarks(talk):
        rows = rows_for(fitted, data, reading)
        record = _of_classes(fitted, rows) if rows.classes is not None else _of_numbers(fitted, rows)
    if talk.json:
        result_json(record)
        return
    result(_text(record))


def _of_classes(fitted: Any, rows: Any) -> dict[str, Any]:
    from treewright.model.evaluate import evaluate as evaluated
    from treewright.model.trial import share_interval

    found = evaluated(fitted, rows.frame, rows.target)
    low, high = share_interval(found.error, rows.n_rows)
    return {
        "rows": rows.n_rows,
        "error": found.error,
        "interval": [low, high],
        "always_guessing": _guessing(fitted, rows),
        "cost_per_row": _cost(fitted, found),
        "auc": found.auc,
        "brier": found.brier,
        "log_likelihood": found.log_likelihood,
        "classes": [
            {"class": label, "precision": p, "recall": r, "f1": f, "rows": int(n)}
            for label, p, r, f, n in zip(
                found.classes, found.precision.tolist(), found.recall.tolist(), found.f1.tolist(),
                found.confusion.sum(1).tolist(),
            )
        ],
        "confusion": found.confusion.tolist(),
    }  # fmt: skip


def _guessing(fitted: Any, rows: Any) -> float:
    """The error of always guessing the commonest class of the training rows."""
    commonest = int(fitted.tree_.stats[0].argmax())
    return float((rows.codes_among(fitted.schema_.target.classes) != commonest).mean())


def _cost(fitted: Any, found: Any) -> float | None:
    """The mean cost of a prediction, if the model was told what errors cost."""
    import numpy as np

    costs = fitted.schema_.target.costs
    return None if costs is None else float((found.confusion * np.array(costs)).sum() / found.confusion.sum())


def _of_numbers(fitted: Any, rows: Any) -> dict[str, Any]:
    import numpy as np

    residual = rows.y - fitted.predict(rows.frame)
    spread = float(((rows.y - rows.y.mean()) ** 2).sum())
    weight, total, _ = fitted.tree_.stats[0]
    return {
        "rows": rows.n_rows,
        "rmse": float(np.sqrt((residual**2).mean())),
        "mae": float(np.abs(residual).mean()),
        "r2": 1 - float((residual**2).sum()) / spread if spread > 0 else float("nan"),
        "always_guessing": float(np.sqrt(((rows.y - total / weight) ** 2).mean())),
    }


def _text(record: dict[str, Any]) -> str:
    if "rmse" in record:
        return columns([
            ("rows", f"{record['rows']:,}"), ("root mean squared error", f"{record['rmse']:.4g}"),
            ("mean absolute error", f"{record['mae']:.4g}"), ("R²", f"{record['r2']:.4g}"),
            ("always guessing the mean", f"{record['always_guessing']:.4g}"),
        ], right=[1])  # fmt: skip
    low, high = record["interval"]
    head = (
        f"accuracy {_share(1 - record['error'])} of {record['rows']:,} rows "
        f"(95 % interval {_share(1 - high)} to {_share(1 - low)}); "
        f"always guessing the commonest class {_share(1 - record['always_guessing'])}"
    )
    more = f"AUC {record['auc']:.4g}, Brier score {record['brier']:.4g}, log-likelihood {record['log_likelihood']:.4g}"
    if record["cost_per_row"] is not None:
        more = f"cost per row {record['cost_per_row']:.4g}, {more}"
    return "\n\n".join([head, _classes(record), _confusion(record), more])


def _share(share: float) -> str:
    return f"{100 * share:.1f} %"


def _classes(record: dict[str, Any]) -> str:
    rows: list[tuple[str, ...]] = [("class", "precision", "recall", "f1", "rows")]
    for row in record["classes"]:
        figures = (f"{row[name]:.3f}" for name in ("precision", "recall", "f1"))
        rows.append((str(row["class"]), *figures, f"{row['rows']:,}"))
    return columns(rows, right=[1, 2, 3, 4])


def _confusion(record: dict[str, Any]) -> str:
    names = [str(row["class"]) for row in record["classes"]]
    rows = [("true \\ predicted", *names)]
    rows += [(name, *map(str, counts)) for name, counts in zip(names, record["confusion"])]
    return columns(rows, right=range(1, len(names) + 1))
