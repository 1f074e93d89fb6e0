"""Growing the tree of M5', all open nodes of a level at a time: the numpy twins of ``m5_growth.py`` and ``m5_cuts.py``.

Sums are taken in its order, so nodes of about the same size are laid out side by side, a node per line, and added up
along the lines.
"""

from typing import NamedTuple

import numpy as np

from treewright.kernels.ordered_sums import in_order
from treewright.kernels.sorting.unstable_parts import sort_parts

CLOSE = 1e-6  # values, and scores, that differ by less are equal
NO_SCORE = -1e20


class Level(NamedTuple):
    """The nodes at one depth, from left to right."""

    start: np.ndarray  # the rows of a node are order[start:stop]
    stop: np.ndarray
    parent: np.ndarray  # in the level above
    column: np.ndarray  # -1 at a leaf
    cut: np.ndarray
    below: np.ndarray
    gain: np.ndarray


def spread_of(y, w, order, start, stop):
    return _spreads(y, w, order, np.array([start]), np.array([stop]))[0]


def best_split(x, y, w, lines, start, stop, has_ties, room):
    if not len(x):
        return NO_SCORE, -1, -1
    rows = lines[:, start:stop]
    keys = np.take_along_axis(x, rows, axis=1)
    score, place = _best_cuts(keys[:, None], y, w, rows[:, None], np.array([stop - start]))
    best, column = _best_columns(score, place)
    return best[0], column[0], start + place[column[0], 0] if column[0] >= 0 else -1


def _best_columns(score, place):
    """The best column (first axis) of every node. A later one is taken if it is better by more than CLOSE."""
    best, column = np.full(score.shape[1], NO_SCORE), np.full(score.shape[1], -1)
    for j in range(len(score)):
        better = (place[j] >= 0) & (score[j] > best + CLOSE)
        best[better], column[better] = score[j, better], j
    return best, column


def grow_m5(x, y, w, order, lines, ties, min_rows, least_spread, most_later, waiting, sorted_root, goes_right, grown):
    ranks = np.array([np.unique(values, return_inverse=True)[1] for values in x])
    start, stop, parent = np.zeros(1, np.int64), np.full(1, len(order), np.int64), np.full(1, -1)
    levels = []
    while len(start):
        level = Level(start, stop, parent, np.full(len(start), -1), *np.zeros((3, len(start))))
        opened = np.flatnonzero(stop - start >= min_rows)
        opened = opened[_spreads(y, w, order, start[opened], stop[opened]) >= least_spread]
        if len(opened) and len(x):
            _find_splits(x, ranks, y, w, order, opened, level)
        if not levels:
            sorted_root[:] = order
        levels.append(level)
        parent = np.repeat(np.flatnonzero(level.column >= 0), 2)
        start, stop = _divide(x, order, level)
    _number(levels, grown)
    return 0


def _lines(start, stop):
    """Nodes of about the same size: (their places, the places of their rows by line, which of these there are)."""
    size = stop - start
    power = np.ceil(np.log2(np.maximum(size, 1)))
    for one in np.unique(power):
        nodes = np.flatnonzero(power == one)
        offset = np.arange(size[nodes].max(initial=0))
        is_there = offset < size[nodes, None]
        yield nodes, np.where(is_there, start[nodes, None] + offset, start[nodes, None]), is_there


def _moments(y, w, rows, is_there):
    """w, w·y and w·y² of rows, 0 where there is none."""
    weight = np.where(is_there, 1.0 if w is None else w[rows], np.zeros(rows.shape))
    value = np.where(is_there, y[rows], 0.0)
    return np.stack((weight, weight * value, weight * value * value))


def _spreads(y, w, order, start, stop):
    found = np.zeros(len(start))
    for nodes, place, is_there in _lines(start, stop):
        if place.shape[1] > 1:
            n, total, squares = in_order(_moments(y, w, order[place], is_there))
            known = (n > 0) & (is_there.sum(1) > 1)
            n, total, squares = n[known], total[known], squares[known]
            found[nodes[known]] = np.sqrt(np.abs(squares - total * total / n) / n)
    return found


def _find_splits(x, ranks, y, w, order, opened, level):
    """The best split of every open node into ``level``; the rows of these are left as the last column sorts them."""
    size = (level.stop - level.start)[opened]
    stop = np.cumsum(size)
    start, node = stop - size, np.repeat(np.arange(len(opened)), size)
    place = np.arange(len(node)) + np.repeat(level.start[opened] - start, size)
    rows = np.empty((len(x), len(node)), order.dtype)
    before = order[place]
    for j in range(len(x)):
        rows[j] = before = _sorted_by(x[j], ranks[j], before, node, start, stop)
    order[place] = before
    score, at = np.full((len(x), len(opened)), NO_SCORE), np.full((len(x), len(opened)), -1)
    keys = np.take_along_axis(x, rows, axis=1)
    for nodes, line, _ in _lines(start, stop):
        score[:, nodes], at[:, nodes] = _best_cuts(keys[:, line], y, w, rows[:, line], size[nodes])
    best, column = _best_columns(score, at)
    found = np.flatnonzero(column >= 0)
    j, here = column[found], opened[found]
    last_below = start[found] + at[j, found]
    level.column[here], level.gain[here], level.below[here] = j, best[found], keys[j, last_below]
    level.cut[here] = 0.5 * (keys[j, last_below] + keys[j, last_below + 1])


