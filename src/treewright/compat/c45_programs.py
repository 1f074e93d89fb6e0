"""The small print in which programs of the C4.5 family differ: Quinlan's release 8 and Weka's J48.

"c4.5" is release 8 but for one thing: both programs take numbers for equal that are less than 1e-5 apart, whatever the
scale of their column, so they never split a column of small numbers.
"""

from __future__ import annotations

from dataclasses import dataclass, replace


@dataclass(frozen=True)
class Flavour:
    """The small print in which programs of the C4.5 family differ.

    ``exact_quantile``: z is the normal quantile of 1 - confidence, not read off C4.5's table. ``hopeless`` is the share
    of the other cases that may be wrong where nearly all of a leaf are. ``tolerance`` is how close numbers are equal.
    ``narrow``: numbers are read into 32 bits and gains added up in them, which breaks ties. ``empty_as_class``: a leaf
    without cases is sure of its parent's class, it does not share the parent's doubt. ``any_scale``: how close
    neighbouring numbers are taken for equal depends on the spread of their column.
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
    any_scale: bool


_RELEASE_8 = Flavour(
    slack=1e-9, lead=1e-9, least=-1e-3, min_info=1e-3, tolerance=1e-9, narrow=True,
    exact_quantile=False, hopeless=0.67, empty_as_class=True, any_scale=False,
)  # fmt: skip
_J48 = Flavour(
    slack=1e-6, lead=1e-6, least=1e-6, min_info=0.0, tolerance=1e-6, narrow=False,
    exact_quantile=True, hopeless=1.0, empty_as_class=False, any_scale=False,
)  # fmt: skip
FLAVOURS = {"c4.5": replace(_RELEASE_8, any_scale=True), "c4.5-release8": _RELEASE_8, "j48": _J48}
