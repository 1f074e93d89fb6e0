"""Trees that take the split of the best score."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar

from sklearn.utils import check_random_state

from treewright.criteria.registry import SAME_AS
from treewright.data.encoded import Encoded
from treewright.model.base import TreeModel
from treewright.model.options.missing_policy import refuse_inexact
from treewright.model.options.option_limits import check_significance
from treewright.recipe_parts.constraints import Constraints, constraints_of
from treewright.recipe_parts.missing import Missing
from treewright.recipe_parts.recipe import CHOSEN, ByMedian, ByScore, Limits


@dataclass(kw_only=True, eq=False, repr=False)
class GreedyModel(TreeModel):
    """Trees that take the split of the best score, missing values going the way that scores better.

    ``significance`` stops early: a node is split only if the p of a test of independence between branch and target, χ²
    for classes and F for numbers, is at most this. It is the p of the split that was chosen or, by
    ``significance_of="any"``, the smallest of the best splits of all columns: then a node becomes a leaf only where the
    target is independent of every column.
    """

    max_leaves: int | None = None
    min_rows_split: int = 2
    min_rows_leaf: int = 1
    min_weight_fraction_leaf: float = 0.0
    min_gain: float = 0.0
    significance: float | None = None
    significance_of: str = CHOSEN
    monotone: Any = None
    interactions: Any = None
    force: Any = None
    forbid: Any = None
    min_branch_share: float = 0.0
    max_levels: int | None = None
    engine: str = "exact"
    random_state: Any = None
    tie: str = "first"

    option_checks: ClassVar[tuple[Callable[[Any], None], ...]] = (check_significance,)

    def _constraints(self, encoded: Encoded, policies: tuple[Missing, ...]) -> Constraints | None:
        found = constraints_of(
            encoded.schema, self.monotone, self.interactions, self.force, self.forbid, self.min_branch_share,
            self.max_levels,
        )  # fmt: skip
        if found is not None and found.monotone.any():
            refuse_inexact(encoded, policies, getattr(self, "smoothing", 0.0))
        return found

    def _limits(self) -> Limits:
        return Limits(
            max_depth=self.max_depth, max_leaves=self.max_leaves, min_rows_split=self.min_rows_split,
            min_rows_leaf=self.min_rows_leaf, min_weight_fraction_leaf=self.min_weight_fraction_leaf,
            min_gain=float(self.min_gain), significance=self.significance,
            significance_of=self.significance_of,
        )  # fmt: skip

    def _pieces(self, encoded: Encoded) -> dict[str, Any]:
        """What all recipes of trees by score have."""
        policies = self._policies(encoded.schema)
        return {
            "choice": self._choice(),
            "leaf": self._leaf(),
            "missing": policies,
            "stop": self._limits(),
            "halt": getattr(self, "stop", None),
            "surrogates": self._surrogating(),
            "constraints": self._constraints(encoded, policies),
            "test_costs": self._test_costs(encoded.schema),
            "prune": self._fit_pruner(),
            **self._tie_choice(),
        }

    def _choice(self) -> ByScore | ByMedian:
        """By a criterion of a name, or a function of one's own."""
        criterion, select = getattr(self, "criterion", "entropy"), getattr(self, "select", None)
        if callable(criterion):
            return ByScore("own", score=criterion, select=select)
        name = SAME_AS.get(criterion, criterion)
        if name == "absolute_error":
            return ByMedian(select=select)
        return ByScore(
            name, getattr(self, "base", 2.0), above_average=getattr(self, "above_average", False), select=select
        )

    def _tie_choice(self) -> dict[str, Any]:
        """A seed is drawn only when it is needed, so that deterministic trees stay so."""
        if self.tie == "first":
            return {"tie": "first"}
        return {"tie": "random", "seed": int(check_random_state(self.random_state).randint(2**31 - 1))}
