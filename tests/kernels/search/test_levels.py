"""Nominal columns: every grouping of the levels, against trying them all."""

from itertools import combinations

import numpy as np
import pytest

from kernel_cases import (
    CLASS_CRITERIA,
    LARGE,
    NUMBER_CRITERIA,
    check_finds,
    empty_finds,
    make_case,
)
from treewright.kernels.search.count import count, new_tally
from treewright.kernels.search.levels import (
    EXHAUSTIVE_LEVELS,
    MULTIWAY,
    ONE_VS_REST,
    SUBSET,
    lay_out_levels,
    order_by_share,
    search_multiway,
    search_one_vs_rest,
    search_subsets,
    sort_by,
)
from treewright.kernels.search.mass import Criterion

ALL = (*CLASS_CRITERIA, *NUMBER_CRITERIA)
SHAPES = {
    "two levels": {"n_codes": 2},
    "one level": {"n_codes": 1},
    "five levels": {"n_codes": 5},
    "missing": {"n_codes": 4, "missing": 0.3},
    "one level or missing": {"n_codes": 1, "missing": 0.5},
    "all missing": {"n_codes": 3, "missing": 1.0},
    "weights": {"n_codes": 4, "weighted": True},
    "weights and missing": {"n_codes": 4, "missing": 0.2, "weighted": True},
    "two classes": {"n_codes": 6, "n_classes": 2, "missing": 0.2},
    "five classes": {"n_codes": 4, "n_classes": 5},
}
SEARCH = {
    "multiway": (search_multiway, MULTIWAY),
    "one-vs-rest": (search_one_vs_rest, ONE_VS_REST),
    "subset": (search_subsets, SUBSET),
}


def nominal_case(criterion, seed, n_rows, **options):
    return make_case(criterion, seed, n_rows, code_type=np.uint8, **options)


def tally_for(case):
    return new_tally(int(case.codes.max(initial=0)) + 1, case.n_stats)


def searched(style, case, rules):
    finds, tally = empty_finds(case.n_nodes), tally_for(case)
    SEARCH[style][0](0, case.codes, case.in_row_order, case.nodes, case.data, rules, tally, finds)
    assert not tally.rows.any()
    assert not tally.stats.any()
    return finds


def grouped(case, f, groups, rules):
    """The score of branches that are groups of codes."""
    stats, rows = case.tables(f)
    return case.score([(stats[list(group)].sum(0), rows[list(group)].sum()) for group in groups], rules)


def occurring(case, f):
    return np.flatnonzero(case.tables(f)[1]).tolist()


def multiway_splits(case, f, rules):
    """One branch per level; missing rows join the branch that scores best with them, whose number is the cut."""
    levels = [code for code in occurring(case, f) if code]
    if len(levels) < 2:
        return []
    has_missing = 0 in occurring(case, f)
    splits = []
    for host in levels if has_missing else levels[:1]:
        groups = [[code, 0] if code == host and has_missing else [code] for code in levels]
        splits.append((grouped(case, f, groups, rules), host - 1, 0))
    return [split for split in splits if split[0] > -np.inf]


def one_vs_rest_splits(case, f, rules):
    codes = occurring(case, f)
    splits = []
    for code in codes if len(codes) > 2 else codes[:1] if len(codes) == 2 else []:
        for missing_left in (0, 1) if 0 in codes and code and len(codes) > 2 else (0,):
            alone = [code, 0] if missing_left else [code]
            rest = [other for other in codes if other not in alone]
            splits.append((grouped(case, f, [alone, rest], rules), code, missing_left))
    return [split for split in splits if split[0] > -np.inf]


def subset_scores(case, f, rules):
    """Every way to cut the codes in two, missing being one more level."""
    codes = occurring(case, f)
    return [
        grouped(case, f, [left, [code for code in codes if code not in left]], rules)
        for size in range(1, len(codes))
        for left in combinations(codes, size)
    ]


@pytest.mark.parametrize("criterion", ALL)
@pytest.mark.parametrize("shape", SHAPES.values(), ids=SHAPES)
@pytest.mark.parametrize("n_rows", [0, 1, 2, 50])
@pytest.mark.parametrize(("style", "splits"), [("multiway", multiway_splits), ("one-vs-rest", one_vs_rest_splits)])
def test_multiway_and_one_vs_rest(criterion, shape, n_rows, style, splits):
    case = nominal_case(criterion, n_rows, n_rows, n_nodes=2, **shape)
    rules = case.rules()
    check_finds(case, searched(style, case, rules), splits, rules)


