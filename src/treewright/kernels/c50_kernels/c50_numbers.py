"""C5.0's best cut of a column of numbers.

Logarithms take most of the time, and most cuts are far from the best. So all cuts are scored roughly, in 32 bits and
many at a time, and only those that come near the least of these scores are scored as the program does.
"""

from typing import NamedTuple

import numpy as np

from treewright.kernels.c50_kernels.c50_exact_cuts import exact_cut
from treewright.kernels.c50_kernels.c50_information import lg, single, total_information
from treewright.kernels.c50_kernels.c50_rough_scores import at_most_off, rough_scores
from treewright.kernels.jit import borrowing, inlined_borrowing, kernel

NOTHING = -1.0
NOT_APPLICABLE = -np.inf  # as a number; unknown is NaN
AT_ONCE = 256  # cuts that are scored roughly at a time
FEW = 96  # cases that are sorted anew, by counting for each how many come before it


class NumberRoom(NamedTuple):
    """What is needed for one column of numbers at a time."""

    values: np.ndarray  # (cases,) float32, ascending
    labels: np.ndarray  # (cases,) int64
    weights: np.ndarray  # (cases,)
    at: np.ndarray  # (cases,) int64: the last case below each cut that is scored
    rough: np.ndarray  # (cases + AT_ONCE,) float32: its rough score
    sums: np.ndarray  # (2·classes, AT_ONCE) float32: class weights below cuts, and above them
    bits: np.ndarray  # the same memory as int32
    scratch: np.ndarray  # (2, AT_ONCE) float32
    scratch_bits: np.ndarray  # the same memory as int32
    below: np.ndarray  # (classes,)
    rest: np.ndarray  # (classes,)
    whole: np.ndarray  # (classes,): of all cases with a number
    known: np.ndarray  # (classes,): and of those that are not applicable
    few: np.ndarray  # (3, FEW) int32: places of few cases, which they are, how many come before each


class CutsTried(NamedTuple):
    """What cuts there are; where those that are scored are is in the room."""

    first: int  # position of the first try; -1: there is none
    n_scored: int
    n_tries: int


@kernel
def best_cut(column, order, labels, weights, sides, base, least, room, found):
    """Gain and split information of the best cut of the cases in ``order``, which ascend by value.

    ``sides`` holds class weights: row 0 of unknown values, row 1 of those that are not applicable. ``least`` is the
    least weight of a branch. ``found`` is given gain, information and cut; a gain of -1: no cut.
    """
    gather(column, order, labels, weights, room)
    best_cut_of_sorted(len(order), sides, base, least, room, found)


@borrowing
def best_cut_of_sorted(n, sides, base, least, room, found):
    """``best_cut`` of the cases that are in the room, sorted."""
    found[0] = NOTHING
    n_classes, whole = sides.shape[1], room.whole
    sum_classes(n, room)
    unknown, beside, numeric = sum_of(sides[0]), sum_of(sides[1]), sum_of(whole)
    known = beside + numeric
    every = unknown + known
    if numeric < 2.0 * least or n < 2:
        return
    side = max(min(0.1 * known / n_classes, 25.0), least)
    if unknown > 0.0:
        for c in range(n_classes):
            room.known[c] = whole[c] + sides[1, c]
        base = total_information(room.known) / known
    n_tries, best, best_at, best_weight = least_cut(n, side, numeric, whole, room)
    if best_at < 0:
        return
    gain = (1.0 - (1.0 - known / every)) * (base - (total_information(sides[1]) + best) / known)
    if gain <= 0.0:
        return
    low, high = np.float64(room.values[best_at]), np.float64(room.values[best_at + 1])
    spread = single(np.float64(room.values[n - 1]) - np.float64(room.values[0]))
    choices = single(spread / single(high - low))
    gain -= lg(choices if choices < n_tries else np.float64(n_tries)) / every
    if gain <= 0.0:
        return
    middle = single(0.5 * single(low + high))
    parts = unknown * lg(unknown / every) + beside * lg(beside / every)
    parts = parts + best_weight * lg(best_weight / every)
    parts = parts + (numeric - best_weight) * lg((numeric - best_weight) / every)
    found[0], found[1] = single(gain), single(-parts / every)
    found[2] = middle if middle < high else low


