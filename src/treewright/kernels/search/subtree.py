"""Whole subtrees of small nodes, grown in one call.

Most nodes of a deep tree have few rows, and going through all open nodes column by column costs more per node than the
rows themselves. So the rows of a small node are copied to a *block* (see block.py), and from there the subtree is grown
depth first. It is the tree that rounds would give: the same scores, ties and rules.

Splits are numbered as they are made, and split ``s`` makes the branches ``2·s`` and ``2·s + 1``.

Views of arrays are taken where their bounds are known, because an index that might be negative is looked at twice. What
is done once per node is written out in line: handing arrays on would cost as much as searching a node of five rows.
"""

from typing import NamedTuple

import numpy as np

from treewright.kernels.jit import borrowing, inlined, inlined_borrowing, kernel
from treewright.kernels.search.block import MISSING, Block
from treewright.kernels.search.mass import ENTROPY, POISSON, SQUARED_ERROR, is_numeric, mass, weight_of
from treewright.kernels.store_kernels.nodes import NO_SPLIT


class Halt(NamedTuple):
    """When a node stays a leaf, and how to tell from the statistics (see engines/target.py)."""

    max_depth: int
    min_rows: int  # least rows of a node to be split
    min_gain: float
    tie: float  # scores that differ by less than this share are equal
    pure: float  # a variance below this share of the mean square is rounding
    gain_unit: float
    square_unit: float  # of Σ w·y² in units of (Σ w·y)² / Σ w
    weight_scale: float
    moment_scale: float
    square_scale: float
    rounding: tuple  # how far the weight, the moment and the square of a row may be off


class GrownSubtrees(NamedTuple):
    """Room for splits and the branches they make."""

    owner: np.ndarray  # (splits,) int64: the branch that is split, or -1 - r for root r
    column: np.ndarray  # (splits,) int64
    gain: np.ndarray  # (splits,) float64
    missing: np.ndarray  # (splits,) int64
    missing_branch: np.ndarray  # (splits,) int32
    beside: np.ndarray  # (splits, 2) int64: rows on either side of the cut (-1: only missing on the right)
    rows: np.ndarray  # (2·splits,) int64
    stats: np.ndarray  # (2·splits, n_stats) int64


class SubtreeScratch(NamedTuple):
    """What is needed for one node at a time."""

    total: np.ndarray  # (n_stats,) int64: of the node
    left: np.ndarray  # (n_stats,) int64
    right: np.ndarray  # (n_stats,) int64
    scores: np.ndarray  # (rows,) float64: of the cuts of a column
    share: np.ndarray  # (rows + 1,) float64: 1/n on the left plus 1/n on the right, by n on the left
    side: np.ndarray  # (rows,) uint8: the branch of a row
    spare: np.ndarray  # (rows,) uint16
    best: np.ndarray  # (columns,) float64: score of the best cut of each column
    cut: np.ndarray  # (columns,) int64: the last place on its left
    missing_left: np.ndarray  # (columns,) int64


