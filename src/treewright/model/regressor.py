"""Trees that predict a number."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.base import RegressorMixin

from treewright.data.encoded import Encoded
from treewright.data.schema import Target
from treewright.data.target import encode_numbers
from treewright.data.weights import kept_rows, row_weights
from treewright.errors import DataError
from treewright.leaves import Leaf
from treewright.model.base import TreeModel, no_target, target_name
from treewright.model.greedy import GreedyModel
from treewright.model.options import LIMITS, NUMBER_CRITERIA, check_options
from treewright.model.pruning import PRUNE
from treewright.prune.counts import training_error
from treewright.recipe.recipe import Recipe, Splits
from treewright.recipes.cart import cart
from treewright.tree.tree import LeafKind, Tree
from treewright.typing import Array, Floats, Mask

_REGRESSOR_LIMITS = {**LIMITS, "criterion": NUMBER_CRITERIA}


@dataclass(kw_only=True, eq=False, repr=False)
class RegressorModel(RegressorMixin, TreeModel):
    """Shared by all regression trees."""

    def _check_options(self) -> None:
        check_options(self._options(), _REGRESSOR_LIMITS)

    def _encode_target(
        self, y: Any, n_rows: int, sample_weight: Any
    ) -> tuple[Target, Array, Floats | None, Mask | None]:
        if y is None:
            raise no_target(type(self).__name__)
        numbers, known = encode_numbers(y, n_rows)
        if self.criterion == "poisson":
            _check_counts(numbers if known is None else numbers[known])
        weights = row_weights(sample_weight, None, None, None, n_rows, known)
        return Target(target_name(y)), numbers, weights, kept_rows(known, weights)

    def _leaf(self) -> Leaf:
        kind = LeafKind.MEDIANS if self.criterion == "absolute_error" else LeafKind.MEANS
        return Leaf(kind, getattr(self, "empty", "parent"))

    def _training_error(self, tree: Tree) -> float:
        """Root mean squared error; the mean absolute error where nodes predict medians."""
        error = training_error(tree, self.schema_)
        return error if tree.leaf is LeafKind.MEDIANS else float(np.sqrt(error))

    def predict(self, X: Any) -> Floats:
        """The mean of the training rows at the leaf each row reaches; their median if grown by absolute error."""
        return np.asarray(self._values(X)[:, 0])


def _check_counts(y: Floats) -> None:
    if (y < 0).any() or y.sum() <= 0:
        raise DataError(
            f"Poisson deviance wants a target of at least 0 that is somewhere above 0; the least is {y.min():g}",
            'use criterion="squared_error"',
        )


@dataclass(kw_only=True, eq=False, repr=False)
class CARTRegressor(GreedyModel, RegressorModel):
    """CART for numbers (Breiman et al. 1984): binary splits by squared error or Poisson deviance, leaves predict means.

    With ``criterion="absolute_error"`` (section 8.11 there) leaves predict medians, which outliers do not move; where
    half of the weight is on either side of a gap between two values, the middle of the gap.

    >>> import treewright as tw
    >>> X, y = [[1], [2], [3], [4]], [1.0, 1.0, 5.0, 5.0]
    >>> tw.CARTRegressor().fit(X, y).predict([[1.5], [9]]).tolist()
    [1.0, 5.0]
    >>> tw.CARTRegressor(criterion="absolute_error", max_depth=0).fit(X, [1.0, 2.0, 3.0, 900.0]).predict([[9]]).tolist()
    [2.5]
    """

    criterion: Any = "squared_error"
    prune: Any = PRUNE

    def _recipe(self, encoded: Encoded) -> Recipe:
        return cart(**self._pieces(encoded))


@dataclass(kw_only=True, eq=False, repr=False)
class TreeRegressor(GreedyModel, RegressorModel):
    """The general regression tree: criterion, kind of nominal split, stopping and pruning as arguments.

    ``splits`` is what a test on a nominal column looks like: "subset", "multiway" or "one-vs-rest". The best subset of
    levels is found by squared error and Poisson deviance; by absolute error only cuts of the levels in the order of
    their medians are tried. ``criterion`` may be any measure for numbers of ``tw.criteria.CRITERIA``.

    >>> import treewright as tw
    >>> X = {"colour": ["red", "green", "blue", "red"]}
    >>> tw.TreeRegressor(splits="multiway").fit(X, [1.0, 2.0, 3.0, 1.0]).tree_.n_leaves
    3
    """

    criterion: Any = "squared_error"
    splits: str = "subset"
    select: Any = None
    stop: Any = None
    empty: str = "parent"
    prune: Any = PRUNE

    def _recipe(self, encoded: Encoded) -> Recipe:
        return Recipe(splits=Splits(self.splits), **self._pieces(encoded))
