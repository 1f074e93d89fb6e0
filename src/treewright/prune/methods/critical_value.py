"""Critical value pruning (Mingers 1987, *Journal of the Operational Research Society* 38, 39–47)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from treewright.data.schema import Schema
from treewright.prune.holdout import HoldOut, needed
from treewright.prune.methods.bottom_up import ROUNDING, highest
from treewright.prune.option_checks import check_number
from treewright.prune.pruning_path import PruningPath, path_of
from treewright.prune.training_counts import training_loss
from treewright.prune.tree_selection import by_hold_out, standard_errors
from treewright.tree.edit import cut
from treewright.tree.tree import Tree


@dataclass(frozen=True)
class CriticalValue:
    """A node becomes a leaf if neither its own split nor any below it scores at least the critical value.

    The score is the one the tree was grown by, ``tree.gain``. Without a ``value``, held-out rows choose among the
    nested trees of growing critical values.

    >>> CriticalValue(0.1)
    CriticalValue(value=0.1, rule='1se')
    """

    value: float | None = None
    rule: Any = "1se"

    def __post_init__(self) -> None:
        if self.value is not None:
            check_number("value", self.value, hint="it is compared with tree.gain; leave it out to choose by rows")
        standard_errors(self.rule)

    @property
    def needs_data(self) -> bool:
        return self.value is None

    def __call__(self, tree: Tree, schema: Schema, data: HoldOut | None = None) -> Tree:
        if self.value is None:
            path = self.path(tree, schema)
            return path.trees[by_hold_out(path, needed(data, "critical-value"), self.rule).place]
        best = highest(tree, tree.gain)
        return cut(tree, (best < self.value - ROUNDING * best[0]) & (tree.n_branches > 0))

    def path(self, tree: Tree, schema: Schema) -> PruningPath:
        """The trees of growing critical values: tree k is right for values above ``alphas[k]``."""
        best = np.where(tree.n_branches > 0, highest(tree, tree.gain), -np.inf)
        return path_of(tree, best, training_loss(tree, schema), ROUNDING * float(tree.gain.max()))