@inlined_borrowing
def least_cut(n, side, numeric, whole, room):
    """How many cuts there are; the least score, the last case below that cut, -1: none, and the weight below it."""
    cuts = score_roughly(n, side, whole, room)
    if cuts.first < 0:
        return 0, 0.0, -1, 0.0
    best, best_at, best_weight = least_score(cuts, numeric, whole, room)
    return cuts.n_tries, best, best_at, best_weight


@least_cut.in_numpy
def least_cut_in_numpy(n, side, numeric, whole, room):
    if exact_cut.is_alone:
        return exact_cut.compiled(room.values, room.labels, room.weights, n, float(side), whole, room.below, room.rest)
    cuts = score_roughly.plain(n, side, whole, room)
    if cuts.first < 0:
        return 0, 0.0, -1, 0.0
    return cuts.n_tries, *least_score.plain(cuts, numeric, whole, room)


@inlined_borrowing
def sum_of(amounts):
    """Added up one by one."""
    total = 0.0
    for c in range(len(amounts)):
        total += amounts[c]
    return total


@borrowing
def gather(column, order, labels, weights, room):
    """Values, classes and weights of the cases, side by side."""
    for i in range(len(order)):
        case = order[i]
        room.values[i] = column[case]
        room.labels[i] = labels[case]
        room.weights[i] = weights[case]


@gather.in_numpy
def gather_in_numpy(column, order, labels, weights, room):
    n = len(order)
    room.values[:n], room.labels[:n], room.weights[:n] = column[order], labels[order], weights[order]


@borrowing
def gather_few(column, places, p, here, n, room):
    """The same of at most FEW cases that are not sorted yet; returns how many have a number.

    ``places`` tells where each case stands among all cases sorted by the column.
    """
    own, which, before, m = room.few[0], room.few[1], room.few[2], 0
    for i in range(n):
        own[m], which[m] = places[here.cases[i], p], i
        m += own[m] >= 0
    for k in range(m):
        before[k] = 0
    for k in range(m):
        place = own[k]
        for i in range(m):
            before[i] += place < own[i]
    for k in range(m):
        i, at = which[k], before[k]
        room.values[at] = column[here.cases[i]]
        room.labels[at], room.weights[at] = here.labels[i], here.weights[i]
    return m


@gather_few.in_numpy
def gather_few_in_numpy(column, places, p, here, n, room):
    own = places[here.cases[:n], p]
    order = np.argsort(own)[np.count_nonzero(own < 0) :]
    m = len(order)
    room.values[:m], room.labels[:m] = column[here.cases[order]], here.labels[order]
    room.weights[:m] = here.weights[order]
    return m


@inlined_borrowing
def sums_of_two_classes(n, room):
    """Without a way through memory between two cases. To add 0 changes nothing."""
    zero, one = 0.0, 0.0
    for i in range(n):
        of_one = room.weights[i] * np.float64(room.labels[i])
        zero, one = zero + (room.weights[i] - of_one), one + of_one
    return zero, one


@borrowing
def sum_classes(n, room):
    whole, labels, weights = room.whole, room.labels, room.weights
    for c in range(len(whole)):
        whole[c] = 0.0
    if len(whole) == 2:
        whole[0], whole[1] = sums_of_two_classes(n, room)
        return
    for i in range(n):
        whole[labels[i]] += weights[i]


@sum_classes.in_numpy
def sum_classes_in_numpy(n, room):
    room.whole[:] = np.bincount(room.labels[:n], room.weights[:n], minlength=len(room.whole))


@borrowing
def score_roughly(n, side, whole, room):
    """Find the cuts, and score roughly those that are scored at all. No branch weighs less than ``side``."""
    values, labels, weights, below, rest = room.values, room.labels, room.weights, room.below, room.rest
    n_classes = len(whole)
    top, above = n - 1, 0.0
    while top >= 0 and above < side:
        above += weights[top]
        top -= 1
    below[:] = 0.0
    at, kind, lower = -1, -2, 0.0  # kind: the class of all cases just below the cut, -1 where they are mixed
    while at < top:
        at += 1
        below[labels[at]] += weights[at]
        lower += weights[at]
        kind = labels[at] if kind == -2 or kind == labels[at] else -1
        if lower >= side - 1e-5 and values[at + 1] > values[at]:
            break
    if at < 0 or lower < side - 1e-5 or not values[at + 1] > values[at]:
        return CutsTried(-1, 0, 0)
    for c in range(n_classes):
        rest[c] = whole[c] - below[c]
    if n_classes == 2:
        n_scored, n_tries = score_two_classes(at, top, kind, room)
    else:
        n_scored, n_tries = score_classes(at, top, kind, room)
    return CutsTried(at, n_scored, n_tries)


