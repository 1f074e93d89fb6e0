"""An ensemble in a few lines of text."""

from __future__ import annotations

from typing import Any

import numpy as np

from treewright.explain.number_text import format_number, format_share, plural

_MOST_COLUMNS = 8
_LEAST_SHARE = 0.005  # columns of less are not named


def summary(model: Any) -> str:
    """Rows, members, their size, the out-of-bag error and the columns that gain most."""
    return "\n".join([_first_line(model), *_size(model), *_out_of_bag(model), *_columns(model)])


def _first_line(model: Any) -> str:
    what = plural(len(model), "tree" if hasattr(model.members_, "trees") else "member")
    return f"{type(model).__name__}: {model.schema_.target.name} — {plural(model.n_rows_, 'row')}, {what}"


def _size(model: Any) -> list[str]:
    if not hasattr(model.members_, "trees"):
        return []
    leaves = np.array([tree.n_leaves for tree in model.trees_])
    depths = np.array([tree.depth for tree in model.trees_])
    return [f"leaves {range_text(leaves)}, depth {range_text(depths)}"]


def range_text(numbers: Any) -> str:
    """From the least to the greatest whole number, and their mean.

    >>> range_text(np.array([1197, 1491])), range_text(np.array([3, 4]))
    ('1,197–1,491 (mean 1,344)', '3–4 (mean 3.5)')
    """
    low, high, mean = int(numbers.min()), int(numbers.max()), float(numbers.mean())
    return f"{low:,}" if low == high else f"{low:,}–{high:,} (mean {mean:{',.0f' if mean >= 100 else '.3g'}})"


def error_text(model: Any, error: float) -> str:
    """An error as the target has it: a share, or a root mean square."""
    return f"{100 * error:.1f} %" if model.schema_.target.classes is not None else f"RMSE {format_number(error)}"


def _out_of_bag(model: Any) -> list[str]:
    found = model.__dict__.get("oob_")
    if found is None or np.isnan(found.error):
        return []
    half = len(found.curve) // 2
    before = f" (with {plural(half, 'member')} {error_text(model, float(found.curve[half - 1]))})" if half else ""
    return [f"out-of-bag error {error_text(model, found.error)}{before}"]


def _columns(model: Any) -> list[str]:
    if not hasattr(model.members_, "trees"):
        return []
    shares = model.feature_importances_
    order = [int(j) for j in np.argsort(-shares, kind="stable") if shares[j] >= _LEAST_SHARE]
    if not order:
        return []
    named = [f"{model.schema_.names[j]} {format_share(float(shares[j]), ' ')}" for j in order[:_MOST_COLUMNS]]
    more = f", and {len(order) - _MOST_COLUMNS} more" if len(order) > _MOST_COLUMNS else ""
    return [f"share of the gain: {', '.join(named)}{more}"]
