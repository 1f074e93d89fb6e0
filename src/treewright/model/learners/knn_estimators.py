"""Nearest neighbours as estimators: for numbers, and for tables of numbers and levels with missing cells."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from treewright.data.schema import Schema
from treewright.data.target_column import encode_numbers
from treewright.errors import DataError
from treewright.leaves import decided
from treewright.model.class_or_number import Classifies, PredictsNumbers, TargetRows, known_codes
from treewright.model.learners.neighbors_model import NeighborsModel
from treewright.model.options.knn_options import (
    check_flavour,
    check_k_options,
    check_metric_options,
)
from treewright.neighbors.mixed_metric import MixedSearch
from treewright.neighbors.vote_shares import class_shares, means, means_by_k, shares_by_k
from treewright.prune.refit import costs_of
from treewright.typing import Array, Floats, Ints

_TIED = 2_000_000  # distances held at a time where all rows tied at the k-th distance vote


@dataclass(kw_only=True, eq=False, repr=False)
class KNNClassifier(Classifies, NeighborsModel):
    """The class that most of the k nearest rows have (Fix & Hodges 1951; Cover & Hart 1967).

    A class has the probability k_c / k: the share of the k votes that it gets. Where classes get equally many, the
    first in the order of ``classes_`` is predicted. 1-NN has a training error of 0 only where equal rows are of one
    class: of a pile of equal rows each is predicted as the first of the pile is. ``flavour="ibk"`` is Weka's IBk:
    numbers scaled from 0 to 1, a missing number as far from a known one as it could be, the votes of all rows tied at
    the k-th distance, and every class starting from a vote of 1/rows.

    >>> import treewright as tw
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> model = tw.KNNClassifier(k=5).fit(X, y)
    >>> print(model, model.score(X, y).__round__(3))
    KNNClassifier: y — 150 rows, 4 columns, k = 5, euclidean, kd 0.953
    """

    flavour: Any = None
    priors: Any = field(default=None, init=False)

    _order_hint = 'with flavour="ibk" all rows that are equally far vote; or choose a larger k'

    option_checks = (check_k_options, check_metric_options, check_flavour)

    def predict_proba(self, X: Any) -> Floats:
        """The share of the votes each class gets, in the order of ``classes_``."""
        if self.flavour is not None:
            return self._tied_shares(self._rows_to_predict(X))
        neighbours, counts = self._voters(X)
        return class_shares(self.targets_[neighbours].astype(np.int64), counts, len(self.classes_))

    def _tied_shares(self, matrix: Floats) -> Floats:
        """IBk: all rows as near as the k-th vote, and no class starts from nothing."""
        search, n_classes = self._searcher(), len(self.classes_)
        assert isinstance(search, MixedSearch)
        shares, step = np.empty((len(matrix), n_classes)), max(1, _TIED // len(self.rows_))
        weights = np.ones(len(self.rows_)) if self.row_weights_ is None else self.row_weights_
        votes = np.zeros((len(self.rows_), n_classes))
        votes[np.arange(len(votes)), self.targets_.astype(np.int64)] = weights
        for first in range(0, len(matrix), step):
            distances = search.distances(matrix[first : first + step])
            last = np.partition(distances, self.k_ - 1, axis=1)[:, self.k_ - 1, np.newaxis]
            said = (distances <= last).astype(np.float64) @ votes + 1 / len(votes)
            shares[first : first + step] = said / said.sum(1, keepdims=True)
        return shares

    def _losses(
        self, schema: Schema, told: TargetRows, distances: Floats, neighbours: Ints, truth: Array
    ) -> Iterator[Floats]:
        n_classes, costs = len(schema.target.classes or ()), schema.target.costs
        counts = self._counts(distances, neighbours, told.weights)
        for shares in shares_by_k(told.y[neighbours].astype(np.int64), counts, n_classes):
            codes = decided(shares, schema.target)
            yield np.asarray(codes != truth, np.float64) if costs is None else costs_of(truth, codes, np.array(costs))

    def _truth(self, schema: Schema, y: Any, n_rows: int) -> Array:
        return known_codes(schema.target, y, n_rows)


@dataclass(kw_only=True, eq=False, repr=False)
class KNNRegressor(PredictsNumbers, NeighborsModel):
    """The mean of the numbers that the k nearest rows have, by their votes.

    >>> import treewright as tw
    >>> tw.KNNRegressor(k=2).fit([[1.0], [2.0], [9.0]], [10.0, 20.0, 90.0]).predict([[0.0]]).tolist()
    [15.0]
    """

    def predict(self, X: Any) -> Floats:
        """The mean of the k nearest rows, by their votes."""
        neighbours, counts = self._voters(X)
        return means(self.targets_[neighbours], counts)

    def _losses(
        self, schema: Schema, told: TargetRows, distances: Floats, neighbours: Ints, truth: Array
    ) -> Iterator[Floats]:
        counts = self._counts(distances, neighbours, told.weights)
        for predicted in means_by_k(told.y[neighbours], counts):
            yield (predicted - truth) ** 2

    def _truth(self, schema: Schema, y: Any, n_rows: int) -> Array:
        numbers, known = encode_numbers(y, n_rows)
        if known is not None:
            raise DataError("y_val has missing values", "leave these rows out")
        return numbers
