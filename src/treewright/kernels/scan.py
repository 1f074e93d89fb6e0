"""Best cut of a column listed in sorted order: one pass over the entries of each node, missing rows tried both ways.

The rows of a node stand as ``[missing …, known in ascending order …]``. A cut after entry ``i`` is legal where the
code changes, which is looked up only where the score would improve.
"""

import numpy as np
from numba import njit

from treewright.kernels.mass import GINI, POISSON, branch_mass, poisson_mass
from treewright.kernels.nodes import clear, keep
from treewright.kernels.rng import hashed


@njit(nogil=True, cache=True, inline="always")
def count_missing(entries, codes, bits, start, stop):
    i = start
    while i < stop and codes[entries[i] >> bits] == 0:
        i += 1
    return i - start


@njit(nogil=True, cache=True, inline="always")
def consider(finds, f, score, cut, missing_left, slack, node, column, seed):
    """Keep a split that scores better; among equals draw one at random if asked to."""
    if score > finds.score[f] + slack:
        keep(finds, f, score, cut, missing_left)
    elif seed >= 0 and score > -np.inf and score >= finds.score[f] - slack:
        finds.ties[f] += 1
        place = 2 * cut + missing_left
        if hashed(seed, node, column, place) % np.uint64(finds.ties[f]) == 0:
            finds.cut[f] = cut
            finds.missing_left[f] = missing_left


@njit(nogil=True, cache=True)
def search_listed_counts(column, entries, codes, has_missing, nodes, data, rules, finds):
    """Gini or entropy, every row counting once: both masses are kept up to date entry by entry."""
    n_classes = nodes.totals.shape[1]
    left = np.empty(n_classes, np.int64)
    right = np.empty(n_classes, np.int64)
    for f in range(nodes.start.shape[0]):
        clear(finds, f)
        start, stop = nodes.start[f], nodes.stop[f]
        n_missing = count_missing(entries, codes, data.bits, start, stop) if has_missing else 0
        for missing_left in range(2 if n_missing else 1):
            left[:] = 0
            if missing_left:
                count_labels(entries, data.bits, start, start + n_missing, left)
            for k in range(n_classes):
                right[k] = nodes.totals[f, k] - left[k]
            scan_counts(column, entries, codes, start, n_missing, stop, missing_left, left, right, f, nodes, data, rules, finds)


@njit(nogil=True, cache=True)
def count_labels(entries, bits, start, stop, counts):
    labels = (1 << bits) - 1
    for i in range(start, stop):
        counts[entries[i] & labels] += 1


@njit(nogil=True, cache=True)
def scan_counts(column, entries, codes, start, n_missing, stop, missing_left, left, right, f, nodes, data, rules, finds):
    bits, table, slack = data.bits, rules.table, nodes.slack[f]
    labels = entries.dtype.type((1 << bits) - 1)
    is_gini = rules.criterion == GINI
    n_rows = stop - start
    before = n_missing if missing_left else 0  # rows already on the left
    first = start + n_missing
    threshold = finds.score[f] + slack if rules.seed < 0 else finds.score[f] - slack
    # sum over classes of count² (Gini) or count·ln count (entropy), on either side
    on_left, on_right = 0.0, 0.0
    for k in range(left.shape[0]):
        if is_gini:
            on_left += np.float64(left[k]) * left[k]
            on_right += np.float64(right[k]) * right[k]
        else:
            on_left += table[left[k]]
            on_right += table[right[k]]
    # with missing rows on the right, 'known or missing' is a cut as well: one after the last entry
    last = stop if n_missing and not missing_left else stop - 1
    for i in range(first, last):
        entry = entries[i]
        label = entry & labels
        a, b = left[label], right[label]
        left[label] = a + 1
        right[label] = b - 1
        n_left = i - first + 1 + before
        n_right = n_rows - n_left
        if is_gini:
            on_left += 2 * a + 1
            on_right -= 2 * b - 1
            score = on_left / n_left + on_right / n_right
        else:
            on_left += table[a + 1] - table[a]
            on_right += table[b - 1] - table[b]
            score = on_left - table[n_left] + on_right - table[n_right]
        if score > threshold and n_left >= rules.min_rows and n_right >= rules.min_rows:
            if i + 1 == stop or codes[entry >> bits] != codes[entries[i + 1] >> bits]:
                consider(finds, f, score, i, missing_left, slack, nodes.id[f], column, rules.seed)
                threshold = finds.score[f] + slack if rules.seed < 0 else finds.score[f] - slack


