"""Models side by side on the same folds, and a test that knows that folds share rows."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict, dataclass
from functools import partial
from typing import Any

import numpy as np
from sklearn.base import is_classifier, is_regressor

from treewright.costs import cost_matrix
from treewright.data.frame import listing
from treewright.data.labelled import Labelled, labelled
from treewright.data.user_warnings import warn_user
from treewright.display import Displayed, DisplayedRecord, row_at
from treewright.errors import OptionError, shown
from treewright.explain.condition_text import one_line
from treewright.model.progress import Step, steps
from treewright.plot_style import label_text, new_axes, theme_of
from treewright.prune.option_checks import check_number, check_whole
from treewright.prune.refit import RowSource, check_estimators, cost_losses, learned, like, losses
from treewright.ties import TIE
from treewright.typing import Floats


@dataclass(frozen=True, repr=False)
class ModelRow(DisplayedRecord):
    """``error`` is that of the validation parts, ``training_error`` of the parts that were learned from, each with its
    standard error. ``fit_seconds`` and ``predict_seconds`` are means over the folds, of learning from a training part
    and of predicting a validation part. ``stored_bytes`` is the mean size of a fitted model, pickled; NaN if it cannot
    be. ``difference`` and ``p`` compare with the first model: the mean of error − its error, and how probable so large
    a difference is between equals. ``leaves`` is NaN for what is no tree."""

    model: str
    error: float
    standard_error: float
    leaves: float
    difference: float
    p: float
    training_error: float
    training_standard_error: float
    fit_seconds: float
    predict_seconds: float
    stored_bytes: float


@dataclass(frozen=True, repr=False)
class ModelComparison(Displayed):
    """A table of models; ``print`` shows it. ``errors`` has a row per model and a column per fold."""

    rows: list[ModelRow]
    errors: Floats

    def __getitem__(self, model: str | int) -> ModelRow:
        """That of a model, or at a place."""
        return row_at(model, self.rows, [row.model for row in self.rows], "model")

    def to_dict(self) -> dict[str, list[Any]]:
        """Columns by name, as every dataframe takes them."""
        return {name: [asdict(row)[name] for row in self.rows] for name in ModelRow.__dataclass_fields__}

    def __str__(self) -> str:
        width = max(len("model"), *(len(row.model) for row in self.rows))
        names = f"{'error':>16}  {'training error':>16}  leaves  difference      p    fit s  predict s     bytes"
        lines = [f"{'model'.ljust(width)}  {names}"]
        for row in self.rows:
            error = f"{row.error:.4g} ± {row.standard_error:.2g}"
            training = f"{row.training_error:.4g} ± {row.training_standard_error:.2g}"
            leaves = "" if math.isnan(row.leaves) else f"{row.leaves:.1f}"
            size = "" if math.isnan(row.stored_bytes) else f"{row.stored_bytes:,.0f}"
            lines.append(
                f"{row.model.ljust(width)}  {error:>16}  {training:>16}  {leaves:>6}  {row.difference:10.4g}"
                f"  {row.p:5.3f}  {row.fit_seconds:7.3g}  {row.predict_seconds:9.3g}  {size:>8}"
            )
        return "\n".join(lines)

    def plot(self, ax: Any = None) -> Any:
        """A line per model: the errors of the folds, their mean and its standard error. Returns matplotlib's axes."""
        axes = new_axes(ax, (6.4, 1.3 + 0.45 * len(self.rows)))
        colours, places = theme_of(axes), np.arange(len(self.rows))[::-1]
        for place, row, errors in zip(places, self.rows, self.errors):
            axes.plot(errors, np.full(len(errors), place), "|", color=colours.soft)
            axes.errorbar(row.error, place, xerr=row.standard_error, fmt="o", capsize=3, color=colours.line(0))
        axes.set_yticks(places, [label_text(one_line(row.model)) for row in self.rows])
        axes.set_ylim(-0.6, len(self.rows) - 0.4)
        axes.set_xlabel("error")
        return axes


