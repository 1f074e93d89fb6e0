"""Distances from the median, Σ w·|y − m|, of sets of rows that grow or shrink row by row.

The rows of a node are numbered by the rank of their y within the node, from 1 on, so that a median is a number to be
moved up and down. Where every row counts once, rows are taken out of a chain in which each knows its neighbours, and
the median moves by one place at most: a constant number of steps per row. Weights can move it further. Usually they
do not, so the chain is tried with them too; where the median has gone too far in all, and for sets that grow, rows are
kept in a binary indexed tree over the ranks (Fenwick 1994), at log n steps per row.

Sums are int64 in fixed point. With W and S the weight and Σ w·y of a set, w and s those of its rows before the median
m, the distance is S − 2·s + (2·w − W)·m: any median will do, so the lower one is taken where there are two.
"""

from typing import NamedTuple

import numpy as np

from treewright.kernels.jit import inlined, kernel

_FAR = 16  # moves of a median per row, on average, from which the tree is quicker


class RankedTarget(NamedTuple):
    """Rows by rank. What the row of rank r of node f counts for stands at ``base[f] + r`` of the last three."""

    rank: np.ndarray  # (rows,) uint32: of a row within its node
    base: np.ndarray  # (nodes,) int64: nodes lie end to end, with an empty place before and after each
    weight: np.ndarray  # int64, fixed point; nothing where every row counts once
    moment: np.ndarray  # int64, w·y in fixed point
    y: np.ndarray  # float64, in the unit of a moment per weight


class MedianScratch(NamedTuple):
    """What is needed for one node at a time."""

    ranks: np.ndarray  # (rows,) uint32: of the rows in the order of the column
    codes: np.ndarray  # (rows,) int64: their codes
    left: np.ndarray  # (rows,) float64: distance of all rows up to each
    right: np.ndarray  # (rows,) float64: distance of all rows after each
    before: np.ndarray  # (rows + 2,) uint32: the chain of ranks
    after: np.ndarray  # (rows + 2,) uint32
    tree: np.ndarray  # (rows + 2, 2) int64: weights and moments by rank


def new_room(n_rows: int) -> MedianScratch:
    before, after = np.empty(n_rows + 2, np.uint32), np.empty(n_rows + 2, np.uint32)
    tree = np.empty((n_rows + 2, 2), np.int64)
    codes = np.empty(n_rows, np.int64)
    return MedianScratch(np.empty(n_rows, np.uint32), codes, np.empty(n_rows), np.empty(n_rows), before, after, tree)


@kernel
def rank_rows(by_value, start, stop, weight, moment, y, original, ranked):
    """Number the rows of every node; ``by_value`` lists them in the order of y, which is given by ``original`` row."""
    for f in range(start.shape[0]):
        for i in range(start[f], stop[f]):
            row = by_value[i]
            at = ranked.base[f] + 1 + i - start[f]
            ranked.rank[row] = 1 + i - start[f]
            ranked.moment[at] = moment[row]
            ranked.y[at] = y[original[row]]
            if weight.shape[0]:
                ranked.weight[at] = weight[row]


