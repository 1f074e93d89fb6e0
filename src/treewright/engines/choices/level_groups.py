"""Branches of several levels each (C4.5's subset option), with missing values as a policy wants them."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from treewright.engines.choices.proposals import NO_PLACE, Proposals, missing_mark
from treewright.engines.stores.node_cells import Cells, with_commonest
from treewright.engines.stores.store import HEAVIEST, NO_ROWS
from treewright.kernels.search.count import new_tally
from treewright.kernels.search.groups import new_blocks, search_groups
from treewright.kernels.search.ratio import BestRatio, RatioLimits
from treewright.kernels.store_kernels.cases import CaseArrays as Slots
from treewright.recipe_parts.missing import Missing
from treewright.typing import Array, Floats, Ints


class Grouped(NamedTuple):
    """The groups of every node; the gain is -inf where there are none."""

    gain: Floats
    info: Floats
    n_groups: Ints
    branch_of: Array  # (nodes, codes) ABSENT for missing values that are in no group


def group_levels(
    cells: Cells, totals: Ints, n_codes: int, rules: RatioLimits, policy: Missing, more: Floats
) -> tuple[Proposals, Floats, Floats]:
    """A proposal for every node that has one, and gain and split information of every node (-inf: it has none).

    ``more`` is what a branch of their own for missing values gains.
    """
    n_nodes = len(totals)
    missing = cells.missing(n_nodes)[0] > 0
    if policy is Missing.COMMON:
        cells, stand_in = with_commonest(cells, n_nodes, ordered=False, moments=False)
    found = _search(cells, totals, n_codes, rules, more)
    to = np.full(n_nodes, missing_mark(policy) or HEAVIEST)
    if policy is Missing.COMMON:
        to = found.branch_of[np.arange(n_nodes), stand_in].astype(np.int64)
    elif policy is Missing.BRANCH:
        to = np.where(missing, found.n_groups, to)
    elif policy is Missing.LEARNED and missing.any():
        found = _with_a_level_more(cells, totals, n_codes, rules, found, missing)
        to = np.where(missing, found.branch_of[:, 0], to)
    return _proposals(cells, found, to), found.gain, found.info


def _search(cells: Cells, totals: Ints, n_codes: int, rules: RatioLimits, more: Floats) -> Grouped:
    """Every cell is as many cases as there are classes."""
    n_nodes, n_classes = totals.shape
    labels = np.tile(np.arange(n_classes, dtype=np.uint8 if n_classes <= 256 else np.uint32), len(cells))
    slots = Slots(np.arange(cells.stats.size, dtype=np.uint32), cells.stats.ravel(), labels)
    ends = np.searchsorted(cells.node, np.arange(n_nodes + 1)) * n_classes
    best = BestRatio(np.empty(n_nodes), np.empty(n_nodes), np.empty(n_nodes, np.int64), np.empty(n_nodes, np.int64))
    groups = np.empty((n_nodes, n_codes), np.int32)
    search_groups(
        np.repeat(cells.code, n_classes), slots, ends[:-1], ends[1:], totals, rules, new_tally(n_codes, n_classes),
        new_blocks(n_codes, n_classes), more, groups, best,
    )  # fmt: skip
    groups[:, 0] = NO_ROWS
    return Grouped(best.gain, best.info, best.cut, groups)


def _with_a_level_more(
    cells: Cells, totals: Ints, n_codes: int, rules: RatioLimits, without: Grouped, missing: Array
) -> Grouped:
    """At nodes that have missing values these are a level, which comes first."""
    place = np.cumsum(missing) - 1
    theirs = cells[np.flatnonzero(missing[cells.node])]
    shifted = Cells(place[theirs.node], theirs.code + 1, theirs.rows, theirs.stats)
    found = _search(shifted, totals[missing], n_codes + 1, rules, np.empty(0))
    gain, info, n_groups, branch_of = (part.copy() for part in without)
    gain[missing], info[missing], n_groups[missing] = found.gain, found.info, found.n_groups
    branch_of[missing] = found.branch_of[:, 1:]
    return Grouped(gain, info, n_groups, branch_of)


def _proposals(cells: Cells, found: Grouped, to: Ints) -> Proposals:
    nodes = np.flatnonzero(found.gain > -np.inf)
    n, known = len(nodes), cells.known
    own = (to == found.n_groups)[nodes]  # a branch after the last
    place = np.full(len(found.gain), -1)
    place[nodes] = np.arange(n)
    known = known[np.flatnonzero(place[known.node] >= 0)]
    widest = int((found.n_groups[nodes] + own).max(initial=2))
    stats, rows = np.zeros((n, widest, cells.n_stats), np.int64), np.zeros((n, widest), np.int64)
    at = place[known.node], found.branch_of[known.node, known.code]
    np.add.at(stats, at, known.stats)
    np.add.at(rows, at, known.rows)
    branches = found.branch_of[nodes]
    branches[:, 0] = NO_ROWS
    none = np.zeros(n, np.int64)
    return Proposals(
        nodes, stats, rows, np.tile(np.arange(widest), (n, 1)), found.n_groups[nodes] + own, to[nodes], none, none,
        none + NO_PLACE, none, lambda chosen: branches[chosen],
    )  # fmt: skip