@kernel
def grow_subtrees(roots, block, has_missing, rules, halt, grown):
    """Grow the subtrees of all roots, depth first; returns the number of splits."""
    n_stats, n_columns, most = roots.totals.shape[1], block.order.shape[0], roots.size.max()
    numeric = is_numeric(rules.criterion)
    total, left, right = np.empty(n_stats, np.int64), np.empty(n_stats, np.int64), np.empty(n_stats, np.int64)
    scores, share = np.empty(most), np.empty(most + 1)
    side, spare = np.empty(most, np.uint8), np.empty(most, np.uint16)
    best, cuts, lefts = np.empty(n_columns), np.empty(n_columns, np.int64), np.empty(n_columns, np.int64)
    room = SubtreeScratch(total, left, right, scores, share, side, spare, best, cuts, lefts)
    stack = np.empty((most + 1, 4), np.int64)
    n_splits = 0
    for r in range(roots.start.shape[0]):
        place, size = roots.place[r], roots.size[r]
        here = rows_of(block, place, place + size)
        put(stack, 0, place, place + size, roots.depth[r], -1 - r)
        waiting = 1
        while waiting:
            waiting -= 1
            start, stop, depth, owner = stack[waiting, 0], stack[waiting, 1], stack[waiting, 2], stack[waiting, 3]
            for s in range(n_stats):
                total[s] = roots.totals[r, s] if owner < 0 else grown.stats[owner, s]
            column = search(here, place, start, stop, has_missing, rules, halt, numeric, room)
            if column == NO_SPLIT:
                continue
            n_left, n_missing = divide(here, column, place, start, stop, has_missing[column], numeric, room)
            gained = mass(left, rules.criterion, rules.table) + mass(right, rules.criterion, rules.table)
            gained -= mass(total, rules.criterion, rules.table)
            gain = gained * halt.gain_unit / weight_of(total, numeric)
            if not gain >= halt.min_gain:
                continue
            rows = stop - start
            write(grown, n_splits, owner, column, gain, rows, n_left, n_missing, numeric, room)
            order, at = here.order[column], start + cuts[column]
            grown.beside[n_splits, 0] = here.row[order[at]]
            grown.beside[n_splits, 1] = here.row[order[at + 1]] if at + 1 < stop else -1
            left_open = may_split(left, n_left, depth + 1, numeric, halt)
            right_open = may_split(right, rows - n_left, depth + 1, numeric, halt)
            if left_open or right_open:
                sort_by_side(here.order, start, stop, n_left, side, spare)
            if left_open:
                put(stack, waiting, start, start + n_left, depth + 1, 2 * n_splits)
                waiting += 1
            if right_open:
                put(stack, waiting, start + n_left, stop, depth + 1, 2 * n_splits + 1)
                waiting += 1
            n_splits += 1
    return n_splits


@inlined  # and not borrowing: what it makes of the arrays is kept
def rows_of(block, start, stop):
    """What the rows of one root count for. The lists stay whole: only then is it known that they have no gaps."""
    return Block(
        block.order,
        block.ranks,
        block.row[start:stop],
        block.label[start:stop],
        block.weight[start:stop],
        block.moment[start:stop],
        block.square[start:stop],
    )


@inlined_borrowing
def put(stack, place, start, stop, depth, owner):
    stack[place, 0], stack[place, 1], stack[place, 2], stack[place, 3] = start, stop, depth, owner


@inlined_borrowing
def search(here, place, start, stop, has_missing, rules, halt, numeric, room):
    """The column of the best cut, the first of equals; where it is cut stands in the room."""
    n_rows, slack, ceiling = stop - start, 0.0, 0.0
    quick_numbers = rules.criterion == SQUARED_ERROR and rules.unit
    quick_classes = rules.criterion <= ENTROPY and rules.unit
    slack, ceiling = bounds(room.total, rules.criterion, numeric, halt)
    if quick_numbers:  # scores are then measured from that of the node itself
        ceiling -= np.float64(room.total[1]) * np.float64(room.total[1]) * rules.table[n_rows]
        for n in range(1, n_rows):
            room.share[n] = rules.table[n] + rules.table[n_rows - n]
        room.share[n_rows] = 0.0
    top = -np.inf
    for j in range(here.order.shape[0]):
        mine, rank = here.order[j, start:stop], here.ranks[j, place:]
        n_missing = leading_missing(mine, rank) if has_missing[j] else 0
        room.best[j] = -np.inf
        for missing_left in range(2 if n_missing else 1):
            first = 0 if missing_left else n_missing  # place of the first row on the left
            # with missing rows on the right, 'known or missing' is a cut as well: one after the last row
            last = min(n_rows if n_missing and not missing_left else n_rows - 1, n_rows - rules.min_rows + first)
            least = max(n_missing, first + rules.min_rows - 1)
            if least >= last:
                continue
            if quick_numbers:
                highest = score_numbers(mine, first, least, last, here.moment, room.total, room.share, room.scores)
            elif quick_classes:
                highest = score_classes(mine, first, least, last, here.label, rules.criterion, rules.table, room)
            else:
                highest = score_any(mine, rank, first, least, last, here, rules, numeric, room)
            if highest < top - slack:  # another column is better than any cut of this one
                continue
            part, found, to_beat = mine[least:], room.scores[least:last], room.best[j] + slack
            for i in range(found.shape[0]):
                if found[i] > to_beat and (least + i + 1 == n_rows or rank[part[i]] != rank[part[i + 1]]):
                    room.best[j], room.cut[j], room.missing_left[j] = found[i], least + i, missing_left
                    to_beat = found[i] + slack
        top = max(top, room.best[j])
        if room.best[j] >= ceiling - slack:
            break
    if top == -np.inf:
        return NO_SPLIT
    column = 0
    while room.best[column] < top - slack:
        column += 1
    return column


