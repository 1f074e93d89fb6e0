"""Medians of groups of cases: sums do not tell them, so cases are put in the order of the target."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from treewright.data.encoded import Encoded
from treewright.engines.stores.node_cells import Cases
from treewright.engines.stores.store import Frontier, MedianStore, Sent, Store, Tests
from treewright.engines.target_stats import MedianStats, TargetStats
from treewright.kernels.search.medians import RankedTarget, branch_medians, rank_rows
from treewright.tree.build import offsets
from treewright.typing import Floats, Ints


@dataclass(frozen=True)
class RankedCases:
    """Cases by group and then by y: ``order`` has those of group g from ``start[g]`` to ``start[g + 1]``."""

    order: Ints
    start: Ints
    ranked: RankedTarget


@dataclass(frozen=True)
class CaseMedians:
    """Ranks cases by the target and finds medians of groups of them."""

    encoded: Encoded
    target: MedianStats

    @cached_property
    def _y(self) -> Floats:
        return units_of(self.target, self.encoded)

    def rank(self, cases: Cases, group: Ints, n_groups: int) -> RankedCases:
        by_value = by_target(self.encoded.y[cases.row], cases.amounts[:, 0] if self.target.weight is not None else None)
        order = by_value[np.argsort(group[by_value], kind="stable")]
        start = offsets(np.bincount(group, minlength=n_groups))
        base, n_places = start[:-1] + 2 * np.arange(n_groups), len(cases) + 2 * n_groups
        weights, moments = np.zeros(n_places, np.int64), np.zeros(n_places, np.int64)
        ranked = RankedTarget(np.empty(len(cases), np.uint32), base, weights, moments, np.zeros(n_places))
        weight, moment = (np.ascontiguousarray(part) for part in cases.amounts.T[:2])
        rank_rows(order, start[:-1], start[1:], weight, moment, self._y, cases.row, ranked)
        return RankedCases(order, start, ranked)

    def centres(self, cases: Cases, group: Ints, sums: Ints, centre: Floats) -> Floats:
        """Median of every group, distance from it, and distance from another centre."""
        here, n, found = self.rank(cases, group, len(sums)), len(sums), np.zeros((len(sums), 3))
        side, each = np.zeros(len(cases), np.uint8), np.arange(n)
        where = each, here.order, here.start[:-1], here.start[1:], side, np.arange(n + 1)
        branch_medians(*where, sums, here.ranked, self.encoded.y, cases.row, centre, found)
        return found


def by_target(y: Floats, weight: Ints | None) -> Ints:
    """Places in the order of y; equal ones by weight, so that the order of rows does not round distances otherwise."""
    return np.argsort(y, kind="stable") if weight is None else np.lexsort((weight, y))


def units_of(target: MedianStats, encoded: Encoded) -> Floats:
    """The target from its centre, in the unit of a moment per weight."""
    if target.weight is None:
        return target.moment.values.astype(np.float64)
    return np.asarray((encoded.y - target.centre) * target.y_unit)


def with_medians(
    target: TargetStats,
    store: Store,
    sums: Ints,
    nodes: Frontier | None = None,
    tests: Tests | None = None,
    sent: Sent | None = None,
) -> Ints:
    """Statistics from sums over rows, of the root or of the branches of the tests at nodes: for medians add what sums
    do not tell."""
    if not isinstance(target, MedianStats):
        return sums
    assert isinstance(store, MedianStore)
    if nodes is None or tests is None or sent is None:
        stats = target.kept(sums, store.medians(sums, np.zeros(1)))
        stats[:, -1] = stats[:, -2]  # the root has no parent
        return stats
    centre = (target.medians(nodes.stats) - target.centre) * target.y_unit
    return target.kept(sums, store.medians(sums, centre, tests, sent))
