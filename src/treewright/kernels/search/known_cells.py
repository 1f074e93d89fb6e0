"""Splits of a column by its known values, at all open nodes at once, from their cells. Missing values have a branch of
their own, or are left out of the score."""

from typing import NamedTuple

import numpy as np

from treewright.kernels.jit import kernel
from treewright.kernels.search.count import CodeCounts
from treewright.kernels.search.levels import EXHAUSTIVE_LEVELS, ONE_VS_REST, SUBSET, order_by_share, two_subsets
from treewright.kernels.search.mass import branch_mass, mass
from treewright.kernels.search.scan import consider
from treewright.kernels.store_kernels.nodes import keep

CUTS = 3  # the style of ordered columns; those of nominal ones are in levels.py
KNOWN_OR_NOT = -2  # in place of a cut: all that is known against what is missing


class CellArrays(NamedTuple):
    """The cells of a column, by node and then by code; see ``Cells``."""

    node: np.ndarray  # int64
    code: np.ndarray  # int64
    rows: np.ndarray  # int64
    stats: np.ndarray  # (cells, n_stats) int64


class CellRuns(NamedTuple):
    """Where the cells of each node are: that of missing values, -1 where there is none, and then those of its known
    values, ``[begin:end]``."""

    missing: np.ndarray  # (nodes,) int64
    begin: np.ndarray  # (nodes,) int64
    end: np.ndarray  # (nodes,) int64


@kernel
def find_known(cells, totals, runs, nodes):
    """Fill in the runs; ``nodes.totals`` and ``nodes.stop`` become statistics and number of the rows that are known."""
    n_cells, i = cells.node.shape[0], 0
    for f in range(totals.shape[0]):
        missing = -1
        if i < n_cells and cells.node[i] == f and cells.code[i] == 0:
            missing = i
            i += 1
        runs.missing[f], runs.begin[f] = missing, i
        nodes.start[f], nodes.stop[f] = 0, 0
        for s in range(totals.shape[1]):
            nodes.totals[f, s] = totals[f, s] - (cells.stats[missing, s] if missing >= 0 else 0)
        while i < n_cells and cells.node[i] == f:
            nodes.stop[f] += cells.rows[i]
            i += 1
        runs.end[f] = i


@kernel
def search_known(style, own_branch, cells, totals, runs, nodes, rules, finds):
    """The best split of every node. ``finds.cut`` is the last cell on the left of ordered columns, the cell that is
    alone, or as ``two_subsets`` has it; cells count from the first that is known."""
    n_stats = totals.shape[1]
    left, right = np.empty(n_stats, np.int64), np.empty(n_stats, np.int64)
    numbers = np.arange(cells.node.shape[0])
    for f in range(totals.shape[0]):
        keep(finds, f, -np.inf, KNOWN_OR_NOT, 0)
        finds.ties[f] = 0
        apart, missing, begin, end = 0.0, runs.missing[f], runs.begin[f], runs.end[f]
        if missing >= 0 and own_branch:
            apart = branch_mass(cells.stats[missing], cells.rows[missing], rules)
        if apart == -np.inf or end == begin:
            continue
        tally = CodeCounts(cells.stats[begin:end], cells.rows[begin:end], numbers)
        if style == SUBSET:
            two_subsets(0, f, end - begin, left, right, nodes, rules, tally, finds)
        elif style == ONE_VS_REST:
            alone_or_rest(f, end - begin, left, right, nodes, rules, tally, finds)
        else:
            cuts_of_cells(f, end - begin, left, right, nodes, rules, tally, finds)
        if own_branch and missing >= 0:
            known = branch_mass(nodes.totals[f], nodes.stop[f], rules)
            consider(finds, f, known, KNOWN_OR_NOT, 0, nodes.slack[f], 0, 0, -1)
        if own_branch:
            finds.score[f] += apart
        elif missing >= 0 and finds.score[f] > -np.inf:  # the mass of known values may be -inf as well
            finds.score[f] -= mass(nodes.totals[f], rules.criterion, rules.table)
            finds.score[f] += mass(totals[f], rules.criterion, rules.table)


@kernel
def cuts_of_cells(f, n, left, right, nodes, rules, tally, finds):
    """Cells up to one against those after it."""
    for s in range(left.shape[0]):
        left[s], right[s] = 0, nodes.totals[f, s]
    n_left = 0
    for i in range(n - 1):
        n_left += tally.rows[i]
        for s in range(left.shape[0]):
            left[s] += tally.stats[i, s]
            right[s] -= tally.stats[i, s]
        score = branch_mass(left, n_left, rules) + branch_mass(right, nodes.stop[f] - n_left, rules)
        consider(finds, f, score, i, 0, nodes.slack[f], 0, 0, -1)


@kernel
def alone_or_rest(f, n, alone, rest, nodes, rules, tally, finds):
    """Each level against all others; of two levels, the first against the other says it all."""
    for i in range(n if n > 2 else n - 1):
        for s in range(rest.shape[0]):
            alone[s] = tally.stats[i, s]
            rest[s] = nodes.totals[f, s] - alone[s]
        score = branch_mass(alone, tally.rows[i], rules) + branch_mass(rest, nodes.stop[f] - tally.rows[i], rules)
        consider(finds, f, score, i, 0, nodes.slack[f], 0, 0, -1)


@kernel
def lay_out_known(style, one_order, numeric, cells, runs, chosen, cuts, left, on_left):
    """Which cells of the chosen nodes are on the left, and the sums of their statistics."""
    numbers = np.arange(cells.node.shape[0])
    for c in range(chosen.shape[0]):
        begin, end, cut = runs.begin[chosen[c]], runs.end[chosen[c]], cuts[c]
        n = end - begin
        if cut == KNOWN_OR_NOT:
            on_left[begin:end] = True
        elif style == CUTS:
            on_left[begin : begin + cut + 1] = True
        elif style == ONE_VS_REST:
            on_left[begin + cut] = True
        elif not one_order and n <= EXHAUSTIVE_LEVELS:
            for i in range(n):
                on_left[begin + i] = (cut >> i) & 1
        else:
            tally = CodeCounts(cells.stats[begin:end], cells.rows[begin:end], numbers)
            order, _ = order_by_share(cut // n, numeric, n, left.shape[1], tally)
            for i in range(cut % n + 1):
                on_left[begin + order[i]] = True
        for i in range(begin, end):
            if on_left[i]:
                for s in range(left.shape[1]):
                    left[c, s] += cells.stats[i, s]
