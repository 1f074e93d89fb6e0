"""Sort the entries of split nodes by branch, keeping their order within a branch."""

from typing import NamedTuple

import numpy as np

from treewright.kernels.jit import kernel


class Taken(NamedTuple):
    """Nodes that were split. Children of node t are ``first_child[t] … first_child[t+1]-1`` in the child arrays."""

    start: np.ndarray  # (t,) int64
    stop: np.ndarray  # (t,) int64
    first_child: np.ndarray  # (t + 1,) int64
    child_start: np.ndarray  # (children,) int64: where the child's entries go; -1: not needed any more


@kernel
def partition(entries, scratch, bits, side, taken):
    place = taken.child_start.copy()
    for t in range(taken.start.shape[0]):
        first, last = taken.first_child[t], taken.first_child[t + 1]
        if last - first == 2:
            left, right = taken.child_start[first], taken.child_start[first + 1]
            if left >= 0 and right >= 0:
                keep_both(entries, scratch, bits, side, taken.start[t], taken.stop[t])
            elif left >= 0 or right >= 0:
                keep_one(entries, bits, side, taken.start[t], taken.stop[t], 0 if left >= 0 else 1)
        else:
            keep_many(entries, scratch, bits, side, taken.start[t], taken.stop[t], first, place)


@kernel
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


@kernel
def keep_one(entries, bits, side, start, stop, branch):
    place = start
    for i in range(start, stop):
        entry = entries[i]
        entries[place] = entry
        place += np.int64(side[entry >> bits] == branch)


@kernel
def keep_many(entries, scratch, bits, side, start, stop, first_child, place):
    """``place[first_child + branch]`` is where the branch's next entry goes; -1: nowhere."""
    for i in range(start, stop):
        scratch[i - start] = entries[i]
    for i in range(stop - start):
        child = first_child + side[scratch[i] >> bits]
        if place[child] >= 0:
            entries[place[child]] = scratch[i]
            place[child] += 1


@kernel
def slots(entries, bits, start, size, slot_of_row, row_at_slot):
    """Number the rows of the given nodes anew, one node after the other, so that a node's rows are neighbours."""
    slot = 0
    for f in range(start.shape[0]):
        for i in range(start[f], start[f] + size[f]):
            row = entries[i] >> bits
            slot_of_row[row] = slot
            row_at_slot[slot] = row
            slot += 1


@kernel
def renumber(entries, bits, start, size, slot_of_row):
    """Move the entries of the given nodes to the front, end to end, with the new numbers of their rows.

    The nodes lie one after the other, so nothing is overwritten before it is read.
    """
    labels = (1 << bits) - 1
    place = 0
    for f in range(start.shape[0]):
        for i in range(start[f], start[f] + size[f]):
            entry = entries[i]
            entries[place] = (slot_of_row[entry >> bits] << bits) | (entry & labels)
            place += 1


@kernel
def reorder(values, places, scratch):
    """Replace ``values[i]`` by ``values[places[i]]``."""
    for i in range(places.shape[0]):
        scratch[i] = values[places[i]]
    for i in range(places.shape[0]):
        values[i] = scratch[i]
