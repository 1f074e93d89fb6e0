"""The quick passes must find what the general pass finds, cut for cut, in small nodes and by blocks in large ones."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kernel_cases import LARGE, check_finds, class_case, empty_finds, listed_splits, number_case
from treewright.kernels.search import unweighted_cuts
from treewright.kernels.search.mass import Criterion
from treewright.kernels.search.scan import search_sorted
from treewright.kernels.search.unweighted_cuts import (
    BLOCK,
    LEAST_FOR_BLOCKS,
    search_sorted_classes,
    search_sorted_numbers,
)

SHAPES = {
    "no ties": {},
    "few ties": {"n_codes": 300},
    "many ties": {"n_codes": 5},
    "one value": {"n_codes": 1},
    "missing": {"missing": 0.2},
    "missing and ties": {"missing": 0.3, "n_codes": 40},
    "missing for most": {"missing": 0.9},
    "all missing": {"missing": 1.0},
    "signal": {"signal": 0.6},
    "pure halves": {"signal": 1.0},
    "signal, missing and ties": {"signal": 0.8, "missing": 0.1, "n_codes": 100},
}
SMALL = (0, 1, 2, 3, 17)
# around the size from which blocks are used, and with a last block that is full, nearly full and nearly empty
BLOCKS = (
    LEAST_FOR_BLOCKS - 1,
    LEAST_FOR_BLOCKS,
    LEAST_FOR_BLOCKS + 1,
    9 * BLOCK + 1,
    10 * BLOCK,
    10 * BLOCK + 2,
    LARGE,
)
CLASS_CRITERIA = (Criterion.GINI, Criterion.ENTROPY)


def run(kernel, case, rules):
    finds = empty_finds(case.n_nodes)
    kernel(0, case.entries, case.codes, case.has_missing, case.is_tied, case.nodes, case.data, rules, finds)
    return finds


def check_same(kernel, case, **limits):
    rules = case.rules(**limits)
    found, expected = run(kernel, case, rules), run(search_sorted, case, rules)
    np.testing.assert_allclose(found.score, expected.score, rtol=1e-9, atol=case.nodes.slack.max(initial=0.0))
    np.testing.assert_array_equal(found.cut, expected.cut)
    np.testing.assert_array_equal(found.missing_left, expected.missing_left)
    return found


@pytest.mark.parametrize("criterion", CLASS_CRITERIA)
@pytest.mark.parametrize("shape", SHAPES.values(), ids=SHAPES)
@pytest.mark.parametrize("n_rows", SMALL)
@pytest.mark.parametrize("n_classes", [2, 3, 6])
def test_classes_in_small_nodes(criterion, shape, n_rows, n_classes):
    case = class_case(n_rows, n_rows, criterion, n_classes=n_classes, **shape)
    found = check_same(search_sorted_classes, case)
    check_finds(case, found, listed_splits, case.rules())


@pytest.mark.parametrize("criterion", CLASS_CRITERIA)
@pytest.mark.parametrize("shape", SHAPES.values(), ids=SHAPES)
@pytest.mark.parametrize("n_classes", [2, 3, 4, 5, 6])
def test_classes_in_large_nodes(criterion, shape, n_classes):
    """More than four classes are never searched by blocks."""
    for n_rows in BLOCKS if n_classes in (2, 4) else BLOCKS[-1:]:
        check_same(search_sorted_classes, class_case(n_rows, n_rows, criterion, n_classes=n_classes, **shape))


@pytest.mark.parametrize("criterion", CLASS_CRITERIA)
@pytest.mark.parametrize("shape", [SHAPES["signal"], SHAPES["missing and ties"]], ids=["signal", "missing and ties"])
@pytest.mark.parametrize("min_rows", [2, 30, BLOCK, LEAST_FOR_BLOCKS, 10**6])
def test_classes_with_enough_rows_in_every_branch(criterion, shape, min_rows):
    for n_rows in (40, LARGE):
        case = class_case(min_rows, n_rows, criterion, **shape)
        found = check_same(search_sorted_classes, case, min_rows=min_rows)
        assert (found.cut[0] >= 0) <= (n_rows >= 2 * min_rows)


@pytest.mark.parametrize("n_rows", [*SMALL, LARGE])
@pytest.mark.parametrize("shape", SHAPES.values(), ids=SHAPES)
@pytest.mark.parametrize("min_rows", [1, 20])
def test_numbers(n_rows, shape, min_rows):
    case = number_case(n_rows, n_rows, **shape)
    found = check_same(search_sorted_numbers, case, min_rows=min_rows)
    if n_rows < 100:
        check_finds(case, found, listed_splits, case.rules(min_rows=min_rows))


@pytest.mark.parametrize("n_classes", [2, 3, 6, 0])
@pytest.mark.parametrize("missing", [0.0, 0.2])
def test_entries_of_64_bits(n_classes, missing):
    """Used where rows and labels together do not fit into 32 bits."""
    for n_rows in (30, LARGE):
        options = {"missing": missing, "dtype": np.int64, "n_nodes": 2}
        if n_classes:
            case = class_case(7, n_rows, Criterion.ENTROPY, n_classes=n_classes, **options)
            check_same(search_sorted_classes, case)
        else:
            check_same(search_sorted_numbers, number_case(7, n_rows, **options))


@pytest.mark.parametrize("criterion", CLASS_CRITERIA)
def test_nodes_of_all_sizes_side_by_side(criterion):
    """The room for blocks is used again from node to node; classes may be absent from a node."""
    random = np.random.default_rng(0)
    case = class_case(3, LARGE * 2, criterion, n_classes=4, n_codes=500, missing=0.05)
    case.node[:] = np.sort(random.choice(6, len(case.node), p=[0.5, 0.0, 0.01, 0.4, 0.002, 0.088]))
    case.labels[case.node == 3] = 1
    case.labels[(case.node == 0) & (case.labels == 3)] = 0
    case.stats_of_row[:] = np.eye(4, dtype=np.int64)[case.labels]
    case.n_nodes = 6
    case.__post_init__()
    found = check_same(search_sorted_classes, case)
    assert found.score[1] == -np.inf
    assert found.score[3] == pytest.approx(case.nodes.totals[3, 1] if criterion == Criterion.GINI else 0.0, abs=1e-6)


@pytest.mark.parametrize("seed", range(20))
def test_one_good_cut_anywhere_in_a_large_node(seed):
    random = np.random.default_rng(seed)
    n_rows, cut = LARGE, int(random.integers(1, LARGE))
    case = class_case(seed, n_rows, n_classes=2)
    case.labels[:] = case.codes > cut
    case.stats_of_row[:] = np.eye(2, dtype=np.int64)[case.labels]
    case.__post_init__()
    found = check_same(search_sorted_classes, case)
    assert found.cut[0] == cut - 1
    assert found.score[0] == pytest.approx(n_rows)


@given(st.integers(0, 10**6), st.integers(0, 60), st.integers(2, 6), st.sampled_from([None, 2, 7]), st.integers(1, 9))
def test_classes_of_any_small_node(seed, n_rows, n_classes, n_codes, min_rows):
    case = class_case(seed, n_rows, Criterion.GINI, n_classes=n_classes, n_codes=n_codes, missing=0.2, n_nodes=2)
    found = check_same(search_sorted_classes, case, min_rows=min_rows)
    check_finds(case, found, listed_splits, case.rules(min_rows=min_rows))


@given(st.integers(0, 10**6), st.integers(0, 60), st.sampled_from([None, 2, 7]), st.integers(1, 9))
def test_numbers_of_any_small_node(seed, n_rows, n_codes, min_rows):
    case = number_case(seed, n_rows, n_codes=n_codes, missing=0.2, n_nodes=2)
    check_same(search_sorted_numbers, case, min_rows=min_rows)


@pytest.mark.parametrize("n_classes", [2, 3, 4])
@pytest.mark.parametrize("size", [1, BLOCK - 1, BLOCK, BLOCK + 1, 5 * BLOCK + 3])
def test_blocks_are_counted(n_classes, size):
    case = class_case(size, size + 10, n_classes=n_classes)
    left = np.arange(n_classes)
    blocks = np.full((size // BLOCK + 2, unweighted_cuts.BLOCK_CLASSES), -1)
    n_blocks = unweighted_cuts.count_blocks(case.entries, 4, 4 + size, left, blocks)
    labels = case.entries[4 : 4 + size] & ((1 << case.bits) - 1)
    assert n_blocks == -(-size // BLOCK)
    for block in range(n_blocks + 1):
        counts = left + np.bincount(labels[: block * BLOCK], minlength=n_classes)
        assert blocks[block].tolist() == [*counts, *[0] * (unweighted_cuts.BLOCK_CLASSES - n_classes)]


@pytest.mark.parametrize("criterion", CLASS_CRITERIA)
@given(data=st.data())
def test_no_cut_within_a_block_beats_its_corners(criterion, data):
    counts = st.lists(st.integers(0, 12), min_size=4, max_size=4).map(np.array)
    before, step, rest = data.draw(counts), data.draw(counts), data.draw(counts)
    inside = before + np.array([data.draw(st.integers(0, int(most))) for most in step])
    totals = before + step + rest
    case = class_case(0, int(totals.sum()), criterion)
    table = case.rules().table
    is_gini = criterion is Criterion.GINI
    bound = unweighted_cuts.corner_bound(before, before + step, totals, table, is_gini)
    assert unweighted_cuts.two_masses(*inside, totals, table, is_gini) <= bound + 1e-9
