"""Which columns a node may test, drawn at random: what makes the trees of a forest differ."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class ColumnDraw:
    """So many columns are drawn at every node, without replacement, and more while none of them has an admissible split
    (as scikit-learn does). Of splits that score the same, that of the column drawn first is taken. Where all columns
    are drawn, they stay in their order: the tree is then that of no draw.

    ``random_cuts`` (Geurts, Ernst & Wehenkel, *Extremely randomized trees*, 2006): of a drawn column one split is
    looked at. Numbers are cut at a threshold drawn evenly between their lowest and their highest at the node, ordinal
    levels at one of the places between them; of nominal levels a subset is drawn, every one as likely. Missing values
    take the side that scores better.

    Draws depend on the seed of the recipe and on the branches that lead to the node, and on nothing else.
    """

    columns: int
    random_cuts: bool = False
    among: tuple[int, ...] | None = None  # the columns of the tree; None: all
