"""Errors with their intervals in words."""

from __future__ import annotations

from typing import Any

from treewright.cli.output import columns

_FEW_ROWS = 30  # on which a tree is tried that tell little


def figures_text(found: list[Any], is_classifier: bool) -> str:
    """A line per figure, beside guessing; by costs if errors have some."""
    if found[0].cost is not None:
        priced = ("", "cost per row", "95 % interval", "always guessing", "accuracy", "rows")
        return columns([priced, *map(_by_cost, found)], right=[1, 2, 3, 4, 5])
    head = ("", "accuracy" if is_classifier else "error (RMSE)", "95 % interval", "always guessing", "rows")
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
    """What a colleague would say about the figures."""
    return [remark for figure in found for remark in _remarks(figure, is_classifier)]


def _remarks(figure: Any, is_classifier: bool) -> list[str]:
    rows = "1 row" if figure.rows == 1 else f"{figure.rows} rows"
    if figure.rows < _FEW_ROWS and not figure.what.startswith("cross"):
        return [f"{figure.what}: {rows} {'tells' if figure.rows == 1 else 'tell'} next to nothing. "
                "Hint: test on more rows, or cross-validate with --cv."]  # fmt: skip
    if figure.is_better:
        return []
    cheapest = "the cheapest class" if figure.cost is not None else "the commonest class"
    guess = cheapest if is_classifier else "the mean"
    return [f"{figure.what}: no better than always guessing {guess}, as far as {rows} can tell. "
            "Hint: more rows, other columns or a smaller tree."]  # fmt: skip
