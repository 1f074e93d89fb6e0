"""How good a model is, how that changes with its size and its rows, and whether another is better.

Splitters and metrics are scikit-learn's; what is added is the picture of overfitting along a pruning sequence, and a
test between models that knows that folds share rows.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from treewright.data.labelled import Labelled, deal, labelled
from treewright.data.target import encode_classes, read_target
from treewright.errors import DataError, OptionError, shown
from treewright.leaves import decided
from treewright.model.base import TreeModel
from treewright.model.expected import ExpectedCost
from treewright.model.pruning import fold_paths, losses_at_nodes
from treewright.prune.choose import Choice, by_folds, by_hold_out
from treewright.prune.cost_complexity import CostComplexity
from treewright.prune.counts import training_loss
from treewright.prune.refit import like, losses, new_axes
from treewright.typing import Array, Floats, Ints

# ---------------------------------------------------------------- rows in parts


def three_parts(y: Any, *, test: float = 0.3, pruning: float = 0.3, random_state: Any = 0) -> tuple[Ints, Ints, Ints]:
    """Row numbers to grow from, to prune with and to test on: ``pruning`` is a share of what ``test`` leaves over.

    Each part has its share of every class; a target of numbers with decimals is dealt as it comes.

    >>> grow, prune, test = three_parts(["yes", "no"] * 50)
    >>> len(grow), len(prune), len(test)
    (49, 21, 30)
    """
    column = read_target(y)
    rows = np.arange(len(column))
    try:
        codes: Array | None = encode_classes(y)[1].astype(np.int64)
    except DataError:  # numbers
        codes = None
    rest, tested = deal(rows, codes, test, random_state)
    grown, pruned = deal(rest, None if codes is None else codes[rest], pruning, random_state)
    return grown, pruned, tested


# ---------------------------------------------------------------- curves


@dataclass(frozen=True, eq=False)
class Curve:
    """Training and validation error, a mean per point with its standard error, against ``sizes``.

    ``what`` says what the sizes count. ``chosen`` is the place of the point that was chosen, if one was.
    """

    what: str
    sizes: Ints
    training: Floats
    validation: Floats
    standard_error: Floats
    chosen: int | None = None

    def to_dict(self) -> dict[str, list[Any]]:
        names = ("sizes", "training", "validation", "standard_error")
        return {name: getattr(self, name).tolist() for name in names}

    def plot(self, ax: Any = None) -> Any:
        """Both errors against size, the chosen point marked. Returns matplotlib's axes."""
        axes = new_axes() if ax is None else ax
        axes.plot(self.sizes, self.training, marker=".", label="training")
        axes.errorbar(self.sizes, self.validation, yerr=self.standard_error, marker=".", capsize=2, label="validation")
        if self.chosen is not None:
            axes.axvline(self.sizes[self.chosen], linestyle=":", color="grey", label="chosen")
        axes.set_xlabel(self.what)
        axes.set_ylabel("error")
        axes.legend()
        return axes


def complexity_curve(
    model: TreeModel, X: Any, y: Any, cv: Any = None, *, risk: str | None = None, rule: str = "1se"
) -> Curve:
    """The picture of overfitting: errors along the cost-complexity sequence of a model, against the number of nodes.

    Without ``cv``, X and y are rows the model was not fitted to; with it they are the rows of the fit, and validation
    errors are those of trees grown without each fold. The smallest tree is the first point.

    >>> import treewright as tw
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> curve = complexity_curve(tw.CARTClassifier().fit(X[::2], y[::2]), X[1::2], y[1::2])
    >>> bool(curve.training[0] > curve.training[-1] == 0)
    True
    """
    check_is_fitted(model, "tree_")
    rows = labelled(X, y, is_classifier=_is_classifier(model))
    pruner = CostComplexity(risk=risk, rule=rule)
    path = pruner.path(model.tree_, model.schema_)
    choice: Choice
    if cv is None:
        choice = by_hold_out(path, losses_at_nodes(model, rows), rule)
    else:
        choice = by_folds(path, fold_paths(model, pruner, rows, cv), rule)
    training = path.along(training_loss(model.tree_, model.schema_)) / _weight(model)
    errors = training[::-1], choice.error[::-1], choice.standard_error[::-1]
    return Curve("nodes", path.nodes[::-1], *errors, chosen=len(path) - 1 - choice.place)


