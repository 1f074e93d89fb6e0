"""Rows that were not grown from, as a pruner sees them: what they lose at every node if it were a leaf."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from treewright.costs import error_costs, prior_factors
from treewright.data.schema import Schema, Target
from treewright.errors import OptionError
from treewright.leaves import decided
from treewright.prediction import model_values
from treewright.prune.methods.bottom_up import sum_up
from treewright.tree.tree import LeafKind, Tree
from treewright.typing import Array, Floats, Ints

_MOMENTS = 5  # powers of y from 0 to 4: the spread of squared errors needs the fourth


@dataclass(frozen=True)
class HoldOut:
    """Per node: the weight of the rows that reach it, and their loss and squared loss if it were a leaf.

    The loss of a class is what predicting it costs (0 or 1 unless the model has costs), that of a number its squared
    error or, of a tree grown by absolute error, its absolute one. Priors of the model weigh the rows. A row that
    reaches several leaves, as a missing value may take every branch, counts at each node by the part that comes by.
    ``stopped`` and ``stopped_square`` are the losses of those that a missing value stops at the node, whatever becomes
    of the others.
    """

    weight: Floats
    loss: Floats
    square: Floats
    stopped: Floats
    stopped_square: Floats
    n_rows: int

    @property
    def total(self) -> float:
        return float(self.weight[0])


def hold_out(
    tree: Tree,
    schema: Schema,
    leaves: Ints,
    y: Array,
    weights: Floats | None = None,
    n_rows: int | None = None,
    cells: Array | None = None,
) -> HoldOut:
    """From the leaf every row reaches and its class code (-1: a class the tree does not know) or number.

    A row that reaches several leaves is given once for each, weighted by its parts; ``n_rows`` says how many rows it
    were. Where leaves are models, ``cells`` are the rows themselves, as in a prediction matrix.

    >>> from treewright.data.schema import Target
    >>> import treewright as tw
    >>> model = tw.CARTClassifier().fit([[1], [2], [3]], ["a", "b", "b"])
    >>> hold_out(model.tree_, model.schema_, model.apply([[1], [5]]), np.array([1, 1])).loss.tolist()
    [0.0, 1.0, 0.0]
    """
    w = np.ones(len(y)) if weights is None else weights
    if tree.models.exist:
        return _of_models(tree, schema.target, leaves, y, w, n_rows or len(y), needed_cells(cells))
    if tree.leaf is LeafKind.CLASSES:
        return _of_classes(tree, schema.target, leaves, y, w, n_rows or len(y))
    count = _of_medians if tree.leaf is LeafKind.MEDIANS else _of_numbers
    return count(tree, leaves, y, w, n_rows or len(y))


def _of_classes(tree: Tree, target: Target, leaves: Ints, codes: Array, w: Floats, n_rows: int) -> HoldOut:
    """A class the tree does not know is one more, which costs as much as the error of highest cost."""
    n_classes = tree.value.shape[1] + 1
    cells = leaves * n_classes + np.where(codes < 0, n_classes - 1, codes)
    ended: Floats = np.bincount(cells, w, tree.n_nodes * n_classes).reshape(-1, n_classes).astype(np.float64)
    ended *= np.append(prior_factors(tree.stats[0], target), 1.0)
    costs = error_costs(target)
    of_prediction = np.vstack([costs, np.full(n_classes - 1, costs.max())]).T[decided(tree.value, target)]

    def lost(counts: Floats) -> tuple[Floats, Floats]:
        return (counts * of_prediction).sum(-1), (counts * of_prediction**2).sum(-1)

    counts = sum_up(tree, ended, ended)
    return HoldOut(counts.sum(-1), *lost(counts), *lost(_at_inner(tree, ended)), n_rows)


def _at_inner(tree: Tree, ended: Floats) -> Floats:
    """Of what ends at every node, that which does so at inner nodes."""
    return ended * (tree.n_branches > 0)[:, None]


def _of_numbers(tree: Tree, leaves: Ints, y: Floats, w: Floats, n_rows: int) -> HoldOut:
    """Around the root's value, which keeps digits: Σ w·(y − v)² and Σ w·(y − v)⁴ from the sums of w·yᵏ."""
    centre = tree.value[0, 0]
    powers = w[:, None] * (y - centre)[:, None] ** np.arange(_MOMENTS)
    by_power = [np.bincount(leaves, power, minlength=tree.n_nodes) for power in powers.T]
    sums: Floats = np.stack(by_power, axis=1).astype(np.float64)
    v = tree.value[:, 0] - centre

    def lost(moments: Floats) -> tuple[Floats, Floats]:
        m0, m1, m2, m3, m4 = moments.T
        loss = m2 - 2 * v * m1 + v**2 * m0
        square = m4 - 4 * v * m3 + 6 * v**2 * m2 - 4 * v**3 * m1 + v**4 * m0
        return np.maximum(loss, 0.0), np.maximum(square, 0.0)

    below = sum_up(tree, sums, sums)
    return HoldOut(below[:, 0], *lost(below), *lost(_at_inner(tree, sums)), n_rows)


