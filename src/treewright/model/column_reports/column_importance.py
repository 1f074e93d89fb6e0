"""How much of what a tree gains its columns have."""

from __future__ import annotations

from typing import Any

import numpy as np

from treewright.costs import altered
from treewright.criteria import CRITERIA
from treewright.data.schema import Schema
from treewright.tree.tree import Tree
from treewright.typing import Floats


def column_importance(tree: Tree, schema: Schema, criterion: Any = None) -> Floats:
    """The gain of every split times the weight of its node, added up by column; shares of the sum, or all 0.

    Scores that grow with the rows by themselves, such as χ², are added as they are.
    """
    inner = tree.n_branches > 0
    known = CRITERIA.get(criterion) if isinstance(criterion, str) else None
    gains = tree.gain * (_weights(tree, schema) if known is None or known.is_per_row else 1.0)
    by_column = np.bincount(tree.column[inner], np.maximum(gains[inner], 0.0), minlength=len(schema.columns))
    total = by_column.sum()
    return np.asarray(by_column / total if total > 0 else np.zeros(len(schema.columns)))


def _weights(tree: Tree, schema: Schema) -> Floats:
    """As growing counted: costs and priors alter the weights of classes."""
    stats = altered(tree.stats, schema.target) if tree.leaf.of_classes else tree.stats
    return tree.leaf.weight(stats)
