"""Counted columns: tallies and cuts against numpy and against trying every cut."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kernel_cases import (
    CLASS_CRITERIA,
    LARGE,
    NUMBER_CRITERIA,
    check_finds,
    counted_splits,
    empty_finds,
    empty_meaning,
    first_best,
    make_case,
)
from treewright.kernels.count import count, empty, new_tally, resolve_cuts, search_cuts, sort_codes
from treewright.kernels.mass import Criterion
from treewright.kernels.nodes import edge_between

ALL = (*CLASS_CRITERIA, *NUMBER_CRITERIA)
SHAPES = {
    "plain": {"n_codes": 6},
    "one code": {"n_codes": 1},
    "many codes": {"n_codes": 200},
    "missing": {"n_codes": 4, "missing": 0.3},
    "all missing": {"n_codes": 4, "missing": 1.0},
    "weights": {"n_codes": 30, "weighted": True},
    "weights and missing": {"n_codes": 5, "missing": 0.5, "weighted": True},
}


def counted_case(criterion, seed, n_rows, **options):
    return make_case(criterion, seed, n_rows, code_type=np.uint8, **options)


def tally_for(case):
    return new_tally(int(case.codes.max(initial=0)) + 1, case.n_stats)


def searched(case, rules):
    finds, tally = empty_finds(case.n_nodes), tally_for(case)
    search_cuts(0, case.codes, case.in_row_order, case.nodes, case.data, rules, tally, finds)
    assert not tally.rows.any()  # left empty for the next column
    assert not tally.stats.any()
    return finds


@pytest.mark.parametrize("criterion", [Criterion.GINI, Criterion.SQUARED_ERROR])
@pytest.mark.parametrize("shape", SHAPES.values(), ids=SHAPES)
@pytest.mark.parametrize("n_rows", [0, 1, 2, 300])
@pytest.mark.parametrize("dtype", [np.uint32, np.int64])
def test_tallies(criterion, shape, n_rows, dtype):
    case = counted_case(criterion, n_rows, n_rows, n_nodes=2, dtype=dtype, **shape)
    tally = tally_for(case)
    for f in range(2):
        n = count(case.codes, case.in_row_order, case.nodes.start[f], case.nodes.stop[f], case.data, tally)
        stats, rows = case.tables(f)
        np.testing.assert_array_equal(tally.stats, stats)
        np.testing.assert_array_equal(tally.rows, rows)
        assert tally.codes[:n].tolist() == np.flatnonzero(rows).tolist()
        empty(tally, n)
        assert not tally.rows.any()
        assert not tally.stats.any()


@given(st.sets(st.integers(0, 80), max_size=60), st.randoms())
def test_codes_are_sorted_however_many(codes, random):
    """Few are sorted by insertion, many by a walk over all."""
    shuffled = list(codes)
    random.shuffle(shuffled)
    listed, rows = np.full(81, -1), np.zeros(81, np.int64)
    listed[: len(codes)] = shuffled
    rows[shuffled] = 1
    sort_codes(listed, rows, len(codes))
    assert listed[: len(codes)].tolist() == sorted(codes)


@pytest.mark.parametrize("criterion", ALL)
@pytest.mark.parametrize("shape", SHAPES.values(), ids=SHAPES)
@pytest.mark.parametrize("n_rows", [0, 1, 2, 3, 60])
@pytest.mark.parametrize("dtype", [np.uint32, np.int64])
def test_the_best_cut_is_found(criterion, shape, n_rows, dtype):
    for seed in range(2):
        case = counted_case(criterion, seed, n_rows, n_nodes=2, dtype=dtype, **shape)
        rules = case.rules()
        check_finds(case, searched(case, rules), counted_splits, rules)


@pytest.mark.parametrize("criterion", ALL)
@pytest.mark.parametrize("min_rows", [2, 8, 100])
def test_branches_have_enough_rows(criterion, min_rows):
    case = counted_case(criterion, 4, 60, n_codes=9, missing=0.2, n_nodes=2)
    rules = case.rules(min_rows=min_rows)
    check_finds(case, searched(case, rules), counted_splits, rules)


def test_large_nodes():
    case = counted_case(Criterion.GINI, 5, LARGE, n_codes=250, missing=0.1, signal=0.5)
    rules = case.rules()
    check_finds(case, searched(case, rules), counted_splits, rules)


@pytest.mark.parametrize("criterion", [Criterion.GINI, Criterion.SQUARED_ERROR])
@pytest.mark.parametrize("shape", SHAPES.values(), ids=SHAPES)
@pytest.mark.parametrize("numeric", [True, False])
@pytest.mark.parametrize("seed", range(2))
def test_what_the_chosen_cuts_mean(criterion, shape, numeric, seed):
    case = counted_case(criterion, seed, 60, n_nodes=3, **shape)
    rules, tally = case.rules(), tally_for(case)
    finds = searched(case, rules)
    chosen = np.flatnonzero(finds.cut >= 0)
    n_codes = len(tally.rows)
    lows = np.cumsum(np.arange(n_codes - 1)) * 1.0 if numeric else np.empty(0)
    highs = lows + 0.5
    meaning = empty_meaning(case, 2, 3 if numeric else n_codes)
    side = np.full(len(case.codes), 9, np.uint8)
    ordered = case.codes, lows, highs, case.in_row_order
    resolve_cuts(*ordered, chosen, case.nodes, case.data, tally, finds, side, meaning)
    for f in chosen:
        split = first_best(counted_splits(case, f, rules), case.nodes.slack[f])
        check_meaning(case, f, split, meaning, side)
        check_branches(case, f, split, meaning, lows, highs)
    assert not tally.rows.any()


def check_meaning(case, f, split, meaning, side):
    left, rows = split[3], case.rows(f)
    assert side[rows].tolist() == (~left).astype(int).tolist()
    assert meaning.rows[2 * f : 2 * f + 2].tolist() == [left.sum(), (~left).sum()]
    stats = [case.stats_of_row[rows[part]].sum(0) for part in (left, ~left)]
    np.testing.assert_array_equal(meaning.stats[2 * f : 2 * f + 2], stats)
    assert meaning.n_missing[f] == (case.codes[rows] == 0).sum()


def check_branches(case, f, split, meaning, lows, highs):
    _, cut, missing_left, left = split
    rows = case.rows(f)
    known = np.unique(case.codes[rows][case.codes[rows] > 0])
    above = known[known > cut]
    stats = [case.stats_of_row[rows[part]].sum(0) for part in (left, ~left)]
    heavier = int(case.weight(stats[1]) > case.weight(stats[0]))
    missing_goes = 1 - missing_left if meaning.n_missing[f] else heavier
    first, last = meaning.branch_start[f], meaning.branch_start[f + 1]
    branch_of = meaning.branch_of[first:last].tolist()
    if len(highs):
        assert branch_of == [missing_goes, 0, 1]
        middle = (highs[cut - 1] + lows[above[0] - 1]) / 2 if len(above) else np.inf
        assert meaning.edge[f] == middle
    else:  # an ordered level that does not occur has its place all the same
        codes = np.arange(1, last - first)
        assert branch_of == [missing_goes, *((codes > cut) & (len(above) > 0)).astype(int)]
        assert np.isnan(meaning.edge[f])


@pytest.mark.parametrize(
    ("below", "above", "edge"),
    [
        (1.0, 2.0, 1.5),
        (-np.inf, 2.0, -np.inf),
        (1.0, np.inf, 1.0),
        (-np.inf, np.inf, -np.inf),
        (1.0, np.nextafter(1.0, 2.0), 1.0),
        (np.nextafter(1.0, 0.0), 1.0, np.nextafter(1.0, 0.0)),
        (1e308, 1.5e308, 1.25e308),
        (-1.7e308, 1.7e308, 0.0),
        (0.0, 5e-324, 0.0),
    ],
)
def test_edges_lie_between_their_neighbours(below, above, edge):
    values = np.array([below, above])
    with np.errstate(invalid="ignore"):  # minus and plus infinity have no middle, of which plain NumPy warns
        assert edge_between(1, 2, values, values) == edge
    assert below <= edge < above


def test_an_edge_with_missing_rows_only_above_is_infinite():
    assert edge_between(2, 0, np.array([1.0, 2.0]), np.array([1.0, 2.0])) == np.inf
