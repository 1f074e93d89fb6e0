"""C5.0's best cut of a column of numbers.

Logarithms take most of the time, and most cuts are far from the best. So all cuts are scored roughly, in 32 bits and
many at a time, and only those that come near the least of these scores are scored as the program does.
"""

from typing import NamedTuple

import numpy as np

from treewright.kernels.c50_kernels.c50_division import AMOUNT, CLASS
from treewright.kernels.c50_kernels.c50_exact_cuts import exact_cut
from treewright.kernels.c50_kernels.c50_information import lg, single, total_information
from treewright.kernels.c50_kernels.c50_rough_scores import at_most_off, rough_scores
from treewright.kernels.c50_kernels.c50_two_classes import least_of_list, list_cuts
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
    lower: np.ndarray  # (cases,): the weight below it, of two classes only
    rough: np.ndarray  # (cases + AT_ONCE,) float32: its rough score
    sums: np.ndarray  # (2·classes, cuts) float32: class weights below cuts, and above them
    bits: np.ndarray  # the same memory as int32
    scratch: np.ndarray  # (2, cuts) float32
    scratch_bits: np.ndarray  # the same memory as int32
    greatest: np.ndarray  # (STEP,) float32
    below: np.ndarray  # (classes,)
    rest: np.ndarray  # (classes,)
    whole: np.ndarray  # (classes,): of all cases with a number
    known: np.ndarray  # (classes,): and of those that are not applicable
    few: np.ndarray  # (3, FEW) int32: places of few cases, which they are, how many come before each


@kernel
def best_cut(column, order, weighed, sides, base, least, room, found):
    """Gain and split information of the best cut of the cases in ``order``, which ascend by value.

    ``sides`` holds class weights: row 0 of unknown values, row 1 of those that are not applicable. ``least`` is the
    least weight of a branch. ``found`` is given gain, information and cut; a gain of -1: no cut.
    """
    gather(column, order, weighed, room)
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
    n_tries, best, best_at, best_weight = best_of_cuts(n, side, numeric, room)
    if n_tries == 0:
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
def sum_of(amounts):
    """Added up one by one."""
    total = 0.0
    for c in range(len(amounts)):
        total += amounts[c]
    return total


@inlined_borrowing
def gather(column, order, weighed, room):
    """Values, classes and weights of the cases, side by side."""
    for i in range(len(order)):
        case = order[i]
        room.values[i] = column[case]
        room.labels[i] = np.int64(weighed[case, CLASS])
        room.weights[i] = weighed[case, AMOUNT]


@gather.in_numpy
def gather_in_numpy(column, order, weighed, room):
    n = len(order)
    room.values[:n] = column[order]
    room.labels[:n], room.weights[:n] = weighed[order, CLASS], weighed[order, AMOUNT]


@inlined_borrowing
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


@inlined_borrowing
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


@inlined_borrowing
def best_of_cuts(n, side, numeric, room):
    """How many cuts there are, the least score, the last case below that cut, and the weight below it.

    No branch weighs less than ``side``. Of equal scores the lowest cut counts.
    """
    whole = room.whole
    at, top, kind, lower = first_cut(n, side, room)
    if at < 0:
        return 0, np.inf, -1, 0.0
    for c in range(len(whole)):
        room.rest[c] = whole[c] - room.below[c]
    if len(whole) == 2:
        n_scored, n_tries = list_cuts(at, top, kind, lower, room)
        best, best_at, best_weight = least_of_list(n_scored, room)
    else:
        n_scored, n_tries = score_classes(at, top, kind, room)
        best, best_at, best_weight = least_score(at, n_scored, numeric, whole, room)
    return n_tries, best, best_at, best_weight


@inlined_borrowing
def first_cut(n, side, room):
    """The first cut, the last place of one, the class of all cases just below the first, and their weight.

    A first cut of -1: there is none; a class of -1: they are mixed. Their class weights are left in the room.
    """
    values, labels, weights, below = room.values, room.labels, room.weights, room.below
    top, above = n - 1, 0.0
    while top >= 0 and above < side:
        above += weights[top]
        top -= 1
    below[:] = 0.0
    at, kind, lower = -1, -2, 0.0
    while at < top:
        at += 1
        below[labels[at]] += weights[at]
        lower += weights[at]
        kind = labels[at] if kind == -2 or kind == labels[at] else -1
        if lower >= side - 1e-5 and values[at + 1] > values[at]:
            return at, top, kind, lower
    return -1, top, kind, lower


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


