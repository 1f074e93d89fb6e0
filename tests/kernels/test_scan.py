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
    empty_meaning,
    first_best,
    listed_splits,
    make_case,
)
from treewright.kernels.mass import Criterion
from treewright.kernels.scan import count_missing, resolve_listed, search_listed

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
    search_listed(column, case.entries, case.codes, case.has_missing, case.is_tied, case.nodes, case.data, rules, finds)
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
    drawn = set()
    with np.errstate(over="ignore"):  # 64 bits wrap around, of which plain NumPy warns
        for seed in range(60):
            finds = searched(case, case.rules(seed=seed))
            assert finds.ties[0] == len(equals)
            drawn.add(int(finds.cut[0]))
    assert drawn == equals


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


@pytest.mark.parametrize("criterion", [Criterion.GINI, Criterion.SQUARED_ERROR])
@pytest.mark.parametrize("shape", SHAPES.values(), ids=SHAPES)
@pytest.mark.parametrize("dtype", [np.uint32, np.int64])
@pytest.mark.parametrize("seed", range(3))
def test_what_the_chosen_cuts_mean(criterion, shape, dtype, seed):
    case = make_case(criterion, seed, 40, n_nodes=3, dtype=dtype, **shape)
    rules = case.rules()
    finds = searched(case, rules)
    chosen = np.flatnonzero(finds.cut >= 0)
    meaning = empty_meaning(case, 2, 3)
    side = np.full(len(case.codes), 9, np.uint8)
    listed = case.entries, case.codes, case.has_missing
    resolve_listed(*listed, chosen, finds.cut, finds.missing_left, case.nodes, case.data, side, meaning)
    for f in chosen:
        check_meaning(case, f, first_best(listed_splits(case, f, rules), case.nodes.slack[f]), meaning, side)


def check_meaning(case, f, split, meaning, side):
    _, cut, missing_left, left = split
    rows, children = case.rows(f), [2 * f, 2 * f + 1]
    assert side[rows].tolist() == (~left).astype(int).tolist()
    assert meaning.rows[children].tolist() == [left.sum(), (~left).sum()]
    stats = [case.stats_of_row[rows[part]].sum(0) for part in (left, ~left)]
    np.testing.assert_array_equal(meaning.stats[children], stats)
    n_missing = int((case.codes[rows] == 0).sum())
    assert meaning.n_missing[f] == n_missing
    missing_goes = 1 - missing_left if n_missing else int(case.weight(stats[1]) > case.weight(stats[0]))
    assert meaning.branch_of[3 * f : 3 * f + 3].tolist() == [missing_goes, 0, 1]
    place = cut - int(case.nodes.start[f])
    after = rows[place + 1] if place + 1 < len(rows) else -1
    assert meaning.beside[f].tolist() == [rows[place], after]


def test_missing_values_that_did_not_occur_go_left_where_the_branches_weigh_the_same():
    case = class_case(0, 2, n_classes=2)
    meaning, side = empty_meaning(case, 2, 3), np.zeros(2, np.uint8)
    listed = case.entries, case.codes, False
    resolve_listed(*listed, np.array([0]), np.array([0]), np.zeros(1, np.uint8), case.nodes, case.data, side, meaning)
    assert meaning.rows.tolist() == [1, 1]
    assert meaning.branch_of.tolist() == [0, 0, 1]
