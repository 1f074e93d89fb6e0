"""How well classes are predicted: confusion matrix, ROC, calibration, gains and lift."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from treewright.data.labelled import labelled
from treewright.errors import DataError, OptionError, unknown
from treewright.explain.condition_text import level_text
from treewright.explain.number_text import plural
from treewright.model.batch_prediction import predictions_of
from treewright.model.evaluate import evaluate
from treewright.plot_style import LINE_STYLES, ink_on, label_text, legend, new_axes, theme_of, title
from treewright.plots.plane_rows import class_codes, classes_of
from treewright.prune.refit import RowSource
from treewright.typing import Array, Floats, Ints

_MOST_NUMBERS = 30  # classes up to which every cell is told
_MOST_LINES = 6


@dataclass(frozen=True, eq=False)
class ClassScores:
    """Of rows: the code of the true class, the probability of every class, and the code of the predicted one."""

    classes: tuple[Any, ...]
    truth: Ints
    shares: Floats
    predicted: Ints
    weights: Floats

    def name(self, code: int) -> str:
        return label_text(level_text(_plain(self.classes[code])), 20)


def class_scores(model: Any, X: Any, y: Any, sample_weight: Any = None) -> ClassScores:
    """What a fitted classifier says of rows whose class is known: of this library, or with ``predict_proba``."""
    classes = classes_of(model)
    if classes is None:
        raise OptionError(
            f"{type(model).__name__} predicts numbers, and this plot is of classes", "use regression_steps"
        )
    rows = labelled(X, y, is_classifier=True, sample_weight=sample_weight)
    truth = class_codes(rows, classes)
    if (truth < 0).any():
        raise DataError(
            f"y holds {rows.labels[truth < 0][0]!r}, a class the model was not fitted to",
            f"the classes are {', '.join(repr(_plain(label)) for label in classes)}",
        )
    weights = np.ones(rows.n_rows) if rows.weights is None else rows.weights
    if hasattr(model, "schema_") or hasattr(model, "schema"):
        found = predictions_of(model, rows.frame)
        assert found.codes is not None
        return ClassScores(classes, truth, found.values, found.codes, weights)
    if not hasattr(model, "predict_proba"):
        raise OptionError(f"{type(model).__name__} has no predict_proba", "pass a classifier that has")
    shares = np.asarray(model.predict_proba(RowSource(X, y).table(rows.row)), np.float64)
    return ClassScores(classes, truth, shares, shares.argmax(1), weights)


def _plain(label: Any) -> Any:
    return label.item() if hasattr(label, "item") else label


def confusion_matrix(
    model: Any, X: Any, y: Any, *, normalise: bool = False, sample_weight: Any = None, ax: Any = None
) -> Any:
    """True classes in rows, predicted ones in columns. Returns matplotlib's axes.

    ``normalise`` shows shares of the true class instead of rows.
    """
    from matplotlib.colors import LinearSegmentedColormap

    found = class_scores(model, X, y, sample_weight)
    counts = np.zeros((len(found.classes),) * 2)
    np.add.at(counts, (found.truth, found.predicted), found.weights)
    totals = counts.sum(1, keepdims=True)
    cells = np.divide(counts, totals, out=np.zeros_like(counts), where=totals > 0) if normalise else counts
    axes = new_axes(ax, _matrix_size(len(counts)))
    theme = theme_of(axes)
    ramp = LinearSegmentedColormap.from_list("cells", [theme.paper, theme.line(0)])
    image = axes.imshow(cells, cmap=ramp, vmin=0, vmax=max(1e-12, float(cells.max())))
    names = [found.name(k) for k in range(len(counts))]
    axes.set_xticks(range(len(names)), names, rotation=0 if sum(map(len, names)) < 40 else 45, ha="center"
                    if sum(map(len, names)) < 40 else "right", rotation_mode="anchor")  # fmt: skip
    axes.set_yticks(range(len(names)), names)
    axes.grid(False)
    axes.set_xlabel("predicted class")
    axes.set_ylabel("true class")
    if len(names) <= _MOST_NUMBERS:
        _tell_cells(axes, cells, image, normalise)
    right = counts.trace() / counts.sum()
    title(axes, f"{100 * right:.1f} % of {plural(len(found.truth), 'row')} right")
    return axes


def _matrix_size(count: int) -> tuple[float, float]:
    side = min(9.0, max(3.6, 0.42 * count + 1.8))
    return side + 0.9, side


def _tell_cells(axes: Any, cells: Floats, image: Any, normalise: bool) -> None:
    size = 9 if len(cells) <= 12 else 7
    for (row, column), value in np.ndenumerate(cells):
        if value:
            text = f"{value:.2f}" if normalise else f"{value:,.6g}"
            axes.text(
                column, row, text, ha="center", va="center", fontsize=size, color=ink_on(image.to_rgba(value)[:3])
            )


def roc(model: Any, X: Any, y: Any, *, positive: Any = None, sample_weight: Any = None, ax: Any = None) -> Any:
    """ROC curves with their areas: of the positive class of two, else of every class against the rest.

    positive: the class to be found, unless given the second of two classes. Where there are more than six classes,
    those with the least area are named. Returns matplotlib's axes.
    """
    from sklearn.metrics import auc, roc_curve

    found = class_scores(model, X, y, sample_weight)
    axes = new_axes(ax, (5.6, 4.6))
    theme = theme_of(axes)
    axes.plot([0, 1], [0, 1], ":", color=theme.soft, label="by chance")
    curves = []
    for code in _wanted(found, positive):
        hit = found.truth == code
        if hit.any() and not hit.all():
            false, true, _ = roc_curve(hit, found.shares[:, code], sample_weight=found.weights, drop_intermediate=False)
            curves.append((float(auc(false, true)), code, false, true))
    if not curves:
        raise DataError("the rows have one class only, and nothing to tell apart", "pass rows of several classes")
    named = {code for _, code, *_ in sorted(curves)[:_MOST_LINES]} if len(curves) > _MOST_LINES else None
    for place, (area, code, false, true) in enumerate(curves):
        if named is None or code in named:
            axes.plot(false, true, LINE_STYLES[place % 4], color=theme.line(place), linewidth=1.8,
                      label=f"{found.name(code)}: area {area:.3f}")  # fmt: skip
        else:
            axes.plot(false, true, color=theme.soft, linewidth=0.7, zorder=1, label=f"_{found.name(code)}")
    if named is not None:
        title(axes, f"the {len(named)} classes of least area, and {len(curves) - len(named)} more")
    axes.set_xlabel("false positive rate")
    axes.set_ylabel("true positive rate")
    axes.set_aspect("equal")
    legend(axes, loc="lower right")
    return axes


def _wanted(found: ClassScores, positive: Any) -> list[int]:
    if positive is not None:
        return [positive_code(found, positive)]
    return [1] if len(found.classes) == 2 else list(range(len(found.classes)))


def positive_code(found: ClassScores, positive: Any) -> int:
    """The place of the class to be found: the second of two, unless it is named."""
    names = [_plain(label) for label in found.classes]
    if positive is None:
        if len(names) != 2:
            raise OptionError(f"there are {len(names)} classes, and one is to be found", "say which: positive=…")
        return 1
    texts = [str(name) for name in names]
    if positive not in names and str(positive) not in texts:
        raise unknown("class", positive, texts)
    return names.index(positive) if positive in names else texts.index(str(positive))


def calibration(model: Any, X: Any, y: Any, bins: int = 10, *, sample_weight: Any = None, ax: Any = None) -> Any:
    """How often predictions were right against how sure the tree was of them. Returns matplotlib's axes."""
    return evaluate(model, X, y, bins, sample_weight=sample_weight).plot(ax)


