"""Pruning as the last step of a fit: what a recipe does to the tree that was grown."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from treewright.data.encoded import Encoded
from treewright.data.schema import Schema
from treewright.errors import OptionError, shown
from treewright.leaves import Leaf, decided
from treewright.prediction import predicted_values, reached
from treewright.prune.holdout import HoldOut, hold_out
from treewright.prune.manual_pruning import AtNodes, MergeSame, ToDepth
from treewright.prune.methods.error_based import collapse, recounted
from treewright.prune.methods.reduced_error import ReducedError
from treewright.prune.pruning_methods import Pruner, name_of, needs_training
from treewright.prune.pruning_report import PruningReport, Traced, report, untouched
from treewright.prune.soft_thresholds import soften
from treewright.prune.training_rows import TrainingRows, training_rows
from treewright.recipe_parts.missing import Missing
from treewright.recipe_parts.recipe import Recipe
from treewright.tree.edit import drop_unreachable
from treewright.tree.tree import Tree
from treewright.typing import Ints, Mask

_BY_SHAPE = (AtNodes, ToDepth, MergeSame)  # pruners that do not ask what rows are of


def pruned(
    leaf: Leaf, pruner: Pruner, tree: Tree, schema: Schema, data: HoldOut | TrainingRows | None
) -> tuple[Tree, PruningReport]:
    """What a pruner makes of a tree with such leaves, and the report of what it cut."""
    if not tree.weights[0] and not isinstance(pruner, _BY_SHAPE):
        raise OptionError(
            f"the tree was made without a target, and {name_of(pruner)} pruning goes by errors",
            "pass y to tw.tree_by_hand, or cut by depth or at nodes",
        )
    prune = getattr(pruner, "traced", pruner)
    made = prune(tree, schema, *([] if data is None else [data]))
    if not isinstance(made, (Tree, Traced)):
        raise OptionError(f"the pruner {name_of(pruner)} returned {shown(made)}", "return a tree")
    traced = made if isinstance(made, Traced) else untouched(made, tree)
    if traced.moved or needs_training(pruner):
        traced = traced.with_value(leaf.values(traced.tree.stats, traced.tree.parent, schema.target))
    return traced.tree, report(tree, traced, schema, name_of(pruner))


@dataclass(frozen=True)
class PruneBy:
    """Any pruner that needs no rows, or those that the tree was grown from."""

    pruner: Pruner

    def __call__(self, tree: Tree, encoded: Encoded, recipe: Recipe) -> tuple[Tree, PruningReport | None]:
        given = training_rows(tree, encoded, recipe.missing) if needs_training(self.pruner) else None
        return pruned(recipe.leaf, self.pruner, tree, encoded.schema, given)


@dataclass(frozen=True)
class C45Pruning:
    """What C4.5 does to a grown tree: splits that save no training error are undone (``collapse``), then those that
    save no pessimistic error (``pruner``, an :class:`ErrorBased`, or another that is asked for; None: none), then
    thresholds become soft."""

    pruner: Pruner | None
    collapse: bool = True
    soft_thresholds: bool = False
    groups: bool = False  # levels are grouped: branches that no level reaches any more are dropped
    n_jobs: int = 1

    def __call__(self, tree: Tree, encoded: Encoded, recipe: Recipe) -> tuple[Tree, PruningReport | None]:
        schema, in_full, told = encoded.schema, Missing.EVERY in recipe.missing, None
        if in_full:  # a row in every branch is one row to be right or wrong about: it counts by share
            tree = recounted(tree, schema, training_rows(tree, encoded))
        if self.collapse:
            tree = collapse(tree, schema)
        if self.pruner is not None:
            given = training_rows(tree, encoded) if needs_training(self.pruner) else None
            tree, told = _without_unreachable(tree, *pruned(recipe.leaf, self.pruner, tree, schema, given), self)
        if in_full:
            tree = recounted(tree, schema, training_rows(tree, encoded, recipe.missing))
        tree = tree._replace(value=recipe.leaf.values(tree.stats, tree.parent, schema.target))
        return _softened(tree, encoded, self), told


@dataclass(frozen=True, eq=False)
class HeldOutPruning:
    """Reduced error with rows that were held out, as J48 -R does: nothing is collapsed or raised."""

    held: Encoded
    soft_thresholds: bool = False
    groups: bool = False
    n_jobs: int = 1

    def __call__(self, tree: Tree, encoded: Encoded, recipe: Recipe) -> tuple[Tree, PruningReport | None]:
        held, given = self.held, training_rows(tree, self.held)
        rows, leaves, parts = reached(tree, np.ascontiguousarray(given.cells.T), self.n_jobs)
        parts = parts if given.weights is None else parts * given.weights[rows]
        lost = hold_out(tree, encoded.schema, leaves, held.y[rows], parts, n_rows=held.n_rows)
        smaller, told = pruned(recipe.leaf, ReducedError(), tree, encoded.schema, lost)
        tree, told = _without_unreachable(tree, smaller, told, self)
        return _softened(tree, encoded, self), told


def _without_unreachable(
    tree: Tree, smaller: Tree, told: PruningReport, how: C45Pruning | HeldOutPruning
) -> tuple[Tree, PruningReport]:
    if not how.groups:
        return smaller, told
    smaller = drop_unreachable(smaller)
    return smaller, replace(told, n_nodes=(tree.n_nodes, smaller.n_nodes), n_leaves=(tree.n_leaves, smaller.n_leaves))


def _softened(tree: Tree, encoded: Encoded, how: C45Pruning | HeldOutPruning) -> Tree:
    if not how.soft_thresholds:
        return tree
    given = training_rows(tree, encoded)
    cells, weights = given.cells, given.weights

    def wrong(rows: Ints, start: int) -> Mask:
        matrix = np.ascontiguousarray(cells[:, rows].T)
        found = predicted_values(tree, matrix, how.n_jobs, start)
        return np.asarray(decided(found, encoded.schema.target) != encoded.y[rows])

    return soften(tree, cells, np.ones(encoded.n_rows) if weights is None else weights, wrong)