def learning_curve(model: TreeModel, X: Any, y: Any, sizes: Any = 5, cv: Any = 5, random_state: Any = None) -> Curve:
    """Errors of models like this one, fitted to more and more rows: means over the folds.

    sizes: shares of the training part, or how many of them, evenly from a fifth (of 5) to all.

    >>> import treewright as tw
    >>> from sklearn.datasets import load_iris
    >>> learning_curve(tw.CARTClassifier(), *load_iris(return_X_y=True), sizes=[0.5, 1.0]).sizes.tolist()
    [60, 120]
    """
    shares = np.arange(1, sizes + 1) / sizes if isinstance(sizes, int) else np.asarray(sizes, np.float64)
    if shares.size == 0 or not ((shares > 0) & (shares <= 1)).all():
        raise OptionError(f"sizes are shares of the rows, above 0 and at most 1, got {sizes!r}")
    rows = labelled(X, y, is_classifier=_is_classifier(model))
    folds = list(rows.folds(cv, random_state))
    points = [[_one_fit(model, _first(training, share), scoring) for training, scoring in folds] for share in shares]
    trained, validated = np.moveaxis(np.array(points), -1, 0)
    spread = validated.std(-1, ddof=1) / np.sqrt(len(folds))
    counts = np.array([round(np.mean([_count(fold.n_rows, share) for fold, _ in folds])) for share in shares])
    return Curve("rows", counts, trained.mean(-1), validated.mean(-1), spread)


def _count(n_rows: int, share: float) -> int:
    return max(2, round(n_rows * share))


def _first(training: Labelled, share: float) -> Labelled:
    """A share of the rows, the same for every model and nested in larger shares; a class each comes first."""
    order = np.random.default_rng(0).permutation(training.n_rows)
    if training.classes is not None:
        _, firsts = np.unique(training.y[order], return_index=True)
        order = np.concatenate([order[firsts], np.delete(order, firsts)])
    return training.take(order[: _count(training.n_rows, share)])


def _one_fit(model: TreeModel, training: Labelled, scoring: Labelled) -> tuple[float, float]:
    fitted = like(model, training)
    return float(losses(fitted, training).mean()), float(losses(fitted, scoring).mean())


# ---------------------------------------------------------------- figures of one model


@dataclass(frozen=True, eq=False)
class Evaluation:
    """Figures of a classifier on rows. ``confusion`` has a row per true class and a column per predicted one.

    ``auc`` is that of one class against the rest, averaged by class; NaN where a class does not occur. ``brier`` is the
    mean over the rows of Σ_c (p_c − [c is the class])². ``calibration`` has, for bins of the predicted class's
    probability, its mean, the share that was right, and the number of rows. ``cost`` is what a row costs: its tests and
    its errors (see ``model.expected_cost``).
    """

    classes: tuple[Any, ...]
    error: float
    confusion: Ints
    precision: Floats
    recall: Floats
    f1: Floats
    auc: float
    log_likelihood: float
    brier: float
    calibration: Floats
    cost: ExpectedCost

    def __str__(self) -> str:
        names = [str(label) for label in self.classes]
        width = max(len("class"), *map(len, names))
        lines = [f"{'class'.ljust(width)}  precision  recall     f1  rows"]
        for k, name in enumerate(names):
            figures = f"{self.precision[k]:9.3f}  {self.recall[k]:6.3f}  {self.f1[k]:5.3f}"
            lines.append(f"{name.ljust(width)}  {figures}  {self.confusion[k].sum():4d}")
        lines.append(f"error {self.error:.4g}, AUC {self.auc:.4g}, Brier {self.brier:.4g}, "
                     f"log-likelihood {self.log_likelihood:.4g}")  # fmt: skip
        if not math.isclose(self.cost.total, self.error):
            lines.append(str(self.cost))
        return "\n".join(lines)


