"""Nominal columns: one branch per level, one level against the rest, or two subsets of the levels."""

import numpy as np

from treewright.kernels.jit import borrowing, inlined, kernel
from treewright.kernels.search.count import count, empty
from treewright.kernels.search.mass import MISCLASSIFICATION, branch_mass, is_numeric, mass
from treewright.kernels.search.scan import consider
from treewright.kernels.store_kernels.nodes import begin, end

# Up to this many levels all subsets are tried when there are more than two classes.
EXHAUSTIVE_LEVELS = 10
FEW_LEVELS = 24  # sorted by insertion
MULTIWAY, ONE_VS_REST, SUBSET = range(3)


@kernel
def search_multiway(column, codes, entries, nodes, data, rules, tally, finds):
    """One branch per level, at every open node; ``cut`` is the branch that takes the missing rows."""
    joined = np.empty(nodes.totals.shape[1], np.int64)
    for f in range(nodes.start.shape[0]):
        if begin(finds, f, column, nodes):
            n = count(codes, entries, nodes.start[f], nodes.stop[f], data, tally)
            one_branch_each(f, n, joined, nodes, rules, tally, finds)
            empty(tally, n)
            end(finds, f, column, nodes)


@kernel
def search_one_vs_rest(column, codes, entries, nodes, data, rules, tally, finds):
    """One level against all others, at every open node; ``cut`` is its code (0: missing against known)."""
    alone = np.empty(nodes.totals.shape[1], np.int64)
    rest = np.empty(nodes.totals.shape[1], np.int64)
    for f in range(nodes.start.shape[0]):
        if begin(finds, f, column, nodes):
            n = count(codes, entries, nodes.start[f], nodes.stop[f], data, tally)
            each_against_rest(column, f, n, alone, rest, nodes, rules, tally, finds)
            empty(tally, n)
            end(finds, f, column, nodes)


@kernel
def search_subsets(column, codes, entries, nodes, data, rules, tally, finds):
    """Two subsets of the levels, at every open node; for ``cut`` see ``two_subsets``."""
    left = np.empty(nodes.totals.shape[1], np.int64)
    right = np.empty(nodes.totals.shape[1], np.int64)
    for f in range(nodes.start.shape[0]):
        if begin(finds, f, column, nodes):
            n = count(codes, entries, nodes.start[f], nodes.stop[f], data, tally)
            two_subsets(column, f, n, left, right, nodes, rules, tally, finds)
            empty(tally, n)
            end(finds, f, column, nodes)


@kernel
def one_branch_each(f, n, joined, nodes, rules, tally, finds):
    """One branch per level; ``cut`` is the branch that takes the missing rows: the one that scores best with them."""
    n_missing = tally.rows[0]
    first = 1 if n_missing else 0
    if n - first < 2:
        return
    total = 0.0
    n_short, short = 0, 0  # branches that may not stand by themselves: missing rows can make up for one
    for i in range(first, n):
        code = tally.codes[i]
        alone = branch_mass(tally.stats[code], tally.rows[code], rules)
        if alone == -np.inf:
            n_short, short = n_short + 1, code
        else:
            total += alone
    if n_short > 1:
        return
    for i in range(first, n if n_missing else first + 1):
        code = short if n_short else tally.codes[i]
        for s in range(joined.shape[0]):
            joined[s] = tally.stats[code, s] + tally.stats[0, s]
        score = total + branch_mass(joined, tally.rows[code] + n_missing, rules)
        if not n_short:
            score -= mass(tally.stats[code], rules.criterion, rules.table)
        consider(finds, f, score, code - 1, 0, nodes.slack[f], nodes.id[f], 0, -1)


@kernel
def each_against_rest(column, f, n, alone, rest, nodes, rules, tally, finds):
    """Each level against all others, missing rows on either side; ``cut`` is its code (0: missing against known)."""
    n_rows = nodes.stop[f] - nodes.start[f]
    n_missing = tally.rows[0]
    for i in range(n if n > 2 else 1):  # of two groups, one against the other says it all
        code = tally.codes[i]
        for missing_left in range(2 if n_missing and code and n > 2 else 1):
            n_alone = tally.rows[code] + (n_missing if missing_left else 0)
            for s in range(rest.shape[0]):
                alone[s] = tally.stats[code, s] + (tally.stats[0, s] if missing_left else 0)
                rest[s] = nodes.totals[f, s] - alone[s]
            score = branch_mass(alone, n_alone, rules) + branch_mass(rest, n_rows - n_alone, rules)
            consider(finds, f, score, code, missing_left, nodes.slack[f], nodes.id[f], column, rules.seed)


@kernel
def two_subsets(column, f, n, left, right, nodes, rules, tally, finds):
    """Two subsets of the levels, missing being one more level.

    Two classes and numeric targets: the best subset is a cut of the levels ordered by their mean (Breiman et al.
    1984, theorem 4.5), so only those are tried (with a least number of rows in a branch the best of these may not be
    the best of all). More classes, or the plain error rate: all subsets of up to EXHAUSTIVE_LEVELS levels; beyond that
    the levels are ordered by the share of each class in turn, and the cuts between different shares are tried, from the
    largest down: so the names of levels do not matter.

    ``cut`` is the subset on the left as bits, one for each level that occurs, or k·n + i for the first i + 1 of n
    levels in the order of class k.
    """
    if n < 2:
        return
    n_classes = nodes.totals.shape[1]
    numeric = is_numeric(rules.criterion)
    one_order = numeric or (n_classes == 2 and rules.criterion != MISCLASSIFICATION)
    if not one_order and n <= EXHAUSTIVE_LEVELS:
        all_subsets(column, f, n, left, right, nodes, rules, tally, finds)
        return
    for k in range(1 if one_order else 0, 2 if one_order else n_classes):
        if one_order or nodes.totals[f, k] > 0:  # known values may all be of the other of two classes
            cuts_of_order(column, k, one_order, numeric, f, n, left, right, nodes, rules, tally, finds)


