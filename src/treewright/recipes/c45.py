"""C4.5: gain ratio among tests of at least average gain, cases with missing values in every branch by share.

Quinlan, *C4.5: Programs for machine learning*, 1993; *Improved use of continuous attributes in C4.5*, 1996.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from treewright.compat.c45_programs import FLAVOURS
from treewright.leaves import Leaf
from treewright.recipe_parts.missing import Missing
from treewright.recipe_parts.recipe import ByRatio, Limits, Recipe, Splits
from treewright.tree.tree import LeafKind

_SHARE_OF_SPREAD = 1e-9  # within which numbers are equal: far above rounding, far below what is measured
MANY_LEVELS = 0.3  # columns with levels for this share of the rows do not count in the average gain


def c45(
    *,
    flavour: str,
    missing: tuple[Missing, ...],
    stop: Limits,
    criterion: str,
    min_cases: float,
    mdl: bool,
    thresholds: str,
    binary: bool,
    subset: bool,
    laplace: bool,
    many_levels: float = MANY_LEVELS,
    **pieces: Any,
) -> Recipe:
    """A nominal column has a branch per level; with ``binary`` one level stands against the rest, with ``subset`` each
    branch has a set of levels. ``pieces`` are those that any recipe may have."""
    program = FLAVOURS[flavour]
    return Recipe(
        choice=ByRatio(
            min_cases=min_cases, by_ratio=criterion == "gain_ratio", mdl=mdl, at_values=thresholds == "values",
            slack=program.slack, lead=program.lead, least=program.least, min_info=program.min_info,
            tolerance=program.tolerance, narrow=program.narrow, many_levels=many_levels,
            share_of_spread=_SHARE_OF_SPREAD if program.any_scale else np.inf,
        ),
        leaf=Leaf(LeafKind.CLASSES, smoothing="laplace" if laplace else 0.0, empty_as_class=program.empty_as_class),
        missing=missing,
        splits=Splits.GROUPS if subset else Splits.ONE_VS_REST if binary else Splits.MULTIWAY,
        stop=stop,
        **pieces,
    )  # fmt: skip
