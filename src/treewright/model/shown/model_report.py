"""``model.report``: all about a model on rows it was not fitted to, as one file of HTML."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from importlib.metadata import version
from typing import Any

import numpy as np

from treewright.data.labelled import Labelled, labelled
from treewright.data.schema import Unit
from treewright.data.summary import ColumnSummary, summarise
from treewright.errors import TreewrightError, TreewrightWarning
from treewright.explain.condition_text import level_text, one_line
from treewright.explain.leaf_rules import rules
from treewright.explain.number_text import format_number, format_share, format_value, plural
from treewright.model.fit_warnings import advice
from treewright.model.shown.model_pictures import with_holdout
from treewright.model.shown.page_view import page_view
from treewright.page.report_document import ChartSection, Report, Section, TableSection, TextSection
from treewright.tree.files import replace_file

_MOST_LEVELS = 6  # of a column that are named
_MOST_RULES = 60
_LONGEST_RULE = 1000  # characters
_MOST_CLASSES = 30  # of a confusion matrix
_MOST_COLUMNS = 200
_MOST_CHARACTERS = 120


def write_report(
    model: Any, path: Any, X: Any, y: Any, *, sample_weight: Any = None, command: str | None = None
) -> None:
    """Write the report to a file. ``command`` is how it was asked for, if by a command."""
    model._check_has_page()
    text = report_of(model, X, y, sample_weight=sample_weight, command=command).html()
    replace_file(path, text.encode("utf-8"))


def report_of(model: Any, X: Any, y: Any, *, sample_weight: Any = None, command: str | None = None) -> Report:
    """The report of a tree or of rules, on rows whose target is known."""
    schema = model.schema_
    rows = labelled(X, y, is_classifier=schema.target.classes is not None, sample_weight=sample_weight)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", TreewrightWarning)  # they stand in the report
        before = [_summary(rows, model), *_metrics(model, rows)]
        after = [*_rules(model), *_curve(model, rows), *_ranking(model, rows), *_warnings(model, rows)]
    view = page_view(with_holdout(model, X, y, sample_weight) if hasattr(model, "tree_") else model)
    facts = [*view["facts"], f"tested on {plural(rows.n_rows, 'row')}"]
    title = f"{type(model).__name__}: {one_line(schema.target.name)}"
    return Report(title, facts, view, before, [*after, _how(model, rows, command)])


# ---- data ------------------------------------------------------------------------------------------------------------


def _summary(rows: Labelled, model: Any) -> TableSection:
    kinds = {column.name: column for column in model.schema_.columns}
    found = [column for column in summarise(rows.frame) if column.name in kinds]
    lines = [(_short(one_line(c.name)), c.kind, f"{c.missing:,}", _values(c)) for c in found[:_MOST_COLUMNS]]
    more = f"and {len(found) - _MOST_COLUMNS:,} more columns; " if len(found) > _MOST_COLUMNS else ""
    note = f"{more}{plural(rows.n_rows, 'row')}, target {one_line(model.schema_.target.name)}: {_target(rows)}"
    return TableSection("The rows of this report", ("column", "kind", "missing", "values"), lines, note, numbers=(2,))


def _values(column: ColumnSummary) -> str:
    if column.low is not None and column.high is not None:
        low, high = (format_value(x, Unit(column.unit)) for x in (column.low, column.high))
        return f"{low} to {high}"
    shown = ", ".join(_short(level_text(level)) for level in column.levels[:_MOST_LEVELS])
    more = len(column.levels) - _MOST_LEVELS
    return f"{shown} +{more:,}" if more > 0 else shown


def _target(rows: Labelled) -> str:
    if rows.classes is None:
        return f"{format_number(float(rows.y.min()))} to {format_number(float(rows.y.max()))}"
    shares = np.bincount(rows.y, rows.weights, minlength=len(rows.classes))
    order = np.argsort(-shares, kind="stable")[:_MOST_LEVELS]
    shown = ", ".join(
        f"{_short(level_text(rows.classes[k]))} {format_share(shares[k] / shares.sum(), ' ')}" for k in order
    )
    return shown if len(rows.classes) <= _MOST_LEVELS else f"{shown} +{len(rows.classes) - _MOST_LEVELS:,}"


# ---- how well it predicts --------------------------------------------------------------------------------------------


def _metrics(model: Any, rows: Labelled) -> Iterator[Section]:
    if rows.classes is None:
        yield _of_numbers(model, rows)
        return
    from treewright.model.evaluate import evaluate
    from treewright.model.validation import effective_rows, share_interval

    found = evaluate(model, rows.frame, rows.target, sample_weight=rows.weights)
    low, high = share_interval(found.error, effective_rows(rows.weights, rows.n_rows))
    lines = [
        ("accuracy", _percent(1 - found.error)),
        ("95 % interval of it", f"{_percent(1 - high)} to {_percent(1 - low)}"),
        ("baseline, the commonest class of training", _percent(_baseline(model, rows))),
        ("AUC, one class against the rest", format_number(found.auc, 4)),
        ("Brier score", format_number(found.brier, 4)),
        ("log-loss", format_number(found.log_loss, 4)),
        ("log-likelihood", format_number(found.log_likelihood, 4)),
    ]
    if found.overfitting is not None:
        lines.append(("overfitting: error less training error", _percent(found.overfitting.amount)))
    if model.schema_.target.costs is not None:
        lines.append(("cost of a row", format_number(found.cost.total, 4)))
    yield TableSection("How well it predicts these rows", ("metric", "value"), lines, numbers=(1,))
    names = [_short(level_text(label)) for label in found.classes]
    counts = found.confusion.sum(1)
    by_class = [
        (
            name,
            *(f"{metric[k]:.3f}" for metric in (found.precision, found.recall, found.f1)),
            format_number(counts[k], 4),
        )
        for k, name in enumerate(names)
    ]
    yield TableSection("By class", ("class", "precision", "recall", "F1", "rows"), by_class, numbers=(1, 2, 3, 4))
    if len(names) <= _MOST_CLASSES:
        yield _confusion(names, found.confusion)


def _confusion(names: list[str], confusion: Any) -> TableSection:
    total = np.maximum(confusion.sum(1, keepdims=True), 1)
    rows = [(name, *(format_number(float(n), 4) for n in line)) for name, line in zip(names, confusion)]
    return TableSection(
        "Confusion", ("true \\ predicted", *names), rows, "Shades are shares of the true class.",
        numbers=range(1, len(names) + 1), shades=(confusion / total).tolist(),
    )  # fmt: skip


def _baseline(model: Any, rows: Labelled) -> float:
    stats = np.asarray(_training_stats(model))
    right = rows.codes_among(model.schema_.target.classes) == int(np.argmax(stats))
    return float(np.average(right, weights=rows.weights))


def _training_stats(model: Any) -> Any:
    """What the rows of the fit were, whatever the model has kept."""
    if hasattr(model, "cubist_"):
        return model.cubist_.stats
    return model.training_stats if hasattr(model, "training_stats") else model.rule_set().stats


def _of_numbers(model: Any, rows: Labelled) -> TableSection:
    def mean(values: Any) -> float:
        return float(np.average(values, weights=rows.weights))

    residual = rows.y - model.predict(rows.frame)
    spread = mean((rows.y - mean(rows.y)) ** 2)
    weight, total, *_ = _training_stats(model)
    lines = [
        ("root mean squared error", format_number(mean(residual**2) ** 0.5, 4)),
        ("mean absolute error", format_number(mean(np.abs(residual)), 4)),
        ("R²", format_number(1 - mean(residual**2) / spread, 4) if spread > 0 else "–"),
        ("baseline: error of the mean", format_number(mean((rows.y - total / weight) ** 2) ** 0.5, 4)),
    ]
    return TableSection("How well it predicts these rows", ("metric", "value"), lines, numbers=(1,))


def _percent(share: float) -> str:
    return f"{100 * share:.1f} %"


# ---- the model -------------------------------------------------------------------------------------------------------


def _rules(model: Any) -> Iterator[Section]:
    if not hasattr(model, "tree_"):
        return  # the page shows them
    found = sorted(rules(model.tree_, model.schema_, max_levels=_MOST_LEVELS), key=lambda rule: -rule.rows)
    lines = [(f"[{rule.leaf}]", _short(str(rule), _LONGEST_RULE)) for rule in found[:_MOST_RULES]]
    note = f"The {_MOST_RULES} of most rows, of {len(found):,}." if len(found) > _MOST_RULES else ""
    yield TableSection("Rules", ("leaf", "rule"), lines, note, numbers=(0,))


def _curve(model: Any, rows: Labelled) -> Iterator[Section]:
    from treewright.model.evaluate import complexity_curve

    if not hasattr(model, "tree_") or model.tree_.n_nodes < 5:
        return
    try:
        curve = complexity_curve(model, rows.frame, rows.target)
    except TreewrightError:
        return  # trees whose pruning path is not defined
    size = curve.sizes[curve.chosen] if curve.chosen is not None else 0
    yield ChartSection(
        "Errors of smaller trees", curve.what, curve.sizes.tolist(),
        {"training": curve.training.tolist(), "these rows": curve.validation.tolist()}, curve.chosen,
        f"Along cost-complexity pruning. Marked: the smallest tree within a standard error of the best, {size} nodes.",
    )  # fmt: skip


def _ranking(model: Any, rows: Labelled) -> Iterator[Section]:
    from treewright.model.column_reports.ranking import rank_attributes

    target = "numbers" if rows.classes is None else "classes"
    ranking = rank_attributes(rows.frame, rows.target, sample_weight=rows.weights, target=target)
    known = [row for row in ranking if row.attribute in model.schema_.names][:_MOST_COLUMNS]
    best = max((row.score for row in known), default=0.0) or 1.0
    lines = [(_short(one_line(r.attribute)), _short(r.test), format_number(r.score, 4), r.warning) for r in known]
    yield TableSection(
        "Columns, each alone as the first test", ("column", "test", ranking.by, "remark"), lines, numbers=(2,),
        bars=[max(row.score, 0.0) / best for row in known],
    )  # fmt: skip


def _warnings(model: Any, rows: Labelled) -> Iterator[Section]:
    if hasattr(model, "tree_"):
        told = [remark for column in summarise(rows.frame, model.kinds) for remark in column.remarks]
        found = [*told, *advice(model, rows)]
        yield TextSection("Warnings", found or ["None."])


def _how(model: Any, rows: Labelled, command: str | None) -> TextSection:
    """Options and versions, and what to type to have this again."""
    options = ", ".join(
        f"{name}={value!r}" for name, value in model._options().items() if _is_given(model, name, value)
    )
    again = command or "model.report(path, X, y)"
    lines = [f"treewright {version('treewright')}", f"{type(model).__name__}({options})", f"again: {again}"]
    return TextSection("How it was made", [_short(line, 2000) for line in lines], as_is=True)


def _is_given(model: Any, name: str, value: Any) -> bool:
    default = type(model).__dataclass_fields__[name].default
    return not (value is default or value == default)


def _short(text: str, most: int = _MOST_CHARACTERS) -> str:
    return text if len(text) <= most else f"{text[: most - 1]}…"
