"""Best splits by absolute error: the score of a split is minus the distances of its branches from their medians.

Every search puts the rows of a node into the order of a column, by rank of y (see medians.py), and takes them out from
either end: then the distance on the left and on the right of every cut is known.
"""

import numpy as np

from treewright.kernels.jit import kernel
from treewright.kernels.search.count import count, empty
from treewright.kernels.search.levels import sort_by
from treewright.kernels.search.medians import (
    change_tree,
    distance,
    empty_tree,
    fill_tree,
    sorted_distance,
    sweep_units,
    sweep_weights,
)
from treewright.kernels.search.scan import consider
from treewright.kernels.store_kernels.nodes import begin, end


@kernel
def search_sorted_medians(column, entries, codes, nodes, ranked, rules, room, finds):
    """Best cut of a column listed in sorted order, at every open node; ``cut`` is the last entry on the left."""
    for f in range(nodes.start.shape[0]):
        if begin(finds, f, column, nodes):
            start, stop = nodes.start[f], nodes.stop[f]
            for i in range(start, stop):
                row = entries[i]
                room.ranks[i - start] = ranked.rank[row]
                room.codes[i - start] = codes[row]
            best_cut(column, f, start, False, nodes, ranked, rules, room, finds)
            end(finds, f, column, nodes)


@kernel
def search_histogram_medians(column, codes, by_value, nodes, data, ranked, rules, tally, room, finds):
    """Best cut of an ordered column of few codes, at every open node; ``cut`` is the last code on the left."""
    place = np.empty(tally.rows.shape[0], np.int64)
    for f in range(nodes.start.shape[0]):
        if begin(finds, f, column, nodes):
            n = count(codes, by_value, nodes.start[f], nodes.stop[f], data, tally)
            order_by_code(f, n, codes, by_value, nodes, ranked, tally, place, room)
            empty(tally, n)
            best_cut(column, f, 0, True, nodes, ranked, rules, room, finds)
            end(finds, f, column, nodes)


@kernel
def search_ranked_levels(column, codes, by_value, nodes, data, ranked, rules, tally, room, finds):
    """Two subsets of the levels, at every open node: cuts of the levels in the order of their medians.

    The best subset need not be such a cut, as it is for squared error: this is a heuristic. Missing is one more level.
    ``cut`` is how many levels, in this order, are on the left.
    """
    place = np.empty(tally.rows.shape[0], np.int64)
    for f in range(nodes.start.shape[0]):
        if begin(finds, f, column, nodes):
            n = count(codes, by_value, nodes.start[f], nodes.stop[f], data, tally)
            order_by_code(f, n, codes, by_value, nodes, ranked, tally, place, room)
            put_in_order(f, n, level_order(f, n, nodes, ranked, tally, room), nodes, tally, room)
            empty(tally, n)
            best_cut(column, f, 0, True, nodes, ranked, rules, room, finds)
            end(finds, f, column, nodes)


@kernel
def search_levels_medians(column, one_vs_rest, codes, by_value, nodes, data, ranked, rules, tally, room, finds):
    """One branch per level (``cut`` is the branch that takes missing rows), or one level against all others."""
    place = np.empty(tally.rows.shape[0], np.int64)
    for f in range(nodes.start.shape[0]):
        if begin(finds, f, column, nodes):
            n = count(codes, by_value, nodes.start[f], nodes.stop[f], data, tally)
            order_by_code(f, n, codes, by_value, nodes, ranked, tally, place, room)
            if one_vs_rest:
                each_against_rest(column, f, n, nodes, ranked, rules, tally, room, finds)
            else:
                one_branch_each(f, n, nodes, ranked, rules, tally, room, finds)
            empty(tally, n)
            end(finds, f, column, nodes)


@kernel
def ranked_subsets(codes, by_value, chosen, nodes, data, ranked, tally, room, finds, branch_of):
    """The branch of every level that occurs at the chosen nodes; the levels are put in order once more."""
    place = np.empty(tally.rows.shape[0], np.int64)
    for i in range(chosen.shape[0]):
        f = chosen[i]
        n = count(codes, by_value, nodes.start[f], nodes.stop[f], data, tally)
        order_by_code(f, n, codes, by_value, nodes, ranked, tally, place, room)
        order = level_order(f, n, nodes, ranked, tally, room)
        for k in range(n):
            branch_of[i, tally.codes[order[k]]] = 0 if k < finds.cut[f] else 1
        empty(tally, n)


@kernel
def order_by_code(f, n, codes, by_value, nodes, ranked, tally, place, room):
    """Ranks by code, rising within a code; missing rows, code 0, come first."""
    before = 0
    for k in range(n):
        place[tally.codes[k]] = before
        before += tally.rows[tally.codes[k]]
    for i in range(nodes.start[f], nodes.stop[f]):
        row = by_value[i]
        code = codes[row]
        room.ranks[place[code]] = ranked.rank[row]
        room.codes[place[code]] = code
        place[code] += 1


