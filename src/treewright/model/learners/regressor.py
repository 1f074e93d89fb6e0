"""Trees that predict a number."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from treewright.data.encoded import Encoded
from treewright.leaves import Leaf
from treewright.model.base import TreeModel
from treewright.model.class_or_number import PredictsNumbers
from treewright.model.greedy import GreedyModel
from treewright.model.model_pruning import PRUNE, PruneOption
from treewright.model.options.option_limits import REGRESSOR_LIMITS, check_models, check_significance
from treewright.node_models import LinearLeaves
from treewright.recipe_parts.recipe import Recipe, Splits
from treewright.recipes.cart import cart
from treewright.tree.tree import LeafKind
from treewright.typing import Floats


@dataclass(kw_only=True, eq=False, repr=False)
class RegressorModel(PredictsNumbers, TreeModel):
    """Shared by all regression trees."""

    option_limits = REGRESSOR_LIMITS

    def _leaf(self) -> Leaf:
        if getattr(self, "leaf", None) == "linear":
            return Leaf(LeafKind.LINEAR, getattr(self, "empty", "parent"))
        kind = LeafKind.MEDIANS if self.criterion == "absolute_error" else LeafKind.MEANS
        return Leaf(kind, getattr(self, "empty", "parent"))

    def predict(self, X: Any) -> Floats:
        """The mean of the training rows at the leaf each row reaches; their median if grown by absolute error."""
        return np.asarray(self._values(X)[:, 0])


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
    prune: PruneOption = PRUNE

    def _recipe(self, encoded: Encoded) -> Recipe:
        return cart(**self._pieces(encoded))


@dataclass(kw_only=True, eq=False, repr=False)
class TreeRegressor(GreedyModel, RegressorModel):
    """The general regression tree: criterion, kind of nominal split, stopping and pruning as arguments.

    ``splits`` is what a test on a nominal column looks like: "subset", "multiway" or "one-vs-rest". The best subset of
    levels is found by squared error and Poisson deviance; by absolute error only cuts of the levels in the order of
    their medians are tried. ``criterion`` may be any measure for numbers of ``tw.criteria.CRITERIA``.

    With ``leaf="linear"`` every node gets a least-squares model on all columns, by which leaves predict. ``ridge`` is
    added to the diagonal for standardised columns. Columns that others nearly determine are left out; with
    ``eliminate`` the weakest term goes for as long as an Akaike-like number falls, as in M5'. A model has no more terms
    than a third of its rows, those of greatest correlation. It predicts no more than ``extrapolation`` per cent of
    their spread beyond the targets it has seen. Missing values count as the mean, or as the commonest level.

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
    leaf: str = "mean"
    ridge: float = 1e-8
    eliminate: bool = True
    extrapolation: float = 100.0
    prune: PruneOption = PRUNE

    option_checks = (check_significance, check_models)

    def _recipe(self, encoded: Encoded) -> Recipe:
        return Recipe(splits=Splits(self.splits), models=self._models(), **self._pieces(encoded))

    def _models(self) -> LinearLeaves | None:
        if self.leaf != "linear":
            return None
        return LinearLeaves(float(self.ridge), self.eliminate, self.extrapolation / 100.0)

    def _counts_unused(self) -> bool:
        return self.splits == Splits.MULTIWAY
