"""Metrics with their intervals, as a table and in sentences."""

from __future__ import annotations

from typing import Any

from treewright.cli.output import columns

_FEW_ROWS = 30  # a metric of fewer rows is too uncertain


def metrics_text(found: list[Any], is_classifier: bool) -> str:
    """A line per metric, beside its baseline; metrics are costs if errors have costs."""
    if found[0].cost is not None:
        by_cost = ("", "cost per row", "95 % interval", "baseline", "accuracy", "rows")
        return columns([by_cost, *map(_by_cost, found)], right=[1, 2, 3, 4, 5])
    head = ("", "accuracy" if is_classifier else "error (RMSE)", "95 % interval", "baseline", "rows")
    return columns([head, *(_cells(estimate, is_classifier) for estimate in found)], right=[1, 2, 3, 4])


def _cells(estimate: Any, is_classifier: bool) -> tuple[str, ...]:
    if is_classifier:
        low, high = 1 - estimate.high, 1 - estimate.low
        interval = f"{100 * low:.1f} to {100 * high:.1f} %"
        return estimate.what, share(1 - estimate.error), interval, share(1 - estimate.baseline), f"{estimate.rows:,}"
    interval = f"{estimate.low:.4g} to {estimate.high:.4g}"
    return estimate.what, f"{estimate.error:.4g}", interval, f"{estimate.baseline:.4g}", f"{estimate.rows:,}"


def _by_cost(estimate: Any) -> tuple[str, ...]:
    cost = estimate.cost
    interval, accuracy = f"{cost.low:.4g} to {cost.high:.4g}", share(1 - estimate.error)
    return estimate.what, f"{cost.mean:.4g}", interval, f"{cost.baseline:.4g}", accuracy, f"{estimate.rows:,}"


def share(part: float) -> str:
    return f"{100 * part:.1f} %"


def meaning(found: list[Any], is_classifier: bool) -> list[str]:
    """Warnings about metrics that come from few rows or are no better than the baseline."""
    return [remark for estimate in found for remark in _remarks(estimate, is_classifier)]


def _remarks(estimate: Any, is_classifier: bool) -> list[str]:
    rows = "1 row" if estimate.rows == 1 else f"{estimate.rows} rows"
    if estimate.rows < _FEW_ROWS and not estimate.what.startswith("cross"):
        return [f"{estimate.what}: {rows} {'is' if estimate.rows == 1 else 'are'} too few to test on. "
                "Hint: test on more rows, or cross-validate with --cv."]  # fmt: skip
    if estimate.is_better:
        return []
    constant = "the class of least cost" if estimate.cost is not None else "the commonest class"
    baseline = constant if is_classifier else "the mean"
    return [f"{estimate.what}: no better than the baseline, {baseline}, as far as {rows} can tell. "
            "Hint: more rows, other columns or a smaller model."]  # fmt: skip