def _of_medians(tree: Tree, leaves: Ints, y: Floats, w: Floats, n_rows: int) -> HoldOut:
    """Absolute errors are no sums of powers: every row is taken along its path, from its leaf up."""
    lost = np.zeros((tree.n_nodes, 3))  # weights, errors and squared errors
    node, row = np.asarray(leaves), np.arange(len(y))
    while len(row):
        lost += _distances(tree, node, y[row], w[row])
        above = tree.parent[node]
        node, row = above[above >= 0], row[above >= 0]
    _, stopped, stopped_square = _at_inner(tree, _distances(tree, leaves, y, w)).T
    weight, loss, square = lost.T
    return HoldOut(weight, loss, square, stopped, stopped_square, n_rows)


def _distances(tree: Tree, node: Ints, y: Floats, w: Floats) -> Floats:
    """What rows at some nodes add there: weight, absolute error and its square."""
    error = np.abs(y - tree.value[node, 0])
    return np.stack([np.bincount(node, w * error**k, minlength=tree.n_nodes) for k in range(3)], axis=1)


def _of_models(tree: Tree, target: Target, leaves: Ints, y: Array, w: Floats, n_rows: int, cells: Array) -> HoldOut:
    """What the model of a node says depends on the row: every row is taken along its path, from its leaf up."""
    lost = np.zeros((tree.n_nodes, 3))  # weights, losses and squared losses
    if tree.leaf.of_classes:
        known = y >= 0
        w = w * np.where(known, prior_factors(tree.stats[0], target)[np.where(known, y, 0)], 1.0)

    def ended(node: Ints, row: Ints) -> Floats:
        loss = _model_losses(tree, target, node, y[row], cells[row])
        return np.stack([np.bincount(node, w[row] * loss**k, minlength=tree.n_nodes) for k in range(3)], axis=1)

    node, row = np.asarray(leaves), np.arange(len(y))
    while len(row):
        lost += ended(node, row)
        above = tree.parent[node]
        node, row = above[above >= 0], row[above >= 0]
    _, stopped, stopped_square = _at_inner(tree, ended(np.asarray(leaves), np.arange(len(y)))).T
    weight, loss, square = lost.T
    return HoldOut(weight, loss, square, stopped, stopped_square, n_rows)


def _model_losses(tree: Tree, target: Target, node: Ints, y: Array, cells: Array) -> Floats:
    """Squared errors, or what the class costs that the model decides for."""
    said = model_values(tree, node, cells)
    if not tree.leaf.of_classes:
        return np.asarray((y - said[:, 0]) ** 2)
    costs = error_costs(target)
    return np.vstack([costs, np.full(len(costs), costs.max())])[y, decided(said, target)]


def needed_cells(cells: Array | None) -> Array:
    if cells is None:
        raise OptionError("leaves of this tree are models, which need the rows themselves", "use model.prune")
    return cells


def needed(data: HoldOut | None, method: str) -> HoldOut:
    if data is None:
        raise OptionError(
            f"{method} pruning compares errors on rows that were not grown from, and none were given",
            "pass them to model.prune as X_val and y_val",
        )
    return data
