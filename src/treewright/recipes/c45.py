"""C4.5: gain ratio among tests of at least average gain, cases with missing values in every branch by share.

Quinlan, *C4.5: Programs for machine learning*, 1993; *Improved use of continuous attributes in C4.5*, 1996.
"""

from __future__ import annotations

from dataclasses import dataclass

from treewright.recipes.recipe import Limits, Ratio, Recipe, Splits


@dataclass(frozen=True)
class Flavour:
    """The small print in which programs of the C4.5 family differ.

    ``exact_quantile``: z is the normal quantile of 1 - confidence, not read off C4.5's table. ``hopeless`` is the share
    of the other cases that may be wrong where nearly all of a leaf are. ``tolerance`` is how close numbers are equal.
    ``narrow``: numbers are read into 32 bits and gains added up in them, which breaks ties. ``empty_as_class``: a leaf
    without cases is sure of its parent's class, it does not share the parent's doubt.
    """

    slack: float
    lead: float
    least: float
    min_info: float
    tolerance: float
    narrow: bool
    exact_quantile: bool
    hopeless: float
    empty_as_class: bool


FLAVOURS = {
    "c4.5": Flavour(
        slack=1e-9, lead=1e-9, least=-1e-3, min_info=1e-3, tolerance=1e-9, narrow=True,
        exact_quantile=False, hopeless=0.67, empty_as_class=True,
    ),
    "j48": Flavour(
        slack=1e-6, lead=1e-6, least=1e-6, min_info=0.0, tolerance=1e-6, narrow=False,
        exact_quantile=True, hopeless=1.0, empty_as_class=False,
    ),
}  # fmt: skip


def recipe(
    flavour: str,
    stop: Limits,
    *,
    criterion: str,
    min_cases: float,
    mdl: bool,
    thresholds: str,
    binary: bool = False,
    subset: bool = False,
) -> Recipe:
    """A nominal column has a branch per level; with ``binary`` one level stands against the rest, with ``subset`` each
    branch has a set of levels."""
    small = FLAVOURS[flavour]
    ratio = Ratio(
        min_cases, criterion == "gain_ratio", mdl, thresholds == "values",
        small.slack, small.lead, small.least, small.min_info, small.tolerance, small.narrow,
    )  # fmt: skip
    splits = Splits.GROUPS if subset else Splits.ONE_VS_REST if binary else Splits.MULTIWAY
    return Recipe("entropy", splits, stop, ratio=ratio)