@pytest.mark.parametrize("criterion", ALL)
@pytest.mark.parametrize("shape", SHAPES.values(), ids=SHAPES)
@pytest.mark.parametrize("n_rows", [0, 1, 2, 50])
def test_the_best_of_all_subsets_is_found(criterion, shape, n_rows):
    """Also where only the orders by the mean are tried: the best of all is among them (Breiman et al. 1984)."""
    case = nominal_case(criterion, n_rows, n_rows, n_nodes=2, **shape)
    rules = case.rules()
    finds = searched("subset", case, rules)
    for f in range(2):
        best = max(subset_scores(case, f, rules), default=-np.inf)
        np.testing.assert_allclose(finds.score[f], best, rtol=1e-9, atol=case.nodes.slack[f])


@pytest.mark.parametrize("criterion", ALL)
@pytest.mark.parametrize("min_rows", [2, 6, 100])
@pytest.mark.parametrize("style", SEARCH)
def test_branches_have_enough_rows(criterion, min_rows, style):
    case = nominal_case(criterion, 3, 60, n_codes=4, missing=0.1, n_nodes=2)
    rules = case.rules(min_rows=min_rows)
    finds = searched(style, case, rules)
    if style == "subset":
        for f in range(2):
            scores = subset_scores(case, f, rules)
            if criterion in CLASS_CRITERIA:  # all are tried
                np.testing.assert_allclose(finds.score[f], max(scores, default=-np.inf), rtol=1e-9, atol=1e-9)
            else:
                assert finds.score[f] <= max(scores) + 1e-9
    else:
        check_finds(case, finds, multiway_splits if style == "multiway" else one_vs_rest_splits, rules)


@pytest.mark.parametrize("criterion", CLASS_CRITERIA)
@pytest.mark.parametrize("seed", range(3))
def test_many_levels_of_many_classes_are_cut_in_the_orders_of_the_classes(criterion, seed):
    case = nominal_case(criterion, seed, 400, n_codes=EXHAUSTIVE_LEVELS + 4, n_classes=3, missing=0.1, signal=0.4)
    rules = case.rules()
    stats = case.tables(0)[0]
    codes = np.array(occurring(case, 0))
    assert len(codes) > EXHAUSTIVE_LEVELS
    scores = []
    for k in range(3):
        share = stats[codes, k] / stats[codes].sum(1)
        for largest in np.unique(share)[:-1]:
            scores.append(grouped(case, 0, [codes[share <= largest], codes[share > largest]], rules))
    np.testing.assert_allclose(searched("subset", case, rules).score[0], max(scores), rtol=1e-9)


@pytest.mark.parametrize("n_codes", [EXHAUSTIVE_LEVELS - 1, EXHAUSTIVE_LEVELS])
def test_up_to_a_number_of_levels_all_subsets_are_tried(n_codes):
    case = nominal_case(Criterion.GINI, 1, 200, n_codes=n_codes, n_classes=3)
    rules = case.rules()
    best = max(subset_scores(case, 0, rules))
    np.testing.assert_allclose(searched("subset", case, rules).score[0], best, rtol=1e-9)


# ---------------------------------------------------------------- which level goes where

NO_ROWS = -9


def laid_out(style, case, finds, tally):
    """The branch of every code at every node; ABSENT is what stands there before, or the places of all levels."""
    one_order = case.n_stats == 2 and case.criterion is not Criterion.MISCLASSIFICATION
    by_bits = case.criterion in CLASS_CRITERIA and not one_order
    branch_of = np.full((case.n_nodes, len(tally.rows)), NO_ROWS, np.int32)
    if style == "multiway":
        branch_of[:, 1:] = np.arange(len(tally.rows) - 1)
    chosen = np.flatnonzero(finds.cut >= 0)
    out, where = branch_of[chosen], (case.codes, case.in_row_order)
    lay_out_levels(SEARCH[style][1], by_bits, *where, chosen, case.nodes, case.data, tally, finds, out)
    assert not tally.rows.any()
    branch_of[chosen] = out
    return branch_of, chosen


@pytest.mark.parametrize("criterion", [Criterion.GINI, Criterion.SQUARED_ERROR, Criterion.MISCLASSIFICATION])
@pytest.mark.parametrize("shape", SHAPES.values(), ids=SHAPES)
@pytest.mark.parametrize("style", SEARCH)
@pytest.mark.parametrize("dtype", [np.uint32, np.int64])
def test_the_levels_of_a_found_split_score_what_the_search_found(criterion, shape, style, dtype):
    check_layout(nominal_case(criterion, 2, 50, n_nodes=3, dtype=dtype, **shape), style)


@pytest.mark.parametrize("criterion", [Criterion.GINI, Criterion.ENTROPY, Criterion.SQUARED_ERROR])
@pytest.mark.parametrize("style", SEARCH)
def test_many_levels_score_what_the_search_found(criterion, style):
    check_layout(nominal_case(criterion, 4, LARGE, n_codes=40, n_nodes=2, missing=0.05, signal=0.3), style)


