"""The best cut of one drawn column at one node: over keys in the order of their codes, or at a drawn threshold.

What a row counts for stands in the low half of its key: its class and a small weight (PACKED), or its place among the
rows of the node, where its class and weight (CLASSES) or its weight and moment (NUMBERS) are looked up.

Cuts are considered in the order of the plain pair: missing rows on the right, from the lowest cut up, the last being
known against missing; then missing rows on the left. One is better if it is ahead by more than ``slack``.
"""

import numpy as np

from treewright.kernels.jit import borrowing, dividing, inlined_borrowing
from treewright.kernels.search.mass import is_numeric, mass, weight_of, xlogx
from treewright.kernels.sorting.key_sort import LOW_HALF

PACKED, CLASSES, NUMBERS = range(3)
CLASS_BITS = 8  # low bits of what is packed; weights are above them
OF_CLASS = np.uint64(2**CLASS_BITS - 1)
HALF = np.uint64(32)
NEARLY = 1e-13  # of the weight: rounding is far below


@borrowing
def keys_of_known(kept, slot, n, carried, keys):
    """Keys of the rows of a node, of which none is missing."""
    codes = kept[slot]
    for i in range(n):
        keys[i] = (np.uint64(codes[i]) << HALF) | np.uint64(carried[i])


@borrowing
def keys_of(kept, slot, n, carried, keys):
    """The known ones from the front, the missing ones from the back. Returns how many are known, and their lowest and
    highest code. Places have no sign, see ``copy_codes``."""
    codes, known, last = kept[slot], np.uint64(0), np.uint64(n)
    lowest, highest = np.uint32(0xFFFFFFFF), np.uint32(0)
    for i in range(np.uint64(n)):
        code = codes[i]
        key = (np.uint64(code) << HALF) | np.uint64(carried[i])
        if code == 0:
            last -= np.uint64(1)
            keys[last] = key
        else:
            keys[known] = key
            known += np.uint64(1)
            lowest, highest = min(lowest, code), max(highest, code)
    return np.int64(known), lowest, highest


@inlined_borrowing
def add_key(key, mode, labels, weights, moments, squares, stats):
    """Add what a key carries to statistics."""
    carried = np.int64(key & LOW_HALF)
    if mode == PACKED:
        stats[carried & (2**CLASS_BITS - 1)] += carried >> CLASS_BITS
    elif mode == CLASSES:
        stats[labels[carried]] += weights[carried]
    else:
        stats[0] += weights[carried]
        stats[1] += moments[carried]
        stats[2] += squares[carried]


@inlined_borrowing
def add_missing(keys, known, n, mode, labels, weights, moments, squares, stats):
    for s in range(stats.shape[0]):
        stats[s] = 0
    for i in range(known, n):
        add_key(keys[i], mode, labels, weights, moments, squares, stats)


@inlined_borrowing
def changes(keys, i, known):
    """Whether a cut may be after key i."""
    return i + 1 >= known or (keys[i] >> HALF) != (keys[i + 1] >> HALF)


@inlined_borrowing
def place_range(missing_left, n_missing, known, min_rows):
    """From which key on a cut leaves enough rows on the left, and before which key it does on the right."""
    before, n_rows = n_missing if missing_left else 0, known + n_missing
    last = known if n_missing > 0 and not missing_left else known - 1
    return max(0, min_rows - 1 - before), min(last, n_rows - min_rows - before)


@dividing
def is_more(of_left, a_left, of_right, a_right, to_beat):
    """Whether of_left / a_left + of_right / a_right > to_beat, multiplied by both: a division takes as long as all else
    that is done for a row. What has no weight scores nothing."""
    if a_left <= 0.0 or a_right <= 0.0:
        score = of_left / a_left if a_left > 0.0 else 0.0
        return score + (of_right / a_right if a_right > 0.0 else 0.0) > to_beat
    return of_left * a_right + of_right * a_left > to_beat * (a_left * a_right)


