"""Best cut of a listed column when every row counts once and the criterion is Gini, entropy or squared error.

Masses are kept up to date entry by entry, from a table of 1/x or x·ln x. Where a cut is legal is looked up only where
its score would win. Large nodes are cut into blocks, most of which need not be looked into: Gini and entropy gains are
convex in the counts of the left branch, so within a block no cut scores more than the best corner of the box between
the counts before and after it.

Helpers take arrays and tuples of numbers. A tuple of arrays handed on for every node would cost more than the search
of a small node, since compiled code counts its references.
"""

from typing import NamedTuple

import numpy as np

from treewright.kernels.jit import inlined, kernel, loose
from treewright.kernels.search.mass import GINI
from treewright.kernels.search.scan import count_missing
from treewright.kernels.store_kernels.nodes import NO_SPLIT, begin, end, keep

BLOCK = 64
CHUNK = 512  # cuts whose running sums are at hand at a time
LEAST_FOR_BLOCKS = 512  # entries below which going one by one is as quick
BLOCK_CLASSES = 4  # a box has 2**classes corners, and labels of two bits can be counted by their bits


class Cuts(NamedTuple):
    """The cuts to try: after entries ``first … last-1``, those before ``least`` leaving too few rows on the left."""

    first: int
    least: int
    last: int
    stop: int  # of the node
    n_left: int  # rows on the left before the first
    n_right: int
    to_beat: float  # what a score has to exceed
    slack: float
    tied: bool  # neighbours may have the same code, and no cut between them


@inlined
def cuts_of(start, stop, n_missing, missing_left, min_rows, score, slack, tied):
    """All cuts of a node. With missing rows on the right, 'known or missing' is one: after the last entry."""
    first = start + n_missing
    n_left = n_missing if missing_left else 0
    n_right = stop - start - n_left
    last = min(stop if n_missing and not missing_left else stop - 1, first + n_right - min_rows)
    return Cuts(first, first + min_rows - n_left - 1, last, stop, n_left, n_right, score + slack, slack, tied)


@inlined
def is_legal(entries, codes, bits, i, cuts):
    return not cuts.tied or i + 1 == cuts.stop or codes[entries[i] >> bits] != codes[entries[i + 1] >> bits]


@loose
def search_sorted_numbers(column, entries, codes, has_missing, tied, nodes, data, rules, finds):
    """Best cut of one column at every open node, by squared error: (Σ y)²/n on either side."""
    moment, inverse, min_rows = data.moment, rules.table, rules.min_rows
    sums = np.empty(CHUNK, np.int64)
    for f in range(nodes.start.shape[0]):
        if not begin(finds, f, column, nodes):
            continue
        start, stop, slack, total = nodes.start[f], nodes.stop[f], nodes.slack[f], nodes.totals[f, 1]
        n_missing = count_missing(entries, codes, 0, start, stop) if has_missing else 0
        for missing_left in range(2 if n_missing else 1):
            first, last = start + n_missing, stop if n_missing and not missing_left else stop - 1
            left_from = start if missing_left else first
            last = min(last, stop - start + left_from - min_rows)
            on_left = np.int64(0)
            place = max(first, left_from + min_rows - 1)  # of the first cut that leaves enough rows on the left
            for i in range(left_from, min(place, last)):
                on_left += moment[entries[i]]
            best, cut, to_beat = -np.inf, NO_SPLIT, finds.score[f] + slack
            while place < last:
                chunk = entries[place : min(place + CHUNK, last)]
                n_left = place + 1 - left_from  # rows on the left of the first cut
                for_left = inverse[n_left : n_left + chunk.shape[0]]
                for_right = inverse[stop - start - n_left - chunk.shape[0] + 1 : stop - start - n_left + 1]
                on_left = add_up(chunk, moment, on_left, sums)
                if highest(sums, total, for_left, for_right) > to_beat:
                    for i in range(chunk.shape[0]):
                        score = two_squares(sums[i], total, for_left[i], for_right[chunk.shape[0] - 1 - i])
                        at = place + i
                        if score > to_beat and (
                            not tied or at + 1 == stop or codes[entries[at]] != codes[entries[at + 1]]
                        ):
                            best, cut, to_beat = score, at, score + slack
                place += CHUNK
            if cut != NO_SPLIT:
                keep(finds, f, best, cut, missing_left)
        end(finds, f, column, nodes)


@inlined
def add_up(chunk, moment, before, sums):
    """Running sums of the entries' moments; returns the last."""
    for i in range(chunk.shape[0]):
        before += moment[chunk[i]]
        sums[i] = before
    return before


