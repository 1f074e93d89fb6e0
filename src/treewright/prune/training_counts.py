"""What the training rows say at every node."""

from __future__ import annotations

import math

import numpy as np

from treewright.costs import altered, error_costs, with_priors
from treewright.data.schema import Schema, Target
from treewright.errors import OptionError
from treewright.leaves import decided
from treewright.tree.tree import LeafKind, Tree
from treewright.typing import Floats

_NOTHING = 1e-9  # a remainder below this share of a node is rounding
# Of sums of squares: what is left of subtracting two that are nearly equal is rounding, not spread.
ROUNDING = 1e-14


def training_loss(tree: Tree, schema: Schema) -> Floats:
    """Of every node as a leaf: the weight it gets wrong, by priors and times its costs; or its error.

    That of a number is squared, or the distance from the median in a tree grown by absolute error.
    """
    if tree.models.exist:
        return np.asarray(tree.models.error)
    if tree.leaf is LeafKind.MEDIANS:
        return np.asarray(tree.stats[:, 4])
    counts = with_priors(tree.stats, schema.target) if tree.leaf is LeafKind.CLASSES else tree.stats
    return loss_of(counts, tree.value, tree.leaf, schema.target)


def loss_of(counts: Floats, value: Floats, leaf: LeafKind, target: Target) -> Floats:
    """What rows of these statistics, weighted by the priors, lose where these values are predicted; not for medians."""
    if leaf is LeafKind.CLASSES:
        return np.asarray((counts * error_costs(target).T[decided(value, target)]).sum(-1))
    w, s, q = counts.T
    v = value[:, 0]
    lost = q - 2 * v * s + v * v * w
    return np.where(lost > ROUNDING * q, lost, 0.0)


def training_error(tree: Tree, schema: Schema) -> float:
    """The share of the weight that is predicted wrongly, whatever errors cost, or the mean squared error.

    Where nodes predict medians it is the mean absolute error.

    Rows are counted where they end, and as often as they do: those that take every branch with all their weight at
    every leaf they reach. Of rows without a target nothing is known: NaN.
    """
    if not tree.weights[0]:
        return math.nan
    if tree.models.exist:
        return float(tree.models.error[tree.n_branches == 0].sum() / tree.weights[0])
    ended = where_rows_end(tree)
    if tree.leaf is not LeafKind.CLASSES:
        return float(training_loss(tree._replace(stats=ended), schema).sum() / ended[:, 0].sum())
    right = np.take_along_axis(ended, decided(tree.value, schema.target)[:, None], -1).sum()
    return float(1 - right / ended.sum())


def where_rows_end(tree: Tree) -> Floats:
    """Statistics of the training rows that go no further than each node: all of a leaf, and what a missing value stops.

    A node whose branches weigh as much as itself, or more, has none; what rounding leaves over is nothing.
    """
    below = np.zeros_like(tree.stats)
    np.add.at(below, tree.parent[1:], tree.stats[1:])
    inner = tree.n_branches > 0
    weight, passed = tree.weights, tree.leaf.weight(below)
    stops = ~inner | (weight - passed > _NOTHING * weight)
    remain = tree.stats - below
    if tree.leaf is LeafKind.MEDIANS:  # distances from the node's median less those of the branches' rows from it
        remain[:, 3:5] = np.stack([tree.stats[:, 3], np.maximum(tree.stats[:, 4] - below[:, 5], 0.0)], axis=1)
    return np.where(stops[:, None], np.where(inner[:, None], remain, tree.stats), 0.0)


def least_costs(tree: Tree, schema: Schema) -> Floats:
    """What the training rows of every node cost if it predicts the class that costs least on them."""
    counts = with_priors(tree.stats, schema.target)
    if schema.target.costs is None:
        return np.asarray(counts.sum(-1) - counts.max(-1))
    return np.asarray((counts @ error_costs(schema.target)).min(-1))


def class_weights(tree: Tree, schema: Schema, method: str) -> Floats:
    """Class weights of a tree that predicts classes, altered by its costs and priors; any other tree is refused."""
    if tree.leaf is LeafKind.LOGISTIC:
        raise OptionError(
            f"{method} pruning counts classes, and the leaves of this tree are models",
            'use "cost-complexity", "reduced-error", "depth" or "leaves"',
        )
    if tree.leaf is not LeafKind.CLASSES:
        raise OptionError(
            f"{method} pruning is for classes, and the target {schema.target.name!r} is a number",
            'use "cost-complexity", "reduced-error" or "critical-value"',
        )
    return altered(tree.stats, schema.target)
