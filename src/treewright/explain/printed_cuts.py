"""Which number is printed for a cut: a short one that sends every training row the way the cut does.

A cut is printed with six significant digits, and with more where training values lie between the cut and what would be
printed. Of a cut midway between two values of its node these two are enough to know. Where rows may come to a node that
were elsewhere when it was cut (subtrees that are raised, rules that lose conditions), all values of the column count;
only those near cuts have to be looked at, so no column is sorted.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import cached_property
from typing import Any

import numpy as np

from treewright.data.encoded import CodedColumn, Encoded
from treewright.data.schema import Schema, Unit
from treewright.engines.workers import Workers
from treewright.explain.number_text import format_exactly, rounded_numbers
from treewright.narrow_trees import NarrowTree
from treewright.tree.narrow_arrays import narrow
from treewright.tree.tree import IN_FULL, Tree
from treewright.typing import Array, Floats, Ints

_MOST_DIGITS = 11  # beyond six; a float has no more than 17
_BUCKETS = 1 << 14
_FEW_VALUES = 3000  # that are sorted in less time than buckets are marked
_PLAIN_SECONDS = 5e-9  # that a value takes longer without compiled kernels


class MidwayCuts:
    """What is printed for cuts midway between values of their nodes: an array that is made when it is looked at, since
    most trees of a search, a forest or a fold are never printed."""

    dtype = np.dtype(np.float64)

    def __init__(self, edges: Floats, below: Array, units: tuple[Unit, ...], unit: Array) -> None:
        self.edges, self.below, self.units, self.unit = edges, narrow(below), units, narrow(unit)

    @cached_property
    def made(self) -> Floats:
        printed: Floats = self.edges.copy()
        for u in np.unique(self.unit):
            here = np.flatnonzero(self.unit == u)
            printed[here] = _short_of_reach(self.edges[here], self.below[here].astype(np.float64), self.units[u])
        return printed

    @property
    def size(self) -> int:
        return len(self.edges)

    @property
    def shape(self) -> tuple[int]:
        return (len(self.edges),)

    def __len__(self) -> int:
        return len(self.edges)

    def __getitem__(self, pick: Any) -> Any:
        if "made" in self.__dict__ or isinstance(pick, (int, np.integer)):
            return self.made[pick]
        return MidwayCuts(self.edges[pick], self.below[pick], self.units, self.unit[pick])

    def __iter__(self) -> Iterator[float]:
        return iter(self.made)

    def tolist(self) -> list[float]:
        return list(self.made.tolist())

    def copy(self) -> Floats:
        return np.array(self.made)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Array:
        return self.made if dtype is None else self.made.astype(dtype)

    def __reduce__(self) -> Any:
        return np.asarray, (self.made,)


def _short_of_reach(edges: Floats, below: Floats, unit: Unit) -> Floats:
    """Short numbers that are not below the value below, nor as far above the edge as that is below it: there, but for
    rounding, is the value above."""
    with np.errstate(invalid="ignore"):
        highest = edges + np.maximum(edges - below - 2 * np.spacing(np.abs(edges)), 0.0)
        printed = rounded_numbers(edges, unit)
        for more in range(1, _MOST_DIGITS + 1):
            wrong = np.flatnonzero(np.isfinite(edges) & ~((below <= printed) & (printed <= highest)))
            if not wrong.size:
                return printed
            printed[wrong] = rounded_numbers(edges[wrong], unit, more)
        return np.where((below <= printed) & (printed <= highest), printed, edges)


def with_printed_cuts(tree: Tree, encoded: Encoded, workers: Workers, *, as_grown: bool = False) -> Tree:
    """The tree that was grown from these rows, with what is printed for its thresholds and those of surrogates;
    ``as_grown``: to no node come other rows than when it was cut."""
    below, tree = tree.below, tree._replace(below=IN_FULL)
    if as_grown and not tree.surrogates.exist and not np.isnan(below).any():
        units = tuple(column.unit for column in encoded.schema.columns)
        found: Any = MidwayCuts(tree.edges, below, units, _tested(tree))  # serves as an array
        return tree._replace(printed=found)
    return with_cuts_of_columns(tree, encoded.schema, lambda j: _values(encoded.columns[j]), workers)


def with_narrow_cuts(tree: NarrowTree, encoded: Encoded) -> NarrowTree | None:
    """The same of a tree that is kept narrow, to whose nodes no others come; None where a value below is not known."""
    if np.isnan(tree.below).any():
        return None
    units, tested = tuple(column.unit for column in encoded.schema.columns), tree.tested[tree.is_by_order]
    return replace(tree, printed=MidwayCuts(tree.edges, tree.below, units, tested), below=narrow(IN_FULL))


def printed_edges(column: Ints, edges: Floats, below: Floats, encoded: Encoded, workers: Workers) -> Floats:
    """What is printed for cuts of these columns, each made where the value next below was this (NaN: not known)."""
    if not np.isnan(below).any():
        return MidwayCuts(edges, below, tuple(column.unit for column in encoded.schema.columns), column).made
    return _by_column(column, edges, encoded.schema, lambda j: _values(encoded.columns[j]), workers)


def _tested(tree: Tree) -> Ints:
    return np.repeat(tree.column, np.diff(tree.edge_start))


def with_cuts_of_columns(tree: Tree, schema: Schema, values_of: Callable[[int], Array], workers: Workers) -> Tree:
    """The same by all values of the columns."""
    tested = _tested(tree)
    surrogates, has_edge = tree.surrogates, ~np.isnan(tree.surrogates.edge)
    edges = np.concatenate([tree.edges, surrogates.edge[has_edge]])
    printed = _by_column(np.concatenate([tested, surrogates.column[has_edge]]), edges, schema, values_of, workers)
    stand_in = surrogates.edge.copy()
    stand_in[has_edge] = printed[len(tested) :]
    return tree._replace(printed=printed[: len(tested)], surrogates=surrogates._replace(printed=stand_in))


def _by_column(
    column: Ints, edges: Floats, schema: Schema, values_of: Callable[[int], Array], workers: Workers
) -> Floats:
    printed, order = np.empty_like(edges), np.argsort(column, kind="stable")
    parts = np.split(order, np.flatnonzero(np.diff(column[order])) + 1) if len(order) else []

    def print_column(k: int, worker: int) -> None:
        here, j = parts[k], int(column[parts[k][0]])
        cuts, place = np.unique(edges[here], return_inverse=True)
        printed[here] = printed_cuts(cuts, values_of(j), schema.columns[j].unit)[place]

    n_values = sum(len(values_of(int(column[part[0]]))) for part in parts)
    workers.each(len(parts), print_column, cells=n_values)
    return printed


def _values(column: CodedColumn) -> Array:
    """The numbers of a column, or those at the ends of its bins: no cut divides a bin."""
    if column.numbers is not None:
        return column.numbers
    if column.beside is not None:
        return column.beside
    return np.concatenate([column.lows, column.highs])


def printed_cuts(cuts: Floats, values: Array, unit: Unit = Unit.NUMBER, few_values: int = _FEW_VALUES) -> Floats:
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
    near = (_near if len(values) > few_values else _within)(values, own - reach, own + reach)
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


def _within(values: Array, low: Floats, high: Floats) -> Floats:
    """The values from the lowest range to the highest, sorted."""
    inside = values[(values >= low.min()) & (values <= high.max())]
    return np.sort(inside.astype(np.float64))


def _near(values: Array, low: Floats, high: Floats) -> Floats:
    """The values that may lie in one of the ranges, sorted.

    The line is cut into buckets and those that ranges touch are marked; so a value costs a look, not a search.
    """
    from treewright.kernels.jit import runner
    from treewright.kernels.sorting.near_values import near_values

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