@dividing
def scan_packed(keys, known, n_missing, of_missing, total, left, right, min_rows, min_weight, slack):
    """Gini of classes of small weights: sums of squares are kept up to date, and are exact."""
    best, place, goes_left = -np.inf, 0, 0
    for missing_left in range(2 if n_missing > 0 else 1):
        first, stop = place_range(missing_left, n_missing, known, min_rows)
        on_left, on_right, n_left, n_right = np.int64(0), np.int64(0), np.int64(0), np.int64(0)
        for k in range(total.shape[0]):
            left[k] = of_missing[k] if missing_left else 0
            right[k] = total[k] - left[k]
            n_left, n_right = n_left + left[k], n_right + right[k]
            on_left, on_right = on_left + left[k] * left[k], on_right + right[k] * right[k]
        to_beat = best + slack
        for i in range(stop if first < stop else 0):
            carried = keys[i] & LOW_HALF
            k, weight = carried & OF_CLASS, np.int64(carried >> np.uint64(CLASS_BITS))
            a, b = left[k], right[k]
            left[k], right[k] = a + weight, b - weight
            on_left += weight * (2 * a + weight)
            on_right += weight * (weight - 2 * b)
            n_left += weight
            n_right -= weight
            if i < first or not changes(keys, i, known) or min(n_left, n_right) < min_weight:
                continue
            a_left, a_right = np.float64(n_left), np.float64(n_right)
            if is_more(np.float64(on_left), a_left, np.float64(on_right), a_right, to_beat):
                best, place, goes_left = on_left / a_left + on_right / a_right, i, missing_left
                to_beat = best + slack
    return best, place, goes_left


@dividing
def scan_two_classes(keys, known, n_missing, of_missing, total, min_rows, min_weight, slack):
    """The same of two classes. With T₁ of n being of class 1, and l₁ of a on the left, a cut gains
    2·(l₁·n − a·T₁)² / (n·a·(n − a)): few cuts gain nearly enough, and only these are compared as all others are."""
    best, place, goes_left = -np.inf, 0, 0
    n, of_1 = total[0] + total[1], total[1]
    squares = np.float64(total[0]) * np.float64(total[0]) + np.float64(of_1) * np.float64(of_1)
    whole, half = squares / n if n > 0 else 0.0, 0.5 * np.float64(n)
    for missing_left in range(2 if n_missing > 0 else 1):
        first, stop = place_range(missing_left, n_missing, known, min_rows)
        a, left_1 = (of_missing[0] + of_missing[1], of_missing[1]) if missing_left else (np.int64(0), np.int64(0))
        to_beat = best + slack
        nearly = (to_beat - whole - NEARLY * n) * half
        for i in range(stop if first < stop else 0):
            carried = keys[i] & LOW_HALF
            weight = np.int64(carried >> np.uint64(CLASS_BITS))
            a += weight
            left_1 += weight & -np.int64(carried & OF_CLASS)
            off = np.float64(left_1 * n - a * of_1)
            if off * off <= nearly * np.float64(a * (n - a)):
                continue
            if i < first or not changes(keys, i, known) or min(a, n - a) < min_weight:
                continue
            left_0, right_0, right_1 = a - left_1, total[0] - (a - left_1), of_1 - left_1
            on_left = np.float64(left_0 * left_0 + left_1 * left_1)
            on_right = np.float64(right_0 * right_0 + right_1 * right_1)
            if is_more(on_left, np.float64(a), on_right, np.float64(n - a), to_beat):
                best, place, goes_left = on_left / np.float64(a) + on_right / np.float64(n - a), i, missing_left
                to_beat = best + slack
                nearly = (to_beat - whole - NEARLY * n) * half
    return best, place, goes_left


