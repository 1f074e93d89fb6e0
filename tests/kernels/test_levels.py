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
    empty_meaning,
    make_case,
)
from treewright.kernels.count import new_tally
from treewright.kernels.levels import (
    EXHAUSTIVE_LEVELS,
    resolve_multiway,
    resolve_one_vs_rest,
    resolve_subsets,
    search_multiway,
    search_one_vs_rest,
    search_subsets,
    sort_by,
)
from treewright.kernels.mass import Criterion

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
    "multiway": (search_multiway, resolve_multiway),
    "one-vs-rest": (search_one_vs_rest, resolve_one_vs_rest),
    "subset": (search_subsets, resolve_subsets),
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
        order = codes[np.argsort(stats[codes, k] / stats[codes].sum(1), kind="stable")].tolist()
        scores += [grouped(case, 0, [order[:size], order[size:]], rules) for size in range(1, len(order))]
    np.testing.assert_allclose(searched("subset", case, rules).score[0], max(scores), rtol=1e-9)


@pytest.mark.parametrize("n_codes", [EXHAUSTIVE_LEVELS - 1, EXHAUSTIVE_LEVELS])
def test_up_to_a_number_of_levels_all_subsets_are_tried(n_codes):
    case = nominal_case(Criterion.GINI, 1, 200, n_codes=n_codes, n_classes=3)
    rules = case.rules()
    best = max(subset_scores(case, 0, rules))
    np.testing.assert_allclose(searched("subset", case, rules).score[0], best, rtol=1e-9)


@pytest.mark.parametrize("criterion", [Criterion.GINI, Criterion.SQUARED_ERROR, Criterion.MISCLASSIFICATION])
@pytest.mark.parametrize("shape", SHAPES.values(), ids=SHAPES)
@pytest.mark.parametrize("style", SEARCH)
@pytest.mark.parametrize("dtype", [np.uint32, np.int64])
def test_what_the_chosen_splits_mean(criterion, shape, style, dtype):
    case = nominal_case(criterion, 2, 50, n_nodes=3, dtype=dtype, **shape)
    check_meaning(case, style)


@pytest.mark.parametrize("criterion", [Criterion.GINI, Criterion.ENTROPY, Criterion.SQUARED_ERROR])
@pytest.mark.parametrize("style", SEARCH)
def test_what_splits_of_many_levels_mean(criterion, style):
    case = nominal_case(criterion, 4, LARGE, n_codes=40, n_nodes=2, missing=0.05, signal=0.3)
    check_meaning(case, style)


def check_meaning(case, style):
    """What is written about the branches is what the rows say, and scores what the search found."""
    rules, tally = case.rules(), tally_for(case)
    finds = searched(style, case, rules)
    scores = finds.score.copy()
    chosen = np.flatnonzero(finds.cut >= 0)
    n_codes = len(tally.rows)
    n_branches = n_codes - 1 if style == "multiway" else 2
    meaning = empty_meaning(case, n_branches, n_codes)
    side = np.full(len(case.codes), 99, np.uint8)
    rows_of = case.codes, case.in_row_order
    SEARCH[style][1](0, *rows_of, chosen, case.nodes, case.data, rules, tally, finds, side, meaning)
    assert not tally.rows.any()
    for f in chosen:
        rows = case.rows(f)
        branch_of = meaning.branch_of[meaning.branch_start[f] : meaning.branch_start[f + 1]]
        np.testing.assert_array_equal(side[rows], branch_of[case.codes[rows]])  # the one routing rule
        children = slice(meaning.child_start[f], meaning.child_start[f + 1])
        parts = [rows[side[rows] == branch] for branch in range(n_branches)]
        assert meaning.rows[children].tolist() == [len(part) for part in parts]
        np.testing.assert_array_equal(meaning.stats[children], [case.stats_of_row[part].sum(0) for part in parts])
        some = [(case.stats_of_row[part].sum(0), len(part)) for part in parts if len(part)]
        np.testing.assert_allclose(case.score(some, rules), scores[f], rtol=1e-9, atol=case.nodes.slack[f])
        n_missing = int((case.codes[rows] == 0).sum())
        assert meaning.n_missing[f] == n_missing
        if not n_missing:
            weights = [case.weight(stats) for stats in meaning.stats[children]]
            assert branch_of[0] == np.argmax(weights)
        absent = np.setdiff1d(np.arange(1, n_codes), case.codes[rows])
        if style == "multiway":
            assert branch_of[1:].tolist() == list(range(n_branches))
        else:
            assert (branch_of[absent] == branch_of[0]).all()
    untouched = np.setdiff1d(np.arange(case.n_nodes), chosen)
    assert (side[np.isin(case.node, untouched)] == 99).all()


@pytest.mark.parametrize("style", ["one-vs-rest", "subset"])
def test_all_equal_splits_are_counted_and_can_be_drawn(style):
    case = nominal_case(Criterion.MISCLASSIFICATION, 0, 40, n_codes=3, n_classes=2)
    case.nodes.slack[:] = 1e9
    drawn = set()
    with np.errstate(over="ignore"):  # 64 bits wrap around, of which plain NumPy warns
        for seed in range(40):
            finds = searched(style, case, case.rules(seed=seed))
            assert finds.ties[0] == 3
            drawn.add(int(finds.cut[0]))
    assert len(drawn) == 3


@pytest.mark.parametrize("style", ["one-vs-rest", "subset"])
def test_two_levels_can_be_told_apart_in_one_way(style):
    case = nominal_case(Criterion.GINI, 0, 40, n_codes=2)
    with np.errstate(over="ignore"):
        assert searched(style, case, case.rules(seed=1)).ties[0] == 1


def test_a_drawn_subset_means_what_was_drawn():
    """Resolving searches again and has to draw the same."""
    case = nominal_case(Criterion.GINI, 1, 80, n_codes=30, n_classes=2)
    case.nodes.slack[:] = 1e9
    sizes = set()
    with np.errstate(over="ignore"):
        for seed in range(20):
            rules, tally = case.rules(seed=seed), tally_for(case)
            finds = searched("subset", case, rules)
            meaning, side = empty_meaning(case, 2, len(tally.rows)), np.zeros(80, np.uint8)
            place = int(finds.cut[0])
            chosen = np.array([0])
            rows_of = case.codes, case.in_row_order
            resolve_subsets(0, *rows_of, chosen, case.nodes, case.data, rules, tally, finds, side, meaning)
            assert finds.cut[0] == place
            on_left = {int(code) for code in case.codes[side == 0]}
            assert len(on_left) == place % len(occurring(case, 0)) + 1
            sizes.add(len(on_left))
    assert len(sizes) > 5


@pytest.mark.parametrize("n", [0, 1, 2, 3, 10, 257])
def test_levels_are_sorted_by_key_and_then_by_place(n):
    keys = np.random.default_rng(n).integers(0, max(n // 2, 1), n) / 7
    order = np.arange(n)
    sort_by(keys, order)
    np.testing.assert_array_equal(order, np.argsort(keys, kind="stable"))
