"""M5': model trees as estimators."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, ClassVar

from treewright.data.encode import encode, make_schema
from treewright.data.encoded import Encoded
from treewright.data.frame import read_frame
from treewright.engines.workers import Workers
from treewright.leaves import Leaf
from treewright.model.class_or_number import PredictsNumbers
from treewright.model.column_reports.split_competitors import SplitCompetitors, rank_m5_splits_of
from treewright.model.learners.m5_scale import warn_of_m5_scale
from treewright.model.learners.regressor import RegressorModel
from treewright.model.learners.rule_estimator import RuleEstimator
from treewright.model.model_pruning import PruneOption
from treewright.model.options.option_limits import M5_LIMITS
from treewright.prune.pruning_report import PruningReport
from treewright.recipe_parts.recipe import ByFifthRoot, Recipe
from treewright.recipes.m5 import m5
from treewright.rules.m5_rules import m5_rule_set
from treewright.tree.tree import LeafKind, Tree
from treewright.typing import Floats


@dataclass(kw_only=True, eq=False, repr=False)
class M5Regressor(RegressorModel):
    """M5' (Quinlan 1992; Wang & Witten 1997): a regression tree with a linear model at every leaf, as Weka's M5P.

    The tree is grown by the decrease in the fifth root of the variance, cuts being tried in the middle three fifths of
    the rows; nodes of fewer than ``min_rows`` rows, or of less than a twentieth of the target's spread, are not
    divided. Every inner node gets a least-squares model on the columns that are tested in its subtree, from which
    terms are dropped for as long as an Akaike-like number falls. With ``prune`` a node becomes a leaf if its model's
    error, times (n + 2v) / (n − v) for v parameters, is no greater than that of the subtree. With ``smooth`` the model
    of a leaf is mixed with those on its path: (n·model + 15·model above) / (n + 15). ``leaf="mean"`` has means in place
    of models.

    Missing numbers are replaced by the mean, missing and unseen levels by the commonest one. Nominal columns become
    0/1 columns, for which levels are sorted by the mean of the target. Predictions are not limited to the range of the
    target. Rows are weighted by ``sample_weight`` in all sums. The tree is that of M5P to the last digits: rows are
    shuffled, sorted and added up in its order, which is always the same.

    >>> import treewright as tw
    >>> X = {"size": [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]}
    >>> y = [1.0, 2, 3, 4, 5, 6, 20, 18, 16, 14, 12, 10]
    >>> print(tw.M5Regressor().fit(X, y))
    M5Regressor: y — 12 rows, 2 leaves, depth 1, training RMSE 3.148
    size ≤ 6.5: 0.45455 + 1.2323 size [1] (n=6, RMSE 1.33)
    size > 6.5: 10.169 + 0.37512 size [2] (n=6, RMSE 4.25)
    """

    prune: PruneOption = PruneOption(True)  # noqa: RUF009 - a descriptor, whose default the class reads
    smooth: bool = True
    min_rows: int = 4
    leaf: str = "linear"

    max_depth: int | None = field(default=None, init=False)  # M5' knows none of these
    missing: Any = field(default="learned", init=False)
    missing_at_predict: Any = field(default=None, init=False)
    surrogates: str = field(default="breiman", init=False)
    max_surrogates: int = field(default=5, init=False)
    surrogate_agreement: str = field(default="all", init=False)
    surrogate_otherwise: str = field(default="majority", init=False)

    option_limits = M5_LIMITS

    def _leaf(self) -> Leaf:
        return Leaf(LeafKind.LINEAR if self.leaf == "linear" else LeafKind.MEANS)

    def _counts_unused(self) -> bool:
        return True

    def _competitors_of(self, node: int, whole: Encoded, here: Encoded) -> SplitCompetitors:
        return rank_m5_splits_of(self, node, whole, here)

    def _grow(self, encoded: Encoded, recipe: Recipe) -> tuple[Tree, PruningReport | None]:
        warn_of_m5_scale(encoded)
        return super()._grow(encoded, recipe)

    def _recipe(self, encoded: Encoded) -> Recipe:
        return m5(
            prune=bool(self.__dict__["prune"]), smooth=self.smooth, min_rows=self.min_rows,
            linear=self.leaf == "linear", missing=self._policies(encoded.schema),
        )  # fmt: skip


@dataclass(kw_only=True, eq=False, repr=False)
class M5RulesRegressor(PredictsNumbers, RuleEstimator):
    """M5Rules (Holmes, Hall & Frank 1999): rules with linear models, as Weka's M5Rules.

    A tree of M5' is made, the leaf of most rows becomes a rule, the rows it covers are put aside, and the same is done
    with the rest, until a tree is one leaf: that rule has no conditions. The first rule that a row meets predicts it,
    by its model. Options are those of :class:`M5Regressor`; missing values and levels are treated as there.

    >>> import treewright as tw
    >>> X = {"size": [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]}
    >>> y = [1.0, 2, 3, 4, 5, 6, 20, 18, 16, 14, 12, 10]
    >>> print(tw.M5RulesRegressor().fit(X, y))
    RuleSet: y — 1 rule, the first that is met decides
    [1] if size ≤ 6.5 or missing then y = 0.45455 + 1.2323 size   (50 % of rows, sd 1.71)
    otherwise y = 34 - 2 size
    """

    holds: ClassVar[str] = "rules"

    prune: bool = True
    smooth: bool = True
    min_rows: int = 4
    leaf: str = "linear"

    option_limits = M5_LIMITS

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> M5RulesRegressor:
        """Learn rules from a table and its target, a number per row."""
        self._check_options()
        frame = read_frame(X)
        kept, told = self._read_target(y, frame.n_rows, sample_weight).of(frame)
        schema = make_schema(kept, told.target, self.kinds, unused=True, leave_out=True)
        encoded = encode(kept, schema, told.y, told.weights, max_bins=None, n_jobs=self._n_jobs())
        warn_of_m5_scale(encoded)
        choice = ByFifthRoot(self.prune, self.smooth, self.min_rows, self.leaf == "linear")
        with Workers(self._n_jobs()) as workers:
            rule_set = m5_rule_set(encoded, choice, workers)
        self._keep(schema, {"rule_set_": rule_set}, named=frame.named)
        return self

    def predict(self, X: Any) -> Floats:
        """What the model of the first rule says that a row meets."""
        self._check_fitted()
        return self.rule_set_.estimates(self.rule_set_.matrix(X, unseen=self.unseen, owner=type(self).__name__))