def evaluate(model: Any, X: Any, y: Any, bins: int = 10) -> Evaluation:
    """Figures of a fitted classifier on rows, best ones it was not fitted to.

    >>> import treewright as tw
    >>> table = tw.datasets.load("xor")
    >>> evaluate(tw.CARTClassifier().fit(table.X, table.y), table.X, table.y).confusion.tolist()
    [[2, 0], [0, 2]]
    """
    from sklearn.metrics import confusion_matrix, precision_recall_fscore_support

    check_is_fitted(model, "tree_")
    if not _is_classifier(model):
        raise OptionError(f"{type(model).__name__} predicts numbers, and these figures are of classes", "use score")
    rows, classes = labelled(X, y, is_classifier=True), model.schema_.target.classes
    truth = rows.codes_among(classes)
    if (truth < 0).any():
        raise DataError(
            f"y holds {rows.labels[truth < 0][0]!r}, a class the model was not fitted to",
            f"the classes are {', '.join(map(repr, classes))}",
        )
    shares = model.predict_proba(rows.frame)
    predicted, every = decided(shares, model.schema_.target), np.arange(len(classes))
    precision, recall, f1, _ = precision_recall_fscore_support(truth, predicted, labels=every, zero_division=0)
    hits = np.eye(len(classes))[truth]
    with np.errstate(divide="ignore"):
        likelihood = float(np.log(shares[np.arange(len(truth)), truth]).sum())
    return Evaluation(
        classes, float((truth != predicted).mean()), confusion_matrix(truth, predicted, labels=every), precision,
        recall, f1, _auc(hits, shares), likelihood, float(((shares - hits) ** 2).sum(-1).mean()),
        _calibration(shares[np.arange(len(truth)), predicted], truth == predicted, bins),
        model.expected_cost(rows.frame, rows.target),
    )  # fmt: skip


def _auc(hits: Floats, shares: Floats) -> float:
    from sklearn.metrics import roc_auc_score

    if (hits.sum(0) == 0).any() or (hits.sum(0) == len(hits)).any():
        return math.nan
    return float(np.mean([roc_auc_score(hit, share) for hit, share in zip(hits.T, shares.T)]))


def _calibration(sure: Floats, right: Array, bins: int) -> Floats:
    place = np.minimum((sure * bins).astype(np.int64), bins - 1)
    count = np.bincount(place, minlength=bins)
    used = count > 0
    means = [np.bincount(place, values, minlength=bins)[used] / count[used] for values in (sure, right)]
    return np.stack([*means, count[used]], axis=1)


# ---------------------------------------------------------------- models side by side


@dataclass(frozen=True)
class ModelRow:
    """``difference`` and ``p`` compare with the first model: the mean of error − its error, and how probable so large a
    difference is between equals."""

    model: str
    error: float
    standard_error: float
    leaves: float
    difference: float
    p: float


@dataclass(frozen=True)
class ModelComparison:
    """A table of models; ``print`` shows it. ``errors`` has a row per model and a column per fold."""

    rows: list[ModelRow]
    errors: Floats

    def __getitem__(self, model: str) -> ModelRow:
        return {row.model: row for row in self.rows}[model]

    def to_dict(self) -> dict[str, list[Any]]:
        return {name: [asdict(row)[name] for row in self.rows] for name in ModelRow.__dataclass_fields__}

    def __str__(self) -> str:
        width = max(len("model"), *(len(row.model) for row in self.rows))
        lines = [f"{'model'.ljust(width)}             error  leaves  difference      p"]
        for row in self.rows:
            error = f"{row.error:.4g} ± {row.standard_error:.2g}"
            lines.append(
                f"{row.model.ljust(width)}  {error:>16}  {row.leaves:6.1f}  {row.difference:10.4g}  {row.p:5.3f}"
            )
        return "\n".join(lines)


