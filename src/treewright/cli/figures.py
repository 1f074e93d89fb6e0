"""Metrics with their intervals, as a table and in sentences."""

from __future__ import annotations

from typing import Any

from treewright.cli.output import columns

_FEW_ROWS = 30  # a metric of fewer rows is too uncertain


def figures_text(found: list[Any], is_classifier: bool) -> str:
    """A line per metric, beside its baseline; metrics are costs if errors have costs."""
    if found[0].cost is not None:
        priced = ("", "cost per row", "95 % interval", "baseline", "accuracy", "rows")
        return columns([priced, *map(_by_cost, found)], right=[1, 2, 3, 4, 5])
    head = ("", "accuracy" if is_classifier else "error (RMSE)", "95 % interval", "baseline", "rows")
    return columns([head, *(_cells(figure, is_classifier) for figure in found)], right=[1, 2, 3, 4])


def _cells(figure: Any, is_classifier: bool) -> tuple[str, ...]:
    if is_classifier:
        low, high = 1 - figure.high, 1 - figure.low
        interval = f"{100 * low:.1f} to {100 * high:.1f} %"
        return figure.what, share(1 - figure.error), interval, share(1 - figure.guessing), f"{figure.rows:,}"
    interval = f"{figure.low:.4g} to {figure.high:.4g}"
    return figure.what, f"{figure.error:.4g}", interval, f"{figure.guessing:.4g}", f"{figure.rows:,}"


def _by_cost(figure: Any) -> tuple[str, ...]:
    cost = figure.cost
    interval, accuracy = f"{cost.low:.4g} to {cost.high:.4g}", share(1 - figure.error)
    return figure.what, f"{cost.mean:.4g}", interval, f"{cost.guessing:.4g}", accuracy, f"{figure.rows:,}"


def share(part: float) -> str:
    return f"{100 * part:.1f} %"


def meaning(found: list[Any], is_classifier: bool) -> list[str]:
    """Warnings about metrics that come from few rows or are no better than the baseline."""
    return [remark for figure in found for remark in _remarks(figure, is_classifier)]


def _remarks(figure: Any, is_classifier: bool) -> list[str]:
    rows = "1 row" if figure.rows == 1 else f"{figure.rows} rows"
    if figure.rows < _FEW_ROWS and not figure.what.startswith("cross"):
        return [f"{figure.what}: {rows} {'is' if figure.rows == 1 else 'are'} too few to test on. "
                "Hint: test on more rows, or cross-validate with --cv."]  # fmt: skip
    if figure.is_better:
        return []
    constant = "the class of least cost" if figure.cost is not None else "the commonest class"
    guess = constant if is_classifier else "the mean"
    return [f"{figure.what}: no better than the baseline, {guess}, as far as {rows} can tell. "
            "Hint: more rows, other columns or a smaller tree."]  # fmt: skip
