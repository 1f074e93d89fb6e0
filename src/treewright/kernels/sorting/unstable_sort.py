"""A quicksort that is not stable, as M5' has it: where the order of equal values decides, it has to be this one."""

import numpy as np

import treewright.kernels.sorting.unstable_sort_in_numpy as unstable_sort_in_numpy
from treewright.kernels.jit import inlined, inlined_borrowing, kernel

_WAITING = 128  # parts at a time, more than there can be


@inlined
def _exchange(keys, rows, a, b):
    keys[a], keys[b] = keys[b], keys[a]
    rows[a], rows[b] = rows[b], rows[a]


@inlined
def _in_order(keys, rows, a, b):
    """Exchange two places if the first holds more."""
    if keys[a] > keys[b]:
        _exchange(keys, rows, a, b)


@inlined_borrowing
def _divide(keys, rows, left, right):
    """Put what is less than a pivot on its left, and what is greater on its right; returns the place of the pivot.

    Two or three values are sorted, and −1 is returned.
    """
    if right - left == 1:
        _in_order(keys, rows, left, right)
        return -1
    middle = (left + right) // 2
    _in_order(keys, rows, left, middle)
    _in_order(keys, rows, left, right)
    _in_order(keys, rows, middle, right)
    if right - left == 2:
        return -1
    _exchange(keys, rows, middle, right - 1)
    pivot = keys[right - 1]
    i, j = left, right - 1
    while True:
        i += 1
        while keys[i] < pivot:
            i += 1
        j -= 1
        while keys[j] > pivot:
            j -= 1
        if i >= j:
            break
        _exchange(keys, rows, i, j)
    _exchange(keys, rows, i, right - 1)
    return i


@kernel
def unstable_sort(keys, rows):
    """Sort ``keys`` in place, ``rows`` moving along: median of three places, fingers that stop at equal values."""
    waiting = np.empty((_WAITING, 2), np.int64)  # the larger part waits, so there are at most log2(n)
    waiting[0, 0], waiting[0, 1] = 0, len(keys) - 1
    depth = 1
    while depth:
        depth -= 1
        left, right = waiting[depth, 0], waiting[depth, 1]
        while right > left:
            i = _divide(keys, rows, left, right)
            if i < 0:
                break
            if i - left > right - i:
                waiting[depth, 0], waiting[depth, 1] = left, i - 1
                left = i + 1
            else:
                waiting[depth, 0], waiting[depth, 1] = i + 1, right
                right = i - 1
            depth += 1


unstable_sort.in_numpy(unstable_sort_in_numpy.unstable_sort)


@kernel
def order_ties(keys, rows, twins, line):
    """Put equal rows of a sorted ``line`` in the order in which ``unstable_sort`` would leave them.

    ``keys`` and ``rows`` are what would be sorted; they are used up. ``twins`` are the places of the line of which the
    next one has an equal key. Parts without any of these need no sorting: what they come to is known.
    """
    waiting = np.empty((_WAITING, 2), np.int64)
    waiting[0, 0], waiting[0, 1] = 0, len(keys) - 1
    depth = 1
    while depth:
        depth -= 1
        left, right = waiting[depth, 0], waiting[depth, 1]
        while right >= left:
            first = np.searchsorted(twins, left - 1)  # it may be that the row before this part has an equal key
            if first == len(twins) or twins[first] > right:
                break
            i = _divide(keys, rows, left, right) if right > left else -1
            if i < 0:
                line[left : right + 1] = rows[left : right + 1]
                break
            line[i] = rows[i]
            if i - left > right - i:
                waiting[depth, 0], waiting[depth, 1] = left, i - 1
                left = i + 1
            else:
                waiting[depth, 0], waiting[depth, 1] = i + 1, right
                right = i - 1
            depth += 1
