"""Measures of impurity, what cuts and columns gain by them, and what a tree has gained."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from treewright.criteria import CRITERIA, dkm, entropy, gini, misclassification
from treewright.criteria.argument_checks import Base
from treewright.data.frame import read_frame
from treewright.errors import OptionError, unknown
from treewright.explain.condition_text import one_line
from treewright.explain.number_text import plural
from treewright.explain.printed_cuts import cut_text
from treewright.model.column_reports.cut_scores import CutScores, cut_scores
from treewright.model.column_reports.ranking import rank_attributes
from treewright.plot_style import LINE_STYLES, colour_map, ink_on, label_text, legend, new_axes, theme_of, title
from treewright.plots.branch_table import branch_table
from treewright.plots.class_marks import class_marks
from treewright.typing import Floats

_IMPURITIES = {"entropy": entropy, "gini": gini, "misclassification": misclassification, "dkm": dkm}
_MOST_BARS = 20
_MANY_CUTS = 40  # from here on cuts are a line without points
_RUG = 0.045  # of the height: a line of rows below the scores
_NAMED_CUTS = 8  # up to so many are told one by one


def impurity_curves(
    measures: Iterable[str] = ("entropy", "gini", "misclassification"),
    *,
    base: Base = 2,
    scaled: bool = False,
    ax: Any = None,
) -> Any:
    """Impurity of two classes against the share of the first. Returns matplotlib's axes.

    measures: of "entropy", "gini", "misclassification" and "dkm". base: of the entropy's logarithm. ``scaled`` divides
    each by its largest value, so that their forms can be compared.
    """
    names = [measures] if isinstance(measures, str) else list(measures)
    for name in names:
        if name not in _IMPURITIES:
            raise unknown("measure", name, _IMPURITIES)
    share = np.linspace(0, 1, 201)
    axes = new_axes(ax)
    for place, name in enumerate(names):
        axes.plot(share, _impurity(name, share, base, scaled), LINE_STYLES[place % len(LINE_STYLES)],
                  color=theme_of(axes).line(place), linewidth=2, label=name)  # fmt: skip
    axes.set_xlabel("share of the first class")
    axes.set_ylabel("impurity, of at most 1" if scaled else "impurity")
    axes.set_xlim(0, 1)
    axes.set_ylim(bottom=0)
    legend(axes)
    return axes


def _impurity(name: str, share: Floats, base: Base, scaled: bool) -> Floats:
    counts = np.stack([share, 1 - share], axis=-1)
    values = entropy(counts, base=base) if name == "entropy" else _IMPURITIES[name](counts)
    return np.asarray(values / values.max() if scaled else values)


def gain_by_threshold(
    X: Any, y: Any, column: Any = None, by: str | None = None, *, base: Base = 2, ax: Any = None
) -> Any:
    """What every cut of a numeric column gains at the root, the best marked, with the rows. Returns matplotlib's axes.

    by: a criterion; information gain for classes and the decrease in variance for numbers. base: of its logarithm.
    """
    found = cut_scores(X, y, column, by, base=base)
    if not found.thresholds.size:
        raise OptionError(f"column {found.column.name!r} has one value, and nothing to cut", "choose another column")
    axes = new_axes(ax)
    theme, best = theme_of(axes), found.best
    marker = "o" if len(found.thresholds) < _MANY_CUTS else None
    axes.plot(found.thresholds, found.scores, marker=marker, color=theme.line(0), label=_measure_name(found.by, base))
    axes.axvline(found.thresholds[best], linestyle=":", color=theme.soft)
    words = f"best: {_threshold_text(found, best)}, {found.scores[best]:.4g}"
    axes.plot([found.thresholds[best]], [found.scores[best]], "*", markersize=14, color=theme.line(1), label=words)
    if len(found.thresholds) <= _NAMED_CUTS:
        for threshold, score in zip(found.thresholds, found.scores):
            above = 11 if threshold == found.thresholds[best] else 7
            axes.annotate(f"{score:.3f}", (threshold, score), (0, above), textcoords="offset points", ha="center",
                          fontsize=8, color=theme.ink)  # fmt: skip
    _rug(axes, found)
    axes.set_xlabel(f"{label_text(one_line(found.column.name))} (threshold)")
    axes.set_ylabel(_measure_name(found.by, base))
    legend(axes, outside=True)
    return axes


def _threshold_text(found: CutScores, place: int) -> str:
    return f"≤ {cut_text(float(found.thresholds[place]), found.values, found.column.unit)}"


def _measure_name(by: str, base: Base) -> str:
    criterion = CRITERIA[by]
    unit = {2: " (bits)", "e": " (nats)"}.get(base, f" (base {base})") if by == "entropy" else ""
    return f"−ln {criterion.title}" if criterion.is_p_value else f"{criterion.title}{unit}"


def _rug(axes: Any, found: CutScores) -> None:
    """The rows below the curve: classes by marker and colour, numbers as ticks."""
    theme, strip = theme_of(axes), axes.get_xaxis_transform()
    _leave_strip(axes, found, 1 if found.classes is None else min(len(found.classes), len(theme.hues)))
    if found.classes is None:
        axes.plot(found.values, np.full(len(found.values), 0.03), "|", color=theme.soft, transform=strip, label="rows")
        return
    counts = np.bincount(found.y, minlength=len(found.classes)).astype(np.float64)
    marks = class_marks(found.classes, counts, theme)
    for k, name in enumerate(marks.names):
        here = marks.group[found.y] == k
        if here.any():
            heights = np.full(int(here.sum()), _RUG * (k + 0.6))
            axes.plot(found.values[here], heights, marks.markers[k], transform=strip,
                      color=marks.colours[k], markeredgecolor=theme.ink, markeredgewidth=0.5, markersize=6, label=name,
                      clip_on=False)  # fmt: skip


def _leave_strip(axes: Any, found: CutScores, lines: int) -> None:
    """Room below the lowest score for so many lines of rows; the axis says nothing there."""
    low, high = min(0.0, float(found.scores.min())), max(float(found.scores.max()), 1e-12)
    part = _RUG * (lines + 0.5)
    axes.set_ylim(low - part / (1 - part) * 1.12 * (high - low), high + 0.12 * (high - low))
    axes.set_yticks([tick for tick in axes.get_yticks() if low <= tick <= high + 0.12 * (high - low)])


def candidate_cuts(
    X: Any, y: Any, columns: Any = None, by: str | None = None, *, base: Base = 2, ax: Any = None
) -> Any:
    """Rows in the plane of two numeric columns, and all cuts with what each gains at the root. Returns the axes.

    The best is drawn thick, the first of equals. by, base: as in :func:`gain_by_threshold`.
    """
    frame = read_frame(X)
    names = list(frame.names[:2]) if columns is None else list(columns)
    if len(names) != 2:
        raise OptionError(f"columns are two numeric ones, got {names}", f"such as {list(frame.names[:2])}")
    first, second = (cut_scores(X, y, name, by, base=base) for name in names)
    if len(first.values) != len(second.values):
        raise OptionError("a row has a missing value, and has no place in the plane", "leave such rows out")
    axes = new_axes(ax)
    _draw_points(axes, first, second)
    tops = [found.scores.max() if found.scores.size else -np.inf for found in (first, second)]
    winner = 0 if tops[0] >= tops[1] - 1e-12 else 1
    for place, found in enumerate((first, second)):
        for k in range(len(found.thresholds)):
            _draw_candidate(axes, found, k, upright=place == 0, best=place == winner and k == found.best)
    axes.set_xlabel(label_text(one_line(first.column.name)))
    axes.set_ylabel(label_text(one_line(second.column.name)))
    title(axes, f"{_measure_name(first.by, base)} of every cut")
    return axes


def _draw_points(axes: Any, first: CutScores, second: CutScores) -> None:
    theme = theme_of(axes)
    axes.grid(False)
    axes.margins(0.12)
    if first.classes is None:
        ramp = colour_map(theme)
        points = axes.scatter(first.values, second.values, c=first.y, cmap=ramp, edgecolors=theme.ink, s=70)
        axes.get_figure().colorbar(points, ax=axes)
        return
    marks = class_marks(first.classes, np.bincount(first.y, minlength=len(first.classes)).astype(float), theme)
    for k, name in enumerate(marks.names):
        here = marks.group[first.y] == k
        axes.scatter(first.values[here], second.values[here], s=70, marker=marks.markers[k], color=marks.colours[k],
                     edgecolors=theme.ink, linewidths=0.7, label=name, zorder=3)  # fmt: skip
    legend(axes, outside=True)


def _draw_candidate(axes: Any, found: CutScores, k: int, *, upright: bool, best: bool) -> None:
    theme, at, gain = theme_of(axes), float(found.thresholds[k]), float(found.scores[k])
    look = {"color": theme.line(1) if best else theme.soft, "linestyle": "-" if best else "--",
            "linewidth": 2.4 if best else 1.1, "zorder": 1}  # fmt: skip
    words = {"color": theme.ink, "fontsize": 8.5, "fontweight": "bold" if best else "normal"}
    if upright:
        axes.axvline(at, **look)
        axes.annotate(f"{gain:.2f}", (at, 1), (3, -3), xycoords=axes.get_xaxis_transform(), textcoords="offset points",
                      ha="left", va="top", **words)  # fmt: skip
    else:
        axes.axhline(at, **look)
        axes.annotate(f"{gain:.2f}", (1, at), (-3, 3), xycoords=axes.get_yaxis_transform(), textcoords="offset points",
                      ha="right", va="bottom", **words)  # fmt: skip


# ---- columns -----------------------------------------------------------------------------------------------------


def attribute_ranking(X: Any, y: Any, by: str | None = None, *, ax: Any = None, **options: Any) -> Any:
    """Columns by what each alone gains as the first test, best on top. Returns matplotlib's axes.

    by and other options are those of :func:`tw.rank_attributes`. A p-value is shown as −ln p.
    """
    ranking = rank_attributes(X, y, by, **options)
    criterion = CRITERIA.get(ranking.by)
    name = ranking.by if criterion is None else f"−ln {criterion.title}" if criterion.is_p_value else criterion.title
    rows = [(row.attribute, row.test, max(row.score, 0.0)) for row in ranking]
    axes = new_axes(ax, _bars_size(len(rows)))
    _bars(axes, [(f"{label_text(one_line(n), 28)}  ({t.replace('<=', '≤')})", score) for n, t, score in rows])
    axes.set_xlabel(name)
    return axes


def importance(model: Any, *, ax: Any = None) -> Any:
    """The share of every column in what a tree gains (``feature_importances_``), largest on top. Returns the axes.

    model: a tree, or any fitted estimator that has the attribute.
    """
    if not hasattr(model, "feature_importances_"):
        raise OptionError(f"{type(model).__name__} has no feature_importances_", "fit a tree first")
    shares = np.asarray(model.feature_importances_, np.float64)
    names = model.schema_.names if hasattr(model, "schema_") else getattr(model, "feature_names_in_", None)
    names = [f"x{j}" for j in range(len(shares))] if names is None else list(names)
    order = [j for j in np.argsort(-shares, kind="stable") if shares[j] > 0]
    axes = new_axes(ax, _bars_size(len(order)))
    _bars(axes, [(label_text(one_line(str(names[j])), 32), float(shares[j])) for j in order])
    axes.set_xlabel("share of the gain")
    without = len(shares) - len(order)
    if without:
        title(axes, f"{axes.get_title(loc='left')} {plural(without, 'column')} without any".strip())
    return axes


def _bars_size(count: int) -> tuple[float, float]:
    return 6.4, 1.2 + 0.28 * min(max(count, 3), _MOST_BARS + 1)


def _bars(axes: Any, rows: list[tuple[str, float]]) -> None:
    """Bars from the top down, with their numbers; what does not fit is told in one line."""
    shown, more = rows[:_MOST_BARS], len(rows) - _MOST_BARS
    values, places = [value for _, value in shown], np.arange(len(shown))
    axes.barh(places, values, color=theme_of(axes).line(0), height=0.7)
    axes.set_yticks(places, [name for name, _ in shown])
    axes.invert_yaxis()
    axes.grid(False, axis="y")
    axes.set_xlim(0, 1.14 * max([*values, 1e-12]))
    for place, value in zip(places, values):
        axes.annotate(f"{value:.3g}", (value, place), (3, 0), textcoords="offset points", va="center", fontsize=8,
                      color=theme_of(axes).ink)  # fmt: skip
    if more > 0:
        title(axes, f"the first {_MOST_BARS}, {plural(more, 'more column')};")


def branch_counts(X: Any, y: Any, column: Any = None, *, ax: Any = None) -> Any:
    """The classes in every branch of one column as a test: a bar per level, or below and above the best cut.

    column: a name or a place; the best by information gain, unless given. Returns matplotlib's axes.
    """
    found = branch_table(X, y, column)
    axes = new_axes(ax)
    theme = theme_of(axes)
    totals = found.counts.sum(0)
    marks, places, below = class_marks(found.classes, totals, theme), np.arange(len(found.branches)), 0.0
    for k, name in enumerate(marks.names):
        heights = found.counts[:, marks.group == k].sum(1)
        bars = axes.bar(places, heights, bottom=below, width=0.7, color=theme.tint(marks.colours[k], 0.75), label=name,
                        edgecolor=theme.ink, linewidth=0.7)  # fmt: skip
        axes.bar_label(bars, [f"{n:g}" if n else "" for n in heights], label_type="center", fontsize=9,
                       color=ink_on(theme.tint(marks.colours[k], 0.75)))  # fmt: skip
        below = below + heights
    axes.set_xticks(places, [label_text(text, 18) for text in found.branches])
    axes.grid(False, axis="x")
    axes.set_xlabel(label_text(one_line(found.name)))
    axes.set_ylabel("rows")
    title(axes, f"information gain {found.gain:.4f} bits")
    legend(axes, outside=True)
    return axes
