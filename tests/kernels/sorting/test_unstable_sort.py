"""The sort of M5': sorts, keeps pairs together, and orders equal keys as its rules say."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from treewright.kernels.sorting import unstable_parts
from treewright.kernels.sorting.unstable_sort import order_ties, unstable_sort
from treewright.kernels.sorting.unstable_sort_in_numpy import sort_parts


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
    expected_keys, expected_rows = by_recursion(values, range(len(values)))
    for way in (unstable_sort, unstable_sort.function, unstable_sort.twin):
        keys, rows = np.array(values, np.float64), np.arange(len(values))
        way(keys, rows)
        assert keys.tolist() == expected_keys == sorted(values)
        assert rows.tolist() == expected_rows


@given(st.lists(st.integers(1, 5).flatmap(lambda top: st.lists(st.integers(0, top), max_size=40)), max_size=6))
def test_many_parts_at_a_time(parts):
    keys = np.array([key for part in parts for key in part], np.float64)
    rows, stop = np.arange(len(keys)), np.cumsum([len(part) for part in parts], dtype=np.int64)
    start = np.append(np.zeros(1, np.int64), stop)[:-1]
    expected = [by_recursion(keys[a:b], rows[a:b]) for a, b in zip(start, stop)]
    sort_parts(keys, rows, start, stop)
    assert keys.tolist() == [key for part, _ in expected for key in part]
    assert rows.tolist() == [row for _, part in expected for row in part]


@pytest.mark.parametrize("n", [0, 1, 2, 3, 4, 1000])
def test_sorted_and_reversed_rows(n):
    for values in (np.arange(n), np.arange(n)[::-1], np.zeros(n)):
        keys, rows = values.astype(np.float64), np.arange(n)
        unstable_sort(keys, rows)
        assert (np.diff(keys) >= 0).all()
        np.testing.assert_array_equal(values[rows], keys)


@pytest.mark.parametrize("way", [order_ties, order_ties.function])
@given(st.lists(st.integers(0, 90), max_size=60), st.randoms())
def test_equal_rows_of_a_line_that_is_sorted(way, values, random):
    keys, rows = np.array(values, np.float64), np.arange(len(values))
    line = np.array(sorted(range(len(values)), key=lambda row: (values[row], random.random())), np.int64)
    twins = np.flatnonzero(np.diff(keys[line]) == 0).astype(np.int32)
    way(keys.copy(), rows.copy(), twins, line)
    assert line.tolist() == by_recursion(values, range(len(values)))[1]


def test_parts_are_sorted_by_the_loop_as_in_numpy():
    rng = np.random.default_rng(0)
    keys, rows = rng.integers(0, 9, 200).astype(float), np.arange(200, dtype=np.int32)
    start, stop = np.array([0, 30, 31, 90]), np.array([30, 31, 90, 200])
    told = []
    for way in (unstable_parts.sort_parts.twin, unstable_parts.sort_parts.function):
        copies = keys.copy(), rows.copy()
        way(*copies, start, stop)
        told.append([part.tolist() for part in copies])
    assert told[0] == told[1]
