"""Minimal cost-complexity pruning (Breiman, Friedman, Olshen & Stone 1984, chapter 3)."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np

from treewright.costs import altered
from treewright.criteria import entropy, gini, variance
from treewright.data.schema import Schema
from treewright.errors import OptionError
from treewright.prune.holdout import HoldOut, needed
from treewright.prune.methods.bottom_up import ROUNDING, better_as_leaf
from treewright.prune.option_checks import check_choice, check_number, check_yes_no
from treewright.prune.pruning_path import PruningPath, path_of
from treewright.prune.training_counts import least_costs, training_loss
from treewright.prune.tree_selection import by_hold_out, standard_errors
from treewright.tree.edit import cut
from treewright.tree.tree import LeafKind, Tree
from treewright.typing import Floats

_CLASS_RISKS = ("gini", "entropy", "misclassification")
_PLAIN_SECONDS = 2e-5  # what a node takes longer without compiled kernels
_LINKS = ("exact", "rpart")


@dataclass(frozen=True)
class CostComplexity:
    """The smallest subtree that minimises R(T) + α·leaves.

    R is the sum over the leaves of their share of the weight times their risk. The risk of a numeric target is its
    variance or, in a tree grown by absolute error, the mean distance from the median. For classes it is the Gini index
    unless said otherwise: ``"gini"`` or ``"entropy"`` (bits) as scikit-learn's ``ccp_alpha`` has it,
    ``"misclassification"`` as in the book and in rpart. For a model with costs or priors it is
    ``"misclassification"`` unless said otherwise, R and α being costs. ``relative=True`` measures R in units of the
    root's risk, as rpart's ``cp`` does. Without an ``alpha``, held-out rows choose it: the smallest error
    (``rule="0se"``), or the smallest tree within one standard error of it (``"1se"``), or within any number of them.

    ``links="rpart"`` finds the α of every node as rpart does, by a shortcut: a node is compared with its subtree after
    the branches have become leaves, even if its own link is weaker than theirs. With this,
    ``risk="misclassification"`` and ``relative=True`` rpart's table of CP is the same; its trees need not be minimal.

    >>> CostComplexity(0.01, risk="misclassification")
    CostComplexity(alpha=0.01, risk='misclassification', relative=False, rule='1se', links='exact')
    """

    alpha: float | None = None
    risk: str | None = None
    relative: bool = False
    rule: Any = "1se"
    links: str = "exact"

    _name: ClassVar[str] = "cost-complexity"

    def __post_init__(self) -> None:
        if self.alpha is not None:
            check_number("alpha", self.alpha, hint="0 keeps every useful split", finite=False)
        if self.risk is not None:
            check_choice("risk", self.risk, _CLASS_RISKS)
        check_yes_no("relative", self.relative)
        standard_errors(self.rule)
        check_choice("links", self.links, _LINKS)

    @property
    def needs_data(self) -> bool:
        return self.alpha is None

    def __call__(self, tree: Tree, schema: Schema, data: HoldOut | None = None) -> Tree:
        if self.alpha is None:
            path = self.path(tree, schema)
            return path.trees[by_hold_out(path, needed(data, self._name), self.rule).place]
        if self.links == "rpart":
            path = self.path(tree, schema)
            return path.trees[int(path.place(self.alpha))]
        risk, unit = self.risks(tree, schema)
        return cut(tree, better_as_leaf(tree, risk + self.alpha * unit, slack=ROUNDING * float(risk[0])))

    def path(self, tree: Tree, schema: Schema) -> PruningPath:
        """All trees that are right for some α, from the largest to the root alone."""
        from treewright.kernels.jit import runner
        from treewright.kernels.pruning.weakest_links import shortcut_links, weakest_links

        risk, unit = self.risks(tree, schema)
        alpha = np.empty(tree.n_nodes)
        find = weakest_links if self.links == "exact" else shortcut_links
        run = runner(_PLAIN_SECONDS * tree.n_nodes, find)
        run(find, tree.first_child, tree.n_branches, risk, alpha)
        return path_of(tree, alpha / unit, risk / unit, ROUNDING * float(risk[0] / unit))

    def risks(self, tree: Tree, schema: Schema) -> tuple[Floats, float]:
        """The risk of every node times its weight, and the unit in which both are measured.

        Weights are not shared out first: counts of errors are whole numbers, whose ratios tie where they should.
        """
        if tree.models.exist and self.risk in (None, "misclassification" if tree.leaf.of_classes else None):
            risk = training_loss(tree, schema)
        elif tree.leaf.of_classes:
            risk = self._class_risks(tree, schema)
        elif self.risk is None:
            of_medians = tree.leaf is LeafKind.MEDIANS
            risk = training_loss(tree, schema) if of_medians else np.asarray(variance(tree.stats) * tree.stats[:, 0])
        else:
            raise self._for_classes()
        return risk, float(risk[0] if self.relative and risk[0] > 0 else tree.weights[0])

    def _for_classes(self) -> OptionError:
        return OptionError(f"risk={self.risk!r} is for classes, and the target is a number", "leave risk out")

    def _class_risks(self, tree: Tree, schema: Schema) -> Floats:
        """Impurities are those of the class weights that the tree was grown from, errors are added up by cost."""
        has_costs = schema.target.costs is not None or schema.target.priors is not None
        risk = self.risk or ("misclassification" if has_costs else "gini")
        if risk == "misclassification":
            return least_costs(tree, schema)
        counts = altered(tree.stats, schema.target)
        return np.asarray((gini if risk == "gini" else entropy)(counts) * counts.sum(-1))


@dataclass(frozen=True)
class ErrorComplexity(CostComplexity):
    """Error-complexity pruning as Mingers (1989) calls it: R is the share of wrong predictions, or what they cost.

    It is :class:`CostComplexity` with ``risk="misclassification"``, as in the book of Breiman et al.

    >>> ErrorComplexity(0.01)
    ErrorComplexity(alpha=0.01, relative=False, rule='1se', links='exact')
    """

    risk: str | None = field(default="misclassification", init=False, repr=False)

    _name: ClassVar[str] = "error-complexity"

    def _for_classes(self) -> OptionError:
        return OptionError("error-complexity pruning counts errors in the class", "use cost-complexity for numbers")
