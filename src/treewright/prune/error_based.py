"""Error-based pruning (Quinlan 1993, chapter 4): leaves and branches are judged by the errors they might well make."""

from __future__ import annotations

from dataclasses import dataclass
from statistics import NormalDist

import numpy as np

from treewright.data.encoded import Encoded, EncodedColumn
from treewright.data.schema import Kind
from treewright.engines.fixed_point import to_fine
from treewright.errors import OptionError
from treewright.recipes.c45 import FLAVOURS
from treewright.tree.build import level_order, reorder_splits
from treewright.tree.edit import cut, levels
from treewright.tree.tree import Tree
from treewright.typing import Array, Floats, Ints

_SAVES_NONE = 1e-3  # training errors
_WORSE_AT_MOST = 0.1  # pessimistic errors by which the smaller tree may be worse

# C4.5's table of one-sided normal quantiles, read with linear interpolation.
_CONFIDENCES = (0.0, 0.001, 0.005, 0.01, 0.05, 0.10, 0.20, 0.40, 1.00)
_DEVIATIONS = (4.0, 3.09, 2.58, 2.33, 1.65, 1.28, 0.84, 0.25, 0.00)


def collapse(tree: Tree) -> Tree:
    """Cut nodes below which no fewer training rows are wrong than there would be at a leaf."""
    wrong = tree.stats.sum(-1) - tree.stats.max(-1)
    below = np.where(tree.n_branches == 0, wrong, 0.0)
    for level in reversed(list(levels(tree))[1:]):
        np.add.at(below, tree.parent[level], below[level])
    return cut(tree, (tree.n_branches > 0) & (below >= wrong - _SAVES_NONE))


@dataclass(frozen=True)
class ErrorBased:
    """A node becomes a leaf, or with ``raising`` its largest branch takes its place, where that makes no more errors.

    Errors are pessimistic: as many as the upper end of a confidence interval around those seen in training. Less
    ``confidence`` is more pessimism and a smaller tree; above 0.5 J48 counts the errors as they are. ``flavour`` is
    whose numbers are followed, "c4.5" or "j48".

    >>> ErrorBased(0.1)
    ErrorBased(confidence=0.1, flavour='c4.5', raising=True)
    """

    confidence: float = 0.25
    flavour: str = "c4.5"
    raising: bool = True

    def __post_init__(self) -> None:
        if not 0 < self.confidence <= 1:
            raise OptionError(f"confidence must be above 0 and at most 1, got {self.confidence!r}", "try 0.25")
        if self.flavour not in FLAVOURS:
            raise OptionError(f"unknown flavour {self.flavour!r}", f"choose one of {', '.join(FLAVOURS)}")

    def __call__(self, tree: Tree, *, data: Encoded) -> Tree:
        """The pruned tree, with the statistics that the training data ``data`` has at its nodes."""
        from treewright.kernels.raising import Pessimism, Pruned, prune_errors

        small = FLAVOURS[self.flavour]
        weights = to_fine(np.ones(data.n_rows) if data.weights is None else data.weights)
        pruned = Pruned(
            np.where(tree.n_branches > 0, np.arange(tree.n_nodes), -1),
            np.zeros(tree.stats.shape, np.int64),
            tree.rows.copy(),
            tree.missing.copy(),
        )
        pessimism = Pessimism(
            1 / weights.scale, float(self.confidence), self.z, small.hopeless, small.tolerance, _WORSE_AT_MOST,
            self.raising,
        )  # fmt: skip
        prune_errors(_cells(tree, data), weights.values, data.y, tree, pessimism, pruned)
        return _rebuilt(tree, pruned.test, pruned.stats / weights.scale, pruned.rows, pruned.missing)

    @property
    def z(self) -> float:
        """How many standard errors the confidence is worth."""
        if FLAVOURS[self.flavour].exact_quantile:
            return NormalDist().inv_cdf(1 - self.confidence) if self.confidence < 1 else -np.inf
        return float(np.interp(self.confidence, _CONFIDENCES, _DEVIATIONS))


def _cells(tree: Tree, data: Encoded) -> Floats:
    """What the tree tests, column by column: numbers and level codes, NaN where missing."""
    used = set(tree.column[tree.column >= 0].tolist())
    cells = np.empty((max(used, default=-1) + 1, data.n_rows))
    for j in used:
        cells[j] = _cells_of(data.columns[j], data.schema.columns[j].kind)
    return cells


def _cells_of(column: EncodedColumn, kind: Kind) -> Array:
    if column.numbers is not None:
        return column.numbers
    values = column.lows if kind is Kind.NUMERIC else np.arange(1.0, column.n_codes)
    return np.concatenate([[np.nan], values])[column.codes]


def _rebuilt(tree: Tree, test: Ints, stats: Floats, rows: Ints, missing: Ints) -> Tree:
    """The tree in which node v tests what ``test[v]`` tested, -1 making it a leaf."""
    inner = test >= 0
    first_child = np.where(inner, tree.first_child[test], -1)
    order = level_order(first_child, np.where(inner, tree.n_branches[test], 0))
    any_leaf = int(np.flatnonzero(tree.n_branches == 0)[0])
    new = np.zeros(tree.n_nodes, np.int64)
    new[order] = np.arange(len(order))
    inner = inner[order]
    made = reorder_splits(tree, np.where(inner, test[order], any_leaf))
    n_branches = made.n_branches.astype(np.int64)
    return made._replace(
        parent=np.concatenate([[-1], np.repeat(np.arange(len(order)), n_branches)]).astype(np.int32),
        first_child=np.where(inner, new[first_child[order]], -1).astype(np.int32),
        stats=stats[order],
        rows=rows[order],
        missing=np.where(inner, missing[order], 0),
        value=tree.value[order],
    )
