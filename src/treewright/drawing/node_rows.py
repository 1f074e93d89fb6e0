"""What rows say at nodes that a tree does not keep: histograms of the tested columns, quartiles of the target.

Only counts and a few numbers per node are kept, never rows: what is made of them grows with the nodes that are shown.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from treewright.data.schema import Column, Schema, Unit
from treewright.drawing.node_card import Spread
from treewright.explain.condition_text import level_text
from treewright.explain.number_text import format_number, format_value
from treewright.prediction import decision_path
from treewright.split import Split
from treewright.tree.tree import Node, Tree
from treewright.typing import Array, Floats, Ints

_BINS = 20
_MOST_LEVELS = 10
_MOST_DIGITS = 16  # more than 15 are all there are


@dataclass(frozen=True)
class Histogram:
    """The tested column at one node, over the node's own rows and range.

    ``counts`` has a line per bin and a column per class (one column if the target is a number). ``cuts`` lie between 0
    and 1, the ends of the axis, which are written as ``low`` and ``high``; the bins of levels have ``names``.
    """

    counts: tuple[tuple[float, ...], ...]
    cuts: tuple[float, ...]
    low: str
    high: str
    names: tuple[str, ...] = ()


@dataclass(frozen=True)
class NodeRows:
    """By the number of the node."""

    histograms: dict[int, Histogram] = field(default_factory=dict)
    boxes: dict[int, Spread] = field(default_factory=dict)


def node_rows(
    tree: Tree, schema: Schema, matrix: Array, y: Array, weights: Floats | None, nodes: Sequence[int]
) -> NodeRows:
    """What rows say at some nodes: ``y`` holds class codes, those below 0 of no known class, or numbers."""
    found = NodeRows()
    visited, start = decision_path(tree, matrix, 1)
    row_of = np.repeat(np.arange(len(matrix)), np.diff(start))
    wanted = np.isin(visited, nodes)
    visited, row_of = visited[wanted], row_of[wanted]
    order = np.argsort(visited, kind="stable")
    ends = np.searchsorted(visited[order], np.arange(tree.n_nodes + 1))
    n_classes = len(schema.target.classes or ())
    w = np.ones(len(matrix)) if weights is None else weights
    for v in nodes:
        here = row_of[order[ends[v] : ends[v + 1]]]
        if not n_classes and len(here):
            found.boxes[v] = _box(y[here])
        split = Node(tree, v).split
        if split is None or not len(here):
            continue
        column, values = schema.columns[split.column], np.asarray(matrix[here, split.column], np.float64)
        known = ~np.isnan(values) & ((y[here] >= 0) if n_classes else True)
        codes = y[here][known].astype(np.int64) if n_classes else np.zeros(int(known.sum()), np.int64)
        made = _histogram(split, column, values[known], codes, w[here][known], max(n_classes, 1))
        if made is not None:
            found.histograms[v] = made
    return found


def _box(y: Floats) -> Spread:
    least, low, centre, high, most = np.quantile(y, [0, 0.25, 0.5, 0.75, 1]).tolist()
    return Spread(centre, low, high, (least, most))


def _histogram(
    split: Split, column: Column, values: Floats, codes: Ints, weights: Floats, n_classes: int
) -> Histogram | None:
    if split.is_numeric:
        finite = np.isfinite(values)
        return _of_numbers(split, column, values[finite], codes[finite], weights[finite], n_classes)
    return _of_levels(split, column, values.astype(np.int64) - 1, codes, weights, n_classes)


def _of_numbers(
    split: Split, column: Column, values: Floats, codes: Ints, weights: Floats, n_classes: int
) -> Histogram | None:
    if not len(values) or values.min() == values.max():
        return None
    low, high = float(values.min()), float(values.max())
    ends = _bin_ends(low, high, split.edges)
    bins = np.clip(np.searchsorted(ends, values) - 1, 0, len(ends) - 2)
    cuts = tuple(float((edge - ends[0]) / (ends[-1] - ends[0])) for edge in split.edges if low <= edge <= high)
    counts = _counts(bins, codes, weights, len(ends) - 1, n_classes)
    return Histogram(counts, cuts, _axis_end(low, column.unit), _axis_end(high, column.unit))


def _axis_end(x: float, unit: Unit) -> str:
    """An end of an axis is looked at, not computed with: four digits, but never fewer than the whole part has."""
    return format_number(x, 4) if unit is Unit.NUMBER else format_value(x, unit)


def _bin_ends(low: float, high: float, edges: Floats) -> Floats:
    """Bins of equal width, the first threshold between two of them: a bar lies on one side of the cut."""
    width = (high - low) / _BINS
    inside = edges[(edges >= low) & (edges < high)]
    if not len(inside):
        return np.linspace(low, high, _BINS + 1)
    below, above = int(np.ceil((inside[0] - low) / width)), int(np.ceil((high - inside[0]) / width))
    return np.asarray(inside[0] + width * np.arange(-below, above + 1))


def _of_levels(
    split: Split, column: Column, levels: Ints, codes: Ints, weights: Floats, n_classes: int
) -> Histogram | None:
    """The levels of most rows, those of a branch side by side, a cut between branches."""
    sizes = np.bincount(levels, weights, len(column.levels))
    shown = np.argsort(-sizes, kind="stable")[:_MOST_LEVELS]
    shown = shown[sizes[shown] > 0]
    shown = shown[np.lexsort((-sizes[shown], split.branch_of[1:][shown]))]
    if not len(shown):
        return None
    place = np.full(len(column.levels), -1)
    place[shown] = np.arange(len(shown))
    bins = place[levels]
    kept = bins >= 0
    counts = _counts(bins[kept], codes[kept], weights[kept], len(shown), n_classes)
    steps = np.flatnonzero(np.diff(split.branch_of[1:][shown])) + 1
    names = tuple(level_text(column.levels[level]) for level in shown)
    return Histogram(counts, tuple((steps / len(shown)).tolist()), names[0], names[-1], names)


def _counts(bins: Ints, codes: Ints, weights: Floats, n_bins: int, n_classes: int) -> tuple[tuple[float, ...], ...]:
    cells = np.bincount(bins * n_classes + codes, weights, n_bins * n_classes).reshape(n_bins, n_classes)
    return tuple(tuple(line) for line in cells.tolist())