def compare(
    models: Iterable[Any] | Mapping[str, Any],
    X: Any,
    y: Any,
    cv: Any = 10,
    *,
    repeats: int = 1,
    random_state: int = 0,
    sample_weight: Any = None,
    costs: Any = None,
) -> ModelComparison:
    """Cross-validate models on the same folds, and test each against the first; also how long they take to learn and to
    predict, how large they are, and their error on the rows they were learned from.

    The error is the share of wrong predictions, or the mean squared error; the test is :func:`corrected_t_test`. What
    the models mind while they learn is their own affair.

    Parameters
    ----------
    models : list or mapping of name to estimator
        Trees of this library and any other estimators with scikit-learn's manners; what they are fitted to is not
        looked at. ``tw.evaluate.compare_trees`` sets fitted trees beside each other as they are.
    X : table
        Any dataframe, array, list of dicts or dict of columns.
    y : array-like
        The target, a value per row.
    cv : int, 'loo' or splitter, default 10
        How many folds; "loo" leaves one row out in turn.
    repeats : int, default 1
        How often the folds are made anew.
    random_state : int, default 0
        The seed of the folds.
    sample_weight : array-like or None, default None
        How much each row counts, in learning and in the error.
    costs : mapping, matrix or None, default None
        What errors cost, as ``tw.CARTClassifier`` takes it; the error is then the mean cost of a prediction.

    Examples
    --------
    >>> import treewright as tw
    >>> from sklearn.datasets import load_iris
    >>> models = {"stump": tw.CARTClassifier(max_depth=1), "tree": tw.CARTClassifier()}
    >>> print(tw.compare(models, *load_iris(return_X_y=True), cv=5))
    model             error    training error  leaves  difference      p    fit s  predict s     bytes
    stump        0.3333 ± 0        0.3333 ± 0     2.0           0  1.000 ...
    tree    0.06667 ± 0.021             0 ± 0     8.4     -0.2667  0.001 ...
    """
    named = dict(models) if isinstance(models, Mapping) else _named(models)
    _warn_of_other_trees(named)
    rows = labelled(X, y, is_classifier=_predict_classes(named), sample_weight=sample_weight)
    check_whole("repeats", repeats, least=1, hint="1 deals the folds once")
    check_whole("random_state", random_state, least=0, hint="the same number deals the same folds")
    folds = [fold for seed in range(repeats) for fold in rows.folds(cv, random_state + seed)]
    source, lost = RowSource(X, y), _loss(rows, costs)
    with steps("cross-validating", len(folds) * len(named)) as step:
        tried = {
            name: [_tried(model, training, part, lost, source, step) for training, part in folds]
            for name, model in named.items()
        }
    errors = np.array([[fold.error for fold in found] for found in tried.values()])
    ratio = folds[0][1].n_rows / folds[0][0].n_rows
    made = [_model_row(name, found, errors[0], ratio) for name, found in tried.items()]
    return ModelComparison(made, errors)


def _warn_of_other_trees(models: Mapping[str, Any]) -> None:
    """Models whose tree is not what their options grow: it was written, or pruned after the fit."""
    names = [name for name, model in models.items() if _is_another_tree(model)]
    if names:
        one = len(names) == 1
        warn_user(
            f"cross-validation grows {listing(names)} anew, by {'its' if one else 'their'} options alone: the "
            f"{'tree was' if one else 'trees were'} written by hand or pruned after the fit. Hint: "
            "tw.evaluate.compare_trees sets trees beside each other as they are; the option prune= is for every fold."
        )


def _is_another_tree(model: Any) -> bool:
    told = getattr(model, "__dict__", {})
    return "_by_hand" in told or ("pruned_" in told and not told.get("prune"))


@dataclass(frozen=True)
class FoldResult:
    """What a model made of one fold."""

    error: float
    training_error: float
    fit_seconds: float
    predict_seconds: float
    stored_bytes: float
    leaves: float


def _tried(
    model: Any, training: Labelled, part: Labelled, lost: Callable[..., Floats], source: RowSource, step: Step
) -> FoldResult:
    start = time.perf_counter()
    fit = learned(partial(like, model, training, source))
    fitted = time.perf_counter()
    error = float(np.average(lost(fit, part, source), weights=part.weights))
    predicted = time.perf_counter()
    training_error = float(np.average(lost(fit, training, source), weights=training.weights))
    step(1)
    leaves = float(fit.tree_.n_leaves) if hasattr(fit, "tree_") and hasattr(fit.tree_, "n_leaves") else math.nan
    return FoldResult(error, training_error, fitted - start, predicted - fitted, _size_of(fit), leaves)


