"""Listed columns: the general pass against trying every cut."""

import numpy as np
import pytest

from kernel_cases import (
    CLASS_CRITERIA,
    LARGE,
    LAST_COLUMN,
    NUMBER_CRITERIA,
    check_finds,
    class_case,
    empty_finds,
    first_best,
    listed_splits,
    make_case,
)
from treewright.kernels.search.mass import Criterion
from treewright.kernels.search.scan import count_missing, search_sorted

ALL = (*CLASS_CRITERIA, *NUMBER_CRITERIA)
SHAPES = {
    "no ties": {},
    "ties": {"n_codes": 4},
    "missing": {"missing": 0.3},
    "missing and ties": {"n_codes": 3, "missing": 0.4},
    "all missing": {"missing": 1.0},
    "weights": {"weighted": True, "n_codes": 9},
    "weights and missing": {"weighted": True, "missing": 0.3},
}


def searched(case, rules, column=0):
    finds = empty_finds(case.n_nodes)
    search_sorted(column, case.entries, case.codes, case.has_missing, case.is_tied, case.nodes, case.data, rules, finds)
    return finds


@pytest.mark.parametrize("criterion", ALL)
@pytest.mark.parametrize("shape", SHAPES.values(), ids=SHAPES)
@pytest.mark.parametrize("n_rows", [0, 1, 2, 3, 40])
@pytest.mark.parametrize("dtype", [np.uint32, np.int64])
def test_the_best_cut_is_found(criterion, shape, n_rows, dtype):
    for seed in range(3):
        case = make_case(criterion, seed, n_rows, dtype=dtype, **shape)
        rules = case.rules()
        check_finds(case, searched(case, rules), listed_splits, rules)


@pytest.mark.parametrize("criterion", ALL)
@pytest.mark.parametrize("min_rows", [2, 5, 100])
def test_branches_have_enough_rows(criterion, min_rows):
    case = make_case(criterion, 1, 60, n_nodes=4, missing=0.2)
    rules = case.rules(min_rows=min_rows)
    check_finds(case, searched(case, rules), listed_splits, rules)


@pytest.mark.parametrize("criterion", ALL)
def test_branches_have_enough_weight(criterion):
    case = make_case(criterion, 2, 60, n_nodes=3, missing=0.2, weighted=True)
    rules = case.rules(min_weight=int(case.weights.sum()) // 12)
    check_finds(case, searched(case, rules), listed_splits, rules)


@pytest.mark.parametrize("seed", range(5))
def test_every_node_is_searched_by_itself(seed):
    """Some of the nodes have no rows, or one."""
    case = class_case(seed, 30, Criterion.ENTROPY, n_nodes=12, missing=0.3, n_codes=6, n_classes=5)
    rules = case.rules()
    check_finds(case, searched(case, rules), listed_splits, rules)


@pytest.mark.parametrize("criterion", [Criterion.GINI, Criterion.SQUARED_ERROR])
def test_large_nodes(criterion):
    case = make_case(criterion, 3, LARGE // 4, missing=0.1, signal=0.3)
    rules = case.rules()
    check_finds(case, searched(case, rules), listed_splits, rules)


def test_all_equal_splits_are_counted_and_can_be_drawn():
    case = class_case(0, 12, n_codes=6, n_classes=2)
    equals = {split[1] for split in listed_splits(case, 0, case.rules()) if split[0] > -np.inf}
    case.nodes.slack[:] = 1e9  # every split is as good as any other
    random_pick = set()
    with np.errstate(over="ignore"):  # 64 bits wrap around, of which plain NumPy warns
        for seed in range(60):
            finds = searched(case, case.rules(seed=seed))
            assert finds.ties[0] == len(equals)
            random_pick.add(int(finds.cut[0]))
    assert random_pick == equals


def test_ties_are_drawn_among_the_best_only():
    case = class_case(5, 40, n_codes=8, n_classes=2, missing=0.2)
    best = first_best(listed_splits(case, 0, case.rules()), case.nodes.slack[0])[0]
    with np.errstate(over="ignore"):
        scores = [searched(case, case.rules(seed=seed)).score[0] for seed in range(10)]
    np.testing.assert_allclose(scores, best, rtol=1e-12)


def test_a_settled_node_is_not_searched_again():
    case = class_case(0, 30, n_nodes=2)
    case.nodes.settled[:] = [3, LAST_COLUMN]
    finds = searched(case, case.rules(), column=4)
    assert finds.score[0] == -np.inf
    assert finds.cut[0] == -1
    assert finds.score[1] > -np.inf


def test_a_perfect_split_settles_its_node():
    case = class_case(0, 30, n_classes=2, signal=1.0)
    case.nodes.ceiling[:] = 30.0
    finds = searched(case, case.rules(), column=4)
    assert finds.score[0] == pytest.approx(30.0)
    assert case.nodes.settled[0] == 4


@pytest.mark.parametrize("missing", [0.0, 0.4, 1.0])
@pytest.mark.parametrize("n_rows", [0, 1, 20])
def test_missing_rows_stand_in_front(missing, n_rows):
    case = class_case(1, n_rows, missing=missing)
    assert count_missing(case.entries, case.codes, case.bits, 0, n_rows) == (case.codes == 0).sum()
