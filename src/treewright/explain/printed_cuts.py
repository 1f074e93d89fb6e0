"""Which number is printed for a cut: a short one that sends every training row of the column the way the cut does.

A cut is printed with six significant digits, and with more where training values lie between the cut and what would be
printed. Only the values near cuts have to be looked at, so no column is sorted.
"""

from __future__ import annotations

import numpy as np

from treewright.data.encoded import CodedColumn, Encoded
from treewright.data.schema import Unit
from treewright.explain.number_text import format_exactly, rounded_numbers
from treewright.tree.tree import Tree
from treewright.typing import Array, Floats, Ints

_MOST_DIGITS = 11  # beyond six; a float has no more than 17
_BUCKETS = 1 << 17
_CHUNK = 1 << 16  # rows that are worked on while they are in the cache


def with_printed_cuts(tree: Tree, encoded: Encoded) -> Tree:
    """The tree that was grown from these rows, with what is printed for its thresholds and those of surrogates."""
    tested = np.repeat(tree.column, np.diff(tree.edge_start))
    surrogates, has_edge = tree.surrogates, ~np.isnan(tree.surrogates.edge)
    edges = np.concatenate([tree.edges, surrogates.edge[has_edge]])
    printed = _by_column(np.concatenate([tested, surrogates.column[has_edge]]), edges, encoded)
    stand_in = surrogates.edge.copy()
    stand_in[has_edge] = printed[len(tested) :]
    return tree._replace(printed=printed[: len(tested)], surrogates=surrogates._replace(printed=stand_in))


def _by_column(column: Ints, edges: Floats, encoded: Encoded) -> Floats:
    printed, order = np.empty_like(edges), np.argsort(column, kind="stable")
    for here in np.split(order, np.flatnonzero(np.diff(column[order])) + 1) if len(order) else ():
        j = column[here[0]]
        cuts, place = np.unique(edges[here], return_inverse=True)
        printed[here] = printed_cuts(cuts, _values(encoded.columns[j]), encoded.schema.columns[j].unit)[place]
    return printed


def _values(column: CodedColumn) -> Array:
    """The numbers of a column, or those at the ends of its bins: no cut divides a bin."""
    if column.numbers is not None:
        return column.numbers
    if column.beside is not None:
        return column.beside
    return np.concatenate([column.lows, column.highs])


def printed_cuts(cuts: Floats, values: Array, unit: Unit = Unit.NUMBER) -> Floats:
    """The number to print for every cut: ``x <= printed`` where ``x <= cut``, for all of the ``values``.

    >>> printed_cuts(np.array([2615.31249, 1.23456789]), np.array([2615.3119, 2615.3131])).tolist()
    [2615.312, 1.23457]
    """
    printed = rounded_numbers(cuts, unit)
    moved = np.flatnonzero(printed != cuts)
    if not moved.size:
        return printed
    own, found = cuts[moved], printed[moved]
    reach = 1.001 * np.abs(found - own)  # more digits are nearer, but for rounding
    near = _near(values, own - reach, own + reach)
    wrong = np.flatnonzero(_between(near, own, found))
    for more in range(1, _MOST_DIGITS + 1):
        if not wrong.size:
            break
        found[wrong] = rounded_numbers(own[wrong], unit, more)
        wrong = wrong[_between(near, own[wrong], found[wrong])]
    found[wrong] = own[wrong]
    printed[moved] = found
    return printed


def cut_text(cut: float, values: Array, unit: Unit = Unit.NUMBER) -> str:
    """One cut in words, such that it separates these values as it does.

    >>> cut_text(2615.31249, np.array([2615.3119, 2615.3131]))
    '2615.312'
    """
    return format_exactly(float(printed_cuts(np.array([cut]), values, unit)[0]), unit)


def _between(near: Floats, cuts: Floats, printed: Floats) -> Array:
    """Whether a value is up to one of the two numbers and above the other."""
    low, high = np.minimum(cuts, printed), np.maximum(cuts, printed)
    return np.asarray(np.searchsorted(near, low, "right") < np.searchsorted(near, high, "right"))


def _near(values: Array, low: Floats, high: Floats) -> Floats:
    """The values that may lie in one of the ranges, sorted.

    The line is cut into buckets and those that ranges touch are marked; so a value costs a look, not a search. What is
    outside all ranges, and missing, falls into the first and the last bucket.
    """
    start, end = float(low.min()), float(high.max())
    with np.errstate(over="ignore", invalid="ignore"):
        width = (end - start) / (_BUCKETS - 4)
        line = (start - 2 * width, 1 / width) if np.isfinite(width) else (0.0, 0.0)
        marked = _touched(*(np.clip(_bucket(ends, line), 0, _BUCKETS - 1) for ends in (low, high)))
        chunks = (values[first : first + _CHUNK] for first in range(0, len(values), _CHUNK))
        found = [chunk[marked.take(_bucket(chunk, line), mode="clip")] for chunk in chunks]
    near = np.concatenate([np.empty(0), *found])
    return np.sort(near[~np.isnan(near)])


def _bucket(x: Array, line: tuple[float, float]) -> Ints:
    """Rises with x."""
    start, scale = line
    return np.asarray(((x.astype(np.float64, copy=False) - start) * scale).astype(np.int64))


def _touched(first: Ints, last: Ints) -> Array:
    edges = np.bincount(first, minlength=_BUCKETS + 1) - np.bincount(last + 1, minlength=_BUCKETS + 1)
    return np.asarray(np.cumsum(edges[:-1]) > 0)