@inlined_borrowing
def leading_missing(mine, rank):
    n = 0
    while n < mine.shape[0] and rank[mine[n]] == MISSING:
        n += 1
    return n


@inlined_borrowing
def score_numbers(mine, first, least, last, moment, total, share, scores):
    """Squared error: with a the sum and n the rows on the left, (a - n·mean)²·(1/n + 1/n') is what is gained."""
    on_left, mean, highest = np.int64(0), np.float64(total[1]) / mine.shape[0], -np.inf
    for i in range(first, least):
        on_left += moment[mine[i]]
    n = np.float64(least - first)
    part, share_of, score_of = mine[least:last], share[least + 1 - first :], scores[least:]
    for i in range(part.shape[0]):
        on_left += moment[part[i]]
        n += 1
        off = np.float64(on_left) - mean * n
        score = off * off * share_of[i]
        score_of[i] = score
        highest = max(highest, score)
    return highest


@inlined_borrowing
def score_classes(mine, first, least, last, label, criterion, table, room):
    """Gini: Σ a²/n, entropy: Σ a·ln a - n·ln n, of both sides; what a row adds to the sums is known from its class."""
    left, right, scores, n_rows = room.left, room.right, room.scores, mine.shape[0]
    on_left, on_right, highest = 0.0, 0.0, -np.inf
    for k in range(left.shape[0]):
        left[k], right[k] = 0, room.total[k]
        on_right += table[right[k]] if criterion == ENTROPY else np.float64(right[k]) * np.float64(right[k])
    for i in range(first, last):
        k, n = label[mine[i]], i + 1 - first
        a, b = left[k], right[k]
        left[k], right[k] = a + 1, b - 1
        if criterion == ENTROPY:
            on_left += table[a + 1] - table[a]
            on_right += table[b - 1] - table[b]
            score = on_left - table[n] + (on_right - table[n_rows - n])
        else:
            on_left += 2 * a + 1
            on_right += 1 - 2 * b
            score = on_left * table[n] + on_right * table[n_rows - n]
        if i >= least:
            scores[i] = score
            highest = max(highest, score)
    return highest


@inlined_borrowing
def score_any(mine, rank, first, least, last, here, rules, numeric, room):
    """Any criterion and weights: the masses of both sides, computed afresh wherever a cut is legal."""
    left, right, scores, n_rows = room.left, room.right, room.scores, mine.shape[0]
    highest = -np.inf
    for s in range(left.shape[0]):
        left[s], right[s] = 0, room.total[s]
    for i in range(first, last):
        move_one(mine[i], here.label, here.weight, here.moment, here.square, numeric, left, right)
        if i < least:
            continue
        scores[i] = -np.inf
        if i + 1 < n_rows and rank[mine[i]] == rank[mine[i + 1]]:
            continue
        if rules.min_weight == 0 or min(weight_of(left, numeric), weight_of(right, numeric)) >= rules.min_weight:
            scores[i] = mass(left, rules.criterion, rules.table) + mass(right, rules.criterion, rules.table)
            highest = max(highest, scores[i])
    return highest