@borrowing
def score_classes(at, top, kind, room):
    """Score the cuts from ``at`` to ``top``; returns how many are scored, and how many there are.

    ``kind`` is the class of all cases just below the first one, and ``room`` has the class weights there.
    """
    values, labels, weights, below, rest = room.values, room.labels, room.weights, room.below, room.rest
    n_classes, n_tries, n_scored, filled = len(below), 0, 0, 0
    while True:
        n_tries += 1
        end, next_kind, number = at + 1, -2, values[at + 1]
        while end <= top and values[end] == number:
            next_kind = labels[end] if next_kind == -2 or next_kind == labels[end] else -1
            end += 1
        room.at[n_scored] = at  # written over by the next cut if this one is not scored, which cannot be foreseen
        for c in range(n_classes):
            room.sums[c, filled], room.sums[n_classes + c, filled] = below[c], rest[c]
        is_scored = (end > top) | (kind == -1) | (next_kind != kind)
        n_scored, filled = n_scored + is_scored, filled + is_scored
        if filled == AT_ONCE:
            score_block(n_scored, filled, room)
            filled = 0
        for i in range(at + 1, end):
            below[labels[i]] += weights[i]
            rest[labels[i]] -= weights[i]
        if end == at + 1 or not values[end] > values[end - 1]:
            break
        at, kind = end - 1, next_kind
    score_block(n_scored, filled, room)
    return n_scored, n_tries


@borrowing
def score_two_classes(at, top, kind, room):
    """The same of two classes, as in ``sums_of_two_classes``."""
    values, labels, weights, sums = room.values, room.labels, room.weights, room.sums
    zero, one, rest_zero, rest_one = room.below[0], room.below[1], room.rest[0], room.rest[1]
    n_tries, n_scored, filled, own = 1, 0, 0, -2
    room.at[0] = at  # a cut stands where the next one will if it is not scored, which the cases above it tell
    sums[0, 0], sums[1, 0], sums[2, 0], sums[3, 0] = zero, one, rest_zero, rest_one
    for i in range(at + 1, top + 1):
        label, weight = labels[i], weights[i]
        of_one = weight * np.float64(label)
        of_zero = weight - of_one
        zero, one, rest_zero, rest_one = zero + of_zero, one + of_one, rest_zero - of_zero, rest_one - of_one
        own = label if (own == -2) | (own == label) else -1
        if values[i + 1] > values[i]:
            is_scored = (kind == -1) | (own != kind) | (i == top)
            n_tries, n_scored, filled = n_tries + 1, n_scored + is_scored, filled + is_scored
            if filled == AT_ONCE:
                score_block(n_scored, filled, room)
                filled = 0
            room.at[n_scored], kind, own = i, own, -2
            sums[0, filled], sums[1, filled], sums[2, filled], sums[3, filled] = zero, one, rest_zero, rest_one
    score_block(n_scored + 1, filled + 1, room)
    return n_scored + 1, n_tries


@inlined_borrowing
def score_block(n_scored, filled, room):
    """Score the last cuts roughly."""
    rough_scores(room.sums, room.bits, filled, room.scratch, room.scratch_bits, room.rough[n_scored - filled :])


