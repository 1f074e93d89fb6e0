"""Recipes for the oracle's small tables, in one line each."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from strategies import Problem
from tables import leaf_of
from treewright.leaves import Leaf
from treewright.recipe_parts.merging import ByMerging
from treewright.recipe_parts.missing import Missing
from treewright.recipe_parts.recipe import ByMedian, ByScore, ChoiceBy, Limits, Recipe, Splits
from treewright.recipes.c45 import c45
from treewright.tree.tree import LeafKind

Policies = str | Missing | Sequence[Missing]  # one for all columns, or at least as many as there are columns


def policies_for(problem: Problem, missing: Policies) -> tuple[Missing, ...]:
    n = len(problem.columns)
    return (Missing(missing),) * n if isinstance(missing, (str, Missing)) else tuple(missing[:n])


def recipe_of(
    problem: Problem, choice: ChoiceBy, style: str = "subset", missing: Policies = "learned", **options: Any
) -> Recipe:
    """Limits by name among the options; the rest are other pieces of a recipe."""
    limits = {name: options.pop(name) for name in list(options) if name in Limits.__dataclass_fields__}
    given = {"leaf": leaf_of(problem), "stop": Limits(**limits), **options}
    return Recipe(choice=choice, missing=policies_for(problem, missing), splits=Splits(style), **given)


def by_score(problem: Problem, criterion: str, style: str = "subset", **options: Any) -> Recipe:
    """Gains in nats, as the oracle has them."""
    return recipe_of(problem, ByScore(criterion, base=2.718281828459045), style, **options)


def by_median(problem: Problem, style: str = "subset", **options: Any) -> Recipe:
    return recipe_of(problem, ByMedian(), style, leaf=Leaf(LeafKind.MEDIANS), **options)


def by_merging(problem: Problem, merging: ByMerging, missing: Policies = "learned", **options: Any) -> Recipe:
    return recipe_of(problem, merging, "groups", missing, **options)


def c45_of(problem: Problem, missing: Policies = "fractional", **options: Any) -> Recipe:
    defaults = {
        "flavour": "j48", "criterion": "gain_ratio", "min_cases": 2.0, "mdl": True, "thresholds": "values",
        "binary": False, "subset": False, "laplace": False, "stop": Limits(),
    }  # fmt: skip
    return c45(missing=policies_for(problem, missing), **(defaults | options))
