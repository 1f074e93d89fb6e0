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
    make_case,
)
from treewright.kernels.search.count import (
    codes_above,
    count,
    count_cells,
    empty,
    list_cells,
    new_tally,
    search_cuts,
    sort_codes,
)
from treewright.kernels.search.mass import Criterion

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
@pytest.mark.parametrize("n_rows", [0, 1, 2, 300])
@pytest.mark.parametrize("dtype", [np.uint32, np.int64])
def test_cells_are_the_codes_that_occur_node_by_node(criterion, shape, n_rows, dtype):
    case = counted_case(criterion, n_rows, n_rows, n_nodes=3, dtype=dtype, **shape)
    tally = tally_for(case)
    first, codes, rows = np.full(4, -7), np.full(n_rows, -7), np.full(n_rows, -7)
    stats = np.full((n_rows, case.n_stats), -7)
    nodes = case.nodes.start, case.nodes.stop
    n = count_cells(case.codes, case.in_row_order, *nodes, case.data, tally, first, codes, rows, stats)
    tables = [case.tables(f) for f in range(3)]
    occurring = [np.flatnonzero(of_rows) for _, of_rows in tables]
    assert first.tolist() == np.cumsum([0, *map(len, occurring)]).tolist()
    assert n == first[-1]
    assert codes[:n].tolist() == np.concatenate(occurring).tolist()
    np.testing.assert_array_equal(rows[:n], np.concatenate([t[1][seen] for t, seen in zip(tables, occurring)]))
    np.testing.assert_array_equal(stats[:n], np.concatenate([t[0][seen] for t, seen in zip(tables, occurring)]))
    assert not tally.rows.any()
    assert not tally.stats.any()
    listed = np.full(4, -7), np.full(n_rows, -7), np.full(n_rows, -7), np.full((n_rows, case.n_stats), -7)
    assert list_cells(case.codes, case.entries, *nodes, case.data, *listed) == n
    for mine, theirs in zip(listed, (first, codes, rows, stats)):
        np.testing.assert_array_equal(mine[:n], theirs[:n])


@pytest.mark.parametrize("shape", SHAPES.values(), ids=SHAPES)
@pytest.mark.parametrize("n_rows", [1, 2, 60])
@pytest.mark.parametrize("cut", [0, 1, 3, 200])
def test_the_code_above_a_cut_is_the_next_that_occurs(shape, n_rows, cut):
    case = counted_case(Criterion.GINI, n_rows, n_rows, n_nodes=3, **shape)
    chosen = np.array([2, 0])
    above, n_missing = np.full(2, -7), np.full(2, -7)
    where = case.codes, case.in_row_order, chosen, case.nodes, case.data
    codes_above(*where, np.full(2, cut), above, n_missing)
    for c, f in enumerate(chosen):
        codes = case.codes[case.rows(f)]
        assert above[c] == min(codes[codes > cut], default=0)
        assert n_missing[c] == (codes == 0).sum()
