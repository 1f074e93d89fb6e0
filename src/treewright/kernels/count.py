"""Best split of a column with few codes: count the codes of each node, then search the table of counts.

``tally.stats[code]`` and ``tally.rows[code]`` are the table of one node; ``tally.codes[:n]`` lists the codes that occur,
ascending, so that a small node costs no more than its own rows. Missing (code 0), when it occurs, is the first.
"""

from typing import NamedTuple

import numpy as np
from numba import njit

from treewright.kernels.groups import CUT, MULTIWAY, ONE_VS_REST, search_multiway, search_one_vs_rest, search_subset
from treewright.kernels.mass import branch_mass
from treewright.kernels.nodes import begin, edge_between, end
from treewright.kernels.scan import consider


class Tally(NamedTuple):
    """The table of one node, emptied after use rather than before."""

    stats: np.ndarray  # (n_codes, n_stats) int64
    rows: np.ndarray  # (n_codes,) int64
    codes: np.ndarray  # (n_codes,) int64


def new_tally(n_codes: int, n_stats: int) -> Tally:
    return Tally(np.zeros((n_codes, n_stats), np.int64), np.zeros(n_codes, np.int64), np.zeros(n_codes, np.int64))


@njit(nogil=True, cache=True)
def count(codes, entries, start, stop, data, tally):
    """Fill the tally with a node's rows; returns how many codes occur."""
    labels = (1 << data.bits) - 1
    weighted = data.weight.shape[0] > 0
    numeric = data.moment.shape[0] > 0
    n = 0
    for i in range(start, stop):
        entry = entries[i]
        row = entry >> data.bits
        code = codes[row]
        weight = data.weight[row] if weighted else np.int64(1)
        if tally.rows[code] == 0:
            tally.codes[n] = code
            n += 1
        tally.rows[code] += 1
        if numeric:
            tally.stats[code, 0] += weight
            tally.stats[code, 1] += data.moment[row]
            tally.stats[code, 2] += data.square[row]
        else:
            tally.stats[code, entry & labels] += weight
    sort_codes(tally, n)
    return n


@njit(nogil=True, cache=True)
def sort_codes(tally, n):
    if n > 24:  # a walk over all codes beats sorting many
        n = 0
        for code in range(tally.rows.shape[0]):
            if tally.rows[code] > 0:
                tally.codes[n] = code
                n += 1
        return
    for i in range(1, n):
        code = tally.codes[i]
        j = i
        while j > 0 and tally.codes[j - 1] > code:
            tally.codes[j] = tally.codes[j - 1]
            j -= 1
        tally.codes[j] = code


@njit(nogil=True, cache=True)
def empty(tally, n):
    for i in range(n):
        code = tally.codes[i]
        tally.rows[code] = 0
        tally.stats[code, :] = 0


@njit(nogil=True, cache=True)
def search_counted(column, codes, style, entries, nodes, data, rules, tally, finds):
    """Best split of one column at every open node, in the given style."""
    branch_of = np.empty(0, np.int32)
    for f in range(nodes.start.shape[0]):
        if begin(finds, f, column, nodes):
            n = count(codes, entries, nodes.start[f], nodes.stop[f], data, tally)
            search_tally(column, style, f, n, nodes, rules, tally, finds, branch_of)
            empty(tally, n)
            end(finds, f, column, nodes)


@njit(nogil=True, cache=True)
def search_tally(column, style, f, n, nodes, rules, tally, finds, branch_of):
    """Search the tally. When ``branch_of`` has room, the branch of each code that occurs is written there."""
    if n < 2:
        return
    if style == CUT:
        search_cut(column, f, n, nodes, rules, tally, finds)
    elif style == MULTIWAY:
        search_multiway(f, n, nodes, rules, tally, finds)
    elif style == ONE_VS_REST:
        search_one_vs_rest(column, f, n, nodes, rules, tally, finds)
    else:
        search_subset(column, f, n, nodes, rules, tally, finds, branch_of)


