"""The sort of M5': sorts, keeps pairs together, and orders equal keys as its rules say."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from treewright.kernels.sorting.unstable_sort import unstable_sort


def by_recursion(keys, rows):
    """The rules of the sort, word by word."""
    keys, rows = list(keys), list(rows)

    def exchange(a, b):
        keys[a], keys[b], rows[a], rows[b] = keys[b], keys[a], rows[b], rows[a]

    def in_order(a, b):
        if keys[a] > keys[b]:
            exchange(a, b)

    def sort(left, right):
        if right <= left:
            return
        if right - left == 1:
            in_order(left, right)
            return
        centre = (left + right) // 2
        in_order(left, centre)
        in_order(left, right)
        in_order(centre, right)
        if right - left == 2:
            return
        exchange(centre, right - 1)
        pivot, i, j = keys[right - 1], left, right - 1
        while True:
            i += 1
            while keys[i] < pivot:
                i += 1
            j -= 1
            while keys[j] > pivot:
                j -= 1
            if i >= j:
                break
            exchange(i, j)
        exchange(i, right - 1)
        sort(left, i - 1)
        sort(i + 1, right)

    sort(0, len(keys) - 1)
    return keys, rows


@given(st.lists(st.integers(0, 6), max_size=60))
def test_equal_keys_come_in_the_order_of_the_rules(values):
    keys, rows = np.array(values, np.float64), np.arange(len(values))
    unstable_sort(keys, rows)
    expected_keys, expected_rows = by_recursion(values, range(len(values)))
    assert keys.tolist() == expected_keys == sorted(values)
    assert rows.tolist() == expected_rows


@pytest.mark.parametrize("n", [0, 1, 2, 3, 4, 1000])
def test_sorted_and_reversed_rows(n):
    for values in (np.arange(n), np.arange(n)[::-1], np.zeros(n)):
        keys, rows = values.astype(np.float64), np.arange(n)
        unstable_sort(keys, rows)
        assert (np.diff(keys) >= 0).all()
        np.testing.assert_array_equal(values[rows], keys)
