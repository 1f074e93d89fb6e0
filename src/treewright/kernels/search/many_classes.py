"""Subsets of the levels of a nominal column where classes are many: of these a level has few, and only they count.

The same splits are considered in the same order as in levels.py. A cut moves one level, and the sums of both sides
change by the classes of that level only. Sums that are kept up to date are not exact, so they only tell which splits
cannot be the best; the others are scored as ever.
"""

from typing import NamedTuple

import numpy as np

from treewright.kernels.jit import inlined, kernel
from treewright.kernels.search.count import count, empty
from treewright.kernels.search.levels import EXHAUSTIVE_LEVELS, sort_by
from treewright.kernels.search.mass import ENTROPY, MISCLASSIFICATION, branch_mass, xlogx
from treewright.kernels.search.scan import consider
from treewright.kernels.store_kernels.nodes import begin, end

MANY_CLASSES = 16  # from which most levels have few of them
_ROUNDING = 1e-9  # by which sums that are kept up to date may be wrong, relatively


class LevelClasses(NamedTuple):
    """The classes of each level that occurs at a node, and the levels of each class, end to end."""

    class_start: np.ndarray  # (levels + 1,) those of level i begin here
    classes: np.ndarray
    weight: np.ndarray  # of the class in the level
    level_start: np.ndarray  # (classes + 1,)
    levels: np.ndarray
    level_weight: np.ndarray  # (levels,) int64: of all classes


class CutSides(NamedTuple):
    """Statistics of both sides, and for each what its mass is made of: Σ n², Σ n·ln n, or the most that n can be."""

    left: np.ndarray
    right: np.ndarray
    total: np.ndarray  # (2,) weight of the left and of the right
    made_of: np.ndarray  # (2,)


@kernel
def search_subsets_of_many(column, codes, entries, nodes, data, rules, tally, finds):
    """Two subsets of the levels, at every open node; for ``cut`` see ``two_subsets``."""
    n_classes = nodes.totals.shape[1]
    sides = CutSides(np.empty(n_classes, np.int64), np.empty(n_classes, np.int64), np.empty(2, np.int64), np.empty(2))
    for f in range(nodes.start.shape[0]):
        if begin(finds, f, column, nodes):
            n = count(codes, entries, nodes.start[f], nodes.stop[f], data, tally)
            if n >= 2:
                found = classes_of_levels(n, n_classes, nodes.stop[f] - nodes.start[f], tally)
                if n <= EXHAUSTIVE_LEVELS:
                    all_subsets_of_many(column, f, n, found, sides, nodes, rules, tally, finds)
                else:
                    all_on_one_side(0, f, nodes, rules, sides)
                    for k in range(n_classes):
                        if found.level_start[k + 1] > found.level_start[k]:
                            cuts_by_share(column, k, f, n, found, sides, nodes, rules, tally, finds)
            empty(tally, n)
            end(finds, f, column, nodes)


@kernel
def classes_of_levels(n, n_classes, n_rows, tally):
    """There are no more pairs of a level and a class than rows."""
    class_start, level_start = np.zeros(n + 1, np.int64), np.zeros(n_classes + 1, np.int64)
    classes, weight, levels = np.empty(n_rows, np.int64), np.empty(n_rows, np.int64), np.empty(n_rows, np.int64)
    level_weight = np.zeros(n, np.int64)
    n_pairs = 0
    for i in range(n):
        stats = tally.stats[tally.codes[i]]
        for k in range(n_classes):
            if stats[k] > 0:
                classes[n_pairs], weight[n_pairs] = k, stats[k]
                level_weight[i] += stats[k]
                level_start[k + 1] += 1
                n_pairs += 1
        class_start[i + 1] = n_pairs
    for k in range(n_classes):
        level_start[k + 1] += level_start[k]
    place = level_start.copy()
    for i in range(n):
        for p in range(class_start[i], class_start[i + 1]):
            levels[place[classes[p]]] = i
            place[classes[p]] += 1
    return LevelClasses(class_start, classes, weight, level_start, levels, level_weight)


@kernel
def all_on_one_side(side, f, nodes, rules, sides):
    """0: all on the left, 1: all on the right."""
    weight, made_of, most = np.int64(0), 0.0, np.int64(0)
    for k in range(sides.left.shape[0]):
        n = nodes.totals[f, k]
        sides.left[k], sides.right[k] = (0, n) if side else (n, 0)
        weight += n
        most = max(most, n)
        made_of += xlogx(n, rules.table) if rules.criterion == ENTROPY else np.float64(n) * np.float64(n)
    sides.total[side], sides.total[1 - side] = weight, 0
    sides.made_of[side] = np.float64(most) if rules.criterion == MISCLASSIFICATION else made_of
    sides.made_of[1 - side] = 0.0


