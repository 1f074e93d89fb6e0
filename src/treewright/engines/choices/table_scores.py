"""How well the tables of proposed splits score, by a criterion of ours or of a user."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np

from treewright.criteria import CRITERIA, gain
from treewright.errors import OptionError, shown
from treewright.recipe_parts.recipe import ByScore, Recipe
from treewright.table import Table
from treewright.typing import Floats


def criterion_of(recipe: Recipe) -> Callable[[Table], Floats]:
    """The function of a table by which the recipe ranks splits: the larger the better."""
    choice = recipe.choice
    if isinstance(choice, ByScore) and choice.score is not None:
        return choice.score
    return partial(gain, base=choice.base) if recipe.criterion == "entropy" else CRITERIA[recipe.criterion].score


def scores_of(table: Table, criterion: Callable[[Table], Floats]) -> Floats:
    """What a criterion, which may be a user's, makes of a stack of tables; what is not a number is no split."""
    made = criterion(table)
    try:
        score = np.asarray(made, np.float64)
    except (TypeError, ValueError):
        raise OptionError(f"the criterion returned {shown(made)}", "return numbers, one per table") from None
    if score.shape != table.counts.shape[:-2]:
        raise OptionError(
            f"the criterion made scores of shape {score.shape} of a table of shape {table.counts.shape}",
            "return one number per table: sum over the last two axes only, branches and targets",
        )
    return np.where(np.isnan(score), -np.inf, score)