def _sorted_by(values, ranks, rows, node, start, stop):
    """The rows of every node by a column. Where values are equal it matters by what sort, and how rows stood before."""
    by = node * len(values) + ranks[rows]
    place = np.argsort(by)
    made, sorted_by = rows[place], by[place]
    twice = node[1:][sorted_by[1:] == sorted_by[:-1]]
    if len(twice):
        has_equal = np.zeros(len(start), np.bool_)
        has_equal[twice] = True
        again = has_equal[node]
        made[again] = rows[again]
        keys = values[made]
        sort_parts.plain(keys, made, start[has_equal], stop[has_equal])
    return made


def _best_cuts(keys, y, w, rows, size):
    """The best cut of every column (first axis) and node (second) whose sorted rows are on a line: (score, place)."""
    margin = np.where(size >= 5, size // 5, 1)[:, None]
    place = np.arange(rows.shape[2])
    is_there = place < size[:, None]
    terms = _moments(y, w, rows, is_there)
    low = np.cumsum(terms, axis=-1)
    above = np.where(place >= margin, terms, 0.0)
    high = np.subtract.accumulate(np.concatenate((in_order(above)[..., None], above), axis=-1), axis=-1)[..., 1:]
    may_cut = (place >= margin) & (place < size[:, None] - margin - 1)
    may_cut = may_cut & (np.diff(keys, append=np.inf) >= CLOSE)
    before = np.broadcast_to(margin - 1, (*rows.shape[:2], 1))
    first_high = in_order(above)
    whole, total, squares = (np.take_along_axis(a, before, 2)[..., 0] + b for a, b in zip(low, first_high))
    best, at = np.full(whole.shape, NO_SCORE), np.full(whole.shape, -1)
    j, v, i = np.nonzero(may_cut)
    if not len(j):
        return best, at
    with np.errstate(all="ignore"):
        mass = _fifth_root(np.abs(squares - total * total / whole) / whole)
        share = [side[0, j, v, i] / whole[j, v] for side in (low, high)]
        roots = [_root_of_variance(*side[:, j, v, i]) for side in (low, high)]
        score = np.full(may_cut.shape, NO_SCORE)
        score[j, v, i] = mass[j, v] - share[0] * roots[0] - share[1] * roots[1]
    score[~(score > NO_SCORE)] = NO_SCORE
    first = score.argmax(-1)
    found = np.take_along_axis(score, first[..., None], 2)[..., 0]
    return found, np.where(found > NO_SCORE, first, -1)


def _root_of_variance(n, total, squares):
    return _fifth_root(np.abs(n * squares - total * total) / (n * n))


def _fifth_root(values):
    """By the library that compiled code uses: numpy's own power differs from it in the last digit."""
    return np.array([value**0.2 for value in values.ravel().tolist()]).reshape(values.shape)


def _divide(x, order, level):
    """Send the rows of nodes with a split to their children, in place; returns where the children are."""
    inner = np.flatnonzero(level.column >= 0)
    start, size = level.start[inner], (level.stop - level.start)[inner]
    node = np.repeat(np.arange(len(inner)), size)
    place = np.arange(len(node)) + np.repeat(start - (np.cumsum(size) - size), size)
    rows = order[place]
    goes_right = ~(x[level.column[inner][node], rows] <= level.cut[inner][node])
    order[place] = rows[np.argsort(2 * node + goes_right, kind="stable")]
    middle = level.stop[inner] - np.bincount(node[goes_right], minlength=len(inner))
    return np.column_stack((start, middle)).ravel(), np.column_stack((middle, level.stop[inner])).ravel()


def _number(levels, grown):
    """Number the nodes from the root on, the left subtree before the right one."""
    size = [np.ones(len(level.start), np.int64) for level in levels]
    for depth in range(len(levels) - 1, 0, -1):
        np.add.at(size[depth - 1], levels[depth].parent, size[depth])
    number = np.zeros(1, np.int64)
    for depth, level in enumerate(levels):
        if depth:
            left_size = np.repeat(size[depth][::2], 2)
            is_right = np.arange(len(level.start)) % 2
            above, number = number, number[level.parent] + 1 + is_right * left_size
            grown.right[above[level.parent[::2]]] = number[1::2]
            grown.parent[number] = above[level.parent]
        else:
            grown.parent[number] = -1
        for name in ("start", "stop", "column", "cut", "below", "gain"):
            getattr(grown, name)[number] = getattr(level, name)
        grown.right[number[level.column < 0]] = -1
