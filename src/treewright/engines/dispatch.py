"""The one place that chooses who counts."""

from __future__ import annotations

from treewright.data.encoded import Encoded
from treewright.engines.choices.choice import Choice
from treewright.engines.choices.score_choice import ScoreChoice
from treewright.engines.engine import Engine
from treewright.engines.paths import Paths
from treewright.engines.stores.plain_store import PlainStore
from treewright.engines.stores.store import Store
from treewright.engines.target_stats import ClassStats, MedianStats, TargetStats, target_stats
from treewright.engines.workers import Workers
from treewright.recipe.merging import ByMerging
from treewright.recipe.recipe import ByRatio, Recipe


def engine_for(encoded: Encoded, recipe: Recipe, workers: Workers) -> Engine:
    return plain_engine(encoded, recipe, workers)


def plain_engine(encoded: Encoded, recipe: Recipe, workers: Workers) -> Engine:
    """The plain pair: rows in numpy, splits chosen from their cells. It does everything, and owes nothing to kernels."""
    target = target_of(encoded, recipe)
    store, paths = PlainStore(encoded, target), paths_of(encoded, recipe)
    choice = choice_of(encoded, recipe, target, paths, store)
    return Engine(encoded, recipe, target, store, choice, workers, paths)


def target_of(encoded: Encoded, recipe: Recipe) -> TargetStats:
    shared = isinstance(recipe.choice, ByRatio) or any(policy.is_shared for policy in recipe.missing)
    return target_stats(encoded, recipe.criterion, fine=shared)


def paths_of(encoded: Encoded, recipe: Recipe) -> Paths | None:
    asked = recipe.constraints is not None or recipe.test_costs is not None
    return Paths(len(encoded.columns)) if asked else None


def choice_of(encoded: Encoded, recipe: Recipe, target: TargetStats, paths: Paths | None, store: Store) -> Choice:
    """What few trees need is imported when one needs it: that takes longer than to grow a small tree."""
    if isinstance(recipe.choice, ByRatio):
        from treewright.engines.choices.ratio_choice import RatioChoice

        assert isinstance(target, ClassStats)
        return RatioChoice(encoded, recipe, target, paths)
    if isinstance(recipe.choice, ByMerging):
        from treewright.engines.choices.merge_choice import MergeChoice

        return MergeChoice(encoded, recipe, target)
    if isinstance(target, MedianStats):
        from treewright.engines.choices.median_choice import MedianChoice

        assert isinstance(store, PlainStore)
        return MedianChoice(encoded, recipe, target, paths, store)
    return ScoreChoice(encoded, recipe, target, paths)
