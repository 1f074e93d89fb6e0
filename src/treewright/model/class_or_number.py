"""The two sides of a target: estimators that predict a class, and estimators that predict a number."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

import numpy as np
from sklearn.base import ClassifierMixin, RegressorMixin

from treewright.costs import altered_factors, target_costs, target_priors
from treewright.data.encoded import Encoded
from treewright.data.frame import Frame
from treewright.data.schema import Level, Target
from treewright.data.target_column import check_classes, encode_classes, encode_numbers
from treewright.data.weights import kept_rows, row_weights
from treewright.errors import DataError
from treewright.leaves import decided
from treewright.model.table_model import TableModel
from treewright.typing import Array, Floats, Ints, Mask

LEAST_LIKELY = float(np.finfo(np.float64).eps)  # what a class counts for that was thought impossible


class TargetRows(NamedTuple):
    """What a fit is told of its rows: the code of the class, or the number, and the weight (None: 1) of each.

    Rows without a target or of no weight do not count; ``keep`` is a mask of the others (None: all).
    """

    target: Target
    y: Array
    weights: Floats | None
    keep: Mask | None

    def of(self, frame: Frame) -> tuple[Frame, TargetRows]:
        """The rows that count, and what is told of them."""
        return (frame, self) if self.keep is None else (frame.take(self.keep), self.take(self.keep))

    def take(self, rows: Mask) -> TargetRows:
        """What is told of these rows, all of which count."""
        return TargetRows(self.target, self.y[rows], None if self.weights is None else self.weights[rows], None)


@dataclass(kw_only=True, eq=False, repr=False)
class Classifies(ClassifierMixin, TableModel):
    """Estimators that predict a class. One that has ``predict_proba`` has all the rest."""

    class_weight: Any = None
    costs: Any = None
    priors: Any = None

    classes_: Array = field(init=False)

    def _read_target(self, y: Any, n_rows: int, sample_weight: Any) -> TargetRows:
        if y is None:
            raise no_target(type(self).__name__)
        classes, codes, known = encode_classes(y, n_rows, declared=True)
        check_classes(classes, codes if known is None else codes[known])
        weights = row_weights(sample_weight, self.class_weight, classes, codes, n_rows, known)
        target = Target(target_name(y), classes, target_costs(self.costs, classes), target_priors(self.priors, classes))
        return TargetRows(target, codes, weights, kept_rows(known, weights))

    def predict(self, X: Any) -> Array:
        """The class of greatest probability or, with costs, of least expected cost; the first of equals."""
        codes = decided(self.predict_proba(X), self.schema_.target)
        return np.take(self.classes_, codes)

    def predict_proba(self, X: Any) -> Floats:
        """The probability of each class, in the order of ``classes_``."""
        raise TypeError(f"{type(self).__name__} declares no probabilities")

    def predict_log_proba(self, X: Any) -> Floats:
        with np.errstate(divide="ignore"):
            return np.log(self.predict_proba(X))

    def log_likelihood(self, X: Any, y: Any, sample_weight: Any = None, *, floor: float = 0.0) -> float:
        """Σ ln P(y | x): how probable the model finds these classes.

        -inf if one was thought impossible, unless such a class is to count as of probability ``floor``;
        ``tw.evaluate.evaluate`` takes that of scikit-learn's ``log_loss``, 2.2e-16.
        """
        probability = self.predict_proba(X)
        classes, codes, known = encode_classes(y, len(probability))
        column = _places(self.schema_.target, classes)[codes]
        likelihood = np.where(column >= 0, probability[np.arange(len(column)), column], 0.0)
        weights = row_weights(sample_weight, None, None, None, len(probability), known)
        kept = kept_rows(known, weights)
        with np.errstate(divide="ignore"):
            terms = np.log(np.maximum(likelihood, floor))
        if weights is not None:
            terms = terms * weights
        return float(terms.sum() if kept is None else terms[kept].sum())


@dataclass(kw_only=True, eq=False, repr=False)
class PredictsNumbers(RegressorMixin, TableModel):
    """Estimators that predict a number."""

    criterion: Any = field(default="squared_error", init=False)

    def _read_target(self, y: Any, n_rows: int, sample_weight: Any) -> TargetRows:
        if y is None:
            raise no_target(type(self).__name__)
        numbers, known = encode_numbers(y, n_rows)
        if self.criterion == "poisson":
            _check_counts(numbers if known is None else numbers[known])
        weights = row_weights(sample_weight, None, None, None, n_rows, known)
        return TargetRows(Target(target_name(y)), numbers, weights, kept_rows(known, weights))


def altered(encoded: Encoded) -> Encoded:
    """Rows weighted by the costs and priors of their class."""
    target = encoded.schema.target
    if target.costs is None and target.priors is None:
        return encoded
    weights = np.ones(encoded.n_rows) if encoded.weights is None else encoded.weights
    totals = np.asarray(np.bincount(encoded.y, weights, encoded.n_classes), np.float64)
    factors = altered_factors(totals, target)
    if factors is None:
        return encoded
    return replace(encoded, weights=weights * factors[encoded.y], class_factors=factors)


def known_codes(target: Target, y: Any, n_rows: int) -> Ints:
    """The place of every class among those of the target; a class that is not among them is refused."""
    classes, codes, known = encode_classes(y, n_rows)
    places = _places(target, classes)
    unknown = [label for label, place in zip(classes, places) if place < 0]
    if unknown or known is not None:
        raise DataError(
            f"y holds {unknown[0]!r}, a class the model was not fitted to" if unknown else "y has missing values",
            f"the classes are {', '.join(map(repr, target.classes or ()))}; leave other rows out",
        )
    return places[codes]


def _places(target: Target, labels: tuple[Level, ...]) -> Ints:
    """Of each label its place among the classes of the target, -1 where it has none."""
    place = {label: k for k, label in enumerate(target.classes or ())}
    return np.array([place.get(label, -1) for label in labels])


def target_name(y: Any) -> str:
    """The name a column came with, if any."""
    name = getattr(y, "name", None)
    return name if isinstance(name, str) and name else "y"


def no_target(estimator: str) -> DataError:
    return DataError(f"{estimator} requires y to be passed, but the target y is None", "pass the target as y")


def _check_counts(y: Floats) -> None:
    if (y < 0).any() or y.sum() <= 0:
        raise DataError(
            f"Poisson deviance wants a target of at least 0 that is somewhere above 0; the least is {y.min():g}",
            'use criterion="squared_error"',
        )