def compare(
    models: Iterable[Any] | Mapping[str, Any], X: Any, y: Any, cv: Any = 10, *, repeats: int = 1, random_state: int = 0
) -> ModelComparison:
    """Cross-validate models on the same folds, and test each against the first.

    models: trees of this library, or a mapping of names to them; what they are fitted to is not looked at. ``repeats``
    deals the folds that often anew. The error is the share of wrong predictions, or the mean squared error; the test
    is :func:`corrected_t_test`.

    >>> import treewright as tw
    >>> from sklearn.datasets import load_iris
    >>> models = {"stump": tw.CARTClassifier(max_depth=1), "tree": tw.CARTClassifier()}
    >>> print(tw.compare(models, *load_iris(return_X_y=True), cv=5))
    model             error  leaves  difference      p
    stump        0.3333 ± 0     2.0           0  1.000
    tree    0.06667 ± 0.021     8.4     -0.2667  0.001
    """
    named = dict(models) if isinstance(models, Mapping) else _named(list(models))
    if not named or not all(isinstance(model, TreeModel) for model in named.values()):
        raise OptionError(f"models are estimators of treewright, got {shown(models)}", "pass at least one")
    rows = labelled(X, y, is_classifier=_is_classifier(next(iter(named.values()))))
    folds = [fold for seed in range(repeats) for fold in rows.folds(cv, random_state + seed)]
    fitted = {name: [like(model, training) for training, _ in folds] for name, model in named.items()}
    errors = np.array([[losses(m, part).mean() for m, (_, part) in zip(fits, folds)] for fits in fitted.values()])
    ratio = folds[0][1].n_rows / folds[0][0].n_rows
    made = [_model_row(name, fits, errors[k], errors[0], ratio) for k, (name, fits) in enumerate(fitted.items())]
    return ModelComparison(made, errors)


def _named(models: list[Any]) -> dict[str, Any]:
    """Names of the classes, numbered where one comes again."""
    names = [type(model).__name__ for model in models]
    again = [names[:k].count(name) for k, name in enumerate(names)]
    return {f"{name} {n + 1}" if n else name: model for name, n, model in zip(names, again, models)}


def _model_row(name: str, fits: list[Any], errors: Floats, first: Floats, ratio: float) -> ModelRow:
    leaves = float(np.mean([fit.tree_.n_leaves for fit in fits if hasattr(fit, "tree_")] or [math.nan]))
    spread = float(errors.std(ddof=1) / np.sqrt(len(errors)))
    difference = errors - first
    p = corrected_t_test(difference, ratio)
    return ModelRow(name, float(errors.mean()), spread, leaves, float(difference.mean()), p)


def corrected_t_test(differences: Any, test_per_training: float) -> float:
    """Two-sided p of the corrected resampled t test (Nadeau & Bengio 2003, *Machine Learning* 52, 239–281).

    The training parts of folds share rows, so that plain t tests see differences where there are none. The variance of
    the mean of k differences is taken as (1/k + n_test/n_training)·s². No spread at all: 1 for a mean of zero, else 0.

    >>> round(corrected_t_test([0.02, 0.01, 0.04, 0.00, 0.03], 1 / 4), 4)
    0.1324
    """
    from scipy.stats import t

    d = np.asarray(differences, np.float64)
    if d.ndim != 1 or len(d) < 2:
        raise OptionError(f"a test needs at least two differences, got {d.tolist()}", "pass one per fold")
    variance = (1 / len(d) + test_per_training) * d.var(ddof=1)
    if variance == 0:
        return 1.0 if d.mean() == 0 else 0.0
    return float(2 * t.sf(abs(d.mean()) / math.sqrt(variance), len(d) - 1))


# ---------------------------------------------------------------- what these share


def _is_classifier(model: Any) -> bool:
    from sklearn.base import is_classifier

    return bool(is_classifier(model))


def _weight(model: TreeModel) -> float:
    stats = model.tree_.stats[0]
    return float(stats.sum() if _is_classifier(model) else stats[0])
