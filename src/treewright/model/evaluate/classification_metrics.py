"""Metrics of one classifier."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any, Protocol, overload

import numpy as np

from treewright.data.labelled import Labelled, labelled
from treewright.data.schema import Level, Schema
from treewright.display import Displayed, Sheet, data_frame
from treewright.errors import DataError
from treewright.model.batch_prediction import predictions_of
from treewright.model.class_or_number import LEAST_LIKELY
from treewright.model.evaluate.number_metrics import evaluate_numbers
from treewright.model.evaluate.overfitting_amount import Overfitting, overfitting_on
from treewright.model.expected_cost import ExpectedCost
from treewright.model.table_model import TableModel
from treewright.plot_style import legend, new_axes, theme_of
from treewright.prune.option_checks import check_whole
from treewright.prune.refit import check_fitted_tree, cost_losses
from treewright.rules.rule_set import RuleSet
from treewright.typing import Array, Floats, Ints


@dataclass(frozen=True, eq=False, repr=False)
class Evaluation(Displayed):
    """Figures of a classifier on rows. ``confusion`` has a row per true class and a column per predicted one.

    ``auc``, ``brier`` and ``log_loss`` are scikit-learn's ``roc_auc_score``, ``brier_score_loss`` and ``log_loss``.
    AUC is that of one class against the rest, averaged over the classes that occur; NaN where only one does. The Brier
    score is the mean over the rows of Σ_c (p_c − [c is the class])², from 0 to 2 (Brier 1950); of two classes it looks
    at one of them, and is from 0 to 1. ``log_likelihood`` is Σ ln p of the true classes, ``log_loss`` what it is per
    row, negated; ``impossible`` is the weight of rows whose class was thought impossible (p = 0), which count as
    p = 2.2e-16, as in scikit-learn's ``log_loss``. ``calibration`` has, for bins of the predicted class's probability,
    its mean, the share that was right, and the weight of its rows. ``cost`` is what a row costs: its tests and its
    errors (see ``model.expected_cost``). ``overfitting`` is how far the error is above that of the training rows,
    with its interval; None of rules, which do not keep the latter.
    """

    classes: tuple[Any, ...]
    error: float
    confusion: Ints
    precision: Floats
    recall: Floats
    f1: Floats
    auc: float
    log_likelihood: float
    impossible: float
    brier: float
    calibration: Floats
    cost: ExpectedCost
    overfitting: Overfitting | None = None

    @property
    def accuracy(self) -> float:
        """The share of the rows whose class is predicted: 1 − error."""
        return 1.0 - self.error

    @property
    def log_loss(self) -> float:
        """−log-likelihood per row."""
        return abs(self.log_likelihood) / float(self.confusion.sum())

    def __str__(self) -> str:
        names = [str(label) for label in self.classes]
        width = max(len("class"), *map(len, names))
        lines = [f"{'class'.ljust(width)}  precision  recall     f1  rows"]
        for k, name in enumerate(names):
            metrics = f"{self.precision[k]:9.3f}  {self.recall[k]:6.3f}  {self.f1[k]:5.3f}"
            lines.append(f"{name.ljust(width)}  {metrics}  {self.confusion[k].sum():4.6g}")
        lines += self._confusion_lines()
        metrics = probability_metrics_text(
            self.auc, self.brier, self.log_loss, self.log_likelihood, self.impossible, len(self.classes)
        )
        lines.append(f"accuracy {self.accuracy:.4g}, error {self.error:.4g}, {metrics}")
        if self.overfitting is not None:
            lines.append(str(self.overfitting))
        if not math.isclose(self.cost.total, self.error):
            lines.append(str(self.cost))
        return "\n".join(lines)

    def _confusion_lines(self) -> list[str]:
        """A row per true class; of many classes the table would be wider than a page."""
        if len(self.classes) > _MOST_CLASSES:
            return []
        columns: dict[str, list[Any]] = {_CONFUSION: [str(label) for label in self.classes]}
        columns |= {str(label): self.confusion[:, k].tolist() for k, label in enumerate(self.classes)}
        return ["", *Sheet(columns).text().splitlines(), ""]

    def to_dict(self) -> dict[str, Any]:
        """The metrics by name; those of each class as columns under ``classes``, the confusion as lists of counts."""
        metrics = {name: getattr(self, name) for name in _METRICS}
        told = {} if self.overfitting is None else {"overfitting": self.overfitting.to_dict()}
        by_class = {name: list(cells) for name, cells in self._sheet().columns.items() if not name.startswith("as ")}
        return {**metrics, "cost": self.cost.total, **told, "classes": by_class, "confusion": self.confusion.tolist()}

    def to_frame(self) -> Any:
        """Precision, recall, F1 and what was predicted, with a row for each class."""
        return data_frame(self._sheet().columns)

    def plot(self, ax: Any = None) -> Any:
        """Calibration: how often predictions were right against how sure they were. Returns matplotlib's axes.

        The area of a point is the number of its rows; on the diagonal probabilities can be trusted.
        """
        axes = new_axes(ax)
        sure, right, count = self.calibration.T
        axes.plot([0, 1], [0, 1], linestyle=":", color=theme_of(axes).soft, label="as sure as right")
        area = _LARGEST_AREA * count / count.max()
        axes.scatter(sure, right, s=area, color=theme_of(axes).line(0), alpha=0.85, label="predictions (area: rows)")
        axes.set_xlabel("probability of the predicted class")
        axes.set_ylabel("share that was right")
        legend(axes)
        return axes

    def _sheet(self) -> Sheet:
        columns: dict[str, list[Any]] = {
            "class": [str(label) for label in self.classes],
            "precision": self.precision.tolist(),
            "recall": self.recall.tolist(),
            "f1": self.f1.tolist(),
            "rows": self.confusion.sum(1).tolist(),
            **{f"as {label}": self.confusion[:, k].tolist() for k, label in enumerate(self.classes)},
        }
        notes = str(self).splitlines()[len(self.classes) + 1 + len(self._confusion_lines()) :]
        return Sheet(columns, f"accuracy {self.accuracy:.4g}", tuple(notes))


_LARGEST_AREA = 250  # square points
_MOST_CLASSES = 12  # whose confusion is printed
_CONFUSION = "true \\ predicted"
_METRICS = ("accuracy", "error", "auc", "brier", "log_loss", "log_likelihood", "impossible")


def probability_metrics_text(
    auc: float, brier: float, log_loss: float, log_likelihood: float, impossible: float, n_classes: int
) -> str:
    """How good probabilities are, in words.

    >>> probability_metrics_text(0.9, 0.1625, 0.41, -12.3, 0, 3)
    'AUC 0.9, Brier score 0.1625 (0 to 2), log-loss 0.41, log-likelihood -12.3'
    """
    most = 1 if n_classes == 2 else 2
    words = (
        f"AUC {auc:.4g}, Brier score {brier:.4g} (0 to {most}), log-loss {log_loss:.4g}, "
        f"log-likelihood {log_likelihood:.4g}"
    )
    if not impossible:
        return words
    return f"{words} (rows of weight {impossible:.6g} were thought impossible and count as p = {LEAST_LIKELY:.1e})"


class _HasProbabilities(Protocol):
    def predict_proba(self, X: Any) -> Any: ...


@overload
def evaluate(model: _HasProbabilities, X: Any, y: Any, bins: int = 10, *, sample_weight: Any = None) -> Evaluation: ...
@overload
def evaluate(model: Any, X: Any, y: Any, bins: int = 10, *, sample_weight: Any = None) -> Any: ...
def evaluate(model: Any, X: Any, y: Any, bins: int = 10, *, sample_weight: Any = None) -> Any:
    """Metrics of a fitted model on rows, best ones it was not fitted to; each counts as its weight says.

    Of a classifier they are an :class:`Evaluation`, of a regressor a :class:`NumberEvaluation`.

    >>> import treewright as tw
    >>> table = tw.datasets.load("xor")
    >>> evaluate(tw.CARTClassifier().fit(table.X, table.y), table.X, table.y).confusion.tolist()
    [[2, 0], [0, 2]]
    >>> evaluate(tw.CARTRegressor().fit([[1], [2]], [1.0, 5.0]), [[1], [2]], [1.0, 4.0]).rmse == 0.5**0.5
    True
    """
    schema = _schema_of(model)
    check_whole("bins", bins, least=1, hint="10 is usual")
    if schema.target.classes is None:
        return evaluate_numbers(model, labelled(X, y, is_classifier=False, sample_weight=sample_weight), bins)
    rows, classes = labelled(X, y, is_classifier=True, sample_weight=sample_weight), schema.target.classes
    truth = rows.codes_among(classes)
    if (truth < 0).any():
        raise DataError(
            f"y holds {rows.labels[truth < 0][0]!r}, a class the model was not fitted to",
            f"the classes are {', '.join(map(repr, classes))}",
        )
    found = predictions_of(model, rows.frame)
    assert found.codes is not None
    made = evaluation_of(classes, truth, found.codes, found.values, rows.weights, bins)
    told = overfitting_on(model, rows) if hasattr(model, "tree_") else None
    return replace(made, cost=_cost(model, rows, made.error), overfitting=told)


def evaluation_of(
    classes: tuple[Level, ...], truth: Ints, predicted: Ints, shares: Floats, given: Floats | None, bins: int = 10
) -> Evaluation:
    """The figures of predictions, whoever made them: ``shares`` are the probabilities, ``given`` the weights of the
    rows, if they have any. An error costs 1."""
    from sklearn.metrics import confusion_matrix, precision_recall_fscore_support

    every, weights = np.arange(len(classes)), np.ones(len(truth)) if given is None else given
    precision, recall, f1, _ = precision_recall_fscore_support(
        truth, predicted, labels=every, zero_division=0, sample_weight=weights
    )
    hits, right = np.eye(len(classes))[truth], truth == predicted
    likelihood = shares[np.arange(len(truth)), truth]
    error = float(np.average(~right, weights=weights))
    return Evaluation(
        classes, error, confusion_matrix(truth, predicted, labels=every, sample_weight=given), precision, recall, f1,
        _auc(hits, shares, weights), float(weights @ np.log(np.maximum(likelihood, LEAST_LIKELY))),
        float(weights[likelihood <= 0].sum()),
        float(np.average(((shares - hits) ** 2).sum(-1), weights=weights)) / (2 if len(classes) == 2 else 1),
        _calibration(shares[np.arange(len(truth)), predicted], right, weights, bins),
        ExpectedCost(0.0, error),
    )  # fmt: skip


def _schema_of(model: Any) -> Schema:
    """Of a tree, of rules or of another model of this library."""
    if isinstance(model, RuleSet):
        return model.schema
    if isinstance(model, TableModel):
        model._check_fitted()
    else:
        check_fitted_tree(model)
    schema: Schema = model.schema_
    return schema


def _cost(model: Any, rows: Labelled, error: float) -> ExpectedCost:
    """Without a matrix of costs an error costs 1. Models that are no tree make no tests that could cost something."""
    if not hasattr(model, "expected_cost") and getattr(_schema_of(model).target, "costs", None) is not None:
        classes, costs = model.schema_.target.classes or (), np.array(model.schema_.target.costs)
        return ExpectedCost(0.0, float(np.average(cost_losses(model, rows, classes, costs), weights=rows.weights)))
    if not hasattr(model, "expected_cost"):
        return ExpectedCost(0.0, error)
    cost: ExpectedCost = model.expected_cost(rows.frame, rows.target, rows.weights)
    return cost


def _auc(hits: Floats, shares: Floats, weights: Floats) -> float:
    from sklearn.metrics import roc_auc_score

    occurs = hits.any(0)
    if occurs.sum() == 1:
        return math.nan
    by_class = zip(hits.T[occurs], shares.T[occurs])
    return float(np.mean([roc_auc_score(hit, share, sample_weight=weights) for hit, share in by_class]))


def _calibration(sure: Floats, right: Array, weights: Floats, bins: int) -> Floats:
    place = np.minimum((sure * bins).astype(np.int64), bins - 1)
    weight = np.bincount(place, weights, minlength=bins)
    used = weight > 0
    means = [np.bincount(place, weights * values, minlength=bins)[used] / weight[used] for values in (sure, right)]
    return np.stack([*means, weight[used]], axis=1)