@inlined_borrowing
def score_block(n_scored, filled, room):
    """Score the last cuts roughly."""
    rough_scores(room.sums, room.bits, filled, room.scratch, room.scratch_bits, room.rough[n_scored - filled :])


@borrowing
def least_score(first, n_scored, numeric, whole, room):
    """The least score of the cuts, the last case below that cut, and the weight below it; the lowest among equals."""
    labels, weights, below, rest = room.labels, room.weights, room.below, room.rest
    done, lower, least = 0, 0.0, room.rough[0]
    for k in range(1, n_scored):
        least = room.rough[k] if room.rough[k] < least else least
    limit = np.float64(least) + 2.0 * at_most_off(numeric, len(whole))
    below[:] = 0.0
    while done <= first:
        below[labels[done]] += weights[done]
        lower += weights[done]
        done += 1
    for c in range(len(whole)):
        rest[c] = whole[c] - below[c]
    best, best_at, best_weight = np.inf, -1, 0.0
    for k in range(n_scored):
        if room.rough[k] > limit:
            continue
        for i in range(done, room.at[k] + 1):
            below[labels[i]] += weights[i]
            rest[labels[i]] -= weights[i]
            lower += weights[i]
        done = room.at[k] + 1
        score = total_information(below) + total_information(rest)
        if score < best:
            best, best_at, best_weight = score, room.at[k], lower
    return best, best_at, best_weight


@best_of_cuts.in_numpy
def best_of_cuts_in_numpy(n, side, numeric, room):
    if exact_cut.is_alone:
        return exact_cut.compiled(
            room.values, room.labels, room.weights, n, float(side), room.whole, room.below, room.rest
        )
    values, labels, weights, whole = room.values[:n], room.labels[:n], room.weights[:n], room.whole
    first, scored, n_tries = _cuts_in_numpy(values, labels, weights, side)
    if n_tries == 0:
        return 0, np.inf, -1, 0.0
    below, lower = _running_sums(labels, weights, len(whole)), np.cumsum(weights)
    sums = np.vstack([below[:, scored], whole[:, None] - below[:, scored]])
    rough_scores.plain(sums, room.bits, len(scored), room.scratch, room.scratch_bits, room.rough)
    rough = room.rough[: len(scored)].astype(np.float64)
    gone = -np.where(labels == np.arange(len(whole))[:, None], weights, 0.0)
    gone[:, first] = whole - below[:, first]
    rest = np.cumsum(gone[:, first:], axis=1)
    best, best_at, best_weight = np.inf, -1, 0.0
    for at in scored[rough <= rough.min() + 2.0 * at_most_off.plain(numeric, len(whole))].tolist():
        score = total_information.plain(below[:, at]) + total_information.plain(rest[:, at - first])
        if score < best:
            best, best_at, best_weight = score, at, float(lower[at])
    return n_tries, best, best_at, best_weight


def _cuts_in_numpy(values, labels, weights, side):
    """The first cut, those that are scored, and how many there are."""
    n = len(values)
    enough_above = np.flatnonzero(np.cumsum(weights[::-1]) >= side)
    top = n - 2 - int(enough_above[0]) if len(enough_above) else -1
    is_try = (values[1:] > values[:-1]) & (np.arange(n - 1) <= top)
    at = np.flatnonzero(is_try & (np.cumsum(weights)[:-1] >= side - 1e-5))
    if not len(at):
        return -1, at, 0
    at = np.flatnonzero(is_try[at[0] :]) + at[0]
    n_mixed = np.append(0, np.cumsum(labels[1:] != labels[:-1]))
    begin = np.append(0, at[:-1] + 1)
    kind = np.where(n_mixed[at] == n_mixed[begin], labels[at], -1)
    reaches_top = at[1:] == top  # of the group above the cut
    is_scored = np.append((kind[:-1] == -1) | (kind[1:] != kind[:-1]) | reaches_top, True)
    return int(at[0]), at[is_scored], len(at)


def _running_sums(labels, weights, n_classes):
    """Class weights up to each case, added up one by one as loops do."""
    return np.cumsum(np.where(labels == np.arange(n_classes)[:, None], weights, 0.0), axis=1)
