"""CHAID: levels that do not differ are merged, and the column whose groups differ most significantly is split by.

Kass, *An exploratory technique for investigating large quantities of categorical data*, Applied Statistics 29, 1980.
Biggs, de Ville & Suen, *A method of choosing multiway partitions for classification and decision trees*, Journal of
Applied Statistics 18, 1991.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from treewright.compat.chaid_programs import PROGRAMS
from treewright.leaves import Leaf
from treewright.recipe_parts.merging import ByMerging
from treewright.recipe_parts.missing import Missing, Surrogating, policies_of
from treewright.recipe_parts.recipe import Limits, Recipe, Splits

FLAVOURS = "kass", "pypi", "r"
FLOAT = "floating"  # what CHAID does with missing values: they are a level, which may be merged with any group


def chaid(
    *,
    flavour: str,
    test: str,
    missing: tuple[Missing, ...],
    max_depth: int | None,
    max_leaves: int | None,
    min_rows_split: float,
    min_rows_leaf: float,
    min_gain: float,
    leaf: Leaf,
    surrogates: Surrogating,
    **merging: Any,
) -> Recipe:
    """Rows of nodes are weighed, not counted; PyPI's asks of branches how large they are, not of the root."""
    return Recipe(
        choice=ByMerging(test=test, min_rows=min_rows_leaf, program=PROGRAMS.get(flavour), **merging),
        leaf=leaf,
        missing=missing,
        surrogates=surrogates,
        splits=Splits.GROUPS,
        stop=Limits(
            max_depth=max_depth, max_leaves=max_leaves, min_gain=min_gain, min_weight_split=min_rows_split,
            any_root=flavour == "pypi",
        ),
    )  # fmt: skip


def floating(choice: Any, names: Sequence[str]) -> tuple[Missing, ...]:
    """The policy of every column: to float is how CHAID learns the way of missing values."""
    wanted = dict(choice) if isinstance(choice, Mapping) else dict.fromkeys(names, choice)
    meant = {name: Missing.LEARNED if policy == FLOAT else policy for name, policy in wanted.items()}
    return policies_of(meant, names, Missing.LEARNED)
