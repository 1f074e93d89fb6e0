"""Soft thresholds (Quinlan 1993, chapter 8): near a threshold a number goes down both branches."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator

import numpy as np

from treewright.tree.tree import Tree
from treewright.typing import Array, Floats, Ints, Mask

_MOST_DECIMALS = 11  # to be tried
_AT_THRESHOLD = 1e-6  # values this little above a threshold are still below it

Wrong = Callable[[Ints, int], Mask]  # of some rows: which get a wrong class if they start at a node


def soften(tree: Tree, cells: Floats, weights: Floats, wrong: Wrong) -> Tree:
    """Give every threshold the bounds to which it could be moved before errors rise by a standard error.

    ``cells[column, row]`` is the training table, NaN where missing. The rows of a node are those whose tested values
    are known all the way down to it.
    """
    bounds = np.column_stack([tree.edges, tree.edges])
    for v, rows in _known_rows(tree, cells):
        at = int(tree.edge_start[v])
        if rows.size and tree.edge_start[v + 1] > at and tree.edges[at] < np.inf:  # else: is the value known at all?
            first = int(tree.first_child[v])
            values, w = cells[tree.column[v], rows], weights[rows]
            on_left, on_right = (w * wrong(rows, first + side) for side in (0, 1))
            found = np.array(bounds_of(values, w, on_left, on_right, float(tree.edges[at])))
            found = np.where(np.isfinite(found), found, tree.edges[at])  # no line leads from infinity
            bounds[at] = _short_bounds(float(found[0]), float(found[1]), float(tree.edges[at]), values)
    return tree._replace(bounds=bounds)


def bounds_of(values: Floats, weights: Floats, on_left: Floats, on_right: Floats, edge: float) -> tuple[float, float]:
    """Where a threshold could be put for its errors to be one standard error more than they are.

    ``on_left`` and ``on_right`` are what each row is wrong by on either side. Between neighbouring values the errors
    are taken to change evenly. A bound that is not found is the least or greatest value.

    >>> x = np.arange(8.0)
    >>> bounds_of(x, np.ones(8), (x > 4) * 1.0, (x <= 4) * 1.0, 4.0)
    (3.31..., 4.68...)
    """
    places, which = np.unique(values, return_inverse=True)
    left, right = (np.bincount(which, part, len(places)) for part in (on_left, on_right))
    errors = np.cumsum(left) + right.sum() - np.cumsum(right)  # with the threshold at each value
    below = places <= edge + _AT_THRESHOLD
    base, total = left[below].sum() + right[~below].sum(), weights.sum()
    limit = base + np.sqrt((base + 0.5) * (total - base + 0.5) / (total + 1))
    crossing = np.divide(
        limit - errors[:-1], np.diff(errors), out=np.zeros(len(errors) - 1), where=np.diff(errors) != 0
    )
    crossing = places[:-1] + crossing * np.diff(places)
    falls = (errors[:-1] > limit) & (errors[1:] <= limit) & below[1:]
    rises = (errors[:-1] <= limit) & (errors[1:] > limit) & ~below[1:]
    lower = crossing[falls][0] if falls.any() else places[0]
    upper = crossing[rises][-1] if rises.any() else places[-1]
    return min(edge, float(lower)), max(edge, float(upper))


def _short_bounds(lower: float, upper: float, edge: float, values: Floats) -> tuple[float, float]:
    """The bounds with as few decimals as tell a hundred thousandth of what is between them, so that they can be printed
    as they are; with more where one of the values would come to another side."""
    if not upper > lower:
        return lower, upper
    decimals, around = 5 - math.floor(math.log10(upper - lower)), np.append(values, edge)
    return (
        lower if lower == edge else _short(lower, decimals, around),
        upper if upper == edge else -_short(-upper, decimals, -around),
    )


def _short(bound: float, decimals: int, values: Floats) -> float:
    """A short number that no value is up to, or above, other than the bound."""
    for more in range(_MOST_DECIMALS):
        short = round(bound, decimals + more)
        if ((values <= short) == (values <= bound)).all():
            return short
    return bound


def _known_rows(tree: Tree, cells: Floats) -> Iterator[tuple[int, Ints]]:
    """Inner nodes with the rows that come by and know the tested value."""
    waiting: list[tuple[int, Ints]] = [(0, np.arange(cells.shape[1]))]
    while waiting:
        v, rows = waiting.pop()
        split = tree.node(v).split
        if split is None:
            continue
        branches: Array = split.branches(cells[split.column, rows])
        known = ~np.isnan(cells[split.column, rows])
        yield v, rows[known]
        first = int(tree.first_child[v])
        waiting += [(first + b, rows[known & (branches == b)]) for b in range(int(tree.n_branches[v]))]
