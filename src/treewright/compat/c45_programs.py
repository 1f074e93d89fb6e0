"""The small print in which programs of the C4.5 family differ: Quinlan's release 8 and Weka's J48."""

from __future__ import annotations

from dataclasses import dataclass


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
