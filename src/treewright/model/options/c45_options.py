"""What C4.5's trees and C4.5's rules, which are made from such a tree, are both told."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from treewright.errors import OptionError
from treewright.recipe_parts.missing import Missing
from treewright.recipe_parts.recipe import CHOSEN


@dataclass(kw_only=True, eq=False, repr=False)
class C45Options:
    """How a C4.5 tree is grown, before it is pruned or made into rules."""

    missing: Any = Missing.FRACTIONAL.value
    max_depth: int | None = None
    max_leaves: int | None = None
    min_rows_split: int = 2
    min_gain: float = 0.0
    significance: float | None = None
    significance_of: str = CHOSEN
    confidence: float = 0.25
    min_cases: float = 2
    flavour: str = "c4.5"
    criterion: str = "gain_ratio"
    binary: bool = False
    subset: bool = False
    mdl: bool = True
    thresholds: str = "values"
    collapse: bool = True
    random_state: Any = None


def check_branching(options: C45Options) -> None:
    if options.binary and options.subset:
        raise OptionError("binary and subset exclude each other", "choose one of them")