@inlined_borrowing
def move_one(number, label, weight, moment, square, numeric, left, right):
    """Move a row from the right to the left."""
    if numeric:
        left[0] += weight[number]
        left[1] += moment[number]
        left[2] += square[number]
        right[0] -= weight[number]
        right[1] -= moment[number]
        right[2] -= square[number]
    else:
        left[label[number]] += weight[number]
        right[label[number]] -= weight[number]


@inlined_borrowing
def divide(here, column, place, start, stop, has_missing, numeric, room):
    """Sides of all rows and statistics of both branches; returns the rows on the left and the missing ones."""
    mine = here.order[column, start:stop]
    n_missing = leading_missing(mine, here.ranks[column, place:]) if has_missing else 0
    cut, missing_left = room.cut[column], room.missing_left[column]
    first = 0 if missing_left else n_missing
    for s in range(room.left.shape[0]):
        room.left[s], room.right[s] = 0, room.total[s]
    for i in range(mine.shape[0]):
        room.side[mine[i]] = 1
    for i in range(first, cut + 1):
        room.side[mine[i]] = 0
        move_one(mine[i], here.label, here.weight, here.moment, here.square, numeric, room.left, room.right)
    return cut + 1 - first, n_missing


@inlined_borrowing
def write(grown, split, owner, column, gain, rows, n_left, n_missing, numeric, room):
    """Keep a split and its branches. Missing rows, where none were seen, go to the heavier branch."""
    grown.owner[split], grown.column[split], grown.gain[split] = owner, column, gain
    grown.missing[split] = n_missing
    goes_left = weight_of(room.left, numeric) >= weight_of(room.right, numeric)
    if n_missing:
        goes_left = room.missing_left[column] == 1
    grown.missing_branch[split] = 0 if goes_left else 1
    grown.rows[2 * split], grown.rows[2 * split + 1] = n_left, rows - n_left
    for s in range(room.left.shape[0]):
        grown.stats[2 * split, s], grown.stats[2 * split + 1, s] = room.left[s], room.right[s]


@inlined_borrowing
def sort_by_side(order, start, stop, n_left, side, spare):
    """Sort a node's rows by branch in every column, keeping their order within a branch (see partition.py)."""
    for j in range(order.shape[0]):
        mine = order[j, start:stop]
        left, right = np.uint64(0), np.uint64(0)
        for i in range(mine.shape[0]):
            number = mine[i]
            goes_right = np.uint64(side[number])
            mine[left] = number
            spare[right] = number
            right += goes_right
            left += np.uint64(1) - goes_right
        theirs = mine[n_left:]
        for i in range(theirs.shape[0]):
            theirs[i] = spare[i]


@inlined_borrowing
def may_split(stats, n_rows, depth, numeric, halt):
    return depth < halt.max_depth and n_rows >= halt.min_rows and not is_pure(stats, n_rows, numeric, halt)


@borrowing
def bounds(stats, criterion, numeric, halt):
    """Scores this close are equal, and no split scores more than this."""
    if criterion == POISSON:
        return halt.tie * stats[1], np.inf
    if numeric:
        ceiling = stats[2] * halt.square_unit
        return halt.tie * ceiling, ceiling
    weight = np.float64(weight_of(stats, numeric))
    return halt.tie * weight, 0.0 if criterion == ENTROPY else weight


@borrowing
def is_pure(stats, n_rows, numeric, halt):
    """One class only; or a variance that is rounding: of floats, and of every row's sums to whole units."""
    if not numeric:
        n_classes = 0
        for k in range(stats.shape[0]):
            n_classes += stats[k] > 0
        return n_classes <= 1
    w, s, q = stats[0] / halt.weight_scale, stats[1] / halt.moment_scale, stats[2] / halt.square_scale
    mean = s / w if w > 0 else 0.0
    off_weight, off_moment, off_square = halt.rounding
    off = n_rows * (off_square + abs(mean) * (2 * off_moment + abs(mean) * off_weight))
    return q - s * mean <= halt.pure * abs(q) + off
