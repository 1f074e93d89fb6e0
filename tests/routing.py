"""Where the rows of a node go, in plain numpy, whatever the policy for missing values."""

from __future__ import annotations

import numpy as np

from strategies import Problem
from treewright.split import AS_MISSING, EVERY_BRANCH, STOP, Split, Surrogate


def sides(problem: Problem, split: Split, surrogates: tuple[Surrogate, ...] = ()) -> np.ndarray:
    """Branch or mark of every row of the table; surrogates are asked one after the other."""
    values = problem.columns[split.column].values
    side, untold = split.branches(values), np.isnan(values)
    untold |= side == AS_MISSING
    side = np.where(untold, split.branch_of[0], side)
    for surrogate in surrogates:
        others = problem.columns[surrogate.split.column].values
        named = np.where(np.isnan(others), -1, surrogate.split.branches(others))
        decided = untold & (named >= 0)
        side, untold = np.where(decided, named, side), untold & ~decided
    return side


def parts_of(side: np.ndarray, cases: np.ndarray, n_branches: int, *, in_full: bool = False) -> list[np.ndarray]:
    """The weights of the rows in each branch: shared by the weight of those who take one, or in full in each such."""
    known = np.array([cases[side == b].sum() for b in range(n_branches)])
    known = known if known.sum() > 0 else np.ones(n_branches)
    share = (known > 0).astype(float) if in_full else known / known.sum()
    return [
        np.where(side == b, cases, np.where(side == EVERY_BRANCH, cases * share[b], 0.0)) for b in range(n_branches)
    ]


def stopped(side: np.ndarray, cases: np.ndarray) -> np.ndarray:
    return np.where(side == STOP, cases, 0.0)