@dividing
def scan_entropy(keys, known, n_missing, of_missing, total, left, right, table, min_rows, min_weight, slack):
    """Entropy of classes of small weights: Σ n·ln n is looked up."""
    best, place, goes_left = -np.inf, 0, 0
    for missing_left in range(2 if n_missing > 0 else 1):
        first, stop = place_range(missing_left, n_missing, known, min_rows)
        n_left, n_right = np.int64(0), np.int64(0)
        for k in range(total.shape[0]):
            left[k] = of_missing[k] if missing_left else 0
            right[k] = total[k] - left[k]
            n_left, n_right = n_left + left[k], n_right + right[k]
        to_beat = best + slack
        for i in range(stop if first < stop else 0):
            carried = np.int64(keys[i] & LOW_HALF)
            k, weight = carried & (2**CLASS_BITS - 1), carried >> CLASS_BITS
            left[k] += weight
            right[k] -= weight
            n_left += weight
            n_right -= weight
            if i < first or not changes(keys, i, known) or min(n_left, n_right) < min_weight:
                continue
            on_left, on_right = 0.0, 0.0
            for k in range(total.shape[0]):
                on_left += xlogx(left[k], table)
                on_right += xlogx(right[k], table)
            score = on_left - xlogx(n_left, table) + (on_right - xlogx(n_right, table))
            if score > to_beat:
                best, place, goes_left, to_beat = score, i, missing_left, score + slack
    return best, place, goes_left


@inlined_borrowing
def scan_classes(
    keys,
    known,
    n_missing,
    of_missing,
    total,
    left,
    right,
    labels,
    weights,
    criterion,
    table,
    min_rows,
    min_weight,
    slack,
):
    """Classes of any weights."""
    best, place, goes_left = -np.inf, 0, 0
    for missing_left in range(2 if n_missing > 0 else 1):
        first, stop = place_range(missing_left, n_missing, known, min_rows)
        if first >= stop:
            continue
        for k in range(total.shape[0]):
            left[k] = of_missing[k] if missing_left else 0
            right[k] = total[k] - left[k]
        for i in range(stop):
            carried = np.int64(keys[i] & LOW_HALF)
            left[labels[carried]] += weights[carried]
            right[labels[carried]] -= weights[carried]
            if i >= first and changes(keys, i, known):
                score = score_of(left, right, criterion, table, min_weight)
                if score > best + slack:
                    best, place, goes_left = score, i, missing_left
    return best, place, goes_left


@dividing
def scan_numbers(keys, known, n_missing, of_missing, total, weights, moments, min_rows, min_weight, slack):
    """Squared error: (Σ w·y)² / Σ w of both sides."""
    best, place, goes_left = -np.inf, 0, 0
    for missing_left in range(2 if n_missing > 0 else 1):
        first, stop = place_range(missing_left, n_missing, known, min_rows)
        if first >= stop:
            continue
        n_left, on_left = (of_missing[0], of_missing[1]) if missing_left else (np.int64(0), np.int64(0))
        n_right, on_right = total[0] - n_left, total[1] - on_left
        to_beat = best + slack
        for i in range(stop):
            carried = keys[i] & LOW_HALF
            weight, moment = weights[carried], moments[carried]
            n_left, n_right = n_left + weight, n_right - weight
            on_left, on_right = on_left + moment, on_right - moment
            if i < first or not changes(keys, i, known) or min(n_left, n_right) < min_weight:
                continue
            of_left, of_right = np.float64(on_left) * np.float64(on_left), np.float64(on_right) * np.float64(on_right)
            if is_more(of_left, np.float64(n_left), of_right, np.float64(n_right), to_beat):
                best, place = square_by(on_left, n_left) + square_by(on_right, n_right), i
                goes_left, to_beat = missing_left, best + slack
    return best, place, goes_left


@dividing
def square_by(moment, weight):
    return np.float64(moment) * np.float64(moment) / np.float64(weight) if weight > 0 else 0.0


@borrowing
def score_of(left, right, criterion, table, min_weight):
    """Masses of both sides; -inf where one weighs too little."""
    numeric = is_numeric(criterion)
    if min_weight > 0 and min(weight_of(left, numeric), weight_of(right, numeric)) < min_weight:
        return -np.inf
    return mass(left, criterion, table) + mass(right, criterion, table)