@score_roughly.in_numpy
def score_roughly_in_numpy(n, side, whole, room):
    values, labels, weights = room.values[:n], room.labels[:n], room.weights[:n]
    enough_above = np.flatnonzero(np.cumsum(weights[::-1]) >= side)
    top = n - 2 - int(enough_above[0]) if len(enough_above) else -1
    is_try = (values[1:] > values[:-1]) & (np.arange(n - 1) <= top)
    at = np.flatnonzero(is_try & (np.cumsum(weights)[:-1] >= side - 1e-5))
    if not len(at):
        return CutsTried(-1, 0, 0)
    at = np.flatnonzero(is_try[at[0] :]) + at[0]
    n_mixed = np.append(0, np.cumsum(labels[1:] != labels[:-1]))
    begin = np.append(0, at[:-1] + 1)
    kind = np.where(n_mixed[at] == n_mixed[begin], labels[at], -1)
    reaches_top = at[1:] == top  # of the group above the cut
    is_scored = np.append((kind[:-1] == -1) | (kind[1:] != kind[:-1]) | reaches_top, True)
    scored = at[is_scored]
    below = _running_sums(labels, weights, len(whole))[:, scored]
    room.at[: len(scored)] = scored
    sums = np.vstack([below, whole[:, None] - below])
    rough_scores.plain(sums, room.bits, len(scored), room.scratch, room.scratch_bits, room.rough[: len(scored)])
    return CutsTried(int(at[0]), len(scored), len(at))


def _running_sums(labels, weights, n_classes):
    """Class weights up to each case, added up one by one as loops do."""
    return np.cumsum(np.where(labels == np.arange(n_classes)[:, None], weights, 0.0), axis=1)


@inlined_borrowing
def go_up(first, last, lower, room):
    """Count these cases as below the cut, in ``room``; returns the weight below it, which was ``lower``."""
    labels, weights, below, rest = room.labels, room.weights, room.below, room.rest
    if len(below) != 2:
        for i in range(first, last):
            below[labels[i]] += weights[i]
            rest[labels[i]] -= weights[i]
            lower += weights[i]
        return lower
    zero, one, rest_zero, rest_one = below[0], below[1], rest[0], rest[1]
    for i in range(first, last):
        of_one = weights[i] * np.float64(labels[i])
        of_zero = weights[i] - of_one
        zero, one, rest_zero, rest_one = zero + of_zero, one + of_one, rest_zero - of_zero, rest_one - of_one
        lower += weights[i]
    below[0], below[1], rest[0], rest[1] = zero, one, rest_zero, rest_one
    return lower


@borrowing
def least_score(cuts, numeric, whole, room):
    """The least score of the cuts, the last case below that cut, and the weight below it; the lowest among equals."""
    labels, weights, below, rest = room.labels, room.weights, room.below, room.rest
    done, lower, least = 0, 0.0, room.rough[0]
    for k in range(1, cuts.n_scored):
        least = room.rough[k] if room.rough[k] < least else least
    limit = np.float64(least) + 2.0 * at_most_off(numeric, len(whole))
    below[:] = 0.0
    while done <= cuts.first:
        below[labels[done]] += weights[done]
        lower += weights[done]
        done += 1
    for c in range(len(whole)):
        rest[c] = whole[c] - below[c]
    best, best_at, best_weight = np.inf, -1, 0.0
    for k in range(cuts.n_scored):
        if room.rough[k] > limit:
            continue
        lower = go_up(done, room.at[k] + 1, lower, room)
        done = room.at[k] + 1
        score = total_information(below) + total_information(rest)
        if score < best:
            best, best_at, best_weight = score, room.at[k], lower
    return best, best_at, best_weight


@least_score.in_numpy
def least_score_in_numpy(cuts, numeric, whole, room):
    rough = room.rough[: cuts.n_scored].astype(np.float64)
    near = np.flatnonzero(rough <= rough.min() + 2.0 * at_most_off.plain(numeric, len(whole)))
    n, start = int(room.at[near[-1]]) + 1, cuts.first
    weights = room.weights[:n]
    below, lower = _running_sums(room.labels[:n], weights, len(whole)), np.cumsum(weights)
    gone = -np.where(room.labels[:n] == np.arange(len(whole))[:, None], weights, 0.0)
    gone[:, start] = whole - below[:, start]
    rest = np.cumsum(gone[:, start:], axis=1)
    best, best_at, best_weight = np.inf, -1, 0.0
    for at in room.at[near].tolist():
        score = total_information.plain(below[:, at]) + total_information.plain(rest[:, at - start])
        if score < best:
            best, best_at, best_weight = score, at, float(lower[at])
    return best, best_at, best_weight
