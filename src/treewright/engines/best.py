"""What a criterion says of proposals, and the best of them at every node."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np

from treewright.criteria import CRITERIA, gain
from treewright.engines.engine import Frontier
from treewright.errors import OptionError, shown
from treewright.kernels.rng import hashed
from treewright.recipes.recipe import Recipe
from treewright.search.proposals import Proposals
from treewright.table import Table
from treewright.typing import Floats, Ints

Criterion = Callable[[Table], Floats]
TIE = 1e-12  # scores that differ by less than this share are equal


def criterion_of(recipe: Recipe) -> Criterion:
    """The function of a table by which the recipe ranks splits: the larger the better."""
    if recipe.score is not None:
        return recipe.score
    return partial(gain, base=recipe.base) if recipe.criterion == "entropy" else CRITERIA[recipe.criterion].score


def scores_of(table: Table, criterion: Criterion) -> Floats:
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


@dataclass(frozen=True)
class Best:
    """The best proposal of one column at every open node: its score (-inf: there is none) and how many equal it."""

    score: Floats
    ties: Ints
    place: Ints  # of the node's proposal among the chosen
    chosen: Proposals


def best_of(proposed: Proposals, score: Floats, frontier: Frontier, seed: tuple[int, int] | None) -> Best:
    """The best proposal of every node: the first of equals, or with a seed one of them."""
    n = len(frontier)
    top = np.full(n, -np.inf)
    np.maximum.at(top, proposed.node, score)
    equal = np.flatnonzero((score >= (top - slack(top))[proposed.node]) & (score > -np.inf))
    node = proposed.node[equal]
    begin, ties = np.searchsorted(node, np.arange(n)), np.bincount(node, minlength=n)
    if seed is None:
        drawn = np.zeros(n, np.int64)
    else:
        drawn = np.array(
            [int(hashed(seed[0], id, seed[1], 0) % np.uint64(max(t, 1))) for id, t in zip(frontier.id, ties)]
        )
    some = np.flatnonzero(ties)
    place = np.full(n, -1)
    place[some] = np.arange(len(some))
    return Best(top, ties, place, proposed[equal[(begin + drawn)[some]]])


def slack(top: Floats) -> Floats:
    """Scores this close to the top are equal."""
    return TIE * np.maximum(np.abs(np.where(np.isfinite(top), top, 0.0)), 1.0)
