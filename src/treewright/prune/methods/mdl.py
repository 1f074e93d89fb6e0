"""Pruning by description length (Mehta, Rissanen & Agrawal, *MDL-based decision tree pruning*, KDD 1995)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from treewright.criteria import entropy
from treewright.data.schema import Column, Kind, Schema
from treewright.prune.holdout import HoldOut
from treewright.prune.methods.bottom_up import ROUNDING, better_as_leaf
from treewright.prune.option_checks import check_number
from treewright.prune.training_counts import class_weights
from treewright.tree.edit import cut
from treewright.tree.tree import Tree
from treewright.typing import Array, Floats

_MANY_LEVELS = 1000  # 2 to this power is no float any more


@dataclass(frozen=True)
class MDL:
    """Make a node a leaf if it and its classes take no more bits to write down that way.

    Every node takes one bit, which says whether it is a leaf. The classes of a leaf's N rows, n_c of class c of q, take

        Σ n_c·log₂(N / n_c) + (q − 1)/2·log₂(N / 2) + log₂(π^{q/2} / Γ(q/2)),

    their stochastic complexity (Krichevsky & Trofimov 1981), as in the paper. An inner node's test takes log₂ of the
    number of columns, and log₂ of the number of tests there can be on its column: N − 1 cuts of a number, q − 1 of q
    ordered levels, 2^{q−1} − 1 ways to send q levels to two branches, a single one with a branch per level.
    ``of_splits`` weighs the bits of the tests.

    >>> MDL()
    MDL(of_splits=1.0)
    """

    of_splits: float = 1.0

    needs_data = False

    def __post_init__(self) -> None:
        check_number("of_splits", self.of_splits, hint="1 counts the bits of tests in full, 0 not at all")

    def __call__(self, tree: Tree, schema: Schema, data: HoldOut | None = None) -> Tree:
        bits = 1.0 + class_bits(class_weights(tree, schema, "mdl"))
        tests = 1.0 + self.of_splits * split_bits(tree, schema)
        return cut(tree, better_as_leaf(tree, bits, of_split=tests, slack=ROUNDING * float(bits[0])))


def class_bits(counts: Floats) -> Floats:
    """Bits for the classes of the rows of a leaf. Nothing at all takes none, and no parameter costs less than none.

    >>> class_bits(np.array([[8.0, 0.0], [4.0, 4.0]])).round(3).tolist()
    [2.651, 10.651]
    """
    from scipy.special import gammaln

    total, n_classes = counts.sum(-1), counts.shape[-1]
    constant = (n_classes / 2 * np.log(np.pi) - gammaln(n_classes / 2)) / np.log(2)
    parameters = (n_classes - 1) / 2 * np.log2(np.maximum(total, 1e-300) / 2) + constant
    return np.asarray(total * entropy(counts) + np.where(total > 0, np.maximum(parameters, 0.0), 0.0))


def split_bits(tree: Tree, schema: Schema) -> Floats:
    """Bits for the tests of inner nodes, 0 at leaves."""
    bits = np.zeros(tree.n_nodes)
    for j in np.unique(tree.column[tree.column >= 0]):
        nodes = np.flatnonzero(tree.column == j)
        bits[nodes] = _choice_bits(schema.columns[j], tree.n_branches[nodes], tree.rows[nodes])
    return np.where(tree.n_branches > 0, bits + np.log2(len(schema.columns)), 0.0)


def _choice_bits(column: Column, n_branches: Array, n_rows: Array) -> Floats:
    """Bits to say which of the tests on a column it is."""
    if column.kind is Kind.NUMERIC:
        return np.asarray((n_branches - 1) * np.log2(np.maximum(n_rows - 1, 1)))
    n_levels = len(column.levels)
    if column.kind is Kind.ORDINAL:
        return np.asarray((n_branches - 1) * np.log2(max(n_levels - 1, 1)))
    subsets = np.log2(max(2.0 ** (n_levels - 1) - 1, 1.0)) if n_levels < _MANY_LEVELS else n_levels - 1
    return np.where((n_branches == n_levels) & (n_levels > 2), 0.0, subsets)
