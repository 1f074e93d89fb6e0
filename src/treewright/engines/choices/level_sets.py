"""Nominal columns: one branch per level, one level against the rest, or two subsets of the levels."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from treewright.engines.choices.promising_cuts import PromisingCuts
from treewright.engines.choices.proposals import (
    NO_PLACE,
    Proposals,
    joined,
    known_or_not,
    two_branches,
    with_missing,
)
from treewright.engines.stores.node_cells import Cells, firsts, up_to_each
from treewright.engines.stores.store import HEAVIEST, NO_ROWS
from treewright.recipe_parts.missing import Missing
from treewright.recipe_parts.recipe import Splits
from treewright.table import ratio
from treewright.typing import Array, Floats, Ints, Mask

_LAST = 1 << 40  # a turn after all others
EXHAUSTIVE_LEVELS = 10  # up to this many levels all subsets are tried where one order of them does not do


@dataclass(frozen=True)
class ProposedColumn:
    """What splits of a column are proposed."""

    is_ordered: bool
    n_codes: int
    policy: Missing
    style: Splits  # of nominal columns
    moments: bool  # the statistics are those of a numeric target
    one_order: bool = False  # of subsets only cuts of the levels in the order of their means are tried
    each_of_two: bool = False  # of two levels both are set against the other
    on_left: Callable[[Cells], Mask] | None = None  # of subsets the one of these cells is tried, and no other
    promising: PromisingCuts | None = None  # of ordered columns: which cuts are proposed; None: all


def levels(column: ProposedColumn, cells: Cells, n_nodes: int, key: Floats | None = None) -> Proposals:
    """Proposals of the style. ``key`` orders the cells that subsets are made of (see ``ordered_cells``): only cuts of
    this order are tried."""
    n_codes, policy, style = column.n_codes, column.policy, column.style
    if style is Splits.SUBSET and policy is Missing.LEARNED:
        return _subsets(column, cells, n_nodes, key)  # missing is one more level
    known = cells.known
    if style is Splits.MULTIWAY:
        proposed = _multiway(known, n_codes)
    elif style is Splits.ONE_VS_REST:
        proposed = _one_level(known, n_nodes, n_codes, column.each_of_two)
    else:
        proposed = _subsets(column, known, n_nodes, key)
    turns = _branch_by_branch if style is Splits.MULTIWAY else _missing_right_first
    told = with_missing(proposed, *cells.missing(n_nodes), policy, turns)
    if policy is Missing.BRANCH or (policy is Missing.LEARNED and style is Splits.ONE_VS_REST):
        turn = _LAST if policy is Missing.BRANCH else 0  # missing values come before all levels
        told.append(known_or_not(cells, n_nodes, n_codes, nominal=True, turn=turn))
    return joined(told)


def _branch_by_branch(turn: Ints, branch: Ints) -> Ints:
    return turn + branch


def _missing_right_first(turn: Ints, branch: Ints) -> Ints:
    return 2 * turn + 1 - branch


def ordered_cells(cells: Cells, policy: Missing, style: Splits) -> Cells:
    """The cells that ``place`` of a proposal counts along, before a key orders them: all where missing is a level."""
    return cells if style is Splits.SUBSET and policy is Missing.LEARNED else cells.known


def _multiway(known: Cells, n_codes: int) -> Proposals:
    """One branch per level, at nodes where at least two occur."""
    begin = np.flatnonzero(firsts(known.node))
    sizes = np.diff(np.append(begin, len(known)))
    place = np.arange(len(known)) - np.repeat(begin, sizes)
    family = np.repeat(np.arange(len(begin)), sizes)
    shape = (len(begin), int(sizes.max(initial=1)))
    rows, number, stats = np.zeros(shape, np.int64), np.zeros(shape, np.int64), np.zeros((*shape, known.n_stats), int)
    rows[family, place], number[family, place], stats[family, place] = known.rows, known.code - 1, known.stats
    none = np.zeros(len(begin), np.int64)
    branches = np.arange(-1, n_codes - 1, dtype=np.int32)
    branches[0] = NO_ROWS
    found = Proposals(
        known.node[begin], stats, rows, number, none + n_codes - 1, none + HEAVIEST, none, none, none + NO_PLACE, none,
        lambda chosen: np.tile(branches, (len(chosen), 1)),
    )  # fmt: skip
    return found[np.flatnonzero(sizes > 1)]


def _one_level(known: Cells, n_nodes: int, n_codes: int, each_of_two: bool) -> Proposals:
    """Each level against all others; of two levels, the first against the other says it all."""
    n_levels = np.bincount(known.node, minlength=n_nodes)[known.node]
    here = np.flatnonzero((n_levels > 2) | (n_levels == 2) & (each_of_two | firsts(known.node)))
    alone = known[here]
    total = known.totals(alone.node, n_nodes)
    places = _Places(known, n_nodes, n_codes)
    none = np.zeros(len(alone), np.int64)
    return two_branches(
        alone.node, (alone.rows, alone.stats), total, none, none,
        lambda chosen: np.array([places.branches(alone.node[i], [alone.code[i]]) for i in chosen]), here, alone.code,
    )  # fmt: skip


def _subsets(column: ProposedColumn, cells: Cells, n_nodes: int, key: Floats | None) -> Proposals:
    """Two sets of levels: cuts of an order of the levels, or every subset of few."""
    n_codes = column.n_codes
    if column.on_left is not None:
        return _one_subset(cells, column.on_left(cells), n_nodes, n_codes)
    if key is None and column.one_order:
        key = _means(cells, 1, column.moments)
    if key is not None:
        return _cuts_of_order(cells, key, n_nodes, n_codes)
    n_levels = np.bincount(cells.node, minlength=n_nodes)
    parts = [
        _every_subset(cells[np.flatnonzero(n_levels[cells.node] == n)], n, n_nodes, n_codes)
        for n in np.unique(n_levels)
        if 2 <= n <= EXHAUSTIVE_LEVELS
    ]
    many = cells[np.flatnonzero(n_levels[cells.node] > EXHAUSTIVE_LEVELS)]
    if len(many) or not parts:
        parts += [_by_share(many, k, n_nodes, n_codes) for k in range(cells.n_stats)]
    return joined(parts)


def _by_share(cells: Cells, k: int, n_nodes: int, n_codes: int) -> Proposals:
    """Cuts of the levels in the order of the share of class k, between different shares and from the largest down, at
    nodes that have it: so the names of levels do not matter."""
    total = cells.totals(np.arange(n_nodes), n_nodes)[1][:, k]
    here = cells[np.flatnonzero(total[cells.node] > 0)]
    proposed = _cuts_of_order(here, share := _means(here, k, False), n_nodes, n_codes)
    ranked = share[np.lexsort((share, here.node))]
    apart = ranked[proposed.place] < ranked[proposed.place + 1]
    return replace(proposed, turn=(k + 1) * len(cells) - proposed.place).where(apart)


def _means(cells: Cells, k: int, moments: bool) -> Floats:
    """Share of class k in every cell, or of moments the mean."""
    stats = cells.stats.astype(np.float64)
    return np.asarray(ratio(stats[:, k], stats[:, 0] if moments else stats.sum(-1)))


def _cuts_of_order(cells: Cells, key: Floats, n_nodes: int, n_codes: int) -> Proposals:
    ranked = cells[np.lexsort((key, cells.node))]
    here, left, total = up_to_each(ranked)
    node, none = ranked.node[here], np.zeros(len(here), np.int64)
    places = _Places(ranked, n_nodes, n_codes)
    return two_branches(
        node, left, total, none, none,
        lambda chosen: np.array([places.branches(v, places.up_to(v, p)) for v, p in zip(node[chosen], here[chosen])]),
        here, here,
    )  # fmt: skip


def _every_subset(cells: Cells, n_levels: int, n_nodes: int, n_codes: int) -> Proposals:
    """All ways to tell the levels of a node apart, the last level always being on the right; in the order of a Gray
    code, as kernels walk them: one level changes sides at each step."""
    subsets = np.arange(1, 2 ** (n_levels - 1))
    subsets = subsets ^ (subsets >> 1)
    inside = (subsets[:, None] >> np.arange(n_levels) & 1).astype(np.int64)  # (subsets, levels)
    nodes = cells.node[::n_levels]
    left = tuple(_per_subset(inside, part, n_levels) for part in (cells.rows[:, None], cells.stats))
    node, which = np.repeat(nodes, len(subsets)), np.tile(np.arange(len(subsets)), len(nodes))
    places, none = _Places(cells, n_nodes, n_codes), np.zeros(len(node), np.int64)

    def branch_of(chosen: Ints) -> Array:
        picked = ((node[i], inside[which[i]] == 1) for i in chosen)
        return np.array([places.branches(v, places.codes(v)[mine]) for v, mine in picked])

    totals = cells.totals(node, n_nodes)
    return two_branches(node, (left[0][:, 0], left[1]), totals, none, none, branch_of, none + NO_PLACE, which)


def _one_subset(cells: Cells, on_left: Mask, n_nodes: int, n_codes: int) -> Proposals:
    """At every node of several levels one subset of them, which the mask of the cells has."""
    left, n_levels = cells[np.flatnonzero(on_left)], np.bincount(cells.node, minlength=n_nodes)
    n_left = np.bincount(left.node, minlength=n_nodes)
    node = np.flatnonzero((n_left > 0) & (n_left < n_levels))
    places, on_its_left, none = _Places(cells, n_nodes, n_codes), _Places(left, n_nodes, n_codes), np.zeros_like(node)
    return two_branches(
        node, left.totals(node, n_nodes), cells.totals(node, n_nodes), none, none,
        lambda chosen: np.array([places.branches(v, on_its_left.codes(v)) for v in node[chosen]]),
        none + NO_PLACE, none,
    )  # fmt: skip


def _per_subset(inside: Ints, values: Ints, n_levels: int) -> Ints:
    by_node = values.reshape(-1, n_levels, values.shape[1])
    return (inside @ by_node).reshape(-1, values.shape[1])


class _Places:
    """Which codes occur at each node."""

    def __init__(self, cells: Cells, n_nodes: int, n_codes: int) -> None:
        self.cells, self.n_codes = cells, n_codes
        self.begin = np.searchsorted(cells.node, np.arange(n_nodes + 1))

    def codes(self, node: int) -> Ints:
        return self.cells.code[self.begin[node] : self.begin[node + 1]]

    def up_to(self, node: int, place: int) -> Ints:
        return self.cells.code[self.begin[node] : place + 1]

    def branches(self, node: int, left: Ints | list[int]) -> Array:
        """Branch 0 of the codes on the left, 1 of all others that occur."""
        branch_of = np.full(self.n_codes, NO_ROWS, np.int32)
        branch_of[self.codes(node)] = 1
        branch_of[left] = 0
        return branch_of
