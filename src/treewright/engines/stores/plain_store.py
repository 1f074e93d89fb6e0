"""Rows in this machine's memory, in plain numpy: whole, or in parts where missing values take every branch."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from treewright.data.encoded import Encoded
from treewright.engines.stores.case_medians import CaseMedians
from treewright.engines.stores.node_cells import Cases, Cells, cells_in_order, cells_of, shared_out
from treewright.engines.stores.store import Frontier, Sent, Tests
from treewright.engines.target_stats import MedianStats, TargetStats
from treewright.split import EVERY_BRANCH, STOP
from treewright.tree.build import spans
from treewright.typing import Floats, Ints, Mask


@dataclass(frozen=True)
class Sides:
    """The branch of every case by its own value, and what the branches then hold; missing values are still to go."""

    branch: Ints
    is_missing: Mask
    stats: Ints  # (branches, n_stats)


class PlainStore:
    """See ``Store``. A row is at several nodes at once where its tested value was missing and takes every branch."""

    def __init__(self, encoded: Encoded, target: TargetStats) -> None:
        self.encoded = encoded
        self.target = target
        n = encoded.n_rows
        self.cases = Cases(np.arange(n), np.zeros(n, np.int64), target.case_labels, target.case_amounts)
        self.n_nodes = 1
        self._whole = True  # no row is at two nodes at once

    def totals(self) -> Ints:
        """Before any row is sent: all rows are at the root."""
        return np.asarray(self.cases.sums(self.cases.node, 1, self.target.n_stats)[0])

    def begin_at(self, nodes: Frontier) -> None:
        self.cases = self.cases.at(np.repeat(np.arange(len(nodes)), nodes.rows))
        self.n_nodes = len(nodes)

    def open(self, nodes: Frontier) -> None:
        self.n_nodes = len(nodes)

    def codes(self, column: int, rows: Ints) -> Ints:
        return self.encoded.columns[column].codes[rows].astype(np.int64)

    def cells(self, column: int, worker: int = 0) -> Cells:
        coded = self.encoded.columns[column]
        if coded.is_sorted and self._whole:
            cases = self.cases[self._in_order(np.asarray(coded.order))]
            return cells_in_order(cases, self.codes(column, cases.row), self.target.n_stats)
        return cells_of(
            self.cases, self.codes(column, self.cases.row), self.n_nodes, coded.n_codes, self.target.n_stats
        )

    def stacked_cells(self, columns: Sequence[int]) -> Cells:
        """The cells of several columns at once: node f of the k-th column is node ``k·n_nodes + f``."""
        cases, n_columns = self.cases, len(columns)
        again = np.tile(np.arange(len(cases)), n_columns)
        stacked = cases[again].at((cases.node + self.n_nodes * np.arange(n_columns)[:, None]).ravel())
        codes = np.concatenate([self.codes(j, cases.row) for j in columns])
        n_codes = max(self.encoded.columns[j].n_codes for j in columns)
        return cells_of(stacked, codes, n_columns * self.n_nodes, n_codes, self.target.n_stats)

    def _in_order(self, by_code: Ints) -> Ints:
        """The cases by node and then by code, from all rows by code: quicker than to sort them anew."""
        place = np.full(self.encoded.n_rows, -1, np.int32)
        place[self.cases.row] = np.arange(len(self.cases))
        found = place[by_code]
        found = found[found >= 0]
        node = self.cases.node[found]
        return np.asarray(found[np.argsort(node.astype(np.uint16) if self.n_nodes < 2**16 else node, kind="stable")])

    # ---- send --------------------------------------------------------------------------------------------------

    def send(self, tests: Tests) -> Sent:
        sides = self.sides(tests)
        return self.settle(tests, sides, sides.stats)

    def sides(self, tests: Tests) -> Sides:
        """Where cases go whose tested value is known."""
        branch, is_missing = self._by_value(tests)
        known = np.flatnonzero(~is_missing & (branch >= 0))
        return Sides(branch, is_missing, self._sums(known, branch[known], tests))

    def _by_value(self, tests: Tests) -> tuple[Ints, Mask]:
        """The branch of every case, none where the node has no test, and whether the tested value is missing."""
        cases = self.cases
        branch, is_missing = np.full(len(cases), STOP), np.zeros(len(cases), np.bool_)
        tested = tests.column[cases.node]
        for j in tests.columns:
            here = np.flatnonzero(tested == j)
            node, codes = cases.node[here], self.codes(j, cases.row[here])
            is_missing[here] = codes == 0
            by_cut = np.where(codes == 0, 0, 1 + (codes > tests.cut[node]))
            code = np.where(tests.is_cut[node], by_cut, codes)
            branch[here] = tests.branch_of[tests.branch_start[node] + code]
        return branch, is_missing

    def _sums(self, picked: Ints, branch: Ints, tests: Tests) -> Ints:
        cases, first = self.cases[picked], tests.child_start
        return cases.sums(first[cases.node] + branch, int(first[-1]), self.target.n_stats)

    def settle(self, tests: Tests, sides: Sides, known: Ints) -> Sent:
        """Send missing values too. They go by ``known``, the statistics of the branches that ``sides`` tell, added up
        over all rows, wherever these are."""
        of_missing = tests.of_missing(self.target.plain_weights(known))
        branch = self._with_missing(tests, sides, of_missing)
        sent = self._parted(tests, branch, self.target.int_weights(known))
        n_branches = int(tests.child_start[-1])
        return Sent(
            np.bincount(sent.node, minlength=n_branches),
            sent.sums(sent.node, n_branches, self.target.n_stats),
            np.bincount(self.cases.node[sides.is_missing], minlength=len(tests.column)),
            of_missing,
            sent,
        )

    def _with_missing(self, tests: Tests, sides: Sides, of_missing: Ints) -> Ints:
        """The branch of every case; of missing values surrogates are asked first."""
        branch: Ints = sides.branch.copy()
        missing = np.flatnonzero(sides.is_missing)
        if not len(missing):
            return branch
        node = self.cases.node[missing]
        branch[missing] = of_missing[node]
        if tests.stand_in is not None:
            decided = tests.stand_in.decide(self.cases.row[missing], node)
            branch[missing] = np.where(decided >= 0, decided, branch[missing])
        return branch

    def _parted(self, tests: Tests, branch: Ints, weight: Ints) -> Cases:
        """The cases at their branches; those that take every branch have a part in each that others take."""
        cases, child_start = self.cases, tests.child_start
        whole = np.flatnonzero(branch >= 0)
        settled = cases[whole].at(child_start[cases.node[whole]] + branch[whole])
        shared = cases[np.flatnonzero(branch == EVERY_BRANCH)]
        if not len(shared):
            return settled
        self._whole = False
        sizes = tests.n_branches[shared.node]
        child = spans(child_start[shared.node], sizes)
        case = np.repeat(np.arange(len(shared)), sizes)
        case, child = case[weight[child] > 0], child[weight[child] > 0]
        parts, in_full = shared[case].at(child), tests.in_full[shared.node][case]
        amounts = np.where(in_full[:, None], parts.amounts, shared_out(parts.amounts, case, weight[child]))
        return settled.and_also(replace(parts, amounts=amounts))

    def medians(self, sums: Ints, centre: Floats, tests: Tests | None = None, sent: Sent | None = None) -> Floats:
        assert isinstance(self.target, MedianStats)
        found = CaseMedians(self.encoded, self.target)
        if tests is None or sent is None:
            return found.centres(self.cases, self.cases.node, sums, centre)
        return found.centres(sent.place, sent.place.node, sums, np.repeat(centre, tests.n_branches))

    # ---- keep --------------------------------------------------------------------------------------------------

    def keep(self, nodes: Frontier, sent: Sent, tests: Tests, taken: Ints, children: Frontier, wanted: Mask) -> None:
        branches = spans(tests.child_start[taken], tests.n_branches[taken])[wanted]
        place = np.full(int(tests.child_start[-1]), -1)
        place[branches] = np.arange(len(branches))
        at = place[sent.place.node]
        kept = np.flatnonzero(at >= 0)
        self.cases = sent.place[kept].at(at[kept])

    def branch_rows(self, nodes: Frontier, sent: Sent, tests: Tests, taken: Ints) -> Ints:
        """Rows that go one way: none is at two nodes."""
        is_taken = np.zeros(int(tests.child_start[-1]), np.bool_)
        is_taken[spans(tests.child_start[taken], tests.n_branches[taken])] = True
        row, node = sent.place.row, sent.place.node
        row, node = row[is_taken[node]], node[is_taken[node]]
        return np.asarray(row[np.argsort(node, kind="stable")])
