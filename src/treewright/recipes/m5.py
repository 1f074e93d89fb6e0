"""M5': model trees for a numeric target.

Quinlan, *Learning with continuous classes*, 1992; Wang & Witten, *Induction of model trees for predicting continuous
classes*, 1997; details as in Weka's M5P.
"""

from __future__ import annotations

from treewright.leaves import Leaf
from treewright.recipe_parts.missing import Missing
from treewright.recipe_parts.recipe import ByFifthRoot, Recipe
from treewright.tree.tree import LeafKind


def m5(*, prune: bool, smooth: bool, min_rows: float, linear: bool, missing: tuple[Missing, ...]) -> Recipe:
    """Missing values are replaced before anything else, so ``missing`` says only how many columns there are."""
    kind = LeafKind.LINEAR if linear else LeafKind.MEANS
    return Recipe(ByFifthRoot(prune, smooth, min_rows, linear), Leaf(kind), missing)