def check_layout(case, style):
    rules, tally = case.rules(), tally_for(case)
    finds = searched(style, case, rules)
    branch_of, chosen = laid_out(style, case, finds, tally)
    for f in chosen:
        seen = occurring(case, f)
        groups = [[code for code in seen if branch_of[f, code] == branch] for branch in np.unique(branch_of[f, seen])]
        score = grouped(case, f, groups, rules)
        np.testing.assert_allclose(score, finds.score[f], rtol=1e-9, atol=case.nodes.slack[f])
        default_branch = np.setdiff1d(np.arange(len(tally.rows)), seen)
        if style == "multiway":
            assert branch_of[f, 1:].tolist() == list(range(len(tally.rows) - 1))
            assert branch_of[f, 0] == (finds.cut[f] if 0 in seen else NO_ROWS)
        elif style == "one-vs-rest" and finds.cut[f] == 0:  # known against missing: whatever is known is known
            assert branch_of[f].tolist() == [1, *[0] * (len(tally.rows) - 1)]
        else:
            assert (branch_of[f, default_branch] == NO_ROWS).all()


def counted_tally(case):
    tally = tally_for(case)
    n = count(case.codes, case.in_row_order, case.nodes.start[0], case.nodes.stop[0], case.data, tally)
    return tally, n


@pytest.mark.parametrize("n_codes", [1, 2, 30])
@pytest.mark.parametrize("missing", [0.0, 0.2])
@pytest.mark.parametrize("k", [0, 2])
def test_levels_are_ordered_by_the_share_of_a_class(n_codes, missing, k):
    tally, n = counted_tally(nominal_case(Criterion.GINI, 3, 90, n_codes=n_codes, n_classes=3, missing=missing))
    stats = tally.stats[tally.codes[:n]]
    expected = np.argsort(stats[:, k] / stats.sum(1), kind="stable")
    assert order_by_share(k, False, n, 3, tally)[0].tolist() == expected.tolist()


@pytest.mark.parametrize("n_codes", [1, 2, 30])
@pytest.mark.parametrize("weighted", [False, True])
def test_levels_are_ordered_by_their_mean(n_codes, weighted):
    tally, n = counted_tally(nominal_case(Criterion.SQUARED_ERROR, 3, 90, n_codes=n_codes, weighted=weighted))
    stats = tally.stats[tally.codes[:n]]
    expected = np.argsort(stats[:, 1] / stats[:, 0], kind="stable")
    assert order_by_share(1, True, n, 3, tally)[0].tolist() == expected.tolist()


@pytest.mark.parametrize("style", ["one-vs-rest", "subset"])
def test_all_equal_splits_are_counted_and_can_be_drawn(style):
    case = nominal_case(Criterion.MISCLASSIFICATION, 0, 40, n_codes=3, n_classes=2)
    case.nodes.slack[:] = 1e9
    random_pick = set()
    with np.errstate(over="ignore"):  # 64 bits wrap around, of which plain NumPy warns
        for seed in range(40):
            finds = searched(style, case, case.rules(seed=seed))
            assert finds.ties[0] == 3
            random_pick.add(int(finds.cut[0]))
    assert len(random_pick) == 3


@pytest.mark.parametrize("style", ["one-vs-rest", "subset"])
def test_two_levels_can_be_told_apart_in_one_way(style):
    case = nominal_case(Criterion.GINI, 0, 40, n_codes=2)
    with np.errstate(over="ignore"):
        assert searched(style, case, case.rules(seed=1)).ties[0] == 1


def test_a_drawn_subset_is_laid_out_as_it_was_drawn():
    """The levels are put in order once more, whatever was drawn among the cuts of that order."""
    case = nominal_case(Criterion.GINI, 1, 80, n_codes=30, n_classes=2)
    case.nodes.slack[:] = 1e9
    stats, seen = case.tables(0)[0], np.array(occurring(case, 0))
    order = seen[np.argsort(stats[seen, 1] / stats[seen].sum(1), kind="stable")]
    sizes = set()
    with np.errstate(over="ignore"):  # 64 bits wrap around, of which plain NumPy warns
        for seed in range(20):
            finds = searched("subset", case, case.rules(seed=seed))
            branches = laid_out("subset", case, finds, tally_for(case))[0][0]
            size = int(finds.cut[0]) % len(seen) + 1
            assert np.flatnonzero(branches == 0).tolist() == sorted(order[:size])
            sizes.add(size)
    assert len(sizes) > 5


@pytest.mark.parametrize("n", [0, 1, 2, 3, 10, 257])
def test_levels_are_sorted_by_key_and_then_by_place(n):
    keys = np.random.default_rng(n).integers(0, max(n // 2, 1), n) / 7
    order = np.arange(n)
    sort_by(keys, order)
    np.testing.assert_array_equal(order, np.argsort(keys, kind="stable"))