def _size_of(model: Any) -> float:
    """Bytes of a fitted model, pickled: the one form that all estimators have."""
    import pickle

    try:
        return float(len(pickle.dumps(model)))
    except (pickle.PicklingError, TypeError, AttributeError):
        return math.nan


def _loss(rows: Labelled, costs: Any) -> Callable[..., Floats]:
    """What a model loses on every row of a part."""
    if costs is None:
        return losses
    if rows.classes is None:
        raise OptionError("costs are of errors in the class, and the models predict numbers", "leave costs out")
    classes, matrix = rows.classes, cost_matrix(costs, rows.classes)
    return lambda model, part, source: cost_losses(model, part, classes, matrix, source)


def _named(models: Any) -> dict[str, Any]:
    """Names of the classes, numbered where one comes again."""
    models = list(models) if isinstance(models, Iterable) and not hasattr(models, "fit") else [models]
    names = [type(model).__name__ for model in models]
    again = [names[:k].count(name) for k, name in enumerate(names)]
    return {f"{name} {n + 1}" if n else name: model for name, n, model in zip(names, again, models)}


def _predict_classes(named: Mapping[str, Any]) -> bool:
    """Whether all models predict classes; they must not be of both kinds."""
    check_estimators(named.values())
    if not named:
        raise OptionError("models are estimators, got none", "pass at least one")
    kinds = {is_classifier(model) for model in named.values()}
    if len(kinds) > 1 or not (True in kinds or all(map(is_regressor, named.values()))):
        raise OptionError("models must all predict classes or all predict numbers", "compare them apart")
    return True in kinds


def _model_row(name: str, folds: list[FoldResult], first: Floats, ratio: float) -> ModelRow:
    errors, training = (np.array([getattr(fold, of) for fold in folds]) for of in ("error", "training_error"))
    leaves = [fold.leaves for fold in folds if not math.isnan(fold.leaves)]
    difference = _without_rounding(errors - first, errors)
    mean = float(_without_rounding(difference.mean(), errors))
    seconds, predicting, size = (
        float(np.mean([getattr(fold, of) for fold in folds]))
        for of in ("fit_seconds", "predict_seconds", "stored_bytes")
    )
    return ModelRow(
        name, float(errors.mean()), _spread(errors), float(np.mean(leaves or [math.nan])), mean,
        corrected_t_test(difference, ratio), float(training.mean()), _spread(training), seconds, predicting, size,
    )  # fmt: skip


def _spread(errors: Floats) -> float:
    """The standard error of a mean over folds."""
    return float(errors.std(ddof=1) / np.sqrt(len(errors)))


def _without_rounding(difference: Any, errors: Floats) -> Any:
    """Differences that are nothing but rounding are zero: equal models are equal."""
    return np.where(np.abs(difference) <= TIE * np.abs(errors).max(), 0.0, difference)


def corrected_t_test(differences: Any, test_per_training: float) -> float:
    """Two-sided p of the corrected resampled t test (Nadeau & Bengio 2003, *Machine Learning* 52, 239–281).

    The training parts of folds share rows, so that plain t tests see differences where there are none. The variance of
    the mean of k differences is taken as (1/k + n_test/n_training)·s². No spread at all: 1 for a mean of zero, else 0.

    >>> round(corrected_t_test([0.02, 0.01, 0.04, 0.00, 0.03], 1 / 4), 4)
    0.1324
    """
    from scipy.stats import t

    check_number("test_per_training", test_per_training, hint="rows of a fold's test part per row of its training part")
    try:
        d = np.asarray(differences, np.float64)
    except (TypeError, ValueError):
        d = np.empty(0)
    if d.ndim != 1 or len(d) < 2:
        raise OptionError(f"a test needs at least two differences, got {shown(differences)}", "pass one per fold")
    variance = (1 / len(d) + test_per_training) * d.var(ddof=1)
    if variance == 0:
        return 1.0 if d.mean() == 0 else 0.0
    return float(2 * t.sf(abs(d.mean()) / math.sqrt(variance), len(d) - 1))
