"""Sort the entries of split nodes by branch, keeping their order within a branch."""

from typing import NamedTuple

import numpy as np
from numba import njit


class Taken(NamedTuple):
    """Nodes that were split. Children of node t are ``first_child[t] … first_child[t+1]-1`` in the child arrays."""

    start: np.ndarray  # (t,) int64
    stop: np.ndarray  # (t,) int64
    first_child: np.ndarray  # (t + 1,) int64
    child_start: np.ndarray  # (children,) int64: where the child's entries go; -1: not needed any more


@njit(nogil=True, cache=True)
def partition(entries, scratch, bits, side, taken):
    for t in range(taken.start.shape[0]):
        first, last = taken.first_child[t], taken.first_child[t + 1]
        if last - first == 2:
            left, right = taken.child_start[first], taken.child_start[first + 1]
            if left >= 0 and right >= 0:
                keep_both(entries, scratch, bits, side, taken.start[t], taken.stop[t])
            elif left >= 0 or right >= 0:
                keep_one(entries, bits, side, taken.start[t], taken.stop[t], 0 if left >= 0 else 1)
        else:
            keep_many(entries, scratch, bits, side, taken.start[t], taken.stop[t], taken.child_start[first:last])


@njit(nogil=True, cache=True)
def keep_both(entries, scratch, bits, side, start, stop):
    # Without a branch: every entry is written to both places, and only one of the two moves on.
    left, right = start, 0
    for i in range(start, stop):
        entry = entries[i]
        goes_right = np.int64(side[entry >> bits])
        entries[left] = entry
        scratch[right] = entry
        right += goes_right
        left += 1 - goes_right
    for i in range(right):
        entries[left + i] = scratch[i]


@njit(nogil=True, cache=True)
def keep_one(entries, bits, side, start, stop, branch):
    place = start
    for i in range(start, stop):
        entry = entries[i]
        entries[place] = entry
        place += np.int64(side[entry >> bits] == branch)


@njit(nogil=True, cache=True)
def keep_many(entries, scratch, bits, side, start, stop, child_start):
    place = child_start.copy()
    scratch[: stop - start] = entries[start:stop]
    for i in range(stop - start):
        branch = side[scratch[i] >> bits]
        if place[branch] >= 0:
            entries[place[branch]] = scratch[i]
            place[branch] += 1
