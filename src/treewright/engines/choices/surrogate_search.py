"""Surrogate splits: which other columns send the rows the way the chosen split does (Breiman et al. 1984, section 5.3).

The branches of the split become the target of an ordinary search. A cut is as good as the weight it sends the same way,
a level goes the way most of its rows go; of branches that tie the first is taken.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from treewright.engines.stores.node_cells import Cases, Cells, cells_of, up_to_each
from treewright.typing import Array, Floats, Ints

_NO_BRANCH = -1
_LEAST_ROWS = 2  # on either side of a surrogate


@dataclass(frozen=True)
class StandIns:
    """The best test of one column at every node, and the weight it sends the way the split does; -1 where none is."""

    agreeing: Floats  # (nodes,)
    known: Floats  # (nodes,) weight of the cases whose value in this column is known
    most: Floats  # (nodes,) of these, the weight of the branch that has most
    cut: Ints  # (nodes,) ordered columns: last code on the left
    above: Ints  # (nodes,) first code on the right
    branches: Array  # (nodes, codes) nominal columns, (nodes, 3) ordered ones: missing, left, right


def stand_ins(cases: Cases, codes: Ints, n_nodes: int, n_codes: int, n_branches: int, *, ordered: bool) -> StandIns:
    """``cases`` are those whose value of the split's column is known, labelled by the branch they take."""
    known = cells_of(cases, codes, n_nodes, n_codes, n_branches).known
    return _cut(known, n_nodes) if ordered else _levels(known, n_nodes, n_codes)


def _cut(known: Cells, n_nodes: int) -> StandIns:
    here, (rows, left), (all_rows, total) = up_to_each(known, n_nodes)
    node = known.node[here]
    low, high, agreeing = _two_ways(left, total - left)
    agreeing = np.where((rows >= _LEAST_ROWS) & (all_rows - rows >= _LEAST_ROWS), agreeing, -1)
    order = np.lexsort((-np.arange(len(here)), agreeing, node))
    best = np.full(n_nodes, -1)
    best[node[order]] = order  # the last of a node stays: the lowest of the cuts that agree most
    found = np.flatnonzero((best >= 0) & (agreeing[best] >= 0) if len(here) else best >= 0)
    best = best[found]
    cut, above = np.zeros(n_nodes, np.int64), np.zeros(n_nodes, np.int64)
    out = StandIns(np.full(n_nodes, -1.0), *_sums(known, n_nodes), cut, above, _none(n_nodes, 3))
    out.agreeing[found] = agreeing[best]
    out.cut[found], out.above[found] = known.code[here[best]], known.code[here[best] + 1]
    out.branches[found, 1], out.branches[found, 2] = low[best], high[best]
    return out


def next_codes(node: Ints, codes: Ints, cut: Ints, n_codes: int) -> Ints:
    """The first code above the cut that occurs at every node, be the tested value known or missing there."""
    occurring = np.unique(node * n_codes + codes)
    place = np.searchsorted(occurring, np.arange(len(cut)) * n_codes + cut, side="right")
    return occurring[np.minimum(place, len(occurring) - 1)] % n_codes


def _two_ways(left: Ints, right: Ints) -> tuple[Ints, Ints, Ints]:
    """The two branches, not the same, that agree most with the sides of a cut, and how much they agree."""
    each = np.arange(len(left))
    a, b = left.argmax(-1), right.argmax(-1)
    other_left, other_right = left.copy(), right.copy()
    other_left[each, b], other_right[each, a] = -1, -1
    c, d = other_left.argmax(-1), other_right.argmax(-1)
    first, second = left[each, a] + right[each, d], left[each, c] + right[each, b]
    return np.where(first >= second, a, c), np.where(first >= second, d, b), np.maximum(first, second)


def _levels(known: Cells, n_nodes: int, n_codes: int) -> StandIns:
    branches, to = _none(n_nodes, n_codes), known.stats.argmax(-1)
    branches[known.node, known.code] = to
    agreeing = np.bincount(known.node, known.stats.max(-1), minlength=n_nodes)
    sides = np.zeros((n_nodes, known.n_stats), np.int64)
    np.add.at(sides, (known.node, to), known.rows)
    usable = ((sides >= _LEAST_ROWS).sum(-1) >= 2) & ((sides == 0) | (sides >= _LEAST_ROWS)).all(-1)
    none = np.zeros(n_nodes, np.int64)
    return StandIns(np.where(usable, agreeing, -1.0), *_sums(known, n_nodes), none, none, branches)


def _sums(known: Cells, n_nodes: int) -> tuple[Floats, Floats]:
    by_branch = known.totals(np.arange(n_nodes), n_nodes)[1].astype(np.float64)
    return by_branch.sum(-1), by_branch.max(-1)


def _none(n_nodes: int, n_codes: int) -> Array:
    return np.full((n_nodes, n_codes), _NO_BRANCH, np.int32)
