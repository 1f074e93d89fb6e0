"""Surrogate splits: which other columns send the rows the way the chosen split does (Breiman et al. 1984, section 5.3).

The branches of the split become the target of an ordinary search. A cut is as good as the weight it sends the same way,
a level goes the way most of its rows go. A level that ties goes down the heaviest branch; of equals the first is taken.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from treewright.engines.stores.node_cells import Cases, Cells, cells_of, up_to_each
from treewright.typing import Array, Floats, Ints, Mask

_NO_BRANCH = -1
_LEAST_ROWS = 2


@dataclass(frozen=True)
class StandIns:
    """The best test of one column at every node, and the weight it sends the way the split does; -1 where none is."""

    agreeing: Floats  # (nodes,)
    known: Floats  # (nodes,) weight of the cases whose value in this column is known
    most: Floats  # (nodes,) of these, the weight of the branch that has most
    cut: Ints  # (nodes,) ordered columns: last code on the left
    above: Ints  # (nodes,) first code on the right
    branches: Array  # (nodes, codes) nominal columns, (nodes, 3) ordered ones: missing, left, right


@dataclass(frozen=True)
class Imitated:
    """``cases`` are those whose value of the split's column is known, labelled by the branch they take."""

    cases: Cases
    by_branch: Ints  # (nodes, branches) their weight

    def stand_ins(self, codes: Ints, n_codes: int, *, ordered: bool, as_rpart: bool) -> StandIns:
        n_nodes, n_branches = self.by_branch.shape
        known = cells_of(self.cases, codes, n_nodes, n_codes, n_branches).known
        if ordered:
            return _cut(known, n_nodes)
        branches = self._levels(known, n_codes)
        usable = self._agrees_and_not(branches, codes) if as_rpart else _has_two_sides(known, branches)
        agreeing = np.bincount(known.node, known.stats.max(-1), minlength=n_nodes)
        none = np.zeros(n_nodes, np.int64)
        return StandIns(np.where(usable, agreeing, -1.0), *_sums(known, n_nodes), none, none, branches)

    def _levels(self, known: Cells, n_codes: int) -> Array:
        """The branch of every level at every node."""
        tied = known.stats == known.stats.max(-1, keepdims=True)
        branches = _none(len(self.by_branch), n_codes)
        branches[known.node, known.code] = np.where(tied, self.by_branch[known.node], -1).argmax(-1)
        return branches

    def _agrees_and_not(self, branches: Array, codes: Ints) -> Mask:
        """rpart's slip: a nominal surrogate that is right about all rows, or about all but one, is none."""
        here = np.flatnonzero(codes > 0)
        node = self.cases.node[here]
        agrees = branches[node, codes[here]] == self.cases.label[here]
        n_nodes = len(branches)
        right, wrong = (np.bincount(node[rows], minlength=n_nodes) for rows in (agrees, ~agrees))
        return np.asarray((right >= _LEAST_ROWS) & (wrong >= _LEAST_ROWS))


def _cut(known: Cells, n_nodes: int) -> StandIns:
    here, (rows, left), (all_rows, total) = up_to_each(known)
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


def _has_two_sides(known: Cells, branches: Array) -> Mask:
    """At least two branches are named, each of them for enough rows."""
    sides = np.zeros((len(branches), known.n_stats), np.int64)
    np.add.at(sides, (known.node, branches[known.node, known.code]), known.rows)
    return np.asarray(((sides >= _LEAST_ROWS).sum(-1) >= 2) & ((sides == 0) | (sides >= _LEAST_ROWS)).all(-1))


def _sums(known: Cells, n_nodes: int) -> tuple[Floats, Floats]:
    by_branch = known.totals(np.arange(n_nodes), n_nodes)[1].astype(np.float64)
    return by_branch.sum(-1), by_branch.max(-1)


def _none(n_nodes: int, n_codes: int) -> Array:
    return np.full((n_nodes, n_codes), _NO_BRANCH, np.int32)
