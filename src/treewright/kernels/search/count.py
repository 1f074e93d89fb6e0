"""Columns with few codes: count the codes of a node, then search the table of counts. Here ordered columns, by cuts.

``tally.stats[code]`` and ``tally.rows[code]`` are the table of one node; ``tally.codes[:n]`` lists the codes that
occur, ascending, so that a small node costs no more than its own rows. Missing (code 0), when it occurs, is the first.

Loops are written out where a slice could be assigned: compiling slices takes longer than all the rest.
"""

from typing import NamedTuple

import numpy as np

from treewright.kernels.jit import borrowing, kernel
from treewright.kernels.search.mass import branch_mass
from treewright.kernels.search.scan import consider
from treewright.kernels.store_kernels.nodes import begin, end


class CodeCounts(NamedTuple):
    """The table of one node, emptied after use rather than before."""

    stats: np.ndarray  # (n_codes, n_stats) int64
    rows: np.ndarray  # (n_codes,) int64
    codes: np.ndarray  # (n_codes,) int64


def new_tally(n_codes: int, n_stats: int) -> CodeCounts:
    return CodeCounts(np.zeros((n_codes, n_stats), np.int64), np.zeros(n_codes, np.int64), np.zeros(n_codes, np.int64))


NO_CODE = np.int64(1 << 62)  # above all codes


@kernel
def count(codes, entries, start, stop, data, tally):
    """Fill the tally with a node's rows; returns how many codes occur."""
    labels = (1 << data.bits) - 1
    weighted = data.weight.shape[0] > 0
    numeric = data.moment.shape[0] > 0
    if not weighted and not numeric and stop - start > 2 * tally.rows.shape[0]:
        return count_rows(codes, entries, start, stop, data.bits, tally)
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
    sort_codes(tally.codes, tally.rows, n)
    return n


@borrowing
def count_rows(codes, entries, start, stop, bits, tally):
    """The same of many rows that weigh the same: the rows of a code are those of its classes, added up at the end."""
    labels, n = (1 << bits) - 1, 0
    for i in range(start, stop):
        entry = entries[i]
        tally.stats[codes[entry >> bits], entry & labels] += 1
    for code in range(tally.rows.shape[0]):
        rows = np.int64(0)
        for s in range(tally.stats.shape[1]):
            rows += tally.stats[code, s]
        if rows > 0:
            tally.rows[code], tally.codes[n] = rows, code
            n += 1
    return n


@borrowing
def sort_codes(occurring, rows, n):
    if n > 24:  # a walk over all codes beats sorting many
        n = 0
        for code in range(rows.shape[0]):
            if rows[code] > 0:
                occurring[n] = code
                n += 1
        return
    for i in range(1, n):
        code = occurring[i]
        j = i
        while j > 0 and occurring[j - 1] > code:
            occurring[j] = occurring[j - 1]
            j -= 1
        occurring[j] = code


@kernel
def empty(tally, n):
    for i in range(n):
        code = tally.codes[i]
        tally.rows[code] = 0
        for s in range(tally.stats.shape[1]):
            tally.stats[code, s] = 0


@kernel
def count_cells(codes, entries, start, stop, data, tally, first, cell_codes, cell_rows, cell_stats):
    """The cells of a column at every node, end to end: those of node f begin at ``first[f]``. Returns how many."""
    n_cells = 0
    for f in range(start.shape[0]):
        first[f] = n_cells
        n = count(codes, entries, start[f], stop[f], data, tally)
        for i in range(n):
            code = tally.codes[i]
            cell_codes[n_cells], cell_rows[n_cells] = code, tally.rows[code]
            for s in range(cell_stats.shape[1]):
                cell_stats[n_cells, s] = tally.stats[code, s]
            n_cells += 1
        empty(tally, n)
    first[start.shape[0]] = n_cells
    return n_cells


@kernel
def list_cells(codes, entries, start, stop, data, first, cell_codes, cell_rows, cell_stats):
    """The same of a column whose entries are in the order of its codes."""
    labels, n = (1 << data.bits) - 1, -1
    for f in range(start.shape[0]):
        first[f] = n + 1
        for i in range(start[f], stop[f]):
            row = entries[i] >> data.bits
            weight = data.weight[row] if data.weight.shape[0] else np.int64(1)
            if i == start[f] or codes[row] != cell_codes[n]:
                n += 1
                cell_codes[n], cell_rows[n] = codes[row], 0
                for s in range(cell_stats.shape[1]):
                    cell_stats[n, s] = 0
            cell_rows[n] += 1
            if data.moment.shape[0]:
                cell_stats[n, 0] += weight
                cell_stats[n, 1] += data.moment[row]
                cell_stats[n, 2] += data.square[row]
            else:
                cell_stats[n, entries[i] & labels] += weight
    first[start.shape[0]] = n + 1
    return n + 1


@kernel
def codes_above(codes, entries, chosen, nodes, data, cut, above, n_missing):
    """Of the chosen nodes the lowest code above the cut, 0 where there is none, and how many rows are missing."""
    for c in range(chosen.shape[0]):
        f, edge, lowest, missing = chosen[c], cut[c], NO_CODE, 0
        for i in range(nodes.start[f], nodes.stop[f]):
            code = np.int64(codes[entries[i] >> data.bits])
            missing += code == 0
            lowest = min(lowest, code if code > edge else NO_CODE)  # without a jump that cannot be foreseen
        above[c], n_missing[c] = lowest if lowest < NO_CODE else 0, missing


@kernel
def search_cuts(column, codes, entries, nodes, data, rules, tally, finds):
    """Best cut of one ordered column at every open node; ``cut`` is the last code on the left."""
    left = np.empty(nodes.totals.shape[1], np.int64)
    right = np.empty(nodes.totals.shape[1], np.int64)
    for f in range(nodes.start.shape[0]):
        if begin(finds, f, column, nodes):
            n = count(codes, entries, nodes.start[f], nodes.stop[f], data, tally)
            search_tally(column, f, n, left, right, nodes, rules, tally, finds)
            empty(tally, n)
            end(finds, f, column, nodes)


@kernel
def search_tally(column, f, n, left, right, nodes, rules, tally, finds):
    """Cuts between neighbouring codes, with missing rows on the right and, if there are any, on the left."""
    n_rows = nodes.stop[f] - nodes.start[f]
    some_missing = n > 0 and tally.codes[0] == 0
    for missing_left in range(2 if some_missing else 1):
        for s in range(left.shape[0]):
            left[s] = 0
            right[s] = nodes.totals[f, s]
        n_left = 0
        # with missing rows on the right, 'known or missing' is a cut as well: one after the last code
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
