"""Entries sorted by branch, against NumPy's stable sort."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kernel_cases import LARGE
from treewright.kernels.store_kernels.partition import (
    Taken,
    keep_both,
    keep_many,
    keep_one,
    partition,
    renumber,
    reorder,
    slots,
)

DTYPES = (np.uint32, np.int64)
SIZES = (0, 1, 2, 50, LARGE)


def make_entries(seed, n_rows, bits, dtype):
    """Rows in any order, with labels in the low bits."""
    random = np.random.default_rng(seed)
    rows, labels = random.permutation(n_rows), random.integers(0, 1 << bits, n_rows)
    return ((rows << bits) | labels).astype(dtype)


def sides(seed, n_rows, n_branches):
    return np.random.default_rng(seed + 1).integers(0, n_branches, n_rows).astype(np.uint8)


def branches_of(entries, bits, side):
    return side[(entries >> bits).astype(np.int64)]


@pytest.mark.parametrize("n_rows", SIZES)
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("bits", [0, 2])
@pytest.mark.parametrize("shares", [(0, 1), (0, 0), (1, 1)], ids=["both", "all left", "all right"])
def test_both_branches_are_kept(n_rows, dtype, bits, shares):
    entries, side = make_entries(n_rows, n_rows, bits, dtype), np.array(shares, np.uint8)[sides(0, n_rows, 2)]
    expected = entries[np.argsort(branches_of(entries, bits, side), kind="stable")]
    keep_both(entries, np.empty(n_rows + 1, dtype), bits, side, 0, n_rows)
    np.testing.assert_array_equal(entries, expected)


@pytest.mark.parametrize("n_rows", SIZES)
@pytest.mark.parametrize("branch", [0, 1])
def test_one_branch_is_kept(n_rows, branch):
    entries, side = make_entries(n_rows, n_rows, 1, np.uint32), sides(1, n_rows, 2)
    expected = entries[branches_of(entries, 1, side) == branch]
    keep_one(entries, 1, side, 0, n_rows, branch)
    np.testing.assert_array_equal(entries[: len(expected)], expected)


@pytest.mark.parametrize("n_rows", SIZES)
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("dropped", [(), (1,), (0, 3)])
def test_many_branches_are_kept_but_those_that_are_done(n_rows, dtype, dropped):
    entries, side = make_entries(n_rows, n_rows, 2, dtype), sides(2, n_rows, 4)
    branch = branches_of(entries, 2, side)
    kept = [entries[branch == b] for b in range(4) if b not in dropped]
    place, at = np.full(7, -1), 0  # the node's children are numbers 3 … 6
    for b in range(4):
        if b not in dropped:
            place[3 + b], at = at, at + int((branch == b).sum())
    keep_many(entries, np.empty(n_rows, dtype), 2, side, 0, n_rows, 3, place)
    np.testing.assert_array_equal(entries[:at], np.concatenate(kept))


@pytest.mark.parametrize("dtype", DTYPES)
@given(data=st.data())
def test_all_nodes_of_a_round(dtype, data):
    """Nodes of two or more branches lie side by side with nodes that are not split; children lie where they were."""
    n_branches = data.draw(st.lists(st.sampled_from([0, 2, 2, 3, 5]), min_size=1, max_size=5))
    sizes = data.draw(st.lists(st.integers(0, 12), min_size=len(n_branches), max_size=len(n_branches)))
    bits, n_rows = data.draw(st.integers(0, 3)), sum(sizes)
    entries = make_entries(data.draw(st.integers(0, 99)), n_rows, bits, dtype)
    stops = np.cumsum(sizes)
    side, expected = np.zeros(n_rows, np.uint8), entries.copy()
    defined = np.ones(n_rows, bool)
    child_start, first_child = [], [0]
    split = [f for f, count in enumerate(n_branches) if count]
    for f in split:
        start, stop = stops[f] - sizes[f], stops[f]
        rows = (entries[start:stop] >> bits).astype(np.int64)
        side[rows] = data.draw(st.lists(st.integers(0, n_branches[f] - 1), min_size=len(rows), max_size=len(rows)))
        wanted = data.draw(st.lists(st.booleans(), min_size=n_branches[f], max_size=n_branches[f]))
        parts = [entries[start:stop][side[rows] == b] for b in range(n_branches[f]) if wanted[b]]
        at = int(start)
        for b in range(n_branches[f]):
            child_start.append(at if wanted[b] else -1)
            at += int((side[rows] == b).sum()) if wanted[b] else 0
        expected[start:at] = np.concatenate([*parts, np.empty(0, dtype)])
        defined[at:stop] = False
        first_child.append(len(child_start))
    start, stop = (np.array([bound[f] for f in split], np.int64) for bound in (stops - sizes, stops))
    taken = Taken(start, stop, np.array(first_child), np.array(child_start, np.int64))
    partition(entries, np.empty(max(sizes) + 1, dtype), bits, side, taken)
    np.testing.assert_array_equal(entries[defined], expected[defined])


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("bits", [0, 3])
@pytest.mark.parametrize("n_rows", [2, 50, LARGE])
def test_rows_are_numbered_anew(dtype, bits, n_rows):
    """Nodes with gaps between them; lists of other columns hold the same rows in another order."""
    entries = make_entries(3, n_rows, bits, dtype)
    start, size = np.array([0, n_rows // 2]), np.array([n_rows // 3, n_rows // 4])
    held = np.concatenate([np.arange(a, a + n) for a, n in zip(start, size)])
    rows = (entries[held] >> bits).astype(np.int64)
    slot_of_row, row_at_slot = np.zeros(n_rows, dtype), np.zeros(len(rows), dtype)
    slots(entries, bits, start, size, slot_of_row, row_at_slot)
    np.testing.assert_array_equal(row_at_slot, rows)
    np.testing.assert_array_equal(slot_of_row[rows], np.arange(len(rows)))

    other, random = entries.copy(), np.random.default_rng(4)
    for a, n in zip(start, size):
        random.shuffle(other[a : a + n])
    old_rows, labels = (other[held] >> bits).astype(np.int64), other[held] & ((1 << bits) - 1)
    renumber(other, bits, start, size, slot_of_row)
    renumbered = other[: len(held)]
    np.testing.assert_array_equal(row_at_slot[(renumbered >> bits).astype(np.int64)], old_rows)
    np.testing.assert_array_equal(renumbered & ((1 << bits) - 1), labels)


@pytest.mark.parametrize("value_type", [np.uint8, np.uint32, np.int64])
@pytest.mark.parametrize("n", [0, 1, 40])
def test_values_move_with_their_rows(value_type, n):
    random = np.random.default_rng(n)
    values = random.integers(0, 200, 50).astype(value_type)
    places = random.permutation(50)[:n].astype(np.uint32)
    expected = values[places]
    reorder(values, places, np.empty(n, value_type))
    np.testing.assert_array_equal(values[:n], expected)
