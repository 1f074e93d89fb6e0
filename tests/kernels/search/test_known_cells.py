"""Splits by known values, from cells, against trying every split."""

from itertools import combinations

import numpy as np
import pytest

from kernel_cases import CLASS_CRITERIA, NUMBER_CRITERIA, empty_finds, make_case, slow_mass
from treewright.kernels.search.count import count_cells, new_tally
from treewright.kernels.search.known_cells import (
    CUTS,
    KNOWN_OR_NOT,
    CellArrays,
    CellRuns,
    find_known,
    lay_out_known,
    search_known,
)
from treewright.kernels.search.levels import ONE_VS_REST, SUBSET
from treewright.kernels.search.mass import Criterion

SHAPES = {
    "plain": {"n_codes": 5},
    "one code": {"n_codes": 1},
    "missing": {"n_codes": 4, "missing": 0.3},
    "all missing": {"n_codes": 4, "missing": 1.0},
    "weights and missing": {"n_codes": 6, "missing": 0.5, "weighted": True},
}


def cells_of(case):
    n_rows = len(case.codes)
    first, made = np.empty(case.n_nodes + 1, np.int64), np.empty((2, n_rows), np.int64)
    stats, tally = (
        np.empty((n_rows, case.n_stats), np.int64),
        new_tally(int(case.codes.max(initial=0)) + 1, case.n_stats),
    )
    nodes = case.nodes.start, case.nodes.stop
    n = count_cells(case.codes, case.in_row_order, *nodes, case.data, tally, first, *made, stats)
    return CellArrays(np.repeat(np.arange(case.n_nodes), np.diff(first)), made[0, :n], made[1, :n], stats[:n])


def left_sets(style, n, *, one_order, key):
    """The cells on the left, for every split there is."""
    if style == CUTS:
        return [range(i + 1) for i in range(n - 1)]
    if style == ONE_VS_REST:
        return [[i] for i in (range(n) if n > 2 else range(n - 1))]
    if one_order:
        order = sorted(range(n), key=lambda i: (key[i], i))
        return [order[: i + 1] for i in range(n - 1)]
    return [left for size in range(1, n) for left in combinations(range(n), size)]


def slow_best(case, cells, f, style, own_branch, one_order, rules):
    """The best score, and the statistics on the left of all splits that reach it."""
    here = np.flatnonzero(cells.node == f)
    known, missing = here[cells.code[here] > 0], here[cells.code[here] == 0]
    weight = cells.stats.sum(1) if case.criterion in CLASS_CRITERIA else cells.stats[:, 0]
    key = cells.stats[known, 1] / weight[known]
    splits = [known[list(left)] for left in left_sets(style, len(known), one_order=one_order, key=key)]
    if own_branch and len(missing) and len(known):
        splits.append(known)
    best, found = -np.inf, []
    for left in splits:
        branches = [left, np.setdiff1d(known, left), *([missing] if own_branch else [])]
        sums = [(cells.stats[part].sum(0), cells.rows[part].sum()) for part in branches if len(part)]
        score = case.score(sums, rules)
        if not own_branch and len(missing) and score > -np.inf:
            score += slow_mass(case.nodes.totals[f], case.criterion) - slow_mass(
                cells.stats[known].sum(0), case.criterion
            )
        found.append((score, cells.stats[left].sum(0).tolist()))
        best = max(best, score)
    close = 1e-9 * max(1.0, abs(best))
    return best, [left for score, left in found if score >= best - close]


@pytest.mark.parametrize("criterion", [*CLASS_CRITERIA, *NUMBER_CRITERIA])
@pytest.mark.parametrize("shape", SHAPES.values(), ids=SHAPES)
@pytest.mark.parametrize("style", [CUTS, ONE_VS_REST, SUBSET])
@pytest.mark.parametrize("own_branch", [False, True])
@pytest.mark.parametrize("n_rows", [0, 1, 2, 40])
def test_the_best_split_is_found_and_laid_out(criterion, shape, style, own_branch, n_rows):
    case = make_case(criterion, n_rows, n_rows, n_nodes=3, code_type=np.uint8, n_classes=3, **shape)
    cells, finds, rules = cells_of(case), empty_finds(3), case.rules(min_rows=2)
    runs, known = CellRuns(*np.empty((3, 3), np.int64)), case.nodes._replace(totals=np.empty_like(case.nodes.totals))
    totals, numeric = case.nodes.totals.copy(), criterion in NUMBER_CRITERIA
    find_known(cells, totals, runs, known)
    search_known(style, own_branch, cells, totals, runs, known, rules, finds)
    for f in range(3):
        best, lefts = slow_best(case, cells, f, style, own_branch, numeric, rules)
        assert finds.score[f] == pytest.approx(best, rel=1e-9)
        if best > -np.inf:
            left, on_left = np.zeros((1, case.n_stats), np.int64), np.zeros(len(cells.node), np.bool_)
            chosen = np.array([f])
            lay_out_known(style, numeric, numeric, cells, runs, chosen, finds.cut[chosen], left, on_left)
            assert left[0].tolist() in lefts + [(known.totals[f] - np.array(other)).tolist() for other in lefts]
            np.testing.assert_array_equal(cells.stats[on_left].sum(0), left[0])


def test_of_equals_a_split_of_known_values_comes_before_known_or_missing():
    """Both classes are told apart by the value, and by whether there is one."""
    cells = CellArrays(
        np.zeros(3, np.int64), np.array([0, 1, 2]), np.array([2, 1, 1]), np.array([[0, 2], [1, 0], [1, 0]])
    )
    case = make_case(Criterion.GINI, 0, 4, n_codes=2, n_nodes=1, n_classes=2)
    runs, finds, totals = CellRuns(*np.empty((3, 1), np.int64)), empty_finds(1), np.array([[2, 2]])
    known = case.nodes._replace(totals=np.empty((1, 2), np.int64), slack=np.full(1, 1e-9))
    find_known(cells, totals, runs, known)
    search_known(CUTS, True, cells, totals, runs, known, case.rules(), finds)
    assert finds.cut[0] == 0
    search_known(CUTS, True, cells, totals, runs, known, case.rules(min_rows=2), finds)
    assert finds.cut[0] == KNOWN_OR_NOT
