"""Trees that take the split of the best score."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields, replace
from typing import Any

from sklearn.utils import check_random_state

from treewright.criteria.registry import SAME_AS
from treewright.data.encoded import Encoded
from treewright.engines.engine import Engine
from treewright.engines.workers import Workers
from treewright.model.base import TreeModel
from treewright.model.gaps import refuse_inexact
from treewright.model.pruning import pruned
from treewright.prune.methods import Pruner, needs_training
from treewright.prune.report import Pruned
from treewright.prune.training import training_rows
from treewright.recipes.constraints import Constraints, constraints_of
from treewright.recipes.missing import Missing
from treewright.recipes.recipe import Limits, Recipe
from treewright.tree.tree import Tree


@dataclass(kw_only=True, eq=False, repr=False)
class GreedyModel(TreeModel):
    """Trees that take the split of the best score, missing values going the way that scores better."""

    max_leaves: int | None = None
    min_rows_split: int = 2
    min_rows_leaf: int = 1
    min_weight_fraction_leaf: float = 0.0
    min_gain: float = 0.0
    significance: float | None = None
    monotone: Any = None
    interactions: Any = None
    force: Any = None
    forbid: Any = None
    min_branch_share: float = 0.0
    max_levels: int | None = None
    engine: str = "exact"
    random_state: Any = None
    tie: str = "first"

    def _engine(self, encoded: Encoded, recipe: Recipe, workers: Workers) -> Engine:
        from treewright.engines.local import LocalEngine

        policies = self._policies(encoded.schema)
        recipe = replace(recipe, constraints=self._constraints(encoded, policies))
        found = _engine_of(recipe.criterion, LocalEngine.serves(encoded, recipe, policies))
        return found(encoded, recipe, workers, policies)

    def _constraints(self, encoded: Encoded, policies: tuple[Missing, ...]) -> Constraints | None:
        found = constraints_of(
            encoded.schema, self.monotone, self.interactions, self.force, self.forbid, self.min_branch_share,
            self.max_levels,
        )  # fmt: skip
        if found is not None and found.monotone.any():
            refuse_inexact(encoded, policies, getattr(self, "smoothing", 0.0))
        return found

    def _prune(self, tree: Tree, encoded: Encoded) -> tuple[Tree, Pruned | None]:
        pruner: Pruner | None = self.__dict__.get("prune")
        if pruner is None:
            return tree, None
        given = training_rows(tree, encoded, self._policies(encoded.schema)) if needs_training(pruner) else None
        return pruned(self, pruner, tree, encoded.schema, given)

    def _limits(self) -> Limits:
        return Limits(**{limit.name: getattr(self, limit.name) for limit in fields(Limits)})

    def _choices(self) -> dict[str, Any]:
        """What all recipes of greedy trees choose alike."""
        return {"surrogates": self._surrogating(), **self._tie_choice()}

    def _measure(self) -> dict[str, Any]:
        """The criterion by name, or as a function of one's own."""
        criterion = getattr(self, "criterion", "entropy")
        if callable(criterion):
            return {"criterion": "own", "score": criterion}
        return {"criterion": SAME_AS.get(criterion, criterion)}

    def _tie_choice(self) -> dict[str, Any]:
        """A seed is drawn only when it is needed, so that deterministic trees stay so."""
        if self.tie == "first":
            return {"tie": "first"}
        return {"tie": "random", "seed": int(check_random_state(self.random_state).randint(2**31 - 1))}


def _engine_of(criterion: str, is_local: bool) -> Callable[..., Engine]:
    """What few trees need is imported when one needs it: that takes longer than to grow a small tree."""
    if criterion == "absolute_error":
        from treewright.engines.absolute import AbsoluteEngine
        from treewright.engines.absolute_tables import AbsoluteTableEngine

        return AbsoluteEngine if is_local else AbsoluteTableEngine
    if is_local:
        from treewright.engines.local import LocalEngine

        return LocalEngine
    from treewright.engines.tables import TableEngine

    return TableEngine
