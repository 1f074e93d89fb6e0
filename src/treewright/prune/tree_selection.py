"""Which tree of a nested sequence: by rows that were held out once, or in turn (Breiman et al. 1984, section 3.4)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from treewright.errors import OptionError, shown
from treewright.prune.holdout import HoldOut
from treewright.prune.methods.bottom_up import ROUNDING
from treewright.prune.option_checks import check_number
from treewright.prune.pruning_path import PruningPath
from treewright.typing import Floats, Ints

RULES = {"0se": 0.0, "1se": 1.0}


@dataclass(frozen=True, eq=False)
class SelectedTree:
    """The chosen tree of a path: its place and α; the mean loss of every tree with its standard error."""

    place: int
    alpha: float
    error: Floats
    standard_error: Floats


def standard_errors(rule: Any) -> float:
    """How many standard errors above the best a simpler tree may be: a number, "0se" or "1se".

    >>> standard_errors("1se"), standard_errors(0.5)
    (1.0, 0.5)
    """
    hint = "it is a number of standard errors, '0se' or '1se'"
    if isinstance(rule, str) and rule not in RULES:
        raise OptionError(f"rule={shown(rule)} is not accepted", hint)
    if isinstance(rule, str):
        return RULES[rule]
    check_number("rule", rule, hint=hint)
    return float(rule)


def by_hold_out(path: PruningPath, data: HoldOut, rule: Any = "1se") -> SelectedTree:
    """The tree of smallest loss on held-out rows or, by the 1-SE rule, the smallest that is not clearly worse."""
    return _chosen(path, *_losses(path, data), data.total, data.n_rows, rule)


def _losses(path: PruningPath, data: HoldOut) -> tuple[Floats, Floats]:
    """Loss and squared loss of the trees of a path."""
    return path.along(data.loss, data.stopped), path.along(data.square, data.stopped_square)


def by_alpha(path: PruningPath, fold: PruningPath) -> Ints:
    """For each tree of a path its stand-in in a fold: tree k is right for α from α_k up to α_{k+1}, and stands in the
    fold as the tree for the geometric mean of the two (Breiman et al., section 3.4.2), the last as the fold's root."""
    return fold.place(np.append(np.sqrt(path.alphas[:-1] * path.alphas[1:]), np.inf))


def by_leaves(path: PruningPath, fold: PruningPath) -> Ints:
    """The stand-in of a tree is the largest of the fold that has no more leaves."""
    return np.searchsorted(-fold.leaves, -path.leaves)


def by_folds(
    path: PruningPath,
    folds: Sequence[tuple[PruningPath, HoldOut]],
    rule: Any = "1se",
    stand_ins: Callable[[PruningPath, PruningPath], Ints] = by_alpha,
    repeats: float = 1,
) -> SelectedTree:
    """The same by cross-validation: every fold's own path, its losses on the rows that were left out of it.

    A row that is left out several times, ``repeats`` on average, is one row to the standard error.
    """
    places = [stand_ins(path, fold) for fold, _ in folds]
    lost = [np.stack(_losses(*fold))[:, at] for at, fold in zip(places, folds, strict=True)]
    loss, square = np.sum(lost, axis=0)
    total, n_rows = sum(data.total for _, data in folds), sum(data.n_rows for _, data in folds)
    return _chosen(path, loss, square, total, n_rows / repeats, rule)


def _chosen(path: PruningPath, loss: Floats, square: Floats, total: float, n_rows: float, rule: Any) -> SelectedTree:
    """Of equals the smallest tree, which is the last."""
    error = loss / total
    spread = np.sqrt(np.maximum(square / total - error**2, 0.0) / n_rows)
    best = int(np.argmin(error))
    limit = error[best] + standard_errors(rule) * spread[best]
    place = int(np.flatnonzero(error <= limit + ROUNDING * error.max())[-1])
    return SelectedTree(place, float(path.alphas[place]), error, spread)