def gains_chart(model: Any, X: Any, y: Any, *, positive: Any = None, sample_weight: Any = None, ax: Any = None) -> Any:
    """The share of a class that is found among the rows likeliest to be of it. Returns matplotlib's axes.

    positive: the class, unless given the second of two. Rows of equal probability come together.
    """
    name, base, taken, hits = _found_among(class_scores(model, X, y, sample_weight), positive)
    axes = new_axes(ax)
    theme = theme_of(axes)
    axes.plot(taken, hits, marker=".", color=theme.line(0), label="model")
    axes.plot([0, base, 1], [0, 1, 1], "--", color=theme.line(2), label="best there is")
    axes.plot([0, 1], [0, 1], ":", color=theme.soft, label="by chance")
    axes.set_xlabel("share of the rows, likeliest first")
    axes.set_ylabel(f"share of {name} found")
    legend(axes, loc="lower right")
    return axes


def lift(model: Any, X: Any, y: Any, *, positive: Any = None, sample_weight: Any = None, ax: Any = None) -> Any:
    """How many times more often a class occurs among the rows likeliest to be of it. Returns matplotlib's axes.

    positive: the class, unless given the second of two.
    """
    name, base, taken, hits = _found_among(class_scores(model, X, y, sample_weight), positive)
    axes = new_axes(ax)
    theme = theme_of(axes)
    # Between two probabilities the rows found grow evenly, so that the lift is a curve.
    along = np.union1d(np.linspace(taken[1], 1, 200), taken[1:])
    axes.plot(along, np.interp(along, taken, hits) / along, color=theme.line(0), label="model")
    axes.plot(taken[1:], hits[1:] / taken[1:], ".", color=theme.line(0), markersize=9, label="_points")
    best = np.linspace(0.005, 1, 200)
    axes.plot(best, np.minimum(1 / base, 1 / best), "--", color=theme.line(2), label="best there is")
    axes.axhline(1, linestyle=":", color=theme.soft, label="by chance")
    axes.set_xlabel("share of the rows, likeliest first")
    axes.set_ylabel(f"lift of {name}")
    axes.set_xlim(0, 1)
    axes.set_ylim(bottom=0)
    legend(axes)
    return axes


def _found_among(scores: ClassScores, positive: Any) -> tuple[str, float, Floats, Floats]:
    """The class, its share, and at every distinct probability the share of rows above it and of the class found."""
    code = positive_code(scores, positive)
    hit = (scores.truth == code) * scores.weights
    if not hit.sum():
        raise DataError(f"no row is of class {_plain(scores.classes[code])!r}", "pass rows of both classes")
    taken, found = cumulative(scores.shares[:, code], scores.weights), cumulative(scores.shares[:, code], hit)
    return scores.name(code), float(hit.sum() / scores.weights.sum()), taken, found


def cumulative(score: Floats, weight: Array) -> Floats:
    """Shares of the weight at or above every distinct score, the highest first, after a zero.

    >>> cumulative(np.array([0.9, 0.5, 0.5, 0.1]), np.ones(4)).tolist()
    [0.0, 0.25, 0.75, 1.0]
    """
    distinct, place = np.unique(-np.round(score, 12), return_inverse=True)
    sums = np.bincount(place, weight, len(distinct)).cumsum()
    return np.concatenate([[0.0], sums / sums[-1]])