@inlined
def changed(before, after, rules):
    """What the mass is made of changes by, where a class has so many."""
    if rules.criterion == ENTROPY:
        return xlogx(after, rules.table) - xlogx(before, rules.table)
    return (np.float64(after) - np.float64(before)) * (np.float64(after) + np.float64(before))


@kernel
def move_level(i, sign, found, rules, sides):
    """To the left, or with sign -1 to the right."""
    for p in range(found.class_start[i], found.class_start[i + 1]):
        k, weight = found.classes[p], sign * found.weight[p]
        a, b = sides.left[k], sides.right[k]
        sides.left[k], sides.right[k] = a + weight, b - weight
        sides.total[0] += weight
        sides.total[1] -= weight
        if rules.criterion == MISCLASSIFICATION:  # what is left of the largest class is not known: it was as large
            sides.made_of[0] = max(sides.made_of[0], np.float64(a + weight))
            sides.made_of[1] = max(sides.made_of[1], np.float64(b - weight))
        else:
            sides.made_of[0] += changed(a, a + weight, rules)
            sides.made_of[1] += changed(b, b - weight, rules)


@inlined
def could_score(total, made_of, rules):
    if total == 0:
        return 0.0
    if rules.criterion == ENTROPY:
        return made_of - xlogx(total, rules.table)
    return made_of if rules.criterion == MISCLASSIFICATION else made_of / total


@kernel
def consider_sides(column, f, cut, n_left, sides, nodes, rules, finds):
    """Score the split if it could be the best."""
    score = could_score(sides.total[0], sides.made_of[0], rules) + could_score(sides.total[1], sides.made_of[1], rules)
    # Relative to the largest number that was subtracted from another.
    largest = np.float64(sides.total[0] + sides.total[1])
    if rules.criterion == ENTROPY:
        largest *= 1 + np.log(largest)
    else:
        largest *= 1 + largest / max(min(sides.total[0], sides.total[1]), 1)
    if score + _ROUNDING * largest < finds.score[f] - nodes.slack[f]:
        return
    n_right = nodes.stop[f] - nodes.start[f] - n_left
    score = branch_mass(sides.left, n_left, rules) + branch_mass(sides.right, n_right, rules)
    consider(finds, f, score, cut, 0, nodes.slack[f], nodes.id[f], column, rules.seed)


@kernel
def cuts_by_share(column, k, f, n, found, sides, nodes, rules, tally, finds):
    """Cuts of the levels ordered by the share of class k, from the top down; see ``cuts_of_order``. All is on the left
    before and after. Levels without the class stay there."""
    first, n_with = found.level_start[k], found.level_start[k + 1] - found.level_start[k]
    keys, order = np.empty(n_with), np.arange(n_with)
    for p in range(n_with):
        level = found.levels[first + p]
        keys[p] = tally.stats[tally.codes[level], k] / found.level_weight[level]
    sort_by(keys, order)
    before = sides.made_of[0]
    n_left = nodes.stop[f] - nodes.start[f]
    for p in range(n_with - 1, -1, -1):
        level = found.levels[first + order[p]]
        move_level(level, -1, found, rules, sides)
        n_left -= tally.rows[tally.codes[level]]
        place = n - n_with + p - 1  # of the last level on the left
        if place >= 0 and (p == 0 or keys[order[p]] != keys[order[p - 1]]):
            consider_sides(column, f, k * n + place, n_left, sides, nodes, rules, finds)
    for p in range(n_with):
        move_level(found.levels[first + p], 1, found, rules, sides)
    sides.made_of[0], sides.made_of[1] = before, 0.0


@kernel
def all_subsets_of_many(column, f, n, found, sides, nodes, rules, tally, finds):
    """Every way to cut the levels in two; see ``all_subsets``."""
    all_on_one_side(1, f, nodes, rules, sides)
    n_left, subset = 0, 0
    for step in range(1, 1 << (n - 1)):
        level = 0
        while not (step >> level) & 1:
            level += 1
        subset ^= 1 << level
        sign = 1 if (subset >> level) & 1 else -1
        move_level(level, sign, found, rules, sides)
        n_left += sign * tally.rows[tally.codes[level]]
        consider_sides(column, f, subset, n_left, sides, nodes, rules, finds)
