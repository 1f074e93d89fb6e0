"""The rows that an ensemble learns from, as its members see them and as they are predicted."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from treewright.data.column_values import LevelValues, NumberValues
from treewright.data.encode import prediction_matrix
from treewright.data.encoded import Encoded
from treewright.data.frame import Frame, read_frame
from treewright.data.schema import Schema
from treewright.data.target_column import TargetColumn
from treewright.data.weights import row_weights
from treewright.recipe_parts.missing import Missing
from treewright.typing import Array, Floats, Ints


@dataclass(frozen=True)
class EnsembleRows:
    """``encoded`` is what members grow from; ``frame`` holds the same rows as they came, ``row`` their numbers in the
    table, which has ``n_given`` rows."""

    frame: Frame
    encoded: Encoded
    row: Ints
    n_given: int
    given_weights: Floats | None = None  # of the rows as they came, before classes were weighted

    @property
    def y(self) -> Array:
        return self.encoded.y

    @property
    def schema(self) -> Schema:
        return self.encoded.schema

    @property
    def n_rows(self) -> int:
        return self.encoded.n_rows

    @cached_property
    def weights(self) -> Floats:
        """What each row counts when errors are added up: costs and priors are left out of it."""
        encoded = self.encoded
        weights = np.ones(encoded.n_rows) if encoded.weights is None else encoded.weights
        return weights if encoded.class_factors is None else weights / encoded.class_factors[encoded.y]

    @property
    def target_stats(self) -> Floats:
        """The weight of each class or, of numbers, Σ w, Σ w·y and Σ w·y²."""
        if self.encoded.n_classes:
            return np.bincount(self.y, self.weights, self.encoded.n_classes).astype(np.float64)
        return np.array([(self.weights * self.y**power).sum() for power in range(3)])

    @property
    def facts(self) -> dict[str, Any]:
        """What every ensemble keeps of them."""
        return {"n_rows_": self.n_rows, "target_stats_": self.target_stats}

    @cached_property
    def matrix(self) -> Array:
        return prediction_matrix(self.frame, self.schema)


def ensemble_rows(learner: Any, X: Any, y: Any, sample_weight: Any) -> EnsembleRows:
    """The rows that count for a learner: with a target, of some weight, and with the values that it insists on."""
    given = read_frame(X)
    encoded = learner._encode(given, y, sample_weight)
    keep = learner._read_target(y, given.n_rows, sample_weight).keep
    row = np.arange(given.n_rows) if keep is None else np.flatnonzero(keep)
    frame = given if keep is None else given.take(keep)
    if encoded.n_rows < frame.n_rows:
        dropped = [policy is Missing.DROP for policy in learner._policies(encoded.schema)]
        whole = np.asarray(~np.isnan(prediction_matrix(frame, encoded.schema)[:, dropped]).any(1))
        frame, row = frame.take(whole), row[whole]
    weights = row_weights(sample_weight, None, None, None, given.n_rows)
    return EnsembleRows(frame, encoded, row, given.n_rows, None if weights is None else weights[row])


def target_column(training: EnsembleRows) -> TargetColumn:
    """The target as an estimator takes it; classes that no row has are among those it may have."""
    target = training.schema.target
    if target.classes is None:
        return TargetColumn(target.name, NumberValues(np.asarray(training.y, np.float64)))
    return TargetColumn(target.name, LevelValues(training.y.astype(np.int64) + 1, target.classes, declared=True))
