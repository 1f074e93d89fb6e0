"""Which number is printed for a cut: a short one that sends every training row of the column the way the cut does.

A cut is printed with six significant digits, and with more where training values lie between the cut and what would be
printed. Only the values near cuts have to be looked at, so no column is sorted.
"""

from __future__ import annotations

import numpy as np

from treewright.data.encoded import CodedColumn, Encoded
from treewright.data.schema import Unit
from treewright.engines.workers import Workers
from treewright.explain.number_text import format_exactly, rounded_numbers
from treewright.tree.tree import Tree
from treewright.typing import Array, Floats, Ints

_MOST_DIGITS = 11  # beyond six; a float has no more than 17
_BUCKETS = 1 << 14
_PLAIN_SECONDS = 5e-9  # that a value takes longer without compiled kernels


def with_printed_cuts(tree: Tree, encoded: Encoded, workers: Workers) -> Tree:
    """The tree that was grown from these rows, with what is printed for its thresholds and those of surrogates."""
    tested = np.repeat(tree.column, np.diff(tree.edge_start))
    surrogates, has_edge = tree.surrogates, ~np.isnan(tree.surrogates.edge)
    edges = np.concatenate([tree.edges, surrogates.edge[has_edge]])
    printed = _by_column(np.concatenate([tested, surrogates.column[has_edge]]), edges, encoded, workers)
    stand_in = surrogates.edge.copy()
    stand_in[has_edge] = printed[len(tested) :]
    return tree._replace(printed=printed[: len(tested)], surrogates=surrogates._replace(printed=stand_in))


def _by_column(column: Ints, edges: Floats, encoded: Encoded, workers: Workers) -> Floats:
    printed, order = np.empty_like(edges), np.argsort(column, kind="stable")
    parts = np.split(order, np.flatnonzero(np.diff(column[order])) + 1) if len(order) else []

    def print_column(k: int, worker: int) -> None:
        here, j = parts[k], column[parts[k][0]]
        cuts, place = np.unique(edges[here], return_inverse=True)
        printed[here] = printed_cuts(cuts, _values(encoded.columns[j]), encoded.schema.columns[j].unit)[place]

    workers.each(len(parts), print_column, cells=encoded.n_rows * len(parts))
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

    The line is cut into buckets and those that ranges touch are marked; so a value costs a look, not a search.
    """
    from treewright.kernels.jit import runner
    from treewright.kernels.near_values import near_values

    start, end = float(low.min()), float(high.max())
    with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
        width = (np.float64(end) - start) / (_BUCKETS - 4)
        scale = np.float64(1) / width
        # Where the ranges are too narrow or too wide for floats, all values are looked at.
        line = (start - 2 * width, scale) if np.isfinite(width) and np.isfinite(scale) else (0.0, 0.0)
        marked = _touched(*(np.clip(_bucket(ends, line), 0, _BUCKETS - 1) for ends in (low, high)))
    near = np.empty(len(values))
    run = runner(_PLAIN_SECONDS * len(values), near_values)
    return np.sort(near[: run(near_values, values, marked, *line, near)])


def _bucket(x: Floats, line: tuple[float, float]) -> Ints:
    """Rises with x."""
    start, scale = line
    return np.asarray(((x - start) * scale).astype(np.int64))


def _touched(first: Ints, last: Ints) -> Array:
    edges = np.bincount(first, minlength=_BUCKETS + 1) - np.bincount(last + 1, minlength=_BUCKETS + 1)
    return np.asarray(np.cumsum(edges[:-1]) > 0)
