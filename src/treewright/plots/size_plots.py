"""Errors against the size of a tree or of a table, and along pruning."""

from __future__ import annotations

from typing import Any

import numpy as np

from treewright.data.labelled import labelled
from treewright.model.evaluate import bias_variance as bias_and_variance
from treewright.model.evaluate import compare, pruning_curve
from treewright.model.evaluate import complexity_curve as curve_of_sizes
from treewright.model.evaluate import learning_curve as curve_of_rows
from treewright.model.evaluate.row_partition import three_parts
from treewright.model.model_pruning import losses_at_nodes
from treewright.plot_style import ink_on, legend, new_axes, theme_of
from treewright.prune import compare as compare_methods
from treewright.prune.refit import check_fitted_tree
from treewright.prune.tree_selection import by_hold_out
from treewright.typing import Floats

_CLOSE = 0.055  # of the axis: labels of leaves nearer than this run into one another


def complexity_curve(model: Any, X: Any, y: Any, cv: Any = None, *, ax: Any = None, **options: Any) -> Any:
    """Training and validation error against the nodes of smaller and larger trees; see
    :func:`tw.evaluate.complexity_curve` for the options. Returns matplotlib's axes."""
    return curve_of_sizes(model, X, y, cv, **options).plot(ax)


def learning_curve(model: Any, X: Any, y: Any, sizes: Any = 5, cv: Any = 5, *, ax: Any = None) -> Any:
    """Training and validation error against the rows learned from; see :func:`tw.evaluate.learning_curve`."""
    return curve_of_rows(model, X, y, sizes, cv).plot(ax)


def bias_variance(model: Any, X: Any, y: Any, leaves: Any = None, *, ax: Any = None, **options: Any) -> Any:
    """Error, bias and variance against the leaves of the tree; see :func:`tw.evaluate.bias_variance`."""
    return bias_and_variance(model, X, y, leaves, **options).plot(ax)


def model_comparison(models: Any, X: Any, y: Any, cv: Any = 10, *, ax: Any = None, **options: Any) -> Any:
    """Errors of models on the same folds; see :func:`tw.compare`. Returns matplotlib's axes."""
    return compare(models, X, y, cv, **options).plot(ax)


def pruning_errors(
    model: Any, X_val: Any, y_val: Any, X_test: Any = None, y_test: Any = None, *, ax: Any = None
) -> Any:
    """Training, validation and test error along reduced-error pruning; see :func:`tw.evaluate.pruning_curve`."""
    return pruning_curve(model, X_val, y_val, X_test, y_test).plot(ax)


def pruning_comparison(model: Any, X: Any, y: Any, methods: Any = None, *, ax: Any = None, **options: Any) -> Any:
    """Every pruning method's leaves and validation error; see :func:`tw.prune.compare`. Returns matplotlib's axes."""
    return compare_methods(model, X, y, methods, **options).plot(ax)


def cost_complexity_path(
    model: Any, X: Any = None, y: Any = None, *, risk: str | None = None, rule: Any = "1se", ax: Any = None
) -> Any:
    """The risk of the trees of the cost-complexity sequence against α, their leaves above. Returns matplotlib's axes.

    X, y: rows the model was not fitted to; then their error is drawn as well, and the tree that ``rule`` chooses.
    """
    check_fitted_tree(model)
    path = model.pruning_path(risk=risk)
    axes = new_axes(ax)
    theme = theme_of(axes)
    ends = np.append(path.alphas, _beyond(path.alphas))
    axes.stairs(path.risks, ends, baseline=None, color=theme.line(0), linewidth=1.8, label="training risk")
    if X is not None:
        rows = labelled(X, y, is_classifier=model.schema_.target.classes is not None)
        choice = by_hold_out(path, losses_at_nodes(model, rows), rule)
        axes.stairs(choice.error, ends, baseline=None, color=theme.line(1), linewidth=1.8, linestyle="--",
                    label="validation error")  # fmt: skip
        axes.axvspan(ends[choice.place], ends[choice.place + 1], color=theme.line(1), alpha=0.12, linewidth=0,
                     label=f"chosen: {path.leaves[choice.place]} leaves")  # fmt: skip
    positive = path.alphas[path.alphas > 0]
    axes.set_xscale("symlog", linthresh=float(positive.min()) if positive.size else 1.0)
    axes.set_xlim(0, ends[-1])
    axes.set_ylim(bottom=0)
    axes.set_xlabel("complexity parameter α")
    axes.set_ylabel("risk")
    _tell_leaves(axes, ends, path.leaves)
    legend(axes)
    return axes


def _beyond(alphas: Floats) -> float:
    """An end for the last tree, which is right for every larger α."""
    return float(2 * alphas[-1]) or 1.0


def _tell_leaves(axes: Any, ends: Floats, leaves: Any) -> None:
    """The leaves of the trees along the upper edge, as many as can be read."""
    scale = axes.xaxis.get_transform()
    low, high = scale.transform(np.array([ends[0], ends[-1]]))
    middle = (scale.transform(ends[:-1]) + scale.transform(ends[1:])) / 2
    shown, last = [], -np.inf
    for k, place in enumerate((middle - low) / (high - low)):
        if place - last > _CLOSE:
            shown.append(k)
            last = place
    at = scale.inverted().transform(middle[shown])
    for x, count in zip(at, leaves[shown]):
        axes.annotate(str(count), (x, 1), (0, 3), xycoords=axes.get_xaxis_transform(), textcoords="offset points",
                      ha="center", va="bottom", fontsize=8, color=theme_of(axes).ink)  # fmt: skip
    axes.set_title("leaves", loc="left", fontsize=9, color=theme_of(axes).ink, pad=14)


def row_parts(y: Any, *, test: float = 0.3, pruning: float = 0.3, ax: Any = None) -> Any:
    """How rows are divided: to grow from, to prune with, to test on (:func:`tw.evaluate.three_parts`).

    Returns matplotlib's axes.
    """
    grown, pruned, tested = (len(part) for part in three_parts(y, test=test, pruning=pruning))
    axes = new_axes(ax, (6.4, 2.0))
    theme = theme_of(axes)
    rest = grown + pruned
    bars = [(1, 0, rest, "training", 5), (1, rest, tested, "test", 1),
            (0, 0, grown, "growing", 0), (0, grown, pruned, "pruning", 2), (0, rest, tested, "test", 1)]  # fmt: skip
    for line, start, width, name, hue in bars:
        colour = theme.tint(theme.hues[hue], 0.6)
        axes.barh(line, width, left=start, height=0.62, color=colour, edgecolor=theme.ink, linewidth=0.8)
        axes.text(
            start + width / 2, line, f"{name}\n{width}", ha="center", va="center", fontsize=9, color=ink_on(colour)
        )
    axes.set_yticks([])
    axes.grid(False)
    axes.set_xlim(0, rest + tested)
    axes.set_xlabel("rows")
    return axes
