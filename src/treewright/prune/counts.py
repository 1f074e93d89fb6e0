"""What the training rows say at every node."""

from __future__ import annotations

import numpy as np

from treewright.data.schema import Schema
from treewright.errors import OptionError
from treewright.tree.tree import Tree
from treewright.typing import Floats


def training_loss(tree: Tree, schema: Schema) -> Floats:
    """Of every node as a leaf: the weight it gets wrong, or its squared error."""
    if schema.target.classes is not None:
        right = np.take_along_axis(tree.stats, tree.value.argmax(-1)[:, None], -1)[:, 0]
        return np.asarray(tree.stats.sum(-1) - right)
    w, s, q = tree.stats.T
    v = tree.value[:, 0]
    return np.asarray(np.maximum(q - 2 * v * s + v * v * w, 0.0))


def training_error(tree: Tree, schema: Schema) -> float:
    """The share of the weight that is predicted wrongly, or the mean squared error."""
    return float(training_loss(tree, schema)[tree.n_branches == 0].sum() / weights(tree, schema)[0])


def weights(tree: Tree, schema: Schema) -> Floats:
    """The weight of the rows at every node."""
    return np.asarray(tree.stats.sum(-1) if schema.target.classes is not None else tree.stats[:, 0])


def class_weights(tree: Tree, schema: Schema, method: str) -> Floats:
    """The statistics of a tree that predicts classes; any other tree is refused."""
    if schema.target.classes is None:
        raise OptionError(
            f"{method} pruning is for classes, and the target {schema.target.name!r} is a number",
            'use "cost-complexity", "reduced-error" or "critical-value"',
        )
    return tree.stats
