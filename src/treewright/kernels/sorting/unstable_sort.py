"""A quicksort that is not stable, as M5' has it: where the order of equal values decides, it has to be this one."""

import numpy as np

import treewright.kernels.sorting.unstable_sort_in_numpy as unstable_sort_in_numpy
from treewright.kernels.jit import inlined, kernel


@inlined
def _exchange(keys, rows, a, b):
    keys[a], keys[b] = keys[b], keys[a]
    rows[a], rows[b] = rows[b], rows[a]


@inlined
def _in_order(keys, rows, a, b):
    """Exchange two places if the first holds more."""
    if keys[a] > keys[b]:
        _exchange(keys, rows, a, b)


@kernel
def unstable_sort(keys, rows):
    """Sort ``keys`` in place, ``rows`` moving along: median of three places, fingers that stop at equal values."""
    waiting = np.empty((128, 2), np.int64)  # the larger part waits, so there are at most log2(n)
    waiting[0, 0], waiting[0, 1] = 0, len(keys) - 1
    depth = 1
    while depth:
        depth -= 1
        left, right = waiting[depth, 0], waiting[depth, 1]
        while right > left:
            if right - left == 1:
                _in_order(keys, rows, left, right)
                break
            middle = (left + right) // 2
            _in_order(keys, rows, left, middle)
            _in_order(keys, rows, left, right)
            _in_order(keys, rows, middle, right)
            if right - left == 2:
                break
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
            if i - left > right - i:
                waiting[depth, 0], waiting[depth, 1] = left, i - 1
                left = i + 1
            else:
                waiting[depth, 0], waiting[depth, 1] = i + 1, right
                right = i - 1
            depth += 1


unstable_sort.in_numpy(unstable_sort_in_numpy.unstable_sort)
