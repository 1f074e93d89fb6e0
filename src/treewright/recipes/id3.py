"""ID3: information gain, one branch per level, grown until pure (Quinlan, *Induction of decision trees*, 1986)."""

from __future__ import annotations

from typing import Any

from treewright.recipe_parts.recipe import Recipe, Splits


def id3(**pieces: Any) -> Recipe:
    """Leaves arise where all rows are of one class, where no column is left, and where no row is left.

    A nominal column is used once per path by itself: below its branch every row has the same level. Numbers are cut
    at midpoints of neighbouring values at the node.
    """
    return Recipe(splits=Splits.MULTIWAY, **pieces)
