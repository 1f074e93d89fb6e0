"""C5.0's best cut of a column of numbers."""

import numpy as np

from treewright.kernels.c50_kernels.c50_information import lg, single, total_information
from treewright.kernels.jit import kernel

NOTHING = -1.0
NOT_APPLICABLE = -np.inf  # as a number; unknown is NaN


@kernel
def best_cut(values, order, labels, weights, sides, n_classes, base, least, found):
    """Gain and split information of the best cut of the cases in ``order``, which ascend by value.

    ``sides`` holds class weights: row 0 of unknown values, row 1 of those that are not applicable. ``least`` is the
    least weight of a branch. ``found`` is given gain, information, cut and weight below; a gain of -1: no cut.
    """
    found[0] = NOTHING
    n = len(order)
    whole = np.zeros(n_classes)
    for i in range(n):
        whole[labels[order[i]]] += weights[order[i]]
    unknown, beside, numeric = sides[0].sum(), sides[1].sum(), whole.sum()
    known = beside + numeric
    every = unknown + known
    if numeric < 2.0 * least or n < 2:
        return
    side = 0.1 * known / n_classes
    if side > 25.0:
        side = 25.0
    if side < least:
        side = least
    if unknown > 0.0:
        base = total_information(whole + sides[1]) / known
    top, above = n - 1, 0.0
    while top >= 0 and above < side:
        above += weights[order[top]]
        top -= 1
    below, lower = np.zeros(n_classes), 0.0
    at, kind = -1, -2  # kind: the class of all cases just below the cut, -1 where they are mixed
    while at < top:
        at += 1
        case = order[at]
        below[labels[case]] += weights[case]
        lower += weights[case]
        kind = labels[case] if kind == -2 or kind == labels[case] else -1
        if lower >= side - 1e-5 and values[order[at + 1]] > values[case]:
            break
    if at < 0 or lower < side - 1e-5 or not values[order[at + 1]] > values[order[at]]:
        return
    rest = whole - below
    best, best_at, best_weight, tries = np.inf, -1, 0.0, 0
    while True:
        tries += 1
        end, next_kind, number = at + 1, -2, values[order[at + 1]]
        while end <= top and values[order[end]] == number:
            label = labels[order[end]]
            next_kind = label if next_kind == -2 or next_kind == label else -1
            end += 1
        if end > top or kind == -1 or next_kind != kind:
            score = total_information(below) + total_information(rest)
            if score < best:
                best, best_at, best_weight = score, at, lower
        for i in range(at + 1, end):
            case = order[i]
            below[labels[case]] += weights[case]
            rest[labels[case]] -= weights[case]
            lower += weights[case]
        if end == at + 1 or not values[order[end]] > values[order[end - 1]]:
            break
        at, kind = end - 1, next_kind
    gain = (1.0 - (1.0 - known / every)) * (base - (total_information(sides[1]) + best) / known)
    if gain <= 0.0:
        return
    low, high = np.float64(values[order[best_at]]), np.float64(values[order[best_at + 1]])
    spread = single(np.float64(values[order[n - 1]]) - np.float64(values[order[0]]))
    choices = single(spread / single(high - low))
    gain -= lg(choices if choices < tries else np.float64(tries)) / every
    if gain <= 0.0:
        return
    middle = single(0.5 * single(low + high))
    found[0] = single(gain)
    found[1] = single(
        -(
            unknown * lg(unknown / every)
            + beside * lg(beside / every)
            + best_weight * lg(best_weight / every)
            + (numeric - best_weight) * lg((numeric - best_weight) / every)
        )
        / every
    )
    found[2] = middle if middle < high else low
    found[3] = low