@kernel
def cuts_of_order(column, k, one_order, numeric, f, n, left, right, nodes, rules, tally, finds):
    """Cuts of the levels ordered by the mean target, or by the share of class k: all of them where it is the one order,
    else from the top down between levels of different share."""
    order, keys = order_by_share(k, numeric, n, left.shape[0], tally)
    for s in range(left.shape[0]):
        left[s] = 0 if one_order else nodes.totals[f, s]
        right[s] = nodes.totals[f, s] if one_order else 0
    n_rows = nodes.stop[f] - nodes.start[f]
    n_left = 0 if one_order else n_rows
    sign = 1 if one_order else -1
    for step in range(n - 1):
        i = step if one_order else n - 2 - step
        code = tally.codes[order[i if one_order else i + 1]]
        n_left += sign * tally.rows[code]
        for s in range(left.shape[0]):
            left[s] += sign * tally.stats[code, s]
            right[s] -= sign * tally.stats[code, s]
        if not one_order and keys[order[i]] == keys[order[i + 1]]:
            continue
        score = branch_mass(left, n_left, rules) + branch_mass(right, n_rows - n_left, rules)
        consider(finds, f, score, k * n + i, 0, nodes.slack[f], nodes.id[f], column, rules.seed)


@kernel
def order_by_share(k, numeric, n, n_stats, tally):
    """Places of levels in ``tally.codes`` by the share of class k or by mean, equal ones by code; and the shares."""
    keys = np.empty(n, np.float64)
    for i in range(n):
        weight = 0
        for s in range(1 if numeric else n_stats):
            weight += tally.stats[tally.codes[i], s]
        keys[i] = tally.stats[tally.codes[i], k] / weight if weight else 0.0  # parts of rows may weigh nothing
    order = np.arange(n)
    sort_by(keys, order)
    return order, keys


@borrowing
def sort_by(keys, order):
    """Sort ``order`` by key, then by itself: few by insertion, many by a heap, because NumPy's sort takes a second to
    compile."""
    n = order.shape[0]
    if n <= FEW_LEVELS:
        for i in range(1, n):
            here, place = order[i], i
            while place > 0 and comes_before(keys, here, order[place - 1]):
                order[place] = order[place - 1]
                place -= 1
            order[place] = here
        return
    for step in range(2 * n - 1, 0, -1):  # first half of the steps builds the heap, second half takes from it
        root = step - n
        if root < 0:
            order[0], order[step] = order[step], order[0]
            root = 0
        size = min(n, step)
        while 2 * root + 1 < size:
            child = 2 * root + 1
            if child + 1 < size and comes_before(keys, order[child], order[child + 1]):
                child += 1
            if not comes_before(keys, order[root], order[child]):
                break
            order[root], order[child] = order[child], order[root]
            root = child


@inlined
def comes_before(keys, a, b):
    return keys[a] < keys[b] or (keys[a] == keys[b] and a < b)


@kernel
def all_subsets(column, f, n, left, right, nodes, rules, tally, finds):
    """Every way to cut the levels in two, walked in Gray code order: one level changes sides at each step."""
    for s in range(left.shape[0]):
        left[s] = 0
        right[s] = nodes.totals[f, s]
    n_rows = nodes.stop[f] - nodes.start[f]
    n_left = 0
    subset = 0
    for step in range(1, 1 << (n - 1)):
        level = 0
        while not (step >> level) & 1:
            level += 1
        subset ^= 1 << level
        code = tally.codes[level]
        sign = 1 if (subset >> level) & 1 else -1
        n_left += sign * tally.rows[code]
        for s in range(left.shape[0]):
            left[s] += sign * tally.stats[code, s]
            right[s] -= sign * tally.stats[code, s]
        score = branch_mass(left, n_left, rules) + branch_mass(right, n_rows - n_left, rules)
        consider(finds, f, score, subset, 0, nodes.slack[f], nodes.id[f], column, rules.seed)


@kernel
def lay_out_levels(style, by_bits, codes, entries, chosen, nodes, data, tally, finds, branch_of):
    """The branch of every level that occurs at the chosen nodes, and of missing values where there are some.

    What does not occur keeps what stands there, but for known against missing: then all levels are on the left.
    """
    numeric = data.moment.shape[0] > 0
    for c in range(chosen.shape[0]):
        f, out = chosen[c], branch_of[c]
        n = count(codes, entries, nodes.start[f], nodes.stop[f], data, tally)
        cut = finds.cut[f]
        if style == MULTIWAY:
            if tally.rows[0] > 0:
                out[0] = cut
        elif style == ONE_VS_REST:
            for i in range(n):
                out[tally.codes[i]] = 0 if tally.codes[i] == cut else 1
            if cut == 0:
                out[:] = 0
                out[0] = 1
            elif tally.rows[0] > 0 and finds.missing_left[f]:
                out[0] = 0
        elif by_bits and n <= EXHAUSTIVE_LEVELS:
            for i in range(n):
                out[tally.codes[i]] = 0 if (cut >> i) & 1 else 1
        else:
            order, _ = order_by_share(cut // n, numeric, n, nodes.totals.shape[1], tally)
            for i in range(n):
                out[tally.codes[order[i]]] = 0 if i <= cut % n else 1
        empty(tally, n)
