"""How well a way of learning predicts rows it has not seen, with an interval, beside guessing."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from statistics import NormalDist
from typing import Any, NamedTuple

import numpy as np

from treewright.data.folds import Folds
from treewright.data.labelled import Labelled
from treewright.display import DisplayedRecord
from treewright.model.progress import Step, steps
from treewright.prune.refit import cost_losses, costs_of, learned, losses
from treewright.typing import Floats

CONFIDENCE = 0.95


@dataclass(frozen=True, repr=False)
class CostEstimate(DisplayedRecord):
    """What a prediction costs on average, with its interval, and what always guessing the cheapest class does."""

    mean: float
    low: float
    high: float
    baseline: float


@dataclass(frozen=True, repr=False)
class ErrorEstimate(DisplayedRecord):
    """An error with its interval, and that of always guessing the commonest class (or the mean) of the training rows.

    Errors are shares of wrong predictions, or root mean squared errors. ``cost`` is there if errors have costs.
    """

    what: str
    rows: int
    error: float
    low: float
    high: float
    baseline: float
    cost: CostEstimate | None = None

    @property
    def is_better(self) -> bool:
        """Better than guessing even at the bad end of the interval; by costs, if there are some."""
        judged = self if self.cost is None else self.cost
        return judged.high < judged.baseline


def cross_validated(
    learn: Callable[[Labelled], Any],
    rows: Labelled,
    cv: int | str = 10,
    random_state: int = 0,
    costs: Floats | None = None,
) -> ErrorEstimate:
    """Learn without each fold in turn and predict it.

    The interval is Student's with the variance (1/k + n_test / n_training)·s² of k folds that share training rows
    (Nadeau & Bengio 2003). ``costs`` are a matrix in the order of the rows' classes, a row for each true one.

    >>> import treewright as tw
    >>> from sklearn.datasets import load_iris
    >>> from treewright.data.labelled import labelled
    >>> from treewright.model.learning_plan import Plan
    >>> rows = labelled(*load_iris(return_X_y=True), is_classifier=True)
    >>> estimate = cross_validated(Plan(tw.CARTClassifier()).learn, rows, cv=5)
    >>> 0 < estimate.low < estimate.error < estimate.high < estimate.baseline
    True
    """
    parts = list(rows.folds(Folds.of(cv, rows.n_rows, random_state)))
    with steps("cross-validating", len(parts)) as step:
        tried = [_validated(learn, rest, part, costs, step) for rest, part in parts]
    ratio = parts[0][1].n_rows / parts[0][0].n_rows
    losses = [_over_folds([tried_one.means[k] for tried_one in tried], ratio) for k in range(len(tried[0].means))]
    return _estimate(f"cross-validated ({len(parts)} folds)", rows, rows.n_rows, losses)


def _validated(
    learn: Callable[[Labelled], Any], rest: Labelled, part: Labelled, costs: Floats | None, step: Step
) -> _Validated:
    found = _Validated.of(learned(partial(learn, rest)), rest, part, costs)
    step(1)
    return found


def held_out(
    learn: Callable[[Labelled], Any], rows: Labelled, share: float, random_state: int = 0, costs: Floats | None = None
) -> ErrorEstimate:
    """Learn from all rows but a share, and predict that."""
    rest, part = rows.part(share, random_state)
    return scored(learned(partial(learn, rest)), rest, part, f"hold-out ({100 * share:.3g} % of the rows)", costs)


def scored(model: Any, training: Labelled, part: Labelled, what: str, costs: Floats | None = None) -> ErrorEstimate:
    """Predict rows the model has not seen. The interval of a share is Wilson's, that of a mean the normal one.

    ``costs`` are in the order of the classes of the training rows.
    """
    tried = _Validated.of(model, training, part, costs)
    return _estimate(what, part, part.n_rows, [
        _Loss(mean, *_interval(loss, mean, part, is_share=place == 0 and part.classes is not None), baseline)
        for place, (loss, (mean, baseline)) in enumerate(zip(tried.losses, tried.means))
    ])  # fmt: skip


class _Loss(NamedTuple):
    mean: float
    low: float
    high: float
    baseline: float


@dataclass(frozen=True)
class _Validated:
    """What every row loses: errors, then costs, if there are any. ``means`` hold the mean and that of guessing."""

    losses: list[Floats]
    means: list[tuple[float, float]]

    @classmethod
    def of(cls, model: Any, training: Labelled, part: Labelled, costs: Floats | None) -> _Validated:
        pairs = [(losses(model, part), _baseline_losses(training, part))]
        if costs is not None:
            pairs.append(
                (cost_losses(model, part, training.classes or (), costs), _baseline_costs(training, part, costs))
            )
        means = [(_mean(loss, part), _mean(baseline, part)) for loss, baseline in pairs]
        return cls([loss for loss, _ in pairs], means)


def _over_folds(means: list[tuple[float, float]], test_per_training: float) -> _Loss:
    errors, baselines = np.array(means).T
    variance = (1 / len(errors) + test_per_training) * float(errors.var(ddof=1))
    half, mean = _student(len(errors) - 1) * math.sqrt(variance), float(errors.mean())
    return _Loss(mean, mean - half, mean + half, float(baselines.mean()))


def _interval(loss: Floats, mean: float, part: Labelled, *, is_share: bool) -> tuple[float, float]:
    return share_interval(mean, effective_rows(part.weights, part.n_rows)) if is_share else mean_interval(loss, part)


def mean_interval(loss: Floats, part: Labelled) -> tuple[float, float]:
    """The normal interval of the mean of what rows lose."""
    mean, n = _mean(loss, part), effective_rows(part.weights, part.n_rows)
    half = float(_normal() * math.sqrt(_mean((loss - mean) ** 2, part) / n))
    return mean - half, mean + half


def effective_rows(weights: Floats | None, n_rows: int) -> float:
    """How many rows of equal weight tell as much: (Σw)² / Σw² (Kish 1965).

    >>> effective_rows(np.array([1.0, 1.0, 2.0]), 3)
    2.6666666666666665
    """
    return float(n_rows if weights is None else weights.sum() ** 2 / (weights**2).sum())


def _mean(loss: Floats, part: Labelled) -> float:
    return float(np.average(loss, weights=part.weights))


def _baseline_losses(training: Labelled, part: Labelled) -> Floats:
    """What guessing loses on every row of a part."""
    if training.classes is None:
        return np.asarray((part.y - np.average(training.y, weights=training.weights)) ** 2)
    baseline = int(_class_weights(training).argmax())
    return np.asarray(part.codes_among(training.classes) != baseline, np.float64)


def _baseline_costs(training: Labelled, part: Labelled, costs: Floats) -> Floats:
    """What guessing the class of least cost costs on every row of a part."""
    baseline = int((_class_weights(training) @ costs).argmin())
    return costs_of(part.codes_among(training.classes or ()), np.full(part.n_rows, baseline), costs)


def _class_weights(rows: Labelled) -> Floats:
    return np.bincount(rows.y, rows.weights, minlength=len(rows.classes or ())).astype(np.float64)


def _estimate(what: str, rows: Labelled, n: int, found: list[_Loss]) -> ErrorEstimate:
    (mean, low, high, baseline), *by_cost = found
    if rows.classes is not None:
        costs = [CostEstimate(cost.mean, max(cost.low, 0.0), cost.high, cost.baseline) for cost in by_cost]
        return ErrorEstimate(what, n, mean, max(low, 0.0), min(high, 1.0), baseline, *costs)
    error, least, most, baseline = (math.sqrt(max(value, 0.0)) for value in (mean, low, high, baseline))
    return ErrorEstimate(what, n, error, least, most, baseline)


# Quantiles without SciPy: importing scipy.special takes longer than learning a small table.


def _student(degrees: int) -> float:
    """The t between whose negative and itself Student's distribution has CONFIDENCE, to rounding.

    >>> [round(_student(degrees), 4) for degrees in (1, 2, 9, 10)]
    [12.7062, 4.3027, 2.2622, 2.2281]
    """
    low, high = 0.0, math.pi / 2
    while low < (middle := (low + high) / 2) < high:
        low, high = (middle, high) if _student_mass(middle, degrees) < CONFIDENCE else (low, middle)
    return math.tan(low) * math.sqrt(degrees)


def _student_mass(angle: float, degrees: int) -> float:
    """P(|T| ≤ √ν·tan θ), a finite sum for whole ν (Abramowitz & Stegun 1964, 26.7.3 and 26.7.4)."""
    odd, cosine = degrees % 2, math.cos(angle)
    term = total = 0.0 if degrees == 1 else cosine if odd else 1.0
    for k in range(2 + odd, degrees - 1, 2):
        term *= cosine * cosine * (k - 1) / k
        total += term
    mass = math.sin(angle) * total
    return (angle + mass) * 2 / math.pi if odd else mass


def _normal() -> float:
    """The same of the normal distribution."""
    return NormalDist().inv_cdf((1 + CONFIDENCE) / 2)


def share_interval(share: float, n: float) -> tuple[float, float]:
    """Wilson's interval of a share of n rows (1927, JASA 22, 209–212).

    >>> [round(end, 4) for end in share_interval(0.1, 100)]
    [0.0552, 0.1744]
    """
    z = _normal()
    centre = (share + z * z / (2 * n)) / (1 + z * z / n)
    half = z / (1 + z * z / n) * math.sqrt(share * (1 - share) / n + z * z / (4 * n * n))
    return centre - half, centre + half