@inlined
def two_squares(on_left, total, for_left, for_right):
    """(Σ y)²/n of both sides, given 1/n of both."""
    a, b = np.float64(on_left), np.float64(total - on_left)
    return a * a * for_left + b * b * for_right


@inlined
def highest(sums, total, for_left, for_right):
    """The highest score of a chunk of cuts. None is NaN, and knowing that a processor compares several at a time."""
    most, n = -np.inf, for_left.shape[0]
    for i in range(n):
        most = max(most, two_squares(sums[i], total, for_left[i], for_right[n - 1 - i]))
    return most


@kernel
def search_sorted_classes(column, entries, codes, has_missing, tied, nodes, data, rules, finds):
    """Best cut of one column at every open node, by Gini or entropy."""
    n_classes, is_gini = nodes.totals.shape[1], rules.criterion == GINI
    left, right = np.empty(n_classes, np.int64), np.empty(n_classes, np.int64)
    counts, steps = np.empty(n_classes), np.empty(n_classes)
    blocks = np.empty((0, BLOCK_CLASSES), np.int64)
    for f in range(nodes.start.shape[0]):
        if not begin(finds, f, column, nodes):
            continue
        start, stop, slack = nodes.start[f], nodes.stop[f], nodes.slack[f]
        n_missing = count_missing(entries, codes, data.bits, start, stop) if has_missing else 0
        for missing_left in range(2 if n_missing else 1):
            cuts = cuts_of(start, stop, n_missing, missing_left, rules.min_rows, finds.score[f], slack, tied)
            count_sides(entries, start, cuts.first if missing_left else start, data.bits, nodes.totals[f], left, right)
            size = cuts.last - cuts.first
            if size >= LEAST_FOR_BLOCKS and n_classes <= BLOCK_CLASSES:
                if blocks.shape[0] * BLOCK < size + BLOCK:
                    blocks = np.empty((size // BLOCK + 2, BLOCK_CLASSES), np.int64)
                cut, score = best_in_blocks(
                    entries, codes, data.bits, cuts, left, right, counts, steps, blocks, rules.table, is_gini
                )
            elif is_gini:
                cut, score = best_by_gini(entries, codes, data.bits, cuts, left, right, counts, steps, rules.table)
            else:
                cut, score = best_by_entropy(entries, codes, data.bits, cuts, left, right, rules.table)
            if cut != NO_SPLIT:
                keep(finds, f, score, cut, missing_left)
        end(finds, f, column, nodes)


@kernel
def count_sides(entries, start, stop, bits, totals, left, right):
    """The classes of the entries start … stop-1 on the left, all others on the right."""
    labels = (1 << bits) - 1
    for k in range(left.shape[0]):
        left[k] = 0
    for i in range(start, stop):
        left[entries[i] & labels] += 1
    for k in range(left.shape[0]):
        right[k] = totals[k] - left[k]


@kernel
def best_by_gini(entries, codes, bits, cuts, left, right, counts, steps, inverse):
    """Σ a²/n on either side. Moving a row of class k adds 2·a + 1 to the left sum and 1 - 2·b to the right one."""
    labels = (1 << bits) - 1
    on_left, on_right = 0.0, 0.0
    for k in range(left.shape[0]):
        a, b = np.float64(left[k]), np.float64(right[k])
        counts[k] = a
        steps[k] = 2 * (a + b) - 1
        on_left += a * a
        on_right += b * b
    n_left, n_right, to_beat = cuts.n_left, cuts.n_right, cuts.to_beat
    best, cut = -np.inf, NO_SPLIT
    for i in range(cuts.first, cuts.last):
        label = entries[i] & labels
        count = counts[label]
        counts[label] = count + 1
        on_left += count + count + 1
        on_right += count + count - steps[label]
        n_left += 1
        n_right -= 1
        score = on_left * inverse[n_left] + on_right * inverse[n_right]
        if score > to_beat and i >= cuts.least and is_legal(entries, codes, bits, i, cuts):
            best, cut, to_beat = score, i, score + cuts.slack
    return cut, best


@kernel
def best_by_entropy(entries, codes, bits, cuts, left, right, table):
    """Σ a·ln a - n·ln n on either side, from the table; ``left`` and ``right`` are used up."""
    labels = (1 << bits) - 1
    logs = 0.0
    for k in range(left.shape[0]):
        logs += table[left[k]] + table[right[k]]
    n_left, n_right, to_beat = cuts.n_left, cuts.n_right, cuts.to_beat
    best, cut = -np.inf, NO_SPLIT
    for i in range(cuts.first, cuts.last):
        label = entries[i] & labels
        a, b = left[label], right[label]
        left[label] = a + 1
        right[label] = b - 1
        logs += (table[a + 1] - table[a]) + (table[b - 1] - table[b])
        n_left += 1
        n_right -= 1
        score = logs - table[n_left] - table[n_right]
        if score > to_beat and i >= cuts.least and is_legal(entries, codes, bits, i, cuts):
            best, cut, to_beat = score, i, score + cuts.slack
    return cut, best


@kernel
def best_in_blocks(entries, codes, bits, cuts, left, right, counts, steps, blocks, table, is_gini):
    """Try the cuts at the ends of blocks, then look into the blocks whose bound is no worse than the best of these."""
    totals = np.zeros(BLOCK_CLASSES, np.int64)
    for k in range(left.shape[0]):
        totals[k] = left[k] + right[k]
    n_blocks = count_blocks(entries, cuts.first, cuts.last, left, blocks)
    reached = cuts.to_beat - cuts.slack
    for b in range(1, n_blocks + 1):
        score = two_masses(blocks[b, 0], blocks[b, 1], blocks[b, 2], blocks[b, 3], totals, table, is_gini)
        i = min(cuts.first + b * BLOCK, cuts.last) - 1
        if score > reached and i >= cuts.least and is_legal(entries, codes, bits, i, cuts):
            reached = score
    best, cut, to_beat = -np.inf, NO_SPLIT, cuts.to_beat
    for b in range(n_blocks):
        if corner_bound(blocks[b], blocks[b + 1], totals, table, is_gini) < reached - cuts.slack:
            continue
        first, shift = cuts.first + b * BLOCK, b * BLOCK
        last = min(first + BLOCK, cuts.last)
        n_left, n_right = cuts.n_left + shift, cuts.n_right - shift
        inside = Cuts(first, cuts.least, last, cuts.stop, n_left, n_right, to_beat, cuts.slack, cuts.tied)
        for k in range(left.shape[0]):
            left[k] = blocks[b, k]
            right[k] = totals[k] - left[k]
        if is_gini:
            i, score = best_by_gini(entries, codes, bits, inside, left, right, counts, steps, table)
        else:
            i, score = best_by_entropy(entries, codes, bits, inside, left, right, table)
        if i != NO_SPLIT:
            best, cut, to_beat = score, i, score + cuts.slack
    return cut, best


@kernel
def count_blocks(entries, first, last, left, blocks):
    """Counts on the left at the start of every block and after the last; returns the number of blocks.

    Labels have at most two bits (with one, the other belongs to the row and is masked out), and sums of bits are what
    a processor adds up sixteen at a time.
    """
    n_classes = left.shape[0]
    high_bit = 2 if n_classes > 2 else 0
    for k in range(BLOCK_CLASSES):
        blocks[0, k] = left[k] if k < n_classes else 0
    n_blocks = 0
    for start in range(first, last, BLOCK):
        size = min(BLOCK, last - start)
        block = entries[start : start + size]
        low, high, both = 0, 0, 0
        for i in range(size):
            entry = block[i]
            low += entry & 1
            high += (entry & high_bit) >> 1
            both += entry & ((entry & high_bit) >> 1) & 1
        before, after = blocks[n_blocks], blocks[n_blocks + 1]
        after[0] = before[0] + size - low - high + both
        after[1] = before[1] + low - both
        after[2] = before[2] + high - both
        after[3] = before[3] + both
        n_blocks += 1
    return n_blocks


@inlined
def two_masses(a0, a1, a2, a3, totals, table, is_gini):
    """Mass of a left branch with these counts and of the right branch that remains."""
    b0, b1, b2, b3 = totals[0] - a0, totals[1] - a1, totals[2] - a2, totals[3] - a3
    n_left, n_right = a0 + a1 + a2 + a3, b0 + b1 + b2 + b3
    if is_gini:
        on_left = np.float64(a0 * a0 + a1 * a1 + a2 * a2 + a3 * a3)
        on_right = np.float64(b0 * b0 + b1 * b1 + b2 * b2 + b3 * b3)
        return on_left * table[n_left] + on_right * table[n_right]
    logs = table[a0] + table[a1] + table[a2] + table[a3] + table[b0] + table[b1] + table[b2] + table[b3]
    return logs - table[n_left] - table[n_right]


@kernel
def corner_bound(before, after, totals, table, is_gini):
    """The best score of a corner of the box between two rows of left counts."""
    bound = -np.inf
    for which in range(16 if totals[3] else 8 if totals[2] else 4):
        a0 = after[0] if which & 1 else before[0]
        a1 = after[1] if which & 2 else before[1]
        a2 = after[2] if which & 4 else before[2]
        a3 = after[3] if which & 8 else before[3]
        bound = max(bound, two_masses(a0, a1, a2, a3, totals, table, is_gini))
    return bound