@kernel
def sweep_units(ranks, n, skip, first, last, step, shift, value, before, after, out):
    """Take out the first ``skip`` of n rows, then those from ``first`` to ``last``; row i leaves ``out[i + shift]``.

    Also ``out[n - 1]`` is set, to the distance when the sweep begins. One row at least must be left in the end. Of an
    even number of rows the median is the lower of the middle two. Selections stand in place of branches, because which
    side of the median a row is on cannot be guessed.
    """
    total, below, median = np.int64(0), np.int64(0), np.uint32((n + 1) // 2)
    for r in range(n + 2):
        before[r] = r - 1 if r else 0
        after[r] = r + 1
    for r in range(1, n + 1):
        total += value[r]
        if r < median:
            below += value[r]
    size, i = n, 0
    n_steps = skip + (last - first) * step
    for k in range(n_steps + 1):
        if k == skip:
            out[n - 1] = total - 2 * below - (2 - (size & 1)) * value[median]
            i = first
        if k == n_steps:
            break
        r = ranks[i]
        taken = value[r]
        after[before[r]] = after[r]
        before[after[r]] = before[r]
        total -= taken
        is_below = r < median
        if size & 1:
            lower = before[median]
            below -= taken if is_below else value[lower]
            median = median if is_below else lower
        else:
            below += value[median] - taken if is_below else 0
            median = after[median] if r <= median else median
        size -= 1
        if k >= skip:
            out[i + shift] = total - 2 * below - (2 - (size & 1)) * value[median]
            i += step
        else:
            i += 1


@kernel
def sweep_weights(ranks, n, skip, first, last, step, shift, weight, moment, y, before, after, tree, out):
    """As ``sweep_units``, of rows that have weights."""
    if not walk_weights(ranks, n, skip, first, last, step, shift, weight, moment, y, before, after, out):
        sweep_tree(ranks, n, skip, first, last, step, shift, weight, moment, y, tree, out)


@kernel
def walk_weights(ranks, n, skip, first, last, step, shift, weight, moment, y, before, after, out):
    """Along the chain, the median moving as far as it has to; False, and no result, if that is too far in all."""
    total, sum_moment = np.int64(0), np.int64(0)
    for r in range(n + 2):
        before[r] = r - 1 if r else 0
        after[r] = r + 1
    for r in range(1, n + 1):
        total += weight[r]
        sum_moment += moment[r]
    median, below, moment_below = np.int64(1), np.int64(0), np.int64(0)
    i, moves, n_steps = 0, (_FAR + 1) * n, skip + (last - first) * step
    for k in range(n_steps + 1):
        while 2 * below >= total and before[median] > 0:
            median = np.int64(before[median])
            below -= weight[median]
            moment_below -= moment[median]
            moves -= 1
        while 2 * (below + weight[median]) < total:
            below += weight[median]
            moment_below += moment[median]
            median = np.int64(after[median])
            moves -= 1
        if moves < 0:
            return False
        if k >= skip:
            place = n - 1 if k == skip else i - step + shift
            out[place] = np.float64(sum_moment - 2 * moment_below) + np.float64(2 * below - total) * y[median]
        if k == skip:
            i = first
        if k == n_steps:
            break
        r = np.int64(ranks[i])
        after[before[r]] = after[r]
        before[after[r]] = before[r]
        total -= weight[r]
        sum_moment -= moment[r]
        if r < median:
            below -= weight[r]
            moment_below -= moment[r]
        elif r == median:
            median = np.int64(after[r])
            if median > n:  # the last of the chain: stand on the one before it
                median = np.int64(before[r])
                below -= weight[median]
                moment_below -= moment[median]
        i += step if k >= skip else 1
    return True


@kernel
def sweep_tree(ranks, n, skip, first, last, step, shift, weight, moment, y, tree, out):
    """By the tree, whatever the weights."""
    sum_weight, sum_moment = fill_tree(tree, n, weight, moment)
    i = 0
    n_steps = skip + (last - first) * step
    for k in range(n_steps + 1):
        if k == skip:
            out[n - 1] = distance(tree, n, sum_weight, sum_moment, y)
            i = first
        if k == n_steps:
            break
        r = np.int64(ranks[i])
        change_tree(tree, n, r, -weight[r], -moment[r])
        sum_weight -= weight[r]
        sum_moment -= moment[r]
        if k >= skip:
            out[i + shift] = distance(tree, n, sum_weight, sum_moment, y)
            i += step
        else:
            i += 1


@kernel
def fill_tree(tree, n, weight, moment):
    """All n ranks; without weights every row counts once. Returns the sums."""
    sum_weight, sum_moment = np.int64(0), np.int64(0)
    for r in range(1, n + 1):
        tree[r, 0] = weight[r] if weight.shape[0] else 1
        tree[r, 1] = moment[r]
        sum_weight += tree[r, 0]
        sum_moment += moment[r]
    for r in range(1, n + 1):
        above = r + (r & -r)
        if above <= n:
            tree[above, 0] += tree[r, 0]
            tree[above, 1] += tree[r, 1]
    return sum_weight, sum_moment


@kernel
def empty_tree(tree, n):
    for r in range(1, n + 1):
        tree[r, 0] = 0
        tree[r, 1] = 0


@inlined
def change_tree(tree, n, r, weight, moment):
    while r <= n:
        tree[r, 0] += weight
        tree[r, 1] += moment
        r += r & -r


@kernel
def distance(tree, n, sum_weight, sum_moment, y):
    """Distance of the rows in the tree from their median; 0 where there are none."""
    if sum_weight == 0:
        return 0.0
    bit = 1
    while 2 * bit <= n:
        bit *= 2
    at, weight, moment = 0, np.int64(0), np.int64(0)
    while bit:
        above = at + bit
        if above <= n and 2 * (weight + tree[above, 0]) < sum_weight:
            at = above
            weight += tree[above, 0]
            moment += tree[above, 1]
        bit //= 2
    return np.float64(sum_moment - 2 * moment) + np.float64(2 * weight - sum_weight) * y[at + 1]


@kernel
def sorted_distance(ranks, start, stop, weight, moment, y):
    """Distance and median of the ranks from ``start`` to ``stop``, which rise; of two medians the middle."""
    sum_weight, sum_moment = np.int64(0), np.int64(0)
    for i in range(start, stop):
        sum_weight += weight[ranks[i]] if weight.shape[0] else 1
        sum_moment += moment[ranks[i]]
    i, below, moment_below = start, np.int64(0), np.int64(0)
    while i < stop:
        mine = weight[ranks[i]] if weight.shape[0] else np.int64(1)
        if 2 * (below + mine) >= sum_weight:
            break
        below += mine
        moment_below += moment[ranks[i]]
        i += 1
    if i == stop:
        return 0.0, 0.0
    median = y[ranks[i]]
    mine = weight[ranks[i]] if weight.shape[0] else np.int64(1)
    found = np.float64(sum_moment - 2 * moment_below) + np.float64(2 * below - sum_weight) * median
    if 2 * (below + mine) == sum_weight and i + 1 < stop:
        median = median / 2 + y[ranks[i + 1]] / 2
    return found, median


@kernel
def branch_medians(chosen, by_value, start, stop, side, child_start, sums, ranked, numbers, original, centre, found):
    """Of every branch of the chosen nodes the median of y, the distance from it, and that from ``centre`` of the node.

    ``sums`` are the weight and the moment of every branch. Where the lower and the upper half of the weight meet
    between two rows the median is midway between their ``numbers``. The distance is 0 where all y are equal.
    """
    median, distances, from_centre = found[:, 0], found[:, 1], found[:, 2]
    weighted = ranked.weight.shape[0] > 0
    below, state = np.zeros((sums.shape[0], 2), np.int64), np.zeros(sums.shape[0], np.int64)
    lowest, highest = np.zeros(sums.shape[0]), np.zeros(sums.shape[0])
    for f in chosen:
        for i in range(start[f], stop[f]):
            row = by_value[i]
            c, at, number = child_start[f] + side[row], ranked.base[f] + 1 + i - start[f], numbers[original[row]]
            mine = ranked.weight[at] if weighted else np.int64(1)
            from_centre[c] += np.float64(mine) * abs(ranked.y[at] - centre[f])
            highest[c] = number
            if state[c] == 0 and below[c, 0] == 0:
                lowest[c] = number
            if state[c] == 1:
                median[c] = median[c] / 2 + number / 2
                state[c] = 2
            elif state[c] == 0 and 2 * (below[c, 0] + mine) >= sums[c, 0]:
                before = np.float64(sums[c, 1] - 2 * below[c, 1])
                distances[c] = before + np.float64(2 * below[c, 0] - sums[c, 0]) * ranked.y[at]
                median[c] = number
                state[c] = 1 if 2 * (below[c, 0] + mine) == sums[c, 0] else 2
            elif state[c] == 0:
                below[c, 0] += mine
                below[c, 1] += ranked.moment[at]
        for c in range(child_start[f], child_start[f + 1]):
            if lowest[c] == highest[c] or distances[c] < 0:
                distances[c] = 0.0


@rank_rows.in_numpy
def rank_rows_in_numpy(by_value, start, stop, weight, moment, y, original, ranked):
    sizes = stop - start
    within = np.arange(sizes.sum()) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    row = by_value[np.repeat(start, sizes) + within].astype(np.int64)
    at = np.repeat(ranked.base, sizes) + 1 + within
    ranked.rank[row] = 1 + within
    ranked.moment[at] = moment[row]
    ranked.y[at] = y[original[row]]
    if len(weight):
        ranked.weight[at] = weight[row]


@branch_medians.in_numpy
def branch_medians_in_numpy(
    chosen, by_value, start, stop, side, child_start, sums, ranked, numbers, original, centre, found
):
    """Rows of a branch are brought together in their order; the median is where half of the weight is reached."""
    sizes = (stop - start)[chosen]
    within = np.arange(sizes.sum()) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    node = np.repeat(chosen, sizes)
    row = by_value[start[node] + within].astype(np.int64)
    at, child = ranked.base[node] + 1 + within, child_start[node] + side[row]
    order = np.argsort(child, kind="stable")
    at, child, node, number = at[order], child[order], node[order], numbers[original[row[order]]]
    mine = ranked.weight[at] if len(ranked.weight) else np.ones(len(at), np.int64)
    branch, first = np.unique(child, return_index=True)
    if not len(branch):
        return
    n_rows = np.diff(np.append(first, len(child)))
    below, moment_below = (_sums_before(part, first, n_rows) for part in (mine, ranked.moment[at]))
    away = np.abs(ranked.y[at] - centre[node]) * mine
    np.add.at(found[:, 2], child, away)  # one after the other, as the loop does
    whole, moment = sums[branch, 0], sums[branch, 1]
    reached = np.flatnonzero(2 * (below + mine) >= np.repeat(whole, n_rows))
    half = np.full(len(branch), -1)
    half[np.searchsorted(branch, child[reached[::-1]])] = reached[::-1]  # the first of a branch is written last
    last = first + n_rows - 1
    here = np.flatnonzero(half >= 0)
    k, h = branch[here], half[here]
    found[k, 1] = (moment[here] - 2 * moment_below[h]) + (2 * below[h] - whole[here]) * ranked.y[at[h]]
    between = (2 * (below[h] + mine[h]) == whole[here]) & (h < last[here])
    following = number[np.minimum(h + 1, len(number) - 1)]
    found[k, 0] = np.where(between, number[h] / 2 + following / 2, number[h])
    equal = number[first] == number[last]
    found[branch[equal], 1] = 0.0
    found[branch, 1] = np.maximum(found[branch, 1], 0.0)


def _sums_before(values, first, sizes):
    """Within runs of these sizes: what comes before each."""
    running = np.cumsum(values) - values
    return running - np.repeat(running[first], sizes)