@kernel
def level_order(f, n, nodes, ranked, tally, room):
    """Places of the levels in ``tally.codes`` by median, those of equal medians by mean, then by code."""
    base = ranked.base[f]
    weight = ranked.weight[base:] if ranked.weight.shape[0] else ranked.weight
    mean, median, start = np.empty(n), np.empty(n), 0
    by_mean, by_median, order = np.arange(n), np.arange(n), np.empty(n, np.int64)
    for k in range(n):
        mean[k] = tally.stats[tally.codes[k], 1] / tally.stats[tally.codes[k], 0]
    sort_by(mean, by_mean)
    for k in range(n):
        stop = start + tally.rows[tally.codes[k]]
        median[k] = sorted_distance(room.ranks, start, stop, weight, ranked.moment[base:], ranked.y[base:])[1]
        start = stop
    for k in range(n):
        mean[k] = median[by_mean[k]]
    sort_by(mean, by_median)  # of equals the first: the one of the lower mean
    for k in range(n):
        order[k] = by_mean[by_median[k]]
    return order


@kernel
def put_in_order(f, n, order, nodes, tally, room):
    """Ranks by the place of their level, which is written in place of the code, counted from 1."""
    n_rows = nodes.stop[f] - nodes.start[f]
    start, begins = 0, np.empty(n, np.int64)
    for k in range(n):
        begins[k] = start
        start += tally.rows[tally.codes[k]]
    for i in range(n_rows):
        room.before[i] = room.ranks[i]
    start = 0
    for k in range(n):
        level = order[k]
        for i in range(tally.rows[tally.codes[level]]):
            room.ranks[start + i] = room.before[begins[level] + i]
            room.codes[start + i] = k + 1
        start += tally.rows[tally.codes[level]]


@kernel
def best_cut(column, f, start, by_code, nodes, ranked, rules, room, finds):
    """Cuts between neighbouring codes, with missing rows on the right and, if there are any, on the left.

    A cut is named by the code on its left, or by its place, counted from ``start``.
    """
    n, base = nodes.stop[f] - nodes.start[f], ranked.base[f]
    ranks, codes, left, right = room.ranks, room.codes, room.left, room.right
    n_missing = 0
    while n_missing < n and codes[n_missing] == 0:
        n_missing += 1
    if n_missing == n or (n_missing == 0 and codes[0] == codes[n - 1]):
        return
    weighted = ranked.weight.shape[0] > 0
    for missing_left in range(2 if n_missing else 1):
        # with missing rows on the right, 'known or missing' is a cut as well: one after the last row
        last = n if n_missing and not missing_left else n - 1
        out_left, out_right = (0, n_missing) if missing_left else (n_missing, 0)
        if weighted:
            weight, moment, y = ranked.weight[base:], ranked.moment[base:], ranked.y[base:]
            given = weight, moment, y, room.before, room.after, room.tree
            sweep_weights(ranks, n, out_left, n - 1, n_missing, -1, -1, *given, left)
            sweep_weights(ranks, n, out_right, n_missing, last, 1, 0, *given, right)
        else:
            value, before, after = ranked.moment[base:], room.before, room.after
            sweep_units(ranks, n, out_left, n - 1, n_missing, -1, -1, value, before, after, left)
            sweep_units(ranks, n, out_right, n_missing, last, 1, 0, value, before, after, right)
        try_cuts(column, f, start, by_code, n, n_missing, missing_left, last, nodes, ranked, rules, room, finds)


@kernel
def try_cuts(column, f, start, by_code, n, n_missing, missing_left, last, nodes, ranked, rules, room, finds):
    """Whether a cut is admissible is asked only of those that could be kept."""
    ranks, codes, left, right, base = room.ranks, room.codes, room.left, room.right, ranked.base[f]
    slack = nodes.slack[f] if rules.seed < 0 else -nodes.slack[f]
    weighed, weight_left = 0, np.int64(0)  # the rows so far whose weight is known, and it
    to_beat = finds.score[f] + slack
    for i in range(n_missing, last):
        if -(left[i] + right[i]) < to_beat or (i + 1 < n and codes[i] == codes[i + 1]):
            continue
        n_left = i + 1 - (0 if missing_left else n_missing)
        if n_left < rules.min_rows or n - n_left < rules.min_rows:
            continue
        if rules.min_weight > 0:
            for k in range(weighed, i + 1):
                weight_left += ranked.weight[base + ranks[k]] if k >= n_missing or missing_left else 0
            weighed = i + 1
            if min(weight_left, nodes.totals[f, 0] - weight_left) < rules.min_weight:
                continue
        cut, score = codes[i] if by_code else start + i, -(left[i] + right[i])
        consider(finds, f, score, cut, missing_left, nodes.slack[f], nodes.id[f], column, rules.seed)
        to_beat = finds.score[f] + slack


@kernel
def admissible(rows, weight, rules):
    return rows >= rules.min_rows and weight >= rules.min_weight


