"""Best cut of a column listed in sorted order: one pass over the entries of each node, missing rows tried both ways.

The rows of a node stand as ``[missing …, known in ascending order …]``; a cut after entry ``i`` is legal where the code
changes. This is the general pass, for any criterion and weights; ``unweighted_cuts.py`` is faster in the common cases.
"""

import numpy as np

from treewright.kernels.jit import inlined, kernel
from treewright.kernels.random_numbers import hashed
from treewright.kernels.search.mass import branch_mass
from treewright.kernels.store_kernels.nodes import begin, end, keep


@inlined
def count_missing(entries, codes, bits, start, stop):
    i = start
    while i < stop and codes[entries[i] >> bits] == 0:
        i += 1
    return i - start


@inlined
def consider(finds, f, score, cut, missing_left, slack, node, column, seed):
    """Keep a split that scores better; among equals draw one at random if asked to."""
    if score > -np.inf and score >= finds.score[f] - slack:
        take(finds, f, score, cut, missing_left, slack, node, column, seed)


@kernel
def take(finds, f, score, cut, missing_left, slack, node, column, seed):
    """Apart from the test above, so that what is rare is compiled once and not wherever a split is considered."""
    if score > finds.score[f] + slack:
        keep(finds, f, score, cut, missing_left)
    elif seed >= 0:
        finds.ties[f] += 1
        place = 2 * cut + missing_left
        if hashed(seed, node, column, place) % np.uint64(finds.ties[f]) == 0:
            finds.cut[f] = cut
            finds.missing_left[f] = missing_left


@kernel
def search_sorted(column, entries, codes, has_missing, tied, nodes, data, rules, finds):
    """Best cut of one column at every open node, the masses computed afresh at every legal cut."""
    bits = data.bits
    left, right = np.empty(nodes.totals.shape[1], np.int64), np.empty(nodes.totals.shape[1], np.int64)
    for f in range(nodes.start.shape[0]):
        if not begin(finds, f, column, nodes):
            continue
        start, stop = nodes.start[f], nodes.stop[f]
        n_missing = count_missing(entries, codes, bits, start, stop) if has_missing else 0
        first = start + n_missing
        for missing_left in range(2 if n_missing else 1):
            for s in range(left.shape[0]):
                left[s] = 0
                right[s] = nodes.totals[f, s]
            if missing_left:
                move(entries, start, first, bits, data.weight, data.moment, data.square, left, right)
            before = n_missing if missing_left else 0
            # with missing rows on the right, 'known or missing' is a cut as well: one after the last entry
            last = stop if n_missing and not missing_left else stop - 1
            code = codes[entries[first] >> bits] if first < last else 0
            for i in range(first, last):
                move(entries, i, i + 1, bits, data.weight, data.moment, data.square, left, right)
                next_code = codes[entries[i + 1] >> bits] if i + 1 < stop else 0
                if code != next_code:
                    n_left = before + i + 1 - first
                    score = branch_mass(left, n_left, rules) + branch_mass(right, stop - start - n_left, rules)
                    consider(finds, f, score, i, missing_left, nodes.slack[f], nodes.id[f], column, rules.seed)
                code = next_code
        end(finds, f, column, nodes)


@kernel
def move(entries, start, stop, bits, weights, moment, square, left, right):
    """Move the rows of entries[start:stop] from the right to the left."""
    for i in range(start, stop):
        row = entries[i] >> bits
        weight = weights[row] if weights.shape[0] else np.int64(1)
        if moment.shape[0]:
            left[0] += weight
            left[1] += moment[row]
            left[2] += square[row]
            right[0] -= weight
            right[1] -= moment[row]
            right[2] -= square[row]
        else:
            label = entries[i] & ((1 << bits) - 1)
            left[label] += weight
            right[label] -= weight
