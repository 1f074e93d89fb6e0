"""The quicksort of ``unstable_sort.py``, all parts that wait to be sorted at a time: its numpy twin."""

import numpy as np


def unstable_sort(keys, rows):
    sort_parts(keys, rows, np.zeros(1, np.int64), np.full(1, len(keys), np.int64))


def sort_parts(keys, rows, start, stop):
    """Sort every part [start, stop) of the keys, rows moving along."""
    left, right = start, stop - 1
    while True:
        wait = right > left
        left, right = left[wait], right[wait]
        if not len(left):
            return
        _order_three(keys, rows, left, right)
        long = right - left > 2
        left, right = left[long], right[long]
        if not len(left):
            return
        _exchange(keys, rows, (left + right) // 2, right - 1)
        pivot_at = _partition(keys, rows, left, right)
        left, right = np.concatenate((left, pivot_at + 1)), np.concatenate((pivot_at - 1, right))


def _exchange(keys, rows, a, b):
    keys[a], keys[b] = keys[b], keys[a]
    rows[a], rows[b] = rows[b], rows[a]


def _order_three(keys, rows, left, right):
    """Put the first, the middle and the last place of every part in order; of two places the only two."""
    middle = (left + right) // 2
    for a, b in ((left, middle), (left, right), (middle, right)):
        swap = keys[a] > keys[b]
        _exchange(keys, rows, a[swap], b[swap])


def _partition(keys, rows, left, right):
    """Divide every part by the key at its last place but one; returns where these keys end up.

    One finger goes up and stops at keys not below the pivot, one goes down and stops at keys not above it. While they
    have not met, what they stop at is exchanged: the first stop of the one with the first of the other, and so on.
    """
    # Methods of arrays, not functions of numpy: parts are short, and to find the method takes as long as to run it.
    n, pivot, inside = len(left), keys[right - 1], right - left - 2  # places between the first one and the pivot's
    every = np.arange(n)
    part = every.repeat(inside)
    place = np.arange(len(part)) + (left + 1 - (inside.cumsum() - inside)).repeat(inside)
    key, of_part = keys[place], pivot[part]
    (up,), (down,) = (key >= of_part).nonzero(), (key <= of_part).nonzero()
    n_up, n_down = np.bincount(part[up], minlength=n), np.bincount(part[down], minlength=n)
    begin_up, end_down = n_up.cumsum() - n_up, n_down.cumsum()
    n_pairs = np.minimum(n_up, n_down)
    of_pair = every.repeat(n_pairs)
    turn = np.arange(len(of_pair)) - (n_pairs.cumsum() - n_pairs).repeat(n_pairs)
    a, b = place[up[begin_up[of_pair] + turn]], place[down[end_down[of_pair] - 1 - turn]]
    apart = a < b
    _exchange(keys, rows, a[apart], b[apart])
    n_exchanged = np.bincount(of_pair[apart], minlength=n)
    meeting = right - 1  # where the finger that goes up stops at last
    more, some = n_up > n_exchanged, n_exchanged > 0
    meeting[more] = np.minimum(meeting[more], place[up[(begin_up + n_exchanged)[more]]])
    meeting[some] = np.minimum(meeting[some], place[down[(end_down - n_exchanged)[some]]])
    _exchange(keys, rows, meeting, right - 1)
    return meeting