@njit(nogil=True, cache=True)
def search_listed_classes(column, entries, codes, has_missing, nodes, data, rules, finds):
    """Any class criterion, rows of any weight: the masses are computed afresh at every cut."""
    n_classes = nodes.totals.shape[1]
    left = np.empty(n_classes, np.int64)
    right = np.empty(n_classes, np.int64)
    labels = (1 << data.bits) - 1
    for f in range(nodes.start.shape[0]):
        clear(finds, f)
        start, stop, slack = nodes.start[f], nodes.stop[f], nodes.slack[f]
        n_missing = count_missing(entries, codes, data.bits, start, stop) if has_missing else 0
        first = start + n_missing
        for missing_left in range(2 if n_missing else 1):
            left[:] = 0
            right[:] = nodes.totals[f]
            before = n_missing if missing_left else 0
            for i in range(start if missing_left else first, stop if n_missing and not missing_left else stop - 1):
                entry = entries[i]
                weight = data.weight[entry >> data.bits] if data.weight.shape[0] else 1
                left[entry & labels] += weight
                right[entry & labels] -= weight
                n_left = i - first + 1 + before
                if i < first:
                    continue
                if i + 1 == stop or codes[entry >> data.bits] != codes[entries[i + 1] >> data.bits]:
                    score = branch_mass(left, n_left, rules) + branch_mass(right, stop - start - n_left, rules)
                    consider(finds, f, score, i, missing_left, slack, nodes.id[f], column, rules.seed)


@njit(nogil=True, cache=True)
def search_listed_moments(column, entries, codes, has_missing, nodes, data, rules, finds):
    """Squared error or Poisson deviance of a numeric target."""
    is_poisson = rules.criterion == POISSON
    weighted = data.weight.shape[0] > 0
    for f in range(nodes.start.shape[0]):
        clear(finds, f)
        start, stop, slack = nodes.start[f], nodes.stop[f], nodes.slack[f]
        n_missing = count_missing(entries, codes, 0, start, stop) if has_missing else 0
        first = start + n_missing
        for missing_left in range(2 if n_missing else 1):
            left_w, left_s = np.int64(0), np.int64(0)
            right_w, right_s = nodes.totals[f, 0], nodes.totals[f, 1]
            before = n_missing if missing_left else 0
            threshold = finds.score[f] + slack if rules.seed < 0 else finds.score[f] - slack
            for i in range(start if missing_left else first, stop if n_missing and not missing_left else stop - 1):
                row = entries[i]
                weight = data.weight[row] if weighted else np.int64(1)
                moment = data.moment[row]
                left_w += weight
                left_s += moment
                right_w -= weight
                right_s -= moment
                if i < first:
                    continue
                if is_poisson:
                    score = poisson_mass(left_w, left_s) + poisson_mass(right_w, right_s)
                else:
                    a, b = np.float64(left_s), np.float64(right_s)
                    score = a * a / left_w + b * b / right_w
                n_left = i - first + 1 + before
                if score > threshold and min(n_left, stop - start - n_left) >= rules.min_rows:
                    if min(left_w, right_w) < rules.min_weight:
                        continue
                    if i + 1 == stop or codes[row] != codes[entries[i + 1]]:
                        consider(finds, f, score, i, missing_left, slack, nodes.id[f], column, rules.seed)
                        threshold = finds.score[f] + slack if rules.seed < 0 else finds.score[f] - slack


@njit(nogil=True, cache=True)
def resolve_listed(entries, codes, has_missing, chosen, cut, missing_left, nodes, data, side, meaning):
    """Say what the chosen cuts mean; ``chosen`` picks open nodes."""
    for f in chosen:
        start, stop = nodes.start[f], nodes.stop[f]
        n_missing = count_missing(entries, codes, data.bits, start, stop) if has_missing else 0
        first = start + n_missing
        left_from = start if missing_left[f] else first
        child = meaning.child_start[f]
        add_up(entries, left_from, cut[f] + 1, data, meaning.stats[child])
        for s in range(meaning.stats.shape[1]):
            meaning.stats[child + 1, s] = nodes.totals[f, s] - meaning.stats[child, s]
        meaning.rows[child] = cut[f] + 1 - left_from
        meaning.rows[child + 1] = stop - start - meaning.rows[child]
        for i in range(start, stop):
            on_left = missing_left[f] == 1 if i < first else i <= cut[f]
            side[entries[i] >> data.bits] = 0 if on_left else 1
        goes_left = missing_left[f] == 1 if n_missing else meaning.rows[child] >= meaning.rows[child + 1]
        branch = meaning.branch_start[f]
        meaning.branch_of[branch], meaning.branch_of[branch + 1], meaning.branch_of[branch + 2] = 0 if goes_left else 1, 0, 1
        meaning.n_missing[f] = n_missing
        meaning.codes_at[f, 0] = codes[entries[cut[f]] >> data.bits]
        meaning.codes_at[f, 1] = codes[entries[cut[f] + 1] >> data.bits] if cut[f] + 1 < stop else 0


@njit(nogil=True, cache=True)
def add_up(entries, start, stop, data, stats):
    """Add the rows of entries[start:stop] to a row of statistics."""
    labels = (1 << data.bits) - 1
    for i in range(start, stop):
        row = entries[i] >> data.bits
        weight = data.weight[row] if data.weight.shape[0] else 1
        if data.moment.shape[0]:
            stats[0] += weight
            stats[1] += data.moment[row]
            stats[2] += data.square[row]
        else:
            stats[entries[i] & labels] += weight