@njit(nogil=True, cache=True)
def search_cut(column, f, n, nodes, rules, tally, finds):
    """Cuts between neighbouring codes, with missing rows on the right and, if there are any, on the left."""
    left = np.empty(nodes.totals.shape[1], np.int64)
    right = np.empty(nodes.totals.shape[1], np.int64)
    n_rows = nodes.stop[f] - nodes.start[f]
    some_missing = tally.codes[0] == 0
    for missing_left in range(2 if some_missing else 1):
        left[:] = 0
        right[:] = nodes.totals[f]
        n_left = 0
        last = n if some_missing and not missing_left else n - 1
        for i in range(1 if some_missing and not missing_left else 0, last):
            code = tally.codes[i]
            n_left += tally.rows[code]
            for s in range(left.shape[0]):
                left[s] += tally.stats[code, s]
                right[s] -= tally.stats[code, s]
            if code:
                score = branch_mass(left, n_left, rules) + branch_mass(right, n_rows - n_left, rules)
                consider(finds, f, score, code, missing_left, nodes.slack[f], nodes.id[f], column, rules.seed)


@njit(nogil=True, cache=True)
def resolve_counted(
    column, codes, style, lows, highs, entries, chosen, nodes, data, rules, tally, finds, side, meaning
):
    """Say what the chosen splits mean: the search is done once more, now for the branch of every code.

    ``lows`` and ``highs`` are the values of the codes of a numeric column, and empty for any other.
    """
    branch_of = np.zeros(tally.rows.shape[0], np.int32)
    for f in chosen:
        begin(finds, f, column, nodes)
        n = count(codes, entries, nodes.start[f], nodes.stop[f], data, tally)
        search_tally(column, style, f, n, nodes, rules, tally, finds, branch_of)
        stats = meaning.stats[meaning.child_start[f] : meaning.child_start[f + 1]]
        rows = meaning.rows[meaning.child_start[f] : meaning.child_start[f + 1]]
        above = name_branches(style, f, n, tally, finds, branch_of)
        add_branches(n, tally, branch_of, stats, rows)
        place_unseen(style, tally, branch_of, rows)
        for i in range(nodes.start[f], nodes.stop[f]):
            row = entries[i] >> data.bits
            side[row] = branch_of[codes[row]]
        meaning.n_missing[f] = tally.rows[0]
        out = meaning.branch_of[meaning.branch_start[f] : meaning.branch_start[f + 1]]
        if highs.shape[0]:
            out[0], out[1], out[2] = branch_of[0], 0, 1
            meaning.edge[f] = edge_between(finds.cut[f], above, lows, highs)
        else:
            out[:] = branch_of
        empty(tally, n)


@njit(nogil=True, cache=True)
def name_branches(style, f, n, tally, finds, branch_of):
    """Branches of the codes that occur; returns the first code on the right of a cut (0: only missing rows are there)."""
    cut, above = finds.cut[f], 0
    if style == CUT:
        for i in range(n - 1, -1, -1):
            if tally.codes[i] > cut:
                above = tally.codes[i]
        for code in range(1, branch_of.shape[0]):  # an ordered level that does not occur has its place all the same
            branch_of[code] = 1 if code > cut and above else 0
        branch_of[0] = 0 if finds.missing_left[f] else 1
    elif style == ONE_VS_REST:
        for i in range(n):
            branch_of[tally.codes[i]] = 0 if tally.codes[i] == cut else 1
        if finds.missing_left[f]:
            branch_of[0] = 0
    elif style == MULTIWAY:
        for code in range(1, branch_of.shape[0]):
            branch_of[code] = code - 1
        branch_of[0] = cut
    return above


@njit(nogil=True, cache=True)
def add_branches(n, tally, branch_of, stats, rows):
    for i in range(n):
        code = tally.codes[i]
        branch = branch_of[code]
        rows[branch] += tally.rows[code]
        for s in range(stats.shape[1]):
            stats[branch, s] += tally.stats[code, s]


@njit(nogil=True, cache=True)
def place_unseen(style, tally, branch_of, rows):
    """Missing values that did not occur go with most rows; so do levels that did not occur, where they have no place."""
    if tally.rows[0] == 0:
        branch_of[0] = np.argmax(rows)
    if style == MULTIWAY or style == CUT:
        return
    for code in range(1, branch_of.shape[0]):
        if tally.rows[code] == 0:
            branch_of[code] = branch_of[0]
