"""Cases that move to branches, against numpy: known cases one way, missing ones every way by share."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from kernel_cases import shared_parts
from treewright.kernels.store_kernels import cases as kernels
from treewright.kernels.store_kernels.cases import (
    CUT,
    GROUPS,
    MULTIWAY,
    ONE_VS_REST,
    CaseArrays,
    Moves,
    Parted,
    heaviest,
    share_of,
)

N_CODES = 5
GROUP = np.array([[-1, 1, 0, 2, 1]], np.int32)


def branches_of(kind: int, codes: np.ndarray, cut: int) -> np.ndarray:
    """The branch of each code, -1 where it is missing."""
    by_kind = {CUT: codes > cut, MULTIWAY: codes - 1, ONE_VS_REST: codes != cut, GROUPS: GROUP[0][codes]}
    return np.where(codes == 0, -1, by_kind[kind].astype(np.int64))


def as_given(kind: int, cut: int) -> tuple[np.ndarray, ...]:
    """One node's test as the kernel takes it; what stands at code 0 is never looked at."""
    of_codes = np.array([99, 0, 1]) if kind == CUT else branches_of(kind, np.arange(N_CODES), cut)
    return np.array([kind == CUT]), np.array([cut]), np.array([0, len(of_codes)]), of_codes.astype(np.int32)


cells = st.lists(
    st.tuples(st.integers(0, N_CODES - 1), st.integers(0, 2), st.integers(1, 10_000)), min_size=1, max_size=30
)


@given(
    cells, st.sampled_from([CUT, MULTIWAY, ONE_VS_REST, GROUPS]), st.integers(1, 4), st.lists(st.booleans(), min_size=4)
)
def test_branches_get_what_numpy_gives_them(cells, kind, cut, wanted):
    codes, labels, weights = (np.array(part, np.int64) for part in zip(*cells))
    side = branches_of(kind, codes, cut)
    if (side < 0).all():
        return
    n_branches = {MULTIWAY: N_CODES - 1, GROUPS: 3}.get(kind, 2)
    known = np.bincount(side[side >= 0], weights[side >= 0], minlength=n_branches).astype(np.int64)
    parts, missing = shared_parts(weights[side < 0], known), np.flatnonzero(side < 0)

    n = len(codes)
    rows = np.random.default_rng(0).permutation(n).astype(np.uint32)
    by_row = np.empty(n, np.uint8)
    by_row[rows] = codes
    old = CaseArrays(rows, weights, labels.astype(np.uint8))
    start, stop, first = np.zeros(1, np.int64), np.array([n]), np.array([0, n_branches])
    rooms = [np.zeros(shape, np.int64) for shape in (1, n_branches, (n_branches, 3), n_branches)]
    parted = Parted(first, *rooms)
    sides = np.zeros(n, np.int32)
    kernels.send_cases(by_row, np.zeros(1, np.int64), start, stop, old, *as_given(kind, cut), parted, sides)

    expected = []  # of each branch: rows, weights and labels, missing cases first
    for branch in range(n_branches):
        here, gone = np.flatnonzero(side == branch), missing if known[branch] else missing[:0]
        places = np.concatenate([gone, here])
        expected.append((places, np.concatenate([parts[: len(gone), branch], weights[here]])))
    assert sides.tolist() == side.tolist()
    assert parted.known.tolist() == known.tolist()
    assert parted.n_missing[0] == len(missing)
    assert parted.rows.tolist() == [len(places) for places, _ in expected]
    for branch, (places, weight) in enumerate(expected):
        assert parted.stats[branch].tolist() == np.bincount(labels[places], weight, minlength=3).tolist()
    assert parted.stats.sum(0).tolist() == np.bincount(labels, weights, minlength=3).tolist()

    kept = np.array([size if keep else 0 for size, keep in zip(parted.rows, wanted)])
    begin = np.cumsum(kept) - kept
    moves = Moves(np.zeros(1, np.int64), np.where(kept > 0, begin, -1), sides, np.empty(n, np.uint32))
    new = CaseArrays(np.zeros(kept.sum(), np.uint32), np.zeros(kept.sum(), np.int64), np.zeros(kept.sum(), np.uint8))
    kernels.move_cases(start, stop, old, parted, moves, new)
    order = np.argsort(codes, kind="stable").astype(np.uint32)
    slots, sorted_codes = np.zeros(kept.sum(), np.uint32), np.zeros(kept.sum(), np.uint8)
    kernels.move_list(order, codes[order].astype(np.uint8), start, stop, parted, moves, slots, sorted_codes)
    for branch, (places, weight) in enumerate(expected):
        if kept[branch]:
            here = slice(begin[branch], begin[branch] + kept[branch])
            assert new.row[here].tolist() == rows[places].tolist()
            assert new.weight[here].tolist() == weight.tolist()
            assert new.label[here].tolist() == labels[places].tolist()
            assert sorted(slots[here]) == list(range(here.start, here.stop))
            assert sorted_codes[here].tolist() == sorted(codes[places])
            assert by_row[new.row[slots[here]]].tolist() == sorted_codes[here].tolist()


@given(st.lists(st.integers(0, 9), min_size=1, max_size=8))
def test_the_heaviest_is_the_first_of_equals(known):
    assert heaviest(np.array(known), 0, len(known)) == int(np.argmax(known))


@given(st.integers(0, 2**50), st.integers(0, 1000), st.integers(1, 1000))
def test_a_share_is_rounded(weight, part, more):
    assert abs(share_of(weight, part, part + more) - weight * part / (part + more)) <= 0.5 + weight * 1e-15
