"""Minimal cost-complexity pruning (Breiman, Friedman, Olshen & Stone 1984, chapter 3)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from treewright.costs import altered
from treewright.criteria import entropy, gini, misclassification, variance
from treewright.data.schema import Schema
from treewright.errors import OptionError
from treewright.prune.choose import by_hold_out, standard_errors
from treewright.prune.counts import least_costs
from treewright.prune.fold import ROUNDING, better_as_leaf
from treewright.prune.holdout import HoldOut, needed
from treewright.prune.path import PruningPath, path_of
from treewright.tree.edit import cut
from treewright.tree.tree import Tree
from treewright.typing import Floats

_CLASS_RISKS = {"gini": gini, "entropy": entropy, "misclassification": misclassification}


@dataclass(frozen=True)
class CostComplexity:
    """The smallest subtree that minimises R(T) + α·leaves.

    R is the sum over the leaves of their share of the weight times their risk. The risk of a numeric target is its
    variance. For classes it is the Gini index unless said otherwise: ``"gini"`` or ``"entropy"`` (bits) as
    scikit-learn's ``ccp_alpha`` has it, ``"misclassification"`` as in the book and in rpart. For a model with costs
    or priors it is ``"misclassification"`` unless said otherwise, R and α being costs. ``relative=True``
    measures R in units of the root's risk, as rpart's ``cp`` does. Without an ``alpha``, held-out rows choose it:
    the smallest error (``rule="0se"``), or the smallest tree within one standard error of it.

    >>> CostComplexity(0.01, risk="misclassification")
    CostComplexity(alpha=0.01, risk='misclassification', relative=False, rule='1se')
    """

    alpha: float | None = None
    risk: str | None = None
    relative: bool = False
    rule: str = "1se"

    def __post_init__(self) -> None:
        if self.alpha is not None and not self.alpha >= 0:
            raise OptionError(f"alpha must be a number of at least 0, got {self.alpha!r}", "0 keeps every useful split")
        if self.risk is not None and self.risk not in _CLASS_RISKS:
            raise OptionError(
                f"unknown risk {self.risk!r}", f"choose one of {', '.join(_CLASS_RISKS)}, or leave it out"
            )
        standard_errors(self.rule)

    @property
    def needs_data(self) -> bool:
        return self.alpha is None

    def __call__(self, tree: Tree, schema: Schema, data: HoldOut | None = None) -> Tree:
        if self.alpha is None:
            path = self.path(tree, schema)
            return path.trees[by_hold_out(path, needed(data, "cost-complexity"), self.rule).place]
        risk = self._risks(tree, schema)
        return cut(tree, better_as_leaf(tree, risk + self.alpha, slack=ROUNDING * float(risk[0])))

    def path(self, tree: Tree, schema: Schema) -> PruningPath:
        """All trees that are right for some α, from the largest to the root alone."""
        from treewright.kernels.weakest import weakest_links

        risk = self._risks(tree, schema)
        price = np.empty(tree.n_nodes)
        weakest_links(tree.first_child, tree.n_branches, risk, price)
        return path_of(tree, price, risk, ROUNDING * float(risk[0]))

    def _risks(self, tree: Tree, schema: Schema) -> Floats:
        """The risk of every node times its share of the weight."""
        if schema.target.classes is not None:
            risk = self._class_risks(tree, schema)
        elif self.risk is None:
            risk = variance(tree.stats) * tree.stats[:, 0]
        else:
            raise OptionError(f"risk={self.risk!r} is for classes, and the target is a number", "leave risk out")
        unit = risk[0] if self.relative and risk[0] > 0 else _total(tree, schema)
        return np.asarray(risk / unit)

    def _class_risks(self, tree: Tree, schema: Schema) -> Floats:
        """Impurities are those of the class weights that the tree was grown from, errors are added up by cost."""
        has_costs = schema.target.costs is not None or schema.target.priors is not None
        risk = self.risk or ("misclassification" if has_costs else "gini")
        if risk == "misclassification":
            return least_costs(tree, schema)
        counts = altered(tree.stats, schema.target)
        return np.asarray(_CLASS_RISKS[risk](counts) * counts.sum(-1))


def _total(tree: Tree, schema: Schema) -> float:
    return float(tree.stats[0].sum() if schema.target.classes is not None else tree.stats[0, 0])
