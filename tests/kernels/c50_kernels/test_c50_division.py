"""Cases divided among the branches of a test: both roads, beside moves done by hand."""

import numpy as np
import pytest

from treewright.c50.case_table import unknown_bits
from treewright.kernels.c50_kernels.c50_division import Stops, begin_division, next_branch

N_CASES, N_BRANCHES = 60, 4
GROUPS = np.array([-1, 1, 2, 3, 4, -1])  # the branch of each value; the last goes nowhere


def divided(begin, following, values, start, labels, weights, unfinished):
    """The cases and weights at every branch that is no leaf, and in the end. Below a branch its cases are turned."""
    cases, branches = start.copy(), np.zeros(N_CASES, np.int32)
    weighed = np.column_stack([weights, labels]).astype(np.float32)
    (own, real, sizes), seen = np.zeros((3, N_BRANCHES + 1)), []
    first, last = 5, N_CASES - 5
    start = begin(
        values, 0.0, GROUPS, cases, branches, first, last, weighed, np.ones(2), False, False, own, real, sizes
    )
    shares = np.float64(np.float32(own[1:] / own[1:].sum()))
    state, found = np.array([0, first, start, last, 0, 0, 0]), np.zeros((N_BRANCHES, 5))
    is_leaf = ~np.isin(np.arange(N_BRANCHES), unfinished)
    while True:
        b = following(
            unknown_bits(values[None])[0], cases, branches, np.zeros(N_CASES, np.int32), weighed, 2, own, sizes, shares,
            own[0], is_leaf, Stops(2.0, -1.0), False, state, found, np.zeros(2),
        )  # fmt: skip
        if b < 0:
            return seen, cases, weighed[:, 0], found
        begins, ends = int(state[5]), int(state[4])
        seen.append((b, cases[begins:ends].tolist(), weighed[cases[begins:ends], 0].tolist()))
        cases[begins:ends] = cases[begins:ends][::-1]


def moved_by_hand(values, cases, unfinished):
    """The cases in the end, by the rules as they are told."""
    cases = cases.tolist()
    first, last = 5, N_CASES - 5
    branch = [0 if np.isnan(value) else int(GROUPS[int(value)]) for value in values]

    def bring(wanted, begin):
        for i in range(begin, last):
            if branch[cases[i]] == wanted:
                cases[i], cases[begin] = cases[begin], cases[i]
                begin += 1
        return begin

    begin = bring(0, first)
    for b in range(N_BRANCHES):
        end = bring(b + 1, begin)
        if b in unfinished:
            cases[first:end] = cases[first:end][::-1]
        place = end
        for i in range(end - 1, first - 1, -1):
            if branch[cases[i]] == 0:
                place -= 1
                cases[i], cases[place] = cases[place], cases[i]
        first, begin = place, end
    return cases


@pytest.mark.parametrize("count", [True, False])
@pytest.mark.parametrize("has_factors", [True, False])
def test_branches_of_numbers_are_the_same_on_both_roads(count, has_factors):
    """Up to the cut, above it, not applicable and unknown."""
    for seed in range(6):
        rng = np.random.default_rng(seed)
        values = rng.choice([-np.inf, -1.0, 0.0, 0.5, 2.0, np.nan] if seed else [-1.0, 2.0], N_CASES).astype(np.float32)
        weighed = np.column_stack([rng.random(N_CASES) + 0.2, rng.integers(0, 2, N_CASES)]).astype(np.float32)
        factors, start = np.array([1.5, 0.75]), rng.permutation(N_CASES)
        made = []
        for begin in (begin_division, begin_division.plain):
            cases, branches, amounts = start.copy(), np.zeros(N_CASES, np.int32), np.zeros((3, 4))
            no_groups = np.empty(0, np.int64)
            end = begin(
                values, 0.0, no_groups, cases, branches, 5, N_CASES, weighed, factors, has_factors, count, *amounts
            )
            made.append((end, cases.tolist(), branches[5:].tolist(), amounts.tolist()))
        assert made[0] == made[1]
        own, real, sizes = made[0][3]
        here = values[start[5:]]
        assert sizes == [
            np.isnan(here).sum(),
            (here == -np.inf).sum(),
            ((here <= 0) & (here > -np.inf)).sum(),
            (here > 0).sum(),
        ]
        assert (own == sizes) == count
        assert (own == real) == (not has_factors)


@pytest.mark.parametrize("share", [0.0, 0.3])
@pytest.mark.parametrize("unfinished", [[], [0], [1, 3], [0, 1, 2, 3]])
def test_cases_are_moved_as_told(share, unfinished):
    for seed in range(8):
        rng = np.random.default_rng(seed)
        values = rng.integers(1, 6, N_CASES).astype(np.float32)
        values[rng.random(N_CASES) < share] = np.nan
        weights = np.float64(np.float32(rng.random(N_CASES) + 0.2))
        given = values, rng.permutation(N_CASES), rng.integers(0, 2, N_CASES), weights, unfinished
        seen, cases, after, found = divided(begin_division, next_branch, *given)
        plain_seen, plain_cases, plain_after, plain_found = divided(begin_division.plain, next_branch.plain, *given)
        assert seen == plain_seen
        assert cases.tolist() == plain_cases.tolist() == moved_by_hand(values, given[1], unfinished)
        np.testing.assert_array_equal(after, plain_after)
        np.testing.assert_allclose(after, weights, rtol=1e-6)  # as they were, but for rounding
        np.testing.assert_array_equal(found, plain_found)


def test_light_unknown_cases_may_be_left_out():
    """Those of .11 are heavy enough in the branch of most cases; in the other one even those of 1 are light."""
    values = np.array([np.nan, 1, np.nan, 2, 1, np.nan, 2, 1] + [1] * (N_CASES - 8), np.float32)
    weighed = np.column_stack([np.ones(N_CASES), np.arange(N_CASES) % 2]).astype(np.float32)
    weighed[[0, 5], 0] = 0.11
    made = []
    for begin, following in ((begin_division, next_branch), (begin_division.plain, next_branch.plain)):
        cases, branches = np.arange(N_CASES), np.zeros(N_CASES, np.int32)
        (own, real, sizes), moved = np.zeros((3, 3)), weighed.copy()
        groups = np.array([-1, 1, 2])
        start = begin(
            values, 0.0, groups, cases, branches, 0, N_CASES, moved, np.ones(2), False, False, own, real, sizes
        )
        shares = np.float64(np.float32(own[1:] / own[1:].sum()))
        state, found = np.array([0, 0, start, N_CASES, 0, 0, 0]), np.zeros((2, 5))
        at = []
        while True:
            b = following(
                unknown_bits(values[None])[0], cases, branches, np.zeros(N_CASES, np.int32), moved, 2, own, sizes,
                shares, own[0], np.zeros(2, np.bool_), Stops(0.1, -1.0), True, state, found, np.zeros(2),
            )  # fmt: skip
            if b < 0:
                break
            at.append((b, np.isnan(values[cases[state[5] : state[4]]]).sum(), cases[state[5] : state[4]].tolist()))
        made.append((at, cases.tolist(), moved.tolist(), found.tolist()))
    assert made[0] == made[1]
    assert [(b, n_unknown) for b, n_unknown, _ in made[0][0]] == [(0, 3), (1, 0)]
