"""CART: binary splits, levels in two subsets.

Breiman, Friedman, Olshen & Stone, *Classification and regression trees*, 1984.
"""

from __future__ import annotations

from typing import Any

from treewright.recipe_parts.recipe import Recipe, Splits


def cart(**pieces: Any) -> Recipe:
    """With two classes or a numeric target the best subset of levels is found exactly; with more classes and more
    levels than can all be tried, the best of the orders by each class's share is taken."""
    return Recipe(splits=Splits.SUBSET, **pieces)
