"""What the splits of a tree that was written by hand gain, in the measure of the model it is made for."""

from __future__ import annotations

import numpy as np

from treewright.costs import altered
from treewright.data.schema import Schema
from treewright.engines.choices.table_scores import criterion_of, scores_of
from treewright.recipe_parts.recipe import ByMedian, Recipe
from treewright.table import N_MOMENTS, Table
from treewright.tree.tree import LeafKind, Tree


def with_gains(tree: Tree, schema: Schema, recipe: Recipe) -> Tree:
    """The tree with what its splits gain, missing values counted where they went."""
    gain = np.zeros(tree.n_nodes)
    stats = altered(tree.stats, schema.target) if tree.leaf is LeafKind.CLASSES else tree.stats[:, :N_MOMENTS]
    for v in np.flatnonzero((tree.n_branches > 0) & (tree.weights > 0)):
        branches = slice(int(tree.first_child[v]), int(tree.first_child[v] + tree.n_branches[v]))
        if isinstance(recipe.choice, ByMedian):
            gain[v] = (tree.stats[v, 4] - tree.stats[branches, 4].sum()) / tree.stats[v, 0]
        else:
            table = Table(stats[branches], moments=tree.leaf is not LeafKind.CLASSES)
            gain[v] = scores_of(table, criterion_of(recipe))
    return tree._replace(gain=np.nan_to_num(gain))
