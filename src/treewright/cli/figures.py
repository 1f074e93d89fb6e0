"""Errors with their intervals in words."""

from __future__ import annotations

from typing import Any

from treewright.cli.output import columns


def figures_text(found: list[Any], is_classifier: bool) -> str:
    """A line per figure, beside guessing."""
    head = ("", "accuracy" if is_classifier else "error (RMSE)", "95 % interval", "always guessing", "rows")
    return columns([head, *(_cells(figure, is_classifier) for figure in found)], right=[1, 2, 3, 4])


def _cells(figure: Any, is_classifier: bool) -> tuple[str, ...]:
    if is_classifier:
        low, high = 1 - figure.high, 1 - figure.low
        interval = f"{100 * low:.1f} to {100 * high:.1f} %"
        return figure.what, _share(1 - figure.error), interval, _share(1 - figure.guessing), f"{figure.rows:,}"
    interval = f"{figure.low:.4g} to {figure.high:.4g}"
    return figure.what, f"{figure.error:.4g}", interval, f"{figure.guessing:.4g}", f"{figure.rows:,}"


def _share(share: float) -> str:
    return f"{100 * share:.1f} %"


def meaning(found: list[Any], is_classifier: bool) -> list[str]:
    """What a colleague would say about the figures."""
    guess = "the commonest class" if is_classifier else "the mean"
    return [
        f"{figure.what}: no better than always guessing {guess}, as far as {figure.rows} rows can tell. "
        "Hint: more rows, other columns or a smaller tree."
        for figure in found
        if not figure.is_better
    ]