@kernel
def change_by(room, n_rows, start, stop, sign, weight, moment):
    """Put rows into the tree of the room or take them out; returns what this adds to its weight and moment."""
    sum_weight, sum_moment = np.int64(0), np.int64(0)
    for i in range(start, stop):
        r = np.int64(room.ranks[i])
        mine = sign * (weight[r] if weight.shape[0] else np.int64(1))
        change_tree(room.tree, n_rows, r, mine, sign * moment[r])
        sum_weight += mine
        sum_moment += sign * moment[r]
    return sum_weight, sum_moment


@kernel
def with_each(n, sign, n_rows, sum_weight, sum_moment, weight, moment, y, tally, room, out):
    """Distance of the rows in the tree together with those of each level, or (``sign`` -1) without them."""
    start = 0
    for k in range(n):
        stop = start + tally.rows[tally.codes[k]]
        w, s = change_by(room, n_rows, start, stop, sign, weight, moment)
        out[k] = distance(room.tree, n_rows, sum_weight + w, sum_moment + s, y)
        change_by(room, n_rows, start, stop, -sign, weight, moment)
        start = stop


@kernel
def by_themselves(n, weight, moment, y, tally, room, out):
    """Distance of each level's rows."""
    start = 0
    for k in range(n):
        stop = start + tally.rows[tally.codes[k]]
        out[k] = sorted_distance(room.ranks, start, stop, weight, moment, y)[0]
        start = stop


@kernel
def one_branch_each(f, n, nodes, ranked, rules, tally, room, finds):
    """One branch per level; missing rows go to the branch that scores best with them (see levels.py)."""
    n_missing, base, n_rows = tally.rows[0], ranked.base[f], nodes.stop[f] - nodes.start[f]
    first = 1 if n_missing else 0
    if n - first < 2:
        return
    moment, y = ranked.moment[base:], ranked.y[base:]
    weight = ranked.weight[base:] if ranked.weight.shape[0] else ranked.weight
    by_themselves(n, weight, moment, y, tally, room, room.left)
    total, n_short, short = 0.0, 0, 0  # branches that may not stand by themselves: missing rows can make up for one
    for k in range(first, n):
        code = tally.codes[k]
        total += room.left[k]
        if not admissible(tally.rows[code], tally.stats[code, 0], rules):
            n_short, short = n_short + 1, k
    if n_short > first:
        return
    if not n_missing:
        consider(finds, f, -total, tally.codes[0] - 1, 0, nodes.slack[f], nodes.id[f], 0, -1)
        return
    empty_tree(room.tree, n_rows)
    w, s = change_by(room, n_rows, 0, n_missing, 1, weight, moment)
    with_each(n, 1, n_rows, w, s, weight, moment, y, tally, room, room.right)
    for k in range(short if n_short else first, short + 1 if n_short else n):
        code = tally.codes[k]
        if admissible(tally.rows[code] + n_missing, tally.stats[code, 0] + w, rules):
            score = -(total - room.left[k] + room.right[k])
            consider(finds, f, score, code - 1, 0, nodes.slack[f], nodes.id[f], 0, -1)


@kernel
def each_against_rest(column, f, n, nodes, ranked, rules, tally, room, finds):
    """Each level against all others, missing rows on either side; ``cut`` is its code (0: missing against known)."""
    n_missing, base, n_rows = tally.rows[0], ranked.base[f], nodes.stop[f] - nodes.start[f]
    moment, y = ranked.moment[base:], ranked.y[base:]
    weight = ranked.weight[base:] if ranked.weight.shape[0] else ranked.weight
    alone, rest, joined, others = np.empty(n), np.empty(n), np.empty(n), np.empty(n)
    all_weight, all_moment = fill_tree(room.tree, n_rows, weight, moment)
    by_themselves(n, weight, moment, y, tally, room, alone)
    with_each(n, -1, n_rows, all_weight, all_moment, weight, moment, y, tally, room, rest)
    if n_missing:
        w, s = change_by(room, n_rows, 0, n_missing, -1, weight, moment)
        with_each(n, -1, n_rows, all_weight + w, all_moment + s, weight, moment, y, tally, room, others)
        empty_tree(room.tree, n_rows)
        w, s = change_by(room, n_rows, 0, n_missing, 1, weight, moment)
        with_each(n, 1, n_rows, w, s, weight, moment, y, tally, room, joined)
    for k in range(n if n > 2 else 1):  # of two groups, one against the other says it all
        code = tally.codes[k]
        for missing_left in range(2 if n_missing and code and n > 2 else 1):
            rows = tally.rows[code] + (n_missing if missing_left else 0)
            mine = tally.stats[code, 0] + (tally.stats[0, 0] if missing_left else 0)
            fits = admissible(rows, mine, rules)
            if fits and admissible(n_rows - rows, nodes.totals[f, 0] - mine, rules):
                score = -(joined[k] + others[k]) if missing_left else -(alone[k] + rest[k])
                consider(finds, f, score, code, missing_left, nodes.slack[f], nodes.id[f], column, rules.seed)
